"""Learning a table from one picture of a known position."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.layout import Looks, Piece
from vision import appearance, camera, kinds
from vision.appearance import Paint
from vision.board import Geometry, Measures
from vision.camera import Camera, Corner
from vision.errors import CalibrationError
from vision.frame import Image
from vision.kind import Kind
from vision.rig import Quality, Rig
from vision.scene import RESOLUTION, Flat, Map

Spots = Sequence[tuple[Piece, float, float, float]]


def calibrate(
    image: Image,
    corners: Sequence[Corner],
    geometry: Geometry | None = None,
    looks: Looks | None = None,
    empty: Image | None = None,
    kind: str = "checkers",
) -> Rig:
    """Learn a table. ``corners`` of the playing surface: bottom-left, bottom-right, top-right, top-left, in pixels of ``image``.

    ``looks`` is what stands there (default: the kind's start); ``empty`` the same board, same camera, with nothing on it.
    Raises CalibrationError with the reason and what to change.
    """
    sort = kinds.get(kind)
    size = (image.shape[1], image.shape[0])
    known = looks if looks is not None else sort.start()
    if empty is not None and empty.shape != image.shape:
        raise CalibrationError("the empty picture has another size; take both with the same camera")
    measures = sort.guess(geometry or Geometry())
    eye, off = camera.from_corners(corners, measures.width, measures.height, size)
    flat = flatten(sort, eye, measures)
    values = appearance.lay_logs(flat, image)
    spots = sort.spots(measures, known)
    paint, surface = _learn(sort, flat, measures, values, spots, None if empty is None else appearance.lay_logs(flat, empty))
    stock = Counter(piece for look in known.values() for piece in look)
    return Rig(
        kind=sort.name,
        camera=eye,
        measures=measures,
        paint=paint,
        surface=np.clip(appearance.levels(surface) + 0.5, 0, 255).astype(np.uint8),
        stock=dict(stock),
        quality=Quality(corner_error=off),
    )


def flatten(sort: Kind, eye: Camera, measures: Measures) -> Flat:
    """The map of a board under a camera."""
    return Flat(eye, RESOLUTION / measures.checker, *sort.edges(measures))


def _learn(sort: Kind, flat: Flat, measures: Measures, values: Map, spots: Spots, empty: Map | None) -> tuple[Paint, Map]:
    places = np.array([flat.at([(x, y)], z)[0] for _, x, y, z in spots])
    labels = np.array([sort.pieces.index(piece) for piece, *_ in spots])
    colours = np.array([_colour(values, place) for place in places])
    paint = appearance.learn_paint(colours, labels, appearance.bend(flat.shape, places), len(sort.pieces))
    light = appearance.spread(flat.shape, paint.light)
    if empty is not None:
        gain, _ = appearance.relight(empty, values)
        return paint, np.asarray(empty - gain, np.float32)
    hidden = np.zeros(flat.shape, bool)
    yy, xx = np.mgrid[0 : flat.shape[0], 0 : flat.shape[1]]
    for column, row in places:
        hidden |= np.hypot(xx - column, yy - row) < 0.68 * RESOLUTION
    shifts, allowed = sort.repeats(measures, flat)
    return paint, appearance.fill_in(values, hidden, light, shifts, allowed)


def _colour(values: Map, place: NDArray[np.float64]) -> NDArray[np.float64]:
    """The median log colour of what stands at a place: inside 60% of the radius."""
    radius = 0.3 * RESOLUTION
    rows, columns = values.shape[:2]
    yy, xx = np.mgrid[0:rows, 0:columns]
    inside = np.hypot(xx - place[0], yy - place[1]) < radius
    if not inside.any():
        raise CalibrationError(
            "a checker of the known position would stand outside the picture: the board is cut off, or the corners are wrong"
        )
    return np.asarray(np.median(values[inside], axis=0), np.float64)
