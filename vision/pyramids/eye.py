"""Where the camera is, by what stands up: known pyramids lean away from its foot, and more the nearer it is.

Four corners say well where things lie on the board, and badly how high the camera hangs: that depends on a
guess of its focal length. The tips of a dozen pyramids say it to a tenth. The place is taken under which
their outlines cover best what speaks for them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from vision.geometry.flat import Map
from vision.pyramids.cover import Row
from vision.pyramids.fit import Strip
from vision.pyramids.outlines import Eye, Outlines

ASIDE, HIGHER = 0.3, 0.5
"""How far off the corners' camera usually is: aside, in its height, and in height (natural logarithm; both
one standard deviation)."""
OVER, HEIGHTS = (0.2, 0.5, 0.8), (0.9, 1.15, 1.5, 2.0, 2.8)
"""Where the search may begin, beside at the corners' camera: over which parts of the board, and how high, in
its widths. From far away all places look alike, so that it would not get anywhere from there."""
STEP, ROUNDS = 0.12, 5
"""How far the first steps go (in heights, and in the logarithm of the height), and rounds of them, halved
each time."""


def found(guess: Eye, known: Iterable[tuple[Strip, Map, Row]]) -> Eye:
    """The eye from which known rows look best; ``guess`` is the corners' camera. ``known``: each row with its
    strip and with what speaks for its side there (the strip's part of the map)."""
    rows = list(known)
    if not rows:
        return guess
    board = rows[0][0].stand.board

    def score(eye: Eye) -> float:
        off = [
            (eye[0] - guess[0]) / (ASIDE * guess[2]),
            (eye[1] - guess[1]) / (ASIDE * guess[2]),
            math.log(eye[2] / guess[2]) / HIGHER,
        ]
        return (
            sum(_seen_from(eye, strip, part, row) for strip, part, row in rows)
            - sum(value**2 for value in off) / 2
        )

    starts = [
        (x * board.width, y * board.height, high * board.width)
        for x in OVER
        for y in OVER
        for high in HEIGHTS
    ]
    best, eye = max((score(start), start) for start in (guess, *starts))
    step = STEP
    for _ in range(ROUNDS):
        for axis in range(3):
            for sign in (1, -1):
                while (again := score(trial := _moved(eye, axis, sign * step))) > best:
                    best, eye = again, trial
        step /= 2
    return eye


def _moved(eye: Eye, axis: int, step: float) -> Eye:
    x, y, height = eye
    return (
        x + step * height * (axis == 0),
        y + step * height * (axis == 1),
        height * math.exp(step * (axis == 2)),
    )


def _seen_from(eye: Eye, strip: Strip, part: Map, row: Row) -> float:
    return strip.cover.under(Outlines(strip.flat, strip.stand, eye)).settled(part, row.pieces).score
