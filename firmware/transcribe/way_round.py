"""Which way the players of a film move, where it begins in mid-game: the way by which what they do is a game.

One picture does not tell. A play goes forward one way and backward the others, so a few turns do; and the
start of a next game lies one way only.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.position import Rules
from firmware.transcribe.follower import Follower
from firmware.transcribe.sighting import Sighting
from vision.geometry.board_measures import ORIENTATIONS, Orientation, renamed

DECIDED = 10.0
"""Nats by which every other way must be less likely for no more sightings to be waited for."""


def ways(home: str | None) -> list[Orientation]:
    """The ways that a board may lie whose ``home`` is on this side, if that is known."""
    return [way for way in ORIENTATIONS if home in (None, way.home)]


def way_round(
    rules: Rules, now: Orientation, seen: Sequence[Sighting], home: str | None
) -> tuple[Orientation, float]:
    """The likeliest way, and by how many nats it is likelier than the next; ``now``: the one by which the
    sightings name the points."""
    costs: list[tuple[float, int]] = []
    tried = ways(home)
    for number, way in enumerate(tried):
        names = renamed(now, way)
        follower = Follower(rules)
        for each in seen:
            follower.see(each.renamed(names))
        costs.append((follower.spent, number))
    costs.sort()
    return tried[costs[0][1]], costs[1][0] - costs[0][0]
