"""A random backgammon table: what it is made of and what stands where, in pitches (one pitch = the distance
of two neighbouring points).

The origin is the bottom-left corner of the playing surface, x to the right, y up (away from the near rim), z
out of the board. A pinhole camera at ``eye`` sees a thing at (x, y, z) where the board's plane is met by the
same ray, so that in the rectified picture a disc at height z is still a disc, grown by ``eye_z / (eye_z -
z)`` and moved away from the camera's foot.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

BAR = 24


@dataclass(frozen=True)
class Checker:
    """One checker: centre, height of its underside, side (0 light, 1 dark), layer (0 on the board), whether
    another lies on it, and where it counts: 0-11 the bottom points from the left, 12-23 the top ones, 24 the
    bar."""

    x: float
    y: float
    z: float
    side: int
    place: int
    layer: int = 0
    covered: bool = False


@dataclass(frozen=True)
class Scene:
    """Everything that the painter needs, in pitches; see the module's text for the axes."""

    bar: float
    height: float
    diameter: float
    thickness: float
    rail: float
    ridge: float
    length: float
    eye: tuple[float, float, float]
    checkers: list[Checker] = field(default_factory=list)

    @property
    def width(self) -> float:
        return 12.0 + self.bar

    def axis(self, column: int) -> float:
        """The x of a column's middle, 0-11 from the left."""
        return column + 0.5 + (self.bar if column >= 6 else 0.0)

    def project(self, x: float, y: float, z: float) -> tuple[float, float, float]:
        """Where a thing at height z appears on the board's plane, and how much larger."""
        ex, ey, ez = self.eye
        grow = ez / (ez - z)
        return ex + (x - ex) * grow, ey + (y - ey) * grow, grow


def random_counts(rng: np.random.Generator, crowded: float = 0.15) -> tuple[list[int], list[int]]:
    """Signed counts for 24 points (0-11 bottom left to right, 12-23 top left to right) and the bar's two
    counts. ``crowded``: how often there are five and more on a point."""
    points = [0] * 24
    left = [15, 15]
    style = rng.random()
    for side in (0, 1):
        gone = int(rng.integers(0, 12)) if rng.random() < 0.25 else 0
        left[side] -= gone
    bar = [0, 0]
    for side in (0, 1):
        if rng.random() < 0.3:
            bar[side] = min(left[side], int(rng.choice([1, 1, 1, 2, 2, 3])))
            left[side] -= bar[side]
    crowd = rng.choice([0.9, 0.6, 0.3], p=[0.3, 0.45, 0.25])
    for side in (0, 1):
        sign = 1 if side == 0 else -1
        home = (
            rng.permutation(24)
            if style < 0.7
            else np.concatenate([rng.permutation(12), 12 + rng.permutation(12)])[:: 1 if side else -1]
        )
        for point in home:
            if left[side] == 0:
                break
            if points[point] != 0:
                continue
            size = 1
            while rng.random() > crowd and size < 5:
                size += 1
            if rng.random() < crowded:
                size = int(rng.integers(5, 10))
            elif rng.random() < 0.25:
                size = int(rng.integers(2, 6))
            size = min(size, left[side])
            points[point] = sign * size
            left[side] -= size
    return points, bar


def random_scene(rng: np.random.Generator, crowded: float = 0.15) -> Scene:
    """A table with a random position (see :func:`random_counts`), seen from somewhere above."""
    bar = float(rng.choice([0.0, rng.uniform(0.25, 0.9), rng.uniform(0.2, 1.5)], p=[0.06, 0.6, 0.34]))
    diameter = float(np.clip(rng.normal(0.93, 0.045), 0.8, 1.03))
    width = 12.0 + bar
    height = float(width * rng.uniform(0.72, 1.12))
    thickness = diameter * float(rng.choice([rng.uniform(0.2, 0.36), rng.uniform(0.03, 0.2)], p=[0.85, 0.15]))
    rail = float(
        rng.choice(
            [0.0, rng.uniform(0.1, 0.9), rng.uniform(0.3, 0.7), rng.uniform(0.6, 1.2)],
            p=[0.1, 0.35, 0.3, 0.25],
        )
    )
    ridge = float(rng.choice([0.0, rng.uniform(0.0, 0.5), rail], p=[0.15, 0.35, 0.5]))
    away = float(rng.uniform(13, 40))
    tilt = np.deg2rad(float(np.clip(abs(rng.normal(0, 24)), 0, 58)))
    turn = float(rng.choice([-np.pi / 2 + rng.normal(0, 0.3), rng.uniform(-np.pi, np.pi)], p=[0.5, 0.5]))
    eye = (
        width / 2 + away * np.sin(tilt) * np.cos(turn) + rng.normal(0, 1.2),
        height / 2 + away * np.sin(tilt) * np.sin(turn) + rng.normal(0, 1.2),
        away * np.cos(tilt),
    )
    length = float(rng.uniform(0.36, 0.48))
    scene = Scene(bar, height, diameter, thickness, rail, ridge, length, eye)
    scene.checkers.extend(_place(rng, scene, crowded))
    return scene


def _place(rng: np.random.Generator, scene: Scene, crowded: float) -> list[Checker]:
    points, bar = random_counts(rng, crowded)
    d, t = scene.diameter, scene.thickness
    fits = int(np.clip((scene.height / 2 - 0.05) // (d * 1.01), 4, 6))
    row = min(5, fits) if rng.random() < 0.7 else fits
    sway, gap, rim = rng.uniform(0.0, 0.1), rng.uniform(0.0, 0.06), rng.uniform(0.0, 0.08)
    over_the_middle = rng.random() < 0.3
    found: list[Checker] = []
    for point, signed in enumerate(points):
        count, side = abs(signed), int(signed < 0)
        if not count:
            continue
        flat = row
        if over_the_middle:  # a long row lies flat where the point opposite leaves room for it
            taken = min(abs(points[(point + 12) % 24]), row if point >= 12 else 8) * d * 1.08
            flat = max(min(row, 5), min(8, int((scene.height - taken - 0.3) / (d * 1.04))))
        top = point >= 12
        x0 = scene.axis(point % 12)
        y = (
            d / 2
            + abs(rng.normal(0, 0.02))
            + rim * rng.random()
            + (rng.uniform(0, 0.25) if rng.random() < 0.08 else 0.0)
        )
        ground: list[tuple[float, float]] = []
        lean = rng.normal(0, 0.05)
        for _ in range(min(count, flat)):
            x = x0 + lean + rng.normal(0, sway)
            x = min(max(x, d / 2), scene.width - d / 2)
            if scene.ridge > 0 and scene.bar > 0:
                x = min(x, 6 - d / 2 + 0.02) if point % 12 < 6 else max(x, 6 + scene.bar + d / 2 - 0.02)
            ground.append((x, y))
            y += d + abs(rng.normal(0, gap)) + (rng.uniform(0.1, 0.6) if rng.random() < 0.02 else 0.0)
        above = count - len(ground)
        style = rng.random()
        for index, (x, y) in enumerate(ground):
            upper = index < above if style < 0.8 else index >= len(ground) - above
            yy = scene.height - y if top else y
            found.append(Checker(x, yy, 0.0, side, point, 0, upper))
            if upper:
                off = 0.5 * d if 0.55 < style < 0.8 else rng.normal(0, 0.06)
                yy = scene.height - (y + off) if top else y + off
                found.append(Checker(x + rng.normal(0, 0.04), yy, t, side, point, 1))
    if scene.bar >= 0.25 or rng.random() < 0.5:
        found.extend(_on_the_bar(rng, scene, bar))
    return found


def _on_the_bar(rng: np.random.Generator, scene: Scene, bar: list[int]) -> list[Checker]:
    d = scene.diameter
    z = scene.ridge if scene.bar < d or scene.ridge == 0 or rng.random() < 0.8 else 0.0
    middle = scene.width / 2
    found: list[Checker] = []
    spread = rng.random()
    order = (0, 1) if rng.random() < 0.5 else (1, 0)
    for place, side in enumerate(order):
        sign = -1 if place == 0 else 1
        y = scene.height / 2 + sign * (
            d * 0.5 + (rng.uniform(0, 0.3) if spread < 0.6 else rng.uniform(0.0, 3.0))
        )
        for _ in range(bar[side]):
            if 0.6 < y < scene.height - 0.6:
                found.append(Checker(middle + rng.normal(0, 0.06), y, z, side, BAR))
            y += sign * (d + abs(rng.normal(0, 0.04)))
    return found
