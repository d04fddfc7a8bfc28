"""The page's pictures: the grain of felt and wood, and the icons of the app.

They are drawn from random numbers with a fixed seed, and from a few shapes, so that nobody else's picture is
in the program: ``python -m docs.drawings.page_images``.
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

STATIC = Path(__file__).parents[2] / "firmware" / "page" / "static"
ICONS = (180, 192, 512)
"""Pixels of the icons: iOS's home screen, and the two that a manifest must have."""
GROUND, POINT, LIGHT, DARK = (54, 59, 36), (102, 160, 217), (224, 239, 246), (25, 26, 28)
"""Blue, green and red."""


def grain(rough: NDArray[np.float64], strength: float) -> NDArray[np.uint8]:
    """Noise as a picture that lies over any colour: black where it is dark, white where it is light, else
    clear."""
    level = np.clip((rough - rough.mean()) / (3 * rough.std()), -1, 1)
    picture = np.zeros((*rough.shape, 4), np.uint8)
    picture[..., :3] = np.where(level > 0, 255, 0)[..., None]
    picture[..., 3] = np.round(np.abs(level) * 5) * (strength * 51)
    return picture


def tile(noise: NDArray[np.float64], across: float, down: float) -> NDArray[np.float64]:
    """Noise blurred by so many pixels, so that its opposite edges fit."""
    wide = np.tile(noise, (3, 3))
    soft = cv2.GaussianBlur(wide, (0, 0), sigmaX=across, sigmaY=down)
    rows, columns = noise.shape
    return np.asarray(soft[rows : 2 * rows, columns : 2 * columns], np.float64)


def felt() -> NDArray[np.uint8]:
    """Short fibres in all directions."""
    noise = np.random.default_rng(24).normal(size=(96, 96))
    fibres = sum(
        tile(np.roll(noise, turn * 17, turn % 2), *way) for turn, way in enumerate([(2.2, 0.5), (0.5, 2.2)])
    )
    return grain(np.asarray(fibres) + 0.25 * tile(noise, 0.4, 0.4), 0.15)


def wood() -> NDArray[np.uint8]:
    """Long grain from left to right."""
    noise = np.random.default_rng(12).normal(size=(96, 256))
    return grain(tile(noise, 40, 0.7) + 0.7 * tile(np.roll(noise, 31, 0), 60, 2.5), 0.2)


def icon(size: int) -> NDArray[np.uint8]:
    """Two points with a checker on each, with room around them for masks that are cut round."""
    scale = 4 * size / 32
    picture = np.full((4 * size, 4 * size, 3), GROUND, np.uint8)

    def at(x: float, y: float) -> tuple[int, int]:
        inner = 16 + 0.8 * (np.array([x, y]) - 16)
        return int(inner[0] * scale), int(inner[1] * scale)

    for left, colour in ((4, LIGHT), (18, DARK)):
        corners = np.array([at(left, 28), at(left + 5, 6), at(left + 10, 28)], np.int32)
        cv2.fillPoly(picture, [corners], POINT, cv2.LINE_AA)
        middle = at(left + 5, 23.5)
        cv2.circle(picture, middle, int(0.8 * 4.6 * scale), (10, 12, 12), -1, cv2.LINE_AA)
        cv2.circle(picture, middle, int(0.8 * 4.2 * scale), colour, -1, cv2.LINE_AA)
    return np.asarray(cv2.resize(picture, (size, size), interpolation=cv2.INTER_AREA), np.uint8)


def files() -> dict[str, bytes]:
    """Every picture by its name."""
    made = {}
    for name, picture, quality in (("felt.webp", felt(), 60), ("wood.webp", wood(), 60)):
        made[name] = cv2.imencode(".webp", picture, [cv2.IMWRITE_WEBP_QUALITY, quality])[1].tobytes()
    for size in ICONS:
        made[f"icon-{size}.png"] = cv2.imencode(".png", icon(size), [cv2.IMWRITE_PNG_COMPRESSION, 9])[
            1
        ].tobytes()
    return made


if __name__ == "__main__":
    for name, data in files().items():
        (STATIC / name).write_bytes(data)
        print(f"{name}: {len(data)} bytes")
