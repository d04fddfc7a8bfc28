"""A camera that shows light otherwise than at the calibration."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from tests.vision.boards import picture, rig, truth
from vision.checkers.reader import CheckersReader
from vision.hands import changed
from vision.light import colour
from vision.light.surface import Surface, familiar
from vision.picture.frame import Frame, Image
from vision.reading import Reading
from vision.settle import Rest, Settler

PICTURES = [("green-felt", "03"), ("cork-tan", "02"), ("blue", "04")]
CURVES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "gamma": lambda x: x**1.6,
    "half the contrast": lambda x: 0.4 + (x - 0.4) * 0.5,
    "more contrast": lambda x: x - 0.12 * np.sin(2 * np.pi * x),
    "very dim": lambda x: 0.12 * x,
}


def _shown(image: Image, curve: Callable[[np.ndarray], np.ndarray]) -> Image:
    return np.asarray(np.clip(curve(image.astype(np.float32) / 255), 0, 1) * 255 + 0.5, np.uint8)


def _wrong(board: str, name: str, reading: Reading) -> set[str]:
    return {cell for cell, look in truth(board, name).items() if reading.looks.get(cell) != look}


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize(("board", "name"), PICTURES)
def test_a_table_is_read_when_the_camera_shows_light_otherwise(board: str, name: str, curve: str) -> None:
    """Before, most such pictures were taken for hands, or had points wrong and sure."""
    reading = CheckersReader(rig(board)).read(Frame(_shown(picture(board, name).image, CURVES[curve])))
    assert not _wrong(board, name, reading)
    assert not reading.hand
    assert not reading.strange


def test_hands_are_seen_then_too() -> None:
    reading = CheckersReader(rig("green-felt")).read(
        Frame(_shown(picture("green-felt", "05").image, CURVES["gamma"]))
    )
    assert reading.hand
    assert "p13" in reading.occluded


@pytest.mark.parametrize(("board", "name"), [*PICTURES, ("green-felt", "05")])
def test_no_curve_is_followed_where_nothing_but_checkers_changed(board: str, name: str) -> None:
    reader = CheckersReader(rig(board))
    assert reader.lay_flat(picture(board, name)).tone is None


def test_a_curve_is_found_from_the_board_whatever_stands_on_it() -> None:
    reader, image = CheckersReader(rig("green-felt")), picture("green-felt", "03").image
    table = reader.lay_flat(Frame(_shown(image, CURVES["gamma"]))).tone
    assert table is not None
    levels = np.arange(60, 200)
    shown = _shown(np.tile(levels[:, None, None], (1, 1, 3)).astype(np.uint8), CURVES["gamma"])
    then = np.exp(table[shown[:, 0, 0], 0]) - colour.DIM
    assert np.abs(then - levels[:, None]).max() < 16  # but for the lamp's gain, which is followed beside it


@pytest.mark.parametrize(("board", "name"), PICTURES)
def test_a_picture_without_colours_is_told_and_nothing_in_it_is_sure(board: str, name: str) -> None:
    grey = cv2.cvtColor(cv2.cvtColor(picture(board, name).image, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    settler = Settler(CheckersReader(rig(board)))
    status = settler.push(Frame(np.asarray(grey, np.uint8)), 0.0)
    assert status.rest in (Rest.AT_REST, Rest.HAND)
    assert "calibrate again" in status.words
    assert status.reading is not None
    assert status.reading.strange
    assert max(status.reading.confidence.values(), default=0.0) < 0.9


def test_what_a_hand_leaves_in_view_is_still_sure() -> None:
    reading = CheckersReader(rig("green-felt")).read(picture("green-felt", "05"))
    assert reading.hand
    assert not reading.strange
    assert sum(chance > 0.99 for chance in reading.confidence.values()) > 8


def test_blocks_of_a_coarse_jpeg_are_no_hand() -> None:
    rng = np.random.default_rng(1)
    surface = colour.logs(np.full((160, 200, 3), (90, 110, 140), np.uint8))
    blocks = cv2.resize(
        rng.normal(0, 0.05, (20, 25, 2)).astype(np.float32), (200, 160), interpolation=cv2.INTER_NEAREST
    )
    values = surface.copy()
    values[..., 1:] += blocks
    assert changed(Surface(surface), values).mean() < 0.02
    values[40:80, 40:80, 1] += 0.6
    assert changed(Surface(surface), values)[40:80, 40:80].mean() > 0.9


def test_what_the_camera_cannot_show_brighter_has_not_changed() -> None:
    bare = np.full((120, 160, 3), (90, 110, 140), np.uint8)
    bare[:, 100:] = (90, 110, 220)
    lit = np.minimum(bare * 1.6, 255).astype(np.uint8)
    surface, values, burnt = (
        colour.logs(bare),
        colour.logs(lit) - np.float32([np.log(1.55), 0, 0]),
        lit >= 250,
    )
    assert changed(Surface(surface), values)[:, 105:].all()
    assert not changed(Surface(surface), values, burnt).any()
    values[20:60, 110:150] = colour.logs(
        np.full((1, 1, 3), (200, 60, 255), np.uint8)
    )  # a sleeve, as bright in red
    assert changed(Surface(surface), values, burnt)[20:60, 110:150].all()


def test_a_surface_learned_without_colours_is_known_as_such() -> None:
    grey = cv2.cvtColor(cv2.cvtColor(rig("blue").surface, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    assert colour.colourless(colour.levels(colour.logs(np.asarray(grey, np.uint8))))
    assert not colour.colourless(rig("blue").surface)
    assert (
        familiar(
            colour.logs(rig("blue").surface),
            colour.logs(rig("blue").surface),
            np.zeros(grey.shape[:2], bool),
        )
        == 1
    )
