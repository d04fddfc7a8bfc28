"""The two networks, run by OpenCV: one finds dice on the map, one reads a square (see ``look``).

They have seen nothing but dice that were drawn onto drawn tables, or path-traced (``training/dice``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vision import onnx_file
from vision.dice.look import EDGE, even
from vision.disc_finder.network import peaks
from vision.geometry.camera import Floats
from vision.picture.frame import Image

FINDER, EYE = (Path(__file__).with_name(name) for name in ("finder.onnx", "eye.onnx.xz"))
CUBES = range(7, 13)
"""What a square may show besides nothing (0) and a die (1 to 6): a doubling cube's 2, 4, 8, 16, 32, 64."""
TEMPER = 0.65
"""What its log-odds are divided by: of 384 dice drawn onto tables that it was not trained on, 1 is read
wrongly with this, and 1 is said where none lies."""


@dataclass(frozen=True)
class Spots:
    """Where dice seem to lie: ``at`` (N x 2: column, row of the map), ``edge`` (N, map pixels), ``odds``
    (N)."""

    at: Floats
    edge: Floats
    odds: Floats


def find_spots(flat: Image, least: float, most: int) -> Spots:
    """The ``most`` likeliest places on a map whose log-odds are above ``least``."""
    heat, edge = onnx_file.answer(FINDER, even(flat))[0]
    at, cells = peaks(heat, least)
    odds, edges = (each[tuple(cells.T)].astype(np.float64) for each in (heat, edge))
    order = np.argsort(-odds)[:most]
    return Spots(at[order], EDGE * np.exp(np.clip(edges[order], -1, 1)), odds[order])


def look_at(square: Image, mirrored: bool = False) -> Floats:
    """Log-odds (14): of everything that a square may show (13), and that it is cocked. ``mirrored``: as it
    looks in a mirror."""
    pixels = even(square)
    shown = np.ascontiguousarray(pixels[..., ::-1]) if mirrored else pixels
    return np.asarray(onnx_file.answer(EYE, shown)[0], np.float64)


def chances(looks: Sequence[Floats]) -> tuple[Floats, float]:
    """The probability of everything that a square may show (13), and that it is cocked (0-1): the mean of
    several looks' log-odds, so that one that is sure outweighs some that are in doubt."""
    out = np.mean(looks, axis=0)
    logs = out[: CUBES.stop] / TEMPER
    return np.exp(logs - np.logaddexp.reduce(logs)), float(1 / (1 + np.exp(-out[CUBES.stop])))
