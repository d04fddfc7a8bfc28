"""SiegeGammon (docs/rules.md; the numbers are the sections of its text).

White's own point n is board point 25 - n, so that here too White moves 24 → 1: a checker waits in the reserve
as it would on a bar, and locks on board points 6-1. The steps are ``_generator.LOCKING`` (8.5, 9, 10, 11),
the obligation to play both dice, else the larger, is ``_generator.results`` (8.4).

In text a point has its owner's number: ``reserve/3`` deploys, ``5/11`` advances, ``16/lock`` locks,
``16/21*/lock`` hits a blot and locks. ``16/21`` is read like ``16/lock``.

No checker ever stands unlocked in its own Siege Zone, which is the enemy's Garrison. So nothing here can
overshoot (11.3), be hit by a deployment (9.4, 10.3) or be parked (12.3), and there is no code for it.

What SiegeGammon has in common with the other checker games is not repeated here. In ``_checkers``: the
opening roll (6), and the end of the game with the last checker (5, 13). In ``_packed``: the one
direction of movement (8.1). It follows from the steps that deployments and moves mix freely (9.3), that the
locked cannot be hit (10.2), and what a rampart is (12.2). The order of a turn (7), the score (13.2), the cube
(14) and matches (15) are the table's: ``engine.session``, ``engine.cube``, ``engine.match``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.messages import phrase
from engine.names import named
from engine.position import Json
from engine.rules._checkers import CheckerPosition
from engine.rules._generator import LOCKING, Ways
from engine.rules._notation import Words
from engine.rules._packed import ENTRY, EXIT, count_second, counts


@dataclass(frozen=True, repr=False)
class SiegeGammon(CheckerPosition):
    """A position of SiegeGammon."""

    name: ClassVar[str] = "siegegammon"
    ways: ClassVar[Ways] = LOCKING
    words: ClassVar[Words] = Words("reserve", "locked", "lock", rising=True, zone=6)
    first: ClassVar[Json] = {"points": {}, "locked": [0, 0]}
    """4: the board starts empty, with all checkers in reserve."""

    def _grade(self, board: int) -> tuple[str, int]:
        """13.1."""
        if count_second(board, ENTRY):  # the loser's checkers lock past the winner's 24-point
            return "standard", 1
        return ("total siege", 3) if count_second(board, EXIT) else ("siege", 2)

    def _faults(self, board: int) -> list[str]:
        """11.4: who has reached the Siege Zone is locked, and off the board."""
        white, black = counts(board)
        return [
            phrase(
                "point {point} is in {side}'s Siege Zone: a checker of {side} there is locked and stands off"
                " the board",
                point=point,
                side=named(side),
            )
            for side, points, zone in (("white", white, range(1, 7)), ("black", black, range(19, 25)))
            for point in zone
            if points[point]
        ]


RULES = SiegeGammon.game("SiegeGammon", grades=(("standard", 1), ("siege", 2), ("total siege", 3)))
