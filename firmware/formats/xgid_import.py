"""Reading positions: one of them, be it in a page of text, as a game to start from, and the list of decisions
that ``xgid`` writes of a whole match.

A line of such a list is an XGID and, behind it, what was done (``game 1, move 3: white 8/5 6/5``). The list
has decisions only: rolls are in the XGIDs, and a resignation shows in the next game's score. Every action is
done under the rules, and the position that follows must be the next line's; where it is not, the rest of that
game is left out.
"""

from __future__ import annotations

import re
from dataclasses import replace

from engine.errors import EngineError
from engine.match import Terms
from engine.messages import phrase
from engine.position import Awaits
from engine.record import (
    Action,
    Corrected,
    Doubled,
    Dropped,
    GameRecord,
    MatchRecord,
    Taken,
    result_of,
)
from firmware.formats.board import SIDES, BoardCounts
from firmware.formats.build import GameBuilder, other, scored
from firmware.formats.ids import GAME, Situation, of_text, of_xgid
from firmware.formats.source import FormatError, Imported, Note, whole_number

_LINE = re.compile(
    r"^\s*(?P<id>XGID=\S+)\s+game (?P<game>\d+), move \d+: (?P<side>white|black) (?P<done>.+?)\s*$"
)
_NAMES = re.compile(r"^X:(?P<bottom>.+?)\s+O:(?P<top>.+?)\s*$", re.MULTILINE)


def of_situation(situation: Situation) -> MatchRecord:
    """A match of one game that is taken up here."""
    position = situation.position
    terms = _terms(situation)
    start = {key: value for key, value in position.to_json().items() if key != "dice"}
    actions: list[Action] = []
    if situation.cube != 1 or situation.owner is not None:
        actions.append(Corrected(start, situation.cube, situation.owner))
    record = MatchRecord(position.rules.name, position.rules.sides, terms)
    builder = GameBuilder(record, GameRecord(situation.score, crawford=situation.crawford, start=start))
    for action in actions:
        builder.add(action)
    if position.awaits is Awaits.PLAY and position.dice:
        builder.roll(position.turn or SIDES[0], position.dice)
    elif situation.offered and position.turn is not None:
        builder.add(Doubled(position.turn))
    return replace(record, games=(builder.done(),))


def read(text: str) -> Imported:
    """The match of this list, or the game that starts from a page's position. Raises FormatError where it is
    neither."""
    situation = None if any(map(_LINE.match, text.split("\n"))) else of_text(text)
    if situation is not None:
        record = of_situation(situation)
        names = _NAMES.search(text)
        return Imported(replace(record, players=(names["bottom"], names["top"])) if names else record)
    reader: _Reader | None = None
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        found = _LINE.match(line)
        if found is None:
            said = phrase(
                "not an XGID and what was done, like {example}: {text!r}",
                example="'XGID=… game 1, move 1: white 8/5 6/5'",
                text=line.strip()[:60],
            )
            raise FormatError(phrase("line {line}: {error}", line=number, error=said))
        try:
            situation = of_xgid(found["id"])
        except FormatError as error:
            raise FormatError(phrase("line {line}: {error}", line=number, error=str(error))) from error
        reader = reader or _Reader(situation)
        reader.take(number, whole_number(found["game"]), situation, found["side"], found["done"])
    if reader is None:
        raise FormatError(phrase("there is no XGID in this file"))
    return reader.imported()


def _terms(situation: Situation) -> Terms:
    if situation.length:
        over = not situation.crawford and max(situation.score) == situation.length - 1
        return Terms(length=situation.length, score=situation.score, crawford_over=over)
    return Terms(jacoby=situation.jacoby, beavers=int(situation.beavers), score=situation.score)


class _Reader:
    def __init__(self, first: Situation) -> None:
        self.record = MatchRecord(GAME, SIDES, _terms(first))
        self.notes: list[Note] = []
        self.builder: GameBuilder | None = None
        self.number = 0
        self.broken = False

    def take(self, line: int, number: int, situation: Situation, side: str, done: str) -> None:
        """One decision."""
        if number != self.number:
            self._close(situation.score)
            self.number, self.broken = number, False
            game = GameRecord(situation.score, crawford=situation.crawford, cube=situation.cube)
            self.builder = GameBuilder(self.record, game)
        if self.broken or self.builder is None:
            return
        try:
            self._do(self.builder, situation, side, done)
        except (EngineError, FormatError) as error:
            said = phrase("{error}; the rest of the game is left out", error=str(error))
            self.notes.append(Note(line, said, lost=True))
            self.broken = True

    def _do(self, builder: GameBuilder, situation: Situation, side: str, done: str) -> None:
        position = situation.position
        if BoardCounts.of(builder.state.position) != BoardCounts.of(position):
            if builder.moments:
                raise FormatError(phrase("this is not the position that the line before leads to"))
            builder.restart(BoardCounts.of(position), position.turn or SIDES[0])
        if position.dice:
            builder.roll(position.turn or SIDES[0], position.dice)
        if done in ("doubled", "beavered"):
            builder.double(side)
        elif done == "taken":
            builder.add(Taken(side))
        elif done == "dropped":
            builder.add(Dropped(side))
        elif done == "illegal play":
            raise FormatError(phrase("an XGID does not say what was left standing"))
        else:
            builder.play(side, done)

    def _close(self, following: tuple[int, int] | None) -> None:
        builder = self.builder
        if builder is None:
            return
        ended = result_of(self.record, builder.moments)
        won = None if following is None else scored(builder.game.score, following)
        if ended is None and won is not None:
            try:
                builder.resign(other(won.winner or ""), won.points)
            except FormatError as error:
                told = phrase("game {number}: {words}", number=self.number, words=str(error))
                self.notes.append(Note(0, phrase("{error}; kept as points, without a grade", error=told)))
                ended = won
        self.record = replace(self.record, games=(*self.record.games, builder.done(ended)))

    def imported(self) -> Imported:
        """All of it."""
        self._close(None)
        return Imported(self.record, tuple(self.notes))
