"""The program on the device: it runs one table until it is told to stop.

    camera's thread ─┐
    buttons' thread ─┼─> one queue ─> the referee's thread ─> journal ─> watchers
    the page, ticks ─┘

Reading a picture and writing the journal take milliseconds, for which a web server must not wait; and a press
does not wait for the web server. All events pass through that one thread, so their order is always clear.

*Table time* is the time that the program has run, counted on from the journal's last entry. So a clock set
back by an hour, or a night without power, costs nobody a second.

A restart replays the journal and continues where the table was (:mod:`firmware.table.match_at_table`).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypeAlias

from engine.events import Button, Commit, Event, Next, Press, Tick
from engine.match_state import State
from engine.messages import joined, phrase
from engine.session import Session
from firmware.dice.sealed import SealedHouse
from firmware.errors import BadInput, describe_fault
from firmware.record.chain import JournalError
from firmware.record.journal import Journal
from firmware.record.usb_export import notice
from firmware.table.beacon_round import follow_beacon
from firmware.table.change import SET_UP, MatchChange, under_way
from firmware.table.devices import Devices, TableClock
from firmware.table.gc_tuning import collect_seldom
from firmware.table.live import CameraThread
from firmware.table.match_at_table import MatchAtTable
from firmware.table.next_game import begins_next
from firmware.table.notary import Notary
from firmware.table.notify import notify
from firmware.table.open_matches import OpenMatches
from firmware.table.referee import STALE, Blind, News, Referee, Stimulus
from firmware.table.trial import Trial
from firmware.table.watcher import TableWatcher
from hardware.protocols import Clock, Pressed
from vision.reading import BoardReader

BEING_PLAYED = (
    "a match is being played; finish it, or leave it: then it is paused, and you can continue it later"
)


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
        self._clock = clock
        self._journal = journal
        self._watchers = tuple(watchers)
        self._say = say
        self._queue: SimpleQueue[Asked | None] = SimpleQueue()
        """None wakes the referee's thread, to end."""
        self._coming: tuple[MatchChange, Answer | None] | None = None
        self._trial: Trial | None = None
        self.faults: tuple[str, ...] = ()
        """What is wrong with the buttons, in words."""
        self._refused: str | None = None
        self._ready = False
        self._troubles: dict[str, str] = {}
        self._stopped = asyncio.Event()
        self._ending = False
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
        self.match = MatchAtTable(
            self, devices, state, journal, self._watchers, clock, self._house, self._notary
        )
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
        """Puts something in the queue; from any thread."""
        self._queue.put(Asked(stimulus))

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
        self._queue.put(Asked(what, answer, seen))
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
        return self.match.session

    @property
    def log(self) -> str:
        """The id of the match at the table."""
        return self.match.log

    @property
    def referee(self) -> Referee | None:
        """Who referees it; None where there is no match."""
        return self.match.referee

    @property
    def open_matches(self) -> OpenMatches:
        """The matches that can be continued here."""
        return self.match.open_matches

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
        await asyncio.to_thread(self.match.begin_or_continue, fresh)
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
        if self.devices.beacon is not None:
            works.append(("beacon", partial(follow_beacon, self, self.devices.beacon)))
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
        why = describe_fault(error)
        words = phrase("a fault in the program ({part}), it goes on: {reason}", part=name, reason=why)
        self._set_trouble(name, words)
        self._loop.call_later(TOLD, self._set_trouble, name, "")

    def _survive(self, stimulus: Stimulus | MatchChange, error: Exception) -> None:
        """What a player asked for has failed: nothing has happened."""
        self._refused = phrase(
            "a fault in the program, nothing was done: {reason}", reason=describe_fault(error)
        )
        with suppress(RuntimeError):  # the loop is closed: the program has ended
            self._loop.call_soon_threadsafe(self._tell_fault, "referee", error)

    def _close(self) -> None:
        if self._camera is not None:
            self._camera.stop()
        for each in (*self.devices.closable(), *self._watchers, self._notary):
            if each is not None:
                each.close()

    # -- what players ask for

    def note(self, news: News) -> None:
        """Something happened in the match; called in the referee's thread."""
        if news.waits or news.event is not None:
            self.report_trouble("picture", news.waits)
        if news.unwritten:
            self.report_trouble("disk", news.refused or "")
        elif news.event is not None and news.refused is None:
            self.report_trouble("disk", "")
        self.match.next_game.note(news.session, news.t)
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
            with ThreadPoolExecutor(1, thread_name_prefix="referee") as thread:
                try:
                    await self._loop.run_in_executor(thread, self._follow, self.referee)
                except asyncio.CancelledError:
                    self._ending = True
                    self._queue.put(None)
                    raise
            assert self._coming is not None
            (change, answer), self._coming = self._coming, None
            reason = None
            try:
                # Whoever stops the table waits for this thread: then the journal is closed.
                with ThreadPoolExecutor(1, thread_name_prefix="match") as thread:
                    await self._loop.run_in_executor(thread, self.match.change, change)
            except (BadInput, JournalError) as error:
                reason = str(error)
            except Exception as error:
                reason = phrase(
                    "a fault in the program, the match stays: {reason}", reason=describe_fault(error)
                )
            self._set_trouble("match", reason or "")
            _answer(answer, reason)

    def _follow(self, referee: Referee) -> None:
        """In the referee's thread: does what comes in, one after the other, until players ask for another
        match or the table ends; never ends within one."""
        first: list[Stimulus] = [Tick(t=self.now())]  # the house adds what it owed when the power went
        if self.devices.camera is not None and self.devices.eyes.calibrated:
            first.insert(0, Blind(self.now()))  # a *done* before the first picture waits for it
        for asked in chain(map(Asked, first), iter(self._queue.get, None)):
            if self._ending:
                return
            self._refused = None
            try:
                for stimulus in self._sort(referee, asked):
                    referee.take(stimulus)
                    self._handled = time.monotonic()
            except Exception as error:
                self._survive(asked.what, error)
            if self._coming is not None:
                referee.settle()  # but a *done* that waits for hands is not judged by a table that ends
                return
            self._loop.call_soon_threadsafe(_answer, asked.answer, self._refused)

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
            again = self.match.rematch() if stimulus.button in (Button.DONE, Button.ROLL) else None
            if again is not None:
                self._coming = MatchChange(again), asked.answer
                return
        yield stimulus

    def _next_may_begin(self, referee: Referee, asked: Asked, stimulus: Stimulus) -> bool:
        """Whether the next game or match may begin now; players are told why not."""
        state = referee.session.state
        if isinstance(stimulus, Pressed) and state is State.ENDED and self.match.rematch() is None:
            self.report_trouble("match", SET_UP)
            self._refused = SET_UP
            return False
        words = self.match.next_game.refusal(referee.session, stimulus, on_page=asked.seen is not None)
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

    # -- devices

    def hand_over(self, stimulus: Stimulus) -> None:
        """Puts what a device reports in the queue, or gives it to the trial that goes on; from any
        thread."""
        trial = self.trial
        if trial is None or not isinstance(stimulus, Pressed):
            self.submit(stimulus)
            return
        with suppress(RuntimeError):  # the loop is closed: the program has ended
            self._loop.call_soon_threadsafe(trial.hear, stimulus)

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
            self.show_troubles()

    def show_troubles(self) -> None:
        """Whoever follows the table is told again what is wrong."""
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
                    self.faults = (
                        phrase("buttons: {error}; check the box and its wires", error=describe_fault(error)),
                    )
                self._set_trouble("buttons", joined("; ", self.faults))
            beat += 1
            if beat % 10 == 0:
                await asyncio.to_thread(self._journal.sync_head)
                self._set_trouble("stick", notice(self._journal.path.parent))
                if self._queue.empty():
                    self.submit(Tick(t=self.now()))
                if self.alive():
                    notify("WATCHDOG=1")

    def alive(self) -> bool:
        """Whether the loop, the referee with its journal, and the camera's thread all worked lately."""
        camera = self._camera is None or self.now() - self._camera.beat < ALIVE + self.devices.pause
        return camera and time.monotonic() - self._handled < ALIVE and self._journal.path.exists()


def _answer(answer: Answer | None, refused: str | None) -> None:
    if answer is not None and not answer.done():
        answer.set_result(refused)
