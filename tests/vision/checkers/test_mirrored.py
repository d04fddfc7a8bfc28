"""Checkers in which a lamp is mirrored: their two looks; and how much a soft calibration is believed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.vision.boards import corners, geometry, glared, picture, rig
from vision.checkers import trust
from vision.checkers.calibration.calibrate import calibrate
from vision.checkers.discs import Discs
from vision.checkers.places import spots
from vision.checkers.reader import CheckersReader
from vision.checkers.rig import Rig
from vision.checkers.two_looks import TwoLooks
from vision.geometry.board_measures import SIDES, start
from vision.geometry.flat import RESOLUTION
from vision.picture.frame import Frame
from vision.quality import Quality

FIVE = {side: (side,) * 5 for side in SIDES}


def _by_cell(known: Sequence[tuple[float, float, bool]]) -> list[Sequence[tuple[float, float, bool]]]:
    """Black's checkers of the start position, as it lists them."""
    return [known[:2], known[2:7], known[7:10], known[10:]]


def test_two_looks_of_a_side_are_learned_and_kept() -> None:
    table = calibrate(glared(("p19",), 0.93), corners("green-felt"), geometry("green-felt"))
    assert table.quality.alike == ("p19",)
    white, black = table.paint.divided
    assert white is None
    assert black is not None
    assert black.mirrored.colour[0] > black.matte.colour[0] + 0.3
    lit = {
        cell: [one for _, _, one in part]
        for cell, part in zip(("p1", "p12", "p17", "p19"), _by_cell(black.known), strict=True)
    }
    assert all(lit["p19"])
    assert not any(lit["p12"][:3])
    again = Rig.from_json(json.loads(json.dumps(table.to_json())))
    assert again.paint == table.paint
    assert again.margins == tuple(
        tuple(
            (pytest.approx(x, abs=0.01), pytest.approx(y, abs=0.01), pytest.approx(n, abs=0.01))
            for x, y, n in side
        )
        for side in table.margins
    )
    reading = CheckersReader(again).read(Frame(glared(("p19",), 0.93)))
    assert {cell: look for cell, look in reading.looks.items() if look} == {
        cell: look for cell, look in start().items() if look
    }


def test_either_look_counts_where_it_was_seen() -> None:
    table = calibrate(glared(("p19",), 0.93), corners("green-felt"), geometry("green-felt"))
    reader = CheckersReader(table)
    both = reader._discs
    assert isinstance(both, TwoLooks)
    plain = Discs(both.bare, both.light, both.paint)
    values = reader.lay_flat(Frame(glared(("p19",), 0.93))).values
    known = spots(table.measures, {"p19": FIVE["black"]}, table.orientation)
    at = np.array([reader.flat.at([(x, y)], z)[0] for _, x, y, z in known], np.float32)
    whole = both.gains(both.moments(values), at[:, 0], at[:, 1])[1]
    assert whole.mean() > plain.gains(plain.moments(values), at[:, 0], at[:, 1])[1].mean() + 1.0
    low = np.maximum(at.min(axis=0).astype(int) - 2 * RESOLUTION, 0)  # a part of the map says the same
    high = at.max(axis=0).astype(int) + 2 * RESOLUTION
    part = np.s_[low[1] : high[1], low[0] : high[0]]
    near = both.gains(both.moments(values, part), *np.asarray(at - low, np.float32).T)[1]
    assert near == pytest.approx(whole, abs=0.01)


def test_a_table_on_which_a_checker_looks_like_the_other_sides_is_believed_half() -> None:
    table = rig("green-felt")
    (x, y, _), *others = table.margins[0]
    doubting = replace(table, margins=(((x, y, -1.0), *others), table.margins[1]))
    plain, half = (
        CheckersReader(one).read(picture("green-felt", "03")).evidence.cells for one in (table, doubting)
    )
    apart = {
        cell: [-sorted(seen[cell].values())[-2] for seen in (plain, half)]
        for cell in plain
        if len(plain[cell]) > 1
    }
    assert apart
    for was, now in apart.values():
        assert now == pytest.approx(0.5 * was, abs=0.1) or was > 11.9


def test_a_soft_calibration_believes_less_of_what_it_sees() -> None:
    soft = next(doubt for doubt in trust.VAGUE if doubt.name == "a soft calibration")

    def scene(**quality: Any) -> SimpleNamespace:
        return SimpleNamespace(quality=Quality(**quality))

    assert soft.trust(scene(blur=0.55)) == 1.0
    assert 0.6 < soft.trust(scene(blur=0.74)) < 0.95
    assert soft.trust(scene(blur=0.85)) == pytest.approx(0.6)
    table = rig("green-felt")
    doubting = replace(table, quality=replace(table.quality, blur=0.85))
    sharp, soft = (
        CheckersReader(one).read(picture("green-felt", "03")).evidence.cells for one in (table, doubting)
    )
    doubts = {
        cell: (sorted(sharp[cell].values())[-2], sorted(soft[cell].values())[-2])
        for cell in sharp
        if len(sharp[cell]) > 1
    }
    assert doubts
    for was, now in doubts.values():  # how far the second likeliest look is behind
        assert now == pytest.approx(0.6 * was, abs=0.1) or was < -11.9
