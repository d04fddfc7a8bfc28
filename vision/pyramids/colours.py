"""What two colours of pyramids look like, pixel by pixel, against an empty board that is known.

A pyramid's faces are lit differently, mirror the lamp and carry dark pips, so a colour here is a table of how
often each luma and chroma was seen on pieces of that side; nothing is assumed about it. A pixel speaks for a
side by how much likelier that side's table finds it than the empty board there, in light or in shadow, or the
other side's table.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry.flat import Map
from vision.light.surface import TYPICAL, Surface
from vision.picture.masks import Mask
from vision.planar import OtherLook
from vision.stored import bounded, picture_from, picture_to


@dataclass(frozen=True)
class Axes:
    """How a table divides luma and chromas: the ``least`` of each in it, how far they ``reach`` from there
    (log units), and into how many ``bins``."""

    least: tuple[float, float, float] = (2.4, -1.2, -1.2)
    reach: tuple[float, float, float] = (5.8 - 2.4, 2 * 1.2, 2 * 1.2)
    bins: tuple[int, int, int] = (18, 48, 48)

    @property
    def volume(self) -> float:
        """Of all that is in a table (cubed log units)."""
        return math.prod(self.reach)

    def places(self, values: NDArray[np.float32]) -> NDArray[np.int32]:
        """Where in a (flattened) table each value is counted."""
        steps = np.asarray(np.array(self.bins) / self.reach, np.float32)
        at = values * steps - np.array(self.least, np.float32) * steps
        at = np.clip(at, 0, np.array(self.bins, np.float32) - 1).astype(np.int32)
        return np.asarray((at[..., 0] * self.bins[1] + at[..., 1]) * self.bins[2] + at[..., 2], np.int32)


AXES = Axes()
FAINT = 2e-3
"""The part of anything that follows no table (dirt, sparkles), over the whole range."""


@dataclass(frozen=True)
class Depths:
    """How deep shadows are: at the ``deepest`` so much darker (log units), which is divided into
    ``steps``."""

    deepest: float = 1.4
    steps: int = 14

    def of(self, dark: NDArray[np.float32]) -> NDArray[np.int32]:
        """The step of what is so much lighter than the board."""
        step = dark * np.float32(-self.steps / self.deepest)
        return np.asarray(np.clip(step, 0, self.steps - 1), np.int32)


DEPTHS = Depths()
UNSEEN = 0.1
"""How much is left of what was thought of shadows once they were seen: elsewhere on the board they may be
others."""
CLIPPED = 3.0
"""Nats within which one pixel speaks."""
PINNED = 1.0
"""Nats that a pixel of the other side's colour speaks against a piece at most: less than bare board does,
since what is pinned may show."""


@dataclass(frozen=True)
class PieceColours:
    """Both sides' log-densities over luma and chromas (2 x ``AXES.bins``)."""

    tables: NDArray[np.float32]

    @classmethod
    def learn(cls, samples: Sequence[NDArray[np.float32]]) -> PieceColours:
        """From what was seen of each side (N x 3: luma, chromas).

        A sample speaks for its neighbours: most of it near by, some further off, since elsewhere on the board
        a face may lie in a light that no piece was learned in."""
        tables = []
        for seen in samples:
            counts = np.zeros(AXES.bins, np.float32)
            np.add.at(counts.ravel(), AXES.places(seen), 1.0)
            density = (
                0.5 * _smoothed(counts, 0.6, 0.6)
                + 0.4 * _smoothed(counts, 1.0, 1.0)
                + 0.1 * _smoothed(counts, 2.0, 3.0)
            ) / AXES.volume
            tables.append(np.log((1 - FAINT) * density + FAINT / AXES.volume))
        return cls(np.asarray(np.stack(tables), np.float32))

    def odds(self, values: Map, board: BareBoard) -> tuple[Map, Map]:
        """For each side, by how many nats every pixel of a relit map speaks for a piece of it rather than for
        the bare board."""
        places = AXES.places(values)
        white, black = (np.take(table, places) for table in self.tables)
        bare = board.density(values)
        return _odds(white, black, bare), _odds(black, white, bare)

    def to_json(self) -> dict[str, Any]:
        """A compact form: tenths of a nat over the faintest, one byte each, as a PNG."""
        base = float(self.tables.min())
        tenths = np.clip(np.round((self.tables - base) * 10), 0, 255).astype(np.uint8)
        return {"base": base, "png": picture_to(tenths.reshape(-1, AXES.bins[2]))}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> PieceColours:
        """The inverse. Raises KeyError, TypeError or ValueError on another shape."""
        tenths = picture_from(data["png"])[..., 0].reshape(2, *AXES.bins)
        return cls(np.asarray(tenths / 10 + bounded(data["base"]), np.float32))


@dataclass(frozen=True)
class Beside:
    """How bare pixels beside pieces look. ``spread``: what they differ by from the empty board (luma and
    chromas, log units); ``shade``: how often they are in shadow, by steps of its depth (DEPTHS). The usual
    ones hold where nothing was seen."""

    spread: tuple[float, ...] = (0.09, 0.035, 0.035)
    shade: tuple[float, ...] = (0.25 / DEPTHS.steps,) * DEPTHS.steps

    @classmethod
    def seen(cls, values: Map, surface: Surface, around: Mask) -> Beside:
        """As a relit map shows them ``around`` known pieces: reflections, colours that a JPEG smears, and
        shadows as the lamps throw them there."""
        off = (values - surface.values)[around]
        if len(off) < 200:
            return cls()
        spread = np.maximum(np.percentile(np.abs(off), 80, axis=0) / 1.28, TYPICAL)
        far = off / spread
        board = (far[:, 1:] ** 2).sum(axis=1) < 9
        deep = off[board & (far[:, 0] < -1.5) & (off[:, 0] > -DEPTHS.deepest), 0]
        counts = np.bincount(DEPTHS.of(deep), minlength=DEPTHS.steps) / max(int(np.count_nonzero(board)), 1)
        often = np.convolve(np.pad(counts, 1, mode="edge"), (0.25, 0.5, 0.25), "valid")
        shade = UNSEEN * np.array(cls.shade) + (1 - UNSEEN) * often
        return cls(tuple(spread.tolist()), tuple(shade.tolist()))

    def to_json(self) -> dict[str, Any]:
        """Plain."""
        return {
            "spread": [round(off, 4) for off in self.spread],
            "shade": [round(often, 5) for often in self.shade],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Beside:
        """The inverse. Raises KeyError, TypeError or ValueError on another shape."""
        spread = tuple(bounded(off, 0.001, 1.0) for off in data["spread"])
        shade = tuple(bounded(often, 0.0, 1.0) for often in data["shade"])
        if len(spread) != 3 or len(shade) != DEPTHS.steps or sum(shade) >= 1:
            raise ValueError("what is beside pieces does not fit the board")
        return cls(spread, shade)


class BareBoard:
    """The empty board, and how likely a pixel is where nothing stands: as learned, in shadow, or something
    odd. ``beside``: how it looks beside pieces; ``other``: a part of the map that may look otherwise when it
    is bare."""

    def __init__(
        self, surface: Surface, beside: Beside | None = None, other: OtherLook | None = None
    ) -> None:
        beside = beside or Beside()
        # One over its trust is what a bare pixel differs by because of the surface's own edges.
        spread = np.hypot(
            np.asarray(beside.spread, np.float32), 1 / np.maximum(surface.trust, 1e-3) - TYPICAL
        )
        area = 2 * np.pi * spread[..., 1] * spread[..., 2]
        self._surface, self._other = surface.values, other
        self._shade = np.asarray(beside.shade, np.float32)
        self._sharp = np.asarray(1 / spread, np.float32)
        lit = 1 - sum(beside.shade)
        self._plain = np.asarray(lit / (np.sqrt(2 * np.pi) * spread[..., 0] * area), np.float32)
        self._shadow = np.asarray(DEPTHS.steps / (DEPTHS.deepest * area * 2.25), np.float32)

    def density(self, values: Map) -> Map:
        """Log-density of every pixel of a relit map."""
        density = self._density(values - self._surface, (slice(None), slice(None)))
        if self._other is not None:
            part = self._other.part
            off = values[part] - self._other.surface.values
            density[part] = np.maximum(density[part], self._density(off, part))
        return np.asarray(cv2.log(density), np.float32)

    def _density(self, off: Map, part: tuple[slice, slice]) -> Map:
        dark = off[..., 0]
        off = off * self._sharp[part]
        hue = off[..., 1] ** 2 + off[..., 2] ** 2
        plain = cv2.exp(-0.5 * (off[..., 0] ** 2 + hue)) * self._plain[part]
        depth = DEPTHS.of(dark)
        shadow = cv2.exp(hue * np.float32(-0.5 / 2.25)) * self._shadow[part] * np.take(self._shade, depth)
        shadow[(dark > 0.1) | (dark < -DEPTHS.deepest)] = 0
        return np.asarray(plain + shadow + np.float32(FAINT / AXES.volume), np.float32)


def _odds(own: Map, other: Map, bare: Map) -> Map:
    """Against the likelier of bare board and the other side's colour."""
    against = np.clip(own - bare, -CLIPPED, CLIPPED)
    return np.asarray(np.where(other > bare, np.clip(own - other, -PINNED, CLIPPED), against), np.float32)


def _smoothed(counts: NDArray[np.float32], lumas: float, hues: float) -> NDArray[np.float32]:
    """Counts spread over their neighbours in a table, so far in luma and chroma; their mean becomes 1."""
    hued = np.stack([cv2.GaussianBlur(layer, (0, 0), hues) for layer in counts])
    along = cv2.getGaussianKernel(2 * round(3 * lumas) + 1, lumas)
    smoothed = np.asarray(
        cv2.sepFilter2D(hued.reshape(AXES.bins[0], -1), -1, np.ones(1), along), np.float32
    ).reshape(counts.shape)
    return smoothed / max(float(smoothed.mean()), 1e-9)
