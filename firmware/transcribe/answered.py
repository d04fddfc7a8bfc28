"""What a sighting shows by what players have said of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from engine.position import Awaits, Position, Rules
from firmware.transcribe import next_turn, plays
from firmware.transcribe.branches import Branch
from firmware.transcribe.sighting import Sighting, Throw
from firmware.transcribe.turns import MARK, Choice, Kind

SHOWN = 3
"""Turns that one picture may show: two plays, and a pass after them."""


def as_given(
    rules: Rules,
    branches: Sequence[Branch],
    grown: Iterable[Branch],
    seen: Sighting,
    throw: Throw | None,
    given: Position,
) -> list[Branch]:
    """Only what leads to the position that players give; where nothing does, it came about unseen, and
    dice that lie in the half of who is on turn are to be played. Nobody comes back from there to what was
    left before: it is this game's."""
    kept = [
        _agreed(each, seen.picture)
        for each in grown
        if each.position == given and not each.broken and not each.came_unseen(seen.picture)
    ]
    if not kept:
        last = min(branches, key=lambda each: each.cost, default=Branch(given))
        turn = next_turn.turn(seen, last, Kind.FOUND, given)
        kept = [
            _agreed(last.plus(turn, next_turn.FOUND, next_turn.to_play(rules, given, throw)), seen.picture)
        ]
    return [way for each in kept for way in (each, *next_turn.danced(rules, each, seen))]


def as_said(
    rules: Rules,
    branches: Sequence[Branch],
    grown: Iterable[Branch],
    seen: Sighting,
    throw: Throw | None,
    said: Choice | Position | None,
) -> list[Branch]:
    """Only what the players say of this picture; all of it where no branch can be that. A film may begin
    later."""
    kept = []
    if said is None:
        kept = [replace(each, rivals=()) for each in grown if each.told_by(seen.picture) is None]
    if isinstance(said, Choice):
        for played in _by_answer(rules, branches, seen, said):
            kept += [played, *next_turn.danced(rules, played, seen)]
            kept += _played_on(rules, played, seen, throw)
    return kept or (list(grown) if said is not None or branches else [])


def as_said_after(
    rules: Rules, grown: list[Branch], seen: Sighting, key: str, said: Choice | Position | None
) -> list[Branch]:
    """The same of a further turn that this picture shows: a pass or a play."""
    if not isinstance(said, Choice):
        return [replace(each, rivals=()) for each in grown if not each.key.startswith(key)] or grown
    before = key.removesuffix(MARK)
    known = [_back_to(each, before) for each in grown if each.key.startswith(before)]
    told = list(_by_answer(rules, known, seen, said))
    if key.count(MARK) < SHOWN - 1:
        told += [danced for each in told for danced in next_turn.danced(rules, each, seen)]
    return told or grown


def _played_on(rules: Rules, branch: Branch, seen: Sighting, throw: Throw | None) -> Iterator[Branch]:
    """The picture shows another play after the one that players name."""
    fits = -seen.evidence.total(branch.position.looks())
    if fits < next_turn.FITS or branch.position.awaits is Awaits.NOTHING:
        return
    before = replace(branch, cost=branch.cost - fits + next_turn.MISSED)
    throws = () if throw is None else (throw,)
    for step in plays.plays(branch.position, seen.evidence, rules):
        if step.kind is Kind.PLAYED:
            played = next_turn.played(rules, before, step, seen, throws, None)
            yield played
            yield from next_turn.danced(rules, played, seen)


def _by_answer(rules: Rules, branches: Iterable[Branch], seen: Sighting, said: Choice) -> Iterator[Branch]:
    """The play that players name, where the judge did not think of it."""
    for branch in branches:
        for side, dice, after in plays.named(branch.position, said.dice, said.move, rules):
            turn = next_turn.turn(seen, branch, Kind.PLAYED, after, side, ((dice, 1.0),), said.move)
            cost = plays.PLAY - seen.evidence.total(after.looks())
            yield branch.plus(replace(turn, settled=True), cost)


def _agreed(branch: Branch, picture: str) -> Branch:
    """Players say that it stands so: a turn of that picture that is no play is not asked about."""
    link, turn = branch.link, branch.told_by(picture)
    if link is not None and turn is not None and turn.kind is not Kind.PLAYED:
        link = replace(link, turn=replace(turn, settled=True))
    return replace(branch, link=link, left=())


def _back_to(branch: Branch, key: str) -> Branch:
    """As it stood before the turns of this picture that come after the one of this key."""
    while branch.key.startswith(key + MARK):
        branch = branch.undone()
    return branch
