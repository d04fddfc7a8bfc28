"""Siege Master plays as text.

    10,5-13,5         an army from hex 10,5 to hex 13,5 (the two ends of its row of four, in either order when
    read) 10,5-13,5*4,7     … which captures the fortress at 4,7; further captures follow, each with its own
    ``*`` swap              Blue exchanges colours on his first turn

Captures follow from the placement, so they may be left out when a play is named; if any are given, all must
be right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from engine.errors import IllegalPlay
from engine.layout import DIRECTIONS, Hex
from engine.messages import phrase
from engine.rules.siege_master.hexmap import in_order, name, parse_hex

SWAP = "swap"

_HEX = r"-?\d{1,2},-?\d{1,2}"
_PLAY = re.compile(rf"({_HEX})-({_HEX})((?:\*{_HEX})*)")


@dataclass(frozen=True, slots=True)
class Named:
    """A placement as its text names it: the four hexes in reading order, and the captures if the text gives
    any."""

    army: tuple[Hex, ...]
    captures: frozenset[Hex]


def write(army: Iterable[Hex], captures: Iterable[Hex]) -> str:
    """The text of a placement."""
    row = in_order(army)
    return f"{name(row[0])}-{name(row[-1])}" + "".join(f"*{name(place)}" for place in in_order(captures))


def parse(text: str) -> Named | None:
    """What the text names: a placement, or None for the swap. Raises IllegalPlay where it is neither."""
    text = "".join(text.split())
    if text.lower() == SWAP:
        return None
    found = _PLAY.fullmatch(text)
    if found is None:
        raise IllegalPlay(
            phrase(
                "{text!r} is not a play: write the two ends of an army like 10,5-13,5, or {swap}",
                text=text,
                swap=SWAP,
            )
        )
    (q, r), end = sorted((parse_hex(found[1]), parse_hex(found[2])), key=lambda place: (place[1], place[0]))
    for dq, dr in DIRECTIONS:
        if end == (q + 3 * dq, r + 3 * dr):
            captures = found[3].split("*")[1:]
            return Named(
                tuple((q + count * dq, r + count * dr) for count in range(4)),
                frozenset(map(parse_hex, captures)),
            )
    raise IllegalPlay(
        phrase("{first} and {last} are not the ends of four hexes in a row", first=found[1], last=found[2])
    )
