"""The games. Each module here that has a ``RULES`` is one; nobody else knows their names.

To add a game, add a module (or a folder) with a ``RULES`` and its tests. Modules whose names begin with an
underscore are shared mechanics.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Collection, Mapping
from functools import cache

from engine.errors import UnknownRules
from engine.layout import Cell, Side
from engine.position import Rules


def names() -> tuple[str, ...]:
    """The stable names of all games, sorted."""
    return tuple(
        sorted(
            module.name.replace("_", "-")
            for module in pkgutil.iter_modules(__path__)
            if not module.name.startswith("_")
        )
    )


@cache
def homes(board: str) -> Mapping[Side, Collection[Cell]]:
    """``Rules.homes`` of the games that are played on this kind of board: one camera reads them all. Empty
    where no game names any."""
    return next((game.homes for game in map(get, names()) if game.board == board and game.homes), {})


@cache
def get(name: str) -> Rules:
    """The rules of that name. Raises UnknownRules, with the names that there are."""
    if name not in names():
        raise UnknownRules(f"unknown game {name!r}; the games are {', '.join(names())}")
    rules: Rules = importlib.import_module(f"engine.rules.{name.replace('-', '_')}").RULES
    return rules
