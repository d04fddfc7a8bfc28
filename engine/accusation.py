"""What it takes to say that somebody played wrongly.

People make small mistakes. They move a checker a few pips too far, read the dice wrongly, forget a die, move
a checker backward or the opponent's. They do not exchange five checkers of both sides: a picture that shows
that is a bad picture. So a foul has a *price*, in nats that the evidence must pay before anybody is accused,
and the price rises with every piece that is not where the nearest legal play leaves it.

And a foul must have two witnesses. A piece that is not where it should be is missed in one place and too many
in another; a cell that is read wrong is one cell, and often surely wrong. So without the cell that says most
for the foul, the others must still speak for it.

All this is for a good calibration. Of a weak one, where cells are read wrong and sure far more often, the
evidence says itself how much dearer an accusation is (``Evidence.caution``).
"""

from __future__ import annotations

from collections import Counter

from engine.conserve import conserved
from engine.evidence import Evidence
from engine.layout import Cell, Look, Looks, Piece, apart, differing
from engine.position import Position

FAR = 8.0
"""Nats by which a board must be ahead of the best legal play (3,000 to 1) before a foul is thought of at
all."""
FOUL = 9.5
"""Nats that a foul with one misplaced piece must be ahead: some 300 boards have one piece elsewhere, and of a
hundred plays one or two are fouls. With 8, two legal plays of 3,453 were called fouls."""
MISPLACED = 6.0
"""Nats for each further piece: fouls with one more are a third as frequent, and there are 100 to 200 times as
many such boards to choose from. Of the fouls that people make 55% misplace one piece, 31% two, 9% three, 3%
four, 1% more (``python -m tests.bench.accusations --fouls``)."""
MOST = 8
"""Pieces: nobody misplaces more in one turn. Where more stand elsewhere the picture is of another board, or
of this one turned round, however sure it is."""
SECOND = 2.0
"""Nats that the other cells must say for it without the one that says most: what a full row says of one
checker more or less. Of cells seen by weak calibrations 1 in 100 was wrong by more than 6 nats; of 4,000 seen
by good ones none by more than 4, but in blurred, grey or coarse pictures single cells were by 12
(docs/vision-measurements.md, false accusations)."""


def pieces(position: Position, one: Look, other: Look) -> int:
    """How many pieces a cell is short of or has too many, where it should look otherwise. Looks that do not
    show all pieces of a cell tell of one: what lay under a piece that went shows instead."""
    return apart(one, other) if position.whole_looks else int(one != other)


def misplaced(position: Position, seen: Looks, after: Looks) -> int:
    """How many pieces stand elsewhere than after a play, at least one. One that is missed here and too many
    there is one piece, and so is one that is only missed, or comes from nowhere."""
    cells = differing(seen, after)
    if not position.whole_looks:
        return max(1, (len(cells) + 1) // 2)
    missed: Counter[Piece] = Counter()
    more: Counter[Piece] = Counter()
    for cell in cells:
        for piece in {*seen[cell], *after[cell]}:
            number = seen[cell].count(piece) - after[cell].count(piece)
            (more if number > 0 else missed)[piece] += abs(number)
    return max(1, sum(max(missed[piece], more[piece]) for piece in missed.keys() | more.keys()))


def price(number: int, caution: float = 1.0) -> float:
    """The nats by which a foul with so many misplaced pieces must be ahead of every legal play."""
    return max(FAR, caution * (FOUL + MISPLACED * (number - 1)))


def paid(position: Position, evidence: Evidence, seen: Looks, after: Looks) -> float | None:
    """The price of a foul that shows as ``seen`` instead of a legal play's ``after``, if the cells pay it and
    it has a second witness; None where not. Where looks do not show all pieces, a foul may well show in one
    cell only."""
    said = [
        evidence.score(cell, seen[cell]) - evidence.score(cell, after[cell])
        for cell in differing(seen, after)
    ]
    total = sum(said)
    number = misplaced(position, seen, after)
    due = price(number, evidence.caution)
    if total < due or number > MOST:
        return None
    alone = not position.whole_looks or not evidence.caution
    return due if alone or total - max(said) >= evidence.caution * SECOND else None


def likeliest_foul(position: Position, evidence: Evidence, after: Looks, whole: bool) -> Looks | None:
    """What was most likely done instead of a legal play that ends with ``after``, where each misplaced piece
    costs its price: few pieces, unless the cells say plainly that there were more. None where no choice of
    looks adds up; it may be ``after`` itself."""
    half = MISPLACED / 2  # a piece is missed in one place, and too many in another
    priced: dict[Cell, dict[Look, float]] = {
        cell: {
            look: value - half * pieces(position, look, after.get(cell, look))
            for look, value in looks.items()
        }
        for cell, looks in evidence.cells.items()
    }
    none_away = Evidence(priced, evidence.floor, caution=0.0)  # a foul puts pieces elsewhere, it loses none
    found = conserved(none_away, position.stock(), whole)
    return None if found is None else found.looks
