"""Whatever the networks say of a picture, it is read: a row may be as long, as full and as doubtful as it
likes."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.layout import POINT_CELLS
from tests.vision.boards import picture, rig
from vision.checkers import stacks
from vision.checkers.discs import Discs
from vision.checkers.plan import BOUND, Plan, _doubt
from vision.checkers.reader import CheckersReader
from vision.checkers.rows import Row
from vision.light.normalise import LaidFrame
from vision.reading import NEVER

GAINS = st.sampled_from([-99.0, -BOUND, -1.0, 0.0, 1.0, 2.5, BOUND, 40.0])


@cache
def laid() -> tuple[CheckersReader, LaidFrame]:
    reader = CheckersReader(rig("green-felt"))
    return reader, reader.lay_flat(picture("green-felt"))


@pytest.mark.parametrize("length", [6, 7])
def test_a_row_that_is_surely_longer_than_five_is_full(length: int) -> None:
    scores = np.array([0.0, 6.0, 12.0, 18.0, 24.0, 30.0, 36.0, 42.0])
    scores[length + 1 :] = NEVER
    assert _doubt(scores) == (length, 0)


@given(st.lists(st.floats(-60, 60), min_size=8, max_size=8), st.integers(1, 8))
def test_of_any_scores_a_row_may_be_as_long_as_fits(values: list[float], fits: int) -> None:
    scores = np.array([0.0, *values[1:]])
    scores[fits:] = NEVER
    doubt = _doubt(scores)
    assert doubt is None or 0 <= doubt[1] < doubt[0] < max(fits, 2)


@pytest.mark.parametrize("flat", [5, 6, 7])
def test_more_lie_upon_the_first_of_a_row_however_long_it_is(flat: int) -> None:
    row = Row("p1", 0, [(0.0, 0.0)] * flat, 0)
    looks = {("white",) * count: 0.0 for count in range(16)}
    seen = np.full((flat, stacks.HEIGHTS), -7.0)
    seen[:2, 2] = seen[2:, 1] = -0.1
    told = stacks._weighed(looks, row, seen)
    assert max(told, key=lambda look: told[look]) == ("white",) * (flat + 2)


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_no_evidence_ends_the_reader(data: st.DataObject) -> None:
    reader, frame = laid()
    spots = data.draw(st.lists(st.tuples(GAINS, GAINS), min_size=1, max_size=12))
    shift = data.draw(st.integers(1, 97))
    heights = data.draw(st.lists(st.sampled_from([0.0, -0.7, -7.0]), min_size=4, max_size=9))

    def gains(discs: Discs, moments: object, u: np.ndarray, v: np.ndarray) -> list[np.ndarray]:
        which = (np.arange(u.size).reshape(u.shape) // shift) % len(spots)
        return [np.array(spots, np.float32)[:, side][which] for side in (0, 1)]

    def stacked(shown: np.ndarray, *_: object) -> np.ndarray:
        return np.resize(np.array(heights), (len(shown), stacks.HEIGHTS))

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Discs, "gains", gains)
        patched.setattr(stacks, "heights", stacked)
        reading = reader.read_laid(frame)
    assert reading.looks.keys() | reading.occluded >= set(POINT_CELLS)
    assert all(0 <= chance <= 1 + 1e-9 for chance in reading.confidence.values())


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 9), min_size=24, max_size=24), st.booleans())
def test_rows_of_any_length_on_all_points_are_read_or_withheld(lengths: list[int], mixed: bool) -> None:
    """The network sees a checker at every place of a row, of one side or of both by turns."""
    reader, frame = laid()
    plan: Plan = reader._plan
    points = np.full((2, *plan._asked["columns"][0].shape), -BOUND, np.float32)
    for index, (length, column, steps) in enumerate(zip(lengths, *plan._of_points, strict=True)):
        for number, step in enumerate(steps[2 : 12 * length : 12]):
            points[(index + number * mixed) % 2, column[0], step] = BOUND

    def gains(discs: Discs, moments: object, u: np.ndarray, v: np.ndarray) -> list[np.ndarray]:
        found = np.full((2, *u.shape), -BOUND, np.float32)
        for side in (0, 1):
            flat = points[side].reshape(-1, points.shape[3]).T
            found[side, :, : flat.shape[1]] = flat
        return list(found)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Discs, "gains", gains)
        reading = reader.read_laid(frame)
    assert reading.looks.keys() | reading.occluded >= set(POINT_CELLS)
