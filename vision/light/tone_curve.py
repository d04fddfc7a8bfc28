"""A camera that shows light otherwise than it did: its tone curve, contrast or exposure changed since the
calibration.

A lamp's strength is a gain, which ``lamp.relight`` follows: an addition to logarithms. Exposure
automatics, contrast settings and another camera's curve are none: they squeeze the dark levels and stretch
the bright ones, or the other way about, the same all over the picture. What every level of a picture was in
the calibration is fitted to the board itself, channel by channel, as a cubic of logarithms besides a plane
for the lamp; checkers, dice and hands are outliers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.geometry.camera import Floats
from vision.geometry.flat import Map
from vision.light import colour
from vision.light.surface import STEP, TYPICAL
from vision.picture.frame import Image


@dataclass(frozen=True)
class CurveDoubt:
    """What a curve is doubted by. ``bent``: log units by which bare board must be off for each that it is
    brighter before one is fitted; ``straight``: how many pixels' worth a straight curve and an even lamp are
    believed beforehand; ``better``: how much more of the map must fit with the curve than without."""

    bent: float = 0.04
    straight: tuple[float, ...] = (1e-3, 2.0, 4.0, 4.0, 4.0, 4.0)
    better: float = 0.01


DOUBT = CurveDoubt()


def _fits(off: NDArray[np.floating]) -> float:
    """How much of the map fits (0-1)."""
    return float((1 / (1 + np.square(off / TYPICAL[0]).sum(axis=1))).mean())


def changed(laid: Image, relit: Map, surface: Map) -> NDArray[np.float32] | None:
    """What every level was in the calibration (log units; 256 x 1 x 3, or x 1 of a grey picture), None where
    the camera shows light as it did. ``laid``: a picture laid flat; ``relit``: the same as logarithms under
    the lamp of ``surface`` (see ``lamp.relight``)."""
    bare = surface[::STEP, ::STEP].reshape(-1, 3)
    off = relit[::STEP, ::STEP].reshape(-1, 3) - bare
    if not _bent(off, bare):
        return None
    levels = laid[::STEP, ::STEP].reshape(-1, 3)
    grey = bool((levels == levels[:, :1]).all())
    then = bare[:, :1] if grey else bare @ colour.CHANNELS.T
    curves, misfit = _fit(levels[:, : then.shape[1]], then, (surface.shape[0], surface.shape[1]))
    if _fits(misfit if grey else misfit @ colour.OPPONENT.T) < _fits(off[:, : then.shape[1]]) + DOUBT.better:
        return None
    return _table(curves, levels)


def _bent(off: NDArray[np.float32], bare: NDArray[np.float32]) -> bool:
    """Whether bare board is the more off, in any channel, the brighter it is."""
    near = 1 / (1 + np.square(off[:, 0] / 0.2)) ** 2  # what is far off says little
    near /= near.sum()
    levels, off = (each @ colour.CHANNELS.T.astype(np.float32) for each in (bare, off))
    levels = levels - near @ levels
    slopes = near @ (levels * off) / (near @ (levels * levels) + 1e-6)
    return bool(np.abs(slopes).max() > DOUBT.bent)


def _fit(
    levels: NDArray[np.uint8], then: NDArray[np.floating], shape: tuple[int, int]
) -> tuple[Floats, Floats]:
    """Each channel's curve (constant, slope, bend, twist; N x 4), and what the pixels are then off by."""
    x, y = (np.arange(0, count, STEP) / (count / 2) - 1 for count in (shape[1], shape[0]))
    across, up = (part.ravel() for part in np.meshgrid(x, y))
    now, was = _every()[levels].T, np.ascontiguousarray(then.T, np.float64)
    even = np.ones_like(now)
    terms = np.stack([even, now, now * now, now * now * now, across * even, up * even], axis=1)
    straight, belief = np.array([0.0, 1.0, 0.0, 0.0, 0.0, 0.0]), np.array(DOUBT.straight)
    curves = np.tile(straight, (len(was), 1))
    curves[:, 0] = np.median(was - now, axis=1)
    tolerance, off = 10 * TYPICAL[0], _off(curves, terms, was)
    for _ in range(8):
        weights = 1 / (1 + np.square(np.abs(off).max(axis=0) / tolerance)) ** 2
        weighted = terms * weights
        squares = weighted @ terms.transpose(0, 2, 1) + np.diag(belief)
        curves = np.linalg.solve(squares, weighted @ was[..., None] + (belief * straight)[:, None])[..., 0]
        tolerance, off = max(TYPICAL[0], 0.75 * tolerance), _off(curves, terms, was)
    return curves[:, :4], off.T


def _every() -> Floats:
    """The logarithms of all levels (256), from that in the middle."""
    return np.asarray(colour.PLAIN.astype(np.float64) - colour.MIDDLE)


def _off(curves: Floats, terms: Floats, was: Floats) -> Floats:
    """What pixels are off by (channels x N)."""
    return was - (curves[:, None] @ terms)[:, 0]


def _table(curves: Floats, levels: NDArray[np.uint8]) -> NDArray[np.float32]:
    """The curves at every level: straight where hardly any pixel is, and rising."""
    found = np.empty((256, 1, len(curves)), np.float32)
    every = _every()
    for channel, (constant, slope, bend, twist) in enumerate(curves):
        low, high = np.percentile(every[levels[:, channel]], (1, 99))
        inside = np.clip(every, low, high)
        beyond = (every - inside) * np.maximum(slope + 2 * bend * inside + 3 * twist * inside * inside, 0.1)
        found[:, 0, channel] = np.maximum.accumulate(
            constant + slope * inside + bend * inside * inside + twist * inside**3 + beyond
        )
    return found
