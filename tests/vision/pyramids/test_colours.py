"""How the bare board looks beside pieces."""

from __future__ import annotations

import numpy as np
import pytest

from vision.light.surface import TYPICAL, Surface
from vision.pyramids.colours import DEPTHS, BareBoard, Beside

BOARD = np.full((60, 60, 3), (4.5, 0.0, 0.0), np.float32)
AROUND = np.ones((60, 60), bool)


def _seen(dark: float, part: int) -> Beside:
    """A board of which the first rows are so much darker."""
    rng = np.random.default_rng(1)
    values = BOARD + rng.normal(0, 0.01, BOARD.shape).astype(np.float32)
    values[:part, :, 0] -= dark
    return Beside.seen(values, Surface(BOARD), AROUND)


def test_only_shadows_that_were_seen_are_expected() -> None:
    """A fifth lay in a shadow of 0.35: nothing else than that explains a dark pixel."""
    beside = _seen(0.35, 9)
    assert np.argmax(beside.shade) == int(0.35 * DEPTHS.steps / DEPTHS.deepest)
    board = BareBoard(Surface(BOARD), beside)
    shaded, dull = (float(board.density(BOARD - np.float32([dark, 0, 0])).mean()) for dark in (0.35, 1.0))
    assert shaded > dull + 2


def test_a_quiet_picture_is_trusted_as_far_as_any_surface() -> None:
    assert _seen(0.0, 0).spread == pytest.approx(tuple(TYPICAL.tolist()))


def test_too_little_says_nothing() -> None:
    few = np.zeros((60, 60), bool)
    few[:5, :5] = True
    assert Beside.seen(BOARD, Surface(BOARD), few) == Beside()


def test_it_is_stored() -> None:
    beside = _seen(0.35, 9)
    again = Beside.from_json(beside.to_json())
    assert again.shade == pytest.approx(beside.shade, abs=1e-5)
    assert again.spread == pytest.approx(beside.spread, abs=1e-4)


@pytest.mark.parametrize("broken", [{"spread": [0.1]}, {"shade": [0.5] * DEPTHS.steps}, {"shade": [0.0]}])
def test_what_cannot_be_is_refused(broken: dict[str, list[float]]) -> None:
    with pytest.raises(ValueError, match="beside"):
        Beside.from_json({**Beside().to_json(), **broken})
