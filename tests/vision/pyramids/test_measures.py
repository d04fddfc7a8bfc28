"""Measures of a board and its pyramids."""

from __future__ import annotations

import pytest

from vision.errors import CalibrationError
from vision.pyramids.measures import PyramidMeasures


@pytest.mark.parametrize("bases", [3, {"1": 1}, {"1": 2, "2": 1, "3": 3}, {"1": "a", "2": 2, "3": 3}])
def test_bases_that_do_not_grow_are_refused(bases: object) -> None:
    with pytest.raises(CalibrationError, match="base_side"):
        PyramidMeasures.from_geometry({"width": 49.6, "height": 40, "base_side": bases})


@pytest.mark.parametrize(
    ("given", "pitch", "bar"),
    [
        ({"width": 48, "height": 40, "bar": 0}, 4.0, 0.0),  # a board without a bar
        ({"width": 60}, 60 / 13.05, 63 / 13.05),
        ({"width": 40}, 40 / 13.05, 42 / 13.05),
        ({"height": 42}, 4.0, 4.2),
        ({"width": 52, "pitch": 4}, 4.0, 4.0),
        ({}, 3.81, 4.0005),
    ],
)
def test_measures_that_nobody_gave_are_as_usual(given: dict[str, float], pitch: float, bar: float) -> None:
    board = PyramidMeasures.from_geometry(given).board
    assert (board.pitch, board.bar) == (pytest.approx(pitch), pytest.approx(bar))
    assert board.width == pytest.approx(12 * pitch + bar)
    assert board.height == pytest.approx(given.get("height", 10.5 * pitch))
