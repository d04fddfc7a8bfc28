"""Why a board cannot have come about: a sentence for the players, with the number of the rule that it breaks.

A reason is only given where it holds however the pieces went; where none does, there is none. Much is hidden
from who looks from above: hands, borne-off pieces, and what is pinned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from engine.layout import POINTS, Looks, Side, cell_text, name_parts
from engine.messages import phrase
from engine.rules.icegammon.board import BAR, CELL, IceState, layers, look_at, other, top, value

LARGEST = 3


def why(state: IceState, side: Side, looks: Looks, longest: int, player: Callable[[Side], str]) -> str | None:
    """Why no play of ``side``, of ``longest`` moves at most, gives these looks. Cells left out are not looked
    at."""
    enemy, before = other(side), {CELL[place]: look_at(state, place) for place in (*POINTS, *BAR.values())}
    changed = [
        place for place in POINTS if looks.get(CELL[place], before[CELL[place]]) != before[CELL[place]]
    ]
    waiting, captured = looks.get(CELL[BAR[side]]), looks.get(CELL[BAR[enemy]])
    emptied = [place for place in changed if top(state[place])[0] == side and not looks[CELL[place]]]
    if waiting and (emptied or (changed and waiting == before[CELL[BAR[side]]])):
        return phrase("pieces on the bar must re-enter first (11)")
    for place in changed:
        colour, bag = top(state[place])
        if colour != enemy:
            continue
        seen, point = looks[CELL[place]], cell_text(CELL[place])
        if captured == before[CELL[BAR[enemy]]] and not Counter(seen) - Counter(before[CELL[place]]):
            return phrase(
                "{player}'s pieces left {point}, but were not captured", player=player(enemy), point=point
            )
        landed = [int(size) for owner, size in map(name_parts, seen) if owner == side]
        if landed and longest > 2:
            landed.append(LARGEST)  # it may have been joined, and gone on
        freed = any(owner == side for owner, _ in layers(state[place])[-2:])  # by who landed, and went on
        if landed and value(bag) > max(landed) and not freed:
            return phrase(
                "{player}'s pieces on {point} are worth {worth}: a smaller piece cannot land there (10)",
                player=player(enemy),
                point=point,
                worth=value(bag),
            )
    return None
