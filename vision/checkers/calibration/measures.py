"""A board whose measures nobody gave: what the corners and a known position say about them.

The shape of the surface (height to width) follows from how its corners are seen. How large checkers are, and
how wide the bar is, follows from trying: under the right measures every known checker's disc is of one
colour, and all of one side's are alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import cv2
import numpy as np

from vision.errors import CalibrationError
from vision.geometry.board_measures import UNKNOWN, Geometry, Measures
from vision.geometry.camera import USUAL_FOCAL, Corner, Floats

WIDTH = 63.0
"""Scale for a board of unknown size, in cm: only proportions matter then."""
PITCHES = (1.02, 1.06, 1.11, 1.17, 1.24)
"""Distances of points that are tried, in checker diameters."""
BARS = (0.0, 0.35, 0.7, 1.05, 1.4)
"""Bars that are tried, in checker diameters."""
LOOSE = 0.06
"""How far (a part of itself) an estimated measure may still move when the camera is refined."""

CONTRADICTION = (
    "the measures given do not make a board with twelve points a side: check pitch, checker, bar and width"
)


@dataclass(frozen=True)
class Loose:
    """Measures of which some are estimates: ``names`` of those (of pitch, checker, bar, height)."""

    base: Measures
    names: tuple[str, ...]

    def values(self) -> Floats:
        """The estimates, in cm."""
        return np.array([getattr(self.base, name) for name in self.names], np.float64)

    def spread(self) -> Floats:
        """How far each may be off, in cm."""
        return np.array(
            [max(LOOSE * getattr(self.base, name), 0.1 * self.base.checker) for name in self.names],
            np.float64,
        )

    def at(self, values: Floats) -> Measures:
        """The measures with these values for the estimates."""
        now = {name: max(float(value), 0.0) for name, value in zip(self.names, values, strict=True)}
        base = self.base
        checker, bar = max(now.get("checker", base.checker), 0.1), now.get("bar", base.bar)
        pitch = (
            now.get("pitch", base.pitch) if "pitch" in now or "bar" not in now else (base.width - bar) / 12
        )
        thickness = base.thickness / base.checker * checker
        return Measures(
            pitch, checker, bar, 12 * pitch + bar, now.get("height", base.height), base.tray, thickness
        )


def candidates(
    geometry: Geometry, corners: Sequence[Corner], size: tuple[int, int], thickness: float
) -> list[Loose]:
    """Every combination of measures worth trying. Raises CalibrationError where those given contradict each
    other."""
    known = geometry.measures()
    if known:
        return [Loose(known, ())]
    shape = aspect(corners, size)
    given = geometry
    if (
        all(value is None for value in (given.pitch, given.checker, given.width, given.height))
        and not given.bar
    ):
        given = replace(given, width=WIDTH)
    found: list[Loose] = []
    for ratio, bar_ratio in product(PITCHES, BARS):
        measures = _combine(given, ratio, bar_ratio, shape, thickness)
        if measures is not None and measures not in (loose.base for loose in found):
            names = [
                name for name in ("pitch", "checker", "bar", "height") if getattr(geometry, name) is None
            ]
            if geometry.width is not None and "pitch" in names:
                names.remove("pitch")
            found.append(Loose(measures, tuple(names)))
    if not found:
        raise CalibrationError(CONTRADICTION)
    return found


def usual(
    geometry: Geometry, shapes: Sequence[float], bars: Sequence[float], thickness: float
) -> list[Measures]:
    """Measures of usual boards, before anything is known of where the corners are: every shape (height to
    width), and for each every bar (in checkers). Raises CalibrationError where those given contradict each
    other."""
    given = geometry
    if (
        all(value is None for value in (given.pitch, given.checker, given.width, given.height))
        and not given.bar
    ):
        given = replace(given, width=WIDTH)
    found: list[Measures] = []
    for shape, bar in product(shapes, bars):
        measures = _combine(given, PITCHES[1], bar, shape, thickness)
        if measures is not None and measures not in found:
            found.append(measures)
    if not found:
        raise CalibrationError(CONTRADICTION)
    return found


def _combine(
    given: Geometry, ratio: float, bar_ratio: float, shape: float, thickness: float
) -> Measures | None:
    """The measures that follow from those given and two proportions; None where they contradict."""
    checker, pitch, bar, width = given.checker, given.pitch, given.bar, given.width
    if width is None and given.height is not None:
        width = given.height / shape
    if pitch is not None and checker is None:
        checker = pitch / ratio
    if checker is None:
        if width is not None:
            checker = (width - bar) / 12 / ratio if bar is not None else width / (12 * ratio + bar_ratio)
        elif bar:
            checker = bar / max(bar_ratio, 0.2)
        else:
            return None
    if width is not None and pitch is None:
        pitch = (width - (bar if bar is not None else bar_ratio * checker)) / 12
    pitch = pitch if pitch is not None else checker * ratio
    if bar is None:
        bar = width - 12 * pitch if width is not None else bar_ratio * checker
    if min(checker, pitch) <= 0 or bar < -0.2 * checker or not 0.8 < pitch / checker < 1.5:
        return None
    bar = max(bar, 0.0)
    width = 12 * pitch + bar
    height = given.height if given.height is not None else width * shape
    return Measures(pitch, checker, bar, width, height, given.tray or UNKNOWN, thickness * checker)


def aspect(corners: Sequence[Corner], size: tuple[int, int]) -> float:
    """Height over width of the rectangle seen at these corners, for a usual lens."""
    focal = USUAL_FOCAL * size[0]
    centred = ((np.asarray(corners, np.float64) - np.array(size) / 2) / focal).astype(np.float32)
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    plane = np.asarray(cv2.getPerspectiveTransform(square, centred), np.float64)
    return float(np.linalg.norm(plane[:, 1]) / np.linalg.norm(plane[:, 0]))
