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

from vision.geometry.camera import CLICK, FOCAL_SPREAD, Camera, Corner, Floats, rectangle, triple

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


@dataclass(frozen=True)
class _Adjustment:
    """What is adjusted: a state holds the camera's turn and shift, the logarithm of how its focal length has
    changed, ``k1``, and the free measures. The other names are those of :func:`refine`."""

    camera: Camera
    corners: Floats
    size: Callable[[Floats], tuple[float, float]]
    sights: Sights
    free: Floats
    spread: Floats
    careless: float
    slack: float

    def start(self) -> Floats:
        """The state to begin with."""
        return np.concatenate([self.camera.turn, self.camera.shift, [0.0, self.camera.k1], self.free])

    def lens(self, state: Floats) -> Camera:
        """The camera of a state."""
        return replace(
            self.camera,
            turn=triple(state[:3]),
            shift=triple(state[3:6]),
            focal=float(self.camera.focal * np.exp(state[6])),
            k1=float(state[7]),
        )

    def off(self, lens: Camera, measures: Floats) -> Floats:
        """How far pieces as projected are from where they were found (N x 2, pixels)."""
        return lens.project(self.sights.places(measures)) - self.sights.pixels

    def misses(self, state: Floats, weights: Floats) -> Floats:
        """Everything that is not as expected, in standard deviations."""
        lens, measures = self.lens(state), state[8:]
        at_corners = (lens.project(rectangle(*self.size(measures))) - self.corners) / self.slack
        unusual = np.array([state[6] / FOCAL_SPREAD, state[7] / BEND])
        at_pieces = self.off(lens, measures) / self.careless * weights[:, None]
        return np.concatenate(
            [at_corners.ravel(), unusual, (measures - self.free) / self.spread, at_pieces.ravel()]
        )

    def slope(self, state: Floats, weights: Floats, here: Floats) -> Floats:
        """How the misses change with each part of a state, from what they are ``here``."""
        steps = np.concatenate([[1e-5] * 3, [1e-3] * 3, [1e-4] * 2, [1e-3] * len(self.free)])
        changes = np.eye(len(state)) * steps
        return np.stack(
            [
                (self.misses(state + change, weights) - here) / step
                for change, step in zip(changes, steps, strict=True)
            ],
            axis=1,
        )


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
    clicked, middle, width = (np.asarray(each, np.float64) for each in (corners, free, spread))
    fit = _Adjustment(camera, clicked, size, sights, middle, width, CARELESS * diameter, slack)
    state, weights, damping = fit.start(), np.sqrt(sights.trust), 1e-3
    for round_ in range(25):
        here = fit.misses(state, weights)
        slope = fit.slope(state, weights, here)
        normal = slope.T @ slope
        change = np.linalg.solve(normal + damping * np.diag(np.diag(normal)), -slope.T @ here)
        better = fit.misses(state + change, weights)
        if better @ better < here @ here:
            state, damping = state + change, damping / 5
            if here @ here - better @ better < 1e-4:
                break
        else:
            damping *= 10
        if round_ % 4 == 3:  # what is far off is less believed
            apart = np.linalg.norm(fit.off(fit.lens(state), state[8:]), axis=1)
            weights = np.sqrt(sights.trust / (1 + (apart / (2 * fit.careless)) ** 2))
    lens = fit.lens(state)
    if not len(sights.pixels):
        return lens, state[8:], 0.0
    apart = np.linalg.norm(fit.off(lens, state[8:]), axis=1)
    return lens, state[8:], float(np.average(apart, weights=sights.trust + 1e-9))
