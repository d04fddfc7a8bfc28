"""Boards that the picture cuts off: what is not in it is not read, and the calibration says so."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.boards import corners, geometry, labels, picture, truth
from vision.blind.reader import read_blind
from vision.checkers.board import Checkers
from vision.checkers.calibration.calibrate import calibrate
from vision.checkers.reader import CheckersReader
from vision.picture.frame import Frame, Image


def cut(image: Image, top: int = 0, right: int | None = None) -> Image:
    return np.ascontiguousarray(image[top:, :right])


def table(board: str, top: int = 0, right: int | None = None) -> CheckersReader:
    places = [(x, y - top) for x, y in corners(board, 3)]
    return CheckersReader(calibrate(cut(picture(board).image, top, right), places, geometry(board)))


def edge(board: str, axis: int) -> float:
    """Where the surface ends in the picture: its leftmost or topmost corner is first, the other last."""
    return float(np.array(labels(board)["start"]["corners_px"])[:, axis].max())


def test_points_whose_first_checker_is_cut_off_are_not_read_and_the_calibration_names_them() -> None:
    top = int(np.array(labels("blue")["start"]["corners_px"])[:, 1].min()) + 10
    reader = table("blue", top)
    reading = reader.read(Frame(cut(picture("blue", "04").image, top)))
    assert reading.occluded == {"p19", "p20", "p21", "p22", "p23", "p24"}
    assert not any(cell in reading.looks for cell in reading.occluded)
    assert all(
        reading.looks[cell] == look for cell, look in truth("blue", "04").items() if cell in reading.looks
    )
    assert not reading.hand
    assert any("p24" in line and "move the camera" in line for line in reader.quality.words())


@pytest.mark.parametrize("board", ["cork-tan", "green-felt"])
def test_a_board_whole_in_a_tight_picture_is_read_whole(board: str) -> None:
    top = int(np.array(labels(board)["start"]["corners_px"])[:, 1].min()) - 8
    name = next(
        name for name in labels(board) if name not in ("start", "empty") and not labels(board)[name]["hand"]
    )
    reader = table(board, top)
    reading = reader.read(Frame(cut(picture(board, name).image, top)))
    assert not reading.hand
    assert not reading.occluded
    assert dict(reading.looks) == truth(board, name)
    assert not reader.quality.beyond


def test_a_tray_out_of_the_picture_is_not_an_empty_tray() -> None:
    right = round(edge("green-felt", 0)) + 4
    reader = table("green-felt", right=right)
    reading = reader.read(Frame(cut(picture("green-felt", "03").image, right=right)))
    assert Checkers().describe(reading)["off"] is None
    assert not any(cell.startswith("off") for cell in reading.evidence.best())
    assert all(
        reading.looks[cell] == look
        for cell, look in truth("green-felt", "03").items()
        if cell in reading.looks
    )
    assert any("the tray" in line for line in reader.quality.words())
    assert "the tray" not in " ".join(table("green-felt").quality.words())


def test_blind_too_nothing_is_read_beyond_the_picture() -> None:
    places = np.array(corners("blue"))
    top = int(places[:, 1].min()) + 10
    reading = read_blind(cut(picture("blue", "04").image, top), [(x, y - top) for x, y in places])
    # its corner is a quarter of a checker beyond the edge: the nearest points show nearly all of themselves,
    # and count for little
    assert reading.occluded <= {"p22", "p23", "p24"}
    assert not reading.hand
    assert all(reading.confidence[cell] < 0.9 for cell in ("p19", "p20", "p21") if cell in reading.looks)
    assert all(
        reading.looks[cell] == look
        for cell, look in truth("blue", "04").items()
        if reading.confidence.get(cell, 0.0) >= 0.9
    )
    top += 16
    reading = read_blind(cut(picture("blue", "04").image, top), [(x, y - top) for x, y in places])
    assert {"p19", "p20", "p21", "p22", "p23", "p24"} <= reading.occluded
    assert not {"p1", "p6", "p12"} & reading.occluded
    assert not reading.hand


def test_blind_a_board_whole_in_a_tight_picture_is_read_whole() -> None:
    places = np.array(corners("blue"))
    left, top, right, low = (int(value) for value in (*(places.min(axis=0) - 6), *(places.max(axis=0) + 6)))
    image = np.ascontiguousarray(picture("blue", "04").image[top:low, left:right])
    reading = read_blind(image, [(x - left, y - top) for x, y in places])
    assert not reading.occluded
    assert {cell: reading.looks[cell] for cell in truth("blue", "04")} == truth("blue", "04")


def test_the_bar_is_read_where_only_its_end_is_cut_off() -> None:
    top = int(np.array(labels("blue")["start"]["corners_px"])[:, 1].min()) + 20
    reading = table("blue", top).read(Frame(cut(picture("blue", "04").image, top)))
    assert {"p14", "p24"} <= reading.occluded
    assert {cell: reading.looks[cell] for cell in ("bar.white", "bar.black")} == {
        "bar.white": (),
        "bar.black": ("black",),
    }


def test_a_row_that_may_go_on_under_a_hand_and_is_cut_off_is_left_unsaid_blind() -> None:
    """It ended the reading with a KeyError."""
    ends, reach = np.array(labels("green-felt")["start"]["corners_px"]), 0.2
    left = int(ends[:, 0].min() + reach * (ends[1] - ends[0])[0] / 13)
    shown = np.ascontiguousarray(picture("green-felt", "05").image[:, left:])
    reading = read_blind(shown, [(float(x) - left, float(y)) for x, y in ends])
    assert reading.hand
    assert {"p12", "p13"} <= reading.occluded
