"""What a camera makes of a rendered table: its pose, its lens, its sensor, and the picture's label."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from training.rendered.setting import Setting, row_of
from training.rendered.table import Board, View

SHAPES = (0.75, 0.75, 0.5625)
Floats = NDArray[np.float32]


def pose(view: View) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The camera's axes (rows: right, down, forward) and place."""
    eye = np.array(view.eye)
    ahead = np.array([*view.target, 0.0]) - eye
    ahead /= np.linalg.norm(ahead)
    right = np.cross(ahead, [0.0, 1.0, 0.0])
    right /= np.linalg.norm(right)
    down = np.cross(ahead, right)
    turn = np.array([[math.cos(view.roll), math.sin(view.roll)], [-math.sin(view.roll), math.cos(view.roll)]])
    right, down = turn @ np.stack([right, down])
    return np.stack([right, down, ahead]), eye


def project(view: View, places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Pixels (N x 2) of places (N x 3), the lens's bend included."""
    axes, eye = pose(view)
    seen = (places - eye) @ axes.T
    plane = seen[:, :2] / seen[:, 2:]
    plane = plane * (1 + view.bend * (plane**2).sum(axis=1, keepdims=True))
    return plane * view.focal * view.size[0] + np.array(view.size) / 2


@lru_cache(maxsize=1)
def _bent(size: tuple[int, int], focal: float, bend: float) -> Floats:
    """Where each pixel's light is in the pinhole's picture (height x width x 2)."""
    width, height = size
    x, y = np.meshgrid(np.arange(width) + 0.5 - width / 2, np.arange(height) + 0.5 - height / 2)
    bent = np.stack([x, y], axis=-1) / (focal * width)
    straight = bent.copy()
    for _ in range(8):
        straight = bent / (1 + bend * (straight**2).sum(axis=-1, keepdims=True))
    return np.asarray(straight * focal * width + (width / 2 - 0.5, height / 2 - 0.5), np.float32)


def through_lens(view: View, light: Floats) -> Floats:
    """The pinhole's picture bent as the lens bends it."""
    source = _bent(view.size, view.focal, view.bend)
    return cv2.remap(light, source[..., 0], source[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)


def develop(
    rng: np.random.Generator, light: Floats, gain: NDArray[np.float64], sensor: dict[str, float]
) -> NDArray[np.uint8]:
    """An 8-bit picture of linear light: vignette, noise, gamma, sharpness."""
    height, width = light.shape[:2]
    y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
    seen = (
        light
        * gain.astype(np.float32)
        * (1 - sensor["vignette"] * (x * x + y * y)[..., None]).astype(np.float32)
    )
    seen = cv2.GaussianBlur(seen, (0, 0), sensor["blur"]) if sensor["blur"] > 0.3 else seen
    seen = seen + rng.standard_normal(seen.shape, dtype=np.float32) * np.sqrt(
        np.maximum(seen, 0) * sensor["shot"] ** 2 + sensor["dark"] ** 2
    )
    shown = np.clip(seen, 0, 1) ** (1 / 2.2)
    shown = shown + sensor["contrast"] * (shown - 0.5) * (1 - shown) * shown * 2
    return np.clip(shown * 255 + 0.5, 0, 255).astype(np.uint8)


def seen_part(view: View, board: Board) -> tuple[int, int, int, int]:
    """The part of the picture (left, top, right, bottom) that holds the board, its trays and frame and a
    little more."""
    beside = board.wall + board.pocket if board.tray != "none" else 0.0
    left, right = (beside if board.tray == "both" else 0.0) + board.frame + 4, beside + board.frame + 4
    x, y, z = np.meshgrid(
        [-left, board.width + right], [-board.frame - 4, board.height + board.frame + 4], [0.0, board.rail]
    )
    pixels = project(replace(view, bend=0.0), np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1))
    low, high = (
        np.maximum(np.floor(pixels.min(axis=0)), 0).astype(int),
        np.minimum(np.ceil(pixels.max(axis=0)), view.size).astype(int),
    )
    return int(low[0]), int(low[1]), int(high[0]), int(high[1])


def label(board: Board, view: View, setting: Setting) -> dict[str, object]:
    """As ``data/backgammon`` labels a picture."""
    w, h = board.width, board.height
    corners = project(view, np.array([[0, 0, 0], [w, 0, 0], [w, h, 0], [0, h, 0]], np.float64))
    return {
        "points": {str(n): int(c) for n, c in setting.points.items() if c},
        "bar": list(setting.bar),
        "off": list(setting.off),
        "corners_px": corners.round(2).tolist(),
        "size": list(view.size),
        "hand": setting.hand is not None,
        "dice": [[face + 1, colour] for *_, colour, face in setting.dice],
        "cube": setting.cube[2] if setting.cube else None,
        "geometry_cm": {
            "pitch": board.pitch,
            "checker": board.checker,
            "bar": board.bar,
            "width": w,
            "height": h,
            "tray": board.tray,
        },
        "thick": board.thick,
        "camera": {
            "focal": view.focal * view.size[0],
            "k1": view.bend,
            "axes": pose(view)[0].tolist(),
            "eye": list(view.eye),
        },
        "tops": _tops(board, setting),
    }


def _tops(board: Board, setting: Setting) -> list[list[float]]:
    """The checkers that lie uppermost: x, y, the height of their tops, side (0 white), how many lie there."""
    found: dict[tuple[int, int], list[float]] = {}
    lying = [piece for piece in setting.pieces if not piece.standing]
    for number, signed in setting.points.items():
        row = row_of(board, setting.points, number)
        for index in range(abs(signed)):
            piece = lying.pop(0)
            layer, step = divmod(index, row)
            found[number, step] = [
                piece.x,
                piece.y,
                piece.z + board.thick,
                float(signed < 0),
                float(layer + 1),
            ]
    for index, piece in enumerate(lying):
        found[0, index] = [piece.x, piece.y, piece.z + board.thick, float(piece.side == "black"), 1.0]
    return list(found.values())


def random_sensor(rng: np.random.Generator) -> dict[str, float]:
    return {
        "vignette": float(rng.uniform(0, 0.15)),
        "blur": float(rng.uniform(0, 0.9)),
        "shot": float(rng.uniform(0.005, 0.04)),
        "dark": float(rng.uniform(0.001, 0.008)),
        "contrast": float(rng.uniform(-0.3, 0.6)),
    }
