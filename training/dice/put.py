"""Puts dice onto a drawn table, in its light: shape, shadow, and what of the board is seen through it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from training.blind.materials import noise
from training.dice.body import FACES, Body
from training.rendered.lens import pose
from training.rendered.table import View

Floats = NDArray[np.float32]
FINE, COARSE, LARGE = 3, 2, 30.0
"""Rays to a pixel, each way: fewer for a die that is so many pixels wide."""


@dataclass(frozen=True)
class Thing:
    """A die (or cube) on the table: the middle of its lowest part (cm), its edge (cm), how it is turned (a
    rotation: die to board), and which of its faces is up; ``hid``: something lies or reaches over that."""

    body: Body
    x: float
    y: float
    z: float
    size: float
    turn: NDArray[np.float64]
    face: int
    cocked: bool = False
    hid: bool = False

    @property
    def corners(self) -> NDArray[np.float64]:
        """Its eight corners on the board (8 x 3), before they are rounded."""
        unit = np.array([[a, b, c] for a in (-0.5, 0.5) for b in (-0.5, 0.5) for c in (-0.5, 0.5)])
        return np.asarray(unit @ self.turn.T * self.size + self.middle, np.float64)

    @property
    def middle(self) -> NDArray[np.float64]:
        """Its middle on the board."""
        rise = 0.5 * self.size * float(np.abs(self.turn[2]).sum())
        return np.array([self.x, self.y, self.z + rise])

    @property
    def top(self) -> NDArray[np.float64]:
        """The middle of the face that is up."""
        return np.asarray(self.middle + self.turn @ FACES[self.face] * self.size / 2, np.float64)


def turned(rng: np.random.Generator, face: int, tilt: float) -> NDArray[np.float64]:
    """A rotation that brings a face up, turned at random, and tilted by so many degrees."""
    up = FACES[face]
    aside = np.roll(up, 1)
    base = np.stack([aside, np.cross(up, aside), up])  # rows: what becomes x, y, z
    spin = cv2.Rodrigues(np.array([0, 0, rng.uniform(0, 2 * np.pi)]))[0]
    way = rng.uniform(0, 2 * np.pi)
    lean = cv2.Rodrigues(np.deg2rad(tilt) * np.array([np.cos(way), np.sin(way), 0]))[0]
    return np.asarray(lean @ spin @ base, np.float64)


def pinhole(view: View, places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Pixels (N x 2) of places (N x 3) before the lens bends the picture."""
    axes, eye = pose(view)
    seen = (places - eye) @ axes.T
    return np.asarray(
        seen[:, :2] / seen[:, 2:] * view.focal * view.size[0] + np.array(view.size) / 2 - 0.5, np.float64
    )


def put(rng: np.random.Generator, light: Floats, view: View, thing: Thing, lit: Floats) -> None:
    """Draw a thing into linear light (in place). ``lit``: which part of each lamp's light reaches it."""
    pixels = pinhole(view, thing.corners)
    reach = float(np.ptp(pixels, axis=0).max())
    low = np.floor(pixels.min(axis=0) - 0.8 * reach - 3).astype(int)
    high = np.ceil(pixels.max(axis=0) + 0.8 * reach + 4).astype(int)
    if (low < 0).any() or (high >= view.size).any():
        return
    part = light[low[1] : high[1], low[0] : high[0]]
    _shade(part, view, thing, lit, low)
    low2, high2 = np.floor(pixels.min(axis=0) - 2).astype(int), np.ceil(pixels.max(axis=0) + 3).astype(int)
    under = light[low2[1] : high2[1], low2[0] : high2[0]]
    colour, cover = _seen(rng, view, thing, lit, low2, high2 - low2, under)
    under *= 1 - cover[..., None]
    under += colour


def _shade(part: Floats, view: View, thing: Thing, lit: Floats, low: NDArray[np.int_]) -> None:
    """Its shadows on what lies under it."""
    shrunk = thing.middle + (thing.corners - thing.middle) * (1 - 0.5 * thing.body.round)
    floor = shrunk.copy()
    floor[:, 2] = thing.z
    whole = view.ambient * 1.2 + sum(lamp[4] for lamp in view.lamps)
    left = np.ones(part.shape[:2], np.float32)
    scale = float(np.ptp(pinhole(view, thing.corners), axis=0).max())
    for lamp, some in zip(view.lamps, lit, strict=True):
        source = np.array(lamp[:3])
        off = shrunk - source
        onto = source + off * ((thing.z - source[2]) / off[:, 2:])
        soft = max(0.4, scale * 0.12 * min(lamp[3] / 30, 2))
        cast = _filled(view, onto, part.shape[:2], low, soft)
        left -= np.float32(some * lamp[4] / whole * (1 - 0.5 * thing.body.clear)) * cast
    near = _filled(view, floor, part.shape[:2], low, max(0.15 * scale, 0.6))
    left -= np.float32(0.55 * view.ambient * 1.2 / whole) * near
    part *= np.clip(left, 0.02, 1)[..., None]


def _filled(
    view: View, places: NDArray[np.float64], shape: tuple[int, int], low: NDArray[np.int_], soft: float
) -> Floats:
    mask = np.zeros(shape, np.float32)
    outline = cv2.convexHull(np.float32(pinhole(view, places) - low))
    cv2.fillConvexPoly(mask, np.int32(np.round(outline * 16)), 1.0, cv2.LINE_AA, 4)
    return np.asarray(cv2.GaussianBlur(mask, (0, 0), soft), np.float32)


def _seen(
    rng: np.random.Generator,
    view: View,
    thing: Thing,
    lit: Floats,
    low: NDArray[np.int_],
    size: NDArray[np.int_],
    under: Floats,
) -> tuple[Floats, Floats]:
    """What the camera sees of it: light (premultiplied) and cover of a part of the picture."""
    axes, eye = pose(view)
    wide, high = int(size[0]), int(size[1])
    fine = FINE if wide < LARGE else COARSE
    grid = np.stack(np.meshgrid(*((np.arange(n * fine) + 0.5) / fine - 0.5 for n in (wide, high))), axis=-1)
    flat = (grid.reshape(-1, 2) + low - (np.array(view.size) / 2 - 0.5)) / (view.focal * view.size[0])
    way = np.column_stack([flat, np.ones(len(flat))]) @ axes
    way /= np.sqrt((way * way).sum(axis=1, keepdims=True))
    body = thing.body
    start = np.asarray((eye - thing.middle) @ thing.turn / thing.size, np.float32)
    inward = np.asarray(way @ thing.turn, np.float32)
    at, hit = body.meet(start, inward)
    out = np.zeros((len(way), 3), np.float32)
    behind = np.asarray(cv2.resize(under, (wide * fine, high * fine)), np.float32).reshape(-1, 3)[hit]
    out[hit] = _lit(rng, view, thing, lit, at[hit], inward[hit], behind)
    both = np.column_stack([out, hit.astype(np.float32)]).reshape(high * fine, wide * fine, 4)
    small = cv2.resize(both, (wide, high), interpolation=cv2.INTER_AREA)
    return np.asarray(small[..., :3], np.float32), np.asarray(small[..., 3], np.float32)


def _lit(
    rng: np.random.Generator,
    view: View,
    thing: Thing,
    lit: Floats,
    at: Floats,
    way: Floats,
    behind: Floats,
) -> Floats:
    """The light that places on its surface send to the camera."""
    body = thing.body
    ink, lean = body.ink_at(at)
    turn = thing.turn.astype(np.float32)
    normal = body.normal(at) + lean
    normal = (normal / np.linalg.norm(normal, axis=1, keepdims=True)) @ turn.T
    seen = -way @ turn.T
    swirl = noise(rng, 24, 24, 5.0)
    mix = swirl[tuple(np.clip((at[:, :2] + 0.5) * 23, 0, 23).astype(int).T)] * 0.5 + 0.5
    paint = body.colour * (1 - mix[:, None]) + body.second * mix[:, None]
    light = np.full((len(at), 3), view.ambient * 1.2, np.float32) * (0.6 + 0.4 * normal[:, 2:])
    shine = np.zeros((len(at), 1), np.float32)
    place = at @ turn.T * np.float32(thing.size) + thing.middle.astype(np.float32)
    for lamp, some in zip(view.lamps, lit, strict=True):
        tint = np.float32([1 + 0.15 * max(lamp[5], -1), 1.0, 1 - 0.25 * min(lamp[5], 2)])
        away = np.float32(lamp[:3]) - place
        away /= np.linalg.norm(away, axis=1, keepdims=True)
        light += np.maximum((normal * away).sum(axis=1, keepdims=True), 0) * np.float32(some * lamp[4]) * tint
        half = away + seen
        half /= np.linalg.norm(half, axis=1, keepdims=True)
        glint = np.maximum((normal * half).sum(axis=1, keepdims=True), 0) ** body.sharp
        shine += np.float32(some * lamp[4] * body.gloss) * glint
    if body.clear:
        paint = _through(thing, paint, at, way)
    solid = paint * (1 - ink[:, None]) + body.ink * ink[:, None]
    found = solid * light
    if body.clear:
        tint = body.colour / max(float(body.colour.max()), 1e-3)
        open_ = np.float32(body.clear) * (1 - ink[:, None])
        found = found * (1 - 0.8 * open_) + behind * tint * open_
    return np.asarray(found + 0.8 * shine * (1 - 0.5 * ink[:, None]), np.float32)


def _through(thing: Thing, paint: Floats, at: Floats, way: Floats) -> Floats:
    """A transparent body's colour where pips on its far faces show through."""
    body = thing.body
    bent = way * 0.75 - body.normal(at) * 0.35  # refracted, about
    with np.errstate(divide="ignore", invalid="ignore"):
        leave = np.where(np.abs(bent) > 1e-4, (np.sign(bent) * 0.5 - at) / bent, 9.0)
    far = at + bent * np.clip(leave, 0, 9).min(axis=1, keepdims=True)
    ink, _ = body.ink_at(np.asarray(far, np.float32))
    part = np.float32(0.6 * body.clear) * ink[:, None]
    return np.asarray(paint * (1 - part) + body.ink * part, np.float32)
