"""Whether a picture can be learned from at all, and what is in it, whatever is said.

A known piece that is not there is noticed by its place (``verify_position``). One too many is not, nor is a
hand: they would be learned as part of the board, and be invisible ever after. So somebody who does not know
the position is asked: the network that finds discs, and hands.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.messages import phrase
from vision.checkers.calibration.hypothesis import Hypothesis
from vision.disc_finder.flat_map import STEP, lay_flat
from vision.disc_finder.network import find_marks, peaks
from vision.errors import CalibrationError, DarkError
from vision.geometry.camera import Floats, as_corners, rectangle
from vision.light import colour
from vision.light.normalise import BURNT
from vision.picture import sharpness
from vision.picture.frame import Image


@dataclass(frozen=True)
class Useless:
    """A board that cannot be learned. ``dark``: its mean level (0-255); ``faint``: the contrast of its
    sharpest edges over one map pixel (log units); ``soft``: how blurred it is (see ``sharpness``), by a fifth
    of a checker or more."""

    dark: float = 14.0
    faint: float = 0.05
    soft: float = 0.86


USELESS = Useless()
SEEN = 1.0
"""Log-odds of the network from which a disc that nobody spoke of counts."""
THING = 0.5
"""The network's chance of a hand from which a place counts as covered: no place of 134 shared pictures is as
sure, but some of the 18 that have a hand or cups in them (docs/vision-measurements.md)."""


def refuse_useless(hypothesis: Hypothesis, image: Image) -> None:
    """Refuse a picture that nothing can be learned from. Raises CalibrationError with the reason."""
    diameter = hypothesis.diameter
    if diameter < 12:
        raise CalibrationError(
            phrase(
                "a checker is only {diameter} pixels wide; bring the camera closer or use a larger picture",
                diameter=f"{diameter:.0f}",
            )
        )
    if hypothesis.corner_error > 0.3 * diameter:
        raise CalibrationError(
            phrase(
                "the corners do not fit a board of these measures: check their order, and width and height"
            )
        )
    for _, *place in hypothesis.spots:
        u, v = hypothesis.camera.project([place])[0]
        if not (0 <= u < image.shape[1] and 0 <= v < image.shape[0]):
            raise CalibrationError(
                phrase(
                    "the board is cut off: with these corners a checker of the known position would be "
                    "outside the picture; set the corners again, or move the camera until all of the "
                    "board is in view"
                )
            )
    laid = hypothesis.flat.lay(image)
    refuse_dark(laid)
    if (laid.min(axis=2) >= BURNT).mean() > 0.5:
        raise CalibrationError(
            phrase(
                "the picture is overexposed: most of the board is white; less light, or a shorter exposure"
            )
        )
    luma = colour.luma(laid)
    if sharpness.contrast(luma) < USELESS.faint or sharpness.softness(luma) > USELESS.soft:
        raise CalibrationError(phrase("the picture is blurred; focus the camera, or clean its lens"))


def refuse_dark(image: Image) -> None:
    """Refuse a board, or a picture in which none is found, that is dark. Raises DarkError."""
    if image.mean() < USELESS.dark:
        raise DarkError(
            phrase(
                "the board is too dark (mean level {mean} of 255); switch the lamp on",
                mean=f"{image.mean():.0f}",
            )
        )


@dataclass(frozen=True)
class Strangers:
    """What the network sees on the surface, at places in cm: ``discs`` (N x 2) that look like checkers, and
    ``things`` (M x 2), the places that a hand covers, or a cup, a phone, a card."""

    discs: Floats
    things: Floats


def tops(hypothesis: Hypothesis, image: Image) -> Floats:
    """Where the tops of checkers are seen by somebody who was told nothing (N x 2, pixels)."""
    seen = look(hypothesis, image).discs
    return hypothesis.camera.project(
        np.column_stack([seen, np.full(len(seen), hypothesis.measures.thickness)])
    )


def look(hypothesis: Hypothesis, image: Image) -> Strangers:
    """What is seen there by somebody who was told nothing. Dice and cubes are neither (none of those in 58
    pictures of the shared sets was)."""
    measures = hypothesis.measures
    size = np.array([measures.width, measures.height])
    outline = hypothesis.camera.project(rectangle(*size))
    try:
        flat = lay_flat(image, as_corners(outline))
    except CalibrationError:
        return Strangers(np.zeros((0, 2)), np.zeros((0, 2)))

    def on_surface(places: Floats, height: float, rim: float) -> Floats:
        found = hypothesis.camera.place(flat.picture(places), height)
        return np.asarray(found[((found > rim) & (found < size - rim)).all(axis=1)])

    marks = find_marks(flat.image)
    rows, columns = np.nonzero(marks.hand * flat.seen > THING)
    grid = np.asarray(np.column_stack([columns, rows]) * STEP + (STEP - 1) / 2, np.float64)
    return Strangers(
        on_surface(peaks(marks.top, SEEN)[0], measures.thickness, 0.3 * measures.checker),
        on_surface(grid, 0.0, 0.0),
    )
