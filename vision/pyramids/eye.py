"""Where the camera is, by what stands up: known pyramids lean away from its foot, and more the nearer it is.

Four corners say well where things lie on the board, and badly how high the camera hangs: that depends on a guess of its focal length. The
tips of a dozen pyramids say it to a tenth. The place is taken under which their outlines cover best what speaks for them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from vision.pyramids.board import Eye, Outlines
from vision.pyramids.cover import Row
from vision.pyramids.fit import Strip
from vision.scene import Map

ASIDE, HIGHER = 0.15, 0.35
"""How far off the corners' camera usually is: aside, in its height, and in height (natural logarithm; both one standard deviation)."""
HEIGHTS = (-3, -2, -1, 0, 1, 2)
"""Heights at which the search may begin, in steps of HIGHER: from far away, all places look alike."""
ROUNDS = 5
"""Rounds of trying places, in steps that are halved each time."""


def found(guess: Eye, known: Iterable[tuple[Strip, Map, Row]]) -> Eye:
    """The eye from which known rows look best. ``known``: each with its strip and with what speaks for its side there (the strip's part of
    the map)."""
    rows = list(known)

    def score(state: Sequence[float]) -> float:
        eye = _eye(guess, state)
        off = sum((value / usual) ** 2 for value, usual in zip(state, (ASIDE, ASIDE, HIGHER), strict=True))
        return sum(_seen_from(eye, strip, part, row) for strip, part, row in rows) - off / 2

    starts = [[ASIDE * x, ASIDE * y, HIGHER * higher] for x in (-1, 0, 1) for y in (-1, 0, 1) for higher in HEIGHTS]
    best, state = max((score(start), start) for start in starts)
    step = 1.0
    for _ in range(ROUNDS):
        for axis, usual in enumerate((ASIDE, ASIDE, HIGHER)):
            for sign in (1, -1):
                trial = [value + (sign * step * usual if index == axis else 0.0) for index, value in enumerate(state)]
                while (again := score(trial)) > best:
                    best, state = again, trial
                    trial = [value + (sign * step * usual if index == axis else 0.0) for index, value in enumerate(state)]
        step /= 2
    return _eye(guess, state)


def _eye(guess: Eye, state: Sequence[float]) -> Eye:
    x, y, height = guess
    return x + state[0] * height, y + state[1] * height, height * math.exp(state[2])


def _seen_from(eye: Eye, strip: Strip, part: Map, row: Row) -> float:
    return strip.cover.under(Outlines(strip.flat, strip.stand, eye)).settled(part, row.pieces).score
