"""How long the judge takes, from position and evidence to verdict: ``python -m tests.bench.judge [TURNS]
[GAME ...]``, 300 turns of every game by default.

Turns are those of random play, Siege Master's on a map of about 200 hexes. Each is judged from four pictures:
a perfect one of the play made; a doubtful one (a tenth of the cells hidden, half of the others unsure between
looks); and the same two after somebody has moved one to three pieces more. Doubles, where a game rolls, have
rows of their own besides.

Times are the processor's, in milliseconds, so that neighbours on the machine disturb little; every picture is
judged in three passes, and the quickest counts, for the same reason.

``new position`` is what a player meets: a table that has been on for a while, and a position that it has
never seen. Each pass begins with the caches as turns of *other* random games have left them, so what the
games keep of looks, piles and steps is there, and nothing that belongs to this position. ``just started``
begins with empty caches, which hold only what earlier turns of the pass left there.
"""

from __future__ import annotations

import argparse
import gc
import random
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from engine import rules as games
from engine.evidence import Evidence
from engine.judge import judge
from engine.layout import Looks
from engine.position import Awaits, Play, Position, Rules
from tests.engine.playing import dice, fixture

TURNS = 300
PASSES = 3
COLS, ROWS, FORTRESSES = 19, 15, 15


def hexes(rng: random.Random) -> Position:
    """A board of Siege Master: a ring of border, a few bites out of its corners, and fortresses at least
    three spaces apart."""
    board = [(col - row // 2, row) for row in range(ROWS) for col in range(COLS)]
    edge = [
        place for place in board if place[1] in (0, ROWS - 1) or place[0] + place[1] // 2 in (0, COLS - 1)
    ]
    border = {*edge, *rng.sample(board, 18)}
    fortresses: list[tuple[int, int]] = []
    while len(fortresses) < FORTRESSES:
        q, r = rng.choice([place for place in board if place not in border])
        if all(max(abs(q - x), abs(r - y), abs(q + r - x - y)) >= 3 for x, y in fortresses):
            fortresses.append((q, r))
    options = {
        "cols": COLS,
        "rows": ROWS,
        "border": [f"{q},{r}" for q, r in border],
        "fortresses": [f"{q},{r}" for q, r in fortresses],
    }
    return games.get("siege-master").start(options)


START: dict[str, Callable[[random.Random], Position]] = {"siege-master": hexes}
"""Games that are measured on another board than that of the contract suite."""


def turns(rules: Rules, rng: random.Random, number: int) -> Iterator[tuple[Position, Play]]:
    """Positions that await a play, each with the random one made, from whole games."""
    while True:
        build = START.get(rules.name)
        position = build(rng) if build else rules.start(fixture(rules).get("options", {}))
        while position.outcome is None:
            if position.awaits is not Awaits.PLAY:
                position = position.roll(dice(rng, position))
                continue
            play = rng.choice(position.plays())
            yield position, play
            number -= 1
            if not number:
                return
            position = play.after


def disturbed(looks: Looks, rng: random.Random) -> Looks:
    """Looks after one to three pieces more have been moved, to where nothing or their own colour stands."""
    new = dict(looks)
    for _ in range(rng.randint(1, 3)):
        source = rng.choice([cell for cell, look in new.items() if look])
        piece = rng.choice(new[source])
        rest = list(new[source])
        rest.remove(piece)
        colour = piece.partition(".")[0]
        target = rng.choice(
            [
                cell
                for cell, look in new.items()
                if cell != source and (not look or look[0].partition(".")[0] == colour)
            ]
        )
        new[source], new[target] = tuple(rest), tuple(sorted((*new[target], piece)))
    return new


def doubtful(looks: Looks, rng: random.Random) -> Evidence:
    """What a middling camera makes of these looks: rivals are the same cell with a piece less or more, or
    what stands elsewhere."""
    raw = {}
    for cell, look in looks.items():
        if rng.random() < 0.1:
            continue
        raw[cell] = {look: 0.0}
        if rng.random() < 0.5:
            rivals = {look[:-1], (*look, *look[-1:]), rng.choice(list(looks.values()))} - {look}
            raw[cell] |= {rival: -rng.uniform(0, 11) for rival in sorted(rivals)}
    return Evidence.of(raw)


def took(position: Position, evidence: Evidence) -> float:
    """Milliseconds of processor time."""
    begun = time.thread_time_ns()
    judge(position, evidence)
    return (time.thread_time_ns() - begun) / 1e6


def forget() -> None:
    """Empties the caches of all games."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "engine":
            for value in vars(module).values():
                if hasattr(value, "cache_clear"):
                    value.cache_clear()


Picture: TypeAlias = tuple[Position, Evidence]


def pictures(rules: Rules, seed: int, number: int) -> dict[str, list[Picture]]:
    """Positions and evidence of random play, by the kind of picture."""
    rng = random.Random(seed)
    cases: dict[str, list[Picture]] = defaultdict(list)
    for position, play in turns(rules, rng, number):
        legal = play.after.looks()
        foul = disturbed(legal, rng)
        for name, looks in (("legal", legal), ("foul", foul)):
            cases[f"{name}, perfect"].append((position, Evidence.certain(looks)))
            cases[f"{name}, doubtful"].append((position, doubtful(looks, rng)))
    return cases


def passes(cases: Sequence[Picture], before: Iterable[Picture]) -> list[float]:
    """The quickest of :data:`PASSES` through these pictures, each after these others."""
    runs = []
    for _ in range(PASSES):
        forget()
        for picture in before:
            judge(*picture)
        runs.append([took(*picture) for picture in cases])
    return [min(times) for times in zip(*runs, strict=True)]


def measured(rules: Rules, number: int) -> Iterator[tuple[str, Sequence[float], Sequence[float]]]:
    """Of every kind of picture: the times of a position new to a warm table, and of one that has just
    started."""
    cases, others = pictures(rules, 1, number), pictures(rules, 2, number)
    gc.collect()
    gc.freeze()  # the cases are the bench's, not the judge's, to be looked through
    for name, these in cases.items():
        new, started = passes(these, others[name]), passes(these, ())
        yield name, new, started
        rolled = any(position.dice for position, _ in these)
        pairs = [
            place
            for place, (position, _) in enumerate(these)
            if len(set(position.dice)) < max(2, len(position.dice))
        ]
        if rolled and pairs:
            yield f"{name}, doubles", [new[place] for place in pairs], [started[place] for place in pairs]


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("turns", nargs="?", type=int, default=TURNS)
    parser.add_argument("names", nargs="*", metavar="GAME", default=list(games.names()))
    options = parser.parse_args()
    print(f"{'milliseconds':<42}{'':>6}{'new position':^28}{'just started':^28}")
    print(f"{'':<42}{'number':>6}" + "".join(f"{name:>7}" for name in ("mean", "p50", "p99", "most")) * 2)
    for name in options.names:
        for picture, new, started in measured(games.get(name), options.turns):
            row = ""
            for times in (new, started):
                ranked = sorted(times)
                few = (
                    sum(ranked) / len(ranked),
                    ranked[len(ranked) // 2],
                    ranked[len(ranked) * 99 // 100],
                    ranked[-1],
                )
                row += "".join(f"{value:>7.2f}" for value in few)
            print(f"{f'{name}, {picture}':<42}{len(new):>6}{row}", flush=True)


if __name__ == "__main__":
    main()
