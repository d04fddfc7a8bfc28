"""From the journal to what was played: the archive's list, and a match record that every format can be written from.

The journal holds events; what they did is found by replaying them. A :class:`Recorder` watches that replay and notes each roll, play,
double and result, so a record never says anything that the session did not do.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from engine import effects as did
from engine import events
from engine.errors import EngineError
from engine.layout import Side
from engine.position import Awaits, Dice, Json
from engine.record import (
    Action,
    Beavered,
    Corrected,
    Doubled,
    Dropped,
    GameRecord,
    MatchRecord,
    Played,
    Proof,
    Resigned,
    Result,
    Rolled,
    Stood,
    Taken,
)
from engine.session import Session
from engine.table import Table
from firmware.journal import BrokenChain, Entry, Journal, JournalError


@dataclass(frozen=True, slots=True)
class Logged:
    """One line of the archive. ``result`` is in words, ``score`` in the order of the sides; ``over``: the last game was ended."""

    log: str
    date: str
    rules: str
    players: tuple[str, str]
    score: tuple[int, int]
    games: int
    over: bool
    result: str

    def to_json(self) -> Json:
        """The stable line of ``barpoint games --json``."""
        return {
            "id": self.log,
            "date": self.date,
            "rules": self.rules,
            "players": list(self.players),
            "score": list(self.score),
            "games": self.games,
            "over": self.over,
            "result": self.result,
        }


def listing(journal: Journal) -> list[Logged]:
    """Every match in the journal, oldest first. One that cannot be replayed is listed as damaged rather than left out."""
    return [_logged(journal.entries(log)) for log in journal.games()]


def find(journal: Journal, name: str) -> str:
    """The id that ``name`` means: an id, its unmistakable beginning, or ``last``. Raises JournalError."""
    logs = journal.games()
    found = logs[-1:] if name == "last" else [log for log in logs if log == name] or [log for log in logs if log.startswith(name)]
    if len(found) != 1:
        trouble = "several games begin so" if found else "there is no such game"
        raise JournalError(f"{name}: {trouble}; 'barpoint games' lists them")
    return found[0]


def record(entries: Iterable[Entry]) -> MatchRecord:
    """What was played, from a log's entries. Raises BrokenChain at an entry that cannot have happened."""
    recorder, session = Recorder(), Session()
    for entry in entries:
        try:
            event = events.from_json(entry.body)
            after, effects = session.handle(event)
            recorder.note(session.table, event, effects, after.table)
            session = after
        except EngineError as error:
            raise BrokenChain(entry.game, entry.number, str(error)) from error
        if entry.number == 0:
            recorder.match = replace(recorder.match, date=entry.at[:10])
    return recorder.finished()


def _logged(entries: list[Entry]) -> Logged:
    first = entries[0]
    try:
        match = record(entries)
    except BrokenChain as error:
        return Logged(
            first.game, first.at, str(first.body.get("rules", "?")), ("?", "?"), (0, 0), 0, False, f"damaged: entry {error.number}"
        )
    last = match.games[-1].result if match.games else None
    over = last is not None
    return Logged(first.game, first.at, match.rules, match.players, match.score, len(match.games), over, _result(match, last))


def _result(match: MatchRecord, last: Result | None) -> str:
    if last is None:
        return "unfinished"
    if last.winner is None:
        return f"tie, {last.kind}"
    return f"{last.winner} wins, {last.kind}, {last.points} point{'' if last.points == 1 else 's'}"


class Recorder:
    """Notes what a session does as a :class:`engine.record.MatchRecord`."""

    def __init__(self) -> None:
        self.match = MatchRecord("", ("", ""))
        self._games: list[GameRecord] = []
        self._actions: list[Action] = []
        self._resigning: tuple[Side, str] | None = None
        self._proof: Proof | None = None
        self._drawn = 0

    def finished(self) -> MatchRecord:
        """The record so far."""
        return replace(self.match, games=tuple(self._closed()))

    def note(self, before: Table | None, event: events.Event, effects: Iterable[did.Effect], after: Table | None) -> None:
        """Notes what ``event`` led to; ``before`` and ``after`` are the table around it."""
        if isinstance(event, events.Begin) and after is not None:
            first, second = (event.players.get(side, side) for side in after.rules.sides)
            self.match = MatchRecord(
                event.rules, (first, second), event.terms, options=dict(event.options), event=event.competition, place=event.place
            )
        self._prove(event)
        for effect in effects:
            if isinstance(effect, did.Started):
                self._start(before, event, effect)
            elif before is not None and after is not None:
                self._act(before, event, effect, after)

    def _closed(self) -> list[GameRecord]:
        return [*self._games[:-1], replace(self._games[-1], actions=tuple(self._actions))] if self._games else []

    def _start(self, before: Table | None, event: events.Event, effect: did.Started) -> None:
        self._games = self._closed()
        self._actions = []
        score = self.match.terms.score if before is None else before.match.score
        given = isinstance(event, events.Begin) and event.position is not None
        self._games.append(GameRecord(score, crawford=effect.crawford, start=effect.position if given else None, proof=self._proof))
        self._drawn = 0

    def _act(self, before: Table, event: events.Event, effect: did.Effect, after: Table) -> None:
        match effect:
            case did.Rolled(side=side, dice=dice, stake=stake):
                self._roll(before, side, dice)
                if before.position.awaits is Awaits.OPENING:
                    self._games[-1] = replace(self._games[-1], cube=stake)
            case did.Judged(verdict="legal", side=side, dice=dice, move=str(move)):
                self._infer(before, side, dice)
                self._actions.append(Played(side, move))
            case did.Stood(side=side, dice=dice, position=position, words=words):
                self._infer(before, side, dice)
                self._actions.append(Stood(side, position, words))
            case did.TookBack():
                self._take_back(before, after)
            case did.Offered(by=by, beaver=beaver):
                self._actions.append(Beavered(by) if beaver else Doubled(by))
            case did.Taken(side=side):
                self._actions.append(Taken(side))
            case did.Dropped(side=side):
                self._actions.append(Dropped(side))
            case did.Resigned(side=side, grade=grade):
                self._resign(event, side, grade)
            case did.Corrected(position=position, cube=cube, owner=owner):
                self._actions.append(Corrected(position, cube, owner))
            case did.Ended(outcome=outcome, points=points, cause=cause):
                if cause == "resigned" and self._resigning is not None:
                    self._actions.append(Resigned(*self._resigning))
                self._resigning = None
                self._games[-1] = replace(self._games[-1], result=Result(outcome.winner, outcome.kind, points, cause))
            case _:
                pass

    def _roll(self, before: Table, side: Side | None, dice: Dice) -> None:
        opening = before.position.awaits is Awaits.OPENING
        if opening and side is not None:
            # The winner's die is the higher, whichever way round the dice were announced.
            high, low = max(dice), min(dice)
            dice = (high, low) if side == before.rules.sides[0] else (low, high)
        number = None
        if before.rolling and self._games[-1].proof is not None:
            self._drawn += 1
            number = self._drawn
        self._actions.append(Rolled(None if opening else side, dice, number))

    def _infer(self, before: Table, side: Side, dice: Dice) -> None:
        """The roll of a play whose dice were never announced."""
        if before.position.awaits is not Awaits.PLAY:
            self._actions.append(Rolled(None if before.position.awaits is Awaits.OPENING else side, dice))

    def _take_back(self, before: Table, after: Table) -> None:
        if before.pending is not None:
            return
        self._games[-1] = replace(self._games[-1], result=None)
        while self._actions and not isinstance(self._actions.pop(), Played):
            pass
        if after.position.awaits is not Awaits.PLAY and self._actions and isinstance(self._actions[-1], Rolled):
            self._actions.pop()

    def _resign(self, event: events.Event, side: Side, grade: str | None) -> None:
        refused = isinstance(event, events.Press) and event.button is events.Button.DROP
        if grade is None and refused and self._resigning is not None:
            self._actions.append(Resigned(*self._resigning, accepted=False))
        self._resigning = None if grade is None else (side, grade)

    def _prove(self, event: events.Event) -> None:
        """Dice are committed to before a game, and their secret published after it."""
        playing = bool(self._games) and self._games[-1].result is None
        match event:
            case events.Commit(digest=digest):
                self._proof = Proof(digest)
            case events.Seed(words=words) if self._proof is not None:
                self._proof = replace(self._proof, words=(*self._proof.words, words))
            case events.Reveal(secret=secret) if self._proof is not None:
                self._games = [
                    replace(game, proof=replace(self._proof, secret=secret)) if game.proof == self._proof else game for game in self._games
                ]
                self._proof = None
            case _:
                return
        if playing and self._proof is not None:
            self._games[-1] = replace(self._games[-1], proof=self._proof)
