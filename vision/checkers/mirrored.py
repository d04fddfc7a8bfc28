"""Checkers that look like the other side's, since a lamp or a window is mirrored in them.

A glossy checker under a mirrored lamp has the lamp's colour, not its own. That there is a checker can be
seen, whose it is hardly; at worst both sides' are as white as the lamp. The calibration picture says where:
every checker's side is known there, and by how many nats each is told from the other side's (negative: it is
taken for one of them). Between them the lamp's image changes slowly, so that elsewhere on the board as much
is expected as of the side's nearest checkers (``two_looks``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

Margins: TypeAlias = tuple[tuple[float, float, float], ...]
"""A side's known checkers: x and y (cm), and by how many nats each is told from the other side's."""
MISLEADING = 2.0
"""Nats by which a known checker is told from the other side's, at most, that hardly shows its side."""


def misleads(margins: Sequence[Margins]) -> bool:
    """Whether some known checker hardly shows its side."""
    return any(nats < MISLEADING for side in margins for *_, nats in side)


def usual(margins: Sequence[Margins]) -> float:
    """By how many nats a checker shows its side, in the middle of all."""
    return float(np.median([nats for side in margins for *_, nats in side]))
