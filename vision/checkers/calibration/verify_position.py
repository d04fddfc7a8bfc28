"""Whether a calibration picture shows the known position, and how plainly: it is read as any picture will be,
and every known piece is looked for at its own place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from engine.layout import Cell, Look, Piece
from vision.checkers.calibration import verify_picture
from vision.checkers.calibration.hypothesis import Hypothesis, peak
from vision.checkers.discs import Discs
from vision.checkers.mirrored import Mirrored, Told
from vision.checkers.places import hides, spots
from vision.checkers.plan import IN_VIEW
from vision.checkers.stacks import Stacks
from vision.errors import CalibrationError
from vision.geometry.board_measures import OFFS, SIDES
from vision.geometry.flat import Flat, Map
from vision.picture.frame import Image
from vision.reading import Raw, cut_off

ABSENT, SPARED = -1.5, 1
"""A known piece whose disc is this unlikely (nats) is missing; so many may be, under glare for example."""
SURELY = 0.9
"""Confidence under which a cell that is read rightly is called weak."""
LACKING, SURE, DOUBTED = 3.0, 6.0, 3
"""An occupied cell read otherwise by LACKING nats, two empty ones by SURE, or more than so many cells read
otherwise at all, and the picture does not show the known position."""


def prove(
    guess: Hypothesis,
    image: Image,
    flat: Flat,
    values: Map,
    discs: Discs,
    stock: Mapping[Piece, int],
    told: Sequence[Told],
) -> tuple[tuple[Cell, ...], tuple[Cell, ...], tuple[Cell, ...]]:
    """Read the calibration picture itself, as it will be read: the cells that come out otherwise, those that
    come out rightly but with a confidence under SURELY, and those whose pieces look like the other side's.

    Raises CalibrationError where they say that the picture shows another position."""
    plan = guess.plan()
    found = plan.read(discs, values)
    plain = Stacks(flat, guess.loose.base, guess.orientation).weigh(
        found.raw, found.rows, discs, image, values
    )
    raw = Mirrored(guess.loose.base, guess.orientation, told).weaken(plain)
    blatant = _blatant(guess, plain)
    # As many, all of them like the same side's: nobody has so many. A lamp is mirrored in them.
    alike = len({seen[:1] for cell, seen in blatant.items()}) == 1 and all(
        len(seen) == len(guess.known[cell]) > 0 for cell, seen in blatant.items()
    )
    still = _blatant(guess, raw) if alike else blatant
    looks, confidence = plan.conserve(raw, stock)
    wrong = tuple(cell for cell, look in looks.items() if look != guess.known.get(cell, ()))
    if len(still) > 1 or any(guess.known[cell] for cell in still) or len(wrong) > DOUBTED:
        listed = "; ".join(
            f"{cell}: {_name(guess.known[cell])} expected, {_name(seen)} seen"
            for cell, seen in list(still.items())[:4]
        )
        listed = listed or ", ".join(wrong[:8])
        if alike:
            raise CalibrationError(
                f"checkers look like the other side's ({listed}): if they are set up rightly, a lamp or a"
                " window is mirrored in them; move it, or the camera, or soften the light"
            )
        swapped = all(len(seen) == len(guess.known[cell]) for cell, seen in still.items()) and len(still) > 1
        lamp = "; or move or dim the lamp that is mirrored in these checkers" if swapped else ""
        raise CalibrationError(
            f"the picture does not show the known position ({listed}); set it up, or say what stands there,"
            f" or check the corners{lamp}"
        )
    weak = tuple(cell for cell in looks if cell not in wrong and confidence[cell] < SURELY)
    return wrong, weak, tuple(blatant) if alike else ()


def _blatant(guess: Hypothesis, raw: Raw) -> dict[Cell, Look]:
    """What is plainly seen instead in cells that are known to hold something else."""
    found: dict[Cell, Look] = {}
    for cell, look in guess.known.items():
        if cell not in raw or cell.startswith("off"):
            # What stands in trays is told by how far it reaches, and the empty tray is not known yet
            continue
        others = [value for other, value in raw[cell].items() if other != look]
        margin = raw[cell].get(look, -99.0) - max(others, default=-99.0)
        if margin < -(LACKING if look else SURE):
            seen = max((value, other) for other, value in raw[cell].items())[1]
            if not (
                min(len(seen), len(look)) >= 5 and seen[0] == look[0]
            ):  # how many lie on a full row is hard to say
                found[cell] = seen
    return found


def missed(guess: Hypothesis, flat: Flat, values: Map, discs: Discs) -> tuple[float, tuple[Told, ...]]:
    """How well single pieces stand out from all else (nats, the worst tenth of them), and every one from the
    other side's (see ``disguise``).

    Raises CalibrationError where some are not where they should be, though the rest of their rows is: they
    are missing, or the corners are a row off."""
    gains, nats = told(guess, flat, values, discs)
    places = _cells(guess)
    missing = Counter(place for place, gain in zip(places, gains, strict=True) if gain < ABSENT)
    if sum(missing.values()) > SPARED:
        listed = ", ".join(f"{count} on {place}" for place, count in missing.items())
        raise CalibrationError(
            f"{sum(missing.values())} of {len(gains)} pieces of the known position are not where they should"
            f" be ({listed}): set them up, or say what stands there, or check the corners"
        )
    return float(np.percentile(gains, 10)), nats


def told(guess: Hypothesis, flat: Flat, values: Map, discs: Discs) -> tuple[list[float], tuple[Told, ...]]:
    """By how many nats every known piece stands out from all else, and from the other side's."""
    moments = discs.moments(values)
    gains: list[float] = []
    told: list[list[tuple[float, float, float]]] = [[] for _ in SIDES]
    for piece, x, y, z in guess.spots():
        place, own = flat.at([(x, y)], z)[0], SIDES.index(piece)
        peaks = [peak(discs, moments, kind, place)[2] for kind in range(len(SIDES))]
        gains.append(peaks[own])
        told[own].append((x, y, min(peaks[own] - peak for kind, peak in enumerate(peaks) if kind != own)))
    return gains, tuple(tuple(side) for side in told)


def either_way(guess: Hypothesis) -> bool:
    """Whether the known position would lie in the same places if the home were on the other side, and no tray
    says where it is."""
    if guess.loose.base.tray in ("left", "right"):
        return False
    one, other = (
        {
            (piece, round(x, 3), round(y, 3))
            for piece, x, y, _ in spots(guess.loose.base, guess.known, orientation)
        }
        for orientation in (
            guess.orientation,
            replace(guess.orientation, mirrored=not guess.orientation.mirrored),
        )
    )
    return one == other


def beyond(guess: Hypothesis, flat: Flat) -> tuple[str, ...]:
    """What the picture does not show enough of to be read there: cells, and the tray where the board is said
    to have one."""
    plan = guess.plan()
    cells = sorted(cut_off(plan.regions, flat.in_view(), IN_VIEW), key=lambda cell: (len(cell), cell))
    tray = guess.loose.base.tray in ("left", "right") and not all(cell in plan.regions for cell in OFFS)
    return (*cells, "the tray") if tray else tuple(cells)


def extra(guess: Hypothesis, image: Image, flat: Flat, on_bar: Sequence[tuple[float, float]]) -> None:
    """Refuse a picture with more pieces than the known position has. Raises CalibrationError, naming
    where."""
    known = [(x, y) for _, x, y, _ in guess.hides()] + list(on_bar)
    places = verify_picture.strangers(image, guess.eye, guess.loose.base, known)
    if not len(places):
        return
    regions = guess.plan().regions
    spots = np.round(flat.at(places)).astype(int)
    cells = {cell for column, row in spots for cell, region in regions.items() if region[row, column]}
    cells -= {
        cell
        for cell in cells
        if len(guess.known.get(cell, ()))
        > len(hides(guess.loose.base, {cell: guess.known[cell]}, guess.orientation))
    }
    if not cells:
        return
    told = ", ".join(sorted(cells)) or "the board"
    raise CalibrationError(
        f"more stands on {told} than the known position has: take it away, or say what stands there (it would"
        " be learned as board)"
    )


def on_the_bar(guess: Hypothesis, image: Image) -> list[tuple[float, float]]:
    """Where (cm) the pieces stand that the position has, but not at places that it says: on the bar."""
    if not any(look and cell.startswith("bar") for cell, look in guess.known.items()):
        return []
    return verify_picture.on_the_bar(image, guess.eye, guess.loose.base)


def _cells(guess: Hypothesis) -> list[Cell]:
    """The cell of every spot, in their order."""
    return [
        cell
        for cell, look in guess.known.items()
        for _ in spots(guess.loose.base, {cell: look}, guess.orientation)
    ]


def _name(look: Look) -> str:
    return f"{len(look)} {look[0]}" if look else "nothing"
