"""bgsage (Open Sage, Mozilla Public License 2.0): an engine that is a Python package, its weights included.

Its boards are 26 numbers from the deciding side's view: 1-24 are points (the own checkers positive, the
opponent's negative), 25 the own bar, 0 the opponent's bar, both positive.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from firmware.engines import BeforeRoll, Board, Chances, Counts, NoEngine, Ranked, Spot

CHECKERS = 15
"""A side; bgsage knows no other game."""

OWNERS = {0: "centered", 1: "player", -1: "opponent"}


SHORTLIST, WINDOW = 6, 0.16
"""Plays that are looked at thoroughly: at most so many, all within so many points of equity of the first by
the network alone."""

NEAR, AGAIN = 0.08, 4
"""Of these, those that are looked at a ply further: so many, within so many points of the best. Without it a
play that is best only in the longer look cost nothing."""

CUT = 11
"""Plays after which a game of a rollout is taken to be worth what the engine says."""

FAR = 0.25
"""Points of equity that a double seems to give away, from which the cube is not looked at again: an even
number of plies is up to 0.12 off (four positions, gnubg and our own deeper looks agreeing)."""


class Sage:
    """bgsage, looking so many ``plies`` ahead (1: the network alone). Plays near the best, and the one that
    was made, are looked at again a ply further, and so is the cube where a double is near.

    What a play is worth is asked of the library's core: its ``post_move_analytics`` leaves out that the
    opponent may double at once, which is worth up to 0.2 in a match (at 3-away 4-away it found 0.15 lost
    where gnubg and XG find 0.28 and 0.26, and this 0.28)."""

    def __init__(self, plies: int) -> None:
        import bgbot_cpp
        import bgsage
        from bgsage.weights import bearoff_db_path, default_weights

        looks = [
            bgsage.BgBotAnalyzer(eval_level=f"{each}ply", parallel_threads=1)
            for each in (1, max(plies, 2), plies + 1)
        ]
        self._network, self._thinks, self._checks = looks
        self._plies = plies
        weights, path = default_weights(), bearoff_db_path()
        found = bgbot_cpp.create_strategy(
            weights.strategy_type, weights.weight_paths_list, weights.hidden_sizes_list
        )
        self._bearoff = bgbot_cpp.BearoffDB()
        if path is None or not self._bearoff.load(path):
            self._bearoff = None
        self._strategy = found if self._bearoff is None else bgbot_cpp.BearoffStrategy(found, self._bearoff)
        self._worth = bgbot_cpp.cubeful_probs_and_equity_nply
        self._owners = {0: bgbot_cpp.CubeOwner.CENTERED, 1: bgbot_cpp.CubeOwner.PLAYER}
        self._owners[-1] = bgbot_cpp.CubeOwner.OPPONENT

    def plays(self, spot: Spot, played: Board | None = None) -> Sequence[Ranked]:
        """As :class:`firmware.engines.Engine`."""
        assert spot.dice is not None
        found = self._network.checker_play(_board(spot.own, spot.other), *spot.dice, **_stakes(spot))
        moves = [(*_counts(move.board), move.equity, _chances(move.probs)) for move in found.moves]
        quick = [Ranked(*each) for each in moves]
        if self._plies == 1:
            return quick
        short = [each for each in quick[:SHORTLIST] if quick[0].equity - each.equity < WINDOW]
        looked = self._looked_at(quick, short, self._plies, spot)
        near = [each for each in looked[: len(short)] if looked[0].equity - each.equity < NEAR][:AGAIN]
        near += [each for each in looked if (each.own, each.other) == played and each not in near]
        return self._looked_at(looked, near, self._plies + 1, spot) if len(near) > 1 else looked

    def _looked_at(
        self, plays: Sequence[Ranked], chosen: Sequence[Ranked], plies: int, spot: Spot
    ) -> list[Ranked]:
        """The plays, best first, those ``chosen`` looked at so far ahead. The others are moved by as much as
        the best of these: a longer look changes the level of all, and nobody may win by not being looked
        at."""
        better = sorted((self._after(plies, each, spot) for each in chosen), key=lambda each: -each.equity)
        before = {(each.own, each.other): each.equity for each in chosen}
        shift = better[0].equity - before[better[0].own, better[0].other]
        rest = [
            replace(each, equity=min(each.equity + shift, better[0].equity))
            for each in plays
            if (each.own, each.other) not in before
        ]
        return sorted(better + rest, key=lambda each: -each.equity)

    def _cube(self, look: Any, spot: Spot, rolls: bool) -> Any:
        """The cube by one analyser. Without beavers: with them, the equity of a take is that of a beaver
        where it is one."""
        board = _board(spot.own, spot.other)
        return look.cube_action(board, beaver=False, incl_2ply_details=rolls, **_stakes(spot))

    def _after(self, plies: int, play: Ranked, spot: Spot) -> Ranked:
        """A play looked at so far ahead, as the opponent sees it before the roll."""
        if CHECKERS in (play.own[0], play.other[0]):
            return play  # the game is over
        found = self._worth(
            _board(play.other, play.own),
            self._owners[-spot.owner],
            self._strategy,
            plies,
            n_threads=1,
            cube_value=spot.cube,
            away1=spot.away[1],
            away2=spot.away[0],
            is_crawford=spot.crawford,
            jacoby=spot.jacoby,
            beaver=False,
            bearoff_db=self._bearoff,
            root_board=_board(spot.own, spot.other),
        )
        return Ranked(play.own, play.other, -found["equity"], Chances(*found["probs"]).turned())

    def rollout(self, spot: Spot, board: Board, trials: int, seed: int) -> float:
        """The equity of a play that left this board, from so many games, cut short after some rolls."""
        import bgsage

        look = bgsage.BgBotAnalyzer(
            eval_level="rollout", n_trials=trials, truncation_depth=CUT, seed=seed, parallel_threads=1
        )
        return float(look.post_move_analytics(_board(*board), **_stakes(spot)).cubeful_equity)

    def before_roll(self, spot: Spot, rolls: bool = True) -> BeforeRoll:
        """As :class:`firmware.engines.Engine`."""
        look = self._network if self._plies == 1 and not rolls else self._thinks
        found = self._cube(look, spot, rolls)
        if self._plies > 1 and found.equity_nd - min(found.equity_dt, found.equity_dp) < FAR:
            found = self._cube(self._checks, spot, rolls)
        each = ((found.details or {}).get("nd") or []) if rolls else []
        after = {(max(a, b), min(a, b)): e for a, b, e in map(_rolled, each)}
        if rolls and len(after) != 21:
            raise NoEngine(f"bgsage gave {len(after)} of 21 rolls")
        cubes = found.equity_nd, found.equity_dt, found.equity_dp
        return BeforeRoll(*cubes, _chances(found.probs), after)


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
