"""What two colours of pyramids look like, pixel by pixel, against an empty board that is known.

A pyramid's faces are lit differently, mirror the lamp and carry dark pips, so a colour here is a table of how often each luma and
chroma was seen on pieces of that side; nothing is assumed about it. A pixel speaks for a side by how much likelier that side's table
finds it than the empty board there, in light or in shadow, or the other side's table.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.scene import Map

LOW, HIGH, LUMAS = 2.4, 5.8, 18
"""Range and number of lumas (log units) in a table."""
REACH, HUES = 1.2, 48
"""Range of both chromas, and their number."""
SMOOTH = (1.0, 1.0)
"""How far a sample speaks for its neighbours: luma and chroma, in steps of the table."""
FAINT = 2e-3
"""The part of anything that follows no table (dirt, sparkles), over the whole range."""
BARE = np.array([0.09, 0.035, 0.035], np.float32)
"""What a bare pixel differs by from the empty board."""
SHADOWED, DEEPEST = 0.25, 1.4
"""How often a bare pixel near pieces is in shadow, and how much darker it is at most (log units)."""
MOST = 3.0
"""Nats within which one pixel speaks."""
PINNED = 1.0
"""Nats that a pixel of the other side's colour speaks against a piece: less than bare board does, since what is pinned may show."""

Tables = NDArray[np.float32]
"""Two log-densities over luma and chromas (2 x LUMAS x HUES x HUES)."""


@dataclass(frozen=True)
class Dyes:
    """Both sides' tables."""

    tables: Tables

    def speaks(self, values: Map, surface: Map, trust: Map) -> tuple[Map, Map]:
        """For each side, by how many nats every pixel of a relit map speaks for a piece of it. ``trust`` is one over
        what a bare pixel differs by because of the surface's own edges."""
        places = _places(values)
        seen = [np.asarray(table[places], np.float32) for table in self.tables]
        bare = _bare(values, surface, trust)
        found = []
        for own, other in ((seen[0], seen[1]), (seen[1], seen[0])):
            against = np.clip(own - bare, -MOST, MOST)
            found.append(np.asarray(np.where(other > bare, np.clip(own - other, -PINNED, MOST), against), np.float32))
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
        image = cv2.imdecode(np.frombuffer(base64.b64decode(data["png"], validate=True), np.uint8), cv2.IMREAD_GRAYSCALE)
        if image is None:
            raise ValueError("the colours are no PNG")
        return cls(np.asarray(image.reshape(2, LUMAS, HUES, HUES) / 10 + float(data["base"]), np.float32))


def dye(samples: Sequence[NDArray[np.float32]]) -> Dyes:
    """Tables from what was seen of each side (N x 3: luma, chromas)."""
    volume = (HIGH - LOW) * (2 * REACH) ** 2
    tables = []
    for seen in samples:
        counts = np.zeros((LUMAS, HUES, HUES), np.float32)
        np.add.at(counts, _places(seen), 1.0)
        for layer in counts:
            layer[:] = cv2.GaussianBlur(layer, (0, 0), SMOOTH[1])
        smoothed = np.asarray(cv2.GaussianBlur(counts.reshape(LUMAS, -1), (1, 5), sigmaX=0.1, sigmaY=SMOOTH[0])).reshape(counts.shape)
        density = smoothed / max(float(smoothed.sum()), 1e-6) * counts.size / volume
        tables.append(np.log((1 - FAINT) * density + FAINT / volume))
    return Dyes(np.asarray(np.stack(tables), np.float32))


def _places(values: NDArray[np.float32]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    luma = np.clip((values[..., 0] - LOW) * (LUMAS / (HIGH - LOW)), 0, LUMAS - 1).astype(np.int64)
    first, second = (np.clip((values[..., k] + REACH) * (HUES / (2 * REACH)), 0, HUES - 1).astype(np.int64) for k in (1, 2))
    return luma, first, second


def _bare(values: Map, surface: Map, trust: Map) -> Map:
    """Log-density of every pixel if nothing stands there: as learned, in shadow, or something odd."""
    volume = (HIGH - LOW) * (2 * REACH) ** 2
    spread = np.hypot(BARE, 1 / np.maximum(trust, 1e-3) - 0.02)
    off = (values - surface) / spread
    hue = off[..., 1] ** 2 + off[..., 2] ** 2
    area = 2 * np.pi * spread[..., 1] * spread[..., 2]
    plain = np.exp(-0.5 * (off[..., 0] ** 2 + hue)) / (np.sqrt(2 * np.pi) * spread[..., 0] * area)
    dark = values[..., 0] - surface[..., 0]
    shadow = np.where((dark < 0.1) & (dark > -DEEPEST), np.exp(-0.5 * hue / 2.25) / (DEEPEST * area * 2.25), 0)
    return np.asarray(np.log((1 - SHADOWED) * plain + SHADOWED * shadow + FAINT / volume), np.float32)
