"""Learning a table from one picture of a known position.

The corners give a first camera. Under it the known pieces are about where they should be, which is enough to learn their colours; with
their colours they are found exactly, which corrects the camera, the lens and whatever measures nobody knew. Then the empty board is
put together from what shows between them. Last, the picture is read with what was learned: a rig that cannot read the picture it was
made from is refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.layout import Cell, Look, Looks, Piece
from vision import appearance, camera, kinds, sharpness
from vision.appearance import Paint
from vision.board import Geometry, Lie, Measures
from vision.camera import CLICK, Camera, Corner
from vision.closeup import Closeup
from vision.discs import Discs, Moments
from vision.errors import CalibrationError
from vision.frame import Image
from vision.kind import Kind
from vision.learning import proof
from vision.learning.measure import Loose
from vision.learning.quality import EVEN, Quality
from vision.learning.refine import Sights, refine
from vision.rig import Rig
from vision.scene import RESOLUTION, Flat, Map

ROUNDS = 2
"""Rounds of finding the known pieces and moving the camera to where they say it is; twice as many where measures are estimated."""
SEARCH = 4
"""How far from its expected place a piece is looked for, in map pixels."""
MISFIT = 0.3
"""How far from the corners (in checkers) the best camera may put the board's, before they are called wrong."""
ABSENT, SPARED = -1.5, 1
"""A known piece whose disc is this unlikely (nats) is missing; so many may be, under glare for example."""
SURELY = 0.9
"""Confidence under which a cell that is read rightly is called weak."""
LACKING, SURE, DOUBTED = 3.0, 6.0, 3
"""An occupied cell read otherwise by LACKING nats, two empty ones by SURE, or more than so many cells read otherwise at all, and the
picture does not show the known position."""

Spots = Sequence[tuple[Piece, float, float, float]]


@dataclass(frozen=True)
class _Guess:
    """A camera with the measures and the lie that belong to it."""

    sort: Kind
    known: Looks
    corners: Sequence[Corner]
    loose: Loose
    lie: Lie
    eye: Camera
    slack: float

    def flat(self) -> Flat:
        return flatten(self.sort, self.eye, self.loose.base)

    def diameter(self) -> float:
        """Pixels across a checker in the middle of the board."""
        base = self.loose.base
        ends = self.eye.project([[base.width / 2, base.height / 2, 0], [base.width / 2 + base.checker, base.height / 2, 0]])
        return float(np.linalg.norm(ends[1] - ends[0]))

    def spots(self) -> Spots:
        return self.sort.spots(self.loose.base, self.known, self.lie)


def calibrate(
    image: Image,
    corners: Sequence[Corner],
    geometry: Geometry | None = None,
    looks: Looks | None = None,
    empty: Image | None = None,
    kind: str = "checkers",
    slack: float = CLICK,
) -> Rig:
    """Learn a table. ``corners`` of the playing surface: bottom-left, bottom-right, top-right, top-left, in pixels of ``image``.

    ``looks`` is what stands there (default: the kind's start; then a board that lies turned or mirrored is recognised); ``empty`` the
    same board, same camera, with nothing on it; ``slack`` how far off the corners may be, in pixels (one standard deviation). Raises
    CalibrationError with the reason and what to change.
    """
    sort = kinds.get(kind)
    looks = other_than_start(sort, looks)
    size = (image.shape[1], image.shape[0])
    camera.check(corners, size)
    if empty is not None and empty.shape != image.shape:
        raise CalibrationError("the empty picture has another size; take both with the same camera")
    guess = _first(sort, image, corners, geometry or Geometry(), looks, slack)
    _, off = camera.from_corners(corners, guess.loose.base.width, guess.loose.base.height, size)
    _inspect(guess, image, off)
    apart = 0.0
    for _ in range(ROUNDS if not guess.loose.names else 2 * ROUNDS):
        flat = guess.flat()
        values = appearance.logs(flat.lay(image))
        paint, surface, guessed = _learn(guess, flat, values, None)
        if looks is None and sort.lead(paint) < -EVEN:  # the other side's pieces stand in the places of a mirrored board turned round
            guess = replace(guess, lie=Lie(not guess.lie.turned, not guess.lie.mirrored))
            paint, surface, guessed = _learn(guess, flat, values, None)
        guess, apart = _sharpen(guess, flat, values, Discs(surface, appearance.spread(flat.shape, paint.light), paint, guessed))
    flat = guess.flat()
    values = appearance.logs(flat.lay(image))
    on_bar = _on_the_bar(guess, image)
    paint, surface, guessed = _learn(guess, flat, values, None if empty is None else appearance.logs(flat.lay(empty)), on_bar)
    discs = Discs(surface, appearance.spread(flat.shape, paint.light), paint, guessed)
    stock = dict(Counter(piece for look in guess.known.values() for piece in look))
    try:
        separation = _missed(guess, flat, values, discs)
        wrong, weak = _prove(guess, image, flat, values, discs, stock)
    except CalibrationError as error:
        if empty is None:
            raise
        raise CalibrationError(f"{error}; or the empty board's photo is of another board, lamp or camera position") from error
    _extra(guess, image, flat, on_bar)
    return Rig(
        kind=sort.name,
        camera=guess.eye,
        measures=guess.loose.base,
        paint=paint,
        surface=appearance.levels(surface),
        stock=stock,
        guessed=guessed,
        lie=guess.lie,
        quality=Quality(
            apart,
            off,
            separation,
            wrong,
            weak,
            guess.diameter(),
            either_way=looks is not None and _either_way(guess),
            blur=sharpness.blur(flat.lay(image)),
            lead=sort.lead(paint) if looks is None else None,
        ),
    )


def other_than_start(sort: Kind, looks: Looks | None) -> Looks | None:
    """What stands there, None where that is how games begin: then the board is recognised however it lies."""
    begins = {cell: look for cell, look in sort.start().items() if look}
    return None if looks is None or {cell: look for cell, look in looks.items() if look} == begins else looks


def flatten(sort: Kind, eye: Camera, measures: Measures) -> Flat:
    """The map of a board under a camera."""
    return Flat(eye, RESOLUTION / measures.checker, *sort.edges(measures))


def _first(sort: Kind, image: Image, corners: Sequence[Corner], geometry: Geometry, looks: Looks | None, slack: float) -> _Guess:
    """Of all measures and lies that are possible, those under which every known piece's disc is of one colour and like its fellows."""
    known = looks if looks is not None else sort.start()
    size = (image.shape[1], image.shape[0])
    scored: list[tuple[float, int, _Guess]] = []
    seen: dict[tuple[float, float], Camera] = {}  # most measures differ in what lies within the same outline
    for loose in sort.measures(geometry, corners, size):
        outline = loose.base.width, loose.base.height
        eye = seen.get(outline) or camera.from_corners(corners, *outline, size)[0]
        seen[outline] = eye
        for lie in (Lie(),) if looks is not None else sort.lies:
            guess = _Guess(sort, known, corners, loose, lie, eye, slack)
            spots, flat = guess.spots(), guess.flat()
            if not spots:
                raise CalibrationError("the known position has no pieces on the board: nothing to learn their looks from")
            labels = np.array([sort.pieces.index(piece) for piece, *_ in spots])
            scored.append((appearance.disorder(appearance.logs(flat.lay(image)), _places(flat, spots), labels), len(scored), guess))
    return min(scored)[2]


def _inspect(guess: _Guess, image: Image, off: float) -> None:
    """Refuse a picture that nothing can be learned from. Raises CalibrationError with the reason."""
    flat = guess.flat()
    diameter = guess.diameter()
    if diameter < 12:
        raise CalibrationError(f"a checker is only {diameter:.0f} pixels wide; bring the camera closer or use a larger picture")
    if off > MISFIT * diameter:
        raise CalibrationError("the corners do not fit a board of these measures: check their order, and width and height")
    for piece, x, y, z in guess.spots():
        u, v = guess.eye.project([[x, y, z]])[0]
        if not (0 <= u < image.shape[1] and 0 <= v < image.shape[0]):
            raise CalibrationError(
                f"the board is cut off: with these corners a {piece} checker of the known position would be outside the picture; "
                "set the corners again, or move the camera until all of the board is in view"
            )
    proof.inspect(flat.lay(image))


def _places(flat: Flat, spots: Spots) -> NDArray[np.float64]:
    return np.array([flat.at([(x, y)], z)[0] for _, x, y, z in spots])


def _learn(
    guess: _Guess, flat: Flat, values: Map, empty: Map | None, on_bar: Sequence[tuple[float, float]] = ()
) -> tuple[Paint, Map, NDArray[np.bool_] | None]:
    """Colours, the empty board, and where that is inferred. ``on_bar``: where pieces stand whose places the position does not say."""
    spots = guess.spots()
    places = _places(flat, spots)
    labels = np.array([guess.sort.pieces.index(piece) for piece, *_ in spots])
    paint = appearance.learn(values, places, labels, len(guess.sort.pieces))
    if empty is not None:
        gain, _ = appearance.relight(empty, values)
        return paint, np.asarray(empty - gain, np.float32), None
    hidden = np.zeros(flat.shape, bool)
    yy, xx = np.mgrid[0 : flat.shape[0], 0 : flat.shape[1]]
    covers = _places(flat, guess.sort.hides(guess.loose.base, guess.known, guess.lie))
    seen = [flat.at([place], guess.loose.base.thickness)[0] for place in on_bar]
    for column, row in (*covers, *seen):
        hidden |= np.hypot(xx - column, yy - row) < 0.68 * RESOLUTION
    shifts, allowed = guess.sort.repeats(guess.loose.base, flat)
    rim = flat.outside(guess.loose.base.width, guess.loose.base.height)
    return paint, appearance.fill_in(values, hidden, appearance.spread(flat.shape, paint.light), shifts, allowed, rim), hidden


def _sharpen(guess: _Guess, flat: Flat, values: Map, discs: Discs) -> tuple[_Guess, float]:
    """Find the known pieces and let them correct the camera; with the mean distance left, in pixels."""
    moments = discs.moments(values)
    found, trust = [], []
    for piece, x, y, z in guess.spots():
        column, row, peak = _peak(discs, moments, guess.sort.pieces.index(piece), flat.at([(x, y)], z)[0])
        found.append((flat.left + (column + 0.5) / flat.scale, flat.high - (row + 0.5) / flat.scale, 0.0))
        trust.append(np.clip(peak / 4, 0.02, 1.0))
    loose = guess.loose

    def places(free: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.array([[x, y, z] for _, x, y, z in guess.sort.spots(loose.at(free), guess.known, guess.lie)], np.float64)

    def surface_size(free: NDArray[np.float64]) -> tuple[float, float]:
        measures = loose.at(free)
        return measures.width, measures.height

    sights = Sights(places, flat.camera.project(found), np.array(trust, np.float64))
    eye, free, apart = refine(
        flat.camera, guess.corners, surface_size, sights, loose.values(), loose.spread(), guess.diameter(), guess.slack
    )
    return replace(guess, eye=eye, loose=replace(loose, base=loose.at(free))), apart


def _peak(discs: Discs, moments: Moments, kind: int, place: NDArray[np.float64]) -> tuple[float, float, float]:
    """The best match near a place, to a fraction of a map pixel: column, row, nats."""
    around = np.arange(-SEARCH, SEARCH + 0.01, 0.5)
    u, v = np.meshgrid(place[0] + around, place[1] + around)
    gains = discs.gains(moments, u.astype(np.float32), v.astype(np.float32))[kind] - 0.05 * np.hypot(u - place[0], v - place[1]) ** 2
    weight = np.exp(np.clip(gains - gains.max(), -50, 0)) * (gains > gains.max() - 3)
    return float(np.average(u, weights=weight)), float(np.average(v, weights=weight)), float(gains.max())


def _prove(
    guess: _Guess, image: Image, flat: Flat, values: Map, discs: Discs, stock: Mapping[Piece, int]
) -> tuple[tuple[Cell, ...], tuple[Cell, ...]]:
    """Read the calibration picture itself, as it will be read: the cells that come out otherwise, and those that come out rightly but with
    a confidence under SURELY.

    Raises CalibrationError where they say that the picture shows another position."""
    plan = guess.sort.plan(guess.loose.base, flat, guess.lie)
    found = plan.read(discs, values)
    raw = Closeup(flat, guess.loose.base, guess.lie).weigh(found.raw, found.rows, discs, image, values)
    blatant, missing, taken = [], False, set()
    for cell, look in guess.known.items():
        if cell not in raw or cell.startswith("off"):
            continue  # what stands in trays is told by how far it reaches, and the empty tray is not known yet
        others = [value for other, value in raw[cell].items() if other != look]
        margin = raw[cell].get(look, -99.0) - max(others, default=-99.0)
        if margin < 0:
            seen = max((value, other) for other, value in raw[cell].items())[1]
            layers = min(len(seen), len(look)) >= 5 and seen[0] == look[0]  # how many lie on a full row is hard to say
            if margin < -(LACKING if look else SURE) and not layers:
                missing = missing or bool(look)
                taken.add(seen[:1] if len(seen) == len(look) else ())
                blatant.append(f"{cell}: {_name(look)} expected, {_name(seen)} seen")
    looks, confidence = plan.weigh(raw, stock)
    wrong = tuple(cell for cell, look in looks.items() if look != guess.known.get(cell, ()))
    if len(blatant) > 1 or missing or len(wrong) > DOUBTED:
        told = "; ".join(blatant[:4]) or ", ".join(wrong[:8])
        if len(taken) == 1 and taken != {()}:  # as many, all of them like the same side's: nobody has so many
            raise CalibrationError(
                f"checkers look like the other side's ({told}): if they are set up rightly, a lamp or a window is mirrored in them; move "
                "it, or the camera, or soften the light"
            )
        raise CalibrationError(
            f"the picture does not show the known position ({told}); set it up, or say what stands there, or check the corners"
        )
    weak = tuple(cell for cell in looks if cell not in wrong and confidence[cell] < SURELY)
    return wrong, weak


def _missed(guess: _Guess, flat: Flat, values: Map, discs: Discs) -> float:
    """How well single pieces stand out from all else: nats, the worst tenth of them.

    Raises CalibrationError where some are not where they should be, though the rest of their rows is: they are missing, or the corners
    are a row off."""
    moments = discs.moments(values)
    spots = guess.spots()
    gains = [_peak(discs, moments, guess.sort.pieces.index(piece), flat.at([(x, y)], z)[0])[2] for piece, x, y, z in spots]
    places = _cells(guess)
    missing = Counter(place for place, gain in zip(places, gains, strict=True) if gain < ABSENT)
    if sum(missing.values()) > SPARED:
        told = ", ".join(f"{count} on {place}" for place, count in missing.items())
        raise CalibrationError(
            f"{sum(missing.values())} of {len(spots)} pieces of the known position are not where they should be ({told}): "
            "set them up, or say what stands there, or check the corners"
        )
    return float(np.percentile(gains, 10))


def _either_way(guess: _Guess) -> bool:
    """Whether the known position would lie in the same places if the home were on the other side, and no tray says where it is."""
    if guess.loose.base.tray in ("left", "right"):
        return False
    one, other = (
        {(piece, round(x, 3), round(y, 3)) for piece, x, y, _ in guess.sort.spots(guess.loose.base, guess.known, lie)}
        for lie in (guess.lie, replace(guess.lie, mirrored=not guess.lie.mirrored))
    )
    return one == other


def _extra(guess: _Guess, image: Image, flat: Flat, on_bar: Sequence[tuple[float, float]]) -> None:
    """Refuse a picture with more pieces than the known position has. Raises CalibrationError, naming where."""
    known = [(x, y) for _, x, y, _ in guess.sort.hides(guess.loose.base, guess.known, guess.lie)] + list(on_bar)
    places = proof.strangers(image, guess.eye, guess.loose.base, known)
    if not len(places):
        return
    regions = guess.sort.plan(guess.loose.base, flat, guess.lie).regions
    spots = np.round(flat.at(places)).astype(int)
    cells = {cell for column, row in spots for cell, region in regions.items() if region[row, column]}
    cells -= {
        cell
        for cell in cells
        if len(guess.known.get(cell, ())) > len(guess.sort.hides(guess.loose.base, {cell: guess.known[cell]}, guess.lie))
    }
    if not cells:
        return
    told = ", ".join(sorted(cells)) or "the board"
    raise CalibrationError(
        f"more stands on {told} than the known position has: take it away, or say what stands there (it would be learned as board)"
    )


def _on_the_bar(guess: _Guess, image: Image) -> list[tuple[float, float]]:
    """Where (cm) the pieces stand that the position has, but not at places that it says: on the bar."""
    if not any(look and cell.startswith("bar") for cell, look in guess.known.items()):
        return []
    return proof.on_the_bar(image, guess.eye, guess.loose.base)


def _cells(guess: _Guess) -> list[Cell]:
    """The cell of every spot, in their order."""
    return [cell for cell, look in guess.known.items() for _ in guess.sort.spots(guess.loose.base, {cell: look}, guess.lie)]


def _name(look: Look) -> str:
    return f"{len(look)} {look[0]}" if look else "nothing"
