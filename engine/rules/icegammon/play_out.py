"""What can really be played along a strand: every legal order, every size, every way to land, as far as the
evidence may like it."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from engine.rules.icegammon.board import BAR, HAND, OFF, STASH, Bag, Pile, lift, put, take, top
from engine.rules.icegammon.bounds import ENTRY, IMPOSSIBLE, Bounds
from engine.rules.icegammon.steps import landings
from engine.rules.icegammon.strands import AWAY, Strand, Touch, Weaver, kinds


class Ending(NamedTuple):
    """What playing along a strand leaves behind."""

    score: float
    """How much better the evidence likes the spaces touched than if they had been left alone, the enemy's bar
    apart."""
    places: tuple[tuple[int, str], ...]
    """What lies on each place of the state that was touched, the enemy's bar apart."""
    captured: Bag
    moves: tuple[tuple[str, int, int, str], ...]
    """The fields of each move."""


_Made: TypeAlias = tuple[tuple[Pile, ...], Bag, Bag, Bag, Bag, int]
"""What steps make of a strand: the piles, what is on the bar, in hand, borne off and captured, and the edges
left (as bits)."""
_Node: TypeAlias = tuple[float, _Made, tuple[tuple[str, int, int, str], ...]]
"""A strand partly played: what it can gain at best, what was made of it, and the moves."""


class _Edge(NamedTuple):
    """An edge of the strand, by the places of its ends among the steps touched."""

    bit: int
    same: int
    """The bits of the same edges before it: of equals the first is played first."""
    start: int
    end: int
    """AWAY if it bears off."""
    source: int
    """The steps of the way that it leads from and to."""
    target: int


class _Hopes(dict[tuple[int, Pile, int], float]):
    """The most that a step can still score: by its place among those touched, what it shows (a pile or the
    bar), and the edges left there; worked out at the first use."""

    def __init__(
        self, bounds: Bounds, touched: Sequence[Touch], into: Sequence[int], out_of: Sequence[int]
    ) -> None:
        self.bounds, self.touched, self.into, self.out_of = bounds, touched, into, out_of

    def __missing__(self, key: tuple[int, Pile, int]) -> float:
        place, pile, left = key
        step, _, sizes, _ = self.touched[place]
        come, out = (left & self.into[place]).bit_count(), (left & self.out_of[place]).bit_count()
        if step == ENTRY:
            score = self.bounds.entry(pile, out)
        else:
            score = self.bounds.hope(step, pile, come, sizes if come else "", out)
        self[key] = score
        return score


class Playout:
    """The endings of one strand, depth first, most promising steps first, worked out as they are asked for
    and kept.

    What an ending can still hope for is kept along the way, and the way given up when that is too little.
    """

    def __init__(self, weaver: Weaver, strand: Strand, least: float, alone: bool) -> None:
        self.weaver, self.touched, self.entering, self.away = (
            weaver,
            strand.touched,
            strand.entering,
            strand.away,
        )
        self.least, self.alone = least, alone
        """No ending is looked for that gains less; and whether nothing is captured elsewhere in this turn."""
        self.met: list[Ending] = []
        self.missed = self.most = IMPOSSIBLE
        """The most that any ending may gain that was given up, and that any other does gain."""
        index = {touch[0]: place for place, touch in enumerate(strand.touched)}
        self.into, self.out_of = [0] * len(index), [0] * len(index)
        """By the place of a step among those touched: the edges, as bits, that lead there and that leave,
        …"""
        self.edges: list[_Edge] = []
        for number, edge in enumerate(strand.edges):
            source, _, target = edge
            bit, end = 1 << number, AWAY if target == AWAY else index[target]
            same = sum([1 << earlier for earlier in range(number) if strand.edges[earlier] == edge])
            self.edges.append(_Edge(bit, same, index[source], end, source, target))
            self.out_of[index[source]] |= bit
            if end != AWAY:
                self.into[end] |= bit
        self.around = [into | out_of for into, out_of in zip(self.into, self.out_of, strict=True)]
        """… and both."""
        self.held = weaver.bounds.state[weaver.bounds.enemy]
        self.free = weaver.bounds.captive(self.held)
        self.hopes = _Hopes(weaver.bounds, strand.touched, self.into, self.out_of)
        self.preys: dict[Bag, tuple[float, float]] = {}
        """By what was captured, what the enemy's bar scores if more will be, and if not."""
        piles = tuple([weaver.piles[touch[0]] for touch in strand.touched])
        left = (1 << len(strand.edges)) - 1
        self.hunting = weaver.hunts(strand)
        begun = strand.gain - self.free + self.prey("", piles, left)
        owed = (
            weaver.bar if strand.entering else ""
        )  # another strand enters what waits there, and is played first
        self.stack: list[_Node] = [(begun, (piles, owed, weaver.hand, weaver.off, "", left), ())]
        self.seen: set[_Made] = set()

    def ending(self, number: int, least: float) -> Ending | None:
        """The next ending after so many. None where no other gains so much; some may gain less."""
        if number < len(self.met):
            return self.met[number]
        if least > self.least:
            self.least = least
        stack = self.stack
        while stack:
            node = stack.pop()
            if node[0] < self.least:
                self.missed = max(self.missed, node[0])
            elif not node[1][-1]:
                return self.meet(node)
            else:
                grown = self.steps(node)
                if len(grown) > 1:
                    grown.sort(key=itemgetter(0))
                stack += grown
        return None

    def meet(self, node: _Node) -> Ending:
        """Keeps an ending."""
        hoped, (piles, bar, hand, off, caught, left), moves = node
        side, way = self.weaver.side, self.weaver.bounds.way
        self.most = max(self.most, hoped)
        places = [
            (way[touch[0]], pile)
            for touch, pile in zip(self.touched, piles, strict=True)
            if touch[0] != ENTRY
        ]
        if self.entering:
            places += ((BAR[side], bar), (HAND[side], hand))
        if self.away:
            places.append((OFF[side], off))
        ending = Ending(hoped - self.prey(caught, piles, left) + self.free, tuple(places), caught, moves)
        self.met.append(ending)
        return ending

    def steps(self, node: _Node) -> list[_Node]:
        """What may come of one more step, as far as it is new."""
        hoped, (piles, bar, hand, off, caught, left), moves = node
        side, way, least, hunting = self.weaver.side, self.weaver.bounds.way, self.least, self.hunting
        hopes, around, seen = self.hopes, self.around, self.seen
        grown: list[_Node] = []
        if hunting:
            hoped -= self.prey(caught, piles, left)
        for bit, same, start, end, source, target in self.edges:
            if not left & bit or left & same:
                continue
            before = piles[start]
            whence, bag, shown = self._leaving(source, before, bar, hand)
            if not bag:
                continue
            rest = left ^ bit
            others = hoped - hopes[start, shown, left & around[start]]
            if end != AWAY:
                others -= hopes[end, piles[end], left & around[end]]
            for size in kinds(bag):
                new, new_bar, new_hand, new_off = list(piles), bar, hand, off
                if source != ENTRY:
                    shown = new[start] = lift(before, size)
                else:
                    shown = new_bar = take(bar, size) if bar else bar
                    new_hand = hand if bar else take(hand, size)
                gain = others + hopes[start, shown, rest & around[start]]
                if gain < least:  # nothing that the other spaces show can make up for it
                    self.missed = max(self.missed, gain)
                    continue
                if end == AWAY:
                    whither, ways = OFF[side], _borne_off(off, size)
                    new_off = put(off, size)
                else:
                    whither, ways = way[target], landings(piles[end], side, size)
                for mark, pile, taken in ways:
                    total, now = gain, caught
                    if end != AWAY:
                        total += hopes[end, pile, rest & around[end]]
                        new[end] = pile
                        now = put(caught, taken) if taken else caught
                    if hunting:
                        total += self.prey(now, new, rest)
                    made = (tuple(new), new_bar, new_hand, new_off, now, rest)
                    if total < least:
                        self.missed = max(self.missed, total)
                    elif made not in seen:
                        seen.add(made)
                        grown.append((total, made, (*moves, (size, whence, whither, mark))))
        return grown

    def _leaving(self, source: int, pile: Pile, bar: Bag, hand: Bag) -> tuple[int, Bag, Pile]:
        """The place that pieces leave, those that may, and what shows there before."""
        side = self.weaver.side
        if source == ENTRY:
            return (BAR[side], bar, bar) if bar else (HAND[side], hand, bar)
        colour, bag = top(pile)
        return self.weaver.bounds.way[source], bag if colour == side and not bar else "", pile

    def prey(self, caught: Bag, piles: Sequence[Pile], left: int) -> float:
        """What the enemy's bar can still come to: more may be captured where pieces are still to come, or
        elsewhere."""
        known = self.preys.get(caught)
        if known is None:
            bag = put(self.held, caught)
            known = self.preys[caught] = self.weaver.bounds.captive(bag), self.weaver.bounds.taken(bag)
        more, same = known
        if not self.alone or more == same:
            return more
        if self.hunting and left:
            letter = self.weaver.letter
            for edge in self.edges:
                if left & edge.bit and edge.end != AWAY and letter in piles[edge.end]:
                    return more
        return same


def _borne_off(off: Bag, size: str) -> tuple[tuple[str, Pile, Bag], ...]:
    """The one way to bear a piece off, in the form of ``landings``; none before all smaller ones are off
    (15)."""
    smaller = STASH.index(size)
    return (("", "", ""),) if off[:smaller] == STASH[:smaller] else ()
