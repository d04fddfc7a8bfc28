"""Paints the empty board: cloth, points, bar, rails, and what is printed on it or lies beside it."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from training.blind.lamp import Lamp
from training.blind.materials import FIELD_W, FINE, Canvas, Image, any_colour, surface
from training.blind.scene import Scene
from vision.disc_finder.flat_map import HIGH, WIDE


def paint_board(
    rng: np.random.Generator, scene: Scene, palette: list[NDArray[np.float32]], lamp: Lamp
) -> tuple[Canvas, Image, Image]:
    """The empty board up to the walls; also the rail tops' sheet and mask, to be laid over checkers later."""
    h, w = HIGH * FINE, WIDE * FINE
    canvas = Canvas(scene, np.zeros((h, w, 3), np.float32))
    wide, deep = scene.width, scene.height
    cloth = any_colour(rng) if rng.random() < 0.85 else palette[int(rng.integers(2))] * rng.uniform(0.8, 1.1)
    rails = any_colour(rng) if rng.random() < 0.7 else cloth * rng.uniform(0.5, 1.2)
    canvas.bgr[:] = rails * rng.uniform(0.3, 0.9)
    sheet = surface(rng, cloth, h, w)
    halves = [(0.0, 6.0), (6.0 + scene.bar, wide)]
    whole = scene.bar == 0 or rng.random() < 0.1
    field_mask = canvas.mask(
        [
            canvas.polygon([(a, 0), (b, 0), (b, deep), (a, deep)])
            for a, b in ([(0.0, wide)] if whole else halves)
        ]
    )
    canvas.lay(field_mask, sheet)
    _paint_points(rng, canvas, cloth, palette)
    if rng.random() < 0.25:
        _decals(rng, canvas)
    top = surface(rng, rails, h, w)
    _beyond(rng, canvas, top)
    _fittings(rng, canvas, top)
    if rng.random() < 0.25:
        _trays(rng, canvas, top, palette)
    toward = (lamp.light[0], -lamp.light[1])  # y is up in the scene

    def face(
        a: tuple[float, float], b: tuple[float, float], high: float, normal: tuple[float, float]
    ) -> None:
        """A wall's inner side, lit as it is turned to the lamp."""
        lit = max(normal[0] * toward[0] + normal[1] * toward[1], -0.3)
        quad = np.concatenate([canvas.polygon([a, b]), canvas.polygon([b, a], high)])
        shine = np.clip(rails * (0.5 + 0.45 * lit * lamp.dark / 0.6) * rng.uniform(0.85, 1.1), 0, 1)
        cv2.fillPoly(canvas.bgr, [quad], shine.tolist(), cv2.LINE_AA, 4)

    if scene.rail > 0.03:
        face((0, 0), (0, deep), scene.rail, (1, 0))
        face((wide, 0), (wide, deep), scene.rail, (-1, 0))
        face((0, 0), (wide, 0), scene.rail, (0, 1))
        face((0, deep), (wide, deep), scene.rail, (0, -1))
    out = [(-6.0, -6.0), (wide + 6, -6.0), (wide + 6, deep + 6), (-6.0, deep + 6)]
    lip = rng.uniform(0.0, 0.12)
    inner = canvas.polygon(
        [(-lip, -lip), (wide + lip, -lip), (wide + lip, deep + lip), (-lip, deep + lip)], scene.rail
    )
    outer = np.zeros((h, w), np.uint8)
    cv2.fillPoly(outer, [canvas.polygon(out)], 255)
    hole = canvas.mask([inner])
    rail_mask = np.clip(1 - hole, 0, 1)
    if not whole and scene.bar > 0.05:
        ridge = [(6.0, -1.0), (6.0 + scene.bar, -1.0), (6.0 + scene.bar, deep + 1), (6.0, deep + 1)]
        base = canvas.mask(
            [
                cv2.convexHull(
                    np.concatenate([canvas.polygon(ridge), canvas.polygon(ridge, scene.ridge)])
                ).reshape(-1, 2)
            ]
        )
        canvas.lay(base, rails * rng.uniform(0.3, 0.8))
        if scene.ridge > 0.03:
            face((6.0, 0), (6.0, deep), scene.ridge, (-1, 0))
            face((6.0 + scene.bar, 0), (6.0 + scene.bar, deep), scene.ridge, (1, 0))
        if scene.ridge < scene.thickness:
            canvas.lay(canvas.mask([canvas.polygon(ridge, scene.ridge)]), top)
    if scene.rail < scene.thickness:
        canvas.lay(rail_mask, top)
    return canvas, rail_mask, top


def _beyond(rng: np.random.Generator, canvas: Canvas, top: Image) -> None:
    """What lies beyond the rims, as part of their sheet: their outer edges, the table, its cloth."""
    s = canvas.scene
    if rng.random() < 0.4:
        return
    h, w = top.shape[:2]
    left, right, low, high = rng.uniform(0.2, 1.1, 4) if rng.random() < 0.5 else [rng.uniform(0.2, 1.1)] * 4
    corners = [
        (-left, -low),
        (s.width + right, -low),
        (s.width + right, s.height + high),
        (-left, s.height + high),
    ]
    outline = canvas.polygon(corners, s.rail)
    mask = np.full((h, w), 255, np.uint8)
    cv2.fillPoly(mask, [outline], 0, cv2.LINE_AA, 4)
    table = surface(rng, any_colour(rng), h, w)
    if rng.random() < 0.6:  # the board's own shade on it
        soft = cv2.GaussianBlur(mask[::4, ::4], (0, 0), rng.uniform(1, 6)).astype(np.float32) / 255
        soft = cv2.resize(soft, (w, h), interpolation=cv2.INTER_LINEAR)
        table *= (1 - rng.uniform(0.2, 0.8) * (1 - soft))[..., None]
    part = mask.astype(np.float32) / 255
    top[:] = cv2.blendLinear(table, top, part, 1 - part)
    ink = (top[h // 2, 0] * rng.uniform(0.1, 1.2)).clip(0, 1).tolist()
    cv2.polylines(top, [outline], True, ink, int(rng.integers(1, 8)), cv2.LINE_AA, 4)


def _fittings(rng: np.random.Generator, canvas: Canvas, top: Image) -> None:
    """What is on rims and may look like a fingertip: hinges, latches, screws, labels, joints, glints, dark
    corners."""
    s = canvas.scene
    unit = FINE * FIELD_W / s.width
    for _ in range(int(rng.choice([0, 1, 2, 4, 7], p=[0.25, 0.2, 0.25, 0.2, 0.1]))):
        far = rng.uniform(0.05, 0.85)
        if rng.random() < 0.5:
            x, y = rng.uniform(-0.5, s.width + 0.5), rng.choice([-far, s.height + far])
        else:
            x, y = rng.choice([-far, s.width + far]), rng.uniform(-0.5, s.height + 0.5)
        if rng.random() < 0.25:  # at a corner
            x, y = rng.choice([-far, s.width + far]), rng.choice([-far, s.height + far])
        u, v = (int(each) for each in canvas.px(*s.project(x, y, s.rail)[:2]))
        ink = any_colour(rng)
        a, b = (int(each) for each in rng.uniform(0.08, 0.7, 2) * unit)
        kind = rng.random()
        if kind < 0.35:  # a plate, with its screws
            cv2.rectangle(top, (u - a, v - b), (u + a, v + b), ink.tolist(), -1)
            cv2.rectangle(top, (u - a, v - b), (u + a, v + b), (ink * rng.uniform(0.3, 1.4)).tolist(), 1)
            for side in (-0.6, 0.6):
                at = (int(u + side * a), int(v + side * b))
                cv2.circle(top, at, max(1, int(0.05 * unit)), (ink * 0.4).tolist(), -1, cv2.LINE_AA)
        elif kind < 0.5:
            cv2.circle(top, (u, v), max(2, min(a, b)), ink.tolist(), -1, cv2.LINE_AA)
        elif kind < 0.62:
            cv2.line(top, (u - a, v - b), (u + a, v + b), ink.tolist(), int(rng.integers(1, 6)), cv2.LINE_AA)
        else:  # a glint or a dark stain, soft
            reach = int(unit * rng.uniform(0.3, 1.6))
            y0, y1 = max(0, v - reach), min(top.shape[0], v + reach)
            x0, x1 = max(0, u - reach), min(top.shape[1], u + reach)
            if y1 - y0 < 3 or x1 - x0 < 3:
                continue
            yy, xx = np.ogrid[y0 - v : y1 - v, x0 - u : x1 - u]
            glow = np.exp(
                -((xx * rng.uniform(1.5, 6) / reach) ** 2) - (yy * rng.uniform(1.5, 6) / reach) ** 2
            )
            power = rng.uniform(0.2, 0.9) if kind < 0.8 else -rng.uniform(0.3, 0.9)
            spot = top[y0:y1, x0:x1]
            spot += (power * glow)[..., None].astype(np.float32) * (1 if power > 0 else spot)


def _outline(
    straight: bool, x: float, y0: float, y1: float, foot: float, tip: float
) -> list[tuple[float, float]]:
    """A point's corners: straight, or a leaf or a spear, wider in the middle."""
    if straight:
        return [(x - foot, y0), (x + foot, y0), (x + tip, y1), (x - tip, y1)]
    mid, wide = y0 + (y1 - y0) * 0.45, foot * 0.75
    return [(x - foot * 0.8, y0), (x + foot * 0.8, y0), (x + wide, mid), (x, y1), (x - wide, mid)]


def _paint_points(
    rng: np.random.Generator, canvas: Canvas, cloth: NDArray[np.float32], palette: list[NDArray[np.float32]]
) -> None:
    scene = canvas.scene

    def near_palette() -> NDArray[np.float32]:
        return np.clip(palette[int(rng.integers(2))] * rng.uniform(0.75, 1.15), 0, 1)

    colours = [any_colour(rng) if rng.random() < 0.75 else near_palette() for _ in range(2)]
    if rng.random() < 0.06:
        colours[1] = cloth
    foot = rng.uniform(0.38, 0.5)
    tip = rng.choice([0.0, rng.uniform(0.01, 0.07)])
    outline = any_colour(rng) if rng.random() < 0.3 else None
    thick = int(rng.integers(1, 4))
    long = scene.length * scene.height
    swap = int(rng.integers(2))
    h, w = canvas.bgr.shape[:2]
    sheets = [surface(rng, c, h, w) for c in colours]
    inset = rng.choice([0.0, rng.uniform(0.0, 0.2)])
    shape = rng.random()
    polygons: list[list[NDArray[np.int32]]] = [[], []]
    ornaments = []
    for top in (0, 1):
        for column in range(12):
            x = scene.axis(column)
            which = (column + top + swap) % 2
            y0, y1 = inset, inset + long
            pts = _outline(shape < 0.85, x, y0, y1, foot, tip)
            if top:
                pts = [(px, scene.height - py) for px, py in pts]
            polygons[which].append(canvas.polygon(pts))
            ornaments.append((x, y1 if not top else scene.height - y1))
    for which in (0, 1):
        canvas.lay(canvas.mask(polygons[which]), sheets[which])
    if outline is not None:
        for p in polygons[0] + polygons[1]:
            cv2.polylines(canvas.bgr, [p], True, outline.tolist(), thick, cv2.LINE_AA, 4)
    if rng.random() < 0.08:
        radius = rng.uniform(0.05, 0.3)
        for x, y in ornaments:
            u, v = canvas.px(x, y)
            r = radius * FINE * FIELD_W / scene.width
            cv2.circle(
                canvas.bgr,
                (int(u), int(v)),
                max(1, int(r)),
                (outline if outline is not None else colours[0]).tolist(),
                -1 if rng.random() < 0.6 else 2,
                cv2.LINE_AA,
            )


def _decals(rng: np.random.Generator, canvas: Canvas) -> None:
    """Logos, rings and lettering in the middle of the field."""
    s = canvas.scene
    unit = FINE * FIELD_W / s.width
    for half in (3.0, 9.0 + s.bar):
        u, v = canvas.px(half + rng.normal(0, 0.3), s.height / 2 + rng.normal(0, 0.3))
        ink, thick = any_colour(rng).tolist(), int(rng.choice([-1, 1, 2, 4]))
        for _ in range(int(rng.integers(1, 4))):
            r = unit * rng.uniform(0.2, 1.3)
            at = (int(u + rng.normal(0, 0.5) * unit), int(v + rng.normal(0, 0.3) * unit))
            if rng.random() < 0.6:
                cv2.ellipse(
                    canvas.bgr, at, (int(r), int(r * rng.uniform(0.6, 1))), 0, 0, 360, ink, thick, cv2.LINE_AA
                )
            else:
                cv2.rectangle(
                    canvas.bgr, at, (int(at[0] + r), int(at[1] + r * rng.uniform(0.1, 1))), ink, thick
                )


def _trays(rng: np.random.Generator, canvas: Canvas, top: Image, palette: list[NDArray[np.float32]]) -> None:
    """Borne-off checkers beside the board, lying or on their rims, as part of the rails' sheet."""
    s = canvas.scene
    unit = FINE * FIELD_W / s.width
    for _ in range(int(rng.integers(1, 4))):
        x = rng.choice([-rng.uniform(0.55, 0.9), s.width + rng.uniform(0.55, 0.9)])
        colour = (palette[int(rng.integers(2))] * rng.uniform(0.7, 1.05)).astype(np.float32)
        y = rng.uniform(0, s.height)
        lying = rng.random() < 0.4
        for _ in range(int(rng.integers(1, 12))):
            u, v = canvas.px(x, y)
            if lying:
                cv2.circle(top, (int(u), int(v)), int(unit * 0.46), colour.tolist(), -1, cv2.LINE_AA)
                cv2.circle(top, (int(u), int(v)), int(unit * 0.46), (colour * 0.5).tolist(), 2, cv2.LINE_AA)
                y += s.diameter
            else:
                a, b = int(unit * 0.46), int(unit * s.thickness / 2)
                cv2.rectangle(top, (int(u) - a, int(v) - b), (int(u) + a, int(v) + b), colour.tolist(), -1)
                cv2.rectangle(
                    top, (int(u) - a, int(v) - b), (int(u) + a, int(v) + b), (colour * 0.4).tolist(), 1
                )
                y += s.thickness
