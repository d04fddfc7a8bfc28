"""Reads every labelled set, with a calibrated rig and blind, and prints one table.

    python -m tests.bench.vision [--data DIR] [--sets backgammon webcam reel phone/blind webcam/blind …]
        [--noise PIXELS] [--seeds N] [--empty] [--change] [--no-geometry] [--lamp GAIN [RED BLUE]]
        [--later NAME ...] [--repeat N] [--out DIR]

Sets are found in ``$BARPOINT_DATA`` or ``../shared/data``; those that are absent are left out, but the reel
that the project carries stands in for its own. Each board is calibrated from its first picture, with corners
moved by ``--noise`` (one standard deviation; default 3 pixels). ``--change`` alters every picture's colours,
gamma, noise and sharpness, the same for a board but for its lamp. ``--no-geometry`` withholds the board's
measures. ``--lamp`` brightens every picture but the first by a factor (and its red and blue by two more), and
clips what is then too bright, as a camera does. ``--later`` alters every picture but the first (one of
`tests/bench/altered.py` that leaves everything in its place, or ``all`` of them, a row each). Sets named
``.../blind`` are read from their corners alone (``tests.bench.blind``). ``--out`` gets a contact sheet of
every mistake, ``mistakes.png``, and ``calibration.png``, how often each confidence was right.

Boards are counted right when every cell is: points, bar and (where a tray is in view) borne-off checkers;
pictures with hands are counted apart, by the cells that are not under the hand. Milliseconds are CPU time (of
all threads) for reading a picture, from the bytes of a JPEG on, the best of ``--repeat`` times; for the
second size pictures are enlarged.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from engine.layout import Looks
from tests.bench.altered import ALTERED, INPLACE
from tests.bench.arguments import data_option
from tests.bench.blind import cases
from tests.bench.blind import draw as draw_blind
from tests.bench.scores import calibration_error, share_right, wrong_and_sure
from tests.bench.sets import Shot, Table, looks_of, reel, renders, webcam
from vision.blind.reader import read_blind
from vision.checkers.calibration.calibrate import calibrate
from vision.checkers.reader import CheckersReader
from vision.errors import CalibrationError
from vision.geometry.board_measures import Geometry
from vision.picture.frame import Frame, Image, decode, load
from vision.reading import Reading

SETS = ("backgammon", "webcam", "reel")
BLIND = ("phone", "webcam", "backgammon", "reel")
QUALITY = 92
"""Of the JPEGs that are timed."""
TIMED = 60
"""Pictures of a set that blind reading is timed on."""
SIZES = ((1280, 960), (1456, 1088))
Change = Callable[[Image, bool], Image]


@dataclass
class Score:
    """What is counted over a set; ``later``: how its pictures but the first are altered."""

    later: str = ""
    points: list[tuple[float, bool]] = field(default_factory=list)
    boards: list[bool] = field(default_factory=list)
    colours: int = 0
    bars: list[bool] = field(default_factory=list)
    offs: list[bool] = field(default_factory=list)
    hands: list[bool] = field(default_factory=list)
    ghosts: int = 0
    refused: int = 0
    seconds: dict[tuple[int, int], list[float]] = field(default_factory=lambda: {size: [] for size in SIZES})

    def row(self, name: str) -> str:
        """The set's line of the table."""
        if not self.points:
            return f"{name:24} nothing read, {self.refused} calibrations refused"
        times = "  ".join(
            (
                f"{1e3 * np.median(self.seconds[size]):4.0f}"
                f" /{1e3 * np.percentile(self.seconds[size], 95):4.0f}"
                if self.seconds[size]
                else "   -"
            )
            for size in SIZES
        )
        return (
            f"{name:24} {share_right(self.points):6.2f}% {sum(self.boards):5d}/{len(self.boards):<5d}"
            f" {self.colours:5d} {_share(self.bars):>9} {_share(self.offs):>9} {_share(self.hands):>9}"
            f" {self.ghosts:5d} {calibration_error(self.points):7.4f} {wrong_and_sure(self.points):6d}"
            f" {self.refused:6d}   {times}"
        )


HEAD = (
    f"{'set':24} {'points':>7} {'boards':>11} {'colour':>5} {'bar':>9} {'off':>9} {'hands':>9} {'ghost':>5}"
    f" {'ECE':>7} {'wrong*':>6} {'refused':>6}  ms (median/p95) at 1280x960, 1456x1088"
)


def _share(hits: list[bool]) -> str:
    return f"{sum(hits)}/{len(hits)}" if hits else "-"


def changed(rng: np.random.Generator) -> Change:
    """A change of colours that a board keeps, and of lamp, noise and sharpness that differ from picture to
    picture."""
    order, gamma = rng.permutation(3), float(np.exp(rng.normal(0, 0.2)))
    grey, contrast = float(rng.uniform(60, 140)), float(rng.uniform(0.7, 1.0))

    def change(image: Image, own: bool) -> Image:
        values = 255 * (image[..., order].astype(np.float32) / 255) ** gamma
        values = grey + (values - grey) * contrast
        if own:
            values = values * np.exp(rng.normal(0, 0.08) + rng.normal(0, 0.03, 3)).astype(np.float32)
        values += rng.normal(0, rng.uniform(0, 4), values.shape).astype(np.float32)
        blurred = cv2.GaussianBlur(
            np.clip(values, 0, 255).astype(np.uint8), (0, 0), float(rng.uniform(0.3, 1.2))
        )
        return np.asarray(blurred, np.uint8)

    return change


def measure(
    table: Table, options: argparse.Namespace, seed: int, score: Score, mistakes: list[Image]
) -> None:
    """Calibrate from the first picture, read them all."""
    rng = np.random.default_rng([seed, *table.name.encode()])
    change: Change = changed(rng) if options.change else (lambda image, own: image)
    corners = [(float(x), float(y)) for x, y in table.corners + rng.normal(0, options.noise, (4, 2))]
    empty = change(load(table.empty).image, False) if options.empty and table.empty else None
    geometry = Geometry(tray=table.geometry.tray) if options.no_geometry else table.geometry
    known = None if table.start else table.shots[0].looks
    try:
        rig = calibrate(change(load(table.shots[0].path).image, False), corners, geometry, known, empty)
    except CalibrationError as error:
        print(f"  {table.name} (seed {seed}): refused: {error}")
        score.refused += 1
        return
    reader = CheckersReader(rig)
    lamp = lit(*options.lamp) if options.lamp else None
    later = ALTERED.get(score.later)
    for shot in table.shots[1:]:
        image = change(load(shot.path).image, True)
        if lamp is not None:
            image = lamp(image)
        if later is not None:
            image = later(image, table.corners)[0]
        reading = reader.read(Frame(image))
        if image.shape[1] == SIZES[0][0]:
            score.seconds[SIZES[0]].append(_seconds(image, reader.read, options.repeat))
        wrong = count(shot, reading, score)
        if wrong and options.out:
            mistakes.append(
                _label(
                    CheckersReader(rig).draw(image, reading),
                    f"{table.name} {shot.path.name}: {', '.join(wrong)}",
                )
            )
    if table.name != "webcam":
        _time_large(table, geometry, known, score, options.repeat)


def _seconds(image: Image, read: Callable[[Frame], object], repeat: int) -> float:
    """The least CPU time that decoding and reading a picture takes."""
    data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1].tobytes()
    times = []
    for _ in range(repeat):
        clock = time.process_time()
        read(decode(data))
        times.append(time.process_time() - clock)
    return min(times)


def lit(gain: float, red: float = 1.0, blue: float = 1.0) -> Callable[[Image], Image]:
    """A brighter or dimmer lamp of another tint, and a sensor that clips."""
    gains = np.array([blue, 1.0, red]) * gain
    tables = [np.clip((np.arange(256) / 255) ** 2.2 * one, 0, 1) ** (1 / 2.2) * 255 for one in gains]

    def change(image: Image) -> Image:
        return np.asarray(
            cv2.merge([cv2.LUT(image[..., k], (tables[k] + 0.5).astype(np.uint8)) for k in range(3)]),
            np.uint8,
        )

    return change


def count(shot: Shot, reading: Reading, score: Score) -> list[str]:
    """Compare a reading with its label; the cells that are wrong."""
    wrong = []
    for cell, look in shot.looks.items():
        if cell in reading.occluded:
            continue
        seen = reading.looks.get(cell)
        if seen != look:
            wrong.append(cell)
        if cell.startswith("p"):
            score.points.append((reading.confidence.get(cell, 0.0), seen == look))
            score.colours += bool(seen and look and seen[0] != look[0])
        elif not shot.hand:
            (score.bars if cell.startswith("bar") else score.offs).append(seen == look)
    if shot.hand:
        score.hands.append(reading.hand or bool(reading.lying))
    else:
        score.ghosts += reading.hand or bool(reading.lying)
        score.boards.append(not wrong)
    return wrong


def _time_large(table: Table, geometry: Geometry, known: Looks | None, score: Score, repeat: int) -> None:
    """The same board at the Pi camera's size."""
    image = load(table.shots[0].path).image
    factor = np.array(SIZES[1]) / (image.shape[1], image.shape[0])
    if abs(factor[0] - factor[1]) > 0.01:
        return
    large = _enlarged(image, SIZES[1])
    try:
        reader = CheckersReader(
            calibrate(large, [(float(x), float(y)) for x, y in table.corners * factor], geometry, known)
        )
    except CalibrationError:
        return
    for shot in table.shots[1:9]:
        large = _enlarged(load(shot.path).image, SIZES[1])
        score.seconds[SIZES[1]].append(_seconds(large, reader.read, repeat))


def _enlarged(image: Image, size: tuple[int, int]) -> Image:
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_CUBIC), np.uint8)


def blind(root: Path, name: str, options: argparse.Namespace, score: Score, mistakes: list[Image]) -> None:
    """Read a set from its corners alone. Milliseconds are those of the picture at each size's width."""
    rng = np.random.default_rng(1)
    for case in cases(root, name):
        image = load(case.path).image
        for turn in range(options.seeds):
            moved = np.array(case.corners) + rng.normal(0, options.noise, (4, 2))
            corners = [(float(x), float(y)) for x, y in moved]
            reading = read_blind(image, corners)
            looks = looks_of({"points": case.points, "bar": case.bar}, False)
            wrong = count(Shot(case.path, looks, case.hand), reading, score)
            if wrong and options.out:
                mistakes.append(
                    _label(draw_blind(image, reading), f"{case.name} (blind): {', '.join(wrong)}")
                )
            for size in SIZES if not turn and len(score.seconds[SIZES[1]]) < TIMED else ():
                factor = size[0] / image.shape[1]
                small = _enlarged(image, (size[0], round(image.shape[0] * factor)))
                near = [(x * factor, y * factor) for x, y in corners]
                score.seconds[size].append(
                    _seconds(small, lambda frame, near=near: read_blind(frame.image, near), options.repeat)
                )


def _label(image: Image, text: str) -> Image:
    small = np.asarray(
        cv2.resize(image, (640, 640 * image.shape[0] // image.shape[1]), interpolation=cv2.INTER_AREA),
        np.uint8,
    )
    cv2.putText(small, text[:90], (6, 16), cv2.FONT_HERSHEY_SIMPLEX, 0.42, (0, 0, 0), 3, cv2.LINE_AA)
    cv2.putText(small, text[:90], (6, 16), cv2.FONT_HERSHEY_SIMPLEX, 0.42, (255, 255, 255), 1, cv2.LINE_AA)
    return small


def sheet(pictures: list[Image], path: Path) -> None:
    """All pictures on one, two in a row."""
    height = max(picture.shape[0] for picture in pictures)
    padded = [cv2.copyMakeBorder(p, 0, height - p.shape[0], 0, 0, cv2.BORDER_CONSTANT) for p in pictures]
    padded += [np.zeros_like(padded[0])] * (len(padded) % 2)
    cv2.imwrite(str(path), np.vstack([np.hstack(padded[i : i + 2]) for i in range(0, len(padded), 2)]))


def curve(points: list[tuple[float, bool]], path: Path) -> None:
    """How often each confidence was right: bars should reach the diagonal."""
    canvas = np.full((440, 440, 3), 255, np.uint8)
    cv2.line(canvas, (20, 420), (420, 20), (180, 180, 180), 1, cv2.LINE_AA)
    for low in range(10):
        hits = [
            hit for chance, hit in points if low / 10 <= chance < low / 10 + 0.1 or (low == 9 and chance >= 1)
        ]
        if hits:
            cv2.rectangle(
                canvas,
                (22 + 40 * low, 420),
                (58 + 40 * low, 420 - round(400 * sum(hits) / len(hits))),
                (200, 140, 60),
                -1,
            )
            cv2.putText(
                canvas,
                str(len(hits)),
                (22 + 40 * low, 434),
                cv2.FONT_HERSHEY_SIMPLEX,
                0.35,
                (0, 0, 0),
                1,
                cv2.LINE_AA,
            )
    cv2.imwrite(str(path), canvas)


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    data_option(parser)
    parser.add_argument("--sets", nargs="+", default=[*SETS, *(f"{name}/blind" for name in BLIND)])
    parser.add_argument("--lamp", nargs="+", type=float, metavar="GAIN")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--noise", type=float, default=3.0)
    parser.add_argument("--seeds", type=int, default=1)
    for flag in ("--empty", "--change", "--no-geometry"):
        parser.add_argument(flag, action="store_true")
    parser.add_argument("--later", nargs="+", default=[""], choices=["all", *INPLACE], metavar="NAME")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    everything, mistakes = Score(), list[Image]()
    print(HEAD)
    for name in options.sets:
        score = Score()
        folder = {"phone": "photos", "webcam": "photos"}.get(name.split("/")[0], name.split("/")[0])
        if not (options.data / folder).exists() and name != "reel":
            print(f"{name:24} no {options.data / folder}")
            continue
        if name.endswith("/blind"):
            blind(options.data, name.removesuffix("/blind"), options, score, mistakes)
            everything.points += score.points
            print(score.row(name), flush=True)
            continue
        tables = list({"backgammon": renders, "webcam": webcam, "reel": reel}[name](options.data))
        for later in INPLACE if "all" in options.later else options.later:
            score = Score(later)
            for table in tables:
                for seed in range(options.seeds):
                    measure(table, options, seed, score, mistakes)
            everything.points += score.points
            print(score.row(f"{name}, {later}" if later else name), flush=True)
    print("* points read wrong with a confidence of 0.9 or more; a ghost is a hand where there is none")
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        if mistakes:
            sheet(mistakes, options.out / "mistakes.png")
        curve(everything.points, options.out / "calibration.png")


if __name__ == "__main__":
    main()
