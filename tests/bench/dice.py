"""Reads the dice of the shared pictures: renders of boards that no network has seen, and real photographs.

    python -m tests.bench.dice [--data DIR] [--noise PIXELS] [--seeds N] [--told]

A die is *right* where its value is said and true, *wrong* where it is said and false; it is *asked* about
where it is found and its value is not sure, *missed* where it is not found. *More* are dice that are said
where none lies, with a value. A throw (all dice of a picture) is right where every die is, and nothing
more is said. The doubling cube is *found* or *missed* where a label says that one lies, and *more* where none
does; photographs have no such labels. ``--noise`` moves the corners, as a person's clicks are; ``--told``
names every picture that is not right. Milliseconds are CPU time of one picture at rest, the best of five, of
1280 x 960 pixels: what ``DiceReader.look`` takes beside reading the checkers.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from tests.bench.arguments import data_option
from vision.dice import USUAL, DiceReader, Die, Lying
from vision.picture.frame import Frame, load

NEAR = 0.4
"""How far from its place a die may be found, in widths of a point; half its own edge, if that is more."""


@dataclass(frozen=True)
class Shot:
    """A picture, its corners (pixels of the file, as ``DiceReader.at_corners`` takes them), the surface's
    size in cm, and the dice that lie there: value, and where (None where nobody says); ``cube``: whether a
    doubling cube does (None where nobody says)."""

    path: Path
    corners: tuple[tuple[float, float], ...]
    size: tuple[float, float]
    dice: tuple[tuple[int, tuple[float, float] | None], ...]
    cube: bool | None = None


@dataclass
class Score:
    """What was counted of one set."""

    dice: Counter[str] = field(default_factory=Counter)
    throws: Counter[str] = field(default_factory=Counter)
    cubes: Counter[str] = field(default_factory=Counter)


def renders(data: Path) -> Iterator[Shot]:
    """The labelled boards that were path-traced."""
    for folder in sorted((data / "backgammon").iterdir()):
        for name, label in json.loads((folder / "labels.json").read_text("utf-8")).items():
            size = label["geometry_cm"]["width"], label["geometry_cm"]["height"]
            dice, cube = tuple((int(value), None) for value, _ in label["dice"]), bool(label["cube"])
            yield Shot(folder / f"{name}.jpg", tuple(map(tuple, label["corners_px"])), size, dice, cube)


def hard(data: Path) -> Iterator[Shot]:
    """Deep boards, rows of six, dice cups."""
    for name, label in json.loads((data / "hard" / "labels.json").read_text("utf-8")).items():
        size = label["geometry_cm"]["width"], label["geometry_cm"]["height"]
        dice = tuple((int(die["value"]), None) for die in label["dice"])
        yield Shot(data / "hard" / name, _turned(label["tl_tr_br_bl"]), size, dice)


def photographs(data: Path) -> Iterator[Shot]:
    """Real ones: for measuring only."""
    for name, label in json.loads((data / "photos" / "more.json").read_text("utf-8")).items():
        dice = tuple((int(die["value"]), tuple(die["at"])) for die in label["dice"] if die["clear"])
        yield Shot(data / "photos" / name, _turned(label["tl_tr_br_bl"]), USUAL, dice)


WEBCAM = {
    ((3, 542, 456), (2, 617, 507)): (2, 3),
    ((4, 552, 447), (3, 575, 482)): (5, 6, 7),
    ((1, 594, 488), (2, 535, 415)): (9, 10),
    ((1, 540, 494), (2, 625, 448)): (12, 13),
    ((3, 562, 477), (6, 732, 477)): (14, 15, 16),
    ((4, 501, 431), (1, 643, 462)): (18, 19, 20),
}
"""The dice of the webcam's pictures, by eye: value and place, and the pictures in which they lie."""


def webcam(data: Path) -> Iterator[Shot]:
    """A real game on a small printed board: its dice are large, and blurred."""
    lying = {number: dice for dice, numbers in WEBCAM.items() for number in numbers}
    labels = json.loads((data / "photos" / "labels.json").read_text("utf-8"))
    for number in range(1, 21):
        name = f"webcam-{number:02}.jpg"
        dice = tuple((value, (float(x), float(y))) for value, x, y in lying.get(number, ()))
        yield Shot(data / "photos" / name, _turned(labels[name]["tl_tr_br_bl"]), USUAL, dice)


SETS = {"renders": renders, "hard": hard, "photographs": photographs, "webcam": webcam}


def _turned(corners: list[list[float]]) -> tuple[tuple[float, float], ...]:
    top_left, top_right, bottom_right, bottom_left = ((float(x), float(y)) for x, y in corners)
    return bottom_left, bottom_right, top_right, top_left


def look(shot: Shot, frame: Frame, noise: float, rng: np.random.Generator) -> Lying:
    """What is read in a picture."""
    corners = np.array(shot.corners) + rng.normal(0, noise, (4, 2))
    places = [(float(x), float(y)) for x, y in corners * frame.scale]
    return DiceReader.at_corners(places, frame.image.shape[1::-1], shot.size).look(frame.image)


def count(shot: Shot, scale: float, found: tuple[Die, ...], score: Score) -> str:
    """Counts a picture; what is not right about it, in words."""
    left, missed = list(found), list[int]()
    wide = float(np.linalg.norm(np.subtract(*shot.corners[:2]))) * scale
    verdicts: list[str] = []
    for value, at in shot.dice:
        if at is None:
            here = [die for die in left if die.value == value]
        else:
            away = {die.at: float(np.hypot(*np.subtract(die.at, np.multiply(at, scale)))) for die in left}
            here = sorted(
                (die for die in left if away[die.at] < _near(die, wide, shot)), key=lambda die: away[die.at]
            )
        if here:
            left.remove(here[0])
            verdicts.append(
                "asked" if here[0].value is None else "right" if here[0].value == value else "wrong"
            )
        else:
            missed.append(value)
    said = [die for die in left if die.value is not None]
    for _ in missed:  # where nobody says where they lie: another value said is a wrong one
        wrong, asked = bool(said) and shot.dice[0][1] is None, len(left) > len(said)
        verdicts.append("wrong" if wrong else "asked" if asked else "missed")
        left.remove(said.pop() if wrong else next(die for die in left if die.value is None)) if (
            wrong or asked
        ) else None
    score.dice.update(verdicts)
    score.dice.update("more" for _ in said)
    good = all(verdict == "right" for verdict in verdicts) and not left
    if shot.dice or not good:
        score.throws["right" if good else "wrong" if "wrong" in verdicts or said else "asked"] += 1
    if good:
        return ""
    read = ", ".join(f"{die.value} ({die.confidence:.3f}, {die.lies}, {die.size:.1f} cm)" for die in found)
    return (
        f"{shot.path.parent.name}/{shot.path.name}: {[value for value, _ in shot.dice]}: {read or 'nothing'}"
    )


def _near(die: Die, wide: float, shot: Shot) -> float:
    """How far from a label a die may be found, in pixels, on a board so wide."""
    return max(NEAR * wide / 13.2, die.size / 2 * wide / shot.size[0])


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    data_option(parser)
    parser.add_argument("--noise", type=float, default=3.0, help="pixels that corners are off")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--told", action="store_true", help="name the pictures that are not right")
    parser.add_argument("--sets", nargs="*", choices=SETS, default=list(SETS))
    options = parser.parse_args()
    cv2.setNumThreads(1)
    for name, shots in ((name, shots) for name, shots in SETS.items() if name in options.sets):
        score, spent = Score(), list[float]()
        for shot in shots(options.data):
            frame = load(shot.path)
            for seed in range(options.seeds):
                found = look(shot, frame, options.noise, np.random.default_rng(seed))
                words = count(shot, frame.scale, found.dice, score)
                if shot.cube is not None and (shot.cube or found.cube):
                    score.cubes["more" if not shot.cube else "found" if found.cube else "missed"] += 1
                if words and options.told:
                    print(words)
            if frame.image.shape[:2] == (960, 1280) and len(spent) < 20:
                spent.append(_milliseconds(shot, frame))
        took = f"; {np.mean(spent):.1f} ms a picture" if spent else ""
        print(f"{name}: dice {dict(score.dice)}; throws {dict(score.throws)}; ", end="")
        print(f"cubes {dict(score.cubes)}{took}", flush=True)


def _milliseconds(shot: Shot, frame: Frame) -> float:
    reader = DiceReader.at_corners(shot.corners, frame.image.shape[1::-1], shot.size)
    reader.look(frame.image)
    best = 1e9
    for _ in range(5):
        begun = time.process_time()
        reader.look(frame.image)
        best = min(best, time.process_time() - begun)
    return 1000 * best


if __name__ == "__main__":
    main()
