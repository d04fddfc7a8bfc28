"""Checkers as people leave them: not pushed to the rim, not pushed together, not straight."""

from dataclasses import replace

import numpy as np
import pytest

from tests.bench.loose import everywhere
from tests.vision.begun_table import START, BegunTable, learned_from
from training.rendered.loose_rows import HANDS
from training.rendered.setting import Piece
from vision.picture.frame import Frame
from vision.reading import BoardReader

STANDS = {cell: look for cell, look in START.looks().items() if not cell.startswith("off")}


def loosely(begun: BegunTable, inward: float, apart: float) -> list[Piece]:
    """The start position with the rows of two and three so many diameters from where the rim has them, and
    with gaps between their checkers; those of five leave no room for it. All of them a little aside."""
    board, rng, pieces = begun.stage.board, np.random.default_rng(begun.stage.seed), list[Piece]()
    for piece in begun.setting.pieces:
        upper, loose = piece.y > board.height / 2, len(STANDS[begun.point(piece)]) < 5
        away = (board.height - piece.y if upper else piece.y) - board.checker / 2
        moved = inward * board.checker + apart * away if loose else 0.0
        aside = float(np.clip(rng.normal(0, 0.08), -0.15, 0.15)) * board.checker
        pieces.append(replace(piece, x=piece.x + aside, y=piece.y + (-moved if upper else moved)))
    return pieces


def reads(table: BoardReader, frame: Frame) -> None:
    reading = table.read(frame)
    assert {cell: reading.looks[cell] for cell in STANDS} == STANDS
    assert min(reading.confidence[cell] for cell in STANDS) > 0.9


@pytest.mark.parametrize("number", [5203, 5205, 5207])
def test_rows_that_nobody_pushed_together_are_counted(number: int) -> None:
    begun = BegunTable.learned(number)
    reads(begun.table, Frame(begun.standing(loosely(begun, 0.8, 0.4))))


@pytest.mark.parametrize("number", [5400, 5402])
def test_a_table_is_learned_from_a_start_position_that_nobody_pushed_together(number: int) -> None:
    begun = BegunTable.learned(number)
    neat = begun.stage.take([])
    table = learned_from(begun.stage, begun.standing(loosely(begun, 0.5, 0.1)))
    reads(table, Frame(neat))


@pytest.mark.parametrize("number", [5207, 5212])
def test_of_two_loose_rows_that_meet_neither_has_a_checker_too_many(number: int) -> None:
    begun = BegunTable.learned(number)
    neat, rng = begun.stage.take([]), np.random.default_rng(number)
    careless = everywhere(begun, begun.setting.pieces, HANDS["careless"], rng)
    reads(learned_from(begun.stage, begun.standing(careless)), Frame(neat))
