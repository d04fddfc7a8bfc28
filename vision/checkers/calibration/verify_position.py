"""Whether a calibration picture shows the known position, and how plainly: it is read as any picture will be,
and every known piece is looked for at its own place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from engine.layout import POINT_CELLS, Cell, Look, point_of
from engine.messages import joined, phrase
from vision.checkers.calibration.hypothesis import Hypothesis
from vision.checkers.discs import Discs
from vision.checkers.mirrored import Margins
from vision.checkers.places import spots
from vision.checkers.stacks import Stacks
from vision.checkers.walls import shaded
from vision.errors import CalibrationError
from vision.geometry.board_measures import BARS, OFFS, ROW, SIDES, middle, opposite
from vision.geometry.camera import Floats
from vision.geometry.flat import Map
from vision.picture.frame import Image
from vision.reading import PLAINLY, SURE, Raw

ABSENT = -1.5
"""Nats of its disc under which a known piece is missing."""
LISTED = 4
"""How many of the things that differ a message names."""


def listed(words: Sequence[str]) -> str:
    """The first of what differs: a message names no more."""
    return joined(", ", [*words[:LISTED], "…"] if len(words) > LISTED else words)


class OtherPosition(CalibrationError):
    """The picture shows another position than the known one; ``cells`` are those that differ."""

    def __init__(self, message: str, cells: Collection[Cell]) -> None:
        super().__init__(message)
        self.cells = frozenset(cells)


def prove(
    hypothesis: Hypothesis,
    image: Image,
    values: Map,
    discs: Discs,
    more: Collection[Cell],
    dark: Collection[Cell],
) -> tuple[tuple[Cell, ...], tuple[Cell, ...], tuple[Cell, ...]]:
    """Read the calibration picture itself, as it will be read: the cells that come out otherwise, those that
    come out rightly but are not sure, and those whose pieces look like the other side's.

    ``more``: the cells on which more stands than is known; ``dark``: those that may look otherwise (see
    :func:`shaded_cells`). Raises OtherPosition."""
    plan, known = hypothesis.plan, hypothesis.known
    found = plan.read(discs, values)
    raw = Stacks(plan).weigh(found.raw, found.rows, discs, image, values)
    blatant = _blatant(hypothesis, raw)
    # As many, all of them like the same side's: nobody has so many. A lamp is mirrored in them.
    alike = len({seen[:1] for seen in blatant.values()}) == 1 and all(
        len(seen) == len(known[cell]) > 0 for cell, seen in blatant.items()
    )
    if alike:  # whose these are is known, and nothing that they show says otherwise
        raw = raw | {cell: {known[cell]: 0.0} for cell in blatant}
    still = {} if alike else {cell: seen for cell, seen in blatant.items() if cell not in dark}
    looks, confidence = plan.conserve(raw, hypothesis.stock)
    read = {cell: max(raw[cell], key=raw[cell].__getitem__) for cell in looks}
    wrong = [cell for cell in looks if looks[cell] != known.get(cell, ())]
    # What is read otherwise only because another cell is has no fault of its own.
    own = [cell for cell in wrong if read[cell] != known.get(cell, ())] or wrong
    # One empty cell may be misread, and up to three cells a little.
    if more or len(still) > 1 or any(known[cell] for cell in still) or len({*wrong} - {*dark}) > 3:
        raise _another_position(hypothesis, still or {cell: looks[cell] for cell in own}, more, alike)
    weak = [cell for cell in looks if cell not in own and (cell in wrong or confidence[cell] < SURE)]
    return tuple(own), tuple(weak), tuple(blatant) if alike else ()


def _blatant(hypothesis: Hypothesis, raw: Raw) -> dict[Cell, Look]:
    """What is plainly seen instead in cells that are known to hold something else; twice as plainly, where
    they are known to be empty."""
    found: dict[Cell, Look] = {}
    for cell, look in hypothesis.known.items():
        if cell not in raw or cell in OFFS:
            # What stands in trays is told by how far it reaches, and the empty tray is not known yet.
            continue
        best, seen = max((value, other) for other, value in raw[cell].items())
        full = min(len(seen), len(look)) >= ROW and seen[0] == look[0]  # how many lie on it is hard to say
        if best - raw[cell].get(look, -99.0) > (PLAINLY if look else 2 * PLAINLY) and not full:
            found[cell] = seen
    return found


def _another_position(
    hypothesis: Hypothesis, seen: Mapping[Cell, Look], more: Collection[Cell], alike: bool
) -> OtherPosition:
    """What to say of a picture in which other things are ``seen`` than the known ones, and ``more`` on some
    cells."""
    expected = {cell: hypothesis.known.get(cell, ()) for cell in (*seen, *more)}
    told = [
        phrase(
            "{cell}: {known} expected, {seen} seen",
            cell=cell,
            known=_name(expected[cell]),
            seen=_name(seen[cell]),
        )
        for cell in seen
        if cell not in more
    ]
    told += [
        phrase("{cell}: {known} expected, more seen", cell=cell, known=_name(expected[cell]))
        for cell in sorted(more)
    ]
    names = joined("; ", told[:LISTED])
    if alike and not more:
        return OtherPosition(
            phrase(
                "checkers look like the other side's ({cells}): if they are set up rightly, a lamp or"
                " a window is mirrored in them; move it, or the camera, or soften the light",
                cells=names,
            ),
            expected,
        )
    swapped = len(seen) > 1 and all(len(look) == len(expected[cell]) for cell, look in seen.items())
    words = phrase(
        "the picture does not show the known position ({cells}); set it up, or say what "
        "stands there, or check the corners",
        cells=names,
    )
    lamp = phrase("or move or dim the lamp that is mirrored in these checkers")
    return OtherPosition(joined("; ", (words, lamp)) if swapped else words, expected)


def _name(look: Look) -> str:
    return joined(" ", (str(len(look)), phrase(look[0]))) if look else phrase("nothing")


def stand_out(hypothesis: Hypothesis, values: Map, discs: Discs) -> tuple[list[float], tuple[Margins, ...]]:
    """By how many nats every known piece stands out from all else, and from the other side's (see
    ``mirrored``)."""
    moments = discs.moments(values)
    gains: list[float] = []
    margins: list[list[tuple[float, float, float]]] = [[] for _ in SIDES]
    for (_, x, y, _), kind, top in zip(hypothesis.spots, hypothesis.kinds, hypothesis.tops, strict=True):
        nats = [found for *_, found in discs.best_near(moments, *top)]
        gains.append(nats.pop(kind))
        margins[kind].append((x, y, min(gains[-1] - other for other in nats)))
    return gains, tuple(tuple(side) for side in margins)


def _cells_of_pieces(hypothesis: Hypothesis) -> list[Cell]:
    """Where each known piece stands, in the order of its tops."""
    return [
        cell
        for cell in POINT_CELLS
        for _ in spots(hypothesis.measures, {cell: hypothesis.known.get(cell, ())}, hypothesis.orientation)
    ]


def shaded_cells(hypothesis: Hypothesis, shade: Map) -> frozenset[Cell]:
    """The cells whose known pieces stand in the ``shade`` of a wall (see ``checkers.walls``): they need not
    look like any."""
    dark = shaded(shade, np.array([column for column, _ in hypothesis.tops]))
    return frozenset(cell for cell, gone in zip(_cells_of_pieces(hypothesis), dark, strict=True) if gone)


def refuse_missing(
    hypothesis: Hypothesis, gains: Sequence[float], more: Collection[Cell], dark: Collection[Cell]
) -> tuple[Cell, ...]:
    """Raises OtherPosition where some pieces (``gains``: how well each stands out, in nats) are not where
    they should be, though the rest of their rows is: they are missing, or the corners are a row off. One may
    be, under glare for example, and all on ``dark`` cells (see :func:`shaded_cells`): the cell of that one is
    returned. ``more``: the cells on which more stands than is known."""
    pieces = zip(_cells_of_pieces(hypothesis), gains, strict=True)
    missing = Counter(cell for cell, gain in pieces if gain < ABSENT and cell not in dark)
    if missing.total() > 1:
        told = [phrase("{count} on {cell}", count=count, cell=cell) for cell, count in missing.items()]
        told += [phrase("{cell}: more than expected", cell=cell) for cell in sorted(more)]
        words = phrase(
            "{missing} of {all} pieces of the known position are not where they should be ({cells}): set them"
            " up, or say what stands there, or check the corners",
            missing=missing.total(),
            all=len(gains),
            cells=listed(told),
        )
        raise OtherPosition(words, {*missing, *more})
    return tuple(missing)


def on_the_bar(hypothesis: Hypothesis, discs: Floats) -> Floats:
    """Which of the places of ``discs`` (N x 2, cm) are of pieces that the position has, but does not say
    where: on the bar."""
    measures, known = hypothesis.measures, hypothesis.known
    reach = max(0.5 * measures.bar, 0.35 * measures.checker) if any(known.get(bar) for bar in BARS) else 0.0
    return np.asarray(discs[np.abs(discs[:, 0] - measures.width / 2) < reach])


def unexpected(hypothesis: Hypothesis, discs: Floats, on_bar: Floats) -> frozenset[Cell]:
    """The cells on which more pieces stand, at the places of ``discs`` (N x 2, cm), than the known position
    has: they would be learned as board. ``on_bar``: those that are known to lie on the bar."""
    known = np.concatenate([[(x, y) for _, x, y, _ in hypothesis.hidden], on_bar])
    apart = np.linalg.norm(discs[:, None] - known[None], axis=2).min(axis=1)
    cells = hypothesis.cells_at(discs[apart > 0.6 * hypothesis.measures.checker])
    # A piece that lies on others, or on the bar, is none too many; nor is one of two loose rows that meet.
    return frozenset(
        cell
        for cell in cells
        if len(hypothesis.known.get(cell, ())) <= (ROW if cell in POINT_CELLS else 0)
        and not _may_meet(hypothesis, cell, discs)
    )


def _may_meet(hypothesis: Hypothesis, cell: Cell, discs: Floats) -> bool:
    """Whether the rows of a point and of that across the board are so long that they may meet, and no more
    ``discs`` (N x 2, cm) are seen on both than they have."""
    number, rows = point_of(cell), [hypothesis.known.get(each, ()) for each in (cell, opposite(cell))]
    if number is None or min(map(len, rows)) < ROW:
        return False
    x = middle(hypothesis.measures, hypothesis.orientation.place(number))
    seen = int(np.count_nonzero(np.abs(discs[:, 0] - x) < hypothesis.measures.pitch / 2))
    return seen <= sum(map(len, rows))


def uneven(hypothesis: Hypothesis) -> tuple[str, ...]:
    """How many pieces each side has in the known position, where one has more. A sixth checker on a row is
    hardly seen, and whoever says five where there are six says so here."""
    white, black = (hypothesis.stock.get(side, 0) for side in SIDES)
    return (f"{white} {SIDES[0]}", f"{black} {SIDES[1]}") if white != black else ()


def either_way(hypothesis: Hypothesis) -> bool:
    """Whether the known position would lie in the same places if the home were on the other side, and neither
    a tray nor a person says where it is."""
    measures, orientation = hypothesis.measures, hypothesis.orientation
    if measures.tray in ("left", "right") or hypothesis.home_told:
        return False
    one, other = (
        {(piece, round(x, 3), round(y, 3)) for piece, x, y, _ in spots(measures, hypothesis.known, way)}
        for way in (orientation, replace(orientation, mirrored=not orientation.mirrored))
    )
    return one == other


def beyond(hypothesis: Hypothesis) -> tuple[str, ...]:
    """What the picture does not show enough of to be read there: cells, and the tray where the board is said
    to have one."""
    cells = hypothesis.plan.cut_off(hypothesis.flat.in_view())
    tray = hypothesis.measures.tray in ("left", "right") and not hypothesis.plan.regions.keys() >= set(OFFS)
    return (*sorted(cells, key=lambda cell: (len(cell), cell)), *(("the tray",) if tray else ()))
