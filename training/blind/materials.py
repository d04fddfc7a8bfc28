"""What a painted table is made of: colours, noise, sheets of felt, leather and wood, and the canvas that they
are laid on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from training.blind.scene import Scene
from vision.disc_finder.flat_map import FIELD, MARGIN

FIELD_W, FIELD_H = FIELD
FINE = 2  # the painter works at twice the network's resolution
Image = NDArray[np.float32]


def noise(
    rng: np.random.Generator, h: int, w: int, cell: float, stretch: tuple[float, float] = (1.0, 1.0)
) -> Image:
    """Smooth noise of about unit size, its grain ``cell`` pixels wide, drawn out by ``stretch`` (x, y)."""
    gh, gw = max(2, int(h / (cell * stretch[1])) + 2), max(2, int(w / (cell * stretch[0])) + 2)
    return cv2.resize(rng.standard_normal((gh, gw), dtype=np.float32), (w, h), interpolation=cv2.INTER_CUBIC)


@cache
def _drawn() -> Image:
    return np.random.default_rng(7).standard_normal(1 << 23, dtype=np.float32)


def grains(rng: np.random.Generator, count: int) -> Image:
    """Normal noise, cut out of what was drawn once: to draw it anew took a sixth of a picture's time."""
    first = int(rng.integers(len(_drawn()) - count))
    return _drawn()[first : first + count]


def hsv(h: float, s: float, v: float) -> NDArray[np.float32]:
    return cv2.cvtColor(np.float32([[[h % 360, s, v]]]), cv2.COLOR_HSV2BGR)[0, 0]


def any_colour(rng: np.random.Generator) -> NDArray[np.float32]:
    kind = rng.random()
    if kind < 0.25:
        return hsv(rng.uniform(0, 60), rng.uniform(0.0, 0.25), rng.uniform(0.6, 0.97))  # white, cream, ivory
    if kind < 0.42:
        return hsv(
            rng.uniform(0, 360), rng.uniform(0.0, 0.35), rng.uniform(0.03, 0.25)
        )  # black, charcoal, navy
    if kind < 0.6:
        return hsv(
            rng.uniform(10, 40), rng.uniform(0.3, 0.85), rng.uniform(0.2, 0.8)
        )  # woods, leathers, cork
    if kind < 0.7:
        return hsv(rng.uniform(0, 360), rng.uniform(0.0, 0.1), rng.uniform(0.2, 0.7))  # greys
    return hsv(rng.uniform(0, 360), rng.uniform(0.4, 1.0), rng.uniform(0.2, 0.95))


def checker_colours(rng: np.random.Generator) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Two colours that a player can tell apart, the lighter first."""
    while True:
        kind = rng.random()
        if kind < 0.55:
            one = hsv(rng.uniform(15, 60), rng.uniform(0, 0.25), rng.uniform(0.7, 0.98))
            two = any_colour(rng)
        else:
            one, two = any_colour(rng), any_colour(rng)
        a, b = (cv2.cvtColor(np.float32([[c]]), cv2.COLOR_BGR2LAB)[0, 0] for c in (one, two))
        if np.linalg.norm(a - b) > 26 and abs(a[0] - b[0]) > 7:
            return (one, two) if a[0] > b[0] else (two, one)


@dataclass
class Canvas:
    """A picture in the rectified frame at FINE times the network's scale; scene units in, pixels out."""

    scene: Scene
    bgr: Image

    def px(self, x: float, y: float) -> tuple[float, float]:
        s = self.scene
        return FINE * (MARGIN + x * FIELD_W / s.width), FINE * (MARGIN + (s.height - y) * FIELD_H / s.height)

    def polygon(self, points: list[tuple[float, float]], z: float = 0.0) -> NDArray[np.int32]:
        out = []
        for x, y in points:
            u, v, _ = self.scene.project(x, y, z)
            out.append(self.px(u, v))
        return np.int32(np.round(np.array(out) * 16))

    def mask(self, polygons: list[NDArray[np.int32]]) -> Image:
        m = np.zeros(self.bgr.shape[:2], np.uint8)
        for p in polygons:
            cv2.fillPoly(m, [p], 255, cv2.LINE_AA, 4)
        return m.astype(np.float32) / 255

    def lay(self, mask: Image, colour: Image | NDArray[np.float32]) -> None:
        rows, cols = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
        if len(rows) == 0:
            return
        box = np.s_[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1]
        m = np.ascontiguousarray(mask[box])
        view = self.bgr[box]
        if colour.ndim == 3:
            over = colour[box]
        else:
            over = np.empty(view.shape, np.float32)
            over[:] = colour
        view[:] = cv2.blendLinear(
            np.ascontiguousarray(over, np.float32), np.ascontiguousarray(view), m, 1 - m
        )


def surface(rng: np.random.Generator, colour: NDArray[np.float32], h: int, w: int) -> Image:
    """A sheet of material: felt, leather, wood, cork, plain."""
    kind = rng.random()
    if kind < 0.35:
        return times(colour, 1 + rng.uniform(0, 0.02) * noise(rng, h, w, 2))
    if kind < 0.6:
        grain = rng.uniform(0.02, 0.12) * noise(rng, h, w, rng.uniform(1.5, 4)) + rng.uniform(
            0, 0.08
        ) * noise(rng, h, w, rng.uniform(5, 15))
        return times(colour, 1 + grain)
    if kind < 0.85:
        stretch = (1.0, rng.uniform(6, 25)) if rng.random() < 0.6 else (rng.uniform(6, 25), 1.0)
        grain = rng.uniform(0.03, 0.15) * noise(rng, h, w, rng.uniform(2, 8), stretch) + rng.uniform(
            0, 0.06
        ) * noise(rng, h, w, 30)
        return times(colour, 1 + grain)
    other = any_colour(rng) * 0.25 - colour * 0.25  # spots, half of another colour
    spots = (noise(rng, h, w, rng.uniform(2, 10)) > rng.uniform(0.3, 1.5)).astype(np.float32)
    return np.asarray(
        cv2.merge([spots * part + own for part, own in zip(other, colour, strict=True)]), np.float32
    )


def times(colour: NDArray[np.float32], gain: Image) -> Image:
    """A sheet of a colour (rows x columns x 3), brighter and darker by a gain."""
    gain = np.asarray(gain, np.float32)
    return np.asarray(cv2.merge([gain * np.float32(part) for part in colour]), np.float32)
