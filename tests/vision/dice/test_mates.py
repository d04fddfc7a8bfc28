"""Dice are thrown in pairs: beside one that is seen, a faint one is its mate."""

from __future__ import annotations

import pytest

from tests.vision.boards import FOLDER
from vision.dice import DiceReader, Lying
from vision.dice import reader as reader_module
from vision.picture.frame import load

CORNERS = [(284.95, 660.57), (935.87, 586.21), (949.93, 56.0), (251.86, 57.6)]
SIZE = (63.88, 52.28)
PICTURE = "dice/dark-on-a-tip.webp"
"""Path-traced (``training.dice.reels``, number 5): a four, and a two of twelve pixels at a dark tip."""


def _look() -> Lying:
    return DiceReader.at_corners(CORNERS, (1280, 720), SIZE).look(load(FOLDER / PICTURE).image)


def test_a_faint_die_beside_one_that_is_plain_is_told_of() -> None:
    plain, faint = _look().dice
    assert plain.value == 4
    assert faint.value in (None, 2)
    assert faint.place == pytest.approx((50.5, 33.6), abs=0.5)
    assert _look().cube is not None  # which lies there, too, and is no mate


@pytest.mark.parametrize(("name", "value"), [("MATE", 99.0), ("ALIKE", 0.9)])
def test_what_is_too_faint_or_of_another_size_is_none(
    monkeypatch: pytest.MonkeyPatch, name: str, value: float
) -> None:
    monkeypatch.setattr(reader_module, name, value)
    assert [die.value for die in _look().dice] == [4]
