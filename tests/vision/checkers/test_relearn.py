"""A lamp, and a camera's tone, that drift through an evening of play."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from firmware.table.learner import improved, misfit
from tests.bench.sets import OWN, Shot, recorded_table
from tests.vision.boards import picture, rig, truth
from vision.checkers.board import Checkers
from vision.checkers.paint import Divided
from vision.checkers.reader import CheckersReader
from vision.picture.frame import Frame, load
from vision.reading import Accepted

PLAYS = 18
"""Accepted plays of the evening."""


def drifted(shot: Shot, far: float) -> Accepted:
    """A picture late in the evening (``far`` 0-1): hues that mix, as under another lamp, a darker tone curve
    and less contrast, as exposure automatics make them."""
    light = load(shot.path).image.astype(np.float32) / 255
    mixed = (1 - 0.6 * far) * np.eye(3) + 0.6 * far * np.roll(np.eye(3), 1, axis=0)
    curved = np.clip(light @ mixed.T.astype(np.float32), 0, 1) ** (1 + 0.8 * far)
    pale = 0.4 + (curved - 0.4) * (1 - 0.5 * far)
    return Accepted(Frame(np.asarray(np.clip(255 * pale, 0, 255), np.uint8)), shot.looks)


def test_through_an_evening_a_fixed_rig_gets_worse_and_one_that_learns_does_not() -> None:
    table = recorded_table("reel", OWN / "tests/data/reel", OWN / "tests/data/reel")
    still = [shot for shot in table.shots if not shot.hand][: PLAYS + 1]
    fixed = Checkers().calibrate(load(still[0].path).image, [(x, y) for x, y in table.corners], {})
    learning = fixed
    evening = [partial(drifted, shot, number / PLAYS) for number, shot in enumerate(still[1:], 1)]
    for done in range(8, PLAYS - 3, 3):
        learning = improved(learning, evening[done - 8 : done]) or learning
    early, late = evening[:3], evening[-3:]  # of the late ones nothing was learned
    assert misfit(fixed, late)[1] > 5 * misfit(fixed, early)[1]
    assert misfit(learning, late)[1] < 0.5 * misfit(fixed, late)[1]
    assert misfit(learning, late)[0] == 0


def test_what_shows_too_little_teaches_nothing() -> None:
    reader = CheckersReader(rig("green-felt"))
    empty = Accepted(picture("green-felt"), dict.fromkeys(truth("green-felt", "start"), ()))
    assert reader.relearn([empty]) is None
    assert improved(reader, [lambda: empty, lambda: empty]) is None
    one = calibrated_with_two_looks(reader)
    assert one.relearn([Accepted(picture("green-felt"), truth("green-felt", "start"))]) is None


def calibrated_with_two_looks(reader: CheckersReader) -> CheckersReader:
    tint = reader.rig.paint.tints[0]
    both = (Divided(tint, tint, ((1.0, 1.0, True),)), None)
    return CheckersReader(replace(reader.rig, paint=replace(reader.rig.paint, divided=both)))


@pytest.mark.parametrize("name", ["start", "03"])
def test_a_table_that_learned_from_what_it_knows_reads_as_before(name: str) -> None:
    reader = CheckersReader(rig("green-felt"))
    again = reader.relearn([Accepted(picture("green-felt"), truth("green-felt", "start"))] * 3)
    assert again is not None
    assert again.rig.camera == reader.rig.camera
    assert again.read(picture("green-felt", name)).looks == reader.read(picture("green-felt", name)).looks
