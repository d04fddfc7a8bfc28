"""Paints a random table as a camera would see it, laid flat by four roughly clicked corners: the picture and
what is true of it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from training.blind.board import paint_board
from training.blind.checkers import checker_style, paint_checker, paint_shadows, random_lobe
from training.blind.clutter import paint_clutter, paint_hand
from training.blind.lens import bent, laid_flat, light_up, through_the_camera
from training.blind.materials import FIELD_W, FINE, Canvas, Image, checker_colours
from training.blind.scene import Checker, Scene, random_scene
from vision.disc_finder.flat_map import HIGH, WIDE

NOWHERE = -1000.0
"""Where the tops are that a picture does not have: all pictures kept together have as many rows."""


@dataclass(frozen=True)
class Painted:
    """A random table and its photograph. ``corners``: the playing surface's in it, as a person clicks them
    (top-left, top-right, bottom-right, bottom-left); ``to_photo``: from true pixels of the network's scale to
    it; ``hand``: its mask on the canvas, if there is one; ``bend``: how a lens bends the picture besides,
    once it is laid flat."""

    scene: Scene
    canvas: Canvas
    photo: NDArray[np.uint8]
    corners: NDArray[np.float64]
    to_photo: NDArray[np.float64]
    hand: Image | None
    bend: float

    def places(self, points: list[tuple[float, float]]) -> NDArray[np.float64]:
        """Pixels of the photograph (N x 2) of places on the board's plane."""
        if not points:
            return np.zeros((0, 2))
        true = np.array([self.canvas.px(x, y) for x, y in points]) / FINE
        return cv2.perspectiveTransform(true[None], self.to_photo)[0]

    def tops(self) -> list[Checker]:
        """The checkers on which no other lies."""
        return [checker for checker in self.scene.checkers if not checker.covered]

    def seen(self, tops: list[Checker]) -> NDArray[np.float64]:
        """Where the photograph shows the middles of these tops."""
        return self.places([self.scene.project(c.x, c.y, c.z + self.scene.thickness)[:2] for c in tops])


def painted(rng: np.random.Generator, crowded: float = 0.15) -> Painted:
    """Paint and photograph a random table; ``crowded``: see ``random_counts``."""
    scene = random_scene(rng, crowded)
    light_colour, dark_colour = checker_colours(rng)
    canvas, rail_mask, rail_top = paint_board(rng, scene, [light_colour, dark_colour])
    a = rng.uniform(0, 6.28)
    light = (float(np.cos(a)), float(np.sin(a)))
    shared = {
        "black_edge": float(rng.random() < 0.25),
        "rings": float(rng.choice([0, 0, 1, 2, 3])),
        "gloss": float(rng.choice([0, rng.uniform(0.05, 0.6)], p=[0.6, 0.4])),
        "bevel": float(rng.uniform(0, 0.35)),
    }
    styles = [checker_style(rng, light_colour, shared), checker_style(rng, dark_colour, shared)]
    if rng.random() < 0.5:
        styles[1].pattern = styles[0].pattern
    paint_shadows(rng, canvas, light)
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
    if scene.rail >= scene.thickness:
        canvas.lay(rail_mask, rail_top)
    if scene.bar > 0.05 and scene.ridge >= scene.thickness:
        deep = scene.height
        ridge = [(6.0, -1.0), (6.0 + scene.bar, -1.0), (6.0 + scene.bar, deep + 1), (6.0, deep + 1)]
        canvas.lay(canvas.mask([canvas.polygon(ridge, scene.ridge)]), rail_top * rng.uniform(0.9, 1.1))
    for c in sorted(on_bar, key=lambda c: -np.hypot(c.x - ex, c.y - ey)):
        paint_checker(rng, canvas, c, styles[c.side], light, lobe)
    if late:
        paint_clutter(rng, canvas)
    bend = rng.normal(0, 0.012)
    hand = paint_hand(rng, canvas) if rng.random() < 0.12 else None
    photo, corners, to_photo = through_the_camera(rng, scene, light_up(rng, canvas.bgr).astype(np.float32))
    return Painted(scene, canvas, photo, corners, to_photo, hand, float(bend))


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
