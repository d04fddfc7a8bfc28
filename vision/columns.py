"""How many checkers stand in a row, from how well each place in the row matches a checker.

A point holds a chain: the first checker near the rim, each next one about a diameter further in, never quite where the drawing has it.
A chain's likelihood is the sum over its checkers of the *gain* at their centres: how much better (in nats) a disc of that
colour explains the picture than the bare board does. Dynamic programming over positions finds the best chain of every length at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

NONE = -1e9


@dataclass(frozen=True)
class Chain:
    """The best chains of one colour in a row: ``scores[n]`` is that of n checkers, ``places[n]`` their positions in steps from the rim."""

    scores: tuple[float, ...]
    places: tuple[tuple[int, ...], ...]


def chain(gains: NDArray[np.floating], first: tuple[int, int], gap: tuple[int, int], most: int) -> Chain:
    """Chains along ``gains`` (gain at each step from the rim), first checker at a step in ``first``, then apart by ``gap`` (inclusive).

    The usual gap is the middle of the range; deviating costs up to one nat at the ends."""
    length = len(gains)
    values = np.asarray(gains, np.float64)
    steps = np.arange(length)
    reach = np.where((steps >= first[0]) & (steps <= first[1]), values, NONE)
    usual, half = sum(gap) / 2, max((gap[1] - gap[0]) / 2, 0.5)
    scores: list[float] = [0.0]
    places: list[tuple[int, ...]] = [()]
    trail: list[NDArray[np.int64]] = []
    for _ in range(most):
        end = int(np.argmax(reach))
        if reach[end] <= NONE / 2:
            break
        scores.append(float(reach[end]))
        path = [end]
        for back in reversed(trail):
            path.append(int(back[path[-1]]))
        places.append(tuple(reversed(path)))
        best, back = np.full(length, NONE), np.zeros(length, np.int64)
        for step in range(gap[0], gap[1] + 1):
            cost = ((step - usual) / half) ** 2
            shifted = np.full(length, NONE)
            shifted[step:] = reach[:-step] - cost
            better = shifted > best
            best[better], back[better] = shifted[better], steps[better] - step
        trail.append(back)
        reach = np.where(best > NONE / 2, best + values, NONE)
    return Chain(tuple(scores), tuple(places))


def mixed(gains: tuple[NDArray[np.floating], NDArray[np.floating]], gap: int, most: int, price: float) -> dict[tuple[int, int], float]:
    """For a row where checkers of both colours may stand anywhere (the bar): the best score of every (first, second) number of checkers.

    Checkers are at least ``gap`` steps apart; each costs ``price``: nobody stands there without a reason."""
    length = len(gains[0])
    table: dict[tuple[int, int], NDArray[np.float64]] = {(0, 0): np.zeros(length + 1)}
    order = sorted(((a, b) for a in range(most + 1) for b in range(most + 1) if 0 < a + b <= most), key=sum)
    for counts in order:
        best = np.full(length + 1, NONE)
        for k in (0, 1):
            before = (counts[0] - (k == 0), counts[1] - (k == 1))
            if before not in table:
                continue
            earlier = np.concatenate([np.full(gap, table[before][0] if before == (0, 0) else NONE), table[before]])[: length + 1]
            ending = np.full(length + 1, NONE)
            ending[1:] = earlier[1:] + np.asarray(gains[k], np.float64) - price
            best = np.maximum(best, ending)
        table[counts] = np.maximum.accumulate(best)
    return {counts: float(row[-1]) for counts, row in table.items()}
