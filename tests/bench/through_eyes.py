"""Whole games at a painted table, through the eyes: ``python -m tests.bench.through_eyes [--games N] [--keep
DIR] [GAME …]``.

Every position of N random games of each game is painted, read and judged (``hardware.painter``, ``vision``,
``engine.judge``); now and then the board is spoilt in a way that no play explains (``tests.fouls``). Counted
are the verdicts: right (the play made, or the foul), unsure, and wrong. What was not right is printed, and
its picture kept in DIR.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from pathlib import Path

import cv2

from engine import rules as games
from engine.judge import Kind, judge
from engine.layout import Layout, differing
from engine.position import Awaits, Play, Rules
from firmware.simulated.painted import learned
from hardware.painter import Painter
from tests.fouls import spoilt
from tests.painted import begun, painter
from vision.picture.frame import Frame
from vision.reading import BoardReader

FOULS = 0.15
"""How many of the turns are fouls."""
TURNS = 400
"""A random game that lasts longer is broken off."""


def play(
    rules: Rules, table: BoardReader, camera: Painter, rng: random.Random, keep: Path | None
) -> Counter[str]:
    """One random game; what the verdicts were."""
    found: Counter[str] = Counter()
    position = begun(rules)
    for shot in range(TURNS):
        while position.awaits in (Awaits.OPENING, Awaits.ROLL):
            position = position.roll(tuple(rng.randint(1, 6) for _ in range(position.dice_due)))
        if position.awaits is not Awaits.PLAY:
            break
        made: Play = rng.choice(position.plays())
        foul: Layout | None = spoilt(position, made, rng) if rng.random() < FOULS else None
        picture = camera.paint(made.after.layout() if foul is None else foul, shot)
        reading = table.read(Frame(picture))
        verdict = judge(position, reading.evidence)
        if verdict.kind is Kind.UNSURE:
            said = "unsure" if foul is None else "unsure of a foul"
        elif verdict.kind is Kind.LEGAL:
            right = foul is None and verdict.play.after.looks() == made.after.looks()
            said = "legal" if right else "wrong"
        else:
            said = "wrong" if foul is None else "foul"
        found[said] += 1
        found["hand"] += reading.hand
        if keep is not None and said not in ("legal", "foul"):
            name = f"{rules.name}-{camera.seed}-{shot}"
            due = made.after.looks()
            cells = (
                [(cell, reading.looks[cell], due[cell]) for cell in differing(due, reading.looks)]
                if foul is None
                else []
            )
            print(
                f"  {name}: {said}, gap {verdict.gap:.1f}, {len(verdict.candidates)} candidates, misread"
                f" {cells[:4]}",
                flush=True,
            )
            cv2.imwrite(str(keep / f"{name}.png"), picture)
        position = made.after
    return found


def main() -> None:
    """Plays, and prints a line for each game."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="GAME", default=list(games.names()))
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    for name in options.names:
        rules = games.get(name)
        total: Counter[str] = Counter()
        begun_at = time.process_time()
        for number in range(options.first, options.first + options.games):
            camera = painter(rules.board, number)
            total += play(rules, learned(camera, begun(rules)), camera, random.Random(number), options.keep)
        turns = sum(total.values()) - total["hand"]
        took = time.process_time() - begun_at
        unsure = (total["unsure"] + total["unsure of a foul"]) / max(turns, 1)
        print(
            f"{name}: {options.games} games, {turns} turns, {dict(total)}, unsure {unsure:.1%}, {took:.0f} s"
            " of one core",
            flush=True,
        )


if __name__ == "__main__":
    main()
