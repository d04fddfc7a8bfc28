"""Move counts of Siege Master to a depth (perft), kept as text in tests/data/perft/siege-master.txt.

Each line counts the sequences of ``depth`` plays from the start of the board above it: all of them, those
after which the last turn counts as a capture, and those that ended the game. A game that is over is played no
further.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.position import Position
from tests.engine import naive_siege_master as naive
from tests.engine.siege_boards import start

FILE = Path(__file__).parent.parent / "data" / "perft" / "siege-master.txt"
Counts = tuple[int, int, int]


def counts() -> Iterator[tuple[str, tuple[str, ...], int, Counts]]:
    """Each line of the file: the board's name, its rows, the depth and the counts."""
    name, rows = "", []
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("board "):
            name, rows = line.removeprefix("board "), []
        elif line.startswith("depth "):
            depth, total, captures, ends = (int(word) for word in line.split() if word.isdigit())
            yield name, tuple(rows), depth, (total, captures, ends)
        elif line and not line.startswith("//"):
            rows.append(line)


def count(position: Position, depth: int) -> Counts:
    """The sequences of ``depth`` plays: all, those that end with a capture, those that end the game."""
    afters = [play.after for play in position.plays()]
    if depth == 1:
        return (
            len(afters),
            sum(after.to_json()["last_capture"] for after in afters),
            sum(after.outcome is not None for after in afters),
        )
    total, captures, ends = (
        (sum(column) for column in zip(*(count(after, depth - 1) for after in afters), strict=True))
        if afters
        else (0, 0, 0)
    )
    return total, captures, ends


def slow_count(state: naive.State, depth: int) -> Counts:
    """The same, by the slow twin."""
    afters: list[dict[str, Any]] = naive.results(state)
    if depth == 1:
        return (
            len(afters),
            sum(after["last_capture"] for after in afters),
            sum(naive.result(after) is not None for after in afters),
        )
    deeper = [slow_count(after, depth - 1) for after in afters]
    return sum(one[0] for one in deeper), sum(one[1] for one in deeper), sum(one[2] for one in deeper)


CASES = list(counts())
NAMES = [f"{name}, depth {depth}" for name, _, depth, _ in CASES]


@pytest.mark.parametrize(("rows", "depth", "expected"), [case[1:] for case in CASES], ids=NAMES)
def test_sequences_of_plays_are_as_many_as_counted(
    rows: tuple[str, ...], depth: int, expected: Counts
) -> None:
    assert count(start(*rows), depth) == expected


@pytest.mark.parametrize(("rows", "depth", "expected"), [case[1:] for case in CASES if case[2] <= 2])
def test_the_slow_twin_counts_as_many(rows: tuple[str, ...], depth: int, expected: Counts) -> None:
    assert slow_count(start(*rows).to_json(), depth) == expected
