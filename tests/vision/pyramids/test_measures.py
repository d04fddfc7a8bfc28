"""Measures of a board and its pyramids."""

from __future__ import annotations

import pytest

from vision.errors import CalibrationError
from vision.pyramids.measures import PyramidMeasures


@pytest.mark.parametrize("bases", [3, {"1": 1}, {"1": 2, "2": 1, "3": 3}, {"1": "a", "2": 2, "3": 3}])
def test_bases_that_do_not_grow_are_refused(bases: object) -> None:
    with pytest.raises(CalibrationError, match="base_side"):
        PyramidMeasures.from_geometry({"width": 49.6, "height": 40, "base_side": bases})
