"""Learning a table from one picture of a known position.

The corners give a first camera. Under it the known pieces are about where they should be, which is enough to
learn their colours; with their colours they are found exactly, which corrects the camera, the lens and
whatever measures nobody knew. Then the empty board is put together from what shows between them. Last, the
picture is read with what was learned: a rig that cannot read the picture it was made from is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from engine.layout import Looks
from engine.messages import joined, phrase
from vision.checkers import mirrored
from vision.checkers.calibration import verify_picture, verify_position
from vision.checkers.calibration.hypothesis import Hypothesis
from vision.checkers.calibration.measures import candidates
from vision.checkers.calibration.verify_position import OtherPosition
from vision.checkers.discs import Discs
from vision.checkers.paint import Paint, disorder, divide, learn, lights
from vision.checkers.places import spots
from vision.checkers.rig import Rig
from vision.checkers.two_looks import make_discs
from vision.checkers.walls import patches, shade_beside
from vision.errors import CalibrationError
from vision.geometry import camera
from vision.geometry.board_measures import (
    ORIENTATIONS,
    Geometry,
    Orientation,
    other_home,
    repeats,
    start,
)
from vision.geometry.camera import CLICK, Camera, Corner, Floats
from vision.geometry.flat import RESOLUTION, Map
from vision.geometry.refine import Sights, refine
from vision.light import colour
from vision.light.empty_board import check_empty, fill_in
from vision.light.lamp import relight, spread
from vision.light.surface import Surface
from vision.picture import sharpness
from vision.picture.frame import Image
from vision.quality import EVEN, Quality

FAR = 3.0
"""How much more disordered than the best an orientation may be (measured: 1.7 at most for the right one of 26
shared pictures)."""


def calibrate(
    image: Image,
    corners: Sequence[Corner],
    geometry: Geometry | None = None,
    looks: Looks | None = None,
    empty: Image | None = None,
    slack: float = CLICK,
) -> Rig:
    """Learn a table. ``corners`` of the playing surface: bottom-left, bottom-right, top-right, top-left, in
    pixels of ``image``.

    ``looks`` is what stands there (default: the start); a board that lies turned or mirrored is recognised by
    it, and ``geometry.home`` may say so; ``empty`` the same board, same camera, with nothing on it; ``slack``
    how far off the corners may be, in pixels (one standard deviation). Raises CalibrationError with the
    reason and what to change.
    """
    looks = other_than_start(looks)
    camera.check(corners, (image.shape[1], image.shape[0]))
    check_empty(image, empty)
    refused: list[CalibrationError] = []
    for hypothesis in _propose(image, corners, geometry or Geometry(), looks, slack):
        try:
            rig = _learn_as_it_lies(hypothesis, image, empty)
        except CalibrationError as error:
            refused.append(error)
            continue
        alike = rig.quality.alike
        if not mirrored.misleads(rig.margins):
            return rig
        if (refused or alike) and mirrored.usual(rig.margins) < mirrored.MISLEADING:
            raise CalibrationError(
                phrase(
                    "most checkers look as much like the other side's as like their own: a lamp or a window "
                    "is mirrored in them (dim it, or move it or the camera), or the sides' colours are too "
                    "much alike in this light"
                )
            )
        if not alike:
            return rig
        try:
            better = _learn_table(hypothesis, image, empty, divided=True)
        except CalibrationError:
            return rig
        return replace(better, quality=replace(better.quality, alike=alike))
    others = [error for error in refused if isinstance(error, OtherPosition)]
    if len(others) < len(refused):
        raise refused[0]
    # Where the board is supposed to lie the wrong way, more differs than what is really wrong.
    raise min(others, key=lambda error: len(error.cells))


def other_than_start(looks: Looks | None) -> Looks | None:
    """What stands there, None where that is how games begin: then the board is recognised however it lies."""
    begins = {cell: look for cell, look in start().items() if look}
    return None if looks is None or {cell: look for cell, look in looks.items() if look} == begins else looks


def _propose(
    image: Image, corners: Sequence[Corner], geometry: Geometry, looks: Looks | None, slack: float
) -> list[Hypothesis]:
    """For each orientation the measures, of all that are possible, under which every known piece's disc is of
    one colour and like its fellows. At the start the likeliest is first (a mirrored lamp can make another one
    of it); in other positions the usual orientation is, and those that are far from any likeliness are left
    out."""
    known, size = looks if looks is not None else start(), (image.shape[1], image.shape[0])
    ways, home = ORIENTATIONS[: 2 if looks is None else 4], geometry.home

    @cache
    def seen_from(width: float, height: float) -> Camera:  # most measures share an outline
        return camera.from_corners(corners, width, height, size)[0]

    scored: list[tuple[float, Hypothesis]] = []
    for estimates in candidates(geometry, corners, size):
        eye = seen_from(estimates.measures.width, estimates.measures.height)
        for orientation in ways:
            hypothesis = Hypothesis(known, corners, estimates, orientation, eye, slack, home is not None)
            if home not in (None, hypothesis.home):
                continue
            if not hypothesis.spots:
                raise CalibrationError(
                    phrase("the known position has no pieces on the board: nothing to learn their looks from")
                )
            values = colour.logs(hypothesis.flat.lay(image))
            scored.append((disorder(hypothesis.discs_on(values)), hypothesis))
    if not scored:
        raise other_home()
    best: dict[Orientation, Hypothesis] = {}
    for _, hypothesis in sorted(scored, key=lambda entry: entry[0]):
        best.setdefault(hypothesis.orientation, hypothesis)
    if looks is None:
        return list(best.values())
    # Colours are only names here, and most positions look much the same with the sides exchanged: the usual
    # way first, and the first that is proved.
    least = min(scored, key=lambda entry: entry[0])[0]
    likely = {hypothesis.orientation for score, hypothesis in scored if score < FAR * least}
    return [best[way] for way in ways if way in likely]


def _learn_as_it_lies(hypothesis: Hypothesis, image: Image, empty: Image | None) -> Rig:
    """Learn a table, if need be from rows that nobody pushed to the rim, or together. Raises
    CalibrationError."""
    try:
        return _learn_table(hypothesis, image, empty)
    except OtherPosition:
        loose = replace(hypothesis, discs=verify_picture.tops(hypothesis, image))
        if not loose.is_loose.any():
            raise
        return _learn_table(loose, image, empty)


def _learn_table(hypothesis: Hypothesis, image: Image, empty: Image | None, divided: bool = False) -> Rig:
    """Learn a table, beginning with a hypothesis; where pieces have two looks (they mirror a lamp or not)
    both if ``divided``. Raises CalibrationError."""
    verify_picture.refuse_useless(hypothesis, image)
    corner_error = hypothesis.corner_error
    hypothesis, apart = _find_camera(hypothesis, image, divided)
    flat = hypothesis.flat
    laid = flat.lay(image)
    values = colour.logs(laid)
    seen = verify_picture.look(hypothesis, image)
    on_bar = verify_position.on_the_bar(hypothesis, seen.discs)
    strange = tuple(sorted(hypothesis.cells_at(seen.things), key=lambda cell: (len(cell), cell)))
    more = verify_position.unexpected(hypothesis, seen.discs, on_bar) - {*strange}
    seen_empty = None if empty is None else colour.logs(flat.lay(empty))
    paint, bare = _learn(hypothesis, values, seen_empty, on_bar, divided)
    discs = make_discs(bare, paint)
    try:
        gains, margins = verify_position.stand_out(hypothesis, values, discs)
        shade = shade_beside(bare, paint.light, hypothesis.measures, flat)
        dark = verify_position.shaded_cells(hypothesis, shade)
        unseen = verify_position.refuse_missing(hypothesis, gains, more, dark)
        if divided:
            # What two looks promise of the checkers that they were learned from is too much elsewhere.
            plain = make_discs(bare, replace(paint, divided=()))
            margins = verify_position.stand_out(hypothesis, values, plain)[1]
        wrong, weak, alike = verify_position.prove(hypothesis, image, values, discs, more, dark)
    except OtherPosition as error:
        words = [str(error)]
        if strange:
            listed = verify_position.listed(strange)
            words.append(phrase("or take away what lies over {cells}", cells=listed))
        if empty is not None:
            words.append(phrase("or the empty board's photo is of another board, lamp or camera position"))
        raise OtherPosition(joined("; ", words), error.cells) from error
    quality = Quality(
        reprojection=apart,
        corner_error=corner_error,
        separation=float(np.percentile(gains, 10)),
        wrong=wrong,
        weak=weak,
        diameter=hypothesis.diameter,
        either_way=verify_position.either_way(hypothesis),
        blur=sharpness.softness(colour.luma(laid)),
        lead=_lead(hypothesis, values, paint) if hypothesis.names_open else None,
        alike=alike,
        strange=strange,
        unseen=tuple(cell for cell in unseen if cell not in {*wrong, *alike, *strange}),
        beyond=verify_position.beyond(hypothesis),
        home=hypothesis.home,
        uneven=verify_position.uneven(hypothesis),
        patchy=patches(bare, paint.light, hypothesis.measures, flat),
    )
    return Rig(
        camera=hypothesis.camera,
        measures=hypothesis.measures,
        paint=paint,
        surface=colour.levels(bare.values),
        stock=hypothesis.stock,
        guessed=bare.guessed,
        orientation=hypothesis.orientation,
        margins=margins,
        quality=quality,
    )


def _find_camera(hypothesis: Hypothesis, image: Image, divided: bool) -> tuple[Hypothesis, float]:
    """The camera, and measures that nobody knew, where the known pieces say; and how far they are from their
    places then (mean, pixels)."""
    apart = 0.0
    for _ in range(4 if hypothesis.estimates.names else 2):  # rounds, until the camera rests
        values = colour.logs(hypothesis.flat.lay(image))
        paint, bare = _learn(hypothesis, values, divided=divided)
        if hypothesis.names_open and _lead(hypothesis, values, paint) < -EVEN:
            # The other side's pieces stand in the places of a mirrored board turned round.
            hypothesis = replace(hypothesis, orientation=hypothesis.orientation.exchanged())
            paint, bare = _learn(hypothesis, values, divided=divided)
        hypothesis, apart = _sharpen(hypothesis, values, make_discs(bare, paint))
    return hypothesis, apart


def _sharpen(hypothesis: Hypothesis, values: Map, discs: Discs) -> tuple[Hypothesis, float]:
    """Find the known pieces and let them correct the camera; with the mean distance left, in pixels."""
    moments, estimates = discs.moments(values), hypothesis.estimates
    tops = zip(hypothesis.kinds, hypothesis.tops, strict=True)
    found = np.array([discs.best_near(moments, *top)[kind] for kind, top in tops])
    places = np.column_stack([hypothesis.flat.board(found[:, :2]), np.zeros(len(found))])

    def known_places(free: Floats) -> Floats:
        known = spots(estimates.at(free), hypothesis.known, hypothesis.orientation)
        return np.array([place for _, *place in known], np.float64)

    def surface_size(free: Floats) -> tuple[float, float]:
        measures = estimates.at(free)
        return measures.width, measures.height

    trust = np.clip(found[:, 2] / 4, 0.02, 1.0)
    trust[hypothesis.is_loose] = 0.0  # where a loose row stands, no drawing says
    eye, free, apart = refine(
        hypothesis.camera,
        hypothesis.corners,
        surface_size,
        Sights(known_places, hypothesis.camera.project(places), trust),
        estimates.values(),
        estimates.spread(),
        hypothesis.diameter,
        hypothesis.slack,
    )
    return replace(hypothesis, camera=eye, estimates=replace(estimates, measures=estimates.at(free))), apart


def _learn(
    hypothesis: Hypothesis,
    values: Map,
    empty: Map | None = None,
    on_bar: Floats | None = None,
    divided: bool = False,
) -> tuple[Paint, Surface]:
    """Colours, and the empty board. ``empty``: a picture of it laid flat, or it is put together from what
    shows; ``on_bar``: where pieces stand whose places the position does not say."""
    flat, measures = hypothesis.flat, hypothesis.measures
    known = hypothesis.discs_on(values)
    paint = learn([known])
    if divided:
        paint = divide(paint, known)
        if not any(paint.divided):
            raise CalibrationError("no side has two looks")
    if empty is not None:
        return paint, Surface(relight(empty, values))
    hidden = np.zeros(flat.shape, bool)
    yy, xx = np.ogrid[0 : flat.shape[0], 0 : flat.shape[1]]
    covers = hypothesis.on_map(hypothesis.hidden)
    if on_bar is not None and len(on_bar):
        covers = np.concatenate([covers, flat.at(on_bar, measures.thickness)])
    for column, row in covers:
        hidden |= (xx - column) ** 2 + (yy - row) ** 2 < (0.68 * RESOLUTION) ** 2
    rim = flat.outside(measures.width, measures.height)
    shifts, allowed = repeats(measures, flat)
    bare = fill_in(values, hidden, spread(flat.shape, paint.light), shifts, allowed, rim)
    return paint, Surface(bare, hidden)


def _lead(hypothesis: Hypothesis, values: Map, paint: Paint) -> float:
    """How much lighter White's pieces are (CIELAB units): the start position turned round is its mirror image
    with the colours changed, so well below 0 the board is turned round."""
    white, black = lights(hypothesis.discs_on(values), paint)
    return white - black
