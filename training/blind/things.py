"""Paints things that lie on the board and hide what is under them: dice cups, telephones, cards, glasses,
clocks."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from training.blind.lamp import Lamp, Place
from training.blind.materials import Canvas, Image, any_colour, hsv, noise
from training.blind.solid import hull, lay_round, round_hull, shadow

Corners = NDArray[np.float64]


def paint_things(rng: np.random.Generator, canvas: Canvas, lamp: Lamp) -> Image:
    """One or two things, and their shades; what of the canvas they hide."""
    scene = canvas.scene
    covered = np.zeros(canvas.bgr.shape[:2], np.uint8)
    kinds = (_standing_cup, _lying_cup, _slab, _glass, _spectacles)
    for _ in range(2 if rng.random() < 0.35 else 1):
        kind = kinds[int(rng.choice(5, p=[0.36, 0.26, 0.26, 0.07, 0.05]))]
        x = rng.uniform(0.8, scene.width - 0.8)
        y = rng.uniform(0.12, 0.88) * scene.height
        kind(rng, canvas, lamp, float(x), float(y), covered)
    return covered.astype(np.float32) / 255


def _leather(rng: np.random.Generator) -> NDArray[np.float32]:
    kind = rng.random()
    if kind < 0.4:
        return hsv(rng.uniform(0, 360), rng.uniform(0, 0.3), rng.uniform(0.02, 0.16))
    if kind < 0.7:
        return hsv(rng.uniform(8, 30), rng.uniform(0.4, 0.85), rng.uniform(0.12, 0.6))
    return any_colour(rng)


def _ring(canvas: Canvas, middle: Place, radius: float, flat: float = 1.0, way: float = 0.0) -> Corners:
    """A circle at a height on the canvas, drawn together (``flat``) across a ``way``."""
    turns = np.linspace(0, 2 * np.pi, 33)[:-1]
    a, b = radius * np.cos(turns), radius * flat * np.sin(turns)
    x, y = middle[0] + a * np.cos(way) - b * np.sin(way), middle[1] + a * np.sin(way) + b * np.cos(way)
    out = []
    for px, py in zip(x, y, strict=True):
        u, v, _ = canvas.scene.project(float(px), float(py), middle[2])
        out.append(canvas.px(u, v))
    return np.array(out)


def _fill(canvas: Canvas, corners: Corners, colour: NDArray[np.float32]) -> None:
    cv2.fillPoly(canvas.bgr, [np.int32(np.round(corners * 16))], colour.tolist(), cv2.LINE_AA, 4)


def _grain(rng: np.random.Generator, canvas: Canvas, covered: NDArray[np.uint8], before: Image) -> None:
    """Leather's or plastic's grain on what was painted since ``before``."""
    rows, columns = np.flatnonzero(covered.any(axis=1)), np.flatnonzero(covered.any(axis=0))
    if len(rows) == 0:
        return
    box = np.s_[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    new = (np.abs(canvas.bgr[box] - before[box]).max(axis=2) > 0).astype(np.float32)
    high, wide = new.shape
    canvas.bgr[box] *= (1 + new * rng.uniform(0, 0.08) * noise(rng, high, wide, rng.uniform(1.5, 6)))[
        ..., None
    ]


def _standing_cup(
    rng: np.random.Generator, canvas: Canvas, lamp: Lamp, x: float, y: float, covered: NDArray[np.uint8]
) -> None:
    tall = min(rng.uniform(1.5, 2.6), 0.3 * canvas.scene.eye[2])
    foot = rng.uniform(0.65, 1.0)
    mouth = foot * rng.uniform(0.95, 1.3)
    flat, way = (1.0, 0.0) if rng.random() < 0.6 else (rng.uniform(0.6, 0.9), rng.uniform(0, 3.1))
    if rng.random() < 0.2:  # upside down
        foot, mouth = mouth, foot
        closed = True
    else:
        closed = False
    lamp.darken(canvas, shadow(canvas, lamp, [[((x, y, 0.0), foot), ((x, y, tall), mouth)]], 0.0), tall)
    colour = _leather(rng)
    before = canvas.bgr.copy()
    low = _ring(canvas, (x, y, 0.0), foot, flat, way)
    top = _ring(canvas, (x, y, tall), mouth, flat, way)
    lay_round(canvas, hull(np.concatenate([low, top])), colour, lamp, None, rng.uniform(0.3, 0.6), covered)
    _fill(canvas, top, np.clip(colour * rng.uniform(0.8, 1.5) + rng.uniform(0, 0.08), 0, 1))
    if closed:
        _fill(canvas, _ring(canvas, (x, y, tall), mouth * 0.9, flat, way), np.clip(colour * 1.05, 0, 1))
    else:
        inner = any_colour(rng) * 0.6 if rng.random() < 0.4 else colour * 0.6
        _fill(canvas, _ring(canvas, (x, y, tall), mouth * rng.uniform(0.78, 0.93), flat, way), inner * 0.5)
        _fill(canvas, _ring(canvas, (x, y, 0.1), foot * 0.8, flat, way), inner * rng.uniform(0.3, 1.0))
        # what is seen of the bottom ends at the mouth: paint the wall above it again
        ring = np.concatenate([top, top[:1], _ring(canvas, (x, y, tall), mouth * 0.85, flat, way)[::-1]])
        _fill(canvas, ring, np.clip(colour * rng.uniform(0.8, 1.4) + 0.03, 0, 1))
    _grain(rng, canvas, covered, before)


def _lying_cup(
    rng: np.random.Generator, canvas: Canvas, lamp: Lamp, x: float, y: float, covered: NDArray[np.uint8]
) -> None:
    long, way = rng.uniform(1.6, 2.7), rng.uniform(0, 2 * np.pi)
    thick = rng.uniform(0.65, 1.0)
    thin = thick * rng.uniform(0.8, 1.0)
    ahead = np.array([np.cos(way), np.sin(way)])
    ends = [np.array([x, y]) - ahead * long / 2, np.array([x, y]) + ahead * long / 2]
    place: list[Place] = [
        (float(end[0]), float(end[1]), radius) for end, radius in zip(ends, (thin, thick), strict=True)
    ]
    lamp.darken(canvas, shadow(canvas, lamp, [[(place[0], thin), (place[1], thick)]], 0.0), 1.0)
    colour = _leather(rng)
    before = canvas.bgr.copy()
    rims = [
        _ring(canvas, place[0], thin, 0.25, way + np.pi / 2),
        _ring(canvas, place[1], thick, 0.25, way + np.pi / 2),
    ]
    lay_round(canvas, hull(np.concatenate(rims)), colour, lamp, None, rng.uniform(0.4, 0.7), covered)
    ex, ey, ez = canvas.scene.eye
    sight = np.array([ex - ends[1][0], ey - ends[1][1]]) @ ahead / ez
    open_part = float(np.clip(abs(sight) * 0.9, 0.06, 0.6))
    if sight > -0.1:
        mouth = _ring(canvas, place[1], thick, open_part, way + np.pi / 2)
        _fill(canvas, mouth, np.clip(colour * rng.uniform(0.9, 1.5) + 0.04, 0, 1))
        inside = _ring(canvas, place[1], thick * 0.85, open_part * 0.9, way + np.pi / 2)
        _fill(canvas, inside, (any_colour(rng) if rng.random() < 0.4 else colour) * rng.uniform(0.1, 0.6))
    _grain(rng, canvas, covered, before)


def _slab(
    rng: np.random.Generator, canvas: Canvas, lamp: Lamp, x: float, y: float, covered: NDArray[np.uint8]
) -> None:
    """A telephone, a card, a score sheet, a clock, a wallet: a flat box with something on it."""
    scene = canvas.scene
    kind = str(rng.choice(["phone", "card", "paper", "clock", "wallet"], p=[0.4, 0.25, 0.1, 0.15, 0.1]))
    wide, long, tall = {
        "phone": (1.6, 3.3, 0.18), "card": (1.25, 1.95, 0.02), "paper": (2.6, 3.6, 0.01),
        "clock": (1.9, 3.4, 0.9), "wallet": (2.0, 2.4, 0.4),
    }[kind]  # fmt: skip
    grow = rng.uniform(0.8, 1.2)
    turn = (
        rng.uniform(0, 2 * np.pi) if rng.random() < 0.6 else rng.choice([0, np.pi / 2]) + rng.normal(0, 0.1)
    )
    ahead, aside = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])

    def corner(a: float, b: float, z: float) -> Place:
        at = np.array([x, y]) + (ahead * a * long + aside * b * wide) * grow / 2
        return float(at[0]), float(at[1]), z

    def seen(corners: list[Place]) -> Corners:
        return np.array([canvas.px(*scene.project(*each)[:2]) for each in corners])

    square = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
    low, top = seen([corner(a, b, 0) for a, b in square]), seen([corner(a, b, tall) for a, b in square])
    fallen = seen([lamp.cast(corner(a, b, tall)) for a, b in square])
    shade = np.zeros(covered.shape, np.uint8)
    cv2.fillPoly(shade, [hull(np.concatenate([low, fallen]))], 255, cv2.LINE_AA, 4)
    lamp.darken(canvas, shade, tall)
    colour = {
        "phone": hsv(rng.uniform(0, 360), rng.uniform(0, 0.3), rng.uniform(0.02, 0.2)),
        "card": any_colour(rng), "wallet": _leather(rng),
        "paper": hsv(rng.uniform(20, 70), rng.uniform(0, 0.15), rng.uniform(0.75, 0.98)),
        "clock": any_colour(rng) if rng.random() < 0.5 else _leather(rng),
    }[kind]  # fmt: skip
    whole = hull(np.concatenate([low, top]))
    cv2.fillPoly(canvas.bgr, [whole], (colour * rng.uniform(0.35, 0.8)).tolist(), cv2.LINE_AA, 4)
    cv2.fillPoly(covered, [whole], 255, cv2.LINE_AA, 4)
    _fill(canvas, top, colour)

    def patch(a0: float, a1: float, b0: float, b1: float, ink: NDArray[np.float32]) -> None:
        _fill(canvas, seen([corner(a, b, tall) for a, b in ((a0, b0), (a1, b0), (a1, b1), (a0, b1))]), ink)

    if kind == "phone":
        edge = rng.uniform(0.84, 0.97)
        lit = rng.random()
        screen = colour * 0.6 if lit < 0.5 else any_colour(rng)
        patch(-edge, edge, -edge * 0.95, edge * 0.95, screen)
        if lit >= 0.5:
            for _ in range(int(rng.integers(0, 7))):
                a, b = rng.uniform(-0.8, 0.6), rng.uniform(-0.8, 0.3)
                patch(a, a + rng.uniform(0.05, 0.3), b, b + rng.uniform(0.1, 0.5), any_colour(rng))
        elif rng.random() < 0.5:  # the lamp or the ceiling in the glass
            a = rng.uniform(-0.9, 0.5)
            patch(a, a + rng.uniform(0.1, 0.5), -0.9, 0.9, np.clip(screen + rng.uniform(0.1, 0.6), 0, 1))
    elif kind == "clock":
        patch(-0.8, 0.8, -0.5, rng.uniform(0, 0.6), any_colour(rng) * 0.7)
        for a in (-0.6, -0.2, 0.2, 0.5):
            patch(a, a + 0.16, -0.35, 0.0, any_colour(rng))
    else:
        ink = np.clip(colour * rng.uniform(0.1, 0.6), 0, 1) if colour.mean() > 0.4 else any_colour(rng)
        for _ in range(int(rng.integers(0, 9))):
            a, b = rng.uniform(-0.9, 0.6), rng.uniform(-0.9, 0.7)
            patch(a, a + rng.uniform(0.02, 0.3), b, b + rng.uniform(0.02, 0.6), ink)


def _glass(
    rng: np.random.Generator, canvas: Canvas, lamp: Lamp, x: float, y: float, covered: NDArray[np.uint8]
) -> None:
    """A glass or a bottle: what is behind it shows through, moved and tinted."""
    radius, tall = rng.uniform(0.7, 1.1), min(rng.uniform(1.5, 3.5), 0.3 * canvas.scene.eye[2])
    shade = shadow(canvas, lamp, [[((x, y, 0.0), radius), ((x, y, tall), radius)]], 0.0)
    lamp.darken(canvas, shade, tall, float(rng.uniform(0.3, 0.7)))
    mask = np.zeros(covered.shape, np.uint8)
    outline = round_hull(canvas, [((x, y, 0.0), radius), ((x, y, tall), radius * rng.uniform(0.9, 1.2))])
    cv2.fillPoly(mask, [outline], 255, cv2.LINE_AA, 4)
    drink = any_colour(rng) if rng.random() < 0.6 else np.float32([0.9, 0.9, 0.9])
    through = np.roll(canvas.bgr, (int(rng.integers(-12, 13)), int(rng.integers(-12, 13))), (0, 1))
    clear = np.float32(rng.uniform(0.15, 0.7))
    canvas.lay(mask.astype(np.float32) / 255, through * clear + drink * (1 - clear))
    cv2.polylines(canvas.bgr, [outline], True, rng.uniform(0.5, 1.0, 3).tolist(), 2, cv2.LINE_AA, 4)
    for high in (0.0, tall):
        ring = np.int32(np.round(_ring(canvas, (x, y, high), radius * 0.95) * 16))
        cv2.polylines(canvas.bgr, [ring], True, rng.uniform(0.3, 1.0, 3).tolist(), 2, cv2.LINE_AA, 4)
    np.maximum(covered, mask, out=covered)


def _spectacles(
    rng: np.random.Generator, canvas: Canvas, lamp: Lamp, x: float, y: float, covered: NDArray[np.uint8]
) -> None:
    """A pair of spectacles; only its frame hides anything."""
    turn, radius, high = rng.uniform(0, 2 * np.pi), rng.uniform(0.45, 0.65), 0.4
    ahead, aside = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    ink, thick = _leather(rng), int(rng.integers(3, 8))
    lines = []
    for side in (-1.0, 1.0):
        middle = np.array([x, y]) + aside * side * radius * 1.25
        lines.append(_ring(canvas, (float(middle[0]), float(middle[1]), high), radius, 0.8, turn + np.pi / 2))
        outer = np.array([x, y]) + aside * side * radius * 2.2
        back = outer + ahead * 2.8 - aside * side * rng.uniform(0, 1.5)
        lines.append(
            np.array(
                [
                    canvas.px(*canvas.scene.project(*each, high)[:2])
                    for each in (outer, (outer + back) / 2, back)
                ]
            )
        )
    for k, line in enumerate(lines):
        fixed = np.int32(np.round(line * 16))
        cv2.polylines(canvas.bgr, [fixed], k % 2 == 0, ink.tolist(), thick, cv2.LINE_AA, 4)
        cv2.polylines(covered, [fixed], k % 2 == 0, 255, thick, cv2.LINE_AA, 4)
