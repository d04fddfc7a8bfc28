"""What a replay tells as it goes: a line per judgement and per game end, for people or for programs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from engine.effects import Ended, Judged
from engine.position import Json
from engine.words import scored
from firmware.table.referee import News

MARKS = {"legal": "✓", "illegal": "✗", "unsure": "?"}


@dataclass
class Report:
    """A watcher that says each judgement of the camera with ``say``, and what was refused with ``warn``."""

    log: str
    as_json: bool
    say: Callable[[str], None]
    warn: Callable[[str], None]
    verdicts: Counter[str] = field(default_factory=Counter)

    def __call__(self, news: News) -> None:
        """Tells the news."""
        if news.refused is not None and news.event is not None:
            self.warn(f"at {news.t:g} s: {news.event.name} was refused: {news.refused}")
        for effect in news.effects:
            if isinstance(effect, Judged) and effect.by == "camera":
                self.verdicts[effect.verdict] += 1
                self.say(json.dumps(judged(effect)) if self.as_json else _line(effect))
            elif isinstance(effect, Ended):
                self.say(json.dumps({"log": self.log} | ended(effect)) if self.as_json else _end(effect))

    def summary(self) -> str:
        """How many of each verdict."""
        total = sum(self.verdicts.values())
        return f"{total} judgements: " + ", ".join(f"{self.verdicts[kind]} {kind}" for kind in MARKS)


def judged(effect: Judged) -> Json:
    """The stable JSON line of a judgement."""
    data = effect.to_json()
    return {
        name: data[name] for name in ("turn", "side", "dice", "verdict", "move", "cells", "position", "words")
    }


def ended(effect: Ended) -> Json:
    """The stable JSON line of a game's end."""
    data = effect.to_json()
    return {name: data[name] for name in ("game", "outcome", "points", "score", "cause")}


def _line(effect: Judged) -> str:
    dice = "-".join(str(die) for die in effect.dice)
    told = effect.move if effect.move is not None else effect.words
    return f"{MARKS[effect.verdict]} {effect.turn + 1:3} {effect.side:5} {dice:5}  {told}"


def _end(effect: Ended) -> str:
    outcome = effect.outcome
    who = f"{outcome.winner} wins" if outcome.winner else "nobody wins"
    return f"  game {effect.game}: {who}, {scored(outcome.kind, effect.points)}"
