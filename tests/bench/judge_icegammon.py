"""How long IceGammon's judge takes: ``python -m tests.bench.judge_icegammon [TURNS] [SEED]``, 2,000 turns of random play by default.

Every turn is judged once from a perfect picture of the play made, once from a doubtful one (a tenth of the cells hidden, half of
them unsure), and once from a picture with one to three spaces changed. Times are the processor's, of one call
each, nothing repeated. Beside them stands what listing every play of the same positions takes.
"""

from __future__ import annotations

import gc
import random
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from engine.evidence import Evidence
from engine.judge import judge
from engine.position import Position
from engine.rules import get
from tests.engine.ice_boards import games
from tests.engine.test_icegammon_judge import blurred, spoiled


def took(work: Callable[[], Any]) -> float:
    """Milliseconds of processor time."""
    begun = time.thread_time()
    work()
    return (time.thread_time() - begun) * 1000


def row(name: str, times: Sequence[float]) -> str:
    """A line of the table."""
    ranked = sorted(times)
    marks = (sum(ranked) / len(ranked), *(ranked[int(len(ranked) * share)] for share in (0.5, 0.9, 0.99)), ranked[-1])
    return f"{name:<34}{len(ranked):>7}" + "".join(f"{mark:>9.2f}" for mark in marks)


def main(turns: int = 2000, seed: int = 1) -> None:
    """Plays first, then measures, then prints one table."""
    rng = random.Random(seed)
    times: dict[str, list[float]] = {}
    cases: list[tuple[str, str, Position, Evidence]] = []
    for position, plays, play in games(rng, get("icegammon"), turns):
        kind = "doubles" if not position.dice or len(set(position.dice)) < 3 else "singles"
        looks = play.after.looks()
        cases.append(("perfect", kind, position, Evidence.certain(looks)))
        cases.append(("doubtful", kind, position, blurred(looks, rng, 0.1, 0.5, 0.0)))
        cases.append(("illegal", kind, position, Evidence.certain(spoiled(looks, rng))))
        times.setdefault("plays, listed", []).append(took(position.plays))
        times.setdefault("results of a turn (number)", []).append(len(plays))
    gc.collect()
    gc.freeze()  # the cases are the bench's, not the judge's, to be looked through
    for picture, kind, position, evidence in sorted(cases, key=lambda case: case[0], reverse=True):
        spent = took(lambda: judge(position, evidence))  # noqa: B023  # called at once
        for name in (f"judge, {picture}, {kind}", f"judge, {picture}, all"):
            times.setdefault(name, []).append(spent)
    print(f"{'milliseconds':<34}{'turns':>7}{'mean':>9}{'p50':>9}{'p90':>9}{'p99':>9}{'max':>9}")
    for name in sorted(times):
        print(row(name, times[name]))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
