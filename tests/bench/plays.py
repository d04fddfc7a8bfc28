"""How fast the plays of a roll are found, beside other programs on the same positions.

Run from the root of the repository; contenders that are not installed are left out::

    python -m tests.bench.plays                # ours alone
    pip install --group bench && python -m tests.bench.plays

Each figure is the best of three runs over a pair, so that a busy machine disturbs little. ``plays`` is
everything up to a list of distinct results; OpenSpiel's own actions are half turns with repetitions, so it is
timed a second time with the positions worked out.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Iterator, Sequence, Sized
from functools import partial
from pathlib import Path
from typing import Any

from engine import rules as games
from engine.position import Awaits, Position
from tests.bench.arguments import arguments
from tests.engine.playing import game

PAIRS = 2000
REPEATS = 3
Contender = Callable[[], Sized]


def pairs(name: str, number: int) -> list[Position]:
    """Positions with dice, from random games."""
    found: list[Position] = []
    seed = 1000
    while len(found) < number:
        seed += 1
        found += [before for before, _, _ in game(games.get(name), seed) if before.awaits is Awaits.PLAY]
    return found[:number]


def counts(position: Position) -> tuple[list[int], list[int]]:
    """Of the side on turn and of the other, each in its own numbers: index 0 off, 1-24, 25 the bar."""
    sides: list[list[int]] = []
    for side in ("white", "black"):
        looks = position.looks()
        points = [
            len(look) if (look := looks[f"p{point}"]) and look[0] == side else 0 for point in range(1, 25)
        ]
        ordered = points if side == "white" else points[::-1]
        sides.append([len(looks[f"off.{side}"]), *ordered, len(looks[f"bar.{side}"])])
    return (sides[0], sides[1]) if position.turn == "white" else (sides[1], sides[0])


def ours(positions: Sequence[Position]) -> list[Contender]:
    """``Position.plays``."""
    return [position.plays for position in positions]


def gnubg_nn(positions: Sequence[Position]) -> list[Contender]:
    """GNU Backgammon's generator in C++."""
    import gnubg_nn as gnubg

    found: list[Contender] = []
    for position in positions:
        mine, theirs = counts(position)
        found.append(partial(gnubg.moves, [theirs[1:], mine[1:]], *position.dice))
    return found


def gym_backgammon(positions: Sequence[Position]) -> list[Contender]:
    """gym-backgammon, in Python. Its board alone: the package wants a window."""
    package = importlib.util.find_spec("gym_backgammon")
    assert package
    assert package.origin
    spec = importlib.util.spec_from_file_location(
        "board", Path(package.origin).parent / "envs" / "backgammon.py"
    )
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: list[Contender] = []
    for position in positions:
        board = module.Backgammon()
        looks = position.looks()
        colours = {"white": module.WHITE, "black": module.BLACK}
        points = [looks[f"p{point}"] for point in range(1, 25)]
        board.board = [(len(look), colours[look[0]]) if look else (0, None) for look in points]
        board.bar = [len(looks[f"bar.{side}"]) for side in colours]
        board.off = [len(looks[f"off.{side}"]) for side in colours]
        board.players_positions = board.get_players_positions()
        board.state = board.save_state()
        one, two = position.dice
        roll = (-one, -two) if position.turn == "white" else (one, two)
        found.append(partial(board.get_valid_plays, colours[str(position.turn)], roll))
    return found


class OpenSpiel:
    """OpenSpiel's backgammon. It takes no positions, so its games are led along ours, play by play."""

    WHITE, BLACK, BAR = 1, 0, 100

    def __init__(self, name: str) -> None:
        import pyspiel

        self._game = pyspiel.load_game("backgammon")
        self._rules = games.get(name)

    def states(self, number: int) -> list[Any]:
        """A state for each of the first ``number`` pairs."""
        found: list[Any] = []
        seed = 1000
        while len(found) < number:
            seed += 1
            state = self._game.new_initial_state()
            for _, action, after in game(self._rules, seed):
                if isinstance(action, tuple):
                    self._roll(state, action, str(after.turn))
                else:
                    found.append(state.clone())
                    state = self._play(state, self._board(after))
        return found[:number]

    def _roll(self, state: Any, dice: tuple[int, ...], turn: str) -> None:
        high, low = max(dice), min(dice)
        for action, _ in state.chance_outcomes():
            child = state.child(action)
            line = child.to_string().split("Dice: ")[1][:2]
            if sorted(line) == sorted(f"{high}{low}") and child.current_player() == (
                self.WHITE if turn == "white" else self.BLACK
            ):
                state.apply_action(action)
                return
        raise ValueError(f"OpenSpiel knows no roll {dice}")

    def _board(self, position: Position) -> tuple[int, ...]:
        looks = position.looks()
        white = [
            len(look) if (look := looks[f"p{point}"]) and look[0] == "white" else 0 for point in range(1, 25)
        ]
        black = [
            len(look) if (look := looks[f"p{point}"]) and look[0] == "black" else 0 for point in range(1, 25)
        ]
        return (*white, *black, len(looks["bar.white"]), len(looks["bar.black"]))

    def _stands(self, state: Any) -> tuple[int, ...]:
        sides = [state.board(side, point) for side in (self.WHITE, self.BLACK) for point in range(24)]
        return (*sides, state.board(self.WHITE, self.BAR), state.board(self.BLACK, self.BAR))

    def results(self, state: Any) -> dict[tuple[int, ...], Any]:
        """The boards that whole turns lead to, each with a state."""
        mover = state.current_player()
        found: dict[tuple[int, ...], Any] = {}
        halves = [state]
        while halves:
            half = halves.pop()
            for action in half.legal_actions():
                child = half.child(action)
                if child.current_player() == mover:
                    halves.append(child)
                else:
                    found.setdefault(self._stands(child), child)
        return found

    def _play(self, state: Any, board: tuple[int, ...]) -> Any:
        return self.results(state)[board]


def open_spiel(positions: Sequence[Position]) -> list[Contender]:
    """OpenSpiel's own actions: half turns, in C++."""
    return [state.legal_actions for state in OpenSpiel("backgammon").states(len(positions))]


def open_spiel_expanded(positions: Sequence[Position]) -> list[Contender]:
    """OpenSpiel's actions, followed to the positions that they lead to."""
    spiel = OpenSpiel("backgammon")
    return [partial(spiel.results, state) for state in spiel.states(len(positions))]


CONTENDERS: dict[str, tuple[str, Callable[[Sequence[Position]], list[Contender]]]] = {
    "Barpoint": ("engine", ours),
    "gnubg-nn (C++)": ("gnubg_nn", gnubg_nn),
    "OpenSpiel, half turns (C++)": ("pyspiel", open_spiel),
    "gym-backgammon": ("gym_backgammon", gym_backgammon),
    "OpenSpiel, positions": ("pyspiel", open_spiel_expanded),
}


def timed(calls: Sequence[Contender]) -> list[float]:
    """Microseconds of each call, the best of REPEATS, sorted."""
    best = [float("inf")] * len(calls)
    for _ in range(REPEATS):
        for place, call in enumerate(calls):
            begun = time.perf_counter_ns()
            call()
            best[place] = min(best[place], (time.perf_counter_ns() - begun) / 1000)
    return sorted(best)


def rows() -> Iterator[tuple[str, float, float, float]]:
    """Of each contender: its name, mean and p99 in microseconds, results a pair."""
    positions = pairs("backgammon", PAIRS)
    for name, (module, build) in CONTENDERS.items():
        if importlib.util.find_spec(module):
            calls = build(positions)
            times = timed(calls)
            yield (
                name,
                sum(times) / len(times),
                times[len(times) * 99 // 100],
                sum(len(call()) for call in calls) / len(calls),
            )


def main() -> None:
    """Print the table."""
    arguments(__doc__)
    print(f"plays of {PAIRS} (position, dice) pairs of random backgammon, microseconds, best of {REPEATS}")
    print(f"{'':<28}{'mean':>9}{'p99':>9}{'ratio':>8}{'results':>9}")
    base = 0.0
    for name, mean, p99, results in rows():
        base = base or mean
        print(f"{name:<28}{mean:>9.1f}{p99:>9.1f}{mean / base:>8.2f}{results:>9.1f}", flush=True)


if __name__ == "__main__":
    main()
