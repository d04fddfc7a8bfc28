"""How many checkers stand in a row, from how well each place in the row matches a checker.

A point holds a chain: the first checker near the rim, each next one about a diameter further in, never quite
where the drawing has it, and farther on where nobody pushed the row together. A chain's likelihood is the sum
over its checkers of the *gain* at their centres: how much better (in nats) a disc of that colour explains the
picture than the bare board does. Dynamic programming over positions finds the best chain of every length at
once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.layout import Cell
from vision.geometry.camera import Floats
from vision.reading import NEVER

STACKED = -2.2
"""Log-probability of a second layer before anybody looks for it (see ``stacks``); and under which no answer
about how many lie on a taken place goes: one that lies neatly on another looks like one."""

LOOSE, LOOSE_NATS = 10, 0.4
"""Steps by which a row may begin farther from the rim than usual, or two of its pieces lie farther apart; and
the nats that each of them costs (measured: docs/vision-measurements.md, loose rows)."""


@dataclass(frozen=True)
class Row:
    """A row that wants a closer look than the map allows: its cell, which kind of piece it holds, the centres
    of as many pieces as may stand in it, from the rim inward (column, row; map pixels), and how many of those
    are not in doubt. In a full one no more pieces fit, so that further ones lie upon it: there all are."""

    cell: Cell
    kind: int
    centres: Sequence[tuple[float, float]]
    sure: int


@dataclass(frozen=True)
class Chains:
    """The best chains in many rows at once: ``scores[n]`` (rows) is that of n pieces in each row, ``NEVER``
    where so many do not fit; ``ends[n]`` the last one's step, and ``backs[n]`` (rows x steps) how far before
    a piece at that step the previous one is."""

    scores: Floats
    ends: NDArray[np.int64]
    backs: tuple[NDArray[np.int64], ...]

    def places(self, row: int, count: int) -> tuple[int, ...]:
        """The steps, from the rim, at which the best ``count`` pieces of a row stand."""
        if count == 0:
            return ()
        path = [int(self.ends[count, row])]
        for number in range(count - 1, 0, -1):
            path.append(path[-1] - int(self.backs[number][row, path[-1]]))
        return tuple(reversed(path))


def chains(gains: Floats, first: tuple[int, int], gap: tuple[int, int], most: int) -> Chains:
    """Chains along ``gains`` (rows x steps from the rim): first piece at a step in ``first``, then apart by
    ``gap`` (inclusive).

    The usual gap is the middle of the range; deviating costs up to one nat at the ends. Who does not push a
    row together, or not to the rim, leaves up to LOOSE steps more."""
    rows, length = gains.shape
    steps = np.arange(length)
    loose = LOOSE_NATS * np.clip(steps - first[1], 0, None)
    reach = np.where((steps >= first[0]) & (steps <= first[1] + LOOSE), gains - loose, NEVER)
    usual, half = sum(gap) / 2, max((gap[1] - gap[0]) / 2, 0.5)
    scores, ends = [np.zeros(rows)], [np.zeros(rows, np.int64)]
    backs: list[NDArray[np.int64]] = [np.zeros((rows, length), np.int64)]
    every = np.arange(rows)
    for _ in range(most):
        end = np.argmax(reach, axis=1)
        scores.append(reach[every, end])
        ends.append(end)
        best, back = np.full((rows, length), NEVER), np.zeros((rows, length), np.int64)
        for step in range(gap[0], min(gap[1] + LOOSE, length - 1) + 1):
            more = max(step - gap[1], 0)
            shifted = reach[:, :-step] - ((step - more - usual) / half) ** 2 - LOOSE_NATS * more
            better = shifted > best[:, step:]
            best[:, step:][better] = shifted[better]
            back[:, step:][better] = step
        backs.append(back)
        reach = np.where(best > NEVER / 2, best + gains, NEVER)
    return Chains(np.stack(scores), np.stack(ends), tuple(backs))


def mixed(
    gains: tuple[NDArray[np.floating], NDArray[np.floating]], gap: int, most: int, price: float
) -> dict[tuple[int, int], float]:
    """For a row where checkers of both colours may stand anywhere (the bar): the best score of every (first,
    second) number of checkers.

    Checkers are at least ``gap`` steps apart; each costs ``price``: nobody stands there without a reason."""
    first, second = (np.asarray(row, np.float64) - price for row in gains)
    found = {(0, 0): 0.0}
    # Best scores of those that end a gap or more before each step: a row for each number of first ones.
    before = np.zeros((1, len(first)))
    for total in range(1, most + 1):
        ending = np.full((total + 1, len(first)), NEVER)
        ending[1:] = before + first
        ending[:-1] = np.maximum(ending[:-1], before + second)
        best = np.maximum.accumulate(ending, axis=1)
        found |= {(count, total - count): float(best[count, -1]) for count in range(total + 1)}
        before = np.full_like(best, NEVER)
        before[:, gap:] = best[:, :-gap]
    return found
