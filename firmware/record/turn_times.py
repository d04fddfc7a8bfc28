"""How long the players took for each play of a match, from its log."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.layout import Side
from engine.record import GameRecord, Played, Stood
from engine.recorder import Recorder
from firmware.record.archive import history
from firmware.record.chain import Entry


@dataclass(frozen=True, slots=True)
class TimedTurn:
    """A play, and how many seconds after the dice (or the turn before) it was done; None where not known.
    ``t`` is the table time at which it was done."""

    game: int
    side: Side
    seconds: float | None
    t: float = 0.0


def timed_turns(entries: Iterable[Entry]) -> list[TimedTurn]:
    """Every play of a log that stands, with the time it took. An imported match has none."""
    found: list[TimedTurn] = []
    counts: list[int] = []
    since = 0.0
    for entry, taken in history(entries):
        if not isinstance(taken, Recorder):
            return []
        t = float(entry.body.get("t", since))
        record = taken.record
        plays = [len(_plays(game)) for game in record.games]
        if plays != counts:
            for number, now in enumerate(plays):
                before = counts[number] if number < len(counts) else 0
                if now < before:  # taken back
                    own = [at for at, turn in enumerate(found) if turn.game == number + 1]
                    for at in reversed(own[now - before :]):
                        del found[at]
                elif now > before:
                    last = _plays(record.games[number])[-1]
                    found.append(TimedTurn(number + 1, last.side, max(0.0, t - since), t))
            counts, since = plays, t
        elif entry.body.get("event") in ("roll", "next", "begin"):
            since = t
    return found


def _plays(game: GameRecord) -> list[Played | Stood]:
    return [action for action in game.actions if isinstance(action, Played | Stood)]
