"""bgsage (Open Sage, Mozilla Public License 2.0): an engine that is a Python package, its weights included.

Its boards are 26 numbers from the deciding side's view: 1-24 are points (the own checkers positive, the
opponent's negative), 25 the own bar, 0 the opponent's bar, both positive.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from firmware.engines import ROLLS, BeforeRoll, Board, Chances, Counts, Ranked, Roll, Spot

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

DEEPER = 15
"""How many times as long a look takes that goes a ply further."""


class Left(NamedTuple):
    """A board that a play leaves, what that is worth, and the five chances of the side that played."""

    board: list[int]
    equity: float
    found: Sequence[float]


class Sage:
    """bgsage, looking so many ``plies`` ahead (1: the network alone). Plays near the best, and the one that
    was made, are looked at again a ply further, and so is the cube where a double is near. Where an answer
    takes longer than ``limit`` seconds, it is the best that was found so far.

    Its core is asked, with the networks loaded once. The library's own classes load all 24 of them anew for
    each cube decision (40 ms of processor time, where the decision takes 0.02), and their
    ``post_move_analytics`` leaves out that the opponent may double at once, which is worth up to 0.2 in a
    match (at 3-away 4-away it found 0.15 lost where gnubg and XG find 0.28 and 0.26, and this 0.28)."""

    def __init__(self, plies: int, limit: float | None = None) -> None:
        import bgbot_cpp
        from bgsage.weights import bearoff_db_path, default_weights

        self._core, self._plies, self._limit = bgbot_cpp, plies, limit
        weights, path = default_weights(), bearoff_db_path()
        found = bgbot_cpp.create_strategy(
            weights.strategy_type, weights.weight_paths_list, weights.hidden_sizes_list
        )
        self._bearoff = bgbot_cpp.BearoffDB()
        if path is None or not self._bearoff.load(path):
            self._bearoff = None
        self._strategy = found if self._bearoff is None else bgbot_cpp.BearoffStrategy(found, self._bearoff)
        self._owners = {0: bgbot_cpp.CubeOwner.CENTERED, 1: bgbot_cpp.CubeOwner.PLAYER}
        self._owners[-1] = bgbot_cpp.CubeOwner.OPPONENT

    def plays(self, spot: Spot, played: Board | None = None) -> Sequence[Ranked]:
        """As :class:`firmware.engines.Engine`."""
        begun = time.perf_counter()
        quick = [self._ranked(each) for each in self._left(spot)]
        if self._plies == 1 or not quick:
            return quick
        short = [each for each in quick[:SHORTLIST] if quick[0].equity - each.equity < WINDOW]
        looked = self._looked_at(quick, short, self._plies, spot, begun)
        near = [each for each in looked[: len(short)] if looked[0].equity - each.equity < NEAR][:AGAIN]
        near += [each for each in looked if (each.own, each.other) == played and each not in near]
        return self._looked_at(looked, near, self._plies + 1, spot, begun) if len(near) > 1 else looked

    def _looked_at(
        self, plays: Sequence[Ranked], chosen: Sequence[Ranked], plies: int, spot: Spot, begun: float
    ) -> Sequence[Ranked]:
        """The plays, best first, those ``chosen`` looked at so far ahead, as many as there is time for. The
        others are moved by as much as the best of these: a longer look changes the level of all, and nobody
        may win by not being looked at."""
        better: list[Ranked] = []
        for each in chosen:
            if self._limit is not None and time.perf_counter() - begun > self._limit:
                break
            better.append(self._after(plies, each, spot))
        if not better:
            return plays
        before = {(each.own, each.other): each.equity for each in chosen[: len(better)]}
        better.sort(key=lambda each: -each.equity)
        shift = better[0].equity - before[better[0].own, better[0].other]
        rest = [
            replace(each, equity=min(each.equity + shift, better[0].equity))
            for each in plays
            if (each.own, each.other) not in before
        ]
        return sorted(better + rest, key=lambda each: -each.equity)

    def _after(self, plies: int, play: Ranked, spot: Spot) -> Ranked:
        """A play looked at so far ahead, as the opponent sees it before the roll."""
        if CHECKERS in (play.own[0], play.other[0]):
            return play  # the game is over
        asked = replace(
            spot, own=play.other, other=play.own, dice=None, owner=-spot.owner, away=spot.away[::-1]
        )
        chances, equity = self._ahead(plies, asked, spot)
        return Ranked(play.own, play.other, -equity, chances.turned())

    def before_roll(self, spot: Spot, rolls: bool = True) -> BeforeRoll:
        """As :class:`firmware.engines.Engine`."""
        if self._plies == 1 and not rolls:
            return self._now(spot)
        begun = time.perf_counter()
        best = {roll: self._ranked(self._left(replace(spot, dice=roll))[0]) for roll in ROLLS}
        found = self._cube(max(self._plies, 2), spot, best)
        near = found.no_double - min(found.double_take, found.double_drop) < FAR
        late = self._limit is not None and DEEPER * (time.perf_counter() - begun) > self._limit
        if self._plies > 1 and near and not late:
            found = self._cube(self._plies + 1, spot, best)
        return found

    def _cube(self, plies: int, spot: Spot, best: Mapping[Roll, Ranked]) -> BeforeRoll:
        """The cube and the rolls, so far ahead, each roll played as is ``best`` by the network alone. Without
        beavers: with them, the equity of a take is that of a beaver where it is one."""
        rolls = {
            roll: (play if plies == 2 else self._after(plies - 1, play, spot)).equity
            for roll, play in best.items()
        }
        hold = sum(rolls[roll] * ways for roll, ways in ROLLS.items()) / sum(ROLLS.values())
        doubled = replace(spot, cube=2 * spot.cube, owner=-1)
        take = self._stake(self._ahead(plies, doubled, spot)[1], doubled, spot.cube)
        return BeforeRoll(hold, take, self._now(spot).double_drop, self._ahead(plies, spot, spot)[0], rolls)

    def _ranked(self, left: Left) -> Ranked:
        return Ranked(*_counts(left.board), left.equity, Chances(*left.found))

    def _left(self, spot: Spot) -> list[Left]:
        """The boards that all plays leave, best first by the network alone: what the opponent's best cube
        action makes of each."""
        assert spot.dice is not None
        plays = self._core.possible_moves(_board(spot.own, spot.other), *spot.dice)
        return sorted((self._look(spot, list(play)) for play in plays), key=lambda each: -each.equity)

    def _look(self, spot: Spot, board: list[int]) -> Left:
        found = self._strategy.evaluate_board(board, board)["probs"]
        if self._core.check_game_over(board):
            terms = (spot.cube, self._owners[spot.owner], 0.0, *spot.away, spot.crawford, spot.jacoby)
            return Left(board, self._core.cl2cf(found, *terms), found)
        cube = self._decide(board, _turned(found), -spot.owner, spot.away[::-1], spot)
        return Left(board, -_best(cube, spot), found)

    def _now(self, spot: Spot) -> BeforeRoll:
        """The cube by the network alone, which knows boards that a play has left: here the opponent's."""
        left = _board(spot.other, spot.own)
        found = _turned(self._strategy.evaluate_board(left, left)["probs"])
        cube = self._decide(left, found, spot.owner, spot.away, spot)
        return BeforeRoll(cube.equity_nd, cube.equity_dt, cube.equity_dp, Chances(*found), {})

    def _decide(
        self, board: list[int], found: list[float], owner: int, away: tuple[int, int], spot: Spot
    ) -> Any:
        """The core's cube decision of a side with these five chances; ``board`` from either side's view."""
        core = self._core
        alive = core.cube_efficiency(found, core.is_race(board), *core.pip_counts(board))
        return core.cube_decision_1ply(
            found, spot.cube, self._owners[owner], alive, *away, spot.crawford, spot.jacoby
        )

    def _ahead(self, plies: int, spot: Spot, root: Spot) -> tuple[Chances, float]:
        """The chances before a roll, and the equity with the best cube action, so far ahead; ``root`` is the
        decision that all this is about."""
        found = self._core.cubeful_probs_and_equity_nply(
            _board(spot.own, spot.other),
            self._owners[spot.owner],
            self._strategy,
            plies,
            n_threads=1,
            cube_value=spot.cube,
            away1=spot.away[0],
            away2=spot.away[1],
            is_crawford=spot.crawford,
            jacoby=spot.jacoby,
            beaver=False,
            bearoff_db=self._bearoff,
            root_board=_board(root.own, root.other),
        )
        return Chances(*found["probs"]), float(found["equity"])

    def _stake(self, equity: float, spot: Spot, cube: int) -> float:
        """An equity at the stake of ``spot`` as one at another stake."""
        if not spot.away[0]:
            return equity * spot.cube / cube
        won = self._core.eq2mwc(equity, *spot.away, spot.cube, spot.crawford)
        return float(self._core.mwc2eq(won, *spot.away, cube, spot.crawford))

    def rollout(self, spot: Spot, board: Board, trials: int, seed: int) -> float:
        """The equity of a play that left this board, from so many games, cut short after some rolls."""
        import bgsage

        look = bgsage.BgBotAnalyzer(
            eval_level="rollout", n_trials=trials, truncation_depth=CUT, seed=seed, parallel_threads=1
        )
        return float(look.post_move_analytics(_board(*board), **_stakes(spot)).cubeful_equity)


def _best(cube: Any, spot: Spot) -> float:
    """What a cube decision of the opponent is worth to it, who may or may not double."""
    dead = bool(spot.away[1]) and spot.cube >= spot.away[1]
    if spot.crawford or spot.owner > 0 or dead:
        return float(cube.equity_nd)
    return float(max(cube.equity_nd, min(cube.equity_dt, cube.equity_dp)))


def _turned(found: Sequence[float]) -> list[float]:
    """Five chances as the other side's."""
    win, gammon, backgammon, gammon_lost, backgammon_lost = found
    return [1 - win, gammon_lost, backgammon_lost, gammon, backgammon]


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
