"""What rows of checkers may claim: how much one place counts, how well it is known whose checkers stand
there, and where they stand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.layout import POINT_CELLS
from tests.vision.boards import picture, rig
from vision.checkers.plan import BOUND, Plan, _apart, _bounded, _hedged
from vision.checkers.reader import CheckersReader
from vision.geometry.board_measures import ROW
from vision.reading import NEVER, Raw


def test_a_place_that_both_sides_would_explain_keeps_the_difference() -> None:
    white, black = _bounded(np.array([[12.0, 3.0, -20.0], [9.5, -1.0, 5.0]], np.float32))
    assert white[0] - black[0] == pytest.approx(2.5)
    assert BOUND < white[0] < 12
    assert (white[1], black[1]) == (3.0, -1.0)
    assert (white[2], black[2]) == (-BOUND, 5.0)


def test_a_mirrored_lamp_on_five_checkers_counts_once_for_whose_they_are() -> None:
    scores = np.array([[[0.0, 8.0, 40.0]], [[0.0, 6.0, -30.0]]])
    assert _hedged(scores).tolist() == [[[0.0, 8.0, 40.0]], [[0.0, 6.0, 40.0 - BOUND]]]


def test_rows_that_do_not_fit_are_no_better_for_it() -> None:
    scores = np.array([[[0.0, 8.0]], [[0.0, NEVER]]])
    assert _hedged(scores)[1, 0, 1] == NEVER


@pytest.mark.parametrize(("low", "high"), [(7, 2), (2, 7), (6, 4), (5, 5), (0, 9), (6, 0)])
def test_a_row_goes_on_over_the_middle_as_far_as_the_opposite_one_leaves_room(low: int, high: int) -> None:
    """Ten checkers and some room fill a column: those at its two ends are never counted twice."""
    room, steps = 129, 11 * np.arange(10) + 2
    taken = {*steps[:low].tolist(), *(room - steps[:high]).tolist()}

    def scores(from_rim: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.concatenate([[0.0], np.cumsum([6.0 if step in taken else -6.0 for step in from_rim])])

    both = np.stack([scores(steps)[:10], scores(room - steps)[:10]])[None]
    ends = np.broadcast_to(np.concatenate([[0], steps])[:10], both.shape)
    found = _apart(both, ends, room - 11)
    assert found.argmax(axis=2).tolist() == [[low, high]]
    assert found.max() == pytest.approx(6.0 * max(low, high))


def test_a_checker_stands_in_the_middle_of_what_is_nearly_as_good() -> None:
    plan = CheckersReader(rig("green-felt"))._plan
    assert isinstance(plan, Plan)
    u, v = (part[0, :, 3] for part in plan._rows["points"])
    gains, aside = np.full(len(u), -8.0), np.full(len(u), 3)
    gains[20] = gains[21] = 6.0
    (column, row), (last, end) = plan._middles(0, (20, len(u) - 1), gains, aside)
    assert (column, row) == pytest.approx(((u[20] + u[21]) / 2, (v[20] + v[21]) / 2), abs=1e-3)
    assert (last, end) == pytest.approx((u[-1], v[-1]), abs=2)


@pytest.mark.parametrize(("step", "count"), [(0, 0), (60, 1), (-1, 0)])
def test_the_doubling_cube_at_the_end_of_the_bar_is_no_checker(step: int, count: int) -> None:
    plan = CheckersReader(rig("green-felt"))._plan
    assert isinstance(plan, Plan)
    length = plan._rows["bar"][0].shape[1]
    white, black = np.full((1, length), -8.0), np.full((1, length), -8.0)
    black[0, step] = 8.0
    raw: Raw = {}
    plan._bar([(white, np.full((1, length), 3)), (black, np.full((1, length), 3))], raw, {})
    assert max((nats, len(look)) for look, nats in raw["bar.black"].items())[1] == count
    assert max((nats, len(look)) for look, nats in raw["bar.white"].items())[1] == 0


def test_in_a_game_of_three_checkers_no_more_are_looked_for_upon_a_row_or_in_a_tray() -> None:
    table = rig("green-felt")
    reader = CheckersReader(replace(table, stock={"white": 3, "black": 3}))
    raw = reader._plan.read(reader._discs, reader.lay_flat(picture("green-felt", "03")).values).raw
    assert max(map(len, raw["off.white"])) == 3
    assert max(len(look) for cell in POINT_CELLS for look in raw[cell]) <= ROW + 2  # what stands side by side
    fifteen = (
        CheckersReader(table)
        ._plan.read(reader._discs, reader.lay_flat(picture("green-felt", "03")).values)
        .raw
    )
    assert max(len(look) for cell in POINT_CELLS for look in fifteen[cell]) == 15
