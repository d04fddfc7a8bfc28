"""Reads throws of one kind each, drawn onto tables that no network was trained on.

    python -m training.dice.tables TABLES --first 0 --boards 96
    python -m tests.bench.dice_kinds TABLES [--throws N] [--noise PIXELS] [--kinds NAME ...] [--jpeg Q]

Of the tables only those are taken that training holds out (their numbers divided by 8 leave 7). Counted as
``tests.bench.dice`` counts; a die that is hidden for the most part is nothing that should be read. ``--told``
names every throw that is not right.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from tests.bench.altered import jpeg
from tests.bench.dice import Score, Shot, count
from training.dice.strew import Photograph, Throw, photograph
from training.dice.tables import Table, kept
from vision.dice import DiceReader, Die

FIELD, CHECKER, RIM, TRAY = (1.0, 0, 0, 0, 0), (0, 1.0, 0, 0, 0), (0, 0, 1.0, 0, 0), (0, 0, 0, 0, 1.0)
USUAL = Throw(many=2, sets=1, beside=0.0, places=FIELD, cubes=0.0, pixels=(90.0, 99.0))
KINDS = {
    "usual": USUAL,
    "20 pixels": replace(USUAL, pixels=(19.0, 21.0)),
    "11-14 pixels": replace(USUAL, pixels=(11.0, 14.0)),
    "transparent": replace(USUAL, clear=True),
    "four dice": replace(USUAL, many=4, sets=2),
    "touching": replace(USUAL, beside=1.0),
    "on checkers": replace(USUAL, places=CHECKER),
    "against the rim": replace(USUAL, places=RIM),
    "in the tray": replace(USUAL, places=TRAY),
    "under glare": replace(USUAL, glare=True),
}


def tables(folder: Path) -> list[Table]:
    """One position of each table that is held out. Raises SystemExit where there are none."""
    paths = [path for path in sorted(folder.glob("table-*.pickle")) if int(path.stem[6:]) % 8 == 7]
    if not paths:
        raise SystemExit(
            f"{folder} has no table that training holds out: draw some with training.dice.tables"
        )
    return [kept(path)[0] for path in paths]


def shot_of(photo: Photograph, name: str) -> Shot:
    """What lies in a drawn picture, as ``tests.bench.dice`` wants it."""
    dice = tuple((lying.value, lying.at) for lying in photo.lying if 1 <= lying.value <= 6)
    corners = tuple((float(x), float(y)) for x, y in photo.corners)
    return Shot(Path("drawn", name), corners, (photo.board.width, photo.board.height), dice)


def pixels(shot: Shot) -> float:
    """How many pixels a usual die has across."""
    return 1.3 * float(np.linalg.norm(np.array(shot.corners[1]) - shot.corners[0])) / shot.size[0]


def look(photo: Photograph, shot: Shot, noise: float, rng: np.random.Generator) -> tuple[Die, ...]:
    """What is read in it, by corners that are so many pixels off in a picture 1280 wide."""
    height, width = photo.image.shape[:2]
    corners = np.array(shot.corners) + rng.normal(0, noise * width / 1280, (4, 2))
    places = [(float(x), float(y)) for x, y in corners]
    return DiceReader.at_corners(places, (width, height), shot.size).look(photo.image).dice


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("tables", type=Path)
    parser.add_argument("--throws", type=int, default=2, help="throws of a kind on every table")
    parser.add_argument("--noise", type=float, default=3.0, help="pixels that corners are off")
    parser.add_argument("--seed", type=int, default=9)
    parser.add_argument("--kinds", nargs="*", choices=KINDS, default=list(KINDS))
    parser.add_argument("--jpeg", type=int, help="the pictures went through a JPEG of this quality (1-100)")
    parser.add_argument("--told", action="store_true", help="name the throws that are not right")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    held = tables(options.tables)
    for name in options.kinds:
        score = Score()
        rng = np.random.default_rng([options.seed, list(KINDS).index(name)])
        for number, table in enumerate(held * options.throws):
            if name == "in the tray" and table.board.tray == "none":
                continue
            photo = photograph(rng, table, KINDS[name])
            shot = shot_of(photo, f"{name}-{number}")
            if (few := KINDS[name].pixels[0]) < 90 and pixels(shot) < 0.9 * few:
                continue  # the picture itself has fewer
            if options.jpeg:
                photo = replace(photo, image=jpeg(options.jpeg)(photo.image, np.array(photo.corners))[0])
            words = count(shot, 1.0, look(photo, shot, options.noise, rng), score)
            if words and options.told:
                print(words)
        print(f"{name}: dice {dict(score.dice)}; throws {dict(score.throws)}", flush=True)


if __name__ == "__main__":
    main()
