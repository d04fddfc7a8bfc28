"""Players that are the table's own: who is called ``engine`` is played by one, ``engine LEVEL`` by a weaker
one. The name is all that there is: so it stands in the journal, and a restart knows it."""

from __future__ import annotations

from collections.abc import Mapping

NAME = "engine"
"""What the table's own player is called."""

BEST = "best"

LEVELS: Mapping[str, float] = {BEST: 0.0, "strong": 0.04, "club": 0.1, "casual": 0.2, "beginner": 0.4}
"""Each level and its noise: the standard deviation, in points of equity, of what is added to the worth of
each choice before the best is taken. ``tests.bench.rival`` measures what rating each gives."""


def level_of(player: str) -> str | None:
    """The level of a player that is the table's own; None for people."""
    name, _, level = player.partition(" ")
    return (level or BEST) if name == NAME and (level or BEST) in LEVELS else None


def misnamed(player: str) -> str | None:
    """Why this is nobody's name: it asks for a level that there is not. None where all is well."""
    if player.partition(" ")[0] != NAME or level_of(player) is not None:
        return None
    return (
        f"{player!r} is no level of the table's own player; write {NAME}, or {NAME} and {', '.join(LEVELS)}"
    )
