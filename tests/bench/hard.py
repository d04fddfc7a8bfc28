"""Reads tables that are hard to read, calibrated and blind, and prints one table of what was right.

    python -m tests.bench.hard [--data DIR] [--sets tables reels photos drawn] [--ways calibrated blind found]
                               [--noise PX] [--told] [--sheet FILE.png]

``tables`` and ``reels`` are path-traced (``DATA/hard``): a deep board under one lamp at the side, rows of six
checkers and more laid flat, dice cups; each is calibrated from its first picture. ``photos`` (``DATA/photos/
more.json``) are real ones, single, and not calibrated. ``drawn`` (``DATA/backgammon``) are what
``training.rendered.relief FOLDER --deep`` draws. The way ``found`` is each picture by itself, without
corners, as in a film that begins in mid-game (``vision.unknown_board``: some 15 s each). ``--noise`` moves
every corner (one standard deviation). Points are counted by their place in the picture; those that the
label calls unknown are not. In pictures without a hand every point that is left unsaid is *withheld*; with
one, it is *covered*. ``--told`` prints every mistake, ``--sheet`` draws the pictures that have one.
"""

from __future__ import annotations

import argparse
import json
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from tests.bench.arguments import data_option
from tests.bench.blind import draw as draw_blind
from tests.bench.blind import signed
from tests.bench.scores import SURE
from vision.blind.reader import opinion, read_blind
from vision.checkers.calibration.calibrate import calibrate
from vision.checkers.reader import CheckersReader
from vision.errors import CalibrationError, ImageError, VisionError
from vision.geometry.board_measures import Geometry, Orientation, start
from vision.geometry.camera import Corner
from vision.picture.frame import Frame, Image, load
from vision.reading import BoardReader, Reading
from vision.unknown_board import find_as_it_stands, learn_as_it_stands, lies

SETS = ("tables", "reels", "photos", "drawn")
USUAL = Orientation()


@dataclass(frozen=True)
class Picture:
    """One labelled picture: signed counts by the number that a point's place has on a board that lies the
    usual way; ``unknown``: places whose truth it does not tell."""

    path: Path
    points: dict[int, int]
    hand: bool
    unknown: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Table:
    """Pictures of one table with its ``corners`` (bottom-left, bottom-right, top-right, top-left)."""

    name: str
    corners: list[Corner]
    geometry: Geometry
    pictures: list[Picture]


@dataclass
class Score:
    """What is counted over some pictures."""

    pictures: int = 0
    right: int = 0
    wrong: int = 0
    sure: int = 0
    withheld: int = 0
    covered: int = 0
    ghosts: int = 0
    refused: int = 0
    crashes: int = 0
    exact: int = 0
    mistakes: list[str] = field(default_factory=list)

    def row(self, name: str) -> str:
        """The table's line."""
        seen = self.right + self.wrong + self.withheld
        return (
            f"{name:34} {self.pictures:4d} {self.right:6d}/{seen:<6d} {self.wrong:5d} {self.sure:5d}"
            f" {self.withheld:8d} {self.covered:7d} {self.ghosts:6d} {self.exact:5d} {self.refused:7d}"
            f" {self.crashes:7d}"
        )


HEAD = (
    f"{'set':34} {'pics':>4} {'right/in view':>13} {'wrong':>5} {'sure':>5} {'withheld':>8} {'covered':>7}"
    f" {'ghosts':>6} {'exact':>5} {'refused':>7} {'crashes':>7}"
)


def tables(data: Path) -> Iterator[Table]:
    """The single pictures of ``hard``."""
    labels = json.loads((data / "hard/labels.json").read_text())
    for name in dict.fromkeys(label["table"] for label in labels.values()):
        own = {file: label for file, label in labels.items() if label["table"] == name}
        first = next(iter(own.values()))
        pictures = [_photo(data / "hard" / file, label) for file, label in own.items()]
        yield Table(name, _corners(first), Geometry.from_json(first["geometry_cm"]), pictures)


def reels(data: Path) -> Iterator[Table]:
    """The recorded games of ``hard``."""
    for folder in sorted((data / "hard").glob("reel-*")):
        reel, truth = (json.loads((folder / name).read_text()) for name in ("reel.json", "truth.json"))
        pictures = [
            Picture(folder / name, {n: label["points"].get(str(n), 0) for n in range(1, 25)}, label["hand"])
            for name, label in sorted(truth["frames"].items())
        ]
        corners = [(float(x), float(y)) for x, y in reel["corners_px"]]
        yield Table(folder.name, corners, Geometry.from_json(reel["geometry_cm"]), pictures)


def photos(data: Path) -> Iterator[Table]:
    """The single photographs of ``photos/more.json``."""
    for file, label in json.loads((data / "photos/more.json").read_text()).items():
        corners = _corners(label)
        if max(x for x, _ in corners) > 1.2 * load(data / "photos" / file).image.shape[1]:
            corners = [(x / 2, y / 2) for x, y in corners]  # labelled at twice its size
        yield Table(file, corners, Geometry(), [_photo(data / "photos" / file, label)])


def drawn(data: Path) -> Iterator[Table]:
    """Tables that ``training.rendered`` made (``DATA/backgammon``)."""
    for folder in sorted((data / "backgammon").iterdir()):
        labels = json.loads((folder / "labels.json").read_text())
        first = labels["start"]
        pictures = [
            Picture(
                folder / f"{name}.jpg",
                {n: label["points"].get(str(n), 0) for n in range(1, 25)},
                label["hand"],
                frozenset(label.get("unknown", ())),
            )
            for name, label in labels.items()
        ]
        corners = [(float(x), float(y)) for x, y in first["corners_px"]]
        yield Table(folder.name, corners, Geometry.from_json(first["geometry_cm"]), pictures)


def _corners(label: dict[str, Any]) -> list[Corner]:
    top_left, top_right, bottom_right, bottom_left = ((float(x), float(y)) for x, y in label["tl_tr_br_bl"])
    return [bottom_left, bottom_right, top_right, top_left]


def _photo(path: Path, label: dict[str, Any]) -> Picture:
    points = {13 + i: count for i, count in enumerate(label["top"])}
    points |= {12 - i: count for i, count in enumerate(label["bottom"])}
    unknown = frozenset(int(cell[1:]) for cell in label["unknown"] if cell[1:].isdigit())
    return Picture(path, points, "hand" in path.name, unknown)


def count(picture: Picture, reading: Reading, score: Score, orientation: Orientation = USUAL) -> list[str]:
    """Compare a reading with its label; the mistakes in words."""
    wrong, unsaid = [], 0
    for number in range(1, 25):
        place, cell = orientation.place(number), f"p{number}"
        if place in picture.unknown:
            continue
        look = reading.looks.get(cell)
        if look is None:
            unsaid += 1
        elif signed(look) == picture.points[place]:
            score.right += 1
        else:
            chance = reading.confidence[cell]
            score.sure += chance >= SURE
            wrong.append(f"{cell} {picture.points[place]:+d} read {signed(look):+d} ({chance:.2f})")
    score.pictures += 1
    score.wrong += len(wrong)
    score.exact += not wrong and not unsaid
    score.ghosts += reading.hand and not picture.hand
    if picture.hand:
        score.covered += unsaid
    else:
        score.withheld += unsaid
    return wrong


def _read_all(
    table: Table,
    pictures: list[Picture],
    read: Callable[[Image], Reading],
    draw: Callable[[Image, Reading], Image],
    score: Score,
    sheet: list[Image],
    orientation: Orientation = USUAL,
) -> None:
    for picture in pictures:
        image = load(picture.path).image
        try:
            reading = read(image)
        except ImageError as error:
            score.refused += 1
            score.mistakes.append(f"{table.name}/{picture.path.name}: refused: {error}")
            continue
        except Exception:  # what a bench counts
            score.crashes += 1
            score.mistakes.append(f"{table.name}/{picture.path.name}: {traceback.format_exc(limit=-1)}")
            continue
        wrong = count(picture, reading, score, orientation)
        unsaid = sorted(int(cell[1:]) for cell in reading.occluded if cell[1:].isdigit())
        if wrong or (unsaid and not picture.hand):
            told = f"{table.name}/{picture.path.name}: {'; '.join(wrong)} withheld {unsaid}"
            score.mistakes.append(told)
            canvas = draw(image, reading)
            wide = 960
            small = cv2.resize(canvas, (wide, wide * canvas.shape[0] // canvas.shape[1]))
            cv2.putText(small, told[:110], (6, 18), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (0, 0, 255), 1)
            sheet.append(np.asarray(small, np.uint8))


def _by(table: BoardReader, image: Image) -> Reading:
    return table.read(Frame(image))


def read_calibrated(table: Table, corners: list[Corner], score: Score, sheet: list[Image]) -> None:
    """Learn the table from its first picture, read the others."""
    image = load(table.pictures[0].path).image
    try:
        rig = calibrate(image, corners, table.geometry)
    except CalibrationError as error:
        score.refused += len(table.pictures) - 1
        score.mistakes.append(f"{table.name}: refused: {error}")
        return
    reader = CheckersReader(rig, opinion).examined(image, start())
    if rig.quality.words():
        score.mistakes.append(f"{table.name}: learned, but {'; '.join(rig.quality.words())}")
    _read_all(
        table,
        table.pictures[1:],
        partial(_by, reader),
        reader.draw,
        score,
        sheet,
        rig.orientation,
    )


def _blindly(table: Table, corners: list[Corner], score: Score, sheet: list[Image]) -> None:
    _read_all(
        table,
        table.pictures,
        lambda image: read_blind(image, corners),
        draw_blind,
        score,
        sheet,
    )


def _found(table: Table, _: list[Corner], score: Score, sheet: list[Image]) -> None:
    """Find, learn and read every picture by itself, as a film that begins in mid-game."""
    for picture in table.pictures:
        try:
            found = learn_as_it_stands(load(picture.path), None, {}).table
        except VisionError as error:
            score.refused += 1
            score.mistakes.append(f"{table.name}/{picture.path.name}: refused: {error}")
            continue
        lying = _as_it_lies(picture, table.corners, found.placement()[0])
        _read_all(table, [lying], partial(_by, found), found.draw, score, sheet, lies(found))


def _alone(table: Table, _: list[Corner], score: Score, sheet: list[Image]) -> None:
    """Find and read every picture by itself, as ``barpoint read`` without corners."""
    for picture in table.pictures:
        try:
            frame = load(picture.path)
            corners = [(x * frame.scale, y * frame.scale) for x, y in find_as_it_stands(frame, {}).corners]
        except VisionError as error:
            score.refused += 1
            score.mistakes.append(f"{table.name}/{picture.path.name}: refused: {error}")
            continue
        _blindly(
            replace(table, pictures=[_as_it_lies(picture, table.corners, corners)]), corners, score, sheet
        )


def _as_it_lies(picture: Picture, corners: list[Corner], found: Sequence[Corner]) -> Picture:
    """The label of a board that is found the other way round: its places are half the board on."""
    if np.linalg.norm(np.subtract(found[0], corners[0])) < np.linalg.norm(np.subtract(found[0], corners[2])):
        return picture
    turned = Orientation(turned=True).place
    return replace(
        picture,
        points={turned(place): pieces for place, pieces in picture.points.items()},
        unknown=frozenset(map(turned, picture.unknown)),
    )


WAYS = {"calibrated": read_calibrated, "blind": _blindly, "found": _found, "alone": _alone}


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    data_option(parser)
    parser.add_argument("--sets", nargs="+", default=SETS[:3], choices=SETS)
    parser.add_argument("--ways", nargs="+", default=list(WAYS)[:2], choices=WAYS)
    parser.add_argument("--noise", type=float, default=0.0)
    parser.add_argument("--told", action="store_true")
    parser.add_argument("--sheet", type=Path)
    given = parser.parse_args()
    cv2.setNumThreads(1)
    sheet: list[Image] = []
    print(HEAD)
    for name in given.sets:
        for table in {"tables": tables, "reels": reels, "photos": photos, "drawn": drawn}[name](given.data):
            moved = np.random.default_rng(1).normal(0, given.noise, (4, 2)) + table.corners
            corners = [(float(x), float(y)) for x, y in moved]
            for way in given.ways:
                if way == "calibrated" and len(table.pictures) == 1:
                    continue
                score = Score()
                WAYS[way](table, corners, score, sheet)
                print(score.row(f"{table.name} {way}"), flush=True)
                for line in score.mistakes if given.told else ():
                    print(f"    {line}", flush=True)
    if given.sheet and sheet:
        height = max(picture.shape[0] for picture in sheet)
        cv2.imwrite(
            str(given.sheet),
            cv2.vconcat([cv2.copyMakeBorder(p, 0, height - p.shape[0], 0, 0, 0) for p in sheet]),
        )


if __name__ == "__main__":
    main()
