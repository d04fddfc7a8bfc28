"""Learning a sheet of hexes from its set-up."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hardware.painter import Painter
from tests.vision.hexes.painted_sheet import SETUP, wrong
from vision import boards
from vision.errors import CalibrationError
from vision.hexes.reader import HexReader


def test_a_fortress_that_mirrors_the_lamp_stands_out_from_flat_paper(painter: Painter) -> None:
    picture = painter.paint(SETUP).astype(np.float64)
    (u, v), (yy, xx) = painter._seen([(*painter._hex((6, 2)), 0.4)])[0], np.mgrid[0:960, 0:1280]
    picture += 110 * np.exp(-((xx - u) ** 2 + (yy - v) ** 2) / (2 * 8.0**2))[..., None]
    table = boards.get("hexes").calibrate(
        np.clip(picture, 0, 255).astype(np.uint8), painter.corners, painter.geometry
    )
    assert isinstance(table, HexReader)
    assert {cell: look for cell, look in table.model.looks.items() if look} == {
        cell: stack[-1] for cell, stack in SETUP.items()
    }
    relief = dict(zip(table.sheet.cells, table.sampler.relief(table.plane.bare.values), strict=True))
    paper = [relief[cell] for cell in table.sheet.cells if cell not in SETUP]
    assert relief["hex.6,2"] > 5 * max(paper)


def test_a_known_position_may_be_given(painter: Painter) -> None:
    looks = {cell: stack[-1] for cell, stack in SETUP.items()}
    table = boards.get("hexes").calibrate(painter.paint(SETUP), painter.corners, painter.geometry, looks)
    assert wrong(table, painter, SETUP) == {}


def test_clicks_a_few_pixels_off_do_no_harm(painter: Painter) -> None:
    off = np.random.default_rng(3).uniform(-3, 3, (4, 2))
    corners = [(x + dx, y + dy) for (x, y), (dx, dy) in zip(painter.corners, off, strict=True)]
    table = boards.get("hexes").calibrate(painter.paint(SETUP), corners, painter.geometry)
    assert wrong(table, painter, SETUP) == {}


def test_a_sheet_without_pieces_is_refused(painter: Painter) -> None:
    with pytest.raises(CalibrationError, match="hexes seem to hold pieces"):
        boards.get("hexes").calibrate(painter.paint({}), painter.corners, painter.geometry)


@pytest.mark.parametrize(
    "geometry",
    [
        {},
        {"cols": 12},
        {"cols": 12, "rows": "ten"},
        {"cols": 3, "rows": 9},
        {"cols": 12, "rows": 9, "pitch": -1},
    ],
)
def test_a_geometry_that_makes_no_sheet_is_refused(painter: Painter, geometry: dict[str, Any]) -> None:
    with pytest.raises(CalibrationError):
        boards.get("hexes").calibrate(painter.paint(SETUP), painter.corners, geometry)
