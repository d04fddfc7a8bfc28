"""How a board is read on which dice lie on checkers: by the checkers' reader alone, and below the dice.

    python -m tests.bench.below [--number N] [--tables N] [--pictures N]

Tables are drawn (``training.dice.stage``), learned from their start position, and shown with two dice: one
on a checker at the end of a row, one on any other. A picture is *misread* where a point or the bar is said to
be otherwise than it is, *surely* so where one of these has 0.9 or more.
"""

from __future__ import annotations

import argparse
from collections import Counter

import cv2
import numpy as np

from tests.vision.begun_table import START, BegunTable, misread
from training.rendered.setting import Piece
from vision.dice import DiceReader
from vision.dice.below import read_both
from vision.picture.frame import Frame
from vision.reading import SURE

FROM_MIDDLE = 0.15
"""How far from a checker's middle a die lies, in its diameters (standard deviation)."""


def measure(drawn: BegunTable, pictures: int, found: Counter[str]) -> None:
    """Adds what is read of one table."""
    rng, board, ends = np.random.default_rng(drawn.stage.seed), drawn.stage.board, drawn.ends()
    dice = DiceReader.of_table(drawn.table)

    def on(piece: Piece) -> tuple[float, float, float]:
        x, y = rng.normal(0, FROM_MIDDLE * board.checker, 2)
        return piece.x + float(x), piece.y + float(y), board.thick

    for number in range(pictures):
        end = ends[number % len(ends)]
        others = [piece for piece in drawn.setting.pieces if piece is not end]
        image = drawn.thrown([on(end), on(others[int(rng.integers(len(others)))])], number)
        alone = drawn.table.read(Frame(image))
        below, lying = read_both(dice, drawn.table, image, alone)
        found["pictures"] += 1
        found.update(f"dice {die.lies}" for die in lying.dice)
        for name, reading in (("alone", alone), ("below", below)):
            wrong = misread(reading, START.looks())
            found[f"{name}: misread"] += bool(wrong)
            found[f"{name}: surely"] += max(wrong, default=0.0) >= SURE


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--number", type=int, default=5000, help="the first table")
    parser.add_argument("--tables", type=int, default=16)
    parser.add_argument("--pictures", type=int, default=8, help="of each table")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    found: Counter[str] = Counter()
    for drawn in BegunTable.some(options.number, options.tables):
        measure(drawn, options.pictures, found)
    for name, number in sorted(found.items()):
        print(f"{name}: {number}")


if __name__ == "__main__":
    main()
