"""The network that finds checkers, points, the bar and hands on the flat map, run by OpenCV.

It has seen nothing but painted boards (``training/blind``), of colours, materials and lamps drawn at
random, so it knows no board and no colour: a checker is what is round, as large as a point is wide, and
stands where checkers stand."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from vision import onnx_file
from vision.disc_finder.flat_map import GRID, STEP
from vision.geometry.camera import Floats
from vision.picture.frame import Image

WEIGHTS = Path(__file__).with_name("disc_finder.onnx")
Grid: TypeAlias = NDArray[np.float32]
"""A map on the network's grid (rows x columns)."""


@dataclass(frozen=True)
class Marks:
    """What the network marks on its grid.

    ``top``: how sure it is that a checker's top has its centre there (log-odds), and ``double`` that the
    checker lies on another one; ``axis``, ``bar`` and ``hand``: the probability of a point's axis, of the
    bar, of a hand or sleeve.
    """

    top: Grid
    double: Grid
    axis: Grid
    bar: Grid
    hand: Grid


def find_marks(flat: Image) -> Marks:
    """Run the network over one map (see ``flat_map``). About 7 ms on one core of a laptop."""
    mean, spread = onnx_file.level(flat)
    pixels = (flat.transpose(2, 0, 1).astype(np.float32) - mean) / (spread + 4)
    out = onnx_file.answer(WEIGHTS, np.ascontiguousarray(pixels[None])).reshape(5, *GRID)
    axis, bar, hand = 1 / (1 + np.exp(-np.clip(out[2:5], -30, 30)))
    return Marks(out[0], out[1], axis, bar, hand)


def peaks(top: Grid, least: float = 0.0) -> tuple[Floats, NDArray[np.int64]]:
    """Where the marks of tops are strongest and above ``least`` (log-odds): their places (N x 2: x, y, in
    pixels of the map, to a fraction of a cell), and their cells of the grid (N x 2: row, column)."""
    rows, columns = np.nonzero((top >= cv2.dilate(top, np.ones((3, 3), np.uint8))) & (top > least))
    chance = np.pad(1 / (1 + np.exp(-top.astype(np.float64))), 1, mode="edge")
    around = chance[rows[:, None, None] + np.arange(3)[:, None], columns[:, None, None] + np.arange(3)]
    mass = np.maximum(around.sum(axis=(1, 2)), 1e-9)
    x = columns + (around[:, :, 2] - around[:, :, 0]).sum(axis=1) / mass
    y = rows + (around[:, 2] - around[:, 0]).sum(axis=1) / mass
    return np.column_stack([x, y]) * STEP + (STEP - 1) / 2, np.column_stack([rows, columns])
