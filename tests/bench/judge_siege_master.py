"""How long the judge takes over a turn of Siege Master: ``python tests/bench/judge_siege_master.py [GAMES]``.

Games are played at random on a map of about 200 hexes and 15 fortresses. Every turn is judged four times: from perfect evidence of
the play, from that of a poor camera, with one hex of the army elsewhere, and with captured fortresses (if any) not replaced.
A figure is the best of three runs of the same judgement, so that it measures the program and not the neighbours on the machine.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from engine.evidence import Evidence
from engine.judge import judge
from engine.layout import Look, Looks
from engine.position import Position
from engine.rules import get

COLS, ROWS, FORTRESSES = 19, 15, 15


def start(rng: random.Random) -> Position:
    """A board with a ring of border, a few bites out of its corners, and 15 fortresses at least three spaces apart."""
    board = [(col - row // 2, row) for row in range(ROWS) for col in range(COLS)]
    edge = [place for place in board if place[1] in (0, ROWS - 1) or place[0] + place[1] // 2 in (0, COLS - 1)]
    border = {*edge, *rng.sample(board, 18)}
    fortresses: list[tuple[int, int]] = []
    while len(fortresses) < FORTRESSES:
        q, r = rng.choice([place for place in board if place not in border])
        if all(max(abs(q - x), abs(r - y), abs(q + r - x - y)) >= 3 for x, y in fortresses):
            fortresses.append((q, r))
    options = {"cols": COLS, "rows": ROWS, "border": [f"{q},{r}" for q, r in border], "fortresses": [f"{q},{r}" for q, r in fortresses]}
    return get("siege-master").start(options)


def poor(looks: Looks, rng: random.Random) -> Evidence:
    """What a poor camera makes of it: every hex unsure between a few looks, one in fifty plainly wrong, one in twenty hidden."""
    known: list[Look] = [(), ("border",), ("army.red",), ("army.blue",), ("fortress.neutral",), ("fortress.red",), ("fortress.blue",)]
    raw = {}
    for cell, look in looks.items():
        if rng.random() >= 0.05:
            raw[cell] = {other: rng.uniform(-11, -1) for other in rng.sample(known, 3)} | {look: 0.0}
            if rng.random() < 0.02:
                raw[cell] |= {rng.choice(known): 3.0}
    return Evidence.of(raw)


def best_of_three(action: Callable[[], object]) -> float:
    """Milliseconds."""
    times = []
    for _ in range(3):
        begun = time.perf_counter()
        action()
        times.append(time.perf_counter() - begun)
    return min(times) * 1000


def main(games: int) -> None:
    """Play, judge, and print a table."""
    rng = random.Random(1)
    times: dict[str, list[float]] = {"plays()": [], "legal": [], "poor picture": [], "hex astray": [], "not replaced": []}
    for _ in range(games):
        position = start(rng)
        while position.outcome is None:
            plays = position.plays()
            play = rng.choice(plays)
            looks = play.after.looks()
            new = [cell for cell, look in position.looks().items() if looks[cell] != look]
            pictures = {"legal": Evidence.certain(looks), "poor picture": poor(looks, rng)}
            free = rng.choice([cell for cell, look in looks.items() if not look])
            pictures["hex astray"] = Evidence.certain({**looks, free: looks[new[0]], new[0]: ()})
            captured = {cell: position.looks()[cell] for cell in new if looks[cell][0].startswith("fortress")}
            if captured:
                pictures["not replaced"] = Evidence.certain({**looks, **captured})
            times["plays()"].append(best_of_three(position.plays))
            for name, evidence in pictures.items():
                times[name].append(best_of_three(lambda before=position, seen=evidence: judge(before, seen)))  # type: ignore[misc]  # bound now
            position = play.after
    print(f"{'milliseconds':<14}{'number':>8}{'mean':>8}{'p50':>8}{'p99':>8}{'most':>8}")
    for name, values in times.items():
        values.sort()
        row = (sum(values) / len(values), values[len(values) // 2], values[int(len(values) * 0.99)], values[-1])
        print(f"{name:<14}{len(values):>8}" + "".join(f"{value:>8.2f}" for value in row))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
