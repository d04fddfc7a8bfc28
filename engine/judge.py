"""Was that legal? A judgement is a comparison of explanations.

The evidence gives every look of every cell a score. Three explanations compete:

* the best *legal* play: of all results that the rules allow, the one whose looks score highest;
* the *runner-up*: the next best legal result that a camera could tell from it;
* the best of *all*: the likeliest looks whatever the rules say, so long as no piece appears from nowhere.

Legal explains the picture nearly as well as anything: **legal**, if the runner-up does not. A foul, as people
make them, explains it far better: **illegal**, and the cells that differ from the nearest legal result are
named, to be lit. What that takes is the matter of :mod:`engine.accusation`. Anything between: **unsure**,
with the candidates, and the players are asked. Where not even a foul explains the picture, it does not fit
the board (:attr:`Verdict.misfit`).

A picture too weak to decide can only ever come out unsure. Every threshold is a difference of
log-likelihoods, and cells that say nothing add nothing to any of them, so nobody is accused. And nothing is
called legal unless the typical cell is told apart by more than the gap that is forgiven, and the cells that
the play changes speak for it against the board as it was.
"""

from __future__ import annotations

import enum
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.accusation import FAR, likeliest_foul, paid
from engine.conserve import Conserved, conserved
from engine.errors import EngineError
from engine.evidence import HAIR, Evidence
from engine.layout import Cell, Looks, differing
from engine.position import Play, Position

NEARLY = 4.0
"""Nats by which the best of all may beat the best legal play that is still believed (a factor of about
50)."""
APART = 3.0
"""Nats by which the best legal play must beat the runner-up (20 to 1)."""
CANDIDATES = 8
TIED = 32
"""How many plays are looked at that come equally near to a foul."""


class Kind(enum.StrEnum):
    """The three verdicts."""

    LEGAL = "legal"
    ILLEGAL = "illegal"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judge's answer.

    ``play`` is the play made (legal), the nearest legal one (illegal) or the likeliest (unsure). ``cells``
    are those where what is seen differs from it: empty when legal. ``candidates`` are the legal plays that
    the evidence cannot tell apart, when unsure. ``seen`` is the likeliest look of every cell that the camera
    sees. ``gap`` is how many nats the best of all is ahead of it.
    """

    kind: Kind
    play: Play
    cells: tuple[Cell, ...]
    candidates: tuple[Play, ...]
    seen: Looks
    gap: float

    @property
    def misfit(self) -> bool:
        """Whether the picture shows neither a legal play nor a foul that people make: a shadow, a light, a
        thing on the board or a bad calibration is more likely than what it shows."""
        return self.kind is Kind.UNSURE and self.gap >= FAR


def judge(position: Position, evidence: Evidence, board: Conserved | None = None) -> Verdict:
    """Compare what is seen with what is allowed; ``board``: what is likeliest seen, where that is known.
    Raises EngineError where the position awaits no play."""
    board = board or likeliest(position, evidence)
    ranked = position.nearest(evidence, CANDIDATES, enough=board.total - FAR)
    if not ranked or board.total - ranked[0][0] >= FAR:
        nearest = _nearest(position, board.looks)
        accusation = _accuse(position, evidence, board, nearest, ranked)
        if accusation is not None:
            return accusation
        ranked = ranked or [(evidence.total(nearest.after.looks()), nearest)]
    best, play = ranked[0]
    seen, gap, rivals = board.looks, max(0.0, board.most - best), _rivals(ranked)
    if gap <= NEARLY and not rivals and _sharp(evidence) and _witnessed(position, play, evidence):
        return Verdict(Kind.LEGAL, play, (), (), seen, gap)
    return Verdict(Kind.UNSURE, play, differing(seen, play.after.looks()), (play, *rivals), seen, gap)


def astray(position: Position, evidence: Evidence) -> Looks | None:
    """What is seen where nobody has moved yet, if it is as surely something else than the position as a foul
    must be; None where it is not."""
    board, stands = likeliest(position, evidence), position.looks()
    due = paid(position, evidence, board.looks, stands)
    return None if due is None or board.total - evidence.total(stands) < due else board.looks


def held_to(verdict: Verdict, play: Play) -> Verdict:
    """The verdict where only ``play`` will do, which was said before: any other legal play is as wrong as a
    foul, and a picture that does not decide can only ask about this one."""
    after = play.after
    if verdict.kind is Kind.LEGAL and verdict.play.after == after:
        return verdict
    seen = {**verdict.seen, **verdict.play.after.looks()} if verdict.kind is Kind.LEGAL else verdict.seen
    kind = Kind.UNSURE if verdict.kind is Kind.UNSURE else Kind.ILLEGAL
    candidates = (play,) if kind is Kind.UNSURE else ()
    return replace(
        verdict,
        kind=kind,
        play=play,
        cells=differing(seen, after.looks()),
        candidates=candidates,
        seen=seen,
    )


def _accuse(
    position: Position,
    evidence: Evidence,
    board: Conserved,
    play: Play,
    ranked: Sequence[tuple[float, Play]],
) -> Verdict | None:
    """The foul that the picture shows, if it pays its price; None where it does not. It is what is seen on
    ``board``, to which ``play`` comes nearest, or else, some cells being misread, a smaller one. ``ranked``
    are the best legal plays, as far as they are known."""
    seen: Looks | None = board.looks
    while seen is not None:
        after = play.after.looks()
        due = paid(position, evidence, seen, after)
        if due is not None:
            least = (board.total if seen is board.looks else evidence.total(seen)) - due
            known = ranked or position.nearest(evidence, 1, enough=least)
            if not known or known[0][0] <= least:
                gap = board.most - evidence.total(after)
                return Verdict(Kind.ILLEGAL, play, differing(seen, after), (), seen, gap)
        if seen is not board.looks:
            break
        seen = likeliest_foul(position, evidence, after, _whole(position, evidence))
        play = play if seen is None else _nearest(position, seen)
    return None


def likeliest(position: Position, evidence: Evidence) -> Conserved:
    """The likeliest looks of the cells seen, legal or not, with pieces conserved; and their total in nats.

    Cells are taken by themselves first. Only where that makes more pieces than exist (or fewer, where every
    cell is in view and hides nothing) are the doubtful cells weighed against each other. Where no choice of
    listed looks adds up, the unconserved looks stand at their total: the camera is then wrong somewhere, and
    the gap must not hide it. Where there are too many ways to add up for all to be tried, the total is not
    known exactly: somebody is accused only if the least that it can be is far ahead, and a play called legal
    only if the most that it can be is not.
    """
    found = conserved(evidence, position.stock(), _whole(position, evidence))
    return found or Conserved(evidence.best(), 0.0, 0.0)


def _whole(position: Position, evidence: Evidence) -> bool:
    """Whether every piece must be seen: all cells are, and hide nothing."""
    return position.whole_looks and all(cell in evidence.cells for cell in position.looks())


def _nearest(position: Position, seen: Looks) -> Play:
    """The legal play that fewest cells, then fewest pieces, keep from what is seen. Of several the one that
    leaves most of what was moved where it is: who forgets a die has played the other one. Raises EngineError
    where none is awaited."""
    ranked = position.nearest(Evidence.nearness(seen), TIED)
    if not ranked:
        raise EngineError(f"no play is awaited here, but {position.awaits}")
    moved, most = differing(position.looks(), seen), ranked[0][0] - HAIR / 2

    def stays(play: Play) -> int:
        after = play.after.looks()
        return sum(after.get(cell) == seen[cell] for cell in moved)

    return max((play for score, play in ranked if score >= most), key=stays)


def _rivals(ranked: Sequence[tuple[float, Play]]) -> tuple[Play, ...]:
    """The other plays that explain the picture about as well as the first."""
    best = ranked[0][0]
    return tuple(play for score, play in ranked[1:] if best - score < APART)


def _sharp(evidence: Evidence) -> bool:
    """Whether the camera tells the looks of a typical cell apart by more than is forgiven. In a weaker
    picture a foul, which shows in a cell or two, would cost less than that, and pass."""
    margins = []
    for looks in evidence.cells.values():
        best, second, *_ = sorted((*looks.values(), evidence.floor, evidence.floor), reverse=True)
        margins.append(best - second)
    return bool(margins) and statistics.median(margins) > NEARLY


def _witnessed(position: Position, play: Play, evidence: Evidence) -> bool:
    """Whether the picture speaks for the play against no play at all: one made wholly under a hand has no
    witness."""
    before, after = position.looks(), play.after.looks()
    changed = differing(before, after)
    return (
        not changed
        or sum(evidence.score(cell, after[cell]) - evidence.score(cell, before[cell]) for cell in changed)
        >= APART
    )
