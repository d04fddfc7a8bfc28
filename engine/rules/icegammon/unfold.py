"""What can really be played along a strand: every legal order, every size, every way to land, as far as the evidence may like it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import TypeAlias

from engine.rules.icegammon.board import BAR, HAND, OFF, STASH, WAY, Bag, Pile, lift, put, take, top
from engine.rules.icegammon.outlook import ENTRY, IMPOSSIBLE
from engine.rules.icegammon.steps import landings
from engine.rules.icegammon.strands import AWAY, Edge, Ending, Strand, Touch, Weaver, kinds


def endings(weaver: Weaver, strand: Strand, least: float, alone: bool) -> Iterator[Ending]:
    """What can be played along a strand and gain at least so much, and perhaps some endings that gain less; most promising steps first.
    They are worked out as they are taken and kept for the next time. ``alone``: nothing is captured elsewhere in this turn."""
    known = strand.endings
    if known is None or least < strand.least or (strand.alone and not alone):
        known = strand.endings = []
        strand.least, strand.alone, strand.more = least, alone, _played(weaver, strand, least, alone)
    yield from known
    while strand.more is not None:
        ending = next(strand.more, None)
        if ending is None:
            strand.more = None
            return
        known.append(ending)
        yield ending


_Node: TypeAlias = tuple[float, tuple[Pile, ...], Bag, Bag, Bag, Bag, tuple[Edge, ...], tuple[tuple[str, int, int, str], ...]]
"""A strand partly played: what it can gain at best, the piles of its steps, what is on the bar, in hand, borne off and captured, the edges
left, and the moves made."""


def _played(weaver: Weaver, strand: Strand, least: float, alone: bool) -> Iterator[Ending]:
    """The endings, depth first. What an ending can still hope for is kept along the way, and the way given up when it is too little.
    At the end the strand's ``missed`` is the most that any other may gain, and ``most`` what any may, whatever happens elsewhere."""
    outlook, side, way = weaver.outlook, weaver.side, WAY[weaver.side]
    held = outlook.state[outlook.enemy]
    free = outlook.captive(held)
    index = {touch[0]: place for place, touch in enumerate(strand.touched)}
    counts: dict[tuple[int, tuple[Edge, ...]], Touch] = {}

    def hope(step: int, pile: Pile, bar: Bag, left: tuple[Edge, ...]) -> float:
        """What a step can still come to, by the edges left."""
        count = counts.get((step, left))
        if count is None:
            count = counts[step, left] = _count(strand.touched[index[step]], left)
        _, come, sizes, out = count
        return outlook.entry(bar, out) if step == ENTRY else outlook.hope(step, pile, come, sizes, out)

    def bar_hope(caught: Bag, piles: Sequence[Pile], left: tuple[Edge, ...]) -> float:
        """What the enemy's bar can still come to: more may be captured where pieces are still to come, or elsewhere."""
        bag = put(held, caught) if caught else held
        if alone and not any(edge.target != AWAY and weaver.letter in piles[index[edge.target]] for edge in left):
            return outlook.taken(bag)
        return outlook.captive(bag)

    most = missed = IMPOSSIBLE
    owed = weaver.bar if strand.entering else ""  # another strand enters what waits there, and is played first
    whole = tuple([weaver.piles[touch[0]] for touch in strand.touched])
    begun = strand.gain - free + bar_hope("", whole, strand.edges)
    stack: list[_Node] = [(begun, whole, owed, weaver.hand, weaver.off, "", strand.edges, ())]
    seen: set[tuple[object, ...]] = set()
    while stack:
        hoped, piles, bar, hand, off, caught, left, moves = stack.pop()
        if not left:
            most = max(most, hoped)
            captive = bar_hope(caught, piles, left) - free
            places = [(way[step], pile) for (step, *_), pile in zip(strand.touched, piles, strict=True) if step != ENTRY]
            if strand.entering:
                places += ((BAR[side], bar), (HAND[side], hand))
            if strand.away:
                places.append((OFF[side], off))
            yield Ending(hoped - captive, hoped, tuple(places), caught, moves)
            continue
        grown: list[_Node] = []
        hoped -= bar_hope(caught, piles, left)
        tried: Edge | None = None
        for place, edge in enumerate(left):
            if edge == tried or edge in left[:place]:
                continue
            tried = edge
            source, _, target = edge
            start = index[source]
            before = piles[start]
            if source == ENTRY:
                whence, bag = (BAR[side], bar) if bar else (HAND[side], hand)
            else:
                colour, bag = top(before)
                if bar or colour != side:
                    continue
                whence = way[source]
            rest = left[:place] + left[place + 1 :]
            others = hoped - hope(source, before, bar, left)
            if target != AWAY:
                end = index[target]
                others -= hope(target, piles[end], bar, left)
            for size in kinds(bag):
                new, new_bar, new_hand = list(piles), bar, hand
                if source != ENTRY:
                    new[start] = lift(before, size)
                elif bar:
                    new_bar = take(bar, size)
                else:
                    new_hand = take(hand, size)
                gain = others + hope(source, new[start], new_bar, rest)
                if target == AWAY:
                    smaller = STASH.index(size)
                    if off[:smaller] != STASH[:smaller]:
                        continue
                    total = gain + bar_hope(caught, new, rest)
                    if total < least:
                        missed = max(missed, total)
                    else:
                        move = (size, whence, OFF[side], "")
                        grown.append((total, tuple(new), new_bar, new_hand, put(off, size), caught, rest, (*moves, move)))
                    continue
                for mark, pile, taken in landings(piles[end], side, size):
                    new[end] = pile
                    now = put(caught, taken) if taken else caught
                    total = gain + hope(target, pile, new_bar, rest) + bar_hope(now, new, rest)
                    if total < least:
                        missed = max(missed, total)
                    else:
                        grown.append((total, tuple(new), new_bar, new_hand, off, now, rest, (*moves, (size, whence, way[target], mark))))
        if len(grown) > 1:
            grown.sort(key=itemgetter(0))
        for node in grown:
            key = node[1:7]
            if key not in seen:
                seen.add(key)
                stack.append(node)
    strand.missed = missed
    if not alone:
        strand.most = max(most, missed)


def _count(touch: Touch, left: tuple[Edge, ...]) -> Touch:
    """What these edges still bring to a step and take from it."""
    step, _, sizes, _ = touch
    come = out = 0
    for source, _, target in left:
        come += target == step
        out += source == step
    return step, come, sizes if come else "", out
