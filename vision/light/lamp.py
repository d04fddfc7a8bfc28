"""How a lamp falls off over the board, and how another picture's lamp differs from the learned one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from vision.geometry.camera import Floats
from vision.geometry.flat import Map
from vision.light.surface import STEP


def bend(shape: tuple[int, ...], places: ArrayLike) -> Floats:
    """The quadratic terms x, y, x^2, y^2, xy (N x 5) of map positions (N x 2), which run from -1 to 1 over
    a map of this ``shape``."""
    half = np.array([shape[1] / 2, shape[0] / 2])
    q = (np.asarray(places, np.float64).reshape(-1, 2) - half) / half
    x, y = q[:, 0], q[:, 1]
    return np.stack([x, y, x * x, y * y, x * y], axis=1)


def spread(shape: tuple[int, ...], terms: Sequence[float]) -> Map:
    """A quadratic's value at every map pixel."""
    yy, xx = np.mgrid[0 : shape[0], 0 : shape[1]]
    return np.asarray(
        (bend(shape, np.stack([xx.ravel(), yy.ravel()], 1)) @ np.asarray(terms)).reshape(shape), np.float32
    )


def relight(values: Map, surface: Map) -> Map:
    """A picture (both as ``colour.logs``) under the lamp of ``surface``: without the log gains, a plane in
    each channel, by which its own lamp differs from that.

    A robust fit: checkers, dice and hands are outliers as long as they cover less than about half of what is
    compared."""
    rows, columns = surface.shape[:2]
    x, y = ((np.arange(count) / (count / 2) - 1) for count in (columns, rows))
    across, up = np.meshgrid(x[::STEP], y[::STEP])
    terms = np.stack([np.ones(across.size), across.ravel(), up.ravel()])
    ratio = np.ascontiguousarray(
        (values[::STEP, ::STEP] - surface[::STEP, ::STEP]).reshape(-1, 3).T, np.float64
    )
    fit = np.zeros((3, 3))
    fit[0] = np.median(ratio, axis=1)
    tolerance = 0.2
    for _ in range(5):
        off = np.abs(ratio - fit.T @ terms).max(axis=0)
        weighted = terms / (1 + (off / tolerance) ** 2) ** 2
        fit = np.linalg.solve(weighted @ terms.T + np.diag([1e-3, 4, 4]), weighted @ ratio.T)
        tolerance = max(0.05, tolerance * 0.7)
    first = fit[0] + x[:, None] * fit[1]
    lines = np.stack([first, np.broadcast_to(fit[2], first.shape)]).reshape(2, -1).astype(np.float32)
    gain = np.stack([np.ones(rows), y], axis=1).astype(np.float32) @ lines
    return np.asarray(values - gain.reshape(rows, columns, 3), np.float32)
