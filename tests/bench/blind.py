"""Reads every labelled set blind, from corners alone, and prints one table.

    python -m tests.bench.blind [--data DIR] [--sets phone webcam] [--noise PIXELS] [--seeds N]
                                [--alter NAME ...] [--sheet FILE.png] [--geometry]

Sets are found in ``$BARPOINT_DATA`` or ``../shared/data``. ``--noise``: each corner moved by up to so many
pixels, either way, as a person's clicks are. ``--alter``: pictures as other cameras, lamps and poses would
show them (`tests/bench/altered.py`; ``all`` for all of them). ``--geometry``: the board's measures are given
too, where the labels have them. ``--sheet`` draws every picture that was misread."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from tests.bench.altered import ALTERED, Alter
from tests.bench.arguments import data_option
from tests.bench.scores import SURE, calibration_error, share_right, wrong_and_sure
from vision.blind.reader import read_blind
from vision.errors import ImageError
from vision.geometry.board_measures import Geometry
from vision.picture.frame import Image, load
from vision.reading import Reading

SETS = ("phone", "webcam", "backgammon", "reel")
RENAMED = {"mirrored", "turned 180", "other hues", "negative"}
"""Alterations after which the labels' points or sides have other names."""


def draw(image: Image, reading: Reading) -> Image:
    """A copy of the picture with every checker that was read: ringed in its side's shade, amber where the
    cell is unsure."""
    canvas = image.copy()
    for cell, marks in reading.marks.items():
        ring = (80, 200, 60) if reading.confidence.get(cell, 0.0) >= 0.9 else (0, 170, 255)
        for piece, x, y, radius in marks:
            middle = (round(x), round(y))
            shade = (255, 255, 255) if piece == "white" else (30, 30, 30)
            cv2.circle(canvas, middle, round(radius), shade, 4, cv2.LINE_AA)
            cv2.circle(canvas, middle, round(radius), ring, 2, cv2.LINE_AA)
    return canvas


@dataclass(frozen=True)
class Case:
    """One labelled picture: ``points`` signed counts by number, ``bar`` (white, black), ``corners``
    bottom-left, bottom-right, top-right, top-left."""

    name: str
    path: Path
    corners: list[tuple[float, float]]
    points: dict[int, int]
    bar: tuple[int, int]
    hand: bool
    geometry: Geometry | None


@dataclass
class Score:
    """What is counted over a set."""

    points: list[tuple[float, bool]] = field(default_factory=list)
    boards: list[bool] = field(default_factory=list)
    bars: list[bool] = field(default_factory=list)
    colours: int = 0
    hands: list[bool] = field(default_factory=list)
    false_hands: int = 0
    refused: int = 0
    seconds: list[float] = field(default_factory=list)

    def row(self) -> list[str]:
        """The set's line of the table."""
        if not self.points:
            return [*["-"] * (len(HEAD) - 2), str(self.refused), "-"]
        return [
            f"{share_right(self.points):.2f}%",
            f"{sum(self.boards)}/{len(self.boards)}",
            str(self.colours),
            f"{sum(self.bars)}/{len(self.bars)}",
            f"{sum(self.hands)}/{len(self.hands)}+{self.false_hands}",
            str(wrong_and_sure(self.points)),
            f"{calibration_error(self.points):.3f}",
            str(self.refused),
            f"{1e3 * np.median(self.seconds):.0f} / {1e3 * np.percentile(self.seconds, 95):.0f}",
        ]


HEAD = [
    "points",
    "boards",
    "colour errors",
    "bar",
    "hands+false",
    f"wrong, sure >= {SURE}",
    "calib. error",
    "refused",
    "ms median / p95",
]


def cases(data: Path, name: str) -> Iterator[Case]:
    """The pictures of a set. Borne-off checkers are not looked at: a blind reader says nothing about them."""
    if name in ("phone", "webcam"):
        for file, label in json.loads((data / "photos/labels.json").read_text()).items():
            if file.startswith(name):
                top_left, top_right, bottom_right, bottom_left = (
                    tuple(corner) for corner in label["tl_tr_br_bl"]
                )
                points = {13 + i: count for i, count in enumerate(label["top"])} | {
                    12 - i: count for i, count in enumerate(label["bottom"])
                }
                corners = [bottom_left, bottom_right, top_right, top_left]
                yield Case(file, data / "photos" / file, corners, points, tuple(label["bar"]), False, None)
    elif name == "reel":
        reel, truth = (json.loads((data / "reel" / file).read_text()) for file in ("reel.json", "truth.json"))
        for file, label in truth["frames"].items():
            yield _render(
                f"reel/{file}", data / "reel" / file, reel["corners_px"], label, reel["geometry_cm"]
            )
    else:
        for labels in sorted((data / name).glob("*/labels.json")):
            for file, label in json.loads(labels.read_text()).items():
                if file != "empty":
                    path = labels.parent / f"{file}.jpg"
                    yield _render(
                        f"{labels.parent.name}/{file}", path, label["corners_px"], label, label["geometry_cm"]
                    )


def _render(name: str, path: Path, corners: list[list[float]], label: dict, geometry: dict) -> Case:
    points = {number: label["points"].get(str(number), 0) for number in range(1, 25)}
    places = [(x, y) for x, y in corners]
    return Case(name, path, places, points, tuple(label["bar"]), label["hand"], Geometry.from_json(geometry))


def mistakes(case: Case, reading: Reading) -> list[str]:
    """Every cell that was misread, in words; a cell said to be under a hand is none."""
    found = []
    for number, count in case.points.items():
        look = reading.looks.get(f"p{number}")
        if look is not None and signed(look) != count:
            found.append(
                f"p{number} {count:+d} read {signed(look):+d} ({reading.confidence[f'p{number}']:.2f})"
            )
    for side, count in zip(("white", "black"), case.bar, strict=True):
        look = reading.looks.get(f"bar.{side}")
        if look is not None and len(look) != count:
            found.append(f"bar.{side} {count} read {len(look)} ({reading.confidence[f'bar.{side}']:.2f})")
    return found


def signed(look: tuple[str, ...]) -> int:
    """A look of a point as a signed count."""
    return len(look) if look and look[0] == "white" else -len(look)


def measure(
    case: Case, image: Image, corners: list[tuple[float, float]], geometry: Geometry | None, score: Score
) -> tuple[Reading, list[str]]:
    """Read one picture and count it."""
    began = time.perf_counter()
    reading = read_blind(image, corners, geometry)
    score.seconds.append(time.perf_counter() - began)
    if case.hand:
        score.hands.append(reading.hand or bool(reading.lying))
        return reading, []
    score.false_hands += reading.hand or bool(reading.lying)
    wrong = mistakes(case, reading)
    score.boards.append(not wrong and not reading.occluded)
    score.bars.append(not any(line.startswith("bar") for line in wrong))
    for number, count in case.points.items():
        look = reading.looks.get(f"p{number}")
        score.points.append(
            (reading.confidence.get(f"p{number}", 0.0), look is not None and signed(look) == count)
        )
        score.colours += look is not None and signed(look) * count < 0
    return reading, wrong


def survey(given: argparse.Namespace, name: str, alter: Alter, sheet: list[Image]) -> Score:
    """Read one set, altered, and tell what was misread; drawn onto ``sheet``, too."""
    score, rng = Score(), np.random.default_rng(1)
    for case in cases(given.data, name):
        image, places = alter(load(case.path).image, np.array(case.corners, np.float64))
        for _ in range(given.seeds):
            corners = [
                (float(x), float(y)) for x, y in places + rng.uniform(-given.noise, given.noise, (4, 2))
            ]
            try:
                reading, wrong = measure(
                    case, image, corners, case.geometry if given.geometry else None, score
                )
            except ImageError as error:
                score.refused += 1
                print(f"  {case.name}: {error}")
                continue
            if wrong:
                print(f"  {case.name}: {'; '.join(wrong)}")
                sheet.append(cv2.resize(draw(image, reading), (960, 960 * image.shape[0] // image.shape[1])))
    return score


def main() -> None:
    """Read the command line, print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    data_option(parser)
    parser.add_argument("--sets", nargs="+", default=SETS, choices=SETS)
    parser.add_argument("--noise", type=float, default=0.0)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument(
        "--alter",
        nargs="+",
        default=["as it is"],
        choices=["all", *(name for name in ALTERED if name not in RENAMED)],
        metavar="NAME",
    )
    parser.add_argument("--geometry", action="store_true")
    parser.add_argument("--sheet", type=Path)
    given = parser.parse_args()
    cv2.setNumThreads(1)
    rows: list[list[str]] = []
    sheet: list[Image] = []
    for alteration in (
        (name for name in ALTERED if name not in RENAMED) if "all" in given.alter else given.alter
    ):
        for name in given.sets:
            told = name if alteration == "as it is" else f"{name}, {alteration}"
            rows.append([told, *survey(given, name, ALTERED[alteration], sheet).row()])
    widths = [max(len(row[i]) for row in [["set", *HEAD], *rows]) for i in range(len(HEAD) + 1)]
    for row in [["set", *HEAD], *rows]:
        print(" | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)))
    if given.sheet and sheet:
        cv2.imwrite(str(given.sheet), cv2.vconcat(sheet))


if __name__ == "__main__":
    main()
