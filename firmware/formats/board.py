"""Checkers on 24 points, as the backgammon formats count them: the stable JSON form as plain numbers,
and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.layout import Cell, Side, name_parts, point_of
from engine.messages import phrase
from engine.names import named
from engine.position import Json, Position
from firmware.formats.source import FormatError

SIDES: tuple[Side, Side] = ("white", "black")
STANDARD = 15
"""Checkers a side in standard backgammon."""
BAR = 25
"""The bar in a player's own numbering; 0 is off."""

Hop = tuple[int, int]
"""One checker from place to place, in its owner's own numbering: 25 the bar, 1-24 the points, 0 off."""


@dataclass(frozen=True, slots=True)
class BoardCounts:
    """``own[side][n]``: checkers of that side (0 white, 1 black) on its own point n; index 25 is its bar, 0
    its borne-off checkers."""

    own: tuple[tuple[int, ...], tuple[int, ...]]

    @classmethod
    def of(cls, position: Position) -> BoardCounts:
        """The board of a position."""
        return cls.from_json(position.to_json())

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> BoardCounts:
        """From the stable form, which has been proved before. Raises FormatError where it is of a game that
        is not played so."""
        try:
            own = [[0] * 26, [0] * 26]
            for point, count in data["points"].items():
                side = 0 if count > 0 else 1
                own[side][own_point(side, int(point))] = abs(count)
            for side in (0, 1):
                own[side][BAR] = data["bar"][side]
                own[side][0] = data["off"][side]
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise FormatError(
                phrase("this format holds positions of backgammon checkers only; use json or text")
            ) from error
        return cls((tuple(own[0]), tuple(own[1])))

    @classmethod
    def of_counts(cls, white: Sequence[int], black: Sequence[int], checkers: int = STANDARD) -> BoardCounts:
        """From checkers on own points 1-24 and the bar (index 25); what is missing of so many a side is borne
        off. Raises FormatError."""
        for name, counts in zip(SIDES, (white, black), strict=True):
            if sum(counts[1:]) > checkers:
                raise FormatError(
                    phrase(
                        "{side} has {count} checkers, and there are {most}",
                        side=named(name),
                        count=sum(counts[1:]),
                        most=checkers,
                    )
                )
        for point in range(1, 25):
            if white[point] and black[25 - point]:
                raise FormatError(phrase("both sides have checkers on point {point}", point=point))
        return cls(((checkers - sum(white[1:]), *white[1:]), (checkers - sum(black[1:]), *black[1:])))

    @classmethod
    def of_places(cls, places: Sequence[int], side: int, checkers: int = STANDARD) -> BoardCounts:
        """From 26 numbers as ``side`` (0 white, 1 black) sees the board, its own checkers positive: the
        other's bar, the points, its own bar. Raises FormatError."""
        own = [0, *(max(value, 0) for value in places[1:25]), abs(places[25])]
        foe = [0, *(max(-places[25 - point], 0) for point in range(1, 25)), abs(places[0])]
        return cls.of_counts(*((own, foe) if side == 0 else (foe, own)), checkers)

    @property
    def checkers(self) -> int:
        """Checkers a side, those borne off too."""
        return sum(self.own[0])

    def to_json(self, rules: str, turn: Side | None) -> Json:
        """The stable form."""
        white, black = self.own
        points = {
            str(point): white[point] or -black[25 - point]
            for point in range(24, 0, -1)
            if white[point] or black[25 - point]
        }
        data: Json = {
            "rules": rules,
            "points": points,
            "bar": [white[BAR], black[BAR]],
            "off": [white[0], black[0]],
        }
        return data if turn is None else {**data, "turn": turn}

    def moved(self, side: int, hops: Sequence[Hop]) -> BoardCounts:
        """The board after these hops, whatever the dice and whichever way: checkers must be there, points
        must not be blocked, a blot is hit. Raises FormatError where even that cannot be done."""
        own, other = list(self.own[side]), list(self.own[1 - side])
        for source, target in hops:
            if not 0 <= target < BAR or not 0 < source <= BAR or source == target:
                raise FormatError(phrase("{text!r} is not a move", text=f"{source}/{target}"))
            if not own[source]:
                where = phrase("the bar") if source == BAR else str(source)
                raise FormatError(phrase("there is no checker on {place}", place=where))
            there = 25 - target
            if target and other[there] > 1:
                raise FormatError(phrase("point {point} is blocked", point=target))
            own[source] -= 1
            own[target] += 1
            if target and other[there]:
                other[there] -= 1
                other[BAR] += 1
        pair = (tuple(own), tuple(other))
        return BoardCounts(pair if side == 0 else (pair[1], pair[0]))


def own_point(side: int, point: int) -> int:
    """A board point in a side's own numbering; its own inverse."""
    return point if side == 0 else 25 - point


def own_place(cell: Cell, side: Side) -> int:
    """A cell in a side's own numbering: 1-24, 25 the bar, 0 off."""
    point = point_of(cell)
    if point is not None:
        return own_point(SIDES.index(side), point)
    return BAR if name_parts(cell)[0] == "bar" else 0
