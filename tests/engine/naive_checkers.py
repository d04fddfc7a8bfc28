"""Slow twins of the checker games, written from the rule texts alone: dictionaries, and every sequence of
steps tried.

A side is a dictionary from its own places to counts: ``1``-``24`` in its own numbers, ``"bar"`` and
``"off"``, or ``"reserve"`` and ``"locked"``. A state is ``(mine, theirs)``, frozen as sorted tuples while it
is searched. Nothing of the engine is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

Side = dict[object, int]
Frozen = tuple[tuple[tuple[str, int], ...], tuple[tuple[str, int], ...]]
Steps = Callable[[Side, Side, int], Iterator[tuple[Side, Side]]]


def freeze(mine: Side, theirs: Side) -> Frozen:
    one, two = (
        tuple(sorted((str(place), number) for place, number in side.items() if number))
        for side in (mine, theirs)
    )
    return one, two


def thaw(state: Frozen) -> tuple[Side, Side]:
    one, two = (
        {int(place) if place.isdigit() else place: number for place, number in side} for side in state
    )
    return one, two


def _carry(
    mine: Side, theirs: Side, source: object, target: object, landing: int | None, sent_to: str
) -> Iterator[tuple[Side, Side]]:
    """The step, unless two or more enemy checkers hold the landing; a single one there is sent away."""
    mine, theirs = dict(mine), dict(theirs)
    if landing is not None:
        enemies = theirs.get(25 - landing, 0)
        if enemies >= 2:
            return
        if enemies:
            theirs[25 - landing] = 0
            theirs[sent_to] = theirs.get(sent_to, 0) + 1
    mine[source] -= 1
    mine[target] = mine.get(target, 0) + 1
    yield mine, theirs


def backgammon_steps(mine: Side, theirs: Side, die: int) -> Iterator[tuple[Side, Side]]:
    """Own points fall from 24 to 1."""
    if mine.get("bar"):
        yield from _carry(mine, theirs, "bar", 25 - die, 25 - die, "bar")
        return
    standing = sorted((place for place, number in mine.items() if number and place != "off"), reverse=True)
    for place in standing:
        if place > die:
            yield from _carry(mine, theirs, place, place - die, place - die, "bar")
        elif standing[0] <= 6 and (place == die or place == standing[0]):
            yield from _carry(mine, theirs, place, "off", None, "bar")


def siege_steps(mine: Side, theirs: Side, die: int) -> Iterator[tuple[Side, Side]]:
    """Own points rise from 1 to 24; who reaches 19 or more is locked."""
    if mine.get("reserve"):
        yield from _carry(mine, theirs, "reserve", die, die, "reserve")
    for place in [place for place, number in mine.items() if number and place not in ("reserve", "locked")]:
        landing = place + die
        assert landing <= 24, "docs/rules.md: no die can overshoot"
        yield from _carry(mine, theirs, place, "locked" if landing >= 19 else landing, landing, "reserve")


def turns(mine: Side, theirs: Side, dice: tuple[int, int], steps: Steps) -> dict[Frozen, int]:
    """Every state that a full turn can end in, with the number of dice that it takes."""
    one, two = dice
    start = freeze(mine, theirs)
    reached: dict[tuple[int, ...], set[Frozen]] = {(): {start}}
    for order in [(one,) * 4] if one == two else [(one, two), (two, one)]:
        for length in range(1, len(order) + 1):
            states = reached[order[: length - 1]]
            found = {freeze(*after) for state in states for after in steps(*thaw(state), order[length - 1])}
            reached.setdefault(order[:length], set()).update(found)
    most = max(len(used) for used, states in reached.items() if states)
    best = [used for used, states in reached.items() if states and len(used) == most]
    if most == 1:
        best = [max(best)]
    return {state: most for used in best for state in reached[used]}
