"""Finding the playing surface by itself: discs first, then the known position laid over them, then proof.

Lines were tried before (rims, bars and table edges make thousands of quadrangles, of which the start position
was to choose): it took half a minute and found four tables of seven. Discs are easier: the network finds
nearly all thirty checkers wherever they are, and thirty discs lie as the start position has them in one place
only. What is proposed is then calibrated in full: a board that cannot be read with what was learned there is
no board.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from engine.layout import Looks
from vision.checkers.calibration import match
from vision.checkers.calibration.calibrate import calibrate, other_than_start
from vision.checkers.calibration.match import Fit, Floats
from vision.checkers.calibration.measures import usual
from vision.checkers.places import spots
from vision.checkers.rig import Rig
from vision.disc_finder.flat_map import lay_flat
from vision.disc_finder.network import find_marks, peaks
from vision.disc_finder.seek import SHARES, seek
from vision.errors import CalibrationError
from vision.geometry import camera
from vision.geometry.camera import Corner
from vision.geometry.points import THICKNESS, Geometry, Lie, Measures, start
from vision.picture.frame import Image

SHAPES, BARS = (0.70, 0.78, 0.87, 0.97), (0.3, 0.7, 1.1, 1.5)
"""Proportions tried for a board of unknown measures: height to width, and the bar in checkers."""
PLAINLY = 0.97
"""Part of the known pieces that have a disc under a fit after which no other size of the picture is looked
at."""
LEAST = 0.6
"""Part of them under which a fit is not worth a calibration."""
TRIED, AGAIN = 4, 2
"""How many fits are calibrated, and how often each with the corners that it corrected itself."""
SLACK = 0.25
"""How far off proposed corners may be, in checkers (one standard deviation)."""
CLOSE = 0.05
"""Distance (checkers) between the corners proposed and those that the calibration puts in their stead under
which it is not repeated."""
APART = 1.0
"""Distance, in checkers, from which two proposals are two."""


@dataclass(frozen=True)
class Found:
    """The surface's ``corners`` (in the order of ``calibrate``), the ``rig`` that proves them, and the part
    of the known pieces that were ``seen`` as discs."""

    corners: list[Corner]
    rig: Rig
    seen: float


def find(
    image: Image,
    geometry: Geometry | None = None,
    looks: Looks | None = None,
    progress: Callable[[float, str], None] = lambda part, words: None,
) -> Found:
    """The surface in a picture of a known position (default: the start, in any lie).

    Raises CalibrationError, with what was seen, where the known position is nowhere."""
    looks = other_than_start(looks)
    known = looks if looks is not None else start()
    layouts = _layouts(geometry or Geometry())
    if not spots(layouts[0], known, Lie()):
        raise CalibrationError(
            "the known position has no pieces on the board, so that the board cannot be found by them; give"
            " its four corners"
        )
    fits: list[tuple[Fit, Measures]] = []
    for index, share in enumerate(SHARES):
        progress(0.1 * index, "looking for checkers")
        fits += _fits(image, share, layouts, known)
        if fits and max(fit.share for fit, _ in fits) >= PLAINLY:
            break
    fits.sort(key=lambda entry: -entry[0].score)
    reason = (
        f"{max((fit.share for fit, _ in fits), default=0.0):.0%} of the checkers are where the known position"
        " has them"
    )
    best: Found | None = None
    for index, (fit, corners, wide) in enumerate(_proposals(fits, looks is None)):
        progress(0.5 + 0.1 * index, "trying what was found")
        try:
            found = _proved(image, corners, geometry, looks, fit, wide)
        except CalibrationError as error:
            reason = str(error) if index == 0 else reason
            continue
        if best is None or _merit(found) < _merit(best):
            best = found
        if not found.rig.quality.wrong:
            break
    if best is None:
        raise CalibrationError(f"the board is not found by itself ({reason}); give its four corners")
    return best


def _layouts(geometry: Geometry) -> list[Measures]:
    """The measures that the board may have, roughly."""
    known = geometry.measures()
    return [known] if known else usual(geometry, SHAPES, BARS, THICKNESS)


def _fits(image: Image, share: float, layouts: list[Measures], known: Looks) -> list[tuple[Fit, Measures]]:
    """The best fits of the known pieces at one size of the picture, each under the measures that suit it
    best."""
    sighting = seek(image, share)
    places = [np.array([(x, y) for _, x, y, _ in spots(measures, known, Lie())]) for measures in layouts]
    rough = range(len(layouts)) if len(layouts) < 4 else range(1, len(layouts), 5)
    seeds = [
        (fit, index)
        for index in rough
        for fit in match.seeds(places[index], layouts[index].checker, sighting, np.random.default_rng(0))[:4]
    ]
    found = []
    for seed, origin in sorted(seeds, key=lambda entry: -entry[0].score)[:4]:
        moved = [_moved(seed, layouts[origin], measures) for measures in layouts]
        best, index = _best(moved, layouts, places, sighting.places)
        if best.share < PLAINLY:
            others = match.shifted(best, layouts[index].height, layouts[index].checker)
            again = [
                match.improved(fit, places[index], layouts[index].checker, sighting.places)
                for fit in (best, *others)
            ]
            best = max(again, key=lambda fit: fit.score)
        if LEAST < best.share < PLAINLY:
            best, index = _closer(image, best, index, layouts, places)
        found.append((best, layouts[index]))
    return found


def _best(fits: list[Fit], layouts: list[Measures], places: list[Floats], discs: Floats) -> tuple[Fit, int]:
    """The best of fits, one for every layout, when improved."""
    better = [
        match.improved(fit, spots, measures.checker, discs)
        for fit, measures, spots in zip(fits, layouts, places, strict=True)
    ]
    index = max(range(len(better)), key=lambda index: better[index].score)
    return better[index], index


def _closer(
    image: Image, fit: Fit, index: int, layouts: list[Measures], places: list[Floats]
) -> tuple[Fit, int]:
    """A second look at a board that was half seen: laid flat as the fit says, it is what the network was
    taught on."""
    outline = fit.at(camera.rectangle(layouts[index].width, layouts[index].height)[:, :2])
    try:
        flat = lay_flat(image, [(float(x), float(y)) for x, y in outline])
    except CalibrationError:
        return fit, index
    discs, _ = peaks(find_marks(flat.image).top)
    again, other = _best(
        [_moved(fit, layouts[index], measures) for measures in layouts], layouts, places, flat.picture(discs)
    )
    return (again, other) if again.score > fit.score else (fit, index)


def _moved(fit: Fit, one: Measures, other: Measures) -> Fit:
    """A fit for other measures: the middles and the widths of both boards lie on each other."""
    grow = one.width / other.width
    middle = [one.width / 2 - grow * other.width / 2, one.height / 2 - grow * other.height / 2]
    return Fit(
        fit.warp @ np.array([[grow, 0, middle[0]], [0, grow, middle[1]], [0, 0, 1]]), fit.score, fit.share
    )


def _proposals(fits: list[tuple[Fit, Measures]], either: bool) -> Iterator[tuple[Fit, Floats, float]]:
    """Different outlines (4 x 2, pixels) with the fits they come from and the pixels across a checker, the
    best first. ``either``: the position looks the same from both sides, so the outline is given as it lies in
    the picture."""
    taken: list[Floats] = []
    for fit, measures in fits:
        if fit.share < LEAST or len(taken) == TRIED:
            break
        outline = fit.at(camera.rectangle(measures.width, measures.height)[:, :2])
        if either and outline[0, 1] + outline[1, 1] < outline[2, 1] + outline[3, 1]:
            outline = np.roll(outline, 2, axis=0)
        wide = float(np.linalg.norm(outline[1] - outline[0])) / measures.width * measures.checker
        if all(np.linalg.norm(outline - other, axis=1).max() > APART * wide for other in taken):
            taken.append(outline)
            yield fit, outline, wide


def _proved(
    image: Image,
    outline: Floats,
    geometry: Geometry | None,
    looks: Looks | None,
    fit: Fit,
    wide: float,
) -> Found:
    """Calibrate with proposed corners, and again with those that the calibration puts in their stead. Raises
    CalibrationError."""
    best: Found | None = None
    for _ in range(AGAIN):
        corners = [(float(x), float(y)) for x, y in outline]
        try:
            rig = calibrate(image, corners, geometry, looks, slack=SLACK * wide)
        except CalibrationError:
            if best is None:
                raise
            break
        outline = rig.camera.project(camera.rectangle(rig.measures.width, rig.measures.height))
        now = Found([(float(x), float(y)) for x, y in outline], rig, fit.share)
        best = now if best is None or _merit(now) <= _merit(best) else best
        if rig.quality.corner_error < CLOSE * wide:
            break
    assert best is not None
    return best


def _merit(found: Found) -> tuple[int, float]:
    quality = found.rig.quality
    return len(quality.wrong), quality.reprojection
