"""What a position says of checkers that have left the board.

None leaves it while some are at home and others are not: in backgammon and Zombie a side bears off when all
of its checkers are home, and in SiegeGammon none of a side's stands where backgammon has its home. A picture
alone does not know that. Where a tray is out of view, or what lies in it is doubtful, a checker of a full row
was taken for one that had been borne off.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine import rules
from engine.layout import Cell, Look, Piece
from vision.geometry.board_measures import OFFS, SIDES
from vision.reading import PLAINLY

AWAY = {True: 5.0, False: 2.5}
"""Nats against any having left of a side that stands elsewhere than at home: where some stand there, too, as
of who was hit while bearing off, and where none do: in backgammon none has left then, in SiegeGammon some
may."""


def against(raw: Mapping[Cell, Mapping[Look, float]]) -> dict[Piece, float]:
    """Nats against each side's having any checkers off the board, by where its others stand. ``raw``:
    log-likelihoods of cells' looks."""
    homes = rules.homes("checkers")
    standing: dict[Piece, set[bool]] = {side: set() for side in SIDES}  # at home, and elsewhere
    for cell, looks in raw.items():
        if cell in OFFS:
            continue
        best: dict[Piece, float] = {}
        for look, value in looks.items():
            whose = look[0] if look else ""
            best[whose] = max(best.get(whose, value), value)
        side = max(best, key=best.__getitem__)
        if side in homes and all(
            best[side] - value > PLAINLY for whose, value in best.items() if whose != side
        ):
            standing[side].add(cell in homes[side])
    return {side: AWAY[True in where] if False in where else 0.0 for side, where in standing.items()}


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
