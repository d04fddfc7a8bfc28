"""Whether a picture can be learned from at all, and whether more stands in it than is said.

A known piece that is not there is noticed by its place (``calibrate``). One too many is not: it would be
learned as part of the board, and be invisible ever after. So somebody who does not know the position is
asked: the network that finds discs.
"""

from __future__ import annotations

import numpy as np

from vision.disc_finder import flat_map, network
from vision.disc_finder.seek import peaks
from vision.errors import CalibrationError
from vision.geometry import camera
from vision.geometry.camera import Camera, Floats
from vision.geometry.points import Measures
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
BESIDE = 0.6
"""Distance in checkers within which a disc is the known one."""


def inspect(laid: Image) -> None:
    """Refuse a board laid flat (see ``Flat.lay``) that nothing can be learned from. Raises CalibrationError
    with the reason."""
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


def _discs(image: Image, eye: Camera, measures: Measures) -> Floats:
    """Board places (N x 2, cm) of all discs that the network sees on the surface."""
    outline = eye.project(camera.rectangle(measures.width, measures.height))
    try:
        flat = flat_map.lay(image, [(float(x), float(y)) for x, y in outline])
    except CalibrationError:
        return np.zeros((0, 2))
    seen, odds = peaks(network.look(flat.image).top)
    places = eye.place(flat.picture(seen[odds > SURE]), measures.thickness)
    rim = 0.3 * measures.checker
    inside = (places > rim) & (places < np.array([measures.width, measures.height]) - rim)
    return np.asarray(places[inside.all(axis=1)])


def on_the_bar(image: Image, eye: Camera, measures: Measures) -> Floats:
    """Where (N x 2, cm) discs lie on the bar."""
    places = _discs(image, eye, measures)
    reach = max(0.5 * measures.bar, 0.35 * measures.checker)
    return np.asarray(places[np.abs(places[:, 0] - measures.width / 2) < reach])


def strangers(image: Image, eye: Camera, measures: Measures, known: Floats) -> Floats:
    """Board places (N x 2, cm) of what looks like a checker where none is ``known`` to stand. Dice and cubes
    do not (none of those in 58 pictures of the shared sets did)."""
    places = _discs(image, eye, measures)
    apart = np.linalg.norm(places[:, None] - known[None], axis=2)
    return np.asarray(places[apart.min(axis=1) > BESIDE * measures.checker])
