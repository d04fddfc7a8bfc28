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
from vision.discs import Discs, Moments
from vision.errors import CalibrationError
from vision.frame import Image
from vision.kind import Kind
from vision.refine import Sights, refine
from vision.rig import Quality, Rig
from vision.scene import RESOLUTION, Flat, Map

ROUNDS = 2
"""Rounds of finding the known pieces and moving the camera to where they say it is."""
SEARCH = 4
"""How far from its expected place a piece is looked for, in map pixels."""

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
    apart = 0.0
    for _ in range(ROUNDS):
        flat = flatten(sort, eye, measures)
        values = appearance.logs(flat.lay(image))
        spots = sort.spots(measures, known)
        paint, surface = _learn(sort, flat, measures, values, spots, None)
        eye, measures, apart = _sharpen(sort, flat, measures, values, spots, paint, surface, corners, known)
    flat = flatten(sort, eye, measures)
    values = appearance.logs(flat.lay(image))
    spots = sort.spots(measures, known)
    bare = None if empty is None else appearance.logs(flat.lay(empty))
    paint, surface = _learn(sort, flat, measures, values, spots, bare)
    stock = Counter(piece for look in known.values() for piece in look)
    return Rig(
        kind=sort.name,
        camera=eye,
        measures=measures,
        paint=paint,
        surface=appearance.levels(surface),
        stock=dict(stock),
        quality=Quality(reprojection=apart, corner_error=off),
    )


def flatten(sort: Kind, eye: Camera, measures: Measures) -> Flat:
    """The map of a board under a camera."""
    return Flat(eye, RESOLUTION / measures.checker, *sort.edges(measures))


def _learn(sort: Kind, flat: Flat, measures: Measures, values: Map, spots: Spots, empty: Map | None) -> tuple[Paint, Map]:
    places = np.array([flat.at([(x, y)], z)[0] for _, x, y, z in spots])
    labels = np.array([sort.pieces.index(piece) for piece, *_ in spots])
    paint = appearance.learn(values, places, labels, len(sort.pieces))
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


def _sharpen(
    sort: Kind,
    flat: Flat,
    measures: Measures,
    values: Map,
    spots: Spots,
    paint: Paint,
    surface: Map,
    corners: Sequence[Corner],
    known: Looks,
) -> tuple[Camera, Measures, float]:
    """Find the known pieces and let them correct the camera."""
    discs = Discs(surface, appearance.spread(flat.shape, paint.light), paint)
    moments = discs.moments(values)
    found, trust = [], []
    for piece, x, y, z in spots:
        column, row, peak = _peak(discs, moments, sort.pieces.index(piece), flat.at([(x, y)], z)[0])
        found.append((flat.left + (column + 0.5) / flat.scale, flat.high - (row + 0.5) / flat.scale, 0.0))
        trust.append(np.clip(peak / 4, 0.02, 1.0))
    heights = np.array([[x, y, z] for _, x, y, z in spots], np.float64)
    sights = Sights(lambda _: heights, flat.camera.project(found), np.array(trust, np.float64))
    ends = flat.camera.project(
        [[measures.width / 2, measures.height / 2, 0], [measures.width / 2 + measures.checker, measures.height / 2, 0]]
    )
    diameter = float(np.linalg.norm(ends[1] - ends[0]))
    eye, _, apart = refine(flat.camera, corners, lambda _: (measures.width, measures.height), sights, (), (), diameter)
    return eye, measures, apart


def _peak(discs: Discs, moments: Moments, kind: int, place: NDArray[np.float64]) -> tuple[float, float, float]:
    """The best match near a place, to a fraction of a map pixel: column, row, nats."""
    around = np.arange(-SEARCH, SEARCH + 0.01, 0.5)
    u, v = np.meshgrid(place[0] + around, place[1] + around)
    gains = discs.gains(moments, u.astype(np.float32), v.astype(np.float32))[kind] - 0.05 * np.hypot(u - place[0], v - place[1]) ** 2
    weight = np.exp(np.clip(gains - gains.max(), -50, 0)) * (gains > gains.max() - 3)
    return float(np.average(u, weights=weight)), float(np.average(v, weights=weight)), float(gains.max())
