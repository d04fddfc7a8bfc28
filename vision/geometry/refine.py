"""Where the camera really is: corners are clicked a few pixels off, checkers of a known position are seen
exactly.

A small bundle adjustment: pose, focal length and lens bend are changed until the known checkers are projected
to where they were found, weighed against how well people click, how carelessly checkers are put down, and
which lenses exist.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from vision.geometry.camera import CLICK, FOCAL_SPREAD, Camera, Corner, Floats, rectangle

BEND = 0.06
"""Usual size of ``k1`` (one standard deviation)."""
CARELESS = 0.07
"""How far from its place a checker is put, in diameters (one standard deviation)."""


@dataclass(frozen=True)
class Sights:
    """Known pieces as found. ``places`` gives their board positions (N x 3, cm) from the free measures,
    ``pixels`` (N x 2) where they were seen, ``trust`` (N) is 0-1."""

    places: Callable[[Floats], Floats]
    pixels: Floats
    trust: Floats


def refine(
    camera: Camera,
    corners: Sequence[Corner],
    size: Callable[[Floats], tuple[float, float]],
    sights: Sights,
    free: ArrayLike,
    spread: ArrayLike,
    diameter: float,
    slack: float = CLICK,
) -> tuple[Camera, Floats, float]:
    """The likeliest camera, free measures and mean distance (pixels) between pieces as projected and as
    found.

    ``free`` are measures that may change (cm), each within about ``spread``; ``size`` gives the surface's
    width and height from them; ``diameter`` is a checker's, in pixels; ``slack`` how far off the corners may
    be (pixels, one standard deviation). Levenberg-Marquardt with numeric derivatives: some 15 unknowns, a few
    dozen sights.
    """
    seen, trust = sights.pixels, sights.trust
    clicked = np.asarray(corners, np.float64)
    middle, width = np.asarray(free, np.float64), np.asarray(spread, np.float64)
    focal = camera.focal

    def build(state: Floats) -> Camera:
        t, s = state[:3], state[3:6]
        turn, shift = (float(t[0]), float(t[1]), float(t[2])), (float(s[0]), float(s[1]), float(s[2]))
        return replace(
            camera, turn=turn, shift=shift, focal=float(focal * np.exp(state[6])), k1=float(state[7])
        )

    def misses(state: Floats, weights: Floats) -> Floats:
        lens, measures = build(state), state[8:]
        wide, high = size(measures)
        at_corners = (lens.project(rectangle(wide, high)) - clicked) / slack
        parts = [at_corners.ravel(), [state[6] / FOCAL_SPREAD, state[7] / BEND], (measures - middle) / width]
        at_pieces = lens.project(sights.places(measures)) - seen
        parts.append((at_pieces / (CARELESS * diameter) * weights[:, None]).ravel())
        return np.concatenate([np.asarray(part, np.float64) for part in parts])

    state = np.concatenate([camera.turn, camera.shift, [0.0, camera.k1], middle])
    weights = np.sqrt(trust)
    damping, tiny = (
        1e-3,
        np.concatenate([np.full(3, 1e-5), np.full(3, 1e-3), [1e-4, 1e-4], np.full(len(middle), 1e-3)]),
    )
    for round_ in range(25):
        here = misses(state, weights)
        slope = np.stack(
            [
                (misses(state + np.eye(len(state))[i] * step, weights) - here) / step
                for i, step in enumerate(tiny)
            ],
            axis=1,
        )
        normal = slope.T @ slope
        change = np.linalg.solve(normal + damping * np.diag(np.diag(normal)), -slope.T @ here)
        better = misses(state + change, weights)
        if better @ better < here @ here:
            state, damping = state + change, damping / 5
            if here @ here - better @ better < 1e-4:
                break
        else:
            damping *= 10
        if round_ % 4 == 3:
            apart = np.linalg.norm(build(state).project(sights.places(state[8:])) - seen, axis=1)
            weights = np.sqrt(trust / (1 + (apart / (2 * CARELESS * diameter)) ** 2))
    lens = build(state)
    if not len(seen):
        return lens, state[8:], 0.0
    apart = np.linalg.norm(lens.project(sights.places(state[8:])) - seen, axis=1)
    return lens, state[8:], float(np.average(apart, weights=trust + 1e-9))
