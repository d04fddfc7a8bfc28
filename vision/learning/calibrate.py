"""Learning a table from one picture of a known position.

The corners give a first camera. Under it the known pieces are about where they should be, which is enough to
learn their colours; with their colours they are found exactly, which corrects the camera, the lens and
whatever measures nobody knew. Then the empty board is put together from what shows between them. Last, the
picture is read with what was learned: a rig that cannot read the picture it was made from is refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.layout import Looks
from vision import appearance, camera, disguise, kinds, sharpness, sheen
from vision.appearance import Paint
from vision.board import Geometry, Lie
from vision.camera import CLICK, Camera, Corner
from vision.discs import Discs
from vision.errors import CalibrationError
from vision.frame import Image
from vision.kind import Kind
from vision.learning import proof, shown, strange
from vision.learning.guess import Guess, peak, places
from vision.learning.quality import EVEN, Quality
from vision.learning.refine import Sights, refine
from vision.rig import Rig
from vision.scene import RESOLUTION, Flat, Map

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
    kind: str = "checkers",
    slack: float = CLICK,
) -> Rig:
    """Learn a table. ``corners`` of the playing surface: bottom-left, bottom-right, top-right, top-left, in
    pixels of ``image``.

    ``looks`` is what stands there (default: the kind's start; then a board that lies turned or mirrored is
    recognised); ``empty`` the same board, same camera, with nothing on it; ``slack`` how far off the corners
    may be, in pixels (one standard deviation). Raises CalibrationError with the reason and what to change.
    """
    sort = kinds.get(kind)
    looks = other_than_start(sort, looks)
    size = (image.shape[1], image.shape[0])
    camera.check(corners, size)
    if empty is not None and empty.shape != image.shape:
        raise CalibrationError("the empty picture has another size; take both with the same camera")
    refused: list[CalibrationError] = []
    for guess in _first(sort, image, corners, geometry or Geometry(), looks, slack):
        try:
            rig = _from(guess, image, looks, empty)
        except CalibrationError as error:
            refused.append(error)
            continue
        if not disguise.hides(rig.told):
            return rig
        if (refused or rig.quality.alike) and disguise.usual(rig.told) < disguise.HIDDEN:
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


def _from(guess: Guess, image: Image, looks: Looks | None, empty: Image | None, divided: bool = False) -> Rig:
    """Learn a table, beginning with a guess; where pieces have two looks (they mirror a lamp or not) both if
    ``divided``. Raises CalibrationError."""
    sort = guess.sort
    _inspect(guess, image)
    off, apart = _off(guess), 0.0
    for _ in range(ROUNDS if not guess.loose.names else 2 * ROUNDS):
        flat = guess.flat()
        values = appearance.logs(flat.lay(image))
        paint, surface, guessed = _learn(guess, flat, values, None, divided=divided)
        if looks is None and _lead(guess, flat, values, paint) < -EVEN:
            # The other side's pieces stand in the places of a mirrored board turned round.
            guess = replace(guess, lie=Lie(not guess.lie.turned, not guess.lie.mirrored))
            paint, surface, guessed = _learn(guess, flat, values, None, divided=divided)
        guess, apart = _sharpen(
            guess,
            flat,
            values,
            sheen.discs(surface, appearance.spread(flat.shape, paint.light), paint, guessed),
        )
    flat = guess.flat()
    values = appearance.logs(flat.lay(image))
    on_bar = shown.on_the_bar(guess, image)
    paint, surface, guessed = _learn(
        guess, flat, values, None if empty is None else appearance.logs(flat.lay(empty)), on_bar, divided
    )
    discs = sheen.discs(surface, appearance.spread(flat.shape, paint.light), paint, guessed)
    stock = dict(Counter(piece for look in guess.known.values() for piece in look))
    try:
        separation, told = shown.missed(guess, flat, values, discs)
        if (
            divided
        ):  # what two looks promise of the checkers that they were learned from is too much elsewhere
            told = shown.told(
                guess, flat, values, Discs(surface, discs.light, replace(paint, divided=()), guessed)
            )[1]
        wrong, weak, alike = shown.prove(guess, image, flat, values, discs, stock, told)
    except CalibrationError as error:
        if empty is None:
            raise
        raise CalibrationError(
            f"{error}; or the empty board's photo is of another board, lamp or camera position"
        ) from error
    shown.extra(guess, image, flat, on_bar)
    return Rig(
        kind=sort.name,
        camera=guess.eye,
        measures=guess.loose.base,
        paint=paint,
        surface=appearance.levels(surface),
        stock=stock,
        guessed=guessed,
        lie=guess.lie,
        told=told,
        quality=Quality(
            apart,
            off,
            separation,
            wrong,
            weak,
            guess.diameter(),
            either_way=looks is not None and shown.either_way(guess),
            blur=sharpness.blur(flat.lay(image)),
            lead=_lead(guess, flat, values, paint) if looks is None else None,
            alike=alike,
            strange=() if guessed is None else strange.over(guess, flat, values, discs.light, guessed),
            beyond=shown.beyond(guess, flat),
        ),
    )


def other_than_start(sort: Kind, looks: Looks | None) -> Looks | None:
    """What stands there, None where that is how games begin: then the board is recognised however it lies."""
    begins = {cell: look for cell, look in sort.start().items() if look}
    return None if looks is None or {cell: look for cell, look in looks.items() if look} == begins else looks


def _first(
    sort: Kind, image: Image, corners: Sequence[Corner], geometry: Geometry, looks: Looks | None, slack: float
) -> list[Guess]:
    """For each lie the measures, of all that are possible, under which every known piece's disc is of one
    colour and like its fellows; the likeliest lie first (a mirrored lamp can make another one of it)."""
    known = looks if looks is not None else sort.start()
    size = (image.shape[1], image.shape[0])
    scored: list[tuple[float, int, Guess]] = []
    seen: dict[tuple[float, float], Camera] = {}  # most measures differ in what lies within the same outline
    for loose in sort.measures(geometry, corners, size):
        outline = loose.base.width, loose.base.height
        eye = seen.get(outline) or camera.from_corners(corners, *outline, size)[0]
        seen[outline] = eye
        for lie in (Lie(),) if looks is not None else sort.lies:
            guess = Guess(sort, known, corners, loose, lie, eye, slack)
            spots, flat = guess.spots(), guess.flat()
            if not spots:
                raise CalibrationError(
                    "the known position has no pieces on the board: nothing to learn their looks from"
                )
            labels = np.array([sort.pieces.index(piece) for piece, *_ in spots])
            scored.append(
                (
                    appearance.disorder(appearance.logs(flat.lay(image)), places(flat, spots), labels),
                    len(scored),
                    guess,
                )
            )
    best: dict[Lie, Guess] = {}
    for _, _, guess in sorted(scored, key=lambda entry: entry[:2]):
        best.setdefault(guess.lie, guess)
    return list(best.values())


def _off(guess: Guess) -> float:
    """Mean distance in pixels between the corners and a camera's that fits them best."""
    return camera.from_corners(
        guess.corners, guess.loose.base.width, guess.loose.base.height, guess.eye.size
    )[1]


def _inspect(guess: Guess, image: Image) -> None:
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
    proof.inspect(flat.lay(image))


def _learn(
    guess: Guess,
    flat: Flat,
    values: Map,
    empty: Map | None,
    on_bar: Sequence[tuple[float, float]] = (),
    divided: bool = False,
) -> tuple[Paint, Map, NDArray[np.bool_] | None]:
    """Colours, the empty board, and where that is inferred. ``on_bar``: where pieces stand whose places the
    position does not say."""
    spots = guess.spots()
    at = places(flat, spots)
    labels = np.array([guess.sort.pieces.index(piece) for piece, *_ in spots])
    paint = appearance.learn(values, at, labels, len(guess.sort.pieces))
    if divided:
        paint = appearance.divide(paint, values, at, labels)
        if not any(paint.divided):
            raise CalibrationError("no side has two looks")
    if empty is not None:
        gain, _ = appearance.relight(empty, values)
        return paint, np.asarray(empty - gain, np.float32), None
    hidden = np.zeros(flat.shape, bool)
    yy, xx = np.mgrid[0 : flat.shape[0], 0 : flat.shape[1]]
    covers = places(flat, guess.sort.hides(guess.loose.base, guess.known, guess.lie))
    seen = [flat.at([place], guess.loose.base.thickness)[0] for place in on_bar]
    for column, row in (*covers, *seen):
        hidden |= np.hypot(xx - column, yy - row) < 0.68 * RESOLUTION
    shifts, allowed = guess.sort.repeats(guess.loose.base, flat)
    rim = flat.outside(guess.loose.base.width, guess.loose.base.height)
    return (
        paint,
        appearance.fill_in(values, hidden, appearance.spread(flat.shape, paint.light), shifts, allowed, rim),
        hidden,
    )


def _lead(guess: Guess, flat: Flat, values: Map, paint: Paint) -> float:
    """How plainly the known pieces are each side's own (see ``Kind.lead``)."""
    spots = guess.spots()
    labels = np.array([guess.sort.pieces.index(piece) for piece, *_ in spots])
    return guess.sort.lead(appearance.lights(values, places(flat, spots), labels, paint))


def _sharpen(guess: Guess, flat: Flat, values: Map, discs: Discs) -> tuple[Guess, float]:
    """Find the known pieces and let them correct the camera; with the mean distance left, in pixels."""
    moments = discs.moments(values)
    found, trust = [], []
    for piece, x, y, z in guess.spots():
        column, row, nats = peak(discs, moments, guess.sort.pieces.index(piece), flat.at([(x, y)], z)[0])
        found.append((flat.left + (column + 0.5) / flat.scale, flat.high - (row + 0.5) / flat.scale, 0.0))
        trust.append(np.clip(nats / 4, 0.02, 1.0))
    loose = guess.loose

    def places(free: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.array(
            [[x, y, z] for _, x, y, z in guess.sort.spots(loose.at(free), guess.known, guess.lie)], np.float64
        )

    def surface_size(free: NDArray[np.float64]) -> tuple[float, float]:
        measures = loose.at(free)
        return measures.width, measures.height

    sights = Sights(places, flat.camera.project(found), np.array(trust, np.float64))
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
