"""Whether a picture can be learned from at all, and whether more stands in it than is said.

A known piece that is not there is noticed by its place (``calibrate``). One too many is not: it would be
learned as part of the board, and be invisible ever after. So somebody who does not know the position is
asked: the blind reader's network.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.disc_finder.flat_map import lay_flat
from vision.disc_finder.network import find_marks, peaks
from vision.errors import CalibrationError
from vision.geometry import camera
from vision.geometry.camera import Camera
from vision.geometry.points import Measures
from vision.light import colour
from vision.picture import sharpness
from vision.picture.frame import Image

DARK = 14.0
"""Mean level (0-255) of a board that is too dark to be learned."""
GLARING, GLARE = 250, 0.5
"""A board of which more than this part is as bright in all colours is overexposed."""
SHARP = 0.05
"""Least contrast of the sharpest edges over one map pixel (log units)."""
BLURRED = 0.86
"""A board that is more blurred (see ``sharpness.blur``) was blurred by a fifth of a checker or more."""
SURE = 1.0
"""Log-odds of the network from which a disc that nobody spoke of counts."""
BESIDE = 0.6
"""Distance in checkers within which a disc is the known one."""


def inspect(laid: Image) -> None:
    """Refuse a board laid flat (see ``Flat.lay``) that nothing can be learned from. Raises CalibrationError
    with the reason."""
    if laid.mean() < DARK:
        raise CalibrationError(
            f"the board is too dark (mean level {laid.mean():.0f} of 255); switch the lamp on"
        )
    if (laid.min(axis=2) >= GLARING).mean() > GLARE:
        raise CalibrationError(
            "the picture is overexposed: most of the board is white; less light, or a shorter exposure"
        )
    luma = colour.luma(laid)
    if sharpness.contrast(luma) < SHARP or sharpness.softness(luma) > BLURRED:
        raise CalibrationError("the picture is blurred; focus the camera, or clean its lens")


def _discs(image: Image, eye: Camera, measures: Measures) -> NDArray[np.float64]:
    """Board places (N x 2, cm) of all discs that the network sees on the surface."""
    outline = eye.project(camera.rectangle(measures.width, measures.height))
    try:
        flat = lay_flat(image, [(float(x), float(y)) for x, y in outline])
    except CalibrationError:
        return np.zeros((0, 2))
    seen, _ = peaks(find_marks(flat.image).top, SURE)
    places = eye.place(flat.picture(seen), measures.thickness)
    d = measures.checker
    inside = ((places > 0.3 * d) & (places < np.array([measures.width, measures.height]) - 0.3 * d)).all(
        axis=1
    )
    return np.asarray(places[inside], np.float64)


def on_the_bar(image: Image, eye: Camera, measures: Measures) -> list[tuple[float, float]]:
    """Where (cm) discs lie on the bar."""
    reach = max(0.5 * measures.bar, 0.35 * measures.checker)
    return [
        (float(x), float(y)) for x, y in _discs(image, eye, measures) if abs(x - measures.width / 2) < reach
    ]


def strangers(
    image: Image, eye: Camera, measures: Measures, known: Sequence[tuple[float, float]]
) -> NDArray[np.float64]:
    """Board places (N x 2, cm) of what looks like a checker where none is ``known`` to stand. Dice and cubes
    do not (none of those in 58 pictures of the shared sets did)."""
    places = _discs(image, eye, measures)
    apart = np.linalg.norm(places[:, None] - np.asarray(known, np.float64).reshape(-1, 2)[None], axis=2)
    return np.asarray(places[apart.min(axis=1) > BESIDE * measures.checker], np.float64)
