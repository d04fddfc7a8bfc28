"""Single elimination: where each entry stands in the draw sheet, with byes.

The sheet has as many lines as the next power of two. The first of the order stands at the top, the second at
the bottom, and so on, so that with no upset the first meets the second in the final, and each of the first
four one of them in the semifinals. The lines that are left over are byes, and fall to the first of the order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.messages import phrase
from firmware.errors import BadInput
from firmware.hub.tournament.model import BYE, Draw


def sheet(order: Sequence[int]) -> tuple[int, ...]:
    """The lines of the draw sheet, from the top; lines 1 and 2 meet, then 3 and 4. Raises BadInput."""
    if len(order) < 2:
        raise BadInput("a draw needs two players or more")
    lines = [1]
    while len(lines) < len(order):
        last = 2 * len(lines) + 1
        # Where n stands, n meets the one with whom it adds up to the size and 1; the better one stands
        # outside.
        lines = [
            each
            for place, n in enumerate(lines)
            for each in ((n, last - n) if place % 2 == 0 else (last - n, n))
        ]
    return tuple(order[n - 1] if n <= len(order) else BYE for n in lines)


def rounds(draw: Draw) -> int:
    """How many rounds there are."""
    return (len(draw.slots) - 1).bit_length()


def enter_late(draw: Draw, number: int, taken: frozenset[int]) -> Draw:
    """The draw with a late entry in the place of a bye: of those byes whose holders (the lines beside them)
    are not ``taken`` up by their next match, the one that is drawn last. Raises BadInput without one."""
    free = [line for line, slot in enumerate(draw.slots) if slot == BYE and draw.slots[line ^ 1] not in taken]
    if not free:
        raise BadInput(
            phrase(
                "no bye is left for a late entry; undo the draw and make it anew, or, where somebody goes "
                "without having played, write the new name into that entry (Edit; undo Leaves first)"
            )
        )
    at = free[-1] if draw.method == "lot" else _weakest(draw, free)
    return replace(draw, slots=(*draw.slots[:at], number, *draw.slots[at + 1 :]))


def _weakest(draw: Draw, free: Sequence[int]) -> int:
    """The line beside the lowest of the seeds that have a bye."""
    lines = sheet(range(1, len(draw.slots) + 1))
    return max(free, key=lambda line: lines[line ^ 1])
