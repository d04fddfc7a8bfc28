"""What a space can look like after some of a player's pieces came to it and some left, in whatever order.

Asked and answered from the pile alone, for one look at a time: after how many departures may it look so? To
try all orders would take far longer, and a picture mostly asks for one look. No number is passed over after
which some order of legal steps shows that look; one too many is named here and there, where pieces both come
and go. Layers below an enemy one come to light by captures, below an own one as its pieces leave (11, 12).
"""

from __future__ import annotations

from functools import lru_cache
from itertools import takewhile
from typing import TypeAlias

from engine.layout import Look, Side, name_parts
from engine.rules.icegammon.board import SIZES, Bag, Pile, layers, value

Sight: TypeAlias = tuple[Side, Bag]
"""A look as a layer: the colour and the pieces on top; two empty strings for a bare space."""
_GROUND = ("", "", 0)


@lru_cache(maxsize=1 << 12)
def sight(look: Look) -> Sight:
    """A look as the layer that it shows; pieces that can form none are of nobody's colour."""
    owner = name_parts(look[0])[0] if look else ""
    bag = "".join([size for size in SIZES for piece in look if piece == f"{owner}.{size}"])
    return (owner, bag) if len(bag) == len(look) else ("?", "")


@lru_cache(maxsize=1 << 16)
def _down(pile: Pile) -> tuple[tuple[Side, Bag, int], ...]:
    """The layers from the top down, each with its value; then the bare space."""
    return (*[(colour, bag, value(bag)) for colour, bag in reversed(layers(pile))], _GROUND)


@lru_cache(maxsize=1 << 16)
def _bared(pile: Pile, side: Side) -> tuple[int, ...]:
    """By how many of a side's pieces have left, the largest first, as far as they are free to: the least
    value that a piece then needs to land as a layer of its own (10, 13)."""
    down = _down(pile)
    free = list(takewhile(lambda layer: layer[0] == side, down))
    return (*[int(size) for _, bag, _ in free for size in reversed(bag)], down[len(free)][2])


@lru_cache(maxsize=1 << 16)
def _owned(pile: Pile, side: Side) -> int:
    return sum([len(bag) for colour, bag in layers(pile) if colour == side])


def leaving(pile: Pile, side: Side, come: int, sizes: Bag) -> int:
    """How many pieces can leave a space at most when so many of these sizes (in order, none if none comes)
    come to it; -1 where they cannot come."""
    least = _bared(pile, side)
    if not come:
        return len(least) - 1  # what is pinned cannot (12)
    if len(least) == 1 and least[0] > int(sizes[-1]):
        return -1  # blocked (10)
    return come + _owned(pile, side)


@lru_cache(maxsize=1 << 16)
def partings(pile: Pile, side: Side, come: int, sizes: Bag, seen: Sight) -> int:
    """The numbers of pieces, as bits, that may leave a space, besides those of these sizes that come, for it
    to look so. Only for what :func:`leaving` allows."""
    owner, bag = seen
    strongest = int(sizes[-1]) if come else 0
    outs = lifted = captures = lowest = 0
    """What must have gone for a layer to be on top: own pieces that left, and enemy layers captured, the last
    of this value."""
    for colour, held, worth in _down(pile):
        if colour == owner:
            if owner == side:
                outs |= _grown(held, bag, come, sizes, captures, lowest) << lifted
            elif held == bag and (lifted or captures or not come or worth <= strongest):
                outs |= 1 << come + lifted  # whatever came has left again
        if colour == side:
            lifted += len(held)
        else:
            captures, lowest = captures + 1, worth
            if captures > come or worth > strongest:
                break
    return outs | _laid(pile, side, come, sizes, bag) if owner == side else outs


def _grown(layer: Bag, bag: Bag, come: int, sizes: Bag, captures: int, lowest: int) -> int:
    """The same for an own layer that becomes another: pieces join it and leave it, and spare ones that come
    and go, or the last to join, capture what lies on it."""
    joined, left, strongest = _changed(layer, bag, sizes)
    spare = come - joined
    if joined < 0 or spare < 0 or captures > spare + (lowest <= strongest):
        return 0
    return 1 << left + spare


def _changed(layer: Bag, bag: Bag, sizes: Bag) -> tuple[int, int, int]:
    """How many pieces must join a layer and how many leave it for it to become this, and the value of the
    strongest that joins; -1 pieces where it cannot with these sizes."""
    joined = left = strongest = 0
    for size in SIZES:
        more = bag.count(size) - layer.count(size)
        if more > 0:
            if size not in sizes:
                return -1, 0, 0
            joined += more
            strongest = int(size)
        else:
            left -= more
    return joined, left, strongest


def _laid(pile: Pile, side: Side, come: int, sizes: Bag, bag: Bag) -> int:
    """The same for a new layer on top, of pieces that came. Its first piece was worth what it pinned or
    captured (10, 13)."""
    spare = come - len(bag)
    if spare < 0 or not set(bag).issubset(sizes):
        return 0
    strongest, bared = int(bag[-1]), _bared(pile, side)
    if spare:
        return (1 << 1 + spare + _owned(pile, side)) - 1 - (strongest < bared[0])
    return sum([1 << out for out, least in enumerate(bared) if least <= strongest])


def within(pile: Pile, side: Side, moves: int, sizes: Bag, seen: Sight) -> bool:
    """Whether a space might look so after a turn of so many moves, if a side's pieces of these sizes can come
    to it; too often *yes*, but whatever comes and leaves.

    An own look grows out of an own layer, or out of none, by a piece a move. An enemy look lies there
    already. Nothing is left where every own piece has left, and every enemy layer was captured by a piece
    that then left.
    """
    owner, bag = seen
    stack = layers(pile)
    if seen == (stack[-1] if stack else ("", "")):
        return True
    if owner == side:
        for base in (*[held for colour, held in stack if colour == side], ""):
            joined, left, _ = _changed(base, bag, sizes)
            if 0 <= joined <= moves - left:
                return True
        return False
    if owner:
        return seen in stack
    own = sum([len(held) for colour, held in stack if colour == side])
    enemy = sum([2 for colour, _ in stack if colour != side])
    return own + enemy <= moves and (bool(sizes) or not enemy)
