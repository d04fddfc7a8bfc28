"""Paints arms that reach in from outside: bare or in sleeves of any cloth, their hands open, pinching a
checker, pointing, closed, or just out of the picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from training.blind.lamp import Lamp, Place
from training.blind.materials import FIELD_H, FIELD_W, FINE, Canvas, Image, any_colour, hsv
from training.blind.solid import Texture, lay_round, round_hull, shadow

Limb = list[tuple[Place, float]]
"""Balls (middle, radius; pitches); a limb is what is between them."""
LONG = (1.55, 1.75, 1.65, 1.3)
"""How long the fingers are, in pitches, from the index on; fifteen to the checkers' row of five."""


@dataclass
class Arm:
    """An arm's limbs, from the shoulder to the fingertips: what is of skin, and what of cloth."""

    skin: list[Limb] = field(default_factory=list)
    fingers: list[Limb] = field(default_factory=list)
    sleeve: list[Limb] = field(default_factory=list)
    cuff: list[Limb] = field(default_factory=list)
    strap: list[Limb] = field(default_factory=list)

    def every(self) -> list[Limb]:
        return [*self.skin, *self.fingers, *self.sleeve, *self.cuff]


def skin_colour(rng: np.random.Generator) -> NDArray[np.float32]:
    """From very light to very dark, and as lamps and cameras show them."""
    light = rng.random()
    saturation = 0.22 + 0.4 * (1 - light) + rng.normal(0, 0.07)
    return hsv(
        rng.uniform(6, 28),
        float(np.clip(saturation, 0.12, 0.72)),
        0.14 + 0.84 * light**0.8 * rng.uniform(0.9, 1),
    )


def cloth_colour(rng: np.random.Generator) -> NDArray[np.float32]:
    """A sleeve's: half of them are dark."""
    kind = rng.random()
    if kind < 0.3:
        return hsv(rng.uniform(0, 360), rng.uniform(0, 0.3), rng.uniform(0.015, 0.14))  # black
    if kind < 0.5:
        return hsv(rng.uniform(205, 245), rng.uniform(0.3, 0.85), rng.uniform(0.06, 0.4))  # navy, jeans
    if kind < 0.64:
        return hsv(rng.uniform(0, 360), rng.uniform(0, 0.12), rng.uniform(0.12, 0.6))  # grey
    if kind < 0.74:
        return hsv(rng.uniform(20, 60), rng.uniform(0, 0.12), rng.uniform(0.7, 0.98))  # a shirt
    if kind < 0.86:
        return hsv(rng.uniform(0, 360), rng.uniform(0.4, 0.9), rng.uniform(0.1, 0.4))  # deep colours
    return any_colour(rng)


def woven(
    rng: np.random.Generator, colour: NDArray[np.float32], along: NDArray[np.float64], unit: float
) -> Texture:
    """Cloth along an arm (``along``: its way on the canvas; ``unit``: pixels to a pitch): folds, and on some
    of it stripes, checks or knitting."""
    folds = [
        (rng.uniform(1.5, 9), rng.uniform(-1, 1), rng.uniform(0, 6.3), rng.uniform(0.0, 0.13))
        for _ in range(int(rng.integers(2, 6)))
    ]
    kind = rng.random()
    pattern = "plain" if kind < 0.6 else "stripes" if kind < 0.75 else "checks" if kind < 0.88 else "knit"
    second = cloth_colour(rng) if rng.random() < 0.6 else np.clip(colour * rng.uniform(0.4, 1.9), 0, 1)
    wide, turn, sharp = (
        rng.uniform(6, 30),
        rng.choice([0.0, np.pi / 2, rng.uniform(0, 3)]),
        rng.uniform(0, 0.8),
    )

    def texture(columns: Image, rows: Image) -> Image:
        u = (columns * along[0] + rows * along[1]) / unit
        v = (rows * along[0] - columns * along[1]) / unit
        crease = np.ones_like(u)
        for often, slant, phase, deep in folds:
            crease += np.float32(deep) * np.sin(
                np.float32(often) * (u + np.float32(slant) * v) + np.float32(phase)
            )
        if pattern == "plain":
            return crease
        across = (u * np.float32(np.cos(turn)) + v * np.float32(np.sin(turn))) * np.float32(wide)
        part = np.sin(across)
        if pattern == "knit":
            return crease * (1 + np.float32(0.25) * part)
        if pattern == "checks":
            upright = (v * np.float32(np.cos(turn)) - u * np.float32(np.sin(turn))) * np.float32(wide)
            part = (part + np.sin(upright)) / 2
        part = np.clip((part - np.float32(sharp)) * 4, 0, 1)[..., None]
        return np.asarray((colour + (second - colour) * part) * crease[..., None], np.float32)

    return texture


def random_arm(rng: np.random.Generator, canvas: Canvas) -> tuple[Arm, NDArray[np.float64]]:
    """An arm over the board, and the way it comes from (scene units)."""
    scene = canvas.scene
    angle = float(
        rng.choice([-np.pi / 2, np.pi / 2, 0, np.pi], p=[0.35, 0.35, 0.15, 0.15]) + rng.normal(0, 0.45)
    )
    away = np.array([np.cos(angle), np.sin(angle)])
    across = np.array([-away[1], away[0]]) * rng.choice([-1.0, 1.0])
    size = rng.uniform(0.8, 1.25)  # of the hand, for the checkers' size
    most = 0.4 * scene.eye[2]
    tip = np.array([rng.uniform(0, scene.width), rng.uniform(0, scene.height)])
    if rng.random() < 0.15:  # only a little of it reaches in, or it rests on the rim
        edge = away * np.array([scene.width, scene.height]) * rng.uniform(0.35, 0.5)
        tip = np.array([scene.width, scene.height]) / 2 + edge + across * rng.normal(0, 3)
    low = rng.choice([rng.uniform(0.2, 0.7), rng.uniform(0.3, 2.2)], p=[0.75, 0.25])
    rise = rng.uniform(0.0, 0.45)

    def place(far: float, aside: float, high: float = 0.0) -> Place:
        x, y = tip + (away * far + across * aside) * size
        return float(x), float(y), float(min(max(low + (rise * far + high) * size, 0.15), most))

    pose = str(rng.choice(["open", "pinch", "fist", "point", "flat"], p=[0.3, 0.35, 0.1, 0.1, 0.15]))
    bend = rng.normal(0, 0.35)
    wrist = {"open": 3.6, "pinch": 3.1, "fist": 2.2, "point": 3.5, "flat": 3.6}[pose] * rng.uniform(0.9, 1.05)
    knuckle = wrist - 1.85
    slim = rng.uniform(0.85, 1.15)
    arm = Arm()
    knuckles = [place(knuckle + 0.12 * abs(i - 1), (i - 1.5) * 0.43 * slim, 0.15) for i in range(4)]
    root = place(wrist - 0.55, -0.55 * slim)
    arm.skin.append(
        [(each, 0.27 * slim * size) for each in knuckles] + [(place(wrist, 0), 0.5 * slim * size)]
    )
    arm.skin.append([(root, 0.36 * slim * size), (place(wrist - 0.1, 0), 0.5 * slim * size)])
    spread = {"open": rng.uniform(0.05, 0.3), "flat": rng.uniform(0, 0.05)}.get(pose, 0.03)
    meet = place(rng.uniform(-0.1, 0.2), rng.uniform(-0.5, 0.1), -0.3)
    for i, long in enumerate(LONG):
        start = knuckle + 0.12 * abs(i - 1)
        shorter = long * (
            rng.uniform(0.25, 0.4)
            if pose == "fist" or (pose == "point" and i > 0)
            else rng.uniform(0.45, 0.85)
            if pose == "pinch"
            else rng.uniform(0.85, 1.0)
        )
        way = (i - 1.5) * spread + rng.normal(0, 0.05)
        half = place(start - 0.55 * shorter, (i - 1.5) * 0.43 * slim + way * 0.55 * shorter, 0.3)
        end = place(start - shorter, (i - 1.5) * 0.43 * slim + way * shorter, -0.1)
        if pose == "pinch" and i < (1 if rng.random() < 0.6 else 2):
            end = meet
        thick = (0.25 - 0.02 * abs(i - 1)) * slim * size
        arm.fingers.append([(knuckles[i], thick), (half, thick * 0.95)])
        arm.fingers.append([(half, thick * 0.95), (end, thick * 0.75)])
    thumb = (
        meet
        if pose == "pinch"
        else place(wrist - 1.7, rng.uniform(-1.5, -0.6) if pose != "fist" else -0.2, 0.1)
    )
    arm.fingers.append([(root, 0.3 * slim * size), (thumb, 0.22 * slim * size)])
    beyond = 22.0
    elbow = rng.uniform(6.5, 9.0)
    thick, thicker = rng.uniform(0.45, 0.62) * slim * size, rng.uniform(0.75, 1.1) * size
    middle, shoulder = place(wrist + elbow, bend * 2), place(wrist + beyond, bend * 2 + rng.normal(0, 3), 0.5)
    arm.skin.append([(place(wrist, 0), thick), (middle, thicker)])
    arm.skin.append([(middle, thicker), (shoulder, thicker * 1.3)])
    if rng.random() < 0.2:
        arm.strap.append(
            [(place(wrist + 0.5, bend * 0.1), thick * 1.06), (place(wrist + 0.8, bend * 0.16), thick * 1.08)]
        )
    if rng.random() < 0.78:
        begin = float(rng.choice([rng.uniform(-0.5, 1.0), rng.uniform(1.0, 6.0)], p=[0.75, 0.25]))
        loose = rng.uniform(1.12, 1.9)
        share = begin / elbow
        here = place(wrist + begin, bend * 2 * max(share, 0))
        wide = (thick + (thicker - thick) * max(share, 0)) * loose
        arm.sleeve.append([(here, wide), (middle, thicker * loose)])
        arm.sleeve.append([(middle, thicker * loose), (shoulder, thicker * loose * 1.4)])
        if rng.random() < 0.5:
            after = place(wrist + begin + rng.uniform(0.3, 0.8), bend * 2 * max(share, 0))
            arm.cuff.append([(here, wide * 1.05), (after, wide * 1.08)])
    return arm, away


def paint_hand(rng: np.random.Generator, canvas: Canvas, lamp: Lamp) -> Image:
    """An arm that reaches in (some pictures have two), and its shade; what of the canvas it hides."""
    covered = np.zeros(canvas.bgr.shape[:2], np.uint8)
    for _ in range(2 if rng.random() < 0.12 else 1):
        arm, away = random_arm(rng, canvas)
        _paint(rng, canvas, lamp, arm, away, covered)
    return covered.astype(np.float32) / 255


def shade_from_outside(rng: np.random.Generator, canvas: Canvas, lamp: Lamp) -> None:
    """The shade of an arm, or of somebody's head, that is itself out of the picture: no hand."""
    arm, _ = random_arm(rng, canvas)
    lamp = replace(lamp, dark=float(rng.uniform(0.3, 0.75)))
    lamp.darken(canvas, shadow(canvas, lamp, arm.every(), 0.0), float(rng.uniform(0.3, 3)))


def _paint(
    rng: np.random.Generator,
    canvas: Canvas,
    lamp: Lamp,
    arm: Arm,
    away: NDArray[np.float64],
    covered: NDArray[np.uint8],
) -> None:
    scene = canvas.scene
    unit = FINE * FIELD_W / scene.width
    along = np.array([away[0], -away[1] * FIELD_H * scene.width / FIELD_W / scene.height])
    along /= np.linalg.norm(along)
    lamp.darken(canvas, shadow(canvas, lamp, arm.every(), 0.0), 1.0, float(rng.uniform(0.6, 1.0)))
    before = canvas.bgr.copy() if rng.random() < 0.12 else None
    own = np.zeros_like(covered)
    skin, cloth = skin_colour(rng), cloth_colour(rng)
    depth = float(rng.uniform(0.3, 0.6))

    def lay(limbs: Sequence[Limb], colour: NDArray[np.float32], texture: Texture | None = None) -> None:
        for limb in limbs:
            lay_round(canvas, round_hull(canvas, limb), colour, lamp, texture, depth, own)

    lay(arm.skin[2:], skin)
    lay(arm.strap, any_colour(rng) * np.float32(0.6))
    lay(arm.fingers[-1:], skin * rng.uniform(0.85, 1.0))
    lay(arm.skin[:2], skin)
    for finger in arm.fingers[:-1]:
        lay([finger], np.clip(skin * rng.uniform(0.9, 1.06), 0, 1))
    lay(arm.sleeve, cloth, woven(rng, cloth, along, unit))
    edge = cloth * rng.uniform(0.6, 1.3) if rng.random() < 0.7 else any_colour(rng)
    lay(arm.cuff, np.clip(edge, 0, 1))
    if before is not None:  # it moves
        size = (1, int(rng.integers(5, 30))) if rng.random() < 0.5 else (int(rng.integers(5, 30)), 1)
        moved = cv2.blur(own, size)
        part = (moved.astype(np.float32) / 255)[..., None]
        alone = np.where(own[..., None] > 0, canvas.bgr, 0)
        canvas.bgr[:] = before * (1 - part) + cv2.blur(alone, size)
        own = np.asarray(moved, np.uint8)
    np.maximum(covered, own, out=covered)
