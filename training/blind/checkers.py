"""Paints checkers: discs with sides, rims, patterns, varnish that mirrors a lamp, and their shadows."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from training.blind.lamp import Lamp, Place
from training.blind.materials import FIELD_H, FIELD_W, FINE, Canvas, Image, any_colour, noise
from training.blind.scene import Checker, Scene


def _ellipse(
    canvas: Canvas, x: float, y: float, z: float, radius: float
) -> tuple[float, float, float, float]:
    """Centre and half-axes in pixels of a disc at height z."""
    s = canvas.scene
    u, v, grow = s.project(x, y, z)
    cx, cy = canvas.px(u, v)
    return cx, cy, radius * grow * FINE * FIELD_W / s.width, radius * grow * FINE * FIELD_H / s.height


@dataclass
class Style:
    """How the checkers of one side look."""

    colour: NDArray[np.float32]
    edge: NDArray[np.float32]
    rings: list[tuple[float, float, float]]
    pattern: int
    second: NDArray[np.float32]
    strength: float
    gloss: float
    bevel: float
    grain: float


def checker_style(rng: np.random.Generator, colour: NDArray[np.float32], shared: dict[str, float]) -> Style:
    edge = colour * rng.uniform(0.45, 1.05)
    if shared["black_edge"]:
        edge = np.float32([1, 1, 1]) * np.float32(rng.uniform(0.03, 0.2))
    elif rng.random() < 0.1:
        edge = any_colour(rng)
    rings = []
    for _ in range(int(shared["rings"])):
        rings.append(
            (float(rng.uniform(0.3, 0.97)), float(rng.uniform(0.02, 0.12)), float(rng.uniform(-0.4, 0.4)))
        )
    if shared["black_edge"] and rng.random() < 0.7:
        rings.append((0.96, 0.08, -0.85))
    pattern = int(rng.choice([0, 1, 2, 3, 4], p=[0.62, 0.14, 0.1, 0.08, 0.06]))
    second = any_colour(rng) if rng.random() < 0.4 else np.clip(colour * rng.uniform(0.5, 1.5), 0, 1)
    return Style(
        colour,
        edge.astype(np.float32),
        rings,
        pattern,
        second,
        float(rng.uniform(0.3, 1.0)),
        shared["gloss"],
        shared["bevel"],
        float(rng.uniform(0, 0.06)),
    )


def _disc_face(
    rng: np.random.Generator,
    style: Style,
    rx: float,
    ry: float,
    light: tuple[float, float],
    sub: tuple[float, float],
) -> tuple[Image, Image]:
    """A checker's top as a small picture with its alpha, centred at ``sub`` within it."""
    h, w = int(2 * ry + 5), int(2 * rx + 5)
    yy, xx = np.mgrid[0:h, 0:w].astype(np.float32)
    dx, dy = (xx - sub[0]) / rx, (yy - sub[1]) / ry
    rr = np.sqrt(dx * dx + dy * dy)
    alpha = np.clip((1 - rr) * min(rx, ry) + 0.5, 0, 1)
    face = np.empty((h, w, 3), np.float32)
    face[:] = style.colour * rng.normal(1, 0.03)
    p = style.pattern
    if p == 1:  # an inlay in the middle
        m = np.clip((0.3 + 0.35 * style.strength - rr) * rx, 0, 1)[..., None]
        face = face * (1 - m) + style.second * m
    elif p == 2:  # marble swirls
        m = np.clip(
            noise(rng, h, w, rng.uniform(3, 12), (1, rng.uniform(1, 3))) * 0.4 * style.strength + 0.2, 0, 0.8
        )[..., None]
        face = face * (1 - m) + style.second * m
    elif p == 3:  # an emblem: spokes or a star
        ang = np.arctan2(dy, dx) + rng.uniform(0, 6.3)
        n = 3 + int(style.strength * 6)
        m = ((np.cos(ang * n) > 0.2) & (rr < 0.75)).astype(np.float32)[..., None] * style.strength * 0.7
        face = face * (1 - m) + style.second * m
    elif p == 4:  # two tones, halves or checks
        a = rng.uniform(0, 3.14)
        m = (
            (np.sin((dx * np.cos(a) + dy * np.sin(a)) * (2 + 5 * style.strength)) > 0).astype(np.float32)[
                ..., None
            ]
            * 0.5
            * style.strength
        )
        face = face * (1 - m) + style.second * m
    if style.grain > 0.02:
        face *= (1 + style.grain * noise(rng, h, w, 2))[..., None]
    lit = dx * light[0] + dy * light[1]
    for at, wide, gain in style.rings:
        band = np.exp(-(((rr - at) / wide) ** 2))
        face *= (1 + gain * band * np.where(gain < -0.5, 1.0, np.clip(lit / (rr + 0.1), -1, 1) * 0.7 + 0.3))[
            ..., None
        ]
    rim = np.clip((rr - 0.82) / 0.18, 0, 1)
    face *= (1 + style.bevel * rim * lit)[..., None]
    if style.gloss > 0:
        gx, gy = rng.normal(0, 0.35, 2)
        spot = np.exp(-(((dx - gx) ** 2 + (dy - gy) ** 2) / rng.uniform(0.05, 0.5)))
        if rng.random() < 0.4:
            spot = (spot > 0.5).astype(np.float32) * np.clip(1 + 0.4 * noise(rng, h, w, 6), 0, 1)
        face += (style.gloss * rng.random() * spot)[..., None]
    return face, alpha


@dataclass(frozen=True)
class Lobe:
    """A lamp mirrored in flat, varnished tops: where on the board (scene units), how wide, how strong, its
    colour, how patchy."""

    x: float
    y: float
    reach: float
    strength: float
    tint: NDArray[np.float32]
    patchy: float
    rim: float

    def at(self, x: float, y: float) -> float:
        return self.strength * float(np.exp(-((x - self.x) ** 2 + (y - self.y) ** 2) / self.reach**2))


def random_lobe(rng: np.random.Generator, scene: Scene) -> Lobe | None:
    if rng.random() < 0.5:
        return None
    tint = np.float32(rng.normal(1, 0.05, 3).clip(0.85, 1.15))
    return Lobe(
        rng.uniform(-1, scene.width + 1),
        rng.uniform(-1, scene.height + 1),
        rng.uniform(1.5, 7),
        rng.uniform(0.1, 0.75),
        tint,
        float(rng.choice([0.0, rng.uniform(0.3, 1.0)])),
        rng.uniform(0.0, 0.7),
    )


def _mirror(rng: np.random.Generator, lobe: Lobe, gain: float, face: Image, rr: Image) -> Image:
    h, w = rr.shape
    shape = np.clip((0.86 - rr) * 12, 0, 1) * (1 - lobe.rim) + lobe.rim
    if lobe.patchy > 0:
        cut = noise(rng, h, w, rng.uniform(6, 30)) > rng.uniform(-1.0, 0.8)
        shape = shape * (
            1 - lobe.patchy + lobe.patchy * cv2.GaussianBlur(cut.astype(np.float32), (0, 0), 1.0)
        )
    return face + (gain * shape)[..., None] * lobe.tint


def paint_checker(
    rng: np.random.Generator,
    canvas: Canvas,
    checker: Checker,
    style: Style,
    light: tuple[float, float],
    lobe: Lobe | None,
) -> None:
    t, d = canvas.scene.thickness, canvas.scene.diameter
    bx, by, brx, bry = _ellipse(canvas, checker.x, checker.y, checker.z, d / 2)
    tx, ty, trx, tr_y = _ellipse(canvas, checker.x, checker.y, checker.z + t, d / 2)
    h, w = canvas.bgr.shape[:2]
    x0, x1 = int(max(0, min(bx - brx, tx - trx) - 3)), int(min(w, max(bx + brx, tx + trx) + 4))
    y0, y1 = int(max(0, min(by - bry, ty - tr_y) - 3)), int(min(h, max(by + bry, ty + tr_y) + 4))
    if x1 - x0 < 4 or y1 - y0 < 4:
        return
    steps = np.linspace(0, 2 * np.pi, 40)
    ring = np.concatenate(
        [
            np.c_[bx + brx * np.cos(steps), by + bry * np.sin(steps)],
            np.c_[tx + trx * np.cos(steps), ty + tr_y * np.sin(steps)],
        ]
    )
    hull = cv2.convexHull(np.int32(np.round((ring - (x0, y0)) * 16)))
    m = np.zeros((y1 - y0, x1 - x0), np.uint8)
    cv2.fillPoly(m, [hull.reshape(-1, 2)], 255, cv2.LINE_AA, 4)
    view = canvas.bgr[y0:y1, x0:x1]
    a = (m.astype(np.float32) / 255)[..., None]
    slope = (
        (np.arange(x0, x1)[None, :] - tx) / trx * light[0]
        + (np.arange(y0, y1)[:, None] - ty) / tr_y * light[1]
    ).astype(np.float32)
    side = style.edge * (0.75 + 0.35 * np.clip(slope, -1, 1))[..., None]
    view[:] = view * (1 - a) + side * a
    fx, fy = int(tx - trx - 2), int(ty - tr_y - 2)
    face, alpha = _disc_face(rng, style, trx, tr_y, light, (tx - fx, ty - fy))
    fh, fw = alpha.shape
    if lobe is not None:
        gain = lobe.at(checker.x, checker.y) * rng.uniform(0.6, 1.2)
        if gain > 0.02:
            yy, xx = np.mgrid[0:fh, 0:fw].astype(np.float32)
            face = _mirror(rng, lobe, gain, face, np.hypot((xx - tx + fx) / trx, (yy - ty + fy) / tr_y))
    cx0, cy0, cx1, cy1 = max(0, fx), max(0, fy), min(w, fx + fw), min(h, fy + fh)
    if cx1 <= cx0 or cy1 <= cy0:
        return
    part = np.s_[cy0 - fy : cy1 - fy, cx0 - fx : cx1 - fx]
    al = alpha[part][..., None]
    spot = canvas.bgr[cy0:cy1, cx0:cx1]
    spot[:] = spot * (1 - al) + face[part] * al


def paint_shadows(canvas: Canvas, lamp: Lamp) -> None:
    """The checkers' shades on the cloth."""
    shade = np.zeros(canvas.bgr.shape[:2], np.uint8)
    for c in canvas.scene.checkers:
        for part in (0.35, 0.7, 1.0):
            _disc(canvas, shade, lamp.cast((c.x, c.y, c.z + part * canvas.scene.thickness)), 255)
    lamp.darken(canvas, shade, max(canvas.scene.thickness, 0.3))


def shade_walls(canvas: Canvas, lamp: Lamp) -> None:
    """The shade of rim and bar on the cloth and, less far, on the checkers that stand on it."""
    s = canvas.scene
    high = max(s.rail, s.ridge if s.bar > 0.05 else 0.0)
    if high < 0.05:
        return

    def shade(onto: float) -> NDArray[np.uint8]:
        halves = [(0.0, 6.0), (6.0 + s.bar, s.width)]
        found = np.zeros(canvas.bgr.shape[:2], np.uint8)
        for a, b in halves:
            field = [(a, 0.0), (b, 0.0), (b, s.height), (a, s.height)]
            cv2.fillPoly(found, [canvas.polygon(field, onto)], 255, cv2.LINE_AA, 4)
        for k, (a, b) in enumerate(halves):
            (rail_x, rail_y, _), (bar_x, _, _) = (lamp.cast((0, 0, wall), onto) for wall in (s.rail, s.ridge))
            left, right = (rail_x, bar_x) if k == 0 else (bar_x, rail_x)
            x0, x1 = a + max(left, 0.0), b + min(right, 0.0)
            y0, y1 = max(rail_y, 0.0), s.height + min(rail_y, 0.0)
            if x1 > x0 and y1 > y0:
                lit = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
                cv2.fillPoly(found, [canvas.polygon(lit, onto)], 0, cv2.LINE_AA, 4)
        return found

    tops = np.zeros(canvas.bgr.shape[:2], np.uint8)
    for c in s.checkers:
        _disc(canvas, tops, (c.x, c.y, c.z + s.thickness), 255)
    lamp.darken(canvas, np.where(tops > 127, shade(s.thickness), shade(0.0)), high)


def _disc(canvas: Canvas, mask: NDArray[np.uint8], place: Place, value: int) -> None:
    cx, cy, rx, ry = _ellipse(canvas, *place, canvas.scene.diameter / 2)
    middle, axes = (int(cx * 16), int(cy * 16)), (int(rx * 16), int(ry * 16))
    cv2.ellipse(mask, middle, axes, 0, 0, 360, value, -1, cv2.LINE_AA, 4)
