"""Follows the dice on the board: a throw becomes a roll, and who picks the dice up has ended the turn
(``dice = "camera"`` and ``done = "dice"``).

The camera's thread reads the dice of every picture at rest (:class:`firmware.table.live.LiveEyes`); here,
in the referee's thread, they are held against the match (:mod:`firmware.table.throws`), and what they mean
goes the way of all stimuli: into the queue, to the referee, into the journal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from engine import words
from engine.errors import EngineError, IllegalEvent
from engine.events import Choose, DiceFrom, Event, Next, Roll
from engine.evidence import Evidence
from engine.judge import astray
from engine.layout import Looks, Side, differing
from engine.match_state import MatchState, State
from engine.messages import phrase
from engine.position import Position, Rules
from firmware.table.news import News
from firmware.table.throws import ANSWERED, Habits, Throws
from firmware.table.watcher import TableWatcher, WatchedTable
from vision.dice import Die, Lying
from vision.reading import BoardReader, Reading

DICE = "dice on the board"
"""Of what is told here; each watcher has a name of its own, or two would take back each other's words."""
RUNNING = (State.ROLL, State.PLAY, State.FOUL, State.ASKED)
HIDDEN = phrase(
    "a part of the board is hidden: the next game begins when the camera sees all of it as it stands at the"
    " start"
)
NOT_OVER = phrase(
    "the board is set up for a new game, but this one is not over: who gives it up presses Resign on the"
    " page; otherwise put the checkers back where they stood"
)


class DiceEyes(Protocol):
    """Eyes that read the dice, and see the cube."""

    @property
    def table(self) -> BoardReader | None:
        """The table as it is known now."""

    def lying_in(self, name: str) -> Lying | None:
        """The dice and the cube in the picture of this name, at rest; None where they were not read."""

    def resting_reading(self) -> Reading | None:
        """What stands on the board at rest now; None while something moves."""


class DiceWatcher(TableWatcher):
    """One table's dice. ``habits`` as configured; whose right half lies where, the calibration says."""

    def __init__(self, eyes: DiceEyes, habits: Habits) -> None:
        self._eyes = eyes
        self._throws = Throws(habits)
        self._known: BoardReader | None = None
        self._last: tuple[Die, ...] | None = None
        self._unjudged: Evidence | None = None
        """The board in a picture that came while something waited for an answer: it may end the turn then."""
        self._table: WatchedTable | None = None

    @property
    def hands_free(self) -> bool:
        """Whether who picks the dice up has ended the turn."""
        return self._throws.habits.picking_up

    def attach(self, table: WatchedTable) -> None:
        """Keeps :class:`firmware.table.watcher.TableWatcher`."""
        self._table = table

    def begin_match(self, log: str, game: Rules, events: Sequence[Event]) -> None:
        """Another match: nothing is known of the dice that lie there."""
        self._throws, self._known = Throws(self._throws.habits), None
        self._last = self._unjudged = None

    def __call__(self, news: News) -> None:
        """A picture at rest, or a change of the match that gives the dice another meaning."""
        table, stage = news.session.table, self._table
        if table is None or stage is None or table.begin.dice is DiceFrom.ROLLED:
            return  # the table's own dice are no business of the camera
        new = news.frame is not None and not news.moving
        if news.moving:
            self._last = self._unjudged = None
        elif news.frame is not None:
            lying = self._eyes.lying_in(news.frame.name)
            self._last = self._last if lying is None else lying.dice
        if news.refused is not None and isinstance(news.event, Roll) and news.event.read is not None:
            self._throws = replace(self._throws, thrown=())  # they count later: a double came first, say
        if self._last is None or news.refused is not None:
            return
        board, self._unjudged = news.evidence if new else self._unjudged, None
        if table.state in ANSWERED:
            board, self._unjudged = None, board
        if new and self.hands_free:
            if table.state is State.OVER:
                stage.report_trouble(DICE, self._next_game(news, stage))
                return
            if table.state in RUNNING and is_set_up(whole_looks(self._eyes), table):
                stage.report_trouble(DICE, self._set_up_early(table, stage, news.t))
                return
        self._sit(table)
        self._throws, asked, told = self._throws.see(self._last, table, board, news.t)
        stage.report_trouble(DICE, told)
        if asked is not None:
            stage.hand_over(asked)

    def _sit(self, table: MatchState) -> None:
        """Find out who sits where, with every calibration anew."""
        known = self._eyes.table
        if known is None or known is self._known:
            return
        self._known = known
        side, middle = right_half(known, table.rules)
        habits = replace(self._throws.habits, right_half=side, middle=middle)
        self._throws = replace(self._throws, habits=habits)

    def _set_up_early(self, table: MatchState, stage: WatchedTable, t: float) -> str:
        """The board was set up for the next game before the last play was judged: it was the one that ends
        this game, if there is one; what is told if there is none."""
        last = next((play for play in table.position.plays() if play.after.outcome is not None), None)
        if last is None:  # before a roll the board's watcher says so
            return "" if table.state is State.ROLL else NOT_OVER
        stage.hand_over(Choose(t=t, side=table.position.turn, play=last.text))
        return ""

    def _next_game(self, news: News, stage: WatchedTable) -> str:
        """The board set up again after a game begins the next one; what keeps it from that is told."""
        begin = Next(t=news.t)
        try:
            fresh, _ = news.session.handle(begin)
        except IllegalEvent:
            return ""
        start, reading = fresh.position, self._eyes.resting_reading()
        if start is None or reading is None or news.evidence is None:
            return ""
        seen = astray(start, news.evidence)
        if seen is not None:
            assert fresh.table is not None
            return words.not_set_up(start, seen, fresh.table.player)
        if reading.occluded:
            return HIDDEN
        if shows(reading.looks, start):
            stage.hand_over(begin)
        return ""


def whole_looks(eyes: DiceEyes) -> Looks | None:
    """What stands on the board at rest; None while something moves, or hides a part of it."""
    reading = eyes.resting_reading()
    return None if reading is None or reading.occluded else dict(reading.looks)


def is_set_up(looks: Looks | None, table: MatchState) -> bool:
    """Whether the pieces stand as at the start of a game, in the midst of one."""
    try:
        start = table.rules.start({**table.rules.options, **table.begin.options})
    except EngineError:
        return False
    return shows(looks, start) and not shows(looks, table.position)


def shows(looks: Looks | None, position: Position) -> bool:
    """Whether the board looks like this position, as far as it is in view: trays may not be."""
    return bool(looks) and not differing(looks or {}, position.looks())


def right_half(known: BoardReader, rules: Rules) -> tuple[Side | None, float]:
    """Whose right half is that of larger x, None on boards without points; and the x (cm) of the middle."""
    _, measures = known.placement()
    middle = float(measures.get("width", 60.0)) / 2
    return None if known.turned is None else rules.sides[known.turned], middle
