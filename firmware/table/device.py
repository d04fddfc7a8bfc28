"""The program on the device: it runs one table until it is told to stop.

    camera's thread ─┐
    buttons' thread ─┼─> one queue ─> firmware.table.loop (the referee's thread) ─> journal ─> watchers
    the page, ticks ─┘

*Table time* is the time that the program has run, counted on from the journal's last entry. So a clock set
back by an hour, or a night without power, costs nobody a second.

A restart replays the journal and continues where the table was. The file ``table`` names the match at the
table. A match begins with the first start, when somebody presses *done* after the last one has ended, and
when players begin one on the page (:meth:`Device.change`): an unfinished match is then paused, and can be
continued later.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from engine import rules
from engine.events import Beacon, Begin, Button, Commit, Event, Next, Press, Seed, Tick, from_json
from engine.match_state import State
from engine.messages import phrase
from engine.position import Rules
from engine.session import Session
from engine.view import view
from firmware.dice.beacon import NoBeacon
from firmware.dice.sealed import SealedHouse
from firmware.errors import BadInput, describe_fault
from firmware.record.journal import (
    BrokenChain,
    Entry,
    Journal,
    JournalError,
    canonical,
    check_chain,
)
from firmware.record.usb_export import notice
from firmware.state import new_log
from firmware.table import loop
from firmware.table.change import SET_UP, MatchChange, under_way
from firmware.table.devices import Devices, TableClock
from firmware.table.gc_tuning import collect_seldom
from firmware.table.live import CameraThread
from firmware.table.next_game import NextGame, begins_next
from firmware.table.notary import Notary
from firmware.table.notify import notify
from firmware.table.open_matches import OpenMatches
from firmware.table.referee import STALE, Blind, House, News, Referee, Stimulus, Watcher, restore
from firmware.table.trial import Trial
from firmware.table.watcher import TableWatcher
from hardware.protocols import Clock, Pressed
from vision.reading import BoardReader

BEING_PLAYED = (
    "a match is being played; finish it, or leave it: then it is paused, and you can continue it later"
)


class Unshown(Exception):
    """A match whose journal is sound cannot be shown; the message says why."""


AGAIN = 1.0
"""Seconds until a part of the program that has failed starts again."""
TOLD = 60.0
"""Seconds for which players are told of that."""
ALIVE = 15.0
"""Seconds after which a thread that does nothing counts as dead."""


Answer: TypeAlias = "asyncio.Future[str | None]"
"""Becomes why something was refused, None where it was done."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What waits to be done: for whom, and by which state of the table they decided (None: any)."""

    what: Stimulus | MatchChange
    answer: Answer | None = None
    seen: int | None = None


class Device:
    """The daemon of one table, made in a running event loop. :meth:`run` it; :meth:`stop` ends it."""

    def __init__(
        self,
        devices: Devices,
        state: Path,
        journal: Journal,
        watchers: Sequence[TableWatcher],
        say: Callable[[str], None],
        clock: TableClock,
        sign: Callable[[SealedHouse, Callable[[str], None]], Notary] | None = None,
    ) -> None:
        """``sign`` makes the notary beside a house, whose troubles the second argument hears; without it no
        match is signed."""
        self.devices = devices
        self.now: Clock = clock
        self.open_matches = OpenMatches(state)
        self._clock = clock
        self._journal = journal
        self._watchers = tuple(watchers)
        self._say = say
        self._queue: asyncio.Queue[Asked] = asyncio.Queue()
        self._coming: tuple[MatchChange, Answer | None] | None = None
        self._next_game = NextGame()
        self._unshown = ""
        """The id of a match at the table that cannot be shown; it is laid by when another one begins."""
        self._trial: Trial | None = None
        self.faults: tuple[str, ...] = ()
        """What is wrong with the buttons, in words."""
        self._refused: str | None = None
        self._ready = False
        self._troubles: dict[str, str] = {}
        self._stopped = asyncio.Event()
        self._handled = 0.0
        self._house = SealedHouse(
            state / "secrets",
            lambda words: self.report_trouble("dice", words),
            lambda: self.log,
            lambda: any(each.seated() for each in self._watchers),
            lambda: 0 if devices.beacon is None else devices.beacon.next_round(),
        )
        self._notary = sign and sign(self._house, lambda words: self.report_trouble("signature", words))
        self._loop = asyncio.get_running_loop()
        self._camera: CameraThread | None = None
        self.referee: Referee | None = None
        for watcher in self._watchers:
            watcher.attach(self)

    def tell_log(self, words: str) -> None:
        """A line for the log; from any thread."""
        with suppress(RuntimeError):  # the loop is closed: the program has ended
            self._loop.call_soon_threadsafe(self._say, words)

    @property
    def ready(self) -> bool:
        """Whether a match has begun and all devices are in use."""
        return self._ready

    def submit(self, stimulus: Stimulus) -> None:
        """Puts something in the queue; from the event loop only."""
        self._queue.put_nowait(Asked(stimulus))

    async def act(self, event: Event, seen: int | None = None) -> str | None:
        """Does what a player asks for on the page, at table time; says why it was refused, None where it was
        done (or waits for the board to come to rest). ``seen`` is the number of the state that the page
        showed: once there is another, the act comes too late."""
        t = self.now()
        if isinstance(event, Press) and event.grade is None:
            return await self._ask(Pressed(t, event.side, event.button, event.actor), seen)
        return await self._ask(replace(event, t=t), seen)

    async def change(self, change: MatchChange) -> str | None:
        """Brings another match to the table; says why it was refused (then nothing has changed), None where
        it was done."""
        return change.refusal() or await self._ask(change)

    async def _ask(self, what: Stimulus | MatchChange, seen: int | None = None) -> str | None:
        answer: Answer = self._loop.create_future()
        self._queue.put_nowait(Asked(what, answer, seen))
        return await answer

    @property
    def trial(self) -> Trial | None:
        """The trial that goes on, if one does: buttons and lamps do not belong to the match then."""
        trial = self._trial
        return None if trial is None or trial.over else trial

    @trial.setter
    def trial(self, trial: Trial | None) -> None:
        self._trial = trial

    @property
    def session(self) -> Session:
        """The session now."""
        return self.referee.session if self.referee is not None else Session()

    @property
    def log(self) -> str:
        """The id of the match at the table."""
        return self.referee.log if self.referee is not None else ""

    def learn(self, table: BoardReader, board: str) -> None:
        """Reads with a new calibration; what was seen with the old one does not count any more."""
        self.devices.eyes.learn(table, board)
        self.submit(Blind(self.now()))

    def stop(self) -> None:
        """Ends :meth:`run` after the present stimulus."""
        self._stopped.set()

    async def run(self, fresh: bool = False) -> None:
        """Referees match after match until :meth:`stop`. ``fresh`` begins a new match even where one is
        unfinished. Raises JournalError where the journal cannot be used, BadInput where the match cannot
        begin."""
        await asyncio.to_thread(self._begin_or_continue, fresh)
        with collect_seldom():
            await self._run()

    async def _run(self) -> None:
        if self.devices.buttons is not None:
            self.devices.buttons.listen(self.hand_over)
        if self.devices.camera is not None:
            self._camera = CameraThread(
                self.devices.camera,
                self.devices.eyes,
                self.now,
                self.hand_over,
                lambda words: self.report_trouble("camera", words),
                self.devices.pause,
            )
            self._camera.start()
        self._ready = True
        notify("READY=1")
        works = [("referee", self._matches), ("heartbeat", self._heartbeat)]
        works += [("beacon", self._follow_beacon)] if self.devices.beacon is not None else []
        works += [(type(each).__name__, each.run) for each in self._watchers]
        own = [self._keep_going(name, job) for name, job in works]
        jobs = [asyncio.create_task(job) for job in (*own, self._stopped.wait())]
        try:
            done, _ = await asyncio.wait(jobs, return_when=asyncio.FIRST_COMPLETED)
            for job in done:
                job.result()
        finally:
            notify("STOPPING=1")
            for job in jobs:
                job.cancel()
            await asyncio.gather(*jobs, return_exceptions=True)
            await asyncio.to_thread(self._close)

    async def _keep_going(self, name: str, job: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Runs a part of the program; where it fails, players are told and it starts again."""
        while True:
            try:
                await job()
                return
            except Exception as error:
                self._tell_fault(name, error)
                await asyncio.sleep(AGAIN)

    def _tell_fault(self, name: str, error: Exception) -> None:
        self._set_trouble(name, f"a fault in the program ({name}), it goes on: {describe_fault(error)}")
        self._loop.call_later(TOLD, self._set_trouble, name, "")

    def _survive(self, stimulus: Stimulus | MatchChange, error: Exception) -> None:
        """What a player asked for has failed: nothing has happened."""
        self._refused = f"a fault in the program, nothing was done: {describe_fault(error)}"
        self._tell_fault("referee", error)

    def _close(self) -> None:
        if self._camera is not None:
            self._camera.stop()
        for each in (*self.devices.closable(), *self._watchers, self._notary):
            if each is not None:
                each.close()

    # -- matches

    def _begin_or_continue(self, fresh: bool) -> None:
        """Continues the match at the table, or begins one; with ``fresh`` that match is left, unfinished."""
        for lost in self._journal.lost:
            self.report_trouble(f"journal {lost.digest}", str(lost))
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
            except JournalError as error:
                if not (fresh or isinstance(error, BrokenChain)):
                    self._come_up_without(log, f"match {log} cannot be read: {error}")
                    return
                words = f"{error}; a new match was begun, 'barpoint verify {log}' says more"
                self.report_trouble("journal", words)
                session, entries = Session(), []
        if not entries:
            self._first_match()
            return
        events = [from_json(entry.body) for entry in entries]
        self._clock.go_on_from(events[-1].t)
        self._house.note(events)
        if fresh or session.state is State.ENDED:
            self.referee = Referee(
                self._journal,
                log,
                self.devices.eyes,
                self._house_of(log),
                watchers=[self._note],
                session=session,
            )
            pause = Press(t=self.now(), button=Button.PAUSE)
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
        how = f"begin another match under 'Set up', and this one is laid by ('barpoint verify {log}')"
        self._set_up_match("", self._usual_game(), Session(), [])
        self.report_trouble("match", f"{why}; {how}" if log else f"{why}; then begin one under 'Set up'")

    def _usual_game(self) -> Rules:
        return rules.get(self.devices.begin(self.now()).rules)

    def _first_match(self) -> None:
        change = MatchChange(self.devices.begin(self.now()))
        assert change.begin is not None
        game = rules.get(change.begin.rules)
        if game.set_up is not None and change.refusal() is not None:
            self._set_up_match("", game, Session(), [])  # players set up the board, and begin on the page
            return
        try:
            self._new_match(change)
        except JournalError as error:
            self._come_up_without("", f"no match can begin: {error}")

    def _change_match(self, change: MatchChange) -> None:
        """Brings another match. Raises BadInput or JournalError, and nothing has changed."""
        if change.log:
            entries = self._journal.entries(change.log)
            if not entries or change.log == self.log:
                raise BadInput(f"there is no match {change.log} to continue")
            check_chain(change.log, entries)
            session = restore(change.log, entries)
            if session.state is State.ENDED:
                raise BadInput(phrase("this match has ended; begin another one"))
            try:
                self._check_shown(change.log, session, entries[-1].body["t"])
            except Unshown as error:
                raise BadInput(str(error)) from error
            self._leave()
            self.open_matches.make_current(change.log)
            events = [from_json(entry.body) for entry in entries]
            self._clock.go_on_from(max(self.now(), events[-1].t))
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
        log, before, unshown = new_log(), self.referee, self._unshown
        self._leave()
        self.open_matches.make_current(log)
        try:
            self._set_up_match(log, rules.get(change.begin.rules), None, [])
            assert self.referee is not None
            self.referee.begin(replace(change.begin, t=self.now()))
        except JournalError:
            self.referee, self._unshown = before, unshown
            if self.referee is not None:
                self.open_matches.make_current(self.referee.log or unshown)
            raise
        for side, words in change.words.items():
            if self.session.table is not None and self.session.table.commitment is not None:
                self.referee.tell(Seed(t=self.now(), side=side, words=words))

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
        self.referee.pay(self.now())
        if under_way(self.session):
            self.open_matches.leave(self.log)
            self._house.lay_by(self.session)

    def _set_up_match(self, log: str, game: Rules, session: Session | None, events: Sequence[Event]) -> None:
        eyes = self.devices.eyes
        if self.devices.load_rig is not None and eyes.board != game.board:
            eyes.learn(self.devices.load_rig(game.board), game.board)
        for watcher in self._watchers:
            watcher.begin_match(log, game, events)
        watchers: list[Watcher] = [self._note, *self._watchers]
        number = len(events) if self.referee is None else self.referee.number + 1
        self._next_game = NextGame()
        self.referee = Referee(
            self._journal,
            log,
            eyes,
            self._house_of(log),
            watchers=watchers,
            session=session,
            proofs=[each.prove for each in self._watchers],
            report=lambda words: self.report_trouble("page", words),
            number=number,
        )
        if session is not None:
            self._show_troubles()

    def _house_of(self, log: str) -> House:
        """What the table owes the players of this match: its dice and, where there is a key, a signature."""
        if self._notary is None:
            return self._house
        self._notary.log = log
        return self._notary

    def _note(self, news: News) -> None:
        if news.waits or news.event is not None:
            self.report_trouble("picture", news.waits)
        if news.unwritten:
            self.report_trouble("disk", news.refused or "")
        elif news.event is not None and news.refused is None:
            self.report_trouble("disk", "")
        self._next_game.note(news.session, news.t)
        if news.refused is not None:
            self._refused = news.refused
            if not news.unwritten:  # which is told as trouble, until it can be written again
                self._say(news.refused)
        elif news.event is not None:
            self._house.note([news.event])
            if isinstance(news.event, Commit) and news.session.table is not None:
                game = news.session.table.bound
                self._say(f"dice of game {game}: bound by the commitment {news.event.digest}")

    async def _matches(self) -> None:
        while True:
            assert self.referee is not None
            await loop.run(self.referee, self._stimuli(), self._survive)
            assert self._coming is not None
            (change, answer), self._coming = self._coming, None
            reason = None
            try:
                # Whoever stops the table waits for this thread: then the journal is closed.
                with ThreadPoolExecutor(1, thread_name_prefix="match") as thread:
                    await self._loop.run_in_executor(thread, self._change_match, change)
            except (BadInput, JournalError) as error:
                reason = str(error)
            except Exception as error:
                reason = f"a fault in the program, the match stays: {describe_fault(error)}"
            self._set_trouble("match", reason or "")
            _answer(answer, reason)

    async def _stimuli(self) -> AsyncIterator[Stimulus]:
        """What comes in, until players ask for another match."""
        referee = self.referee
        assert referee is not None
        if self.devices.camera is not None and self.devices.eyes.calibrated:
            yield Blind(self.now())  # a *done* before the first picture waits for it
        yield Tick(t=self.now())  # the house adds what it owed when the power went
        while True:
            asked = await self._queue.get()
            self._refused = None
            try:
                for stimulus in self._sort(referee, asked):
                    yield stimulus
                    self._handled = time.monotonic()
            except Exception as error:
                self._survive(asked.what, error)
            if self._coming is not None:
                return
            _answer(asked.answer, self._refused)

    def _sort(self, referee: Referee, asked: Asked) -> Iterator[Stimulus]:
        """What somebody asked for, as the referee does it. Another match goes to ``_coming`` instead; a
        refusal to ``_refused``."""
        stimulus = asked.what
        if asked.seen is not None and asked.seen != referee.number:
            self._refused = STALE
            return
        if isinstance(stimulus, MatchChange):
            if under_way(referee.session) and not stimulus.leave:
                self._refused = BEING_PLAYED
                return
            pause = Press(t=self.now(), button=Button.PAUSE)
            if referee.session.state is not State.PAUSED and referee.session.refusal(pause) is None:
                yield pause
            self._coming = stimulus, asked.answer
            return
        if isinstance(stimulus, Pressed):
            stimulus = self._press_of_this_game(stimulus)
        if begins_next(referee.session, stimulus) and not self._next_may_begin(referee, asked, stimulus):
            return
        if isinstance(stimulus, Pressed) and referee.session.state is State.ENDED:
            again = self._rematch() if stimulus.button in (Button.DONE, Button.ROLL) else None
            if again is not None:
                self._coming = MatchChange(again), asked.answer
                return
        yield stimulus

    def _next_may_begin(self, referee: Referee, asked: Asked, stimulus: Stimulus) -> bool:
        """Whether the next game or match may begin now; players are told why not."""
        state = referee.session.state
        if isinstance(stimulus, Pressed) and state is State.ENDED and self._rematch() is None:
            self._set_trouble("match", SET_UP)
            self._refused = SET_UP
            return False
        words = self._next_game.refusal(referee.session, stimulus, on_page=asked.seen is not None)
        if words is None:
            return True
        refused = stimulus if isinstance(stimulus, Next) else Press(t=stimulus.t, button=Button.DONE)
        referee.refuse(refused, words)
        return False

    def _press_of_this_game(self, pressed: Pressed) -> Pressed:
        """The same press, by the side that has this place in the present game."""
        table = self.session.table
        if table is None or pressed.side not in self.devices.sides:
            return pressed
        return replace(pressed, side=table.rules.sides[self.devices.sides.index(pressed.side)])

    def _rematch(self) -> Begin | None:
        """The match that has ended, once more; None where players must set up the board first."""
        table = self.session.table
        assert table is not None
        if table.rules.set_up is not None:
            return None
        return replace(
            table.begin, position=None, terms=replace(table.begin.terms, score=(0, 0), crawford_over=False)
        )

    # -- devices

    def hand_over(self, stimulus: Stimulus) -> None:
        """Puts what a device reports in the queue, or gives it to the trial that goes on; from any
        thread."""
        trial = self.trial
        with suppress(RuntimeError):  # the loop is closed: the program has ended
            if trial is not None and isinstance(stimulus, Pressed):
                self._loop.call_soon_threadsafe(trial.hear, stimulus)
            else:
                self._loop.call_soon_threadsafe(self.submit, stimulus)

    def report_trouble(self, what: str, words: str) -> None:
        """Tells the players what is wrong with a part, "" when it works again; from any thread."""
        with suppress(RuntimeError):  # the loop is closed: the program has ended
            self._loop.call_soon_threadsafe(self._set_trouble, what, words)

    def _set_trouble(self, what: str, words: str) -> None:
        if self._troubles.get(what, "") == words:
            return
        if words:
            self._troubles[what] = words
        else:
            del self._troubles[what]
        if words or what != "picture":  # a *done* has waited for one; perhaps in vain
            self._say(words or f"{what}: works again")
        notify("STATUS=" + ("; ".join(self._troubles.values()) or "all works"))
        if self.referee is not None:
            self._show_troubles()

    def _show_troubles(self) -> None:
        words = tuple(self._troubles.values())
        number = 0 if self.referee is None else self.referee.number
        news = News(self.now(), self.session, number=number)
        for watcher in self._watchers:
            watcher.show_troubles(words, news)

    async def _heartbeat(self) -> None:
        """Checks the buttons, lets clocks run out, and feeds the watchdog while everything is alive."""
        beat = 0
        self._handled = time.monotonic()
        while True:
            await asyncio.sleep(0.1)
            if self.devices.buttons is not None:
                try:
                    self.faults = self.devices.buttons.check()
                except Exception as error:  # a chip that is gone raises anything
                    self.faults = (f"buttons: {describe_fault(error)}; check the box and its wires",)
                self.report_trouble("buttons", "; ".join(self.faults))
            beat += 1
            if beat % 10 == 0:
                await asyncio.to_thread(self._journal.sync_head)
                self.report_trouble("stick", notice(self._journal.path.parent))
                if self._queue.empty():
                    self.submit(Tick(t=self.now()))
                if self.alive():
                    notify("WATCHDOG=1")

    async def _follow_beacon(self) -> None:
        """Fetches the round that the present commitment named, once it has come out. Where it cannot be had,
        the players are told, and the game goes on without it."""
        beacon = self.devices.beacon
        assert beacon is not None
        while True:
            await asyncio.sleep(0.5)
            table = self.session.table
            if table is None or not table.round or table.beacon or table.drawn or table.rolls != (0, 0):
                self.report_trouble("beacon", "")
            elif beacon.due(table.round):
                try:
                    signature = await asyncio.to_thread(beacon.fetch, table.round)
                except NoBeacon as error:
                    self.report_trouble(
                        "beacon", f"drand cannot be had, the game goes on without it: {error}"
                    )
                    continue
                await self.act(Beacon(t=0, signature=signature))
                self.report_trouble("beacon", "")

    def alive(self) -> bool:
        """Whether the loop, the referee with its journal, and the camera's thread all worked lately."""
        camera = self._camera is None or self.now() - self._camera.beat < ALIVE + self.devices.pause
        return camera and time.monotonic() - self._handled < ALIVE and self._journal.path.exists()


def _game(session: Session) -> Rules:
    assert session.table is not None
    return session.table.rules


def _answer(answer: Answer | None, refused: str | None) -> None:
    if answer is not None and not answer.done():
        answer.set_result(refused)
