"""The board below the dice: a checker that a die lies on stands there all the same."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from engine.layout import Looks
from firmware.table.live import LiveEyes
from firmware.table.referee import Frame as Shot
from tests.vision.begun_table import START, BegunTable
from tests.vision.boards import picture, rig
from vision.checkers.reader import CheckersReader
from vision.dice import DiceReader, Die, Lies, Lying, below
from vision.dice.cube_or_die import LyingReader
from vision.picture.frame import Frame, Image
from vision.reading import BoardReader
from vision.settle import Settler


@pytest.fixture(scope="module", params=[5002, 5005, 5008])
def drawn(request: pytest.FixtureRequest) -> BegunTable:
    return BegunTable.learned(request.param)


def read(table: BoardReader, image: Image) -> tuple[Looks, Lying]:
    dice = DiceReader.of_table(table)
    reading, lying = below.read_both(dice, table, image, table.read(Frame(image)))
    return {cell: look for cell, look in reading.looks.items() if not cell.startswith("off")}, lying


def test_a_checker_under_a_die_is_counted_and_the_die_lies_on_a_checker(drawn: BegunTable) -> None:
    """Eight dice, two at a time: a checkers' reader alone took a fifth of such pictures for other positions,
    most of those without a doubt."""
    stands = {cell: look for cell, look in START.looks().items() if not cell.startswith("off")}
    aside = 0.1 * drawn.stage.board.checker
    ends, high = drawn.ends(), drawn.stage.board.thick
    assert len(ends) == 8
    lies: list[Lies] = []
    for one, other in zip(ends[::2], ends[1::2], strict=True):
        image = drawn.thrown([(one.x + aside, one.y, high), (other.x, other.y - aside, high)])
        looks, lying = read(drawn.table, image)
        assert {cell: looks[cell] for cell in stands} == stands
        lies += [die.lies for die in lying.dice]
    assert len(lies) >= 6  # of eight
    assert set(lies) == {Lies.ON_CHECKER}


def test_a_die_on_a_checker_that_cannot_be_read_lies_there_as_long_as_it_does(
    drawn: BegunTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the checkers of a row no board is seen around it that could tell what lies over it."""
    found, high = DiceReader.look, drawn.stage.board.thick

    def unread(reader: DiceReader, image: Image, known: Lying | None = None) -> Lying:
        dice = found(reader, image, known).dice
        return Lying(tuple(replace(die, value=None) for die in dice))

    monkeypatch.setattr(DiceReader, "look", unread)
    seen = 0
    for piece in drawn.setting.pieces[::3]:
        image, lying = drawn.thrown([(piece.x, piece.y, high)]), LyingReader()
        reading, first = lying.read(drawn.table, image, drawn.table.read(Frame(image)))
        _, again = lying.read(drawn.table, image, reading, first.dice)
        assert len(again.dice) == len(first.dice)
        seen += len(first.dice)
    assert seen >= 6  # of ten


def test_a_die_beside_a_checker_lies_on_the_board(drawn: BegunTable) -> None:
    board, size = drawn.stage.board, drawn.stage._pairs[1][1]
    places = []
    for piece in drawn.ends()[:2]:
        inward = np.sign(board.height / 2 - piece.y) * (board.checker / 2 + 0.8 * size)
        places.append((piece.x, float(piece.y + inward), 0.0))
    _, lying = read(drawn.table, drawn.thrown(places))
    assert [die.lies for die in lying.dice] == [Lies.FLAT] * 2


def dice_at(places: Sequence[tuple[float, float]], reader: DiceReader, lies: Lies = Lies.FLAT) -> list[Die]:
    seen = reader.camera.project([[*place, 0.0] for place in places])
    return [
        Die(3, (float(u), float(v)), 0.999, "red", lies, place, 1.5)
        for place, (u, v) in zip(places, seen, strict=True)
    ]


def test_a_picture_is_painted_over_where_its_dice_lie_and_nowhere_else() -> None:
    image, reader = picture("green-felt").image, DiceReader.of_table(CheckersReader(rig("green-felt")))
    inside, beyond = dice_at([(20.0, 20.0), (-500.0, 900.0)], reader)
    lifted = below.lifted(image, reader, [inside, beyond])
    v, u = np.nonzero((lifted != image).any(axis=2))
    assert 5 < np.hypot(u - inside.at[0], v - inside.at[1]).max() < 60
    assert (below.lifted(image, reader, [beyond]) == image).all()


@pytest.mark.parametrize("lies", [Lies.OUTSIDE, Lies.COVERED])
def test_where_no_die_hides_the_board_it_is_not_read_again(
    lies: Lies, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, image = CheckersReader(rig("green-felt")), picture("green-felt").image
    reader, reading = DiceReader.of_table(table), table.read(Frame(image))
    monkeypatch.setattr(DiceReader, "look", lambda *_: Lying(tuple(dice_at([(20.0, 20.0)], reader, lies))))
    again, lying = below.read_both(reader, table, image, reading)
    assert again is reading
    assert [die.lies for die in lying.dice] == [lies]


def test_eyes_at_a_table_see_the_board_below_its_dice_for_as_long_as_they_lie(drawn: BegunTable) -> None:
    end, high = drawn.ends()[0], drawn.stage.board.thick
    image = drawn.thrown([(end.x + 0.2, end.y, high)])
    eyes = LiveEyes(Settler(drawn.table))
    eyes.reads_dice = True
    for t, name in enumerate("abc"):
        eyes.push(Shot(float(t), name, image))
        reading = eyes.resting_reading()
        assert reading is not None
        assert all(reading.looks[cell] == look for cell, look in START.looks().items() if cell[0] == "p")
