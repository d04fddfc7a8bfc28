"""What stands up from a painted table, drawn part by part: outlines of round limbs and of boxes, and their
roundness in the lamp's light."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from training.blind.lamp import Lamp, Place
from training.blind.materials import FIELD_H, FIELD_W, FINE, Canvas, Image

Outline = NDArray[np.int32]
"""Corners on the canvas (N x 2), in sixteenths of a pixel."""
Texture = Callable[[Image, Image], Image]
"""Of each pixel's place (columns, rows; on the canvas) what multiplies its colour, or its colours
themselves (rows x columns x 3)."""

_turns = np.linspace(0, 2 * np.pi, 18, endpoint=False)
_circle = np.stack([np.cos(_turns), np.sin(_turns)], axis=1)


def round_hull(canvas: Canvas, parts: Sequence[tuple[Place, float]]) -> Outline:
    """The outline of balls (middle, radius in pitches) and of all between them, as the camera sees them."""
    scene = canvas.scene
    rings = []
    for (x, y, z), radius in parts:
        u, v, grow = scene.project(x, y, z)
        scale = np.array([FIELD_W / scene.width, FIELD_H / scene.height]) * (FINE * radius * grow)
        rings.append(np.array(canvas.px(u, v)) + _circle * scale)
    return hull(np.concatenate(rings))


def hull(points: NDArray[np.float64]) -> Outline:
    """The convex hull of pixels (N x 2)."""
    fixed = np.int32(np.round(np.clip(points, -4000, 4000) * 16))
    return np.asarray(cv2.convexHull(fixed).reshape(-1, 2), np.int32)


def shadow(
    canvas: Canvas, lamp: Lamp, solids: Sequence[Sequence[tuple[Place, float]]], onto: float
) -> NDArray[np.uint8]:
    """The shade (0-255) of such parts where it falls on what is so high."""
    shade = np.zeros(canvas.bgr.shape[:2], np.uint8)
    for parts in solids:
        fallen = [(lamp.cast(place, onto), radius) for place, radius in parts]
        cv2.fillPoly(shade, [round_hull(canvas, fallen)], 255, cv2.LINE_AA, 4)
    return shade


def lay_round(
    canvas: Canvas,
    outline: Outline,
    colour: NDArray[np.float32],
    lamp: Lamp,
    texture: Texture | None = None,
    depth: float = 0.5,
    covered: NDArray[np.uint8] | None = None,
) -> None:
    """Paint an outline as something round: darker to its edges (``depth``) and on the side away from the
    lamp. ``covered`` takes up what of the canvas it hides (255)."""
    h, w = canvas.bgr.shape[:2]
    low, high = outline.min(axis=0) // 16 - 1, outline.max(axis=0) // 16 + 2
    left, up, right, down = max(0, low[0]), max(0, low[1]), min(w, high[0] + 1), min(h, high[1] + 1)
    if right - left < 3 or down - up < 3:
        return
    mask = np.zeros((down - up, right - left), np.uint8)
    cv2.fillPoly(mask, [outline - np.int32([left, up]) * 16], 255, cv2.LINE_AA, 4)
    # beyond the canvas the thing goes on: its edge there is none
    inside = np.pad((mask > 127).astype(np.uint8), 1, mode="edge")
    far = cv2.distanceTransform(inside, cv2.DIST_L2, 3)[1:-1, 1:-1]
    most = float(far.max())
    if most < 0.5:
        return
    flank = 1 - np.minimum(far / most, 1)
    form = cv2.sqrt(np.maximum(1 - flank * flank, 0))
    if most > 4:
        form = cv2.GaussianBlur(form, (0, 0), most / 6)
    across = cv2.Sobel(form, cv2.CV_32F, 1, 0, ksize=3, scale=most / 8)
    along = cv2.Sobel(form, cv2.CV_32F, 0, 1, ksize=3, scale=most / 8)
    lit = np.clip(-(across * lamp.light[0] + along * lamp.light[1]), -1, 1)
    gain = 1 - depth + depth * form + 0.7 * depth * lit
    ink: Image = np.empty((*mask.shape, 3), np.float32)
    ink[:] = colour
    if texture is not None:
        xx, yy = np.meshgrid(np.arange(left, right, dtype=np.float32), np.arange(up, down, dtype=np.float32))
        cloth = texture(xx, yy)
        ink = cloth if cloth.ndim == 3 else ink * cloth[..., None]
    ink = ink * gain[..., None]
    part = (mask.astype(np.float32) / 255)[..., None]
    view = canvas.bgr[up:down, left:right]
    view += (ink - view) * part
    if covered is not None:
        np.maximum(covered[up:down, left:right], mask, out=covered[up:down, left:right])
