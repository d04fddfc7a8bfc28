"""How well pyramids and hexes are read: ``python -m tests.bench.boards [DATA] [--only icegammon|siege-master]
[--vary N] [--later NAME]``.

Every board is calibrated from its own first picture(s) and all its pictures are read; times are the
processor's. With ``--vary N`` each is read N times more, with the corners clicked up to 3 px off and
calibration and pictures changed alike in hue, lamp, gamma, sharpness, noise, JPEG quality and the camera's
place, some of them mirrored: tables never seen before. With ``--later NAME`` the pictures are altered after
the table was learned (one of `tests/bench/altered.py` that leaves everything in its place).
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.bench.altered import ALTERED, INPLACE, Alter
from tests.bench.arguments import data_option
from tests.bench.scores import SURE
from vision.hexes.board import Hexes
from vision.picture.frame import Frame, Image, load
from vision.pyramids.board import Pyramids
from vision.reading import Reading

Place = tuple[float, float]
SIZE = (1280, 960)
"""Width and height of the pictures."""


class Same:
    """A picture as it was taken."""

    mirrored = False

    def corners(self, clicked: list[list[float]]) -> list[Place]:
        """Where the corners are: bottom-left, bottom-right, top-right, top-left."""
        return [(x, y) for x, y in clicked]

    def __call__(self, image: Image) -> Image:
        return image


class Varied(Same):
    """One camera's and one table's difference from what was rendered, the same for all its pictures: hue,
    lamp, gamma, sharpness, noise, JPEG, the camera's place, and perhaps the whole table seen in a mirror
    (left and right for points, up and down for hexes)."""

    def __init__(self, seed: int, upright: bool) -> None:
        self._rng = rng = np.random.default_rng(seed)
        self._hue, self._gamma, self._blur, self._noise = (
            rng.uniform(-8, 8),
            rng.uniform(0.75, 1.35),
            rng.uniform(0, 1.2),
            rng.uniform(0, 6),
        )
        self._gains, self._off = rng.uniform(0.85, 1.15, 3), rng.uniform(-3, 3, (4, 2))
        self._tilt, self._quality = rng.uniform(-0.03, 0.03, (4, 2)), int(rng.integers(60, 96))
        self._slope = rng.uniform(-0.25, 0.25, 2)
        self.mirrored = bool(rng.integers(2))
        self._upright = upright

    def _warp(self, size: tuple[int, int]) -> NDArray[np.float64]:
        width, height = size
        frame = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
        inward = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]) * np.abs(self._tilt) * size
        warp = np.asarray(cv2.getPerspectiveTransform(frame, (frame + inward).astype(np.float32)), np.float64)
        if self.mirrored:
            flip = np.array(
                [[1.0, 0, 0], [0, -1, height - 1], [0, 0, 1]]
                if self._upright
                else [[-1.0, 0, width - 1], [0, 1, 0], [0, 0, 1]]
            )
            warp = warp @ flip
        return warp

    def corners(self, clicked: list[list[float]]) -> list[Place]:
        """Where the corners are now, clicked a little off."""
        at = (
            cv2.perspectiveTransform(
                np.array(clicked, np.float64).reshape(-1, 1, 2), self._warp(SIZE)
            ).reshape(-1, 2)
            + self._off
        )
        order = ((3, 2, 1, 0) if self._upright else (1, 0, 3, 2)) if self.mirrored else (0, 1, 2, 3)
        return [(float(at[n][0]), float(at[n][1])) for n in order]

    def __call__(self, image: Image) -> Image:
        hsv = cv2.cvtColor(image, cv2.COLOR_BGR2HSV).astype(np.int32)
        hsv[..., 0] = (hsv[..., 0] + round(self._hue)) % 180
        bgr = cv2.cvtColor(hsv.astype(np.uint8), cv2.COLOR_HSV2BGR).astype(np.float64)
        height, width = image.shape[:2]
        lamp = (
            1
            + self._slope[0] * np.linspace(-1, 1, width)[None, :]
            + self._slope[1] * np.linspace(-1, 1, height)[:, None]
        )
        bent = 255 * (np.clip(bgr * self._gains * lamp[..., None], 0, 255) / 255) ** self._gamma
        bent = np.asarray(
            cv2.warpPerspective(
                bent, self._warp((width, height)), (width, height), borderMode=cv2.BORDER_REPLICATE
            ),
            np.float64,
        )
        if self._blur > 0.3:
            bent = np.asarray(cv2.GaussianBlur(bent, (0, 0), self._blur), np.float64)
        noisy = np.clip(bent + self._rng.normal(0, self._noise, bent.shape), 0, 255).astype(np.uint8)
        _, data = cv2.imencode(".jpg", noisy, [cv2.IMWRITE_JPEG_QUALITY, self._quality])
        return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


@dataclass
class Score:
    """What is counted over a board's pictures without hands: cells right, cells, cells wrong at 0.9 or more,
    pictures exact, pictures."""

    right: int = 0
    cells: int = 0
    sure: int = 0
    exact: int = 0
    frames: int = 0

    def count(self, reading: Reading, cells: int, wrong: list[str]) -> None:
        """One picture: how many cells there are, and which were misread."""
        self.right += cells - len(wrong) - len(reading.occluded)
        self.cells += cells
        self.sure += sum(reading.confidence[cell] >= SURE for cell in wrong)
        self.exact += not wrong and not reading.occluded and not reading.hand
        self.frames += 1

    def __str__(self) -> str:
        return (
            f"{self.right}/{self.cells} cells, {self.sure} wrong and sure, {self.exact}/{self.frames}"
            " pictures exact"
        )


def hexes(folder: Path, seed: int, later: Alter, verbose: bool) -> Score:
    """One sheet; prints what is wrong."""
    labels: dict[str, Any] = json.loads((folder / "labels.json").read_text())
    change = Varied(seed, upright=True) if seed else Same()
    corners = change.corners(labels["start"]["corners_px"])
    table = Hexes().calibrate(change(load(folder / "start.jpg").image), corners, labels["map"])
    last = labels["map"]["rows"] - 1
    turned = (lambda cell: turned_over(cell, last)) if change.mirrored else str
    score = Score()
    for name, truth in labels.items():
        if name == "map":
            continue
        begun = time.process_time()
        reading = table.read(Frame(later(change(load(folder / f"{name}.jpg").image), np.array(corners))[0]))
        took = time.process_time() - begun
        due = {f"hex.{turned(c)}": ("border",) for c in truth["border"]}
        due |= {f"hex.{turned(c)}": (f"fortress.{owner}",) for c, owner in truth["fortresses"].items()}
        due |= {f"hex.{turned(c)}": (f"army.{side}",) for side, covered in truth["armies"] for c in covered}
        wrong = [
            (cell, look, due.get(cell, ()))
            for cell, look in reading.looks.items()
            if look != due.get(cell, ())
        ]
        if verbose or (wrong and not truth["hand"] and name in ("start", "08")):
            print(
                f"  {name}: {len(wrong)} wrong, {len(reading.occluded)} hidden, hand"
                f" {reading.hand}/{truth['hand']}, {took * 1000:.0f} ms",
                wrong if truth["hand"] else wrong[:6],
            )
        if not truth["hand"]:
            score.count(reading, len(table.sheet.cells), [cell for cell, _, _ in wrong])
        elif verbose and wrong:
            print("   under a hand")
    return score


def pyramids(folder: Path, seed: int, later: Alter, verbose: bool) -> Score:
    """One board, without the picture that it was learned from; prints what is wrong."""
    labels: dict[str, Any] = json.loads((folder / "labels.json").read_text())
    change = Varied(seed, upright=False) if seed else Same()
    corners = change.corners(labels["empty"]["corners_px"])
    first, bare = (change(load(folder / f"{name}.jpg").image) for name in ("01", "empty"))
    table = Pyramids().calibrate(
        first, corners, labels["01"]["geometry_cm"], due_looks(labels["01"], change.mirrored), bare
    )
    score = Score()
    for name, truth in labels.items():
        begun = time.process_time()
        reading = table.read(Frame(later(change(load(folder / f"{name}.jpg").image), np.array(corners))[0]))
        took = time.process_time() - begun
        due = due_looks(truth, change.mirrored)
        wrong = [(cell, look, due[cell]) for cell, look in reading.looks.items() if look != due[cell]]
        if verbose:
            print(
                f"  {name}: {len(wrong)} wrong, {len(reading.occluded)} hidden, hand"
                f" {reading.hand}/{truth['hand']}, {took * 1000:.0f} ms",
                wrong,
            )
        if not truth["hand"] and name not in ("empty", "01"):
            score.count(reading, len(due), [cell for cell, _, _ in wrong])
    return score


def turned_over(cell: str, last: int) -> str:
    """A hex on a sheet that is seen upside down in a mirror; ``last`` is the number of its last row."""
    q, r = (int(part) for part in cell.split(","))
    return f"{q + r // 2 - (last - r) // 2},{last - r}"


def due_looks(truth: dict[str, Any], mirrored: bool) -> dict[str, tuple[str, ...]]:
    due: dict[str, tuple[str, ...]] = {f"p{number}": () for number in range(1, 25)}
    for point, (owner, sizes) in truth["top"].items():
        place = int(point) if not mirrored else 13 - int(point) if int(point) <= 12 else 37 - int(point)
        due[f"p{place}"] = tuple(f"{'white' if owner > 0 else 'black'}.{size}" for size in sorted(sizes))
    for side, sizes in zip(("white", "black"), truth["bar"], strict=True):
        due[f"bar.{side}"] = tuple(f"{side}.{size}" for size in sorted(sizes))
    return due


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    data_option(parser, "data")
    parser.add_argument("--only", choices=("icegammon", "siege-master"))
    parser.add_argument("--vary", type=int, default=0, metavar="N")
    parser.add_argument("--later", choices=INPLACE, default="as it is", metavar="NAME")
    options = parser.parse_args()
    for kind, reader in (("icegammon", pyramids), ("siege-master", hexes)):
        if options.only not in (None, kind):
            continue
        for folder in sorted((options.data / kind).iterdir()):
            for turn in range(options.vary + 1):
                try:
                    score = reader(folder, turn, ALTERED[options.later], turn == 0)
                except ValueError as error:
                    print(f"{kind}/{folder.name} variation {turn}: {error}")
                    continue
                print(f"{kind}/{folder.name} variation {turn}: {score}")


if __name__ == "__main__":
    main()
