"""Round robin: everybody meets everybody once.

The *circle method*: one stays, the others go round by one place each round, and who sit opposite meet. An odd
number of players gets an empty seat; who would meet it has a bye. Every player stands first in a pairing as
often as the others, to within one match: of two whose places in the order are an odd number apart the upper
one does, else the lower one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeAlias

Round: TypeAlias = tuple[tuple[int, int], ...]


def schedule(numbers: Sequence[int], met: Collection[frozenset[int]] = ()) -> tuple[Round, ...]:
    """The rounds, as pairs of entries. Those who have ``met`` before do not meet again; a round in which
    nobody would play is left out."""
    seats = list(range(len(numbers) + len(numbers) % 2))
    made: list[Round] = []
    for _ in seats[1:]:
        pairs = []
        for place in range(len(seats) // 2):
            upper, lower = sorted((seats[place], seats[-1 - place]))
            if lower == len(numbers) or frozenset((numbers[upper], numbers[lower])) in met:
                continue
            first, second = (upper, lower) if (lower - upper) % 2 else (lower, upper)
            pairs.append((numbers[first], numbers[second]))
        if pairs:
            made.append(tuple(pairs))
        seats.insert(1, seats.pop())
    return tuple(made)
