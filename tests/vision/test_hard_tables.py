"""Tables that are hard to read: deep ones under a lamp at the side, rows of six and more laid flat, and cups
lying on the board."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from tests.bench.hard import USUAL, Picture, Score, Table, count, drawn, tables
from vision.blind.reader import opinion, read_blind
from vision.checkers.calibration.calibrate import calibrate
from vision.checkers.reader import CheckersReader
from vision.picture.frame import Frame, load
from vision.reading import Reading
from vision.settle import Rest, Settler

DATA = Path(__file__).parent.parent / "data" / "vision"


@cache
def table(name: str) -> Table:
    every = (*tables(DATA), *drawn(DATA / "deep"))
    return next(table for table in every if table.name == name)


@cache
def reader(name: str) -> CheckersReader:
    first = table(name).pictures[0]
    rig = calibrate(load(first.path).image, table(name).corners, table(name).geometry)
    return CheckersReader(rig, opinion)


def calibrated(name: str) -> tuple[Picture, Reading]:
    shown = table(name).pictures[1]
    return shown, reader(name).read(Frame(load(shown.path).image))


def test_rows_of_six_and_seven_laid_flat_are_read() -> None:
    shown, reading = calibrated("six-flat")
    assert reader("six-flat").rig.orientation == USUAL
    assert not count(shown, reading, Score())
    assert len(reading.looks["p2"]) == 8
    assert min(reading.confidence[cell] for cell in ("p2", "p24")) > 0.5


@pytest.mark.parametrize("at", [0, 1])
def test_checkers_half_in_the_shade_of_a_wall_keep_their_side(at: int) -> None:
    shown = table("deep-walnut").pictures[at]
    reading = read_blind(load(shown.path).image, table("deep-walnut").corners)
    assert not count(shown, reading, Score())


def test_a_table_that_was_learned_badly_is_read_with_another_opinion() -> None:
    shown, reading = calibrated("deep-walnut")
    assert any("hardly stand out" in words for words in reader("deep-walnut").quality.words())
    assert not count(shown, reading, Score())


def test_the_shade_of_a_wall_where_checkers_stood_at_the_calibration_is_no_arm() -> None:
    _, reading = calibrated("board-70007")
    assert not reading.hand


def test_a_deep_board_is_learned_though_its_shaded_checkers_look_like_none() -> None:
    """In a darker picture, with corners as they may be clicked: it was refused."""
    shown = table("board-70007")
    off = np.random.default_rng(6).uniform(-3, 3, (4, 2))
    corners = [(x + float(u), y + float(v)) for (x, y), (u, v) in zip(shown.corners, off, strict=True)]
    darker = np.asarray(255 * (load(shown.pictures[0].path).image / 255.0) ** 1.6, np.uint8)
    assert "p6" in calibrate(darker, corners, shown.geometry).quality.wrong


def test_of_a_board_on_which_cups_lie_only_what_they_cover_is_withheld() -> None:
    shown, reading = calibrated("clutter")
    assert not count(shown, reading, Score())
    assert not reading.hand
    assert {"p7", "p8"} <= reading.lying
    assert "p7" in reading.occluded <= reading.lying
    assert len(reading.lying) <= 5  # it leans over the bar and p6
    shown = table("clutter").pictures[1]
    blind = read_blind(load(shown.path).image, table("clutter").corners)
    assert not count(shown, blind, Score())
    assert not blind.hand
    assert "p7" in blind.lying
    assert len(blind.lying) <= 3


def test_a_cup_on_the_board_is_told_and_does_not_keep_it_from_being_read() -> None:
    status = Settler(reader("clutter")).push(Frame(load(table("clutter").pictures[1].path).image), 10.0)
    assert status.rest is Rest.AT_REST
    assert status.words.startswith("something lies on the board")


def test_a_cup_is_not_learned_as_the_board() -> None:
    eyes = reader("clutter")
    laid = eyes.lay_flat(Frame(load(table("clutter").pictures[1].path).image))
    believed = eyes.surface.copy()
    eyes.follow(laid, eyes.read_laid(laid))
    assert (eyes.surface == believed).all()
