"""Labelled renders that the tests of reading share."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np

from engine.layout import Looks
from vision.board import Geometry
from vision.frame import Frame, Image, load
from vision.learning.calibrate import calibrate
from vision.rig import Rig

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
