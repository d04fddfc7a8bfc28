"""Labelled renders that the tests of reading share."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import cv2
import numpy as np

from engine.layout import Looks
from vision.checkers.calibration.calibrate import calibrate
from vision.checkers.places import spots
from vision.checkers.rig import Rig
from vision.geometry.board_measures import Geometry, start
from vision.picture.frame import Frame, Image, load

FOLDER = Path(__file__).parent.parent / "data" / "vision"


@cache
def labels(board: str) -> dict[str, dict]:
    return json.loads((FOLDER / board / "labels.json").read_text())


@cache
def picture(board: str, name: str = "start") -> Frame:
    return load(FOLDER / board / f"{name}.jpg")


def corners(board: str, noise: float = 0.0, seed: int = 0) -> list[tuple[float, float]]:
    exact = np.array(labels(board)["start"]["corners_px"])
    moved = exact + np.random.default_rng(seed).normal(0, noise, exact.shape)
    return [(float(x), float(y)) for x, y in moved]


def geometry(board: str) -> Geometry:
    return Geometry.from_json(labels(board)["start"]["geometry_cm"])


@cache
def rig(board: str, noise: float = 3.0, seed: int = 0) -> Rig:
    return calibrate(picture(board).image, corners(board, noise, seed), geometry(board))


def truth(board: str, name: str) -> Looks:
    label = labels(board)[name]
    found: dict[str, tuple[str, ...]] = {f"p{number}": () for number in range(1, 25)}
    for number, count in label["points"].items():
        found[f"p{number}"] = (("white",) if count > 0 else ("black",)) * abs(count)
    for place in ("bar", "off") if geometry(board).tray != "none" else ("bar",):
        for side, count in zip(("white", "black"), label[place], strict=True):
            found[f"{place}.{side}"] = (side,) * count
    return found


def flipped(image: Image) -> Image:
    return np.ascontiguousarray(image[:, ::-1])


def glared(cells: tuple[str, ...], strength: float) -> Image:
    """The start picture with the checkers of some cells as white as White's."""
    image, table = picture("green-felt").image.copy(), rig("green-felt")
    places = spots(table.measures, start(), table.orientation)
    theirs = [table.camera.project([place])[0] for piece, *place in places if piece == "white"]
    white = np.median([image[round(v), round(u)] for u, v in theirs], axis=0)
    for (_, *place), cell in zip(places, (cell for cell, look in start().items() for _ in look), strict=True):
        if cell in cells:
            u, v = table.camera.project([place])[0]
            at = np.s_[round(v) - 40 : round(v) + 41, round(u) - 40 : round(u) + 41]
            glare = cv2.circle(
                np.zeros((81, 81), np.float32), (40, 40), round(0.47 * table.quality.diameter), strength, -1
            )[..., None]
            image[at] = (image[at] * (1 - glare) + white * glare).astype(np.uint8)
    return image
