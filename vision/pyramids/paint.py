"""What two colours of pyramids look like, pixel by pixel, against an empty board that is known.

A pyramid's faces are lit differently, mirror the lamp and carry dark pips, so a colour here is a table of how
often each luma and chroma was seen on pieces of that side; nothing is assumed about it. A pixel speaks for a
side by how much likelier that side's table finds it than the empty board there, in light or in shadow, or the
other side's table.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry.flat import Map

LOW, HIGH, LUMAS = 2.4, 5.8, 18
"""Range and number of lumas (log units) in a table."""
REACH, HUES = 1.2, 48
"""Range of both chromas, and their number."""
VOLUME = (HIGH - LOW) * (2 * REACH) ** 2
SMOOTH = ((0.9, (1.0, 1.0)), (0.1, (2.0, 3.0)))
"""How far a sample speaks for its neighbours (luma and chroma, in steps of the table): most of it near by,
some further off, since elsewhere on the board a face may lie in a light that no piece was learned in."""
FAINT = 2e-3
"""The part of anything that follows no table (dirt, sparkles), over the whole range."""
BARE = np.array([0.09, 0.035, 0.035], np.float32)
"""What a bare pixel differs by from the empty board."""
SHADOWED, DEEPEST = 0.25, 1.4
"""How often a bare pixel near pieces is in shadow, and how much darker it is at most (log units)."""
MOST = 3.0
"""Nats within which one pixel speaks."""
PINNED = 1.0
"""Nats that a pixel of the other side's colour speaks against a piece: less than bare board does, since what
is pinned may show."""

Tables = NDArray[np.float32]
"""Two log-densities over luma and chromas (2 x LUMAS x HUES x HUES)."""


@dataclass(frozen=True)
class Dyes:
    """Both sides' tables."""

    tables: Tables

    def speaks(self, values: Map, ground: Ground) -> tuple[Map, Map]:
        """For each side, by how many nats every pixel of a relit map speaks for a piece of it rather than for
        the bare board."""
        places = _places(values)
        seen = [np.take(table, places) for table in self.tables]
        bare = ground.bare(values)
        found = []
        for own, other in ((seen[0], seen[1]), (seen[1], seen[0])):
            against = np.clip(own - bare, -MOST, MOST)
            found.append(
                np.asarray(np.where(other > bare, np.clip(own - other, -PINNED, MOST), against), np.float32)
            )
        return found[0], found[1]

    def to_json(self) -> dict[str, Any]:
        """A compact form: tenths of a nat over the faintest, one byte each, as a PNG."""
        base = float(self.tables.min())
        tenths = np.clip(np.round((self.tables - base) * 10), 0, 255).astype(np.uint8)
        done, png = cv2.imencode(".png", tenths.reshape(-1, HUES))
        if not done:
            raise ValueError("the colours do not encode as PNG")
        return {"base": base, "png": base64.b64encode(png.tobytes()).decode("ascii")}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Dyes:
        """The inverse. Raises KeyError, TypeError or ValueError on another shape."""
        image = cv2.imdecode(
            np.frombuffer(base64.b64decode(data["png"], validate=True), np.uint8), cv2.IMREAD_GRAYSCALE
        )
        if image is None:
            raise ValueError("the colours are no PNG")
        return cls(np.asarray(image.reshape(2, LUMAS, HUES, HUES) / 10 + float(data["base"]), np.float32))


class Ground:
    """The empty board, and how likely a pixel is where nothing stands: as learned, in shadow, or something
    odd."""

    def __init__(
        self, surface: Map, trust: Map, other: tuple[tuple[slice, slice], Map] | None = None
    ) -> None:
        """``trust`` is one over what a bare pixel differs by because of the surface's own edges; ``other``: a
        part of the map that may look otherwise when it is bare, and how."""
        spread = np.hypot(BARE, 1 / np.maximum(trust, 1e-3) - 0.02)
        area = 2 * np.pi * spread[..., 1] * spread[..., 2]
        self._surface, self._other = surface, other
        self._sharp = np.asarray(1 / spread, np.float32)
        self._plain = np.asarray((1 - SHADOWED) / (np.sqrt(2 * np.pi) * spread[..., 0] * area), np.float32)
        self._shadow = np.asarray(SHADOWED / (DEEPEST * area * 2.25), np.float32)

    def bare(self, values: Map) -> Map:
        """Log-density of every pixel of a relit map."""
        density = self._density(values - self._surface, (slice(None), slice(None)))
        if self._other is not None:
            part, surface = self._other
            density[part] = np.maximum(density[part], self._density(values[part] - surface, part))
        return np.asarray(cv2.log(density), np.float32)

    def _density(self, away: Map, part: tuple[slice, slice]) -> Map:
        dark = away[..., 0]
        away = away * self._sharp[part]
        hue = away[..., 1] ** 2 + away[..., 2] ** 2
        plain = cv2.exp(-0.5 * (away[..., 0] ** 2 + hue)) * self._plain[part]
        shadow = (
            cv2.exp(hue * np.float32(-0.5 / 2.25)) * self._shadow[part] * ((dark < 0.1) & (dark > -DEEPEST))
        )
        return np.asarray(plain + shadow + np.float32(FAINT / VOLUME), np.float32)


def dye(samples: Sequence[NDArray[np.float32]]) -> Dyes:
    """Tables from what was seen of each side (N x 3: luma, chromas)."""
    tables = []
    for seen in samples:
        counts = np.zeros((LUMAS, HUES, HUES), np.float32)
        np.add.at(counts.ravel(), _places(seen), 1.0)
        density = sum(part * _smoothed(counts, *reach) for part, reach in SMOOTH) / VOLUME
        tables.append(np.log((1 - FAINT) * density + FAINT / VOLUME))
    return Dyes(np.asarray(np.stack(tables), np.float32))


def _smoothed(counts: NDArray[np.float32], lumas: float, hues: float) -> NDArray[np.float32]:
    """Counts spread over their neighbours in a table, so far in luma and chroma; their mean becomes 1."""
    hued = np.stack([cv2.GaussianBlur(layer, (0, 0), hues) for layer in counts])
    along = cv2.getGaussianKernel(2 * round(3 * lumas) + 1, lumas)
    smoothed = np.asarray(
        cv2.sepFilter2D(hued.reshape(LUMAS, -1), -1, np.ones(1), along), np.float32
    ).reshape(counts.shape)
    return smoothed / max(float(smoothed.mean()), 1e-9)


def _places(values: NDArray[np.float32]) -> NDArray[np.int32]:
    """Where in a (flattened) table each value is counted."""
    steps = np.array([LUMAS / (HIGH - LOW), HUES / (2 * REACH), HUES / (2 * REACH)], np.float32)
    first = np.array([-LOW, REACH, REACH], np.float32) * steps
    bins = np.clip(values * steps + first, 0, np.array([LUMAS, HUES, HUES], np.float32) - 1).astype(np.int32)
    return np.asarray((bins[..., 0] * HUES + bins[..., 1]) * HUES + bins[..., 2], np.int32)
