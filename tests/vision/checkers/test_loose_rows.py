"""Checkers as people leave them: not pushed to the rim, not pushed together, not straight."""

from dataclasses import replace

import numpy as np
import pytest

from tests.vision.begun_table import START, BegunTable
from vision.picture.frame import Frame


@pytest.mark.parametrize("number", [5203, 5205, 5207])
def test_rows_that_nobody_pushed_together_are_counted(number: int) -> None:
    """A start position in which the rows of two and three begin most of a checker's width from the rim and
    have gaps of nearly half a one; those of five leave no room for more."""
    begun = BegunTable.learned(number)
    board, rng, looks = begun.stage.board, np.random.default_rng(number), START.looks()
    pieces = []
    for piece in begun.setting.pieces:
        upper, loose = piece.y > board.height / 2, len(looks[begun.point(piece)]) < 5
        away = (board.height - piece.y if upper else piece.y) - board.checker / 2
        inward = 0.8 * board.checker + 0.4 * away if loose else 0.0
        aside = float(np.clip(rng.normal(0, 0.08), -0.15, 0.15)) * board.checker
        pieces.append(replace(piece, x=piece.x + aside, y=piece.y + (-inward if upper else inward)))
    reading = begun.table.read(Frame(begun.standing(pieces)))
    stands = {cell: look for cell, look in looks.items() if not cell.startswith("off")}
    assert {cell: reading.looks[cell] for cell in stands} == stands
    assert min(reading.confidence[cell] for cell in stands) > 0.9
