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

from engine.messages import phrase
from vision.errors import CalibrationError
from vision.geometry.board_measures import Geometry, Measures
from vision.geometry.camera import FOCAL_SPREAD, USUAL_FOCAL, Corner, Floats

WIDTH = 63.0
"""Width (cm) taken for a board of unknown size: only proportions matter then."""
SHAPE = 0.87
"""Height over width of a usual board's surface (12 photographed tables: 0.69 to 0.98)."""
SHAPE_SPREAD = 0.12
"""One standard deviation of its logarithm."""
TRIED = {"pitch": (1.02, 1.06, 1.11, 1.17, 1.24), "bar": (0.0, 0.35, 0.7, 1.05, 1.4)}
"""Distances of points and widths of bars that are tried, in checker diameters: from checkers that all but
touch, and from no bar, on."""
USUAL_PITCH = TRIED["pitch"][1]
"""That of a usual board."""
FREE = 0.06
"""How far (a part of itself) an estimated measure may still move when the camera is refined: as much as
the step between two that are tried."""


@dataclass(frozen=True)
class Estimates:
    """Measures of which some are estimates: ``names`` of those (of pitch, checker, bar, height)."""

    measures: Measures
    names: tuple[str, ...] = ()

    def values(self) -> Floats:
        """The estimates, in cm."""
        return np.array([getattr(self.measures, name) for name in self.names], np.float64)

    def spread(self) -> Floats:
        """How far each may be off, in cm."""
        return np.maximum(FREE * self.values(), 0.1 * self.measures.checker)

    def at(self, values: Floats) -> Measures:
        """The measures with these values for the estimates."""
        now = {name: max(float(value), 0.0) for name, value in zip(self.names, values, strict=True)}
        base = self.measures
        checker, bar = max(now.get("checker", base.checker), 0.1), now.get("bar", base.bar)
        by_bar = (base.width - bar) / 12 if "bar" in now else base.pitch
        pitch = now.get("pitch", by_bar)
        height, thickness = now.get("height", base.height), base.thickness / base.checker * checker
        return Measures(pitch, checker, bar, 12 * pitch + bar, height, base.tray, thickness)


def candidates(geometry: Geometry, corners: Sequence[Corner], size: tuple[int, int]) -> list[Estimates]:
    """Every combination of measures worth trying. Raises CalibrationError where those given contradict each
    other."""
    known = geometry.measures()
    if known:
        return [Estimates(known)]
    free = tuple(
        name
        for name in ("pitch", "checker", "bar", "height")
        if getattr(geometry, name) is None and (name != "pitch" or geometry.width is None)
    )
    tried = _tried(geometry, (aspect(corners, size),), TRIED["pitch"], TRIED["bar"])
    return [Estimates(measures, free) for measures in tried]


def usual(geometry: Geometry, shapes: Sequence[float], bars: Sequence[float]) -> list[Measures]:
    """Measures of usual boards, before anything is known of where the corners are: every shape (height to
    width), and for each every bar (in checkers). Raises CalibrationError where those given contradict each
    other."""
    return _tried(geometry, shapes, (USUAL_PITCH,), bars)


def _tried(
    given: Geometry, shapes: Sequence[float], pitches: Sequence[float], bars: Sequence[float]
) -> list[Measures]:
    """Different measures that follow from those given and all of these proportions."""
    lengths = given.pitch, given.checker, given.width, given.height, given.bar or None
    if all(length is None for length in lengths):
        given = replace(given, width=WIDTH)
    made = (_combine(given, pitch, bar, shape) for shape, pitch, bar in product(shapes, pitches, bars))
    found = list(dict.fromkeys(measures for measures in made if measures is not None))
    if not found:
        raise CalibrationError(
            phrase(
                "the measures given do not make a board with twelve points a side: check pitch, checker, "
                "bar and width"
            )
        )
    return found


def _combine(given: Geometry, ratio: float, bar_ratio: float, shape: float) -> Measures | None:
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
    return given.completed(pitch, checker, bar, width, height)


def aspect(corners: Sequence[Corner], size: tuple[int, int]) -> float:
    """Height over width of the rectangle seen at these corners: seen from aside it depends on the lens, so of
    usual lenses and usual boards it is what fits both best."""
    focals = USUAL_FOCAL * np.exp(np.linspace(-3, 3, 61) * FOCAL_SPREAD)
    shapes = np.array([_aspect_through(focal * max(size), corners, size) for focal in focals])
    unusual = (np.log(focals / USUAL_FOCAL) / FOCAL_SPREAD) ** 2
    return float(shapes[(unusual + (np.log(shapes / SHAPE) / SHAPE_SPREAD) ** 2).argmin()])


def _aspect_through(focal: float, corners: Sequence[Corner], size: tuple[int, int]) -> float:
    centred = ((np.asarray(corners, np.float64) - np.array(size) / 2) / focal).astype(np.float32)
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    plane = np.asarray(cv2.getPerspectiveTransform(square, centred), np.float64)
    return float(np.linalg.norm(plane[:, 1]) / np.linalg.norm(plane[:, 0]))
