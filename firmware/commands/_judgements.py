"""What a replay prints while it runs: a line per judgement and per game end, for people or for programs."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from engine.effects import Ended, Judged
from engine.messages import phrase, phrase_number
from engine.names import dashed, named
from engine.words import wins
from firmware.commands._output import tell
from firmware.languages.choice import local, reader, reading
from firmware.table.news import News

MARKS = {"legal": "✓", "illegal": "✗", "unsure": "?"}
JUDGED = ("turn", "side", "dice", "verdict", "move", "cells", "position", "words")
"""The stable keys of a judgement's JSON line."""
ENDED = ("game", "outcome", "points", "score", "cause")
"""The stable keys of the JSON line of a game's end, after ``log``."""


@dataclass
class JudgementPrinter:
    """A watcher that prints each judgement of the camera with ``say``, and what was refused with ``warn``."""

    log: str
    as_json: bool
    say: Callable[[str], None] = tell
    warn: Callable[[str], None] = lambda line: tell(f"barpoint: {line}", err=True)
    verdicts: Counter[str] = field(default_factory=Counter)
    language: str = field(default_factory=reader.get)
    """The terminal's: the news come in the referee's thread."""

    def __call__(self, news: News) -> None:
        """Prints the news."""
        with reading(self.language):
            self._print(news)

    def _print(self, news: News) -> None:
        if news.refused is not None and news.event is not None:
            self.warn(
                phrase(
                    "at {t} s: {event} was refused: {why}",
                    t=f"{news.t:g}",
                    event=news.event.name,
                    why=news.refused,
                )
            )
        for effect in news.effects:
            if isinstance(effect, Judged) and effect.by == "camera":
                self.verdicts[effect.verdict] += 1
                self.say(_json(effect, JUDGED) if self.as_json else _judgement_line(effect))
            elif isinstance(effect, Ended):
                self.say(_json(effect, ENDED, log=self.log) if self.as_json else _end_line(effect))

    def summary(self) -> str:
        """How many of each verdict."""
        total = sum(self.verdicts.values())
        return phrase_number(
            "{n} judgement: {legal} legal, {illegal} illegal, {unsure} unsure",
            "{n} judgements: {legal} legal, {illegal} illegal, {unsure} unsure",
            total,
            **{kind: self.verdicts[kind] for kind in MARKS},
        )


def _json(effect: Judged | Ended, names: tuple[str, ...], **head: str) -> str:
    data = effect.to_json()
    return json.dumps(head | {name: data[name] for name in names})


def _judgement_line(effect: Judged) -> str:
    told = effect.move if effect.move is not None else local(effect.words)
    side = local(named(effect.side))
    return f"{MARKS[effect.verdict]} {effect.turn + 1:3} {side:5} {dashed(effect.dice):5}  {told}"


def _end_line(effect: Ended) -> str:
    outcome = effect.outcome
    winner = None if outcome.winner is None else named(outcome.winner)
    words = wins(winner, outcome.kind, effect.points)
    return local(phrase("  game {n}: {words}", n=effect.game, words=words))
