"""Which game a command is about: its user may leave that open."""

from __future__ import annotations

from engine import rules as games
from engine.position import Rules

DEFAULT = "backgammon"


def chosen(name: str | None) -> Rules:
    """The game of that name; without one, backgammon. Raises UnknownRules."""
    return games.get(name or DEFAULT)
