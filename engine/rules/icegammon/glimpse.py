"""What a space can look like after so many of a player's pieces came to it and so many left, in whatever order.

Asked and answered from the pile alone, for one look at a time: to try all orders would take far longer, and a picture mostly asks for one
look. *No* is said only where no order of legal steps shows that look; *yes* is said too often here and there, where pieces both come and
go. Layers below an enemy one come to light by captures, below an own one as its pieces leave (11, 12).
"""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

from engine.layout import Look, Side
from engine.rules.icegammon.board import SIZES, Bag, Pile, layers, value

Sight: TypeAlias = tuple[Side, Bag]
"""A look as a layer: the colour and the pieces on top; two empty strings for a bare space."""
_GROUND = ("", "", 0)


@lru_cache(maxsize=1 << 12)
def sight(look: Look) -> Sight:
    """A look as the layer that it shows; pieces that can form none are of nobody's colour."""
    owner = look[0].partition(".")[0] if look else ""
    bag = "".join([size for size in SIZES for piece in look if piece == f"{owner}.{size}"])
    return (owner, bag) if len(bag) == len(look) else ("?", "")


@lru_cache(maxsize=1 << 16)
def _down(pile: Pile) -> tuple[tuple[Side, Bag, int], ...]:
    """The layers from the top down, each with its value; then the bare space."""
    return (*[(colour, bag, value(bag)) for colour, bag in reversed(layers(pile))], _GROUND)


def passable(pile: Pile, side: Side, come: int, sizes: Bag, out: int) -> bool:
    """Whether so many pieces of these sizes (in order, none if none comes) can come and so many leave at all."""
    down = _down(pile)
    colour, _, worth = down[0]
    if come and colour != side and worth > int(sizes[-1]):
        return False  # blocked (10)
    missing = out - come
    for colour, held, _ in down:
        if missing <= 0:
            return True
        if colour == side:
            missing -= len(held)
        elif not come:
            return False  # pinned (12)
    return missing <= 0


def may_show(pile: Pile, side: Side, come: int, sizes: Bag, out: int, seen: Sight) -> bool:
    """Whether a space may look so after so many pieces of these sizes came and so many left. Only for what is :func:`passable`."""
    owner, bag = seen
    strongest = int(sizes[-1]) if come else 0
    lifted = captures = 0
    lowest = 0
    """What must have gone for a layer to be on top: own pieces that left, and enemy layers captured, the last of this value."""
    for colour, held, worth in _down(pile):
        if colour == owner:
            if owner == side:
                if _grown(held, bag, come, sizes, out - lifted, captures, lowest):
                    return True
            elif held == bag and out == come + lifted and (lifted or captures or not come or worth <= strongest):
                return True  # whatever came has left again
        if colour == side:
            lifted += len(held)
        else:
            captures, lowest = captures + 1, worth
            if captures > come or worth > strongest:
                break
        if lifted + captures > out + 1:
            break  # of those who captured, all but the last must have left
    return owner == side and _laid(pile, side, come, sizes, out, bag)


def _grown(layer: Bag, bag: Bag, come: int, sizes: Bag, out: int, captures: int, lowest: int) -> bool:
    """Whether pieces that join and leave may make one own layer into another, and spare pieces that come and go, or the last to join,
    capture what lies on it."""
    joined = left = strongest = 0
    for size in SIZES:
        more = bag.count(size) - layer.count(size)
        if more > 0:
            if size not in sizes:
                return False
            joined += more
            strongest = int(size)
        else:
            left -= more
    spare = come - joined
    return spare >= 0 and spare == out - left and (captures <= spare or (captures == spare + 1 and lowest <= strongest))


def _laid(pile: Pile, side: Side, come: int, sizes: Bag, out: int, bag: Bag) -> bool:
    """Whether the pieces that came may lie as a new layer on top. Its first piece was worth what it pinned or captured (10, 13)."""
    spare = come - len(bag)
    if spare < 0 or any(size not in sizes for size in bag):
        return False
    if not spare:
        return int(bag[-1]) >= _bared(pile, side, out)
    if not out:
        return int(bag[-1]) >= _bared(pile, side, 0)
    return out <= spare + sum([len(held) for colour, held, _ in _down(pile) if colour == side])


def _bared(pile: Pile, side: Side, out: int) -> int:
    """The least value that a piece needs to make a layer of its own once so many, the largest first, have left; more than any if they
    cannot."""
    for colour, held, worth in _down(pile):
        if not out:
            return worth if colour != side else int(held[-1])
        if colour != side:
            break
        if out < len(held):
            return int(held[-out - 1])
        out -= len(held)
    return int(SIZES[-1]) + 1


def within(pile: Pile, side: Side, moves: int, sizes: Bag, seen: Sight) -> bool:
    """Whether a space might look so after a turn of so many moves, if a side's pieces of these sizes can come to it; more often *yes* than
    :func:`may_show`, and at once.

    An own look grows out of an own layer, or out of none, by a piece a move. An enemy look lies there already. Nothing is left where every
    own piece has left, and every enemy layer was captured by a piece that then left.
    """
    owner, bag = seen
    stack = layers(pile)
    if seen == (stack[-1] if stack else ("", "")):
        return True
    if owner == side:
        for base in (*[held for colour, held in stack if colour == side], ""):
            changes = {size: bag.count(size) - base.count(size) for size in SIZES}
            if sum(map(abs, changes.values())) <= moves and all(change <= 0 or size in sizes for size, change in changes.items()):
                return True
        return False
    if owner:
        return seen in stack
    own = sum([len(held) for colour, held in stack if colour == side])
    enemy = sum([2 for colour, _ in stack if colour != side])
    return own + enemy <= moves and (bool(sizes) or not enemy)
