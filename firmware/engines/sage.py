"""bgsage (Open Sage, Mozilla Public License 2.0): an engine that is a Python package, its weights included.

Its boards are 26 numbers from the deciding side's view: 1-24 are points (the own checkers positive, the
opponent's negative), 25 the own bar, 0 the opponent's bar, both positive.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from firmware.engines import BeforeRoll, Board, Chances, Counts, NoEngine, Ranked, Spot

CHECKERS = 15
"""A side; bgsage knows no other game."""

OWNERS = {0: "centered", 1: "player", -1: "opponent"}


class Sage:
    """bgsage, looking so many ``plies`` ahead (1: the network alone)."""

    def __init__(self, plies: int) -> None:
        import bgsage

        self._thinks = bgsage.BgBotAnalyzer(eval_level=f"{plies}ply", parallel_threads=1)
        # The equity of each roll comes with a look of two plies or more.
        self._rolls = (
            self._thinks if plies > 1 else bgsage.BgBotAnalyzer(eval_level="2ply", parallel_threads=1)
        )

    def plays(self, spot: Spot, played: Board | None = None) -> Sequence[Ranked]:
        """As :class:`firmware.engines.Engine`."""
        assert spot.dice is not None
        look = [_board(*played)] if played else None
        found = self._thinks.checker_play(
            _board(spot.own, spot.other), *spot.dice, force_boards=look, **_stakes(spot)
        )
        return [Ranked(*_counts(move.board), move.equity, _chances(move.probs)) for move in found.moves]

    def before_roll(self, spot: Spot) -> BeforeRoll:
        """As :class:`firmware.engines.Engine`."""
        # Beavers are left out: with them the equity of a take is that of a beaver where it is one.
        found = self._rolls.cube_action(
            _board(spot.own, spot.other), beaver=False, incl_2ply_details=True, **_stakes(spot)
        )
        each = (found.details or {}).get("nd") or []
        rolls = {(max(a, b), min(a, b)): e for a, b, e in map(_rolled, each)}
        if len(rolls) != 21:
            raise NoEngine(f"bgsage gave {len(rolls)} of 21 rolls")
        cubes = found.equity_nd, found.equity_dt, found.equity_dp
        return BeforeRoll(*cubes, _chances(found.probs), rolls)


def _board(own: Counts, other: Counts) -> list[int]:
    return [other[25], *(own[point] - other[25 - point] for point in range(1, 25)), own[25]]


def _counts(board: Sequence[int]) -> Board:
    own = [0, *(max(board[point], 0) for point in range(1, 25)), abs(board[25])]
    other = [0, *(max(-board[25 - point], 0) for point in range(1, 25)), abs(board[0])]
    return (CHECKERS - sum(own), *own[1:]), (CHECKERS - sum(other), *other[1:])


def _stakes(spot: Spot) -> dict[str, Any]:
    return {
        "cube_value": spot.cube,
        "cube_owner": OWNERS[spot.owner],
        "away1": spot.away[0],
        "away2": spot.away[1],
        "is_crawford": spot.crawford,
        "jacoby": spot.jacoby,
    }


def _rolled(entry: dict[str, Any]) -> tuple[int, int, float]:
    return entry["die1"], entry["die2"], entry["cubeful_equity"]


def _chances(found: Any) -> Chances:
    return Chances(
        found.win, found.gammon_win, found.backgammon_win, found.gammon_loss, found.backgammon_loss
    )
