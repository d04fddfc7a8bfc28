"""Where the camera is, by what stands up: known pyramids lean away from its foot, and more the nearer it is.

Four corners say well where things lie on the board, and badly how high the camera hangs: that depends on a
guess of its focal length. The tips of a dozen pyramids say it to a tenth. The place is taken under which
their outlines cover best what speaks for them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from vision.geometry.flat import Map
from vision.pyramids.cover import PieceRow
from vision.pyramids.measures import Eye
from vision.pyramids.outlines import Outlines
from vision.pyramids.strip import Strip

OFF = (0.3, 0.5)
"""How far aside the corners' camera usually is, in its heights, and how far off its height is (natural
logarithm): one standard deviation."""


def find_eye(guess: Eye, known: Sequence[tuple[Strip, Map, PieceRow]]) -> Eye:
    """The eye from which known rows look best; ``guess`` is the corners' camera. ``known``: each row with its
    strip and the log odds of its side there (the strip's part of the map)."""
    if not known:
        return guess
    board = known[0][0].measures.board

    def score(eye: Eye) -> float:
        x, y = ((at - usual) / (OFF[0] * guess[2]) for at, usual in zip(eye[:2], guess[:2], strict=True))
        high = math.log(eye[2] / guess[2]) / OFF[1]
        seen = sum(
            strip.cover.under(Outlines(strip.flat, strip.measures, eye)).settle(odds, row.pieces).score
            for strip, odds, row in known
        )
        return seen - (x**2 + y**2 + high**2) / 2

    # From far away all places look alike: the search begins all over the board, and low (in its widths), too.
    starts = [
        (x * board.width, y * board.height, high * board.width)
        for x in (0.2, 0.5, 0.8)
        for y in (0.2, 0.5, 0.8)
        for high in (0.9, 1.15, 1.5, 2.0, 2.8)
    ]
    best, eye = max((score(start), start) for start in (guess, *starts))
    for halvings in range(5):
        far = 0.12 / 2**halvings  # in heights, and in the logarithm of the height
        for axis in range(3):
            for step in (far, -far):
                while (again := score(trial := _moved(eye, axis, step))) > best:
                    best, eye = again, trial
    return eye


def _moved(eye: Eye, axis: int, step: float) -> Eye:
    x, y, height = eye
    if axis == 2:
        return x, y, height * math.exp(step)
    return x + step * height * (axis == 0), y + step * height * (axis == 1), height
