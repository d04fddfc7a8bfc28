"""Boards made to meet the rare rules: what random play seldom reaches.

A board here is a pair of lists, ``mine`` and ``theirs``, each in its owner's numbers: index 0 is off, 1-24
the points, 25 the bar. It knows nothing of the engine, so that the references that it feeds stay independent.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

Board = tuple[list[int], list[int]]
DICE = [(one, two) for one in range(1, 7) for two in range(1, one + 1)]


def _empty() -> Board:
    return [0] * 26, [0] * 26


def _put(rng: random.Random, side: list[int], other: list[int], points: range, number: int) -> None:
    """Some of ``number`` checkers on these points, where the other side has none."""
    free = [point for point in points if not other[25 - point]]
    for _ in range(number if free else 0):
        side[rng.choice(free)] += 1


def _make(rng: random.Random, side: list[int], other: list[int], points: range, number: int) -> None:
    """Two or three checkers each on some of these points."""
    free = [point for point in points if not other[25 - point]]
    for point in rng.sample(free, min(number, len(free))):
        side[point] += rng.choice((2, 2, 2, 3))


def scatter(rng: random.Random) -> Board:
    """Anything anywhere."""
    mine, theirs = _empty()
    _put(rng, mine, theirs, range(1, 25), rng.randint(1, 15))
    _put(rng, theirs, mine, range(1, 25), rng.randint(1, 15))
    return mine, theirs


def blocked(rng: random.Random) -> Board:
    """A few checkers among many made points: one die only, the higher only, doubles played in part."""
    mine, theirs = _empty()
    _put(rng, mine, theirs, range(1, 25), rng.randint(1, 3))
    _make(rng, theirs, mine, range(1, 25), rng.randint(4, 7))
    return mine, theirs


def barred(rng: random.Random) -> Board:
    """Checkers on the bar, often of both sides, against a board that is open, half closed or closed."""
    mine, theirs = _empty()
    mine[25] = rng.randint(1, 4)
    _make(rng, theirs, mine, range(1, 7), rng.randint(0, 6))
    _put(rng, mine, theirs, range(1, 25), rng.randint(0, 8))
    if rng.random() < 0.5 and any(theirs[point] < 2 for point in range(1, 7)):
        theirs[25] = rng.randint(0, 3)
    _put(rng, theirs, mine, range(1, 25), rng.randint(0, max(0, 15 - sum(theirs))))
    return mine, theirs


def bearing_off(rng: random.Random) -> Board:
    """All home or nearly, sometimes with enemy blots, anchors or checkers on the bar in the way."""
    mine, theirs = _empty()
    _put(rng, mine, theirs, range(1, 7), rng.randint(1, rng.choice((2, 4, 14))))
    if rng.random() < 0.4:
        _put(rng, mine, theirs, range(7, rng.choice((9, 14, 25))), rng.choice((1, 1, 2)))
    if rng.random() < 0.6:
        _put(rng, theirs, mine, range(19, 25), rng.randint(1, 4))
    theirs[25] = rng.choice((0, 0, 0, 1, 2))
    _put(rng, theirs, mine, range(1, 25), rng.randint(0, 8))
    if not any(theirs):
        _put(rng, theirs, mine, range(1, 19), 1)
    return mine, theirs


KINDS = (scatter, blocked, barred, bearing_off)


def boards(seed: int, number: int) -> Iterator[tuple[Board, tuple[int, int]]]:
    """``number`` boards with dice, the kinds in turn; both sides have a checker left, and every seventh roll
    or so is a double."""
    rng = random.Random(seed)
    while number:
        mine, theirs = KINDS[number % len(KINDS)](rng)
        if sum(mine) > 15 or sum(theirs) > 15 or not sum(mine) or not sum(theirs):
            continue
        mine[0], theirs[0] = 15 - sum(mine), 15 - sum(theirs)
        number -= 1
        yield (mine, theirs), rng.choice(DICE)
