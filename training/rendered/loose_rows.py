"""Rows as players leave them: not pushed to the rim, nor together, nor straight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from training.rendered.setting import Piece
from training.rendered.table import Board


@dataclass(frozen=True)
class Hand:
    """How a player leaves rows (diameters): the first checker up to ``rim`` from it, the others up to
    ``apart`` from each other, each ``aside`` by so many (standard deviation; 0.32 at most)."""

    rim: float
    apart: float
    aside: float


HANDS = {
    "neat": Hand(0.0, 0.0, 0.0),
    "usual": Hand(0.25, 0.08, 0.08),
    "careless": Hand(0.5, 0.15, 0.15),
    "loose": Hand(0.7, 0.5, 0.1),
    "wild": Hand(0.8, 0.3, 0.22),
}


def left(board: Board, row: Sequence[Piece], hand: Hand, rng: np.random.Generator) -> list[Piece]:
    """The checkers of one point as they are left; longer rows than five, and such as reach to the middle,
    stay as they are."""
    upper = row[0].y > board.height / 2
    ordered = sorted(row, key=lambda each: -abs(each.y - board.height / 2))
    most = board.height / 2 - len(row) * board.checker
    if len(row) > 5 or most < 0.5:
        return list(row)
    steps = np.append(rng.uniform(0, hand.rim), rng.uniform(0, hand.apart, len(row) - 1))
    inward = np.minimum(np.cumsum(steps) * board.checker, most)
    aside = np.clip(rng.normal(0, hand.aside, len(row)), -0.32, 0.32) * board.checker
    return [
        replace(piece, x=piece.x + x, y=piece.y + (-y if upper else y))
        for piece, x, y in zip(ordered, aside.tolist(), inward.tolist(), strict=True)
    ]
