"""The match at the table: continued after a restart, begun, exchanged for another one, laid by.

The file ``table`` names it. A match begins with the first start, when somebody presses *done* after the last
one has ended, and when players begin one on the page: an unfinished match is then paused, and can be
continued later.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from engine import rules
from engine.event_json import from_json
from engine.events import Begin, Button, Event, Next, Press, Seed, Tick
from engine.match_state import State
from engine.messages import phrase
from engine.position import Rules
from engine.session import Session
from engine.view import view
from firmware.dice.sealed import SealedHouse
from firmware.errors import BadInput, describe_fault
from firmware.record.chain import BrokenChain, Entry, JournalAway, JournalError, canonical, check_chain
from firmware.record.journal import Journal
from firmware.state import new_log
from firmware.table.change import SET_UP, MatchChange, under_way
from firmware.table.devices import Devices, TableClock
from firmware.table.news import News, Watcher
from firmware.table.next_game import NextGame, begins_next
from firmware.table.notary import Notary
from firmware.table.open_matches import OpenMatches
from firmware.table.referee import House, Referee, Stimulus, restore
from firmware.table.watcher import TableWatcher
from hardware.protocols import Pressed


class Unshown(Exception):
    """A match whose journal is sound cannot be shown; the message says why."""


class Table(Protocol):
    """Who hears what happens in the match, and what goes wrong."""

    def note(self, news: News) -> None:
        """Something happened; called in the referee's thread."""

    def report_trouble(self, what: str, words: str) -> None:
        """What is wrong with a part, "" when it works again; from any thread."""

    def show_troubles(self) -> None:
        """Whoever follows the table is told again what is wrong."""


class MatchAtTable:
    """The match that the table referees now. ``referee`` is None where there is none."""

    def __init__(
        self,
        table: Table,
        devices: Devices,
        state: Path,
        journal: Journal,
        watchers: Sequence[TableWatcher],
        clock: TableClock,
        house: SealedHouse,
        notary: Notary | None,
    ) -> None:
        self.open_matches = OpenMatches(state)
        self.next_game = NextGame()
        self.referee: Referee | None = None
        self._table, self._devices, self._journal, self._watchers = table, devices, journal, watchers
        self._clock, self._house, self._notary = clock, house, notary
        self._unshown = ""
        """The id of a match at the table that cannot be shown; it is laid by when another one begins."""

    @property
    def session(self) -> Session:
        """The session now."""
        return self.referee.session if self.referee is not None else Session()

    @property
    def log(self) -> str:
        """The id of the match."""
        return self.referee.log if self.referee is not None else ""

    def begin_or_continue(self, fresh: bool) -> None:
        """Continues the match at the table, or begins one; with ``fresh`` that match is left, unfinished. One
        that has ended stays until players begin the next. Raises JournalAway where the disk does not give
        the journal."""
        for lost in self._journal.lost:
            self._table.report_trouble(f"journal {lost.digest}", str(lost))
        log = self.open_matches.current()
        session, entries = Session(), list[Entry]()
        if log:
            try:
                entries = self._journal.entries(log)
                check_chain(log, entries)
                session = restore(log, entries)
                if entries and not fresh:
                    self._check_shown(log, session, entries[-1].body["t"])
            except Unshown as error:
                self._come_up_without(log, str(error))
                return
            except JournalAway:
                raise  # the next start may find it
            except JournalError as error:
                if not (fresh or isinstance(error, BrokenChain)):
                    self._come_up_without(
                        log, phrase("match {log} cannot be read: {reason}", log=log, reason=str(error))
                    )
                    return
                words = phrase(
                    "{reason}; a new match was begun, 'barpoint verify {log}' says more",
                    reason=error,
                    log=log,
                )
                self._table.report_trouble("journal", words)
                session, entries = Session(), []
        if not entries:
            self._first_match()
            return
        events = [from_json(entry.body) for entry in entries]
        self._clock.go_on_from(events[-1].t)
        self._house.note(events)
        if fresh:
            self.referee = Referee(
                self._journal,
                log,
                self._devices.eyes,
                self._house_of(log),
                watchers=[self._table.note],
                session=session,
            )
            pause = Press(t=self._clock(), button=Button.PAUSE)
            if session.state is not State.PAUSED and session.refusal(pause) is None:
                self.referee.tell(pause)
            self._leave()
            self.referee = None
            self._first_match()
            return
        self._set_up_match(log, _game(session), session, events)

    def _check_shown(self, log: str, session: Session, t: float) -> None:
        """Raises Unshown where somebody who follows the table could not show this match."""
        try:
            canonical(view(session, t))
            for watcher in self._watchers:
                watcher.prove(News(t, session, Tick(t=t)))
        except Exception as error:
            raise Unshown(f"match {log} cannot be shown: {describe_fault(error)}") from error

    def _come_up_without(self, log: str, why: str) -> None:
        """There is no match that could be shown, ``log`` or a new one: the page says so, and what players can
        do about it."""
        self._unshown = log
        self._set_up_match("", self._usual_game(), Session(), [])
        words = (
            phrase(
                "{reason}; begin another match under 'Set up', and this one is laid by "
                "('barpoint verify {log}')",
                reason=why,
                log=log,
            )
            if log
            else phrase("{reason}; then begin one under 'Set up'", reason=why)
        )
        self._table.report_trouble("match", words)

    def _usual_game(self) -> Rules:
        return rules.get(self._devices.begin(self._clock()).rules)

    def _first_match(self) -> None:
        change = MatchChange(self._devices.begin(self._clock()))
        assert change.begin is not None
        game = rules.get(change.begin.rules)
        if game.set_up is not None and change.refusal() is not None:
            self._set_up_match("", game, Session(), [])  # players set up the board, and begin on the page
            return
        try:
            self._new_match(change)
        except JournalError as error:
            self._come_up_without("", phrase("no match can begin: {reason}", reason=str(error)))

    def change(self, change: MatchChange) -> None:
        """Brings another match. Raises BadInput or JournalError, and nothing has changed."""
        if change.log:
            entries = self._journal.entries(change.log)
            if not entries or change.log == self.log:
                raise BadInput(phrase("there is no match {log} to continue", log=change.log))
            check_chain(change.log, entries)
            session = restore(change.log, entries)
            if session.state is State.ENDED:
                raise BadInput(phrase("this match has ended; begin another one"))
            try:
                self._check_shown(change.log, session, entries[-1].body["t"])
            except Unshown as error:
                raise BadInput(str(error)) from error
            with self._leaving(change.log):
                events = [from_json(entry.body) for entry in entries]
                self._clock.go_on_from(max(self._clock(), events[-1].t))
                self._house.note(events)
                self._set_up_match(change.log, _game(session), session, events)
        else:
            self._new_match(change)

    def _new_match(self, change: MatchChange) -> None:
        """Begins it. Raises BadInput or JournalError, and nothing has changed."""
        assert change.begin is not None
        objections = (each.objection(change.begin) for each in self._watchers)
        reason = next(filter(None, (change.refusal(), *objections)), None)
        if reason is not None:
            raise BadInput(reason)
        log = new_log()
        with self._leaving(log):
            self._set_up_match(log, rules.get(change.begin.rules), None, [])
            assert self.referee is not None
            self.referee.begin(replace(change.begin, t=self._clock()))
        for side, words in change.words.items():
            if self.session.table is not None and self.session.table.commitment is not None:
                self.referee.tell(Seed(t=self._clock(), side=side, words=words))

    @contextmanager
    def _leaving(self, log: str) -> Iterator[None]:
        """The players leave the match for ``log``, which is set up within; where that fails, they stay.
        Raises JournalError."""
        before, unshown, unfinished = self.referee, self._unshown, self.open_matches.unfinished()
        try:
            self._leave()
            self.open_matches.make_current(log)
            yield
        except Exception:
            self._stay(before, unshown)
            if log in unfinished:
                self.open_matches.leave(log)
            raise

    def _stay(self, referee: Referee | None, unshown: str) -> None:
        """Back at the match that was left, for everybody who follows it, as if no other had begun. Raises
        JournalError."""
        self.referee, self._unshown = referee, unshown
        if referee is None:
            return
        session, log = referee.session, referee.log
        try:
            entries = self._journal.entries(log) if log else []
            events = [from_json(entry.body) for entry in entries]
            self._house.note(events)
            game = self._usual_game() if session.table is None else _game(session)
            self._set_up_match(log, game, session, events)
        finally:
            self.referee = referee  # which knows what was seen last
            self.open_matches.make_current(log or unshown)

    def _leave(self) -> None:
        """The players leave the match. If it is over, nothing can be taken back, and its dice are proved;
        else it becomes an open match. Raises JournalError."""
        if self._unshown:
            self.open_matches.leave(self._unshown)
            self._unshown = ""
        if self.referee is None:
            return
        self._house.hurry()
        if self._notary is not None:
            self._notary.hurry()
        self.referee.pay(self._clock())
        if under_way(self.session):
            self.open_matches.leave(self.log)
            self._house.lay_by(self.session)

    def _set_up_match(self, log: str, game: Rules, session: Session | None, events: Sequence[Event]) -> None:
        eyes = self._devices.eyes
        if self._devices.load_rig is not None and eyes.board != game.board:
            eyes.learn(self._devices.load_rig(game.board), game.board)
        for watcher in self._watchers:
            watcher.begin_match(log, game, events)
        watchers: list[Watcher] = [self._table.note, *self._watchers]
        number = len(events) if self.referee is None else self.referee.number + 1
        self.next_game = NextGame()
        self.referee = Referee(
            self._journal,
            log,
            eyes,
            self._house_of(log),
            watchers=watchers,
            session=session,
            proofs=[each.prove for each in self._watchers],
            report=lambda words: self._table.report_trouble("page", words),
            number=number,
        )
        if session is not None:
            self._table.show_troubles()
            if session.table is not None:
                eyes.expect(session.table.position.looks())

    def _house_of(self, log: str) -> House:
        """What the table owes the players of this match: its dice and, where there is a key, a signature."""
        if self._notary is None:
            return self._house
        self._notary.log = log
        return self._notary

    def refusal_of_next(self, stimulus: Stimulus, *, on_page: bool) -> str | None:
        """Why this, which would begin the next game or match, may not do so now; None where it may, and for
        everything else. The players are told. ``on_page`` as in :meth:`NextGame.refusal`."""
        if self.referee is None or not begins_next(self.session, stimulus):
            return None
        if isinstance(stimulus, Pressed) and self.session.state is State.ENDED and self.rematch() is None:
            self._table.report_trouble("match", SET_UP)
            return SET_UP
        words = self.next_game.refusal(self.session, stimulus, on_page=on_page)
        if words is not None:
            refused = stimulus if isinstance(stimulus, Next) else Press(t=stimulus.t, button=Button.DONE)
            self.referee.refuse(refused, words)
        return words

    def rematch(self) -> Begin | None:
        """The match that has ended, once more; None where players must set up the board first."""
        table = self.session.table
        assert table is not None
        if table.rules.set_up is not None:
            return None
        return replace(
            table.begin, position=None, terms=replace(table.begin.terms, score=(0, 0), crawford_over=False)
        )


def _game(session: Session) -> Rules:
    assert session.table is not None
    return session.table.rules
