"""Paints a random table as a camera would see it, laid flat by four roughly clicked corners: the picture and
what is true of it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from training.blind.arms import paint_hand, shade_from_outside
from training.blind.board import paint_board
from training.blind.checkers import checker_style, paint_checker, paint_shadows, random_lobe, shade_walls
from training.blind.clutter import paint_clutter
from training.blind.lamp import random_lamp
from training.blind.lens import bent, laid_flat, light_up, through_the_camera
from training.blind.materials import FIELD_W, FINE, Canvas, Image, checker_colours
from training.blind.scene import BAR, Checker, Scene, random_scene
from training.blind.things import paint_things
from vision.disc_finder.flat_map import HIGH, WIDE

HANDS = 0.28
"""The part of the pictures that an arm reaches into."""
THINGS = 0.2
"""The part of the pictures with cups, telephones and the like on the board."""
NOWHERE = -1000.0
"""Where the tops are that a picture does not have: all pictures kept together have as many rows."""


@dataclass(frozen=True)
class Painted:
    """A random table and its photograph. ``corners``: the playing surface's in it, as a person clicks them
    (top-left, top-right, bottom-right, bottom-left); ``to_photo``: from true pixels of the network's scale to
    it; ``hand``: the mask on the canvas of hands, and of things that hide checkers as hands do, if there are
    any; ``walls``: that of the rims and the bar where they stand before checkers; ``bend``: how a lens bends
    the picture besides, once it is laid flat."""

    scene: Scene
    canvas: Canvas
    photo: NDArray[np.uint8]
    corners: NDArray[np.float64]
    to_photo: NDArray[np.float64]
    hand: Image | None
    walls: Image
    bend: float

    def places(self, points: list[tuple[float, float]]) -> NDArray[np.float64]:
        """Pixels of the photograph (N x 2) of places on the board's plane."""
        if not points:
            return np.zeros((0, 2))
        true = np.array([self.canvas.px(x, y) for x, y in points]) / FINE
        return cv2.perspectiveTransform(true[None], self.to_photo)[0]

    def tops(self) -> list[Checker]:
        """The checkers on which no other lies, but for those that a wall hides from the camera."""
        return [each for each in self.scene.checkers if not each.covered and not self._behind_a_wall(each)]

    def _behind_a_wall(self, checker: Checker) -> bool:
        scene = self.scene
        if checker.place == BAR:
            return False
        high, wide = self.walls.shape
        hidden = []
        for across in (-0.25, 0.0, 0.25):
            for along in (-0.25, 0.0, 0.25):
                x, y = checker.x + across * scene.diameter, checker.y + along * scene.diameter
                u, v = self.canvas.px(*scene.project(x, y, checker.z + scene.thickness)[:2])
                hidden.append(self.walls[min(max(int(v), 0), high - 1), min(max(int(u), 0), wide - 1)])
        return float(np.mean(hidden)) > 0.75

    def seen(self, tops: list[Checker]) -> NDArray[np.float64]:
        """Where the photograph shows the middles of these tops."""
        return self.places([self.scene.project(c.x, c.y, c.z + self.scene.thickness)[:2] for c in tops])


def painted(rng: np.random.Generator, crowded: float = 0.15) -> Painted:
    """Paint and photograph a random table; ``crowded``: see ``random_counts``."""
    scene = random_scene(rng, crowded)
    light_colour, dark_colour = checker_colours(rng)
    lamp = random_lamp(rng)
    light = lamp.light
    canvas, rail_mask, rail_top = paint_board(rng, scene, [light_colour, dark_colour], lamp)
    shared = {
        "black_edge": float(rng.random() < 0.25),
        "rings": float(rng.choice([0, 0, 1, 2, 3])),
        "gloss": float(rng.choice([0, rng.uniform(0.05, 0.6)], p=[0.6, 0.4])),
        "bevel": float(rng.uniform(0, 0.35)),
    }
    styles = [checker_style(rng, light_colour, shared), checker_style(rng, dark_colour, shared)]
    if rng.random() < 0.5:
        styles[1].pattern = styles[0].pattern
    paint_shadows(canvas, lamp)
    lobe = random_lobe(rng, scene)
    if lobe is not None and rng.random() < 0.5:  # varnish, leather or vinyl mirrors a little of it too
        yy, xx = np.mgrid[0 : canvas.bgr.shape[0], 0 : canvas.bgr.shape[1]].astype(np.float32)
        u, v = canvas.px(lobe.x, lobe.y)
        r = lobe.reach * FINE * FIELD_W / scene.width
        canvas.bgr += (rng.uniform(0, 0.5) * lobe.strength * np.exp(-((xx - u) ** 2 + (yy - v) ** 2) / r**2))[
            ..., None
        ] * lobe.tint
    if rng.random() < 0.3:
        paint_clutter(rng, canvas)
        late = False
    else:
        late = True
    ex, ey, _ = scene.eye
    on_bar = [
        c
        for c in scene.checkers
        if 6.0 < c.x < 6.0 + scene.bar and abs(c.x - scene.width / 2) < 0.3 * max(scene.bar, 0.3)
    ]
    field = sorted(
        (c for c in scene.checkers if c not in on_bar), key=lambda c: (c.layer, -np.hypot(c.x - ex, c.y - ey))
    )
    for c in field:
        paint_checker(rng, canvas, c, styles[c.side], light, lobe)
    if rng.random() < 0.8:
        shade_walls(canvas, lamp)
    walls = np.zeros_like(rail_mask)
    if scene.rail >= scene.thickness:
        canvas.lay(rail_mask, rail_top)
        walls = rail_mask
    if scene.bar > 0.05 and scene.ridge >= scene.thickness:
        deep = scene.height
        ridge = [(6.0, -1.0), (6.0 + scene.bar, -1.0), (6.0 + scene.bar, deep + 1), (6.0, deep + 1)]
        ridge_mask = canvas.mask([canvas.polygon(ridge, scene.ridge)])
        canvas.lay(ridge_mask, rail_top * np.float32(rng.uniform(0.9, 1.1)))
        walls = np.maximum(walls, ridge_mask)
    for c in sorted(on_bar, key=lambda c: -np.hypot(c.x - ex, c.y - ey)):
        paint_checker(rng, canvas, c, styles[c.side], light, lobe)
    if late:
        paint_clutter(rng, canvas)
    bend = rng.normal(0, 0.012)
    hand = None
    if rng.random() < 0.1:
        shade_from_outside(rng, canvas, lamp)
    if rng.random() < THINGS:
        # beside the board they hide nothing
        wide, deep = scene.width, scene.height
        surface = canvas.mask([canvas.polygon([(0, 0), (wide, 0), (wide, deep), (0, deep)])])
        hand = paint_things(rng, canvas, lamp) * surface
    if rng.random() < HANDS:
        arm = paint_hand(rng, canvas, lamp)
        hand = arm if hand is None else np.maximum(hand, arm)
    photo, corners, to_photo = through_the_camera(rng, scene, light_up(rng, canvas.bgr).astype(np.float32))
    return Painted(scene, canvas, photo, corners, to_photo, hand, walls, float(bend))


def sample(rng: np.random.Generator) -> tuple[NDArray[np.uint8], dict[str, NDArray[np.float32]]]:
    """One training picture (HIGH x WIDE x 3, BGR) and what is true of it.

    ``tops``: rows (x, y, light 1/0, lies on another 1/0) of the checkers' tops that show, in map pixels;
    ``axes``: 24 segments (x0, y0, x1, y1) of the points' axes; ``bar``: the bar's four corners; ``counts``:
    checkers (light, dark) on each of 25 places (``Checker.place``); ``hand``: the part of each cell of the
    network's grid that a hand covers."""
    table = painted(rng)
    scene, bend, hand = table.scene, table.bend, table.hand
    shot, flatten = laid_flat(table.photo, table.corners)
    warp = flatten @ table.to_photo

    yy, xx = np.mgrid[0:HIGH, 0:WIDE].astype(np.float64)
    back = bent(np.stack([xx, yy], axis=-1).reshape(-1, 2), -bend).reshape(HIGH, WIDE, 2).astype(np.float32)
    shot = cv2.remap(shot, back[..., 0], back[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)

    def move(points: NDArray[np.float64]) -> NDArray[np.float64]:
        return bent(cv2.perspectiveTransform(points[None], flatten)[0], bend) if len(points) else points

    tops = table.tops()
    where = move(table.seen(tops))
    rows = np.array(
        [[*p, 1.0 - c.side, float(c.layer > 0)] for p, c in zip(where, tops, strict=True)], np.float32
    ).reshape(-1, 4)
    covered = np.zeros((HIGH, WIDE), np.float32)
    if hand is not None:
        covered = cv2.warpPerspective(hand, warp @ np.diag([1 / FINE, 1 / FINE, 1.0]), (WIDE, HIGH))
        inside = (
            cv2.remap(covered, rows[None, :, 0].copy(), rows[None, :, 1].copy(), cv2.INTER_LINEAR)[0]
            if len(rows)
            else np.zeros(0)
        )
        rows = rows[inside < 0.6]
    deep = scene.height
    axes = []
    for top in (0, 1):
        for column in range(12):
            x = scene.axis(column)
            axes.append(
                [(x, deep), (x, deep * (1 - scene.length))] if top else [(x, 0.0), (x, deep * scene.length)]
            )
    ends = move(table.places([p for pair in axes for p in pair])).reshape(24, 4)
    quad = move(table.places([(6.0, 0.0), (6.0 + scene.bar, 0.0), (6.0 + scene.bar, deep), (6.0, deep)]))
    counts = np.zeros((25, 2), np.float32)
    for c in scene.checkers:
        counts[c.place, c.side] += 1
    return shot, {
        "counts": counts,
        "tops": rows,
        "axes": ends.astype(np.float32),
        "bar": quad.astype(np.float32),
        "hand": cv2.resize(covered, (WIDE // 4, HIGH // 4), interpolation=cv2.INTER_AREA),
    }
