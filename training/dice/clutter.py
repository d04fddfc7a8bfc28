"""What is easily taken for a die: dots, labels, words, digits, emblems, lit lamps, cups, fingers, shadows.

It lies on a board or beside it, and nothing of it stands up as a die does. All of it is painted into linear
light, before the camera."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from training.dice.put import Thing, pinhole
from training.dice.tables import Table
from training.rendered.table import View

Floats = NDArray[np.float32]
MOST = 40
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


def _words(rng: np.random.Generator, spot: Spot) -> None:
    """Printed letters, larger than a die and smaller, upright or lying; often on a plate of their own."""
    side = 6 * spot.r
    if rng.random() < 0.4:
        spot.part[:] = rng.uniform(0, 0.8)
    mask = np.zeros((side, side), np.uint8)
    scale, thick = spot.r / 14 * float(rng.uniform(0.5, 1.6)), max(1, spot.r // int(rng.integers(4, 10)))
    for row in range(int(rng.integers(1, 4))):
        letters = "".join(rng.choice(list("ABCDEFGHIKLMNOPRSTUW0123456789"), int(rng.integers(2, 9))))
        at = (int(rng.integers(0, 2 * spot.r)), round((row + 1) * 32 * scale))
        cv2.putText(mask, letters, at, int(rng.integers(8)), scale, 255, thick, cv2.LINE_AA)
    mask = np.ascontiguousarray(np.rot90(mask, int(rng.integers(4))))
    ink = mask[..., None].astype(np.float32) / 255
    spot.part[:] = spot.part * (1 - ink) + ink * np.float32(spot.colour)


def _emblem(rng: np.random.Generator, spot: Spot) -> None:
    """A checker's emblem: rings, strokes or a letter pressed into it, and what its gloss mirrors."""
    r, ink = spot.r, np.zeros(spot.part.shape[:2], np.uint8)
    middle, thick = (3 * r, 3 * r), max(1, round(r * rng.uniform(0.06, 0.2)))
    for _ in range(int(rng.integers(0, 3))):
        cv2.circle(ink, middle, round(r * rng.uniform(0.5, 2)), 255, thick, cv2.LINE_AA)
    if rng.random() < 0.4:
        at, letter = (round(2.3 * r), round(3.7 * r)), str(rng.choice(list("ABDEGMOPQRS2468&*")))
        cv2.putText(ink, letter, at, int(rng.integers(8)), r / 14, 255, thick, cv2.LINE_AA)
    for _ in range(int(rng.integers(0, 4))):  # strokes, straight or swung
        line = np.cumsum(rng.normal(0, 0.45 * r, (int(rng.integers(2, 6)), 2)), axis=0)
        way = np.int32(line - line.mean(axis=0) + 3 * r)
        cv2.polylines(ink, [way], bool(rng.random() < 0.4), 255, thick, cv2.LINE_AA)
    for _ in range(int(rng.integers(0, 3))):
        long, high = (int(a) for a in rng.uniform(0.2, 1.2, 2) * r)
        start = float(rng.uniform(0, 360))
        end = start + float(rng.uniform(30, 170))
        cv2.ellipse(ink, middle, (long, high), 0, start, end, 255, 2 * thick, cv2.LINE_AA)
    soft = cv2.GaussianBlur(ink.astype(np.float32) / 255, (0, 0), 0.3 + r * float(rng.uniform(0, 0.12)))
    pale = np.float32(rng.uniform(0.2, 1.1) * rng.uniform(0.7, 1, 3))
    spot.part[spot.away() < 2] *= np.float32(rng.uniform(0.5, 1))
    spot.part[:] += soft[..., None] * pale


def _specks(rng: np.random.Generator, spot: Spot) -> None:
    """A dark corner that glitters: what a renderer, or a sensor, leaves there."""
    spot.part[spot.away() < 1.2] *= np.float32(rng.uniform(0.1, 0.9))
    for u, v in rng.normal(3 * spot.r, 0.7 * spot.r, (int(rng.integers(4, 40)), 2)).astype(int):
        light = float(rng.uniform(0.1, 1.2))
        cv2.circle(spot.part, (int(u), int(v)), int(rng.integers(0, 2)), (light, light, light), -1)


def _fingers(rng: np.random.Generator, spot: Spot) -> None:
    """Fingers side by side: round across, and darker between them."""
    angle = rng.uniform(0, np.pi)
    rows, columns = np.mgrid[: 6 * spot.r, : 6 * spot.r] / spot.r - 3.0
    along = columns * np.cos(angle) + rows * np.sin(angle)
    across = columns * np.sin(angle) - rows * np.cos(angle)
    wide = float(rng.uniform(0.5, 1.3))
    round_ = np.abs(np.sin(np.pi * (across / wide + 0.25 * np.sin(along)))) ** 0.6
    skin = np.float32([0.25, 0.35, 0.6]) * float(rng.uniform(0.15, 1.3)) * rng.uniform(0.8, 1.2, 3)
    cover = (np.abs(across) < 1.5 * wide) & (along < rng.uniform(0, 2))
    shade = (0.25 + 0.75 * round_)[..., None] * skin
    spot.part[cover] = np.asarray(shade, np.float32)[cover]


def _shadow(rng: np.random.Generator, spot: Spot) -> None:
    """A die's shadow without the die."""
    side = 2 * spot.r * rng.uniform(0.7, 1.3, 2)
    mask = np.zeros(spot.part.shape[:2], np.float32)
    corners = cv2.boxPoints(((3.0 * spot.r, 3.0 * spot.r), tuple(side), float(rng.uniform(0, 90))))
    cv2.fillPoly(mask, [np.int32(corners)], 1.0, cv2.LINE_AA)
    mask = cv2.GaussianBlur(mask, (0, 0), 0.4 + spot.r * float(rng.uniform(0, 0.3)))
    spot.part[:] *= (1 - float(rng.uniform(0.2, 0.9)) * mask)[..., None]


def _cup(rng: np.random.Generator, spot: Spot) -> None:
    """A dice cup from above: a lip that is lit on one side, and the dark inside it."""
    middle, r = np.array([spot.u, spot.v]), 2 * spot.r
    shade = np.float32(spot.colour) * np.float32(rng.uniform(0.02, 0.4))
    aside = rng.normal(0, 0.1 * r, 2)
    for part, colour in ((1.0, np.float32(spot.colour)), (float(rng.uniform(0.6, 0.9)), shade)):
        u, v = (int(value) for value in middle + aside * (1 - part) * 3)
        cv2.circle(spot.light, (u, v), round(r * part), colour.tolist(), -1, cv2.LINE_AA)
    start, lip = float(rng.uniform(0, 360)), (np.float32(spot.colour) * 2).tolist()
    thick, end = max(1, spot.r // 6), start + float(rng.uniform(40, 200))
    cv2.ellipse(spot.light, (spot.u, spot.v), (r, r), 0, start, end, lip, thick, cv2.LINE_AA)


SEGMENTS = (0x77, 0x24, 0x5D, 0x6D, 0x2E, 0x6B, 0x7B, 0x25, 0x7F, 0x6F)
"""Of the digits of a clock: top, left and right above, middle, left and right below, bottom, from bit 0."""
STROKES = (
    ((0, 0), (1, 0)),
    ((0, 0), (0, 1)),
    ((1, 0), (1, 1)),
    ((0, 1), (1, 1)),
    ((0, 1), (0, 2)),
    ((1, 1), (1, 2)),
    ((0, 2), (1, 2)),
)


def _clock(rng: np.random.Generator, spot: Spot) -> None:
    """A clock's digits of seven strokes, with a colon's dots, lying any way."""
    side, wide = 6 * spot.r, spot.r * float(rng.uniform(0.4, 0.9))
    ink = np.zeros((side, side), np.uint8)
    thick = max(1, round(wide * rng.uniform(0.15, 0.35)))
    for k in range(int(rng.integers(1, 5))):
        low = np.array([0.5 * spot.r + 1.6 * wide * k, 3 * spot.r - wide])
        lit = SEGMENTS[int(rng.integers(10))]
        for bit, ends in enumerate(STROKES):
            if lit >> bit & 1:
                one, other = (np.int32(low + wide * np.array(end)) for end in ends)
                cv2.line(ink, tuple(map(int, one)), tuple(map(int, other)), 255, thick, cv2.LINE_AA)
        if rng.random() < 0.3:
            for down in (0.6, 1.4):
                u, v = (int(value) for value in low + wide * np.array([1.3, down]))
                cv2.circle(ink, (u, v), max(1, thick // 2), 255, -1, cv2.LINE_AA)
    turn = cv2.getRotationMatrix2D((side / 2, side / 2), float(rng.uniform(0, 360)), 1.0)
    plate = cv2.warpAffine(np.full_like(ink, 255), turn, (side, side)) if rng.random() < 0.6 else ink * 0
    spot.part[plate > 0] = rng.uniform(0, 0.5, 3)
    mask = cv2.warpAffine(ink, turn, (side, side))[..., None].astype(np.float32) / 255
    spot.part[:] = spot.part * (1 - mask) + mask * np.float32(spot.colour) * np.float32(rng.uniform(0.3, 2))


def _inlay(rng: np.random.Generator, spot: Spot) -> None:
    """A pattern that is laid into wood: diamonds or squares in a row, one in the other."""
    way = rng.uniform(0, 2 * np.pi)
    step = 1.6 * spot.r * np.array([np.cos(way), np.sin(way)])
    other = rng.uniform(0, 0.8, 3).tolist()
    for k in range(int(rng.integers(1, 5))):
        middle = np.array([spot.u, spot.v]) + (k - 1) * step
        for part, colour in ((1.2, spot.colour), (float(rng.uniform(0.3, 0.8)), other)):
            box = cv2.boxPoints(
                (middle.tolist(), (part * spot.r,) * 2, float(np.rad2deg(way)) + 45 * (k % 2))
            )
            cv2.fillPoly(spot.light, [np.int32(box)], colour, cv2.LINE_AA)


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
    _words,
    _words,
    _specks,
    _fingers,
    _shadow,
    _cup,
    _clock,
    _inlay,
)
ON_CHECKERS: tuple[Callable[[np.random.Generator, Spot], None], ...] = (
    _glint,
    _glint,
    _disc,
    _emblem,
    _emblem,
    _emblem,
    _specks,
)


def glare(rng: np.random.Generator, light: Floats, view: View, thing: Thing) -> None:
    """A lamp mirrored by the face that is up, off its middle: part of the face is lost in it."""
    ends = pinhole(view, thing.top + np.array([[0, 0, 0], [thing.size, 0, 0]]))
    r = max(2, round(float(np.linalg.norm(ends[1] - ends[0])) * float(rng.uniform(0.3, 0.7))))
    u, v = (round(float(value)) for value in ends[0] + rng.normal(0, 0.6 * r, 2))
    if 3 * r < u < light.shape[1] - 3 * r and 3 * r < v < light.shape[0] - 3 * r:
        _glint(rng, Spot(light, u, v, r, (1.0, 1.0, 1.0)))


def clutter(rng: np.random.Generator, light: Floats, table: Table) -> None:
    """Paint some of it into a picture (in place); half of it on checkers."""
    board, pieces = table.board, table.setting.pieces
    for _ in range(int(rng.integers(0, MOST + 1))):
        around = board.frame + 2
        x, y = rng.uniform((-around, -around), (board.width + around, board.height + around))
        radius = float(np.exp(rng.uniform(np.log(0.25), np.log(1.3))))
        kinds = KINDS
        if pieces and rng.random() < 0.45:
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
