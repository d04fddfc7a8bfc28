"""Calibrates every table as it is and altered in many ways, and reads its other pictures, altered likewise, with what was learned.

    python -m tests.bench.calibration [--data DIR] [--ways find find+ click click+]
                                      [--alter NAME …] [--sets renders webcam reel] [--frames N] [--from K] [--empty] [-v]

A way is ``find`` (no corners given), or ``click`` (corners up to 5 pixels off, evenly); ``+`` gives the board's measures too. Columns:
calibrations that were not refused; the corners' greatest error in checkers (median over tables, worst); points right in the other
pictures (none with a hand), whole boards right, points wrong with a confidence of 0.9 or more; CPU seconds for a calibration
(median, worst). ``-v`` tells every refusal and every table that is read badly. ``--from K`` learns each table from
its K-th picture (0: the start) and what its label says of it, ``--empty`` with its empty picture too.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import cv2
import numpy as np

from tests.bench.vision import Table, reel, renders, webcam
from vision.board import Geometry
from vision.camera import rectangle
from vision.errors import VisionError
from vision.frame import Frame, Image, load
from vision.learning.calibrate import calibrate
from vision.learning.corners import find
from vision.read import Reader
from vision.rig import Rig

Alter = Callable[[Image, np.ndarray], tuple[Image, np.ndarray]]
"""A picture and its corners (4 x 2), altered."""


def warped(matrix: np.ndarray, image: Image, corners: np.ndarray, size: tuple[int, int]) -> tuple[Image, np.ndarray]:
    """Both under a homography."""
    moved = cv2.perspectiveTransform(np.asarray(corners, np.float64).reshape(-1, 1, 2), matrix).reshape(-1, 2)
    small = min(1.0, float(np.sqrt(abs(np.linalg.det(matrix[:2, :2])))))
    soft = cv2.GaussianBlur(image, (0, 0), 0.4 / small) if small < 0.8 else image
    return cv2.warpPerspective(soft, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE), moved


def tilted(degrees: float, towards: float) -> Alter:
    """Seen from aside: the camera leans by so much, towards a direction (degrees; 0 is from the right, 90 from below)."""

    def alter(image: Image, corners: np.ndarray) -> tuple[Image, np.ndarray]:
        height, width = image.shape[:2]
        focal, a, t = 1.05 * width, np.deg2rad(towards), np.deg2rad(degrees)
        turn, _ = cv2.Rodrigues(np.array([np.sin(a), np.cos(a), 0.0]) * t)
        middle = corners.mean(axis=0)
        into = np.array([[1, 0, -middle[0]], [0, 1, -middle[1]], [0, 0, focal]])
        out = np.array([[focal, 0, width / 2], [0, focal, height / 2], [0, 0, 1]])
        lifted = turn @ into
        lifted[2] += np.array([0, 0, focal - (turn @ np.array([0, 0, focal]))[2]])
        lifted[:2] -= np.outer((turn @ np.array([0, 0, focal]))[:2], [0, 0, 1])
        matrix = out @ lifted
        seen = cv2.perspectiveTransform(corners.reshape(-1, 1, 2), matrix).reshape(-1, 2)
        fit = min(1.0, 0.95 * width / np.ptp(seen[:, 0]), 0.95 * height / np.ptp(seen[:, 1]))
        centre = (seen.min(axis=0) + seen.max(axis=0)) / 2
        shrink = np.array([[fit, 0, width / 2 - fit * centre[0]], [0, fit, height / 2 - fit * centre[1]], [0, 0, 1]])
        return warped(shrink @ matrix, image, corners, (width, height))

    return alter


def turned(degrees: float) -> Alter:
    """The camera turned about its axis; corners keep naming the board's own."""

    def alter(image: Image, corners: np.ndarray) -> tuple[Image, np.ndarray]:
        height, width = image.shape[:2]
        wide = int(np.ceil(abs(width * np.cos(np.deg2rad(degrees))) + abs(height * np.sin(np.deg2rad(degrees)))))
        high = int(np.ceil(abs(width * np.sin(np.deg2rad(degrees))) + abs(height * np.cos(np.deg2rad(degrees)))))
        matrix = np.vstack([cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1.0), [0, 0, 1]])
        matrix[:2, 2] += [(wide - width) / 2, (high - height) / 2]
        image, corners = warped(matrix, image, corners, (wide, high))
        return (image, np.roll(corners, 2, axis=0)) if abs(degrees) == 180 else (image, corners)

    return alter


def mirrored(image: Image, corners: np.ndarray) -> tuple[Image, np.ndarray]:
    """Left to right; the corners are named as they now lie."""
    moved = np.column_stack([image.shape[1] - 1 - corners[:, 0], corners[:, 1]])
    return np.ascontiguousarray(image[:, ::-1]), moved[[1, 0, 3, 2]]


def lens(bend: float) -> Alter:
    """A lens that bends straight lines: ``bend`` is the change at a focal length from the middle."""

    def alter(image: Image, corners: np.ndarray) -> tuple[Image, np.ndarray]:
        height, width = image.shape[:2]
        focal, middle = 1.05 * width, np.array([width / 2, height / 2])
        yy, xx = np.mgrid[0:height, 0:width].astype(np.float64)
        plane = (np.stack([xx, yy], axis=-1) - middle) / focal
        straight = plane.copy()
        for _ in range(8):
            straight = plane / (1 + bend * (straight**2).sum(axis=-1, keepdims=True))
        maps = (straight * focal + middle).astype(np.float32)
        image = cv2.remap(image, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        off = (corners - middle) / focal
        return image, off * (1 + bend * (off**2).sum(axis=1, keepdims=True)) * focal + middle

    return alter


def sized(width: int, height: int | None = None) -> Alter:
    """Another size; with ``height`` another shape too: the sides are cut or filled."""

    def alter(image: Image, corners: np.ndarray) -> tuple[Image, np.ndarray]:
        scale = width / image.shape[1]
        high = height or round(image.shape[0] * scale)
        if height and scale * image.shape[0] > height:
            scale = max(height / image.shape[0], scale * 0.8)
        matrix = np.array([[scale, 0, (width - scale * image.shape[1]) / 2], [0, scale, (high - scale * image.shape[0]) / 2], [0, 0, 1]])
        return warped(matrix, image, corners, (width, high))

    return alter


def coloured(change: Callable[[np.ndarray], np.ndarray]) -> Alter:
    """Other levels (a function of floats 0-1), the same places."""
    return lambda image, corners: (np.asarray(np.clip(change(image.astype(np.float32) / 255), 0, 1) * 255 + 0.5, np.uint8), corners)


def jpeg(quality: int) -> Alter:
    """Through a JPEG."""

    def alter(image: Image, corners: np.ndarray) -> tuple[Image, np.ndarray]:
        _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
        return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8), corners

    return alter


def lamp(image: Image, corners: np.ndarray) -> tuple[Image, np.ndarray]:
    """Lit from the left only: a third of the light is left on the right."""
    fall = np.linspace(1.1, 0.35, image.shape[1], dtype=np.float32)[None, :, None]
    return np.asarray(np.clip(image * fall, 0, 255), np.uint8), corners


def noisy(image: Image, corners: np.ndarray) -> tuple[Image, np.ndarray]:
    """A small sensor in the evening."""
    grain = np.random.default_rng(int(image[::50, ::50].sum())).normal(0, 12, image.shape)
    return np.asarray(np.clip(image + grain, 0, 255), np.uint8), corners


ALTERED: dict[str, Alter] = {
    "as it is": lambda image, corners: (image, corners),
    "mirrored": mirrored,
    "turned 180": turned(180),
    "turned 90": turned(90),
    "turned 12": turned(12),
    "turned -30": turned(-30),
    "tilt 15 below": tilted(15, 90),
    "tilt 25 below": tilted(25, 90),
    "tilt 25 right": tilted(25, 0),
    "tilt 25 corner": tilted(25, 225),
    "tilt 35 below": tilted(35, 90),
    "lens -0.12": lens(-0.12),
    "lens +0.1": lens(0.1),
    "640x480": sized(640, 480),
    "480 wide": sized(480),
    "2592 wide": sized(2592),
    "portrait": sized(960, 1280),
    "jpeg 30": jpeg(30),
    "jpeg 12": jpeg(12),
    "lamp aside": lamp,
    "dim": coloured(lambda x: x * 0.3),
    "bright": coloured(lambda x: x * 1.35),
    "warm": coloured(lambda x: x * np.array([0.6, 0.9, 1.15], np.float32)),
    "cold": coloured(lambda x: x * np.array([1.15, 1.0, 0.75], np.float32)),
    "flat": coloured(lambda x: 0.4 + (x - 0.4) * 0.5),
    "gamma": coloured(lambda x: x**1.6),
    "other hues": coloured(lambda x: x[..., [1, 2, 0]]),
    "negative": coloured(lambda x: 1 - x),
    "grey": coloured(lambda x: np.repeat(x @ np.array([[0.114], [0.587], [0.299]], np.float32), 3, axis=-1)),
    "noisy": noisy,
    "soft": lambda image, corners: (np.asarray(cv2.GaussianBlur(image, (0, 0), 2.0), np.uint8), corners),
}


@dataclass
class Tally:
    """One row."""

    tried: int = 0
    done: int = 0
    off: list[float] = field(default_factory=list)
    points: list[tuple[float, bool]] = field(default_factory=list)
    boards: list[bool] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    told: list[str] = field(default_factory=list)

    def row(self, name: str) -> str:
        """As a line of the table."""
        if not self.done:
            return f"{name:26} {self.done:3d}/{self.tried:<3d}"
        right = np.array([hit for _, hit in self.points], float)
        sure = sum(chance >= 0.9 and not hit for chance, hit in self.points)
        return (
            f"{name:26} {self.done:3d}/{self.tried:<3d} {np.median(self.off):5.2f} /{max(self.off):5.2f} {100 * right.mean():7.2f}% "
            f"{sum(self.boards):4d}/{len(self.boards):<4d} {sure:4d}   {np.median(self.seconds):4.1f} /{max(self.seconds):4.1f}"
        )


HEAD = f"{'':26} {'learned':>7} {'corners off':>12} {'points':>8} {'boards':>9} {'sure*':>5}   seconds"


def one(table: Table, way: str, alter: Alter, tally: Tally, frames: int, start: int, bare: bool) -> None:
    """One table in one way."""
    first = table.shots[start]
    image, truth = alter(load(first.path).image, np.asarray(table.corners, np.float64))
    geometry = replace(table.geometry, tray=None) if way.endswith("+") else Geometry()
    known = None if table.start and not start else first.looks
    empty = alter(load(table.empty).image, truth)[0] if bare and table.empty else None
    tally.tried += 1
    clock = time.process_time()
    try:
        if way.startswith("find"):
            found = find(image, geometry, known)
            rig = calibrate(image, found.corners, geometry, known, empty)
        else:
            rng = np.random.default_rng([*table.name.encode()])
            clicked = truth + rng.uniform(-5, 5, truth.shape)
            rig = calibrate(image, [(float(x), float(y)) for x, y in clicked], geometry, known, empty)
    except VisionError as error:
        tally.told.append(f"    {table.name}: refused: {error}")
        tally.seconds.append(time.process_time() - clock)
        return
    tally.seconds.append(time.process_time() - clock)
    tally.done += 1
    tally.off.append(_off(rig, truth))
    _read(Reader(rig), table, alter, tally, frames, start)


def _off(rig: Rig, truth: np.ndarray) -> float:
    """The greatest distance of a corner from where it is, in checkers, whichever corner is called the first."""
    measures = rig.measures
    seen = rig.camera.project(rectangle(measures.width, measures.height))
    wide = float(np.linalg.norm(seen[1] - seen[0])) / measures.width * measures.checker
    return min(float(np.linalg.norm(np.roll(seen, k, axis=0) - truth, axis=1).max()) for k in range(4)) / wide


def _read(reader: Reader, table: Table, alter: Alter, tally: Tally, frames: int, first: int) -> None:
    """The table's other pictures, points and bar."""
    bad = []
    shots = [shot for shot in table.shots if not shot.hand and shot is not table.shots[first]]
    for shot in shots[:: max(1, len(shots) // frames)][:frames]:
        image, _ = alter(load(shot.path).image, np.asarray(table.corners, np.float64))
        reading = reader.read(Frame(image))
        looks = {cell: look for cell, look in shot.looks.items() if not cell.startswith("off")}
        hits = {cell: reading.looks.get(cell) == look for cell, look in looks.items()}
        tally.points += [(reading.confidence.get(cell, 0.0), hit) for cell, hit in hits.items() if cell.startswith("p")]
        tally.boards.append(all(hits.values()))
        wrong = sum(not hit for hit in hits.values())
        if wrong > 2:
            bad.append(f"{shot.path.stem}: {wrong}")
    if bad:
        tally.told.append(f"    {table.name}: read badly: {', '.join(bad)}")


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("BARPOINT_DATA", "../shared/data")))
    parser.add_argument("--sets", nargs="+", default=["renders", "webcam", "reel"])
    parser.add_argument("--ways", nargs="+", default=["find", "find+", "click", "click+"])
    parser.add_argument("--alter", nargs="+", default=list(ALTERED))
    parser.add_argument("--frames", type=int, default=8)
    parser.add_argument("--from", dest="start", type=int, default=0)
    parser.add_argument("--empty", action="store_true")
    parser.add_argument("-v", action="store_true")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    tables: list[Table] = []
    if "renders" in options.sets:
        tables += renders(options.data)
    if "webcam" in options.sets:
        tables += webcam(options.data)
    if "reel" in options.sets:
        tables += reel(options.data / "reel" if (options.data / "reel").exists() else Path("tests/data/reel"))
    print(HEAD)
    for way in options.ways:
        for name in options.alter:
            tally = Tally()
            for table in tables:
                if options.start < len(table.shots) and not table.shots[options.start].hand:
                    one(table, way, ALTERED[name], tally, options.frames, options.start, options.empty)
            print(tally.row(f"{way} · {name}"), *(tally.told if options.v else []), sep="\n", flush=True)
    print("* points read wrong with a confidence of 0.9 or more")


if __name__ == "__main__":
    main()
