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
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from engine.events import Commit, Event, Press, Tick
from engine.messages import joined, phrase
from engine.session import Session
from firmware.dice.sealed import SealedHouse
from firmware.errors import describe_fault
from firmware.parts import Parts
from firmware.record.journal import Journal
from firmware.record.usb_export import notice
from firmware.table.beacon_round import follow_beacon
from firmware.table.change import MatchChange
from firmware.table.devices import Devices, TableClock
from firmware.table.gc_tuning import collect_seldom
from firmware.table.live import CameraThread
from firmware.table.match_at_table import MatchAtTable
from firmware.table.news import News
from firmware.table.notary import Notary
from firmware.table.notify import notify
from firmware.table.open_matches import OpenMatches
from firmware.table.referee import Blind, Referee, Stimulus
from firmware.table.table_queue import TableQueue
from firmware.table.trial import Trial
from firmware.table.watcher import TableWatcher
from firmware.troubles import Troubles
from hardware.protocols import Clock, Pressed
from vision.reading import BoardReader

ALIVE = 15.0
"""Seconds after which a thread that does nothing counts as dead."""


BEAT = 1.0
"""Seconds between two times that the watchdog is fed."""


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
        self._trial: Trial | None = None
        self.faults: tuple[str, ...] = ()
        """What is wrong with the buttons, in words."""
        self._ready = False
        self._troubles = Troubles(say)
        self._parts = Parts(self._set_trouble)
        self._stopped = asyncio.Event()
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
        self._queue = TableQueue(self.match, devices, clock, self.report_trouble, self.report_fault)
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
        self._queue.put(stimulus)

    async def act(self, event: Event, seen: int | None = None) -> str | None:
        """Does what a player asks for on the page, at table time; says why it was refused, None where it was
        done (or waits for the board to come to rest). ``seen`` is the number of the state that the page
        showed: once there is another, the act comes too late."""
        t = self.now()
        if isinstance(event, Press) and event.grade is None:
            return await self._queue.ask(Pressed(t, event.side, event.button, event.actor), seen)
        return await self._queue.ask(replace(event, t=t), seen)

    async def change(self, change: MatchChange) -> str | None:
        """Brings another match to the table; says why it was refused (then nothing has changed), None where
        it was done."""
        return change.refusal() or await self._queue.ask(change)

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
        works = [("referee", self._queue.run), ("heartbeat", self._heartbeat)]
        if self.devices.beacon is not None:
            works.append(("beacon", partial(follow_beacon, self, self.devices.beacon)))
        works += [(type(each).__name__, each.run) for each in self._watchers]
        own = [self._parts.keep_going(name, job) for name, job in works]
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

    def _close(self) -> None:
        if self._camera is not None:
            self._camera.stop()
        for each in (*self.devices.closable(), *self._watchers, self._notary):
            if each is not None:
                try:
                    each.close()
                except Exception as error:  # the others have things to write
                    self._say(f"{type(each).__name__}: {describe_fault(error)}")

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
            self._queue.refused = news.refused
            if not news.unwritten:  # which is told as trouble, until it can be written again
                self._say(news.refused)
        elif news.event is not None:
            self._house.note([news.event])
            if isinstance(news.event, Commit) and news.session.table is not None:
                game = news.session.table.bound
                self._say(f"dice of game {game}: bound by the commitment {news.event.digest}")

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

    def report_fault(self, name: str, error: Exception) -> None:
        """Tells the players that a part of the program has failed; from any thread."""
        with suppress(RuntimeError):  # the loop is closed: the program has ended
            self._loop.call_soon_threadsafe(self._parts.tell_fault, name, error)

    def report_trouble(self, what: str, words: str) -> None:
        """Tells the players what is wrong with a part, "" when it works again; from any thread."""
        with suppress(RuntimeError):  # the loop is closed: the program has ended
            self._loop.call_soon_threadsafe(self._set_trouble, what, words)

    def _set_trouble(self, what: str, words: str) -> None:
        if not self._troubles.set(
            what, words, quietly=what == "picture"
        ):  # a *done* that waited, perhaps in vain
            return
        notify("STATUS=" + ("; ".join(self._troubles.words) or "all works"))
        if self.referee is not None:
            self.show_troubles()

    def show_troubles(self) -> None:
        """Whoever follows the table is told again what is wrong."""
        number = 0 if self.referee is None else self.referee.number
        news = News(self.now(), self.session, number=number)
        for watcher in self._watchers:
            watcher.show_troubles(self._troubles.words, news)

    async def _heartbeat(self) -> None:
        """Checks the buttons, lets clocks run out, and feeds the watchdog while everything is alive."""
        due = self._queue.handled = time.monotonic()
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
            now = time.monotonic()
            if now >= due:  # by the clock: where much else runs, ten looks may take half a minute
                due = now + BEAT
                await asyncio.to_thread(self._journal.sync_head)
                self._set_trouble("stick", notice(self._journal.path.parent))
                if self._queue.empty():
                    self.submit(Tick(t=self.now()))
                if self.alive():
                    notify("WATCHDOG=1")

    def alive(self) -> bool:
        """Whether the loop, the referee with its journal, and the camera's thread all worked lately."""
        camera = self._camera is None or self.now() - self._camera.beat < ALIVE + self.devices.pause
        return camera and time.monotonic() - self._queue.handled < ALIVE and self._journal.path.exists()
