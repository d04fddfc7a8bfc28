"""What lies on and beside a board and is easily taken for a die: dots, labels, badges, lit lamps, glints.

Nothing of it stands up as a die does. All of it is painted into linear light, before the camera."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from training.dice.put import pinhole
from training.dice.tables import Table

Floats = NDArray[np.float32]
MOST = 24
"""Things that lie about, at most."""


@dataclass(frozen=True)
class Spot:
    """A place well inside a picture's light: its pixel, and a thing's radius and colour."""

    light: Floats
    u: int
    v: int
    r: int
    colour: tuple[float, ...]

    @property
    def part(self) -> Floats:
        """The light around it (a view)."""
        reach = 3 * self.r
        return self.light[self.v - reach : self.v + reach, self.u - reach : self.u + reach]

    def away(self) -> Floats:
        """How far the pixels of ``part`` are from it, in radii."""
        rows, columns = np.mgrid[: 6 * self.r, : 6 * self.r] - 3.0 * self.r
        return np.asarray(np.hypot(columns, rows) / self.r, np.float32)


def _disc(rng: np.random.Generator, spot: Spot) -> None:
    cv2.circle(spot.light, (spot.u, spot.v), spot.r, spot.colour, -1, cv2.LINE_AA)
    if rng.random() < 0.4:  # a checker's dimple, a button's glint
        inner = tuple(float(value) for value in rng.uniform(0, 1.2, 3))
        aside = rng.normal(0, 0.3 * spot.r, 2).astype(int)
        at = (spot.u + int(aside[0]), spot.v + int(aside[1]))
        cv2.circle(spot.light, at, max(1, round(spot.r * rng.uniform(0.12, 0.5))), inner, -1, cv2.LINE_AA)


def _dots(rng: np.random.Generator, spot: Spot) -> None:
    for _ in range(int(rng.integers(1, 7))):
        u, v = rng.normal((spot.u, spot.v), 0.8 * spot.r)
        cv2.circle(spot.light, (int(u), int(v)), max(1, spot.r // 4), spot.colour, -1, cv2.LINE_AA)


def _box(rng: np.random.Generator, spot: Spot) -> None:
    side = [2 * spot.r * float(rng.uniform(0.5, 1.4)) for _ in range(2)]
    corners = cv2.boxPoints(((spot.u, spot.v), (side[0], side[1]), float(rng.uniform(0, 90))))
    if rng.random() < 0.3:
        cv2.polylines(spot.light, [np.int32(corners)], True, spot.colour, max(1, spot.r // 5), cv2.LINE_AA)
    else:
        cv2.fillPoly(spot.light, [np.int32(corners)], spot.colour, cv2.LINE_AA)


def _badge(rng: np.random.Generator, spot: Spot) -> None:
    """A plate or a button with letters."""
    plate = (_disc, _box)[int(rng.integers(2))]
    plate(rng, spot)
    letters = "".join(rng.choice(list("ABEGHMORSW0234568"), int(rng.integers(1, 3))))
    scale = spot.r / 16 / len(letters)
    mask = np.zeros(spot.part.shape[:2], np.uint8)
    at = (3 * spot.r - round(9 * scale * len(letters)), 3 * spot.r + round(9 * scale))
    cv2.putText(mask, letters, at, int(rng.integers(8)), scale, 255, max(1, spot.r // 9), cv2.LINE_AA)
    spot.part[mask > 0] = rng.uniform(0, 1, 3)


def _ring(rng: np.random.Generator, spot: Spot) -> None:
    cv2.circle(spot.light, (spot.u, spot.v), spot.r, spot.colour, max(1, spot.r // 3), cv2.LINE_AA)


def _lamp(rng: np.random.Generator, spot: Spot) -> None:
    """A diode that is lit: clipped in the middle, its colour around it."""
    hue = np.float32([1, 1, 1] if rng.random() < 0.3 else rng.permutation([1, rng.uniform(0, 1), 0.02]))
    away = spot.away()
    power = float(rng.uniform(0.8, 4))
    glow = power / (1 + np.exp((away - rng.uniform(0.4, 0.9)) * 14)) + 0.06 * power * np.exp(-(away**2))
    spot.part[:] += np.asarray(glow, np.float32)[..., None] * hue


def _glint(rng: np.random.Generator, spot: Spot) -> None:
    """A lamp's reflection on something glossy, long or round."""
    angle, long = rng.uniform(0, np.pi), rng.uniform(1, 5)
    rows, columns = np.mgrid[: 6 * spot.r, : 6 * spot.r] - 3.0 * spot.r
    along = columns * np.cos(angle) + rows * np.sin(angle)
    across = columns * np.sin(angle) - rows * np.cos(angle)
    far = (along / spot.r / 0.7) ** 2 + (across * long / spot.r / 0.7) ** 2
    spot.part[:] += np.float32(rng.uniform(0.2, 2)) * np.exp(-far).astype(np.float32)[..., None]


def _wedge(rng: np.random.Generator, spot: Spot) -> None:
    corners = rng.normal((spot.u, spot.v), spot.r, (3, 2))
    cv2.fillPoly(spot.light, [np.int32(corners)], spot.colour, cv2.LINE_AA)


KINDS: tuple[Callable[[np.random.Generator, Spot], None], ...] = (
    _disc,
    _dots,
    _box,
    _badge,
    _ring,
    _lamp,
    _lamp,
    _glint,
    _wedge,
)
ON_CHECKERS: tuple[Callable[[np.random.Generator, Spot], None], ...] = (_glint, _glint, _glint, _disc, _ring)


def clutter(rng: np.random.Generator, light: Floats, table: Table) -> None:
    """Paint some of it into a picture (in place); a third of it on checkers."""
    board, pieces = table.board, table.setting.pieces
    for _ in range(int(rng.integers(0, MOST + 1))):
        around = board.frame + 2
        x, y = rng.uniform((-around, -around), (board.width + around, board.height + around))
        radius = float(np.exp(rng.uniform(np.log(0.25), np.log(1.3))))
        kinds = KINDS
        if pieces and rng.random() < 0.35:
            piece = pieces[int(rng.integers(len(pieces)))]
            x, y = rng.normal((piece.x, piece.y), 0.25 * board.checker)
            radius, kinds = radius * 0.6, ON_CHECKERS
        ends = pinhole(table.view, np.array([[x, y, 0.0], [x + radius, y, 0.0]]))
        u, v = (round(float(value)) for value in ends[0])
        r = max(2, round(float(np.linalg.norm(ends[1] - ends[0]))))
        if not (3 * r < u < light.shape[1] - 3 * r and 3 * r < v < light.shape[0] - 3 * r):
            continue
        colour = tuple(float(value) for value in rng.uniform(0, 0.9, 3) * rng.choice([0.1, 1.0]))
        kinds[int(rng.integers(len(kinds)))](rng, Spot(light, u, v, r, colour))
