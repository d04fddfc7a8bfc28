from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.judge import FAR
from tests.vision.boards import picture, rig, truth
from vision.checkers import stacks
from vision.checkers.reader import CheckersReader
from vision.checkers.rows import Row
from vision.geometry.board_measures import ROW
from vision.geometry.flat import RESOLUTION
from vision.stack_network import heights


def told(*stacked: int, sure: float = 3.0) -> np.ndarray:
    """What the network says of a row whose places hold so many checkers each."""
    odds = np.zeros((len(stacked), stacks.HEIGHTS))
    odds[np.arange(len(stacked)), stacked] = sure
    return np.asarray(odds - np.logaddexp.reduce(odds, axis=1, keepdims=True))


@pytest.mark.parametrize(
    ("stacked", "count"),
    [
        ((1, 1, 1, 1, 1), 5),
        ((2, 1, 1, 1, 1), 6),
        ((2, 2, 2, 1, 1), 8),
        ((2, 2, 2, 2, 2), 10),
        ((3, 2, 2, 2, 2), 11),
    ],
)
def test_a_row_is_stacked_from_its_rim_inward(stacked: tuple[int, ...], count: int) -> None:
    assert ROW + int(np.argmax(stacks.counts(told(*stacked), 15))) == count


def test_one_odd_answer_does_not_break_the_order_of_stacking() -> None:
    nats = stacks.counts(told(1, 1, 1, 2, 1), 15)
    assert int(np.argmax(nats)) == 0
    assert nats[0] > nats[4]


def test_nobody_is_accused_by_neat_stacks_alone() -> None:
    # Of fourteen, four lie so neatly that they do not show.
    nats = stacks.counts(told(2, 2, 2, 2, 2, sure=20.0), 15)
    assert nats.argmax() == 5
    assert nats.max() - nats.min() < FAR


@pytest.mark.parametrize("board", ["green-felt", "cork-tan"])
def test_every_checker_of_the_start_is_seen_and_none_beyond_a_row(board: str) -> None:
    reader = CheckersReader(rig(board))
    frame = picture(board)
    values = reader.lay_flat(frame).values
    found = reader._plan.read(reader._discs, values)
    tops, expected = [], []
    for cell, look in truth(board, "start").items():
        marks = found.marks.get(cell, ())
        if not cell.startswith("p") or not look:
            continue
        kind = ("white", "black").index(look[0])
        upper = int(cell[1:]) > 12
        tops += [stacks.Top(u, v, kind, upper) for _, u, v, _ in marks]
        expected += [True] * len(marks)
        if len(look) < ROW:
            _, u, v, _ = marks[-1]
            tops.append(stacks.Top(u, v + (RESOLUTION if upper else -RESOLUTION), kind, upper))
            expected.append(False)
    shown = stacks.patches(reader.flat, reader._discs, frame.image, values, tops, reader.rig.measures)
    weights = Path(stacks.__file__).with_name("stacks.onnx")
    assert (np.argmax(heights(shown, weights, stacks.TEMPER), axis=1) > 0).tolist() == expected


def test_a_place_in_doubt_is_settled_by_the_picture() -> None:
    board = "green-felt"
    reader = CheckersReader(rig(board))
    frame = picture(board)
    values = reader.lay_flat(frame).values
    found = reader._plan.read(reader._discs, values)
    centres = [(u, v) for _, u, v, _ in found.marks["p8"]]
    beyond = (centres[-1][0], centres[-1][1] - RESOLUTION)
    raw = {"p8": {("white",) * count: 0.0 for count in range(6)}}
    look = stacks.Stacks(reader._plan)
    looks = look.weigh(raw, [Row("p8", 0, [*centres, beyond], 2)], reader._discs, frame.image, values)["p8"]
    assert max(looks, key=lambda seen: looks[seen]) == ("white",) * 3
    assert looks[("white",) * 2] == 0.0
