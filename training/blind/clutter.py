"""Paints what is no checker: dice, cubes, cups, hinges, lights of the table, hands."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from training.blind.materials import FIELD_H, FIELD_W, FINE, Canvas, Image, any_colour, hsv, noise


def paint_clutter(rng: np.random.Generator, canvas: Canvas) -> None:
    """Dice, a cube, small lights, scratches: things that are no checkers."""
    s = canvas.scene
    unit = FINE * FIELD_W / s.width
    for _ in range(int(rng.choice([0, 2, 2, 4]))):
        cube = False
        _die(
            rng,
            canvas,
            rng.uniform(0.5, s.width - 0.5),
            rng.uniform(0.15, 0.85) * s.height,
            unit * rng.uniform(0.28, 0.5),
            cube,
        )
    if rng.random() < 0.4:
        where = rng.random()
        x = (
            s.width / 2
            if where < 0.6
            else rng.choice([-0.6, s.width + 0.6])
            if where < 0.8
            else rng.uniform(0.5, s.width - 0.5)
        )
        _die(rng, canvas, x, rng.uniform(0.02, 0.98) * s.height, unit * rng.uniform(0.6, 0.95), True)
    if rng.random() < 0.1:
        for _ in range(int(rng.integers(1, 4))):
            u, v = canvas.px(rng.uniform(0, s.width), rng.choice([0.1, s.height - 0.1]))
            cv2.circle(
                canvas.bgr,
                (int(u), int(v)),
                int(rng.integers(2, 5)),
                hsv(rng.uniform(0, 360), 1, 1).tolist(),
                -1,
                cv2.LINE_AA,
            )
    if rng.random() < 0.07:  # a dice cup, standing
        u, v = canvas.px(rng.uniform(0.5, s.width - 0.5), rng.uniform(0.25, 0.75) * s.height)
        r, cup = unit * rng.uniform(0.8, 1.15), any_colour(rng)
        lean = (int(u + rng.normal(0, r)), int(v + rng.normal(0, r)))
        cv2.line(canvas.bgr, (int(u), int(v)), lean, (cup * 0.7).tolist(), int(2 * r), cv2.LINE_AA)
        cv2.circle(canvas.bgr, lean, int(r), cup.tolist(), -1, cv2.LINE_AA)
        cv2.circle(canvas.bgr, lean, int(r * 0.85), (cup * rng.uniform(0.1, 0.6)).tolist(), -1, cv2.LINE_AA)
    for _ in range(int(rng.choice([0, 0, 1, 3]))):  # hinges, latches, screws, lettering
        u, v = canvas.px(s.width / 2 + rng.normal(0, s.bar / 4 + 0.01), rng.uniform(0, s.height))
        a, b = rng.uniform(0.05, 0.35, 2) * unit
        cv2.rectangle(
            canvas.bgr, (int(u - a), int(v - b)), (int(u + a), int(v + b)), any_colour(rng).tolist(), -1
        )


def _die(rng: np.random.Generator, canvas: Canvas, x: float, y: float, size: float, cube: bool) -> None:
    s = canvas.scene
    u, v = canvas.px(x, y)
    tx, ty, _ = s.project(x, y, size / (FINE * FIELD_W / s.width))
    tu, tv = canvas.px(tx, ty)
    angle = rng.uniform(0, 90) if not cube or rng.random() < 0.3 else rng.normal(0, 4)
    box = cv2.boxPoints(((0, 0), (size, size * FIELD_H / s.height * s.width / FIELD_W), angle))
    colour = any_colour(rng)
    hull = cv2.convexHull(
        np.int32(np.round(np.concatenate([box + np.array([u, v]), box + np.array([tu, tv])]) * 16))
    )
    cv2.fillPoly(canvas.bgr, [hull.reshape(-1, 2)], (colour * 0.6).tolist(), cv2.LINE_AA, 4)
    cv2.fillPoly(
        canvas.bgr, [np.int32(np.round((box + np.array([tu, tv])) * 16))], colour.tolist(), cv2.LINE_AA, 4
    )
    ink = (1, 1, 1) if colour.mean() < 0.5 else (0, 0, 0)
    if cube:
        label = np.zeros(canvas.bgr.shape[:2], np.uint8)
        number = str(int(rng.choice([2, 4, 8, 16, 32, 64])))
        cv2.putText(
            label,
            number,
            (int(tu - size * 0.35), int(tv + size * 0.25)),
            cv2.FONT_HERSHEY_SIMPLEX,
            size / 40,
            255,
            2,
            cv2.LINE_AA,
        )
        canvas.lay(label.astype(np.float32) / 255, np.float32(ink))
        return
    for _ in range(int(rng.integers(1, 7))):
        a, b = rng.uniform(-0.3, 0.3, 2) * size
        cv2.circle(canvas.bgr, (int(tu + a), int(tv + b)), max(1, int(size * 0.09)), ink, -1, cv2.LINE_AA)


def paint_hand(rng: np.random.Generator, canvas: Canvas) -> Image:
    """An arm that reaches in from outside, with fingers; returns its mask."""
    s = canvas.scene
    unit = FINE * FIELD_W / s.width
    tip = np.array(canvas.px(rng.uniform(0.5, s.width - 0.5), rng.uniform(0.5, s.height - 0.5)))
    a = rng.choice([np.pi / 2, -np.pi / 2, 0, np.pi], p=[0.4, 0.3, 0.15, 0.15]) + rng.normal(0, 0.5)
    away = np.array([np.cos(a), np.sin(a)])
    across = np.array([-away[1], away[0]])
    tone = hsv(rng.uniform(8, 28), rng.uniform(0.25, 0.7), rng.uniform(0.25, 0.95))
    sleeve = any_colour(rng)
    m = np.zeros(canvas.bgr.shape[:2], np.uint8)

    def limb(
        p: NDArray[np.float64], q: NDArray[np.float64], wide: float, colour: NDArray[np.float32]
    ) -> None:
        for target, value in ((m, 255), (canvas.bgr, None)):
            ink = value if value is not None else colour.tolist()
            cv2.line(
                target, (int(p[0]), int(p[1])), (int(q[0]), int(q[1])), ink, max(2, int(wide)), cv2.LINE_AA
            )

    palm = tip + away * unit * rng.uniform(1.2, 2.2)
    wrist = palm + away * unit * rng.uniform(1.2, 2.5)
    before = canvas.bgr.copy()
    limb(
        wrist, wrist + away * unit * 20, unit * rng.uniform(1.4, 2.6), sleeve if rng.random() < 0.6 else tone
    )
    limb(palm, wrist, unit * rng.uniform(1.2, 1.7), tone)
    limb(palm - away * unit * 0.3, palm + away * unit * 0.4, unit * rng.uniform(1.7, 2.3), tone)
    for k in range(int(rng.integers(2, 6))):
        root = palm + across * unit * (k - 2) * 0.45
        end = (
            tip + across * unit * rng.normal(0, 0.45) if k < 3 else root - away * unit * rng.uniform(0.5, 1.6)
        )
        limb(root, end, unit * rng.uniform(0.35, 0.5), tone * rng.uniform(0.85, 1.05))
    soft = cv2.GaussianBlur(m, (0, 0), 6).astype(np.float32) / 255
    inside = (m > 0)[..., None]
    shade = 1 - rng.uniform(0.1, 0.5) * np.roll(
        soft, (int(rng.integers(-25, 26)), int(rng.integers(-25, 26))), (0, 1)
    )
    h, w = m.shape
    form = (0.75 + 0.3 * soft) * (1 + 0.06 * noise(rng, h, w, 8))
    canvas.bgr[:] = np.where(inside, canvas.bgr * form[..., None], before * shade[..., None])
    return m.astype(np.float32) / 255
