"""Counts to a depth (perft) of the checker games, kept as text in tests/data/perft.

A file holds positions, one JSON line each, and under each the counts after 1, 2, … turns of every roll (21
kinds; before the opening the 30 unequal pairs of one die each): the plays of all distinct positions before,
the distinct positions that they lead to, and of these the games that are over, by kind. ``python -m
tests.engine.test_checkers_perft`` counts the kept positions again.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import combinations_with_replacement, permutations
from pathlib import Path

import pytest

from engine import rules as games
from engine.position import Awaits, Position
from tests.engine.naive_checkers import backgammon_steps, freeze, siege_steps, turns

FOLDER = Path(__file__).parent.parent / "data" / "perft"
NAMES = [name for name in games.names() if games.get(name).board == "checkers"]


def blocks(name: str) -> Iterator[tuple[str, list[str]]]:
    """The positions of a game's file, each with its lines of counts."""
    position, lines = "", []
    for line in (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("{"):
            if position:
                yield position, lines
            position, lines = line, []
        elif line.startswith("depth"):
            lines.append(line)
    yield position, lines


def rolls(position: Position) -> list[tuple[int, ...]]:
    opening = position.awaits is Awaits.OPENING
    return list(permutations(range(1, 7), 2) if opening else combinations_with_replacement(range(1, 7), 2))


def counted(position: Position, depth: int) -> Iterator[str]:
    """The lines of counts for depths 1 to ``depth``."""
    level = {position}
    for number in range(1, depth + 1):
        plays = [
            play.after
            for before in level
            if before.outcome is None
            for dice in rolls(before)
            for play in before.roll(dice).plays()
        ]
        level = set(plays)
        ends = Counter(after.outcome.kind for after in level if after.outcome)
        over = "".join(f", {count} over by {kind}" for kind, count in sorted(ends.items()))
        yield f"depth {number}: {len(plays)} plays, {len(level)} positions{over}"


CASES = [(name, *block) for name in NAMES for block in blocks(name)]


@pytest.mark.parametrize(("name", "position", "lines"), CASES)
def test_plays_and_positions_are_as_many_as_counted(name: str, position: str, lines: list[str]) -> None:
    assert lines
    assert list(counted(games.get(name).read(json.loads(position)), len(lines))) == lines


def own_sides(data: dict[str, dict[str, int]], name: str) -> list[dict[object, int]]:
    """White's and black's own places, from the JSON of a position."""
    keys = ("reserve", "locked") if name == "siegegammon" else ("bar", "off")
    sides: list[dict[object, int]] = []
    for side, sign in enumerate((1, -1)):
        falling = (sign == 1) != (name == "siegegammon")
        points = {
            (int(p) if falling else 25 - int(p)): abs(n) for p, n in data["points"].items() if n * sign > 0
        }
        sides.append({**points, **{key: data[key][side] for key in keys}})
    return sides


@pytest.mark.parametrize(("name", "position"), [case[:2] for case in CASES])
def test_a_slow_twin_reaches_the_same_boards_in_one_turn(name: str, position: str) -> None:
    before = games.get(name).read(json.loads(position))
    steps = siege_steps if name == "siegegammon" else backgammon_steps
    for dice in rolls(before):
        rolled = before.roll(dice)
        order = 1 if rolled.turn == "white" else -1
        ours = [freeze(*own_sides(play.after.to_json(), name)[::order]) for play in rolled.plays()]
        mine, theirs = own_sides(before.to_json(), name)[::order]
        assert sorted(ours) == sorted(turns(mine, theirs, dice, steps))


if __name__ == "__main__":
    for game in NAMES:
        text = (FOLDER / f"{game}.txt").read_text(encoding="utf-8")
        kept = [line for line in text.splitlines() if not line.startswith("depth")]
        depths = {position: len(lines) or 2 for position, lines in blocks(game)}
        written = []
        for line in kept:
            written.append(line)
            if line in depths:
                written += counted(games.get(game).read(json.loads(line)), depths[line])
        (FOLDER / f"{game}.txt").write_text("\n".join(written) + "\n", encoding="utf-8")
