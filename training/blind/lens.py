"""Lamps and cameras: light over the painted board, then a photograph of it, laid flat again by corners that a
person clicked."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from training.blind.materials import FIELD_H, FIELD_W, FINE, Image, grains, times
from training.blind.scene import Scene
from vision.disc_finder.flat_map import HIGH, MARGIN, WIDE

IDEAL = np.float64(
    [
        [MARGIN, MARGIN],
        [MARGIN + FIELD_W, MARGIN],
        [MARGIN + FIELD_W, MARGIN + FIELD_H],
        [MARGIN, MARGIN + FIELD_H],
    ]
)
"""Where the playing surface's corners are in the network's picture, from the top left clockwise."""


def light_up(rng: np.random.Generator, bgr: Image) -> Image:
    """Lamps: a gradient, a pool of light, glare on the varnish, a passing shadow, a colour cast, exposure."""
    h, w = bgr.shape[:2]
    xx = np.linspace(0, w, w // 2, dtype=np.float32)[None]
    yy = np.linspace(0, h, h // 2, dtype=np.float32)[:, None]
    a = rng.uniform(0, 6.28)
    ramp = ((xx / w - 0.5) * np.cos(a) + (yy / h - 0.5) * np.sin(a)) * rng.uniform(0, 0.9)
    gain = (1 + ramp).astype(np.float32)
    if rng.random() < 0.4:
        gain *= 1 + rng.uniform(-0.3, 0.6) * _pool(rng, xx, yy, rng.uniform(0.2, 0.8) * w)
    if rng.random() < 0.25:
        edge = (xx - rng.uniform(0, w)) * np.cos(a * 3) + (yy - rng.uniform(0, h)) * np.sin(a * 3)
        step = 1 / (1 + np.exp(np.clip(-edge / rng.uniform(2, 40), -30, 30)))
        gain *= (1 - rng.uniform(0.1, 0.6) * step).astype(np.float32)
    cast = np.float32(rng.normal(1, 0.07, 3).clip(0.75, 1.25) * rng.uniform(0.55, 1.25))
    gain = cv2.resize(np.clip(gain, 0.1, 3), (w, h), interpolation=cv2.INTER_LINEAR)
    out = bgr * times(cast, gain)
    if rng.random() < 0.25:
        glare = rng.uniform(0.1, 0.6) * _pool(rng, xx, yy, rng.uniform(0.03, 0.25) * w)
        glare = cv2.resize(np.float32(glare), (w, h), interpolation=cv2.INTER_LINEAR)
        out += times(cast, glare)
    return np.asarray(cv2.pow(np.clip(out, 0, 1.2), rng.uniform(0.75, 1.3)), np.float32)


def _pool(rng: np.random.Generator, xx: Image, yy: Image, reach: float) -> Image:
    """Light (0-1) around a place somewhere, at these columns and rows."""
    across, along = (xx - rng.uniform(0, xx.max())) ** 2, (yy - rng.uniform(0, yy.max())) ** 2
    return np.asarray(np.exp(-across / reach**2) * np.exp(-along / reach**2), np.float32)


def through_the_camera(
    rng: np.random.Generator, scene: Scene, fine: Image
) -> tuple[NDArray[np.uint8], NDArray[np.float64], NDArray[np.float64]]:
    """Warps the rectified scene to the camera's picture and spoils it there.

    Returns the photograph, the board's corners in it as a person clicks them (top-left, top-right,
    bottom-right, bottom-left), and the homography from true rectified pixels (network scale) to it.
    """
    s = scene
    px = rng.uniform(15, 62)  # pixels to a checker in the camera's picture
    eye = np.array(s.eye)
    centre = np.array([s.width / 2, s.height / 2, 0])
    back = (eye - centre) / np.linalg.norm(eye - centre)
    up = np.array([0, 1.0, 0]) if abs(back[1]) < 0.95 else np.array([1.0, 0, 0])
    right = np.cross(up, back)
    right /= np.linalg.norm(right)
    down = -np.cross(back, right)
    rot = np.stack([right, down, -back])
    focal = px * np.linalg.norm(eye - centre) / s.diameter
    roll = np.deg2rad(rng.normal(0, 6) + rng.choice([0, 90, 180, 270], p=[0.7, 0.1, 0.1, 0.1]))
    spin = np.array([[np.cos(roll), -np.sin(roll), 0], [np.sin(roll), np.cos(roll), 0], [0, 0, 1]])
    cam = np.diag([focal, focal, 1.0]) @ spin @ rot
    to_board = np.array(
        [
            [s.width / FIELD_W / FINE, 0, -MARGIN * s.width / FIELD_W],
            [0, -s.height / FIELD_H / FINE, s.height + MARGIN * s.height / FIELD_H],
            [0, 0, 1],
        ]
    )
    plane = np.stack([np.array([1.0, 0, 0]), np.array([0, 1.0, 0]), -eye], axis=1)
    m = cam @ plane @ to_board
    h, w = fine.shape[:2]
    box = cv2.perspectiveTransform(np.float64([[[0, 0], [w, 0], [w, h], [0, h]]]), m)[0]
    low = box.min(0)
    size = np.minimum(np.ceil(box.max(0) - low), 1400).astype(int)
    m = np.array([[1, 0, -low[0]], [0, 1, -low[1]], [0, 0, 1]]) @ m
    shot = cv2.warpPerspective(
        fine,
        m,
        (int(size[0]), int(size[1])),
        flags=cv2.INTER_AREA if px < 40 else cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    if rng.random() < 0.6:
        shot = cv2.GaussianBlur(shot, (0, 0), float(rng.uniform(0.4, 1.8)))
    if rng.random() < 0.3:
        shot = shot + rng.uniform(0.2, 1.2) * (shot - cv2.GaussianBlur(shot, (0, 0), 1.5))
    shot = shot + np.float32(rng.uniform(0, 0.03)) * grains(rng, shot.size).reshape(shot.shape)
    byte = np.asarray(cv2.convertScaleAbs(np.maximum(shot, 0), alpha=255), np.uint8)
    _, code = cv2.imencode(".jpg", byte, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(45, 97))])
    byte = cv2.imdecode(code, cv2.IMREAD_COLOR)
    clicked = cv2.perspectiveTransform((IDEAL * FINE)[None], m)[0] + rng.normal(
        0, rng.uniform(0, 0.06) * px, (4, 2)
    )
    return byte, clicked, m @ np.diag([FINE, FINE, 1.0])


def laid_flat(
    shot: NDArray[np.uint8], clicked: NDArray[np.float64]
) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
    """The network's picture, and the homography from the photograph to it."""
    n = cv2.getPerspectiveTransform(np.float32(clicked), np.float32(IDEAL))
    return cv2.warpPerspective(
        shot, n, (WIDE, HIGH), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    ), n


def bent(places: NDArray[np.float64], bend: float) -> NDArray[np.float64]:
    """Places (N x 2) as a lens moves them that bends straight lines, the four corners kept where they were
    clicked."""
    off = places - (WIDE / 2, HIGH / 2)
    reach = (FIELD_W**2 + FIELD_H**2) / 4
    return places + bend * off * ((off**2).sum(axis=1, keepdims=True) / reach - 1)
