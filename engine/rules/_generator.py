"""Every board that a roll can lead to: the one generator of the checker games.

A *way* is one step that a die could make from one place, with the masks that say when it is legal. Each game
is a table of ways (``BEARING_OFF``, ``LOCKING``); the obligation to use as many dice as possible, else the
higher, is the same in all of them and lives here. Boards are the mover's (see ``_packed``).

Only results are generated, as integers. How a result was reached is worked out afterwards, by ``steps``, for
the few plays that anybody asks about.

Two facts keep the search small.

* A step only ever moves a checker down, and what forbids a step is a checker higher up (on the bar; outside
  the home board; on a higher point). So a step can make another legal, but never illegal, except by taking
  its checker. Of two steps that are both legal at first, the order does not matter.
* For the same reason any turn can be played in the order of falling sources. With doubles that order is
  unique: choosing how many checkers leave each point, from the top down, gives every result exactly once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from engine.position import Dice
from engine.rules._packed import ENTRY, EXIT, MOST, count_first, first, second


class Way(NamedTuple):
    """One step by one die. The masks are tested against the mover's board."""

    need: int
    """The mover's checkers on ``source``: none there, no step."""
    block: int
    """Two or more enemy checkers on ``landing``: any there, no step (Legal Landing Points; SiegeGammon 8.5,
    12.1)."""
    guard: int
    """The mover's checkers that must not be where they are (on the bar, say): any there, no step."""
    delta: int
    """Added to the board."""
    blot: int
    """A single enemy checker on ``landing``."""
    hit: int
    """Added as well where it is hit: it goes to where its side enters (Hitting; SiegeGammon 10.1)."""
    source: int
    landing: int
    """The point landed on; 0 beyond the last."""
    target: int
    """Where the checker ends: ``landing``, or ``EXIT``."""


Ways: TypeAlias = Sequence[Sequence[Way | None]]
"""``ways[die][source]``; index 0 of both is unused. None where the die can never play from there."""


def _above(place: int) -> int:
    """All the mover's checkers on places higher than ``place``."""
    return sum(MOST * first(higher) for higher in range(place + 1, ENTRY + 1))


def _way(source: int, landing: int, target: int, guard: int) -> Way:
    blot = second(landing) if landing else 0
    return Way(
        need=MOST * first(source),
        block=(MOST - 1) * blot,
        guard=guard,
        delta=first(target) - first(source),
        blot=blot,
        hit=second(EXIT) - blot if landing else 0,  # the mover's exit is the place where the enemy enters
        source=source,
        landing=landing,
        target=target,
    )


def _bearing_off(die: int, source: int) -> Way:
    landing = source - die
    if landing > 0:
        # Entering from the Bar, 1: all checkers on the bar enter before any other moves.
        return _way(source, landing, landing, 0 if source == ENTRY else MOST * first(ENTRY))
    # Bearing Off: with all checkers in the home board, from the die's own point, or from the highest when all
    # are lower.
    return _way(source, 0, EXIT, _above(6 if source == die else source))


def _locking(die: int, source: int) -> Way | None:
    if source <= 6:
        return None  # 11.4: nobody stands unlocked in the Siege Zone
    landing = source - die
    # 9.1: a die deploys onto the point of its number. 9.2: nobody must, so nothing guards any step. 11.1: who
    # lands in the Siege Zone locks, and a blot there is hit first.
    return _way(source, landing, landing if landing > 6 else EXIT, 0)


def _table(way: Callable[[int, int], Way | None]) -> Ways:
    return tuple(
        tuple(way(die, source) if die and source else None for source in range(ENTRY + 1)) for die in range(7)
    )


BEARING_OFF = _table(_bearing_off)
"""Backgammon's steps: forced entry, bearing off."""
LOCKING = _table(_locking)
"""SiegeGammon's steps: free entry, locking on arrival."""


def results(board: int, dice: Dice, ways: Ways) -> list[int]:
    """Every distinct board that a full turn with these two dice reaches, in a fixed order; the board itself
    where nothing moves.

    Obligation to Play, 1-4 (in SiegeGammon 8.4): as many dice as any sequence can use; of two of which only
    one can be used, the higher. docs/rules.md: a win does not shorten this, so nothing here looks at who has
    won.
    """
    one, two = dice
    if one == two:
        return _doubles(board, ways[one])
    return _singles(board, ways[max(dice)], ways[min(dice)])


def _split(board: int, ways: Sequence[Way | None]) -> tuple[list[Way], list[Way]]:
    """The ways with a checker and an open landing: those legal now, and those that something higher up still
    forbids."""
    ready: list[Way] = []
    waiting: list[Way] = []
    for way in ways:
        if way and board & way[0] and not board & way[1]:
            (waiting if board & way[2] else ready).append(way)
    return ready, waiting


def _singles(board: int, high: Sequence[Way | None], low: Sequence[Way | None]) -> list[int]:
    """Both dice in either order, else one (SiegeGammon 8.2)."""
    ready_high, waiting_high = _split(board, high)
    ready_low, waiting_low = _split(board, low)
    found: list[int] = []
    add = found.append
    for _, _, _, delta, blot, hit, _, landing, _ in ready_high:
        one = board + delta + hit if board & blot else board + delta
        for need, _, _, delta, blot, hit, _, _, _ in ready_low:
            if one & need:
                add(one + delta + hit if one & blot else one + delta)
        _follow(one, landing, low, waiting_low, add)
    # What the high die could begin with is found above.
    for _, _, _, delta, blot, hit, _, landing, _ in ready_low:
        one = board + delta + hit if board & blot else board + delta
        _follow(one, landing, high, waiting_high, add)
    if found:
        return list(dict.fromkeys(found))
    return [_step(board, way) for way in ready_high or ready_low] or [board]


def _follow(
    one: int, landing: int, ways: Sequence[Way | None], waiting: list[Way], add: Callable[[int], None]
) -> None:
    """Second steps that the first made legal: on with the same checker, or one that the first no longer
    forbids."""
    on = ways[landing]
    if on and not one & on[1] and not one & on[2] and one & on[0]:
        add(_step(one, on))
    for way in waiting:
        if not one & way[2] and one & way[0]:
            add(_step(one, way))


def _step(board: int, way: Way) -> int:
    return board + way[3] + way[5] if board & way[4] else board + way[3]


def _doubles(board: int, ways: Sequence[Way | None]) -> list[int]:
    """Rolling the same number on both dice: up to four steps (SiegeGammon 8.3)."""
    live = [way for way in reversed(ways) if way and not board & way[1]]
    frontier = [(board, 0)]
    for _ in range(4):
        grown = [
            (_step(state, way), place)
            for state, start in frontier
            for place, way in enumerate(live[start:], start)
            if state & way[0] and not state & way[2]
        ]
        if not grown:
            break
        frontier = grown
    return [state for state, _ in frontier]


def steps(board: int, result: int, dice: Dice, ways: Ways) -> tuple[Way, ...]:
    """One way to get from ``board`` to ``result``, one of its ``results``, by falling sources, which is legal
    step by step."""
    if board == result:
        return ()
    one, two = dice
    if one == two:
        return _steps_doubles(board, result, ways[one])
    orders = ((max(dice), min(dice)), (min(dice), max(dice)))
    for order in orders:
        for way in _split(board, ways[order[0]])[0]:
            between = _step(board, way)
            for on in _split(between, ways[order[1]])[0]:
                if _step(between, on) == result:
                    return (way, on) if (way.source, way.landing) > (on.source, on.landing) else (on, way)
    for die, _ in orders:
        for way in _split(board, ways[die])[0]:
            if _step(board, way) == result:
                return (way,)
    raise ValueError("no full turn leads there")


def _steps_doubles(board: int, result: int, ways: Sequence[Way | None]) -> tuple[Way, ...]:
    done: list[Way] = []
    for way in reversed(ways):
        if way:
            for _ in range(count_first(board, way.source) - count_first(result, way.source)):
                board = _step(board, way)
                done.append(way)
    return tuple(done)
