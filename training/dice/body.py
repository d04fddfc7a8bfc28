"""A die or a doubling cube as a solid: rays meet a rounded cube, its pips or numeral, its lamps' light.

Everything here is in the die's own frame: its edge is 1 long, its middle the origin."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
STEPS = 16
"""Steps of sphere tracing; a cube is met in fewer."""
FACES = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], np.float64)
NUMERALS = (2, 4, 8, 16, 32, 64)


def pips(value: int, apart: float, turned: bool) -> NDArray[np.float64]:
    """The middles of a face's pips (N x 2), ``apart`` from the face's middle."""
    a = apart
    places = {
        1: [(0, 0)],
        2: [(-a, -a), (a, a)],
        3: [(-a, -a), (0, 0), (a, a)],
        4: [(-a, -a), (a, a), (-a, a), (a, -a)],
        5: [(-a, -a), (a, a), (-a, a), (a, -a), (0, 0)],
        6: [(-a, -a), (a, a), (-a, a), (a, -a), (-a, 0), (a, 0)],
    }[value]
    found = np.array(places, np.float64)
    return found[:, ::-1] * (1, -1) if turned else found


@dataclass(frozen=True)
class Body:
    """How a die is made. ``values``: what its faces show, in the order of :data:`FACES`; with ``numerals``
    they are a cube's. ``round``: the radius of its edges; ``dome``: of the sphere that cuts its corners;
    ``clear``: how transparent (0-1)."""

    values: tuple[int, ...]
    colour: Floats
    second: Floats
    ink: Floats
    one: Floats
    pip: float
    apart: float
    round: float
    dome: float
    clear: float
    gloss: float
    sharp: float
    turned: tuple[bool, ...]
    numerals: bool = False
    faces: tuple[Floats, ...] = field(default=(), repr=False)

    def distance(self, at: Floats) -> Floats:
        """How far places (3 x N) are from it."""
        x, y, z = np.abs(at) - np.float32(0.5 - self.round)
        inside = np.minimum(np.maximum(np.maximum(x, y), z), 0)
        x, y, z = np.maximum(x, 0), np.maximum(y, 0), np.maximum(z, 0)
        out = np.sqrt(x * x + y * y + z * z) + inside - np.float32(self.round)
        if self.dome < 1:
            out = np.maximum(out, np.sqrt(at[0] ** 2 + at[1] ** 2 + at[2] ** 2) - np.float32(self.dome))
        return np.asarray(out, np.float32)

    def normal(self, at: Floats) -> Floats:
        """Its surface's direction at places (N x 3) on it."""
        q = np.abs(at) - np.float32(0.5 - self.round)
        most = np.maximum(np.maximum(q[:, 0], q[:, 1]), q[:, 2])[:, None]
        way = np.where(most > 0, np.maximum(q, 0), q == most) * np.sign(at)
        cut = self.distance(np.ascontiguousarray((at * np.float32(0.97)).T))
        dome = np.sqrt((at * at) @ np.ones(3, np.float32)) * np.float32(0.97) - np.float32(self.dome)
        way = np.where((np.abs(dome - cut) < 1e-4)[:, None], at, way)
        return np.asarray(way / np.maximum(np.sqrt((way * way) @ np.ones(3))[:, None], 1e-6), np.float32)

    def meet(self, start: Floats, way: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        """Where rays from ``start`` (3) along ``way`` (N x 3) meet it, and which do."""
        ways, first = np.ascontiguousarray(way.T), start[:, None]
        far = np.full(len(way), max(float(np.linalg.norm(start)) - 1.0, 0.0), np.float32)
        for _ in range(STEPS):
            far += self.distance(first + ways * far)
        at = first + ways * far
        return np.ascontiguousarray(at.T), self.distance(at) < 0.01

    def ink_at(self, at: Floats) -> tuple[Floats, Floats]:
        """How much ink (0-1) places on its surface have, and how they lean into a pip (N x 3)."""
        axis = np.abs(at).argmax(axis=1)
        face = 2 * axis + (at[np.arange(len(at)), axis] < 0)
        ink, lean = np.zeros(len(at), np.float32), np.zeros_like(at)
        for number in range(6):
            here = np.nonzero(face == number)[0]
            if not len(here):
                continue
            others = [k for k in range(3) if k != number // 2]
            uv = at[here][:, others]
            if self.numerals:
                side = self.faces[number].shape[0]
                handed = (1 if number in (0, 3, 4) else -1) * np.float32([0, -1]) + np.float32([1, 0])
                pixel = np.clip((uv * handed + 0.5) * side, 0, side - 1).astype(int)
                ink[here] = self.faces[number][pixel[:, 1], pixel[:, 0]]
                continue
            value = self.values[number]
            radius = self.pip * (1.35 if value == 1 and self.one is not self.ink else 1.0)
            for middle in pips(value, self.apart, self.turned[number]):
                off = uv - np.float32(middle)
                away = np.linalg.norm(off, axis=1)
                inside = away < radius
                ink[here[inside]] = 1.0
                lean[np.ix_(here[inside], others)] = -0.7 * off[inside] / radius
        return ink, lean


def _vivid(rng: np.random.Generator, low: float, high: float) -> Floats:
    hue, much, value = rng.random(), rng.uniform(0.3, 1.0), rng.uniform(low, high)
    wheel = np.clip(np.abs((hue * 6 + np.array([0, 4, 2])) % 6 - 3) - 1, 0, 1)
    return np.asarray((value * (1 - much * (1 - wheel))) ** 2.2, np.float32)


def _colours(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """A body's colour and its pips' (BGR or RGB alike, linear), that can be told apart."""
    while True:
        kind = rng.choice(["ivory", "dark", "vivid", "deep", "wood"], p=[0.3, 0.2, 0.25, 0.15, 0.1])
        body = {
            "ivory": lambda: np.float32(rng.uniform(0.55, 0.9) * np.array([rng.uniform(0.6, 1), 0.95, 1])),
            "dark": lambda: np.float32(rng.uniform(0.008, 0.06) * rng.uniform(0.7, 1.3, 3)),
            "vivid": lambda: _vivid(rng, 0.5, 0.95),
            "deep": lambda: _vivid(rng, 0.15, 0.5),
            "wood": lambda: np.float32(rng.uniform(0.15, 0.6) * np.array([0.35, 0.65, 1.0])),
        }[kind]()
        pale = rng.random() < (0.95 if body.mean() < 0.12 else 0.5 if body.mean() < 0.35 else 0.05)
        if rng.random() < 0.8:
            ink = np.float32([0.85, 0.85, 0.85]) * rng.uniform(0.6, 1.05) if pale else np.float32([0.02] * 3)
        else:
            ink = np.float32([0.1, 0.45, 0.7]) * rng.uniform(0.6, 1.2) if pale else _vivid(rng, 0.1, 0.7)
        if abs(float(np.mean(ink**0.45)) - float(np.mean(body**0.45))) > 0.2:
            return np.asarray(body, np.float32), np.asarray(ink, np.float32)


def _numeral(rng: np.random.Generator, value: int) -> Floats:
    """A face of a doubling cube, 64 x 64: how much ink."""
    face = np.zeros((96, 96), np.uint8)
    text, font = str(value), int(rng.choice([0, 2, 3, 4]))
    scale, thick = float(rng.uniform(1.4, 2.4)) / len(text) ** 0.55, int(rng.integers(3, 8))
    (wide, high), _ = cv2.getTextSize(text, font, scale, thick)
    cv2.putText(face, text, ((96 - wide) // 2, (96 + high) // 2), font, scale, 255, thick, cv2.LINE_AA)
    for _ in range(int(rng.integers(4))):
        face = np.rot90(face)
    return np.asarray(cv2.resize(np.ascontiguousarray(face), (64, 64)) / np.float32(255), np.float32)


def random_body(rng: np.random.Generator, cube: bool = False) -> Body:
    """A die, or a doubling ``cube``."""
    colour, ink = _colours(rng)
    left, right = (3, 4) if rng.random() < 0.5 else (4, 3)
    values = NUMERALS if cube else (1, 6, 2, 5, left, right)
    swirl = rng.random() < 0.3
    streaks = colour * rng.uniform(0.3, 2.5, 3) + rng.choice([0.0, 0.06])
    second = np.asarray(np.clip(streaks, 0, 0.95), np.float32) if swirl else colour
    return Body(
        values,
        colour,
        second,
        ink,
        np.float32([0.02, 0.02, 0.5]) if rng.random() < 0.06 else ink,
        float(rng.uniform(0.07, 0.125)),
        float(rng.uniform(0.2, 0.29)),
        float(rng.uniform(0.01, 0.2)),
        float(rng.uniform(0.66, 0.8)) if rng.random() < 0.4 else 9.0,
        float(rng.uniform(0.3, 0.85)) if not cube and rng.random() < 0.3 else 0.0,
        float(rng.uniform(0, 0.9)),
        float(rng.uniform(8, 120)),
        tuple(bool(rng.random() < 0.5) for _ in range(6)),
        cube,
        tuple(_numeral(rng, value) for value in values) if cube else (),
    )


def odd_body(rng: np.random.Generator, body: Body) -> Body:
    """The same, made as few are: pips of any size, gold or coloured; streaks that are told from the body at
    once; edges as round as a pebble's."""
    pip = float(rng.uniform(0.065, 0.14))
    body = replace(body, pip=pip, apart=float(rng.uniform(max(0.19, 1.9 * pip), 0.3)))
    dark = float(np.mean(body.colour**0.45)) < 0.45
    if rng.random() < 0.5:
        if dark:
            ink = np.float32([0.1, 0.45, 0.7]) * rng.uniform(0.5, 1.3, 3)
        else:
            ink = _vivid(rng, 0.1, 0.5) * np.float32(0.5)
        if abs(float(np.mean(ink**0.45)) - float(np.mean(body.colour**0.45))) > 0.2:
            body = replace(body, ink=np.float32(ink), one=np.float32(ink))
    if rng.random() < 0.5:
        grey = np.float32(rng.uniform(0.03, 0.25) if dark else -rng.uniform(0.05, 0.3))
        second = np.float32(np.clip(body.colour * rng.uniform(0.6, 1.6, 3) + grey, 0, 0.95))
        body = replace(body, second=second)
    if rng.random() < 0.5:
        body = replace(body, round=float(rng.uniform(0.12, 0.27)), dome=float(rng.uniform(0.62, 0.72)))
    return body
