"""Learning a table from one picture of a known position.

The corners give a first camera. Under it the known pieces are about where they should be, which is enough to
learn their colours; with their colours they are found exactly, which corrects the camera, the lens and
whatever measures nobody knew. Then the empty board is put together from what shows between them. Last, the
picture is read with what was learned: a rig that cannot read the picture it was made from is refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.layout import Looks
from vision.checkers import mirrored
from vision.checkers.calibration import foreign_object, verify_picture, verify_position
from vision.checkers.calibration.hypothesis import Hypothesis, peak, places
from vision.checkers.calibration.measures import candidates
from vision.checkers.discs import Discs
from vision.checkers.paint import Paint, disorder, divide, learn, lights
from vision.checkers.places import spots
from vision.checkers.rig import Rig
from vision.checkers.two_looks import make_discs
from vision.errors import CalibrationError
from vision.geometry import camera
from vision.geometry.board_measures import (
    ORIENTATIONS,
    SIDES,
    THICKNESS,
    Geometry,
    Orientation,
    repeats,
    start,
)
from vision.geometry.camera import CLICK, Camera, Corner
from vision.geometry.flat import RESOLUTION, Flat, Map
from vision.geometry.refine import Sights, refine
from vision.light import colour
from vision.light.empty_board import fill_in
from vision.light.lamp import relight, spread
from vision.light.surface import Surface
from vision.picture import sharpness
from vision.picture.frame import Image
from vision.reading import EVEN, Quality

ROUNDS = 2
"""Rounds of finding the known pieces and moving the camera to where they say it is; twice as many where
measures are estimated."""
MISFIT = 0.3
"""How far from the corners (in checkers) the best camera may put the board's, before they are called
wrong."""


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

    ``looks`` is what stands there (default: the kind's start; then a board that lies turned or mirrored is
    recognised); ``empty`` the same board, same camera, with nothing on it; ``slack`` how far off the corners
    may be, in pixels (one standard deviation). Raises CalibrationError with the reason and what to change.
    """
    looks = other_than_start(looks)
    size = (image.shape[1], image.shape[0])
    camera.check(corners, size)
    if empty is not None and empty.shape != image.shape:
        raise CalibrationError("the empty picture has another size; take both with the same camera")
    refused: list[CalibrationError] = []
    for guess in _first(image, corners, geometry or Geometry(), looks, slack):
        try:
            rig = _from(guess, image, looks, empty)
        except CalibrationError as error:
            refused.append(error)
            continue
        if not mirrored.hides(rig.told):
            return rig
        if (refused or rig.quality.alike) and mirrored.usual(rig.told) < mirrored.HIDDEN:
            raise CalibrationError(
                "most checkers look as much like the other side's as like their own: a lamp or a window is"
                " mirrored in them (dim it, or move it or the camera), or the sides' colours are too much"
                " alike in this light"
            )
        if not rig.quality.alike:
            return rig
        try:
            better = _from(guess, image, looks, empty, divided=True)
        except CalibrationError:
            return rig
        return replace(better, quality=replace(better.quality, alike=rig.quality.alike))
    raise refused[0]


@dataclass(frozen=True)
class _Learned:
    """What a table's checkers and its bare board look like."""

    paint: Paint
    bare: Surface

    def discs(self) -> Discs:
        """Both, laid out for finding checkers."""
        shape = (self.bare.values.shape[0], self.bare.values.shape[1])
        return make_discs(self.bare, spread(shape, self.paint.light), self.paint)


def _from(
    guess: Hypothesis, image: Image, looks: Looks | None, empty: Image | None, divided: bool = False
) -> Rig:
    """Learn a table, beginning with a guess; where pieces have two looks (they mirror a lamp or not) both if
    ``divided``. Raises CalibrationError."""
    _inspect(guess, image)
    corner_error = _off(guess)
    guess, apart = _camera_found(guess, image, looks is None, divided)
    flat = guess.flat()
    values = colour.logs(flat.lay(image))
    on_bar = verify_position.on_the_bar(guess, image)
    bare = None if empty is None else colour.logs(flat.lay(empty))
    learned = _learn(guess, flat, values, bare, on_bar, divided)
    discs = learned.discs()
    stock = dict(Counter(piece for look in guess.known.values() for piece in look))
    try:
        separation, told = verify_position.missed(guess, flat, values, discs)
        if divided:
            # What two looks promise of the checkers that they were learned from is too much elsewhere.
            plain = replace(learned, paint=replace(learned.paint, divided=()))
            told = verify_position.told(guess, flat, values, plain.discs())[1]
        wrong, weak, alike = verify_position.prove(guess, image, flat, values, discs, stock, told)
    except CalibrationError as error:
        if empty is None:
            raise
        raise CalibrationError(
            f"{error}; or the empty board's photo is of another board, lamp or camera position"
        ) from error
    verify_position.extra(guess, image, flat, on_bar)
    guessed = learned.bare.guessed
    quality = Quality(
        reprojection=apart,
        corner_error=corner_error,
        separation=separation,
        wrong=wrong,
        weak=weak,
        diameter=guess.diameter(),
        either_way=looks is not None and verify_position.either_way(guess),
        blur=sharpness.softness(colour.luma(flat.lay(image))),
        lead=_lead(guess, flat, values, learned.paint) if looks is None else None,
        alike=alike,
        strange=() if guessed is None else foreign_object.over(guess, flat, values, discs.light, guessed),
        beyond=verify_position.beyond(guess, flat),
    )
    return Rig(
        camera=guess.eye,
        measures=guess.loose.base,
        paint=learned.paint,
        surface=colour.levels(learned.bare.values),
        stock=stock,
        guessed=guessed,
        orientation=guess.orientation,
        told=told,
        quality=quality,
    )


def _camera_found(
    guess: Hypothesis, image: Image, any_orientation: bool, divided: bool
) -> tuple[Hypothesis, float]:
    """The camera, and measures that nobody knew, where the known pieces say; and how far they are from their
    places then (mean, pixels). ``any_orientation``: the board may lie turned round."""
    apart = 0.0
    for _ in range(ROUNDS if not guess.loose.names else 2 * ROUNDS):
        flat = guess.flat()
        values = colour.logs(flat.lay(image))
        learned = _learn(guess, flat, values, None, divided=divided)
        if any_orientation and _lead(guess, flat, values, learned.paint) < -EVEN:
            # The other side's pieces stand in the places of a mirrored board turned round.
            guess = replace(
                guess, orientation=Orientation(not guess.orientation.turned, not guess.orientation.mirrored)
            )
            learned = _learn(guess, flat, values, None, divided=divided)
        guess, apart = _sharpen(guess, flat, values, learned.discs())
    return guess, apart


def other_than_start(looks: Looks | None) -> Looks | None:
    """What stands there, None where that is how games begin: then the board is recognised however it lies."""
    begins = {cell: look for cell, look in start().items() if look}
    return None if looks is None or {cell: look for cell, look in looks.items() if look} == begins else looks


def _first(
    image: Image, corners: Sequence[Corner], geometry: Geometry, looks: Looks | None, slack: float
) -> list[Hypothesis]:
    """For each orientation the measures, of all that are possible, under which every known piece's disc is of
    one colour and like its fellows; the likeliest first (a mirrored lamp can make another one of it)."""
    known = looks if looks is not None else start()
    size = (image.shape[1], image.shape[0])
    scored: list[tuple[float, int, Hypothesis]] = []
    seen: dict[tuple[float, float], Camera] = {}  # most measures differ in what lies within the same outline
    for loose in candidates(geometry, corners, size, THICKNESS):
        outline = loose.base.width, loose.base.height
        eye = seen.get(outline) or camera.from_corners(corners, *outline, size)[0]
        seen[outline] = eye
        for orientation in (Orientation(),) if looks is not None else ORIENTATIONS:
            guess = Hypothesis(known, corners, loose, orientation, eye, slack)
            spots, flat = guess.spots(), guess.flat()
            if not spots:
                raise CalibrationError(
                    "the known position has no pieces on the board: nothing to learn their looks from"
                )
            labels = np.array([SIDES.index(piece) for piece, *_ in spots])
            scored.append(
                (
                    disorder(colour.logs(flat.lay(image)), places(flat, spots), labels),
                    len(scored),
                    guess,
                )
            )
    best: dict[Orientation, Hypothesis] = {}
    for _, _, guess in sorted(scored, key=lambda entry: entry[:2]):
        best.setdefault(guess.orientation, guess)
    return list(best.values())


def _off(guess: Hypothesis) -> float:
    """Mean distance in pixels between the corners and a camera's that fits them best."""
    return camera.from_corners(
        guess.corners, guess.loose.base.width, guess.loose.base.height, guess.eye.size
    )[1]


def _inspect(guess: Hypothesis, image: Image) -> None:
    """Refuse a picture that nothing can be learned from. Raises CalibrationError with the reason."""
    flat = guess.flat()
    diameter = guess.diameter()
    if diameter < 12:
        raise CalibrationError(
            f"a checker is only {diameter:.0f} pixels wide; bring the camera closer or use a larger picture"
        )
    if _off(guess) > MISFIT * diameter:
        raise CalibrationError(
            "the corners do not fit a board of these measures: check their order, and width and height"
        )
    for piece, x, y, z in guess.spots():
        u, v = guess.eye.project([[x, y, z]])[0]
        if not (0 <= u < image.shape[1] and 0 <= v < image.shape[0]):
            raise CalibrationError(
                f"the board is cut off: with these corners a {piece} checker of the known position would be"
                " outside the picture; set the corners again, or move the camera until all of the board is"
                " in view"
            )
    verify_picture.inspect(flat.lay(image))


def _learn(
    guess: Hypothesis,
    flat: Flat,
    values: Map,
    empty: Map | None,
    on_bar: Sequence[tuple[float, float]] = (),
    divided: bool = False,
) -> _Learned:
    """Colours, and the empty board. ``empty``: a picture of it laid flat, or it is put together from what
    shows; ``on_bar``: where pieces stand whose places the position does not say."""
    known = guess.spots()
    at = places(flat, known)
    labels = np.array([SIDES.index(piece) for piece, *_ in known])
    paint = learn(values, at, labels, len(SIDES))
    if divided:
        paint = divide(paint, values, at, labels)
        if not any(paint.divided):
            raise CalibrationError("no side has two looks")
    if empty is not None:
        return _Learned(paint, Surface(np.asarray(empty - relight(empty, values)[0], np.float32)))
    hidden = np.zeros(flat.shape, bool)
    yy, xx = np.mgrid[0 : flat.shape[0], 0 : flat.shape[1]]
    covers = places(flat, guess.hides())
    seen = [flat.at([place], guess.loose.base.thickness)[0] for place in on_bar]
    for column, row in (*covers, *seen):
        hidden |= np.hypot(xx - column, yy - row) < 0.68 * RESOLUTION
    rim = flat.outside(guess.loose.base.width, guess.loose.base.height)
    shifts, allowed = repeats(guess.loose.base, flat)
    bare = fill_in(values, hidden, spread(flat.shape, paint.light), shifts, allowed, rim)
    return _Learned(paint, Surface(bare, hidden))


def _lead(guess: Hypothesis, flat: Flat, values: Map, paint: Paint) -> float:
    """How much lighter White's pieces are (CIELAB units): the start position turned round is its mirror image
    with the colours changed, so well below 0 the board is turned round."""
    spots = guess.spots()
    labels = np.array([SIDES.index(piece) for piece, *_ in spots])
    white, black = lights(values, places(flat, spots), labels, paint)
    return white - black


def _sharpen(guess: Hypothesis, flat: Flat, values: Map, discs: Discs) -> tuple[Hypothesis, float]:
    """Find the known pieces and let them correct the camera; with the mean distance left, in pixels."""
    moments = discs.moments(values)
    found, trust = [], []
    for piece, x, y, z in guess.spots():
        column, row, nats = peak(discs, moments, SIDES.index(piece), flat.at([(x, y)], z)[0])
        found.append((column, row))
        trust.append(np.clip(nats / 4, 0.02, 1.0))
    loose = guess.loose

    def places(free: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.array(
            [[x, y, z] for _, x, y, z in spots(loose.at(free), guess.known, guess.orientation)], np.float64
        )

    def surface_size(free: NDArray[np.float64]) -> tuple[float, float]:
        measures = loose.at(free)
        return measures.width, measures.height

    sights = Sights(places, flat.picture(found), np.array(trust, np.float64))
    eye, free, apart = refine(
        flat.camera,
        guess.corners,
        surface_size,
        sights,
        loose.values(),
        loose.spread(),
        guess.diameter(),
        guess.slack,
    )
    return replace(guess, eye=eye, loose=replace(loose, base=loose.at(free))), apart
