"""What a story becomes by one turn more."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from engine.layout import Side
from engine.position import Awaits, Dice, Position, Rules
from firmware.transcribe import plays
from firmware.transcribe.branches import Branch
from firmware.transcribe.plays import Step
from firmware.transcribe.sighting import Sighting, Throw
from firmware.transcribe.turns import Kind, Turn

FITS = 4.0
"""Nats that a position may cost and the board still be that."""
FOUND = 24.0
"""Nats for a board that came about unseen: a thousand times less likely than a play, and any board may do."""
UNSEEN = 6.0
"""Nats for a dance or a foul whose dice nobody saw, though the dice are read."""
TAKEN_UP = 3.0
"""Nats for dice that were taken up before any look, though the dice are read: one throw in twenty."""
MISSED = 6.0
"""Nats for a board that was not seen at rest between two plays."""


def turn(
    seen: Sighting,
    branch: Branch,
    kind: Kind,
    after: Position,
    side: Side | None = None,
    rolls: tuple[tuple[Dice, float], ...] = (),
    text: str = "",
) -> Turn:
    """What a sighting adds to a branch."""
    nth = 0
    if branch.picture == seen.picture:
        nth = 1 if branch.turn is None else branch.turn.nth + 1
    return Turn(seen.t, side, kind, rolls, text, branch.position, after, seen.picture, branch.picture, nth)


def played(
    rules: Rules, branch: Branch, step: Step, seen: Sighting, throws: tuple[Throw, ...], throw: Throw | None
) -> Branch:
    """A turn more."""
    rolls, cost = plays.weigh(step.rolls, throws, throw, step.side == rules.sides[0])
    spent, said = plays.says_anew(branch.said, seen.evidence, step.after.looks())
    foul = step.kind is Kind.ILLEGAL
    if (foul or not step.cost) and not throws and seen.faces is not None:
        cost += UNSEEN
    left = throws[-1:] if throw is not None and plays.left_over(rolls[0][0], throws) else ()
    told = turn(seen, branch, step.kind, step.after, step.side, rolls, step.text)
    # What was read poorly before, and still is, says nothing about this play. Of a play that is partly
    # hidden its dice tell the rest; without them it may be many others.
    untold = foul or not _read(throws, rolls[0][0])
    doubtful = spent > plays.POOR or (untold and plays.hides(seen.evidence))
    # Nor does a play tell its roll by itself where it is not known what was played before it.
    last = branch.turn
    unknown = (
        last is not None
        and last.doubtful
        and (last.kind is not Kind.PLAYED or last is branch.told_by(seen.picture))
    )
    doubtful = doubtful or (unknown and not throws and seen.faces is not None)
    told = replace(told, doubtful=doubtful)
    return replace(branch.plus(told, step.cost + cost + spent, left), said=said)


def both_played(
    rules: Rules, branch: Branch, steps: tuple[Step, Step], seen: Sighting, throws: tuple[Throw, ...]
) -> Iterator[Branch]:
    """Two turns more, between which nothing was seen but perhaps ``throws``: the first of them for the first
    play, the next for the second one, and the last perhaps for the third."""
    first, second = steps
    for number in range(len(throws) + 1):
        rolls, cost = plays.weigh(first.rolls, throws[:number], None, first.side == rules.sides[0])
        told = turn(seen, branch, first.kind, first.after, first.side, rolls, first.text)
        told = replace(told, doubtful=not _read(throws[:number], rolls[0][0]))
        if not number and seen.faces is not None:
            cost += TAKEN_UP
        once = branch.plus(told, first.cost + cost + MISSED)
        yield played(rules, once, second, seen, throws[number:], None)
        if number < len(throws):
            quick = played(rules, once, second, seen, throws[number:-1], None)
            yield replace(quick, throws=throws[-1:])


def _read(throws: tuple[Throw, ...], dice: Dice) -> bool:
    """Whether this roll was seen to fall."""
    return any(None not in each.values and each.fits(dice) for each in throws)


def danced(rules: Rules, branch: Branch, seen: Sighting) -> Iterator[Branch]:
    """Perhaps the next could not play, and nothing more is to be seen of that."""
    if branch.position.awaits is Awaits.NOTHING:
        return
    unseen = 0.0 if seen.faces is None else UNSEEN
    for step in plays.dances(branch.position, rules):
        rolls, cost = plays.weigh(step.rolls, (), None, step.side == rules.sides[0])
        told = turn(seen, branch, step.kind, step.after, step.side, rolls, step.text)
        yield branch.plus(told, cost + unseen, branch.throws)


def set_up(rules: Rules, branch: Branch, seen: Sighting, cost: float, throw: Throw | None) -> Branch:
    """The board was set up for a game."""
    begun = turn(seen, branch, Kind.BEGUN, rules.start(rules.options))
    return branch.plus(begun, cost, to_play(rules, rules.start(rules.options), throw))


def to_play(rules: Rules, position: Position, throw: Throw | None) -> tuple[Throw, ...]:
    """The throw that lies on a board which comes into view, where it is of who is on turn; at the opening
    it is both's."""
    if throw is None:
        return ()
    owner = None if throw.ahead is None else rules.sides[0 if throw.ahead else 1]
    return (throw,) if position.turn in (None, owner) else ()
