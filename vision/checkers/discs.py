"""Is there a checker here, and whose? The question is asked of any place on the map, for one learned table.

A place is described by numbers that no longer know which board it is: how far its colours are from each
learned tint and from the learned surface, inside the disc and on its ring, how much they vary there, how well
the variation follows the tint's relief, how much of the ring has the tint's own colour (a lamp that is
mirrored in a disc seldom covers all of it), what lies around, and how different tints and surface are at this
place anyway. All of them come from a dozen small filters over the map.

Two small networks (trained by ``training/discs/train.py`` on renders with changed colours, lamps and
corners) turn them into the probabilities of four answers: the bare board, a disc of the first tint, one of
the second, anything else (the edge of a disc, a die, a sleeve). What they learned is how much each number may
vary; what the board looks like is among the numbers. The quick one is asked about every place; the thorough
one, eight times as large and better on boards that it never saw, about the tenth of them where the quick one
thinks of a disc.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib import resources
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.checkers.paint import DISC, Paint, Tint
from vision.geometry.flat import RESOLUTION, Map
from vision.light.surface import Surface

WIDE = 17
"""Side in map pixels of the square whose rim is what lies around a disc."""
REACH = WIDE // 2 + 1
"""How far around a place something matters to it, in map pixels."""
WORTH = -6.0
"""Nats that a disc must be worth at a place to the quick network, or the thorough one is not asked about
it."""


def _masks() -> tuple[NDArray[np.float32], ...]:
    """A disc's inside, its ring and both, each DISC x DISC with a sum of 1."""
    k = DISC // 2
    yy, xx = np.mgrid[-k : k + 1, -k : k + 1]
    away = np.hypot(xx, yy) / RESOLUTION
    inside, whole = (np.clip((radius - away) * RESOLUTION + 0.5, 0, 1) for radius in (0.34, 0.47))
    return tuple(np.asarray(mask / mask.sum(), np.float32) for mask in (inside, whole - inside, whole))


INSIDE, RING, WHOLE = _masks()
Network: TypeAlias = tuple[NDArray[np.float32], ...]
"""A matrix and an offset for each layer."""


@cache
def networks() -> tuple[Network, Network]:
    """The quick network and the thorough one."""
    with resources.files("vision.checkers").joinpath("discs.npz").open("rb") as file, np.load(file) as stored:
        quick, thorough = (
            tuple(np.asarray(stored[part], np.float32) for part in stored if part.startswith(name))
            for name in ("quick", "thorough")
        )
        return quick, thorough


@dataclass(frozen=True)
class Moments:
    """One frame's local numbers: ``layers`` (rows x columns x N) at every map pixel and the frame's ``noise``
    in log units."""

    layers: tuple[Map, ...]
    noise: float


@dataclass(frozen=True)
class Discs:
    """The fixed part for one rig: the ``bare`` board, its ``light`` (see ``lamp.spread``) and the paint."""

    bare: Surface
    light: Map
    paint: Paint

    @cached_property
    def _around(self) -> Map:
        """What the bare board would look like without the lamp's fall-off, at every place."""
        plain = self.bare.values.copy()
        plain[..., 0] -= self.light
        return _filter(plain, INSIDE)

    @cached_property
    def _reliefs(self) -> tuple[NDArray[np.float32], ...]:
        return tuple(np.asarray(tint.relief, np.float32) for tint in self.paint.tints)

    def on(self, bare: Surface) -> Discs:
        """The same on a bare board that looks otherwise."""
        return replace(self, bare=bare)

    def moments(self, values: Map, part: tuple[slice, slice] = np.s_[:, :]) -> Moments:
        """The numbers of one relit frame (as of ``colour.logs``), or of a part of it: then places count
        from its first row and column, and are right from REACH pixels inside it on."""
        plain = values[part].copy()
        plain[..., 0] -= self.light[part]
        raw = values - self.bare.values
        noise = float(np.median(np.abs(raw[::3, ::3, 1:]))) * 1.48
        off = np.clip(raw[part] * self.bare.trust[part], -8, 8)
        luma = np.ascontiguousarray(plain[..., 0])
        spread, spread_hue = _powers(off)
        near = (_near(plain, tint) for tint in self.paint.tints)
        layers = (
            _filter(plain, INSIDE),
            _filter(off, INSIDE),
            _filter(off, RING),
            self._around[part],
            _beside(off),
            _filter(_three(*_powers(plain), spread), INSIDE),
            _filter(_three(luma, spread, spread_hue), RING),
            _filter(_three(np.asarray(1 / (1 + 0.5 * (spread + spread_hue)), np.float32), *near), RING),
            _filter(spread_hue, INSIDE),
            *(
                _filter(luma, (relief - (relief * mask).sum()) * mask)
                for mask in (INSIDE, WHOLE)
                for relief in self._reliefs
            ),
        )
        return Moments(layers, noise)

    def numbers(self, moments: Moments, u: Map, v: Map) -> NDArray[np.float32]:
        """What describes the places (u, v: map columns and rows, any 2-D shape), (N,) + shape: one number of
        all places at a time is what a processor is fast at."""
        inside, off, off_ring, around, beside, powers, rings, near, *single = (
            _sample(layer, u, v) for layer in moments.layers
        )
        (lumas, hues, spread), (ring, spread_ring, hue_ring) = powers, rings
        spread_hue, *follows = (layer[0] for layer in single)
        varies = np.maximum(lumas - inside[0] ** 2, 1e-6)
        hues = np.maximum(hues - inside[1] ** 2 - inside[2] ** 2, 1e-6)
        numbers: list[NDArray[np.floating]] = []
        for k, tint in enumerate(self.paint.tints):
            relief = self._reliefs[k]
            low, (_, ca, cb) = float((relief * INSIDE).sum()), tint.colour
            depth = float(((relief - low) ** 2 * INSIDE).sum())
            whole = float(((relief - float((relief * WHOLE).sum())) ** 2 * WHOLE).sum()) + 1e-5
            step = float((relief * RING).sum()) - low
            hue = math.hypot(ca, cb)
            along = (ca / hue, cb / hue) if hue > 1e-3 else (1.0, 0.0)
            da, db = inside[1] - ca, inside[2] - cb
            bright, colourful = _tolerance(tint)
            numbers += [
                (inside[0] - tint.colour[0]) / bright,
                (da * along[0] + db * along[1]) / colourful,
                (db * along[0] - da * along[1]) / colourful,
                _length(da, db) / colourful,
                _ratio(np.maximum(varies - 2 * follows[k] + depth, 0), tint.grain[0] ** 2),
                _ratio(hues, 2 * tint.grain[1] ** 2),
                (ring - inside[0] - step) / 0.1,
                (tint.colour[0] - around[0]) / 0.4,
                _length(ca - around[1], cb - around[2]) / (2 * colourful),
                np.full(u.shape, tint.gloss / 0.3),
                follows[2 + k] * (2 / whole),
                follows[2 + k] / (math.sqrt(whole) * 0.04),
                4 * near[1 + k] - 2,
            ]
        numbers += [
            _ratio(varies, 0.04**2),
            _ratio(hues, 0.02**2),
            (inside[0] - around[0]) / 0.15,
            _length(inside[1] - around[1], inside[2] - around[2]) / 0.05,
            off[0] / 2,
            _length(off[1], off[2]) / 2,
            _ratio(spread, 1.0),
            _ratio(spread_hue, 2.0),
            off_ring[0] / 2,
            _length(off_ring[1], off_ring[2]) / 2,
            _ratio(spread_ring, 1.0),
            _ratio(hue_ring, 2.0),
            np.full(u.shape, math.log(moments.noise / 0.012 + 0.2)),
            4 * near[0] - 2,
            beside[0] / 2,
            _length(beside[1], beside[2]) / 2,
        ]
        found = np.stack(numbers, dtype=np.float32, casting="same_kind")
        return np.asarray(np.clip(found, -6, 6, out=found))

    def gains(self, moments: Moments, u: Map, v: Map) -> list[NDArray[np.float32]]:
        """For each tint: how much likelier (nats) a disc of it is at the places than none of its colour or
        any."""
        numbers = self.numbers(moments, u, v).reshape(-1, u.size)
        quick, thorough = networks()
        gains = _gains(quick, numbers)
        likely = np.flatnonzero(gains.max(axis=0) > WORTH)
        gains[:, likely] = _gains(thorough, numbers[:, likely])
        return list(gains.reshape(-1, *u.shape))

    def best_near(self, moments: Moments, column: float, row: float) -> list[tuple[float, float, float]]:
        """For each tint the best match within a third of a checker of a place, to a fraction of a map pixel:
        column, row, nats."""
        around = np.arange(-RESOLUTION // 3, RESOLUTION // 3 + 0.01, 0.5)
        u, v = np.meshgrid(column + around, row + around)
        away = 0.05 * np.hypot(u - column, v - row) ** 2
        found = []
        for gains in self.gains(moments, u.astype(np.float32), v.astype(np.float32)):
            near = gains - away
            weight = np.exp(np.clip(near - near.max(), -50, 0)) * (near > near.max() - 3)
            best_u, best_v = (float(np.average(at, weights=weight)) for at in (u, v))
            found.append((best_u, best_v, float(near.max())))
        return found


def _gains(network: Network, numbers: NDArray[np.float32]) -> NDArray[np.float32]:
    """What a network says of places (N x places): for each tint, how much likelier (nats) a disc of it is
    than none of its colour or any."""
    signal = numbers
    for index in range(0, len(network), 2):
        signal = network[index].T @ signal
        signal += network[index + 1][:, None]
        if index < len(network) - 2:
            np.maximum(signal, 0, out=signal)
    return np.asarray(signal[1:-1] - np.logaddexp(signal[0], signal[-1]))


def _filter(layer: Map, mask: NDArray[np.float32]) -> Map:
    return np.asarray(cv2.filter2D(layer, cv2.CV_32F, mask, borderType=cv2.BORDER_REPLICATE), np.float32)


def _sample(layer: Map, u: Map, v: Map) -> NDArray[np.float32]:
    """A layer (of one or three channels: OpenCV 5 is less exact with two) at places between its pixels:
    channels x the places' shape."""
    found = cv2.remap(layer, u, v, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cv2.transpose(found.reshape(u.size, -1)), np.float32).reshape(-1, *u.shape)


def _three(*layers: Map) -> Map:
    """Three layers as one: filtered and sampled together they take less time."""
    return np.asarray(cv2.merge(layers), np.float32)


def _near(plain: Map, tint: Tint) -> Map:
    """Pixel by pixel, how much like a tint: 1 its own colour, 0 far from it. A disc that mirrors a lamp still
    shows its own somewhere."""
    bright, colourful = _tolerance(tint)
    worth = np.array([1 / bright, 1 / colourful, 1 / colourful]) * math.sqrt(0.5)
    away = cv2.transform(plain, np.column_stack([np.diag(worth), -worth * tint.colour]).astype(np.float32))
    return np.asarray(1 / cv2.transform(away * away, np.ones((1, 4), np.float32)), np.float32)


def _beside(off: Map) -> Map:
    """How what lies around each place differs from the surface: the lamp may be mirrored there too."""
    wide, narrow = WIDE * WIDE, DISC * DISC
    part = 1 / (wide - narrow)
    rim = cv2.addWeighted(
        cv2.blur(off, (WIDE, WIDE)), wide * part, cv2.blur(off, (DISC, DISC)), -narrow * part, 0.0
    )
    return np.asarray(rim, np.float32)


def _tolerance(tint: Tint) -> tuple[float, float]:
    """How much luma and chroma of a tint's discs may differ from its own."""
    return 0.1 + 0.8 * tint.offset[0], 0.03 + tint.offset[1]


def _powers(values: Map) -> tuple[Map, Map]:
    """Squares of luma, and of both chromas summed."""
    squares = values * values
    return np.ascontiguousarray(squares[..., 0]), np.asarray(squares[..., 1] + squares[..., 2], np.float32)


def _length(x: NDArray[np.floating], y: NDArray[np.floating]) -> NDArray[np.floating]:
    """As ``np.hypot``, which takes four times as long to be safe from numbers that never occur here."""
    return np.asarray(np.sqrt(x * x + y * y))


def _ratio(power: NDArray[np.floating], usual: float) -> NDArray[np.floating]:
    return np.asarray(0.5 * np.log((power + 1e-5) / usual))
