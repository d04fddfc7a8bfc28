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
from engine.messages import phrase
from vision.checkers.calibration import match
from vision.checkers.calibration.calibrate import calibrate, other_than_start
from vision.checkers.calibration.match import Fit
from vision.checkers.calibration.measures import usual
from vision.checkers.calibration.verify_picture import refuse_dark
from vision.checkers.places import spots
from vision.checkers.rig import Rig
from vision.disc_finder.flat_map import lay_flat
from vision.disc_finder.network import find_marks, peaks
from vision.disc_finder.seek import SHARES, seek
from vision.errors import CalibrationError
from vision.geometry.board_measures import ORIENTATIONS, Geometry, Measures, Orientation, start
from vision.geometry.camera import Corner, Floats, as_corners, rectangle
from vision.picture.frame import Image

WORTH, PLAIN = 0.6, 0.97
"""Parts of the known pieces that have a disc under a fit: from the first on it is worth a calibration, from
the second on no other size of the picture is looked at."""
SLACK = 0.25
"""How far off proposed corners may be, in checkers (one standard deviation)."""


@dataclass(frozen=True)
class ProvedBoard:
    """The ``rig`` that proves where the surface is, and the part of the known pieces that were ``seen`` as
    discs."""

    rig: Rig
    seen: float

    @property
    def corners(self) -> list[Corner]:
        """The surface's, in pixels, in the order of ``calibrate``."""
        return as_corners(self.rig.outline)

    @property
    def faults(self) -> tuple[int, float]:
        """How badly the rig reads its own picture: the less, the better."""
        return len(self.rig.quality.wrong), self.rig.quality.reprojection


def find(
    image: Image,
    geometry: Geometry | None = None,
    looks: Looks | None = None,
    progress: Callable[[float, str], None] = lambda part, words: None,
) -> ProvedBoard:
    """The surface in a picture of a known position (default: the start, in any orientation).

    Raises CalibrationError, with what was seen, where the known position is nowhere."""
    looks = other_than_start(looks)
    known, given = looks if looks is not None else start(), geometry or Geometry()
    measures = given.measures()
    # Boards of every shape (height to width), each with bars of none to one and a half checkers.
    tried = [measures] if measures else usual(given, (0.70, 0.78, 0.87, 0.97), (0.3, 0.7, 1.1, 1.5))
    # The start lies mirrored where it lies turned round; another position may be the mirror image of itself.
    ways = ORIENTATIONS[: 1 if looks is None else 2]
    boards = [_Layout(each, known, way) for way in ways for each in tried]
    if not len(boards[0].spots):
        raise CalibrationError(
            phrase(
                "the known position has no pieces on the board, so that the board cannot be found by "
                "them; give its four corners"
            )
        )
    fits: list[tuple[Fit, _Layout]] = []
    for index, share in enumerate(SHARES):
        progress(0.1 * index, phrase("looking for checkers"))
        fits += _fits(image, share, boards)
        if fits and max(fit.share for fit, _ in fits) >= PLAIN:
            break
    fits.sort(key=lambda entry: -entry[0].score)
    most = max((fit.share for fit, _ in fits), default=0.0)
    reason: str = phrase(
        "{most} of the checkers are where the known position has them: set it up, or say what stands there",
        most=f"{most:.0%}",
    )
    best: ProvedBoard | None = None
    for index, (fit, corners, wide) in enumerate(_proposals(fits, looks is None)):
        progress(0.5 + 0.1 * index, phrase("trying what was found"))
        try:
            found = _proved(image, corners, geometry, looks, fit, wide)
        except CalibrationError as error:
            reason = str(error) if index == 0 else reason
            continue
        if best is None or found.faults < best.faults:
            best = found
        if not found.rig.quality.wrong:
            break
    if best is None:
        refuse_dark(image)  # where its corners are does not help then
        raise CalibrationError(
            phrase("the board is not found by itself ({reason}); give its four corners", reason=reason)
        )
    return best


class _Layout:
    """Measures that the board may have, the places (N x 2, cm) of the known pieces on it, and its outline
    (4 x 2)."""

    def __init__(self, measures: Measures, known: Looks, way: Orientation) -> None:
        self.measures, self.checker = measures, measures.checker
        self.spots = np.array([(x, y) for _, x, y, _ in spots(measures, known, way)])
        self.outline = rectangle(measures.width, measures.height)[:, :2]


def _fits(image: Image, share: float, boards: list[_Layout]) -> list[tuple[Fit, _Layout]]:
    """The best fits of the known pieces at one size of the picture, each under the measures that suit it
    best."""
    sighting = seek(image, share)
    rough = boards if len(boards) < 4 else boards[1::5]
    seeds = [
        (fit, board)
        for board in rough
        for fit in match.seeds(board.spots, board.checker, sighting, np.random.default_rng(0))[:4]
    ]
    found = []
    for seed, origin in sorted(seeds, key=lambda entry: -entry[0].score)[:4]:
        best, board = _best(seed, origin, boards, sighting.places)
        if best.share < PLAIN:
            others = match.shifted(best, board.measures.height, board.checker)
            again = [
                match.improved(fit, board.spots, board.checker, sighting.places) for fit in (best, *others)
            ]
            best = max(again, key=lambda fit: fit.score)
        if WORTH < best.share < PLAIN:
            best, board = _closer(image, best, board, boards)
        found.append((best, board))
    return found


def _best(seed: Fit, origin: _Layout, boards: list[_Layout], discs: Floats) -> tuple[Fit, _Layout]:
    """The best that a fit for one of the boards becomes when it is moved to any of them and improved."""
    moved = (_moved(seed, origin.measures, board.measures) for board in boards)
    better = [
        match.improved(fit, board.spots, board.checker, discs)
        for fit, board in zip(moved, boards, strict=True)
    ]
    return max(zip(better, boards, strict=True), key=lambda entry: entry[0].score)


def _closer(image: Image, fit: Fit, board: _Layout, boards: list[_Layout]) -> tuple[Fit, _Layout]:
    """A second look at a board that was half seen: laid flat as the fit says, it is what the network was
    taught on."""
    try:
        flat = lay_flat(image, as_corners(fit.at(board.outline)))
    except CalibrationError:
        return fit, board
    discs, _ = peaks(find_marks(flat.image).top)
    again = _best(fit, board, boards, flat.picture(discs))
    return again if again[0].score > fit.score else (fit, board)


def _moved(fit: Fit, one: Measures, other: Measures) -> Fit:
    """A fit for other measures: the middles and the widths of both boards lie on each other."""
    grow = one.width / other.width
    x, y = one.width / 2 - grow * other.width / 2, one.height / 2 - grow * other.height / 2
    return Fit(fit.warp @ np.array([[grow, 0, x], [0, grow, y], [0, 0, 1]]))


def _proposals(fits: list[tuple[Fit, _Layout]], either: bool) -> Iterator[tuple[Fit, Floats, float]]:
    """Up to four different outlines (4 x 2, pixels) with the fits they come from and the pixels across a
    checker, the best first. ``either``: the position looks the same from both sides, so the outline is given
    as it lies in the picture."""
    taken: list[Floats] = []
    for fit, board in fits:
        if fit.share < WORTH or len(taken) == 4:
            break
        outline = fit.at(board.outline)
        if either and outline[0, 1] + outline[1, 1] < outline[2, 1] + outline[3, 1]:
            outline = np.roll(outline, 2, axis=0)
        wide = float(np.linalg.norm(outline[1] - outline[0])) / board.measures.width * board.checker
        if all(np.linalg.norm(outline - other, axis=1).max() > wide for other in taken):
            taken.append(outline)
            yield fit, outline, wide


def _proved(
    image: Image, outline: Floats, geometry: Geometry | None, looks: Looks | None, fit: Fit, wide: float
) -> ProvedBoard:
    """Calibrate with proposed corners; where those are a twentieth of a checker off or more, again with what
    the calibration puts in their stead. Raises CalibrationError."""

    def calibrated(outline: Floats) -> ProvedBoard:
        rig = calibrate(image, as_corners(outline), geometry, looks, slack=SLACK * wide)
        return ProvedBoard(rig, fit.share)

    first = calibrated(outline)
    if first.rig.quality.corner_error < 0.05 * wide:
        return first
    try:
        second = calibrated(first.rig.outline)
    except CalibrationError:
        return first
    return second if second.faults <= first.faults else first
