"""Move counts of IceGammon to a depth (perft), kept as text in tests/data/perft/icegammon.txt.

A block is a position on a line of JSON, the rolls to be thrown whenever one is due, in turn, and for each
depth the number of sequences of plays, how many of their last plays capture and pin, and how many end the
game: won, or lost by who was stuck. A stage of doubles is a play of its own. A sequence that has ended, or
whose next roll was lost, is counted at no greater depth.
"""

import json
from collections import Counter
from pathlib import Path

import pytest

from engine.rules import get

RULES = get("icegammon")
FILE = Path(__file__).parent.parent / "data" / "perft" / "icegammon.txt"


def blocks():
    lines = [line for line in FILE.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    starts = [number for number, line in enumerate(lines) if line.startswith("{")]
    return [
        (lines[start], lines[start + 1], lines[start + 2 : end])
        for start, end in zip(starts, [*starts[1:], None], strict=True)
    ]


def perft(position, rolls, depth, counts, done=0):
    """Adds up what ``depth`` more plays can lead to, in ``counts`` by depth."""
    if position.dice_due:
        if not rolls:
            return
        position, rolls = position.roll(rolls[0]), rolls[1:]
    for play in position.plays():
        text, outcome = play.text.split(), play.after.outcome
        counts[done + 1, "plays"] += 1
        counts[done + 1, "captures"] += "*" in text[-1]
        counts[done + 1, "pins"] += "^" in text[-1]
        counts[done + 1, "won"] += outcome is not None and outcome.winner == position.turn
        counts[done + 1, "lost"] += outcome is not None and outcome.winner != position.turn
        if depth > 1:
            perft(play.after, rolls, depth - 1, counts, done + 1)


@pytest.mark.parametrize(("data", "rolls", "lines"), blocks())
def test_counts_are_those_of_the_file(data, rolls, lines):
    counts = Counter()
    perft(
        RULES.read(json.loads(data)),
        [tuple(map(int, roll)) for roll in rolls.split()[1:]],
        len(lines),
        counts,
    )
    words = ("plays", "captures", "pins", "won", "lost")
    assert [
        " ".join([f"depth {depth}", *(f"{word} {counts[depth, word]}" for word in words)])
        for depth in range(1, len(lines) + 1)
    ] == lines
