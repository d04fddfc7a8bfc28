"""How rows are read that nobody pushed to the rim, nor together, nor straight.

    python -m tests.bench.loose [--number N] [--tables N]

Tables are drawn (``training.dice.stage``) and learned from their start position; then two positions of a game
are shown on each, every row of up to five as neatly as it is drawn, and as careless players leave it
(``training.rendered.loose_rows``), as far as no checker lies on another. A picture is *misread* where a point
or the bar is said to be otherwise than it is, *surely* so where one of these has 0.9 or more, by the table
that was learned and ``blind``, of which nothing is known but its corners. At last each table is learned anew
from start positions that are left so: of ``tables`` so many are ``learned``.
"""

from __future__ import annotations

import argparse
import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import cv2
import numpy as np

from engine.position import Position
from tests.vision.begun_table import START, BegunTable, corners, learned_from, misread
from training.rendered.loose_rows import HANDS, Hand, left
from training.rendered.setting import Piece
from vision.blind.reader import read_blind
from vision.errors import CalibrationError
from vision.picture.frame import Frame
from vision.reading import SURE

TOLD = ("pictures", "misread", "surely", "misread blind", "surely blind", "tables", "learned")
PLAYS = (6, 14)
"""After how many plays each table is shown."""


def after(plays: int, rng: np.random.Generator) -> Position:
    """A position in a game that is played at random."""
    position: Position = START
    for _ in range(plays):
        found = position.roll((int(rng.integers(1, 7)), int(rng.integers(1, 7)))).plays()
        if found:  # a double opens no game
            position = found[int(rng.integers(len(found)))].after
    return position


def everywhere(
    begun: BegunTable, pieces: Sequence[Piece], hand: Hand, rng: np.random.Generator
) -> list[Piece]:
    """These pieces as a player leaves them."""
    board, rows, found = begun.stage.board, defaultdict[str, list[Piece]](list), list[Piece]()
    for piece in pieces:
        if 0 < piece.x < board.width and abs(piece.x - board.width / 2) > board.bar / 2:
            rows[begun.point(piece)].append(piece)
        else:
            found.append(piece)
    for row in rows.values():
        middle = row[0].x
        for piece in left(board, row, hand, rng):
            found.append(piece if free(piece, found, board.checker) else replace(piece, x=middle))
    return found


def free(piece: Piece, others: Sequence[Piece], checker: float) -> bool:
    """Whether it lies on none of the ``others``."""
    return all(math.hypot(piece.x - other.x, piece.y - other.y) >= checker for other in others)


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--number", type=int, default=5200, help="the first table")
    parser.add_argument("--tables", type=int, default=12)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    found: Counter[tuple[str, str]] = Counter()
    for begun in BegunTable.some(options.number, options.tables):
        for plays in PLAYS:
            rng = np.random.default_rng([begun.stage.seed, plays])
            position = after(plays, rng)
            pieces = begun.stage.setting(position).pieces
            for name, hand in HANDS.items():
                image = begun.standing(everywhere(begun, pieces, hand, rng))
                found[name, "pictures"] += 1
                for reading, how in (
                    (begun.table.read(Frame(image)), ""),
                    (read_blind(image, corners(begun.stage)), " blind"),
                ):
                    wrong = misread(reading, position.looks())
                    found[name, f"misread{how}"] += bool(wrong)
                    found[name, f"surely{how}"] += max(wrong, default=0.0) >= SURE
        rng = np.random.default_rng(begun.stage.seed)
        for name, hand in HANDS.items():
            start = begun.standing(everywhere(begun, begun.setting.pieces, hand, rng))
            found[name, "tables"] += 1
            with suppress(CalibrationError):
                learned_from(begun.stage, start)
                found[name, "learned"] += 1
    for name in HANDS:
        told = ", ".join(f"{what} {found[name, what]}" for what in TOLD)
        print(f"{name}: {told}")


if __name__ == "__main__":
    main()
