"""Whether a picture can be learned from at all, and what stands in it, whatever is said.

A known piece that is not there is noticed by its place (``verify_position``). One too many is not: it would
be learned as part of the board, and be invisible ever after. So somebody who does not know the position is
asked: the network that finds discs.
"""

from __future__ import annotations

import numpy as np

from vision.checkers.calibration.hypothesis import Hypothesis
from vision.disc_finder.flat_map import lay_flat
from vision.disc_finder.network import find_marks, peaks
from vision.errors import CalibrationError
from vision.geometry.camera import Floats, rectangle
from vision.light import colour
from vision.picture import sharpness
from vision.picture.frame import Image

DARK = 14.0
"""Mean level (0-255) of a board that is too dark to be learned."""
SHARP = 0.05
"""Least contrast of the sharpest edges over one map pixel (log units)."""
BLURRED = 0.86
"""Softness of a board (see ``sharpness``) that was blurred by a fifth of a checker or more."""
SURE = 1.0
"""Log-odds of the network from which a disc that nobody spoke of counts."""


def refuse_useless(hypothesis: Hypothesis, image: Image) -> None:
    """Refuse a picture that nothing can be learned from. Raises CalibrationError with the reason."""
    diameter = hypothesis.diameter
    if diameter < 12:
        raise CalibrationError(
            f"a checker is only {diameter:.0f} pixels wide; bring the camera closer or use a larger picture"
        )
    if hypothesis.corner_error > 0.3 * diameter:
        raise CalibrationError(
            "the corners do not fit a board of these measures: check their order, and width and height"
        )
    for piece, *place in hypothesis.spots:
        u, v = hypothesis.camera.project([place])[0]
        if not (0 <= u < image.shape[1] and 0 <= v < image.shape[0]):
            raise CalibrationError(
                f"the board is cut off: with these corners a {piece} checker of the known position would be"
                " outside the picture; set the corners again, or move the camera until all of the board is"
                " in view"
            )
    laid = hypothesis.flat.lay(image)
    if laid.mean() < DARK:
        raise CalibrationError(
            f"the board is too dark (mean level {laid.mean():.0f} of 255); switch the lamp on"
        )
    if (laid.min(axis=2) >= 250).mean() > 0.5:
        raise CalibrationError(
            "the picture is overexposed: most of the board is white; less light, or a shorter exposure"
        )
    luma = colour.luma(laid)
    if sharpness.contrast(luma) < SHARP or sharpness.softness(luma) > BLURRED:
        raise CalibrationError("the picture is blurred; focus the camera, or clean its lens")


def discs(hypothesis: Hypothesis, image: Image) -> Floats:
    """Board places (N x 2, cm) of all that looks like a checker on the surface. Dice and cubes do not (none
    of those in 58 pictures of the shared sets did)."""
    measures = hypothesis.measures
    size = np.array([measures.width, measures.height])
    outline = hypothesis.camera.project(rectangle(*size))
    try:
        flat = lay_flat(image, [(float(x), float(y)) for x, y in outline])
    except CalibrationError:
        return np.zeros((0, 2))
    seen, _ = peaks(find_marks(flat.image).top, SURE)
    places = hypothesis.camera.place(flat.picture(seen), measures.thickness)
    rim = 0.3 * measures.checker
    return np.asarray(places[((places > rim) & (places < size - rim)).all(axis=1)])
