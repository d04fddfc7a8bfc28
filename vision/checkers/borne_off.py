"""What a position says of checkers that have left the board.

None leaves it while some are at home and others are not; what home is, the games say (``Rules.homes``). A
picture alone does not know that. Where a tray is out of view, or what lies in it is doubtful, a checker of a
full row was taken for one that had been borne off."""

from __future__ import annotations

from collections.abc import Mapping

from engine import rules
from engine.layout import Cell, Look, Piece
from vision.geometry.board_measures import SIDES

SURE = 4.0
"""Nats by which a checker must stand in a cell before anything is concluded from it."""
BOTH = 5.0
"""Nats against any having left of a side that stands at home and elsewhere: who was hit while bearing off
does."""
AWAY = 2.5
"""Nats against it where none is at home: in backgammon none has left, in SiegeGammon some may."""


def against(raw: Mapping[Cell, Mapping[Look, float]]) -> dict[Piece, float]:
    """Nats against each side's having any checkers off the board, by where its others stand. ``raw``:
    log-likelihoods of cells' looks."""
    homes = rules.homes("checkers")
    at_home, away = (dict.fromkeys(SIDES, False) for _ in range(2))
    for cell, looks in raw.items():
        if cell.startswith("off"):
            continue
        best: dict[Piece, float] = {}
        for look, value in looks.items():
            whose = look[0] if look else ""
            if value > best.get(whose, value - 1):
                best[whose] = value
        side = max(best, key=best.__getitem__)
        if side in homes and all(best[side] - value > SURE for whose, value in best.items() if whose != side):
            where = at_home if cell in homes[side] else away
            where[side] = True
    return {side: (BOTH if at_home[side] else AWAY) if away[side] else 0.0 for side in SIDES}


def weighed(
    raw: Mapping[Cell, Mapping[Look, float]], nats: Mapping[Piece, float]
) -> dict[Cell, Mapping[Look, float]]:
    """``raw`` with that in its trays."""
    found = dict(raw)
    for side, less in nats.items():
        cell = f"off.{side}"
        if less and cell in found:
            found[cell] = {look: value - less if look else value for look, value in found[cell].items()}
    return found
