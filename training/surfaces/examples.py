"""Pictures of boards with the places that the finder of surfaces is asked for: painted ones
(``training.blind``), and those that ``training.rendered`` drew or traced. A chunk (.npz) holds some two
hundred, as JPEGs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from training.blind.paint import painted

Places = NDArray[np.float64]
SIDE = 420
"""Pixels of a picture's longer side."""
PAINTED = 77
"""Painted boards of training are drawn with seeds of this family."""


@dataclass(frozen=True)
class Shot:
    """A picture (rows x columns x 3, BGR), and the ``places`` in it (8 x 2, pixels): the surface's corners
    from the lower left against the clock, and the bar's, likewise."""

    picture: NDArray[np.uint8]
    places: Places

    def small(self) -> Shot:
        """The same, no larger than :data:`SIDE`."""
        scale = SIDE / max(self.picture.shape[:2])
        if scale >= 1:
            return self
        less = cv2.resize(self.picture, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        return Shot(np.asarray(less, np.uint8), (self.places + 0.5) * scale - 0.5)


def painted_shot(number: int) -> Shot:
    """The painted board of this number."""
    table = painted(np.random.default_rng([PAINTED, number]))
    wide, high, bar = table.scene.width, table.scene.height, table.scene.bar
    return Shot(table.photo, table.places(_corners(0, wide, high) + _corners(6, 6 + bar, high))).small()


def rendered_shots(folder: Path) -> Iterator[Shot]:
    """The boards of a folder of ``training.rendered``."""
    for labels in sorted(folder.glob("*/*/labels.json")):
        for name, label in json.loads(labels.read_text()).items():
            path = labels.with_name(f"{name}.jpg")
            if not path.exists():
                continue
            size, corners = label["geometry_cm"], np.array(label["corners_px"], np.float64)
            half, bar, high = 6 * size["pitch"], size["bar"], size["height"]
            flat = np.array(_corners(0, 2 * half + bar, high), np.float32)
            warp = cv2.getPerspectiveTransform(flat, corners.astype(np.float32))
            ridge = np.array([_corners(half, half + bar, high)], np.float64)
            places = np.vstack([corners, cv2.perspectiveTransform(ridge, warp)[0]])
            yield Shot(cv2.imread(str(path)), places).small()


def _corners(left: float, right: float, high: float) -> list[tuple[float, float]]:
    return [(left, 0.0), (right, 0.0), (right, high), (left, high)]


def keep(path: Path, shots: Iterable[Shot]) -> None:
    """Write a chunk."""
    taken = list(shots)
    coded = [np.frombuffer(cv2.imencode(".jpg", shot.picture)[1], np.uint8) for shot in taken]
    begun = path.with_suffix(".begun.npz")
    np.savez(
        begun,
        data=np.concatenate(coded),
        off=np.cumsum([0, *map(len, coded)]),
        pts=np.array([shot.places for shot in taken], np.float32),
    )
    begun.replace(path)  # who follows sees it whole


class Shots:
    """The pictures of chunks."""

    def __init__(self) -> None:
        self._coded: list[NDArray[np.uint8]] = []
        self._places: list[Places] = []

    def __len__(self) -> int:
        return len(self._coded)

    def take(self, paths: Iterable[Path]) -> None:
        """Take up these chunks."""
        for path in paths:
            with np.load(path) as chunk:
                data, off = chunk["data"], chunk["off"]
                self._coded += [data[a:b] for a, b in pairwise(off)]
                self._places += list(chunk["pts"].astype(np.float64))

    def __getitem__(self, number: int) -> Shot:
        picture = cv2.imdecode(self._coded[number], cv2.IMREAD_COLOR)
        return Shot(np.asarray(picture, np.uint8), self._places[number])
