"""Paints small things that are no checkers and hide none: dice, cubes, hinges, lights of the table."""

from __future__ import annotations

import cv2
import numpy as np

from training.blind.materials import FIELD_H, FIELD_W, FINE, Canvas, any_colour, hsv


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
