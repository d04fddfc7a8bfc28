"""The matches of a tournament, worked out from what the director did: winners go on, who has left forfeits,
and a bye is won. Nothing of it is stored, so that undoing a result takes back what followed from it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from firmware.hub.tournament import elimination
from firmware.hub.tournament.model import BYE, Pairing, Result, Tournament

HALF = 0.5
"""The part of a round robin's matches that who leaves must have played for them to count."""


def pairing_id(round_number: int, place: int) -> str:
    """What a match is called: "2.1" is the first of the second round."""
    return f"{round_number}.{place}"


def pairings(event: Tournament) -> tuple[Pairing, ...]:
    """Every match, in the order of rounds and places; none before the draw."""
    if event.draw is None:
        return ()
    found = _bracket(event) if event.kind == "elimination" else _listed(event)
    return tuple(_dressed(event, each) for each in found)


def find(event: Tournament, name: str) -> Pairing | None:
    """The match of this name."""
    return next((each for each in pairings(event) if each.id == name), None)


def round_count(event: Tournament) -> int:
    """How many rounds the draw has."""
    if event.draw is None:
        return 0
    return elimination.rounds(event.draw) if event.kind == "elimination" else len(event.draw.rounds)


def champion(event: Tournament) -> int | None:
    """Who has won an elimination; None as long as that is open."""
    last = pairings(event)[-1:] if event.kind == "elimination" else ()
    return last[0].result.winner or None if last and last[0].result else None


def _bracket(event: Tournament) -> list[Pairing]:
    assert event.draw is not None
    made: list[Pairing] = []
    line: list[int | None] = list(event.draw.slots)
    for number in range(1, elimination.rounds(event.draw) + 1):
        now = [
            _settled(event, _pairing(event, number, place + 1, line[2 * place], line[2 * place + 1]))
            for place in range(len(line) // 2)
        ]
        made += now
        line = [each.result.winner if each.result else None for each in now]
    return made


def _listed(event: Tournament) -> list[Pairing]:
    assert event.draw is not None
    return [
        _settled(event, _pairing(event, number, place, first, second))
        for number, pairs in enumerate(event.draw.rounds, 1)
        for place, (first, second) in enumerate(pairs, 1)
    ]


def _pairing(event: Tournament, number: int, place: int, first: int | None, second: int | None) -> Pairing:
    return Pairing(pairing_id(number, place), number, place, first, second, event.length_of(number))


def _settled(event: Tournament, each: Pairing) -> Pairing:
    """The match with its result, where it has one: told, or because there is nobody to play."""
    if each.first is None or each.second is None:
        return each
    told = event.results.get(each.id)
    if told is None and BYE in each.sides:
        told = Result(max(each.first, each.second), how="bye")
    if told is None:
        told = _forfeited(event, each)
    return replace(each, result=told)


def _forfeited(event: Tournament, each: Pairing) -> Result | None:
    """The result of a match that one has left; of one that both have left, nobody is the winner."""
    assert each.first is not None
    assert each.second is not None
    left = [number for number in (each.first, each.second) if (who := event.entry(number)) and who.out]
    if len(left) == 2:
        return Result(BYE, how="forfeit")
    if left:
        return Result(each.second if left[0] == each.first else each.first, how="forfeit")
    score = penalty_score(event, each)
    over = [n for n, points in zip((each.first, each.second), score, strict=True) if points >= each.length]
    return Result(over[0], score, "forfeit") if over else None


def counts(event: Tournament, each: Pairing) -> bool:
    """Whether a match has a result that counts. In a table of points, a bye is worth one when its round is
    open."""
    waits = event.kind != "elimination" and each.round > event.opened and not event.closed
    return each.result is not None and not (waits and each.result.how == "bye")


def penalty_score(event: Tournament, each: Pairing) -> tuple[int, int]:
    """What both start a match with: the penalty points of the other."""
    against = dict.fromkeys(each.sides, 0)
    for penalty in event.penalties:
        if penalty.pairing == each.id and penalty.entry in against:
            against[penalty.entry] += penalty.points
    return against.get(each.second, 0), against.get(each.first, 0)


def _dressed(event: Tournament, each: Pairing) -> Pairing:
    ready = each.result is None and None not in each.sides and each.round <= event.opened
    return replace(
        each,
        table=event.tables.get(each.id, ""),
        score=penalty_score(event, each),
        ready=ready and not event.closed,
    )


def annulled(event: Tournament) -> frozenset[int]:
    """The entries whose matches do not count: they left a round robin before they had played half of the
    matches that they had then, and whoever happened to meet them early would have an advantage."""
    if event.kind != "round-robin":
        return frozenset()
    played = Counter(number for each in pairings(event) if each.id in event.results for number in each.sides)
    return frozenset(
        each.number for each in event.entries if each.out and played[each.number] < HALF * each.matches
    )
