"""One table, refereed: the devices report, the session decides, the journal keeps it, then it is shown.

    stimulus ──> event ──> Session.handle ──> the journal ──> lights and onlookers

A *stimulus* is what a device reports: a picture, a pressed button, fallen dice. The referee looks at every
picture, keeps the last one in which the board was at rest, and judges by it when a player presses *done*. If
hands are over the board then, it waits until they leave. If the camera has not shown lately that the board
still looks so, it waits for a new picture, and asks the players where none comes: a loose cable must not
accuse anybody.

All of this runs in one thread; :mod:`firmware.table.table_queue` brings the stimuli in order, one at a time.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias, runtime_checkable

from engine.errors import EngineError, IllegalEvent
from engine.event_json import from_json
from engine.events import (
    Beacon,
    Begin,
    Button,
    Choose,
    Close,
    Commit,
    Condone,
    Correct,
    Event,
    Key,
    Pledge,
    Press,
    Reveal,
    Roll,
    See,
    Seed,
    Sign,
    Tick,
)
from engine.evidence import Evidence
from engine.layout import Side
from engine.match_state import State
from engine.messages import phrase
from engine.position import Dice, Json
from engine.session import Session
from engine.view import view
from firmware.errors import describe_fault
from firmware.record.chain import START, BrokenChain, Entry, Head, JournalError, canonical
from firmware.record.journal import Journal
from firmware.table.news import News, Watcher, prove_view
from firmware.utc import utc_now
from hardware.protocols import Agreed, DiceSource, Frame, Pressed

FRESH = 0.4
"""Seconds before *done* in which the board must have been seen as it is judged: nobody plays, and presses, in
less. A busy machine may see nothing for a second."""
PATIENCE = 5.0
"""Seconds for which a *done* waits for a camera that shows nothing."""
STALE = phrase("the table has changed since you looked; look again, and press again if you still want to")
WAITING = phrase("done waits for a new picture from the camera; if none comes, you are asked what was played")
WAITING_FOR_REST = phrase(
    "done waits until nothing moves on the board and no hand is over it; press again to be asked what was"
    " played"
)
HASTE = 1.0
"""Seconds for which a *done* waits for the board to come to rest without a word: hands leave in less."""


@dataclass(frozen=True, slots=True)
class Fell:
    """Dice that fell on the table, not rolled by the device. ``side`` and ``read`` as in
    :class:`engine.events.Roll`."""

    t: float
    dice: Dice
    side: Side | None = None
    read: float | None = None


@dataclass(frozen=True, slots=True)
class Blind:
    """The camera sees nothing now: it is gone, or it is dark. What it saw before does not count any more."""

    t: float


Stimulus: TypeAlias = Frame | Pressed | Agreed | Fell | Blind | Event
"""What a device reports, or the players on the page."""


class House(Protocol):
    """Does what the table owes the players: above all it rolls the dice."""

    def owed(self, session: Session, t: float) -> Event | None:
        """The event that the house must add now; None where there is none. Asked after every event, and at a
        restart: so what a power cut prevented still happens. Raises DeviceError where it cannot."""


@dataclass(frozen=True, slots=True)
class Dealer:
    """A house that only rolls dice."""

    dice: DiceSource

    def owed(self, session: Session, t: float) -> Event | None:
        """A roll that was asked for."""
        table = session.table
        if table is None or table.state is not State.ROLLING:
            return None
        return Roll(t=t, dice=self.dice.roll(table.position.dice_due), side=table.position.turn)


class Eyes(Protocol):
    """Looks at pictures."""

    def look(self, frame: Frame) -> Evidence | None:
        """What stands where, if the board is at rest in this picture; None while something moves over it."""


@runtime_checkable
class Watching(Protocol):
    """Eyes that watch a live camera, and hand on only pictures that show something new."""

    def last_seen(self, name: str) -> float:
        """When the board was last seen as in the picture with this ``name``, in seconds of table time; minus
        infinity where newer pictures have shown it otherwise."""

    def want(self, t: float) -> None:
        """Asks for the first full picture that is taken at ``t`` or later, even if it shows nothing new."""


UNSEEN = (See, Seed, Commit, Pledge, Close, Beacon, Reveal, Key, Sign)
"""Events that change nothing that players decide by: after them, what somebody saw before still holds."""


class Referee:
    """The referee of one match. ``log`` is its id in the journal."""

    def __init__(
        self,
        journal: Journal,
        log: str,
        eyes: Eyes,
        dice: DiceSource | House,
        *,
        watchers: Iterable[Watcher] = (),
        session: Session | None = None,
        proofs: Iterable[Watcher] = (prove_view,),
        report: Callable[[str], None] | None = None,
        number: int = 0,
    ) -> None:
        """``proofs`` are shown the news before they are written down; where one raises, nothing happens.
        ``report`` hears of a watcher that fails, "" when none does; without it, its error is raised."""
        self.number = number
        """Counts what players can see happen: an act for an earlier number comes too late."""
        self.session = session or Session()
        self.log = log
        self._journal = journal
        self._head = journal.head(log) if log else START
        self._eyes = eyes
        self._house: House = Dealer(dice) if isinstance(dice, DiceSource) else dice
        self._watchers = tuple(watchers)
        self._proofs = tuple(proofs)
        self._report = report
        self._fault = ""
        self._rest: Evidence | None = None
        self._judged: Evidence | None = None
        self._moving = False
        self._waiting: Pressed | None = None
        self._waits_in = 0
        """The number of the state for which that *done* was pressed."""
        self._shown = ""
        """The picture that shows what is judged."""
        self._since = 0.0
        """A *done* that waits is judged by pictures from then on."""
        self._rolled = 0.0
        self._blind = False

    @property
    def judged(self) -> Evidence | None:
        """The evidence for the last *done*; None where the board did not come to rest."""
        return self._judged

    def begin(self, event: Begin) -> None:
        """Starts the match. Raises IllegalEvent where its terms make no sense; nothing is written then."""
        self._do(event)

    def take(self, stimulus: Stimulus) -> None:
        """Does what a stimulus asks for. A refusal is told to the watchers and changes nothing."""
        match stimulus:
            case Frame():
                self._see(stimulus)
            case Pressed(button=Button.DONE) if self._moving or self._stale(stimulus.t):
                self.settle()
                self._wait(stimulus)
            case Pressed():
                self.settle()
                self._press(stimulus)
            case Agreed(t=t):
                self.settle()
                self.tell(agreement(self.session, t))
            case Fell(t=t, dice=dice, side=side, read=read):
                self.settle()
                self.tell(Roll(t=t, dice=dice, side=side, read=read))
            case Blind(t=t):
                if self._blind:
                    self._be_patient(t)
                self._see_nothing(t)
            case Tick():
                self._be_patient(stimulus.t)
                if self.session.table is not None and self.session.handle(stimulus)[0] is not self.session:
                    self.tell(stimulus)
                self.pay(stimulus.t)
            case Pledge() | Seed() | Beacon():  # by themselves: they say nothing about a *done* that waits
                self.tell(stimulus)
            case Event():
                self.settle()
                table = self.session.table
                if isinstance(stimulus, Correct) and table is not None and table.result is not None:
                    stimulus = replace(stimulus, ended=True)
                self.tell(stimulus)

    def tell(self, event: Event) -> bool:
        """Handles an event; a refusal is told to the watchers. Returns whether it was done.

        A journal that cannot be written refuses everything: nothing has happened then, and players can try
        again."""
        try:
            self._do(event)
        except (IllegalEvent, JournalError) as error:
            self.refuse(event, str(error), unwritten=isinstance(error, JournalError))
            return False
        return True

    def refuse(self, event: Event, why: str, unwritten: bool = False) -> None:
        """Tells the watchers that an event was not done; ``unwritten``: the journal cannot be written."""
        news = News(event.t, self.session, event, refused=why, unwritten=unwritten, number=self.number)
        self._publish(news)

    def pay(self, t: float) -> None:
        """Adds what the house owes: after every event, at a restart, and again where writing failed."""
        while (event := self._house.owed(self.session, t)) is not None and self.tell(event):
            pass

    def _see(self, frame: Frame) -> None:
        evidence = self._eyes.look(frame)
        self._moving, self._blind = evidence is None, False
        if evidence is not None:
            self._rest, self._shown = evidence, frame.name
            if self._waiting is not None and isinstance(self._eyes, Watching) and frame.t < self._since:
                self._see_nothing(frame.t)  # it was taken before, and came late
                self._ask_for_picture()
            elif self._waiting is not None:
                self.settle()
            elif self.session.state is State.FOUL:
                self.tell(See(t=frame.t, evidence=evidence))
        moving = evidence is None
        news = News(frame.t, self.session, frame=frame, evidence=evidence, moving=moving, number=self.number)
        self._publish(news)

    def _stale(self, t: float) -> bool:
        """Whether the board was not seen lately, or not since the dice fell, as it would be judged at
        ``t``."""
        if self._rest is None or not isinstance(self._eyes, Watching):
            return False
        return self._eyes.last_seen(self._shown) < max(t - FRESH, self._rolled)

    def _wait(self, done: Pressed) -> None:
        """Judges ``done`` later, by a picture that is new enough."""
        self._waiting, self._since = done, max(done.t - FRESH, self._rolled)
        self._waits_in = self.number
        if not self._moving:
            self._see_nothing(done.t)
        self._ask_for_picture()

    def _ask_for_picture(self) -> None:
        if self._blind and isinstance(self._eyes, Watching):
            self._eyes.want(self._since)

    def _see_nothing(self, t: float) -> None:
        """What was seen before does not count any more."""
        self._rest = None
        self._moving = self._blind = True
        self._publish(News(t, self.session, moving=True, number=self.number))

    def _be_patient(self, t: float) -> None:
        """Says what a *done* waits for; where the camera shows nothing for too long, the players are asked.
        The recording is told, too, so that a replay asks as well."""
        if self._waiting is None:
            return
        waited = t - self._waiting.t
        if self._blind and waited >= PATIENCE:
            self.settle()
            self._see_nothing(t)
        elif self._blind or waited >= HASTE:
            waits = WAITING if self._blind else WAITING_FOR_REST
            self._publish(News(t, self.session, waits=waits, number=self.number))

    def settle(self) -> None:
        """Judges a *done* that waits for hands to leave. If they have not left, the players are asked. It is
        refused where the table has changed meanwhile: time has run out, say."""
        waiting, self._waiting = self._waiting, None
        if waiting is None:
            return
        if self._waits_in == self.number:
            self._press(waiting)
        else:
            self.refuse(_press_of(waiting), STALE)

    def _press(self, pressed: Pressed) -> None:
        evidence = None
        if pressed.button is Button.DONE:
            evidence = self._judged = None if self._moving else self._rest
        self.tell(replace(_press_of(pressed), evidence=evidence))

    def _do(self, event: Event) -> None:
        news, body = self._next(event)
        if news.session is not self.session:
            entry = self._journal.append(self.log, utc_now(), body, after=self._head)
            self._head = Head(entry.number, entry.digest)
            self.session, self.number = news.session, news.number
        if isinstance(event, Roll):
            self._rolled = event.t
        self._publish(news)
        self.pay(event.t)

    def _next(self, event: Event) -> tuple[News, Json]:
        """What ``event`` would make of the table, and its line for the journal: all of it is made before
        anything is written, so what the journal holds can always be replayed and shown. Raises
        IllegalEvent."""
        try:
            session, effects = self.session.handle(event)
            changed = session is not self.session
            number = self.number + (changed and not isinstance(event, UNSEEN))
            news = News(event.t, session, event, effects, number=number)
            body = event.to_json()
            if changed:
                from_json(json.loads(canonical(body)))
                news = replace(news, seen=view(session, event.t))
                for prove in self._proofs:
                    prove(news)
        except IllegalEvent:
            raise
        except Exception as error:
            words = phrase(
                "this cannot be kept or shown, so nothing was done: {reason}", reason=describe_fault(error)
            )
            raise IllegalEvent(words) from error
        return news, body

    def _publish(self, news: News) -> None:
        fault = ""
        for watch in self._watchers:
            try:
                watch(news)
            except Exception as error:
                if self._report is None:
                    raise
                fault = f"something that follows the table has failed: {describe_fault(error)}"
        if self._report is not None and fault != self._fault:
            self._report(fault)
        self._fault = fault


def _press_of(pressed: Pressed) -> Press:
    return Press(t=pressed.t, actor=pressed.actor, button=pressed.button, side=pressed.side)


def agreement(session: Session, t: float) -> Event:
    """What two players mean who hold *done* together: the likeliest play is right, or the foul stands.
    Refused like any event where there is nothing to agree on."""
    table = session.table
    if table is None:
        return Condone(t=t, side="")
    if table.state is State.ASKED and table.pending is not None and table.pending.candidates:
        return Choose(t=t, side=table.pending.side, play=table.pending.candidates[0])
    return Condone(t=t, side=table.rules.other(table.due or table.rules.sides[0]))


def restore(log: str, entries: Sequence[Entry]) -> Session:
    """The session that these entries lead to. Raises BrokenChain at an impossible entry."""
    session = Session()
    for entry in entries:
        try:
            session, _ = session.handle(from_json(entry.body))
        except EngineError as error:
            raise BrokenChain(log, entry.number, str(error)) from error
        except Exception as error:
            raise BrokenChain(log, entry.number, describe_fault(error)) from error
    return session
