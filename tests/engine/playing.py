"""Whole games of any rule set, played at random from a seed: for the contract suite and the golden
playthroughs."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from engine.position import Awaits, Dice, Play, Position, Rules

FIXTURES = Path(__file__).parent.parent / "data" / "contract"
LONGEST = 5000


def fixture(rules: Rules) -> Mapping[str, Any]:
    """What a game's tests need beyond its rules, from ``tests/data/contract/<name>.json`` where there is one.

    ``options``: what ``Rules.start`` needs where a board has to be set up; ``golden``: seeds of playthroughs
    worth keeping.
    """
    file = FIXTURES / f"{rules.name}.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def dice(rng: random.Random, position: Position) -> Dice:
    """Random dice for this position; never equal ones for the opening, which would only be rolled again."""
    if position.awaits == Awaits.OPENING:
        return tuple(rng.sample(range(1, 7), position.dice_due))
    return tuple(rng.randint(1, 6) for _ in range(position.dice_due))


def game(rules: Rules, seed: int) -> Iterator[tuple[Position, Dice | Play, Position]]:
    """A game played at random: each position, the dice or the play, and the position after. Ends with the
    game.

    Plays are drawn by their text, so that the same seed gives the same game in whatever order plays are
    generated.
    """
    rng = random.Random(seed)
    position = rules.start(fixture(rules).get("options", {}))
    for _ in range(LONGEST):
        if position.awaits == Awaits.NOTHING:
            return
        if position.awaits == Awaits.PLAY:
            play = rng.choice(sorted(position.plays(), key=lambda play: play.text))
            yield position, play, play.after
            position = play.after
        else:
            rolled = dice(rng, position)
            yield position, rolled, position.roll(rolled)
            position = position.roll(rolled)
    raise AssertionError(f"{rules.name}, seed {seed}: no end after {LONGEST} rolls and plays")
