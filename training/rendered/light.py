"""Light on the sheets of a drawn table (``relief``): lamps and their shadows, light from all round, what
varnish mirrors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from training.rendered.table import Board, View

Floats = NDArray[np.float32]
SHADE = 2
"""How much coarser shadows are drawn."""


@dataclass
class Sheet:
    """What there is at one height: colour (linear) and cover, its normals' slant (x, y), gloss."""

    z: float
    colour: Floats
    cover: Floats
    slant: Floats
    gloss: Floats


@dataclass(frozen=True)
class Ground:
    """The sheets' common grid: ``left`` and ``high`` are its edges in cm, ``scale`` its pixels to a cm."""

    left: float
    high: float
    scale: float
    shape: tuple[int, int]

    def at(self, x: float, y: float) -> tuple[float, float]:
        return (x - self.left) * self.scale - 0.5, (self.high - y) * self.scale - 0.5

    def sheet(self, z: float) -> Sheet:
        rows, columns = self.shape
        return Sheet(
            z,
            np.zeros((rows, columns, 3), np.float32),
            np.zeros((rows, columns), np.float32),
            np.zeros((rows, columns, 2), np.float32),
            np.zeros((rows, columns), np.float32),
        )

    def box(self, x0: float, y0: float, x1: float, y1: float) -> tuple[slice, slice]:
        (a, b), (c, d) = self.at(x0, y1), self.at(x1, y0)
        return slice(max(round(b + 0.5), 0), max(round(d + 0.5), 0)), slice(
            max(round(a + 0.5), 0), max(round(c + 0.5), 0)
        )


class Shade:
    """What of each lamp's light, and of the light from all round, reaches which height. Heights are taken
    together within ``step``."""

    def __init__(
        self, sheets: list[Sheet], ground: Ground, lamps: list[NDArray[np.float64]], step: float
    ) -> None:
        self._ground, self._lamps, self._step = ground, lamps, step
        rows, columns = ground.shape
        self._size = (columns // SHADE, rows // SHADE)
        self._levels: dict[int, Floats] = {}
        for sheet in sheets:
            if sheet.z > 0.05:
                level = round(sheet.z / step)
                cover = cv2.resize(sheet.cover, self._size, interpolation=cv2.INTER_AREA)
                self._levels[level] = (
                    np.maximum(self._levels[level], cover) if level in self._levels else cover
                )
        self._known: dict[int, list[Floats]] = {}

    def at(self, z: float) -> list[Floats]:
        """The part (rows x columns) that is let through to height ``z``: all round first, then of every
        lamp."""
        here = round(z / self._step)
        if here not in self._known:
            above = {level: cover for level, cover in self._levels.items() if level > here}
            around = np.zeros(self._size[::-1], np.float32)
            for level, cover in above.items():
                wide = (level - here) * self._step * self._ground.scale / SHADE
                around = np.maximum(around, cv2.GaussianBlur(cover, (0, 0), max(wide, 0.6)))
            passed = [1 - 0.7 * around]
            for lamp in self._lamps:
                dark = np.zeros_like(around)
                for level, cover in above.items():
                    dark = np.maximum(dark, self._cast(cover, lamp, level * self._step, here * self._step))
                passed.append(1 - dark)
            rows, columns = self._ground.shape
            self._known[here] = [np.asarray(cv2.resize(part, (columns, rows)), np.float32) for part in passed]
        return self._known[here]

    def _cast(self, cover: Floats, lamp: NDArray[np.float64], above: float, onto: float) -> Floats:
        """The shadow on height ``onto`` of what covers height ``above``."""
        grow = (lamp[2] - onto) / (lamp[2] - above)
        u, v = (value / SHADE for value in self._ground.at(float(lamp[0]), float(lamp[1])))
        warp = np.array([[grow, 0, u * (1 - grow)], [0, grow, v * (1 - grow)]])
        return np.asarray(cv2.warpAffine(cover, warp, self._size, flags=cv2.INTER_LINEAR), np.float32)


@dataclass(frozen=True)
class Sheen:
    """A wide lamp or a window mirrored in varnish: where (cm), how wide, how bright, and how much of it the
    board itself shows."""

    x: float
    y: float
    reach: float
    strength: float
    board: float

    def on(self, at: Floats, slant: Floats, gloss: Floats) -> Floats:
        """The light that it adds at places (N x 3) with these slants and this gloss."""
        seen = at[:, :2] + slant * np.float32(self.reach)
        fall = np.exp(-((seen[:, 0] - self.x) ** 2 + (seen[:, 1] - self.y) ** 2) / self.reach**2)
        part = np.where(at[:, 2] > 0.1, 0.3 + gloss, self.board * gloss)
        return np.asarray(self.strength * fall * part, np.float32)


def random_sheen(rng: np.random.Generator, board: Board) -> Sheen | None:
    if rng.random() < 0.4:
        return None
    x, y = rng.uniform(-5, board.width + 5), rng.uniform(-5, board.height + 5)
    return Sheen(
        float(x), float(y), float(rng.uniform(6, 25)), float(rng.uniform(0.1, 1.5)), float(rng.uniform(0, 1))
    )


def lamps(
    rng: np.random.Generator, ground: Ground, view: View
) -> tuple[list[NDArray[np.float64]], list[tuple[Floats, float]]]:
    """Where light comes from, and of each place the power of each colour and how sharply it is mirrored."""
    rows, columns = ground.shape
    middle = np.array([ground.left + columns / 2 / ground.scale, ground.high - rows / 2 / ground.scale, 0])
    places, powers = [], []
    for lx, ly, lz, size, strength, warmth in view.lamps:
        tint = np.float32([1 + 0.15 * max(warmth, -1), 1.0, 1 - 0.25 * min(warmth, 2)])
        many = 1 if size < 10 else 3
        for _ in range(many):
            place = np.array([lx, ly, lz]) + np.append(rng.uniform(-size / 2, size / 2, 2), 0)
            places.append(place)
            powers.append(
                (
                    tint * np.float32(strength / many * float((place - middle) @ (place - middle))),
                    2.0 + 200.0 / size,
                )
            )
    return places, powers


def lit(
    rng: np.random.Generator,
    sheets: list[Sheet],
    ground: Ground,
    view: View,
    step: float,
    sheen: Sheen | None,
) -> Iterator[Floats]:
    """The light that every sheet sends towards the camera."""
    rows, columns = ground.shape
    places, powers = lamps(rng, ground, view)
    shade = Shade(sheets, ground, places, step)
    eye = np.float32(view.eye)
    for sheet in sheets:
        passed = shade.at(sheet.z)
        v, u = np.nonzero(sheet.cover)
        colour, slant, gloss = sheet.colour[v, u], sheet.slant[v, u], sheet.gloss[v, u]
        at = np.stack(
            [
                ground.left + (u + 0.5) / ground.scale,
                ground.high - (v + 0.5) / ground.scale,
                np.full(len(u), sheet.z),
            ],
            axis=1,
        ).astype(np.float32)
        normal = np.column_stack([slant, np.ones(len(u), np.float32)]) / np.sqrt(
            1 + (slant**2).sum(axis=1, keepdims=True)
        )
        light = np.float32(view.ambient * 1.2) * passed[0][v, u][:, None] * colour
        seen = eye - at
        seen /= np.sqrt(_dot(seen, seen))
        for place, (power, tight), through in zip(places, powers, passed[1:], strict=True):
            away = np.float32(place) - at
            squared = _dot(away, away)
            away /= np.sqrt(squared)
            some = through[v, u][:, None] / squared
            light = light + np.maximum(_dot(normal, away), 0) * some * power * colour
            if gloss.max(initial=0.0) > 0.05:
                half = away + seen
                shine = np.clip(_dot(normal, half) / np.sqrt(_dot(half, half)), 0, 1) ** (4 * tight)
                light = light + 0.8 * shine * gloss[:, None] * some * power
        if sheen is not None and sheet.z > -1:
            light = light + sheen.on(at, slant, gloss)[:, None] * passed[0][v, u][:, None] * sum(
                power / lamp[2] ** 2 for (power, _), lamp in zip(powers, places, strict=True)
            )
        out = np.zeros((rows, columns, 3), np.float32)
        out[v, u] = light
        yield out


def _dot(these: Floats, those: Floats) -> Floats:
    """The products of vectors (N x 3), as N x 1: ``sum`` over so short an axis takes five times as long."""
    x, y, z = (these[:, axis] * those[:, axis] for axis in range(3))
    return np.asarray(x + y + z, np.float32)[:, None]
