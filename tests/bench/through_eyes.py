"""Whole games at a painted table, through the eyes: ``python -P tests/bench/through_eyes.py [--games N] [GAME …]``.

Every position of N random games of each game is painted, read and judged (``hardware.painter``, ``vision``, ``engine.judge``); now and
then a piece is put where no play leaves it. Counted are the verdicts: right (the play made, or the foul), unsure, and wrong.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Mapping
from typing import Any

from engine import rules as games
from engine.errors import EngineError
from engine.judge import Kind, judge
from engine.layout import Cell, Layout, Stack, distance
from engine.position import Awaits, Position, Rules
from hardware.painter import Painter
from vision import boards
from vision.boards import Table
from vision.frame import Frame

SIEGE: Mapping[str, Any] = {
    "cols": 12,
    "rows": 10,
    "border": [f"{c - r // 2},{r}" for r in range(10) for c in range(12) if c in (0, 11) or r in (0, 9)],
    "fortresses": ["1,2", "6,2", "2,5", "6,6", "0,7"],
}
"""A small map for games whose players set it up."""
FOULS = 0.15
"""How many of the turns are fouls."""


def begun(rules: Rules) -> Position:
    """The first position of a game."""
    return rules.start({**rules.options, **{key: value for key, value in SIEGE.items() if key in rules.options}})


def learned(rules: Rules, painter: Painter) -> Table:
    """A table learned from painted pictures, as its owner would do it."""
    kind = boards.get(rules.board)
    position = begun(rules)
    if rules.board == "checkers":
        start = games.get("backgammon").start({})
        return kind.calibrate(painter.paint(start.layout()), painter.corners, painter.geometry, start.looks())
    if rules.board == "hexes":
        return kind.calibrate(painter.paint(position.layout()), painter.corners, painter.geometry)
    sample: dict[Cell, Stack] = {}
    for side, points in (("white", (1, 3, 5, 8, 14, 20)), ("black", (2, 6, 10, 16, 19, 23))):
        for turn, point in enumerate(points):
            sample[f"p{point}"] = ((f"{side}.{turn % 3 + 1}",),)
    looks = {cell: stack[-1] for cell, stack in sample.items()}
    return kind.calibrate(painter.paint(sample), painter.corners, painter.geometry, looks, painter.paint({}))


def play(rules: Rules, table: Table, painter: Painter, rng: random.Random, turns: int = 400, verbose: bool = False) -> Counter[str]:
    """One random game; what the verdicts were."""
    found: Counter[str] = Counter()
    position = begun(rules)
    for shot in range(turns):
        while position.awaits in (Awaits.OPENING, Awaits.ROLL):
            position = position.roll(tuple(rng.randint(1, 6) for _ in range(position.dice_due)))
        if position.awaits is not Awaits.PLAY:
            break
        plays = position.plays()
        made = rng.choice(plays)
        layout: Layout = made.after.layout()
        foul = rng.random() < FOULS and spoilt(rules, position, layout, rng)
        reading = table.read(Frame(painter.paint(foul or layout, shot)))
        verdict = judge(position, reading.evidence)
        due = Kind.ILLEGAL if foul else Kind.LEGAL
        if reading.hand:
            found["hand"] += 1
        elif verdict.kind is Kind.UNSURE:
            found["unsure"] += 1
        elif verdict.kind is due and (foul or verdict.play.after.looks() == made.after.looks()):
            found["foul" if foul else "legal"] += 1
        else:
            found["wrong"] += 1
            if verbose:
                seen = reading.looks
                painted = {cell: tuple(sorted(stack[-1])) for cell, stack in (foul or layout).items() if cell in seen and stack}
                print(
                    "  wrong",
                    verdict.kind,
                    bool(foul),
                    {c: (seen[c], painted.get(c, ()), (foul or layout).get(c)) for c in seen if seen[c] != painted.get(c, ())},
                )
        position = made.after
    return found


def spoilt(rules: Rules, position: Position, layout: Layout, rng: random.Random) -> Layout | None:
    """The layout with one whole piece taken to another place, where no play comes near that; None where none was found."""
    for _ in range(20):
        cells = [cell for cell, stack in layout.items() if stack and not cell.startswith(("off.", "hand.", "reserve.", "locked."))]
        movable = [cell for cell in cells if cell[1:].isdigit()]
        if not movable:
            return None
        source, target = rng.choice(movable), f"p{rng.randint(1, 24)}"
        changed = dict(layout)
        if changed.get(target) or source == target:
            continue
        top = changed[source][-1]
        changed[target] = ((top[-1],),)
        rest = (*changed[source][:-1], *((top[:-1],) if top[:-1] else ()))
        changed[source] = rest
        looks = {**position.looks(), **{cell: tuple(sorted(stack[-1])) if stack else () for cell, stack in changed.items()}}
        looks = {cell: look for cell, look in looks.items() if cell in position.looks()}
        if rules.whole_looks:
            looks |= {cell: tuple(sorted(piece for layer in stack for piece in layer)) for cell, stack in changed.items() if cell in looks}
        if all(distance(play.after.looks(), looks) > 1 for play in position.plays()):
            return {cell: stack for cell, stack in changed.items() if stack}
    return None


def main() -> None:
    arguments = sys.argv[1:]
    count = int(arguments.pop(arguments.index("--games") + 1)) if "--games" in arguments else 20
    verbose = "--verbose" in arguments
    wanted = [name for name in arguments if not name.startswith("--")] or list(games.names())
    for name in wanted:
        rules = games.get(name)
        total: Counter[str] = Counter()
        for number in range(count):
            painter = Painter(rules.board, number, SIEGE["cols"], SIEGE["rows"])
            try:
                total += play(rules, learned(rules, painter), painter, random.Random(number), verbose=verbose)
            except (EngineError, ValueError) as error:
                print(f"{name} {number}: {error}")
        print(name, dict(total))


if __name__ == "__main__":
    main()
