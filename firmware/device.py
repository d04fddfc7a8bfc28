"""The program on the device: one table, from the first picture to the last light, until it is told to stop.

    camera's thread ─┐
    buttons' thread ─┼─> one queue ─> firmware.loop (the referee's thread) ─> journal ─> page, lamps
    the page, ticks ─┘

The event loop is the one place of time: *table time* is the time that the program has run, counted on from the journal's last
entry. So a clock set back by an hour, or a night without power, costs nobody a second.

A restart replays the journal and stands where it stood. The match at the table is named in the file ``table``; a match begins
with the first start, and again when *done* is pressed after the last one has ended.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from engine import rules
from engine.events import Begin, Button, Event, Press, Tick, from_json
from engine.session import Session
from engine.table import State
from firmware import loop
from firmware.errors import BadInput
from firmware.journal import BrokenChain, Journal, JournalError, check_chain
from firmware.lampmap import LampMap
from firmware.live import LiveEyes, Watch
from firmware.notify import notify
from firmware.page.stream import Hub
from firmware.referee import Blind, News, Referee, Stimulus, Watcher, restore
from firmware.sealed import SealedHouse
from firmware.showing import Showing
from firmware.state import new_log
from firmware.tape import Tape
from hardware.protocols import Buttons, Camera, DeviceError, Lights, Pressed

CURRENT = "table"
"""The file that names the match at the table."""
STEP = 0.05
"""Seconds between two looks at the lamps: a blink of half a second has ten of them."""
ALIVE = 15.0
"""Seconds after which a thread that has not stirred counts as dead."""
RESHOW = 1.0
"""Seconds after which the strip is shown the same again: one that was plugged back in shines then."""


class TableClock:
    """Seconds of table time: call it. It only ever goes forward, whatever is done to the machine's clock."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._zero = -monotonic()

    def __call__(self) -> float:
        """Now."""
        return self._zero + self._monotonic()

    def go_on_from(self, t: float) -> None:
        """Counts on from ``t``."""
        self._zero = t - self._monotonic()


@dataclass
class Table:
    """What stands on the table. None is something that it does not have."""

    begin: Callable[[float], Begin]
    eyes: LiveEyes
    camera: Camera | None = None
    pause: float = 0.0
    buttons: Buttons | None = None
    strip: Lights | None = None
    leds: dict[str, tuple[int, ...]] | None = None
    recordings: Path | None = None
    """Where matches are kept with their pictures, and in how many bytes at most."""
    limit: int = 0


class Device:
    """The device program, made in a running event loop. :meth:`run` it; :meth:`stop` ends it."""

    def __init__(self, table: Table, state: Path, journal: Journal, hub: Hub, say: Callable[[str], None], clock: TableClock) -> None:
        self.table = table
        self.now = clock
        self._state = state
        self._journal = journal
        self._hub = hub
        self._say = say
        self._queue: asyncio.Queue[tuple[Stimulus, asyncio.Future[str | None] | None]] = asyncio.Queue()
        self._refused: str | None = None
        self._ready = False
        self._troubles: dict[str, str] = {}
        self._stopped = asyncio.Event()
        self._handled = 0.0
        self._house = SealedHouse(state / "secrets", lambda words: self._trouble("dice", words))
        self._loop = asyncio.get_running_loop()
        self._watch: Watch | None = None
        self._tape: Tape | None = None
        if table.recordings is not None:
            self._tape = Tape(table.recordings, table.limit, lambda words: self._trouble("recording", words))
        self._showing: Showing | None = None
        self.referee: Referee | None = None

    @property
    def ready(self) -> bool:
        """Whether a match has begun and every device is listened to."""
        return self._ready

    def submit(self, stimulus: Stimulus) -> None:
        """Puts something in the queue; from the event loop only."""
        self._queue.put_nowait((stimulus, None))

    async def act(self, event: Event) -> str | None:
        """Does what a player asks for by the page, at table time; says why it was refused, None where it was done (or waits for the
        board to come to rest). Keeps :data:`firmware.page.acting.Act`."""
        t = self.now()
        pressed = isinstance(event, Press) and event.grade is None
        stimulus = Pressed(t, event.side, event.button) if isinstance(event, Press) and pressed else replace(event, t=t)
        answer: asyncio.Future[str | None] = self._loop.create_future()
        self._queue.put_nowait((stimulus, answer))
        return await answer

    def stop(self) -> None:
        """Ends :meth:`run` after what is being handled now."""
        self._stopped.set()

    async def run(self, fresh: bool = False) -> None:
        """Referees match after match until :meth:`stop`. ``fresh`` begins a new match even where one was left unfinished.

        Raises JournalError where the journal cannot be used, BadInput where the match cannot begin."""
        await asyncio.to_thread(self._sit_down, fresh)
        if self.table.buttons is not None:
            self.table.buttons.listen(self._from_thread)
        if self.table.camera is not None:
            self._watch = Watch(
                self.table.camera, self.table.eyes, self.now, self._from_thread, lambda words: self._trouble("camera", words)
            )
            self._watch.pause = self.table.pause
            self._watch.start()
        self._ready = True
        notify("READY=1")
        jobs = [asyncio.create_task(job) for job in (self._matches(), self._shine(), self._keep(), self._stopped.wait())]
        try:
            done, _ = await asyncio.wait(jobs, return_when=asyncio.FIRST_COMPLETED)
            for job in done:
                job.result()
        finally:
            notify("STOPPING=1")
            for job in jobs:
                job.cancel()
            await asyncio.gather(*jobs, return_exceptions=True)
            await asyncio.to_thread(self._clear)

    def _clear(self) -> None:
        if self._watch is not None:
            self._watch.stop()
        for device in (self.table.buttons, self.table.strip, self._tape):
            if device is not None:
                device.close()

    # -- matches ------------------------------------------------------------------------------------------------------------------

    def _sit_down(self, fresh: bool) -> None:
        """Takes up the match at the table, or begins one."""
        log = "" if fresh else self._current()
        entries = self._journal.entries(log) if log else []
        session = Session()
        if entries:
            try:
                check_chain(log, entries)
                session = restore(log, entries)
            except BrokenChain as error:
                self._trouble("journal", f"{error}; a new match was begun, 'barpoint verify {log}' says more")
                entries = []
        if not entries:
            self._new_match()
            return
        events = [from_json(entry.body) for entry in entries]
        self.now.go_on_from(events[-1].t)
        self._house.note(events)
        if session.state is State.ENDED:
            self.referee = Referee(self._journal, log, self.table.eyes, self._house, watchers=[self._note], session=session)
            self._leave()
            self._new_match()
            return
        self._take_seats(log, session, events)

    def _leave(self) -> None:
        """The players get up from a match that is over: nothing of it can be taken back, and its dice are proved."""
        assert self.referee is not None
        self._house.hurry()
        self.referee.pay(self.now())

    def _new_match(self) -> None:
        log = new_log()
        begin = self.table.begin(self.now())
        reason = Session().refusal(begin)
        if reason is not None:
            raise BadInput(f"the match cannot begin: {reason}")
        self._write_current(log)
        self._take_seats(log, None, [])
        assert self.referee is not None
        self.referee.begin(begin)

    def _take_seats(self, log: str, session: Session | None, events: Sequence[Event]) -> None:
        game = session.table.rules if session is not None and session.table is not None else rules.get(self.table.begin(0.0).rules)
        watchers: list[Watcher] = [self._note]
        self._showing = Showing(game, self._hub, self._loop)
        watchers.append(self._showing)
        if self._tape is not None:
            self._tape.begin(log, self.table.eyes.table, game.name, events)
            watchers.append(self._tape)
        self.referee = Referee(self._journal, log, self.table.eyes, self._house, watchers=watchers, session=session)
        if session is not None:
            self._showing(News(self.now(), session))

    def _note(self, news: News) -> None:
        if news.refused is not None:
            self._refused = news.refused
            self._say(news.refused)
        elif news.event is not None:
            self._house.note([news.event])

    async def _matches(self) -> None:
        while True:
            assert self.referee is not None
            await loop.run(self.referee, self._stimuli())
            await asyncio.to_thread(self._leave)
            await asyncio.to_thread(self._new_match)

    async def _stimuli(self) -> AsyncIterator[Stimulus]:
        """What comes in, until a press asks for a new match."""
        referee = self.referee
        assert referee is not None
        if self.table.camera is not None and self.table.eyes.calibrated:
            yield Blind(self.now())  # a *done* before the first picture waits for it
        yield Tick(t=self.now())  # pays what the house owed when the power went
        while True:
            stimulus, answer = await self._queue.get()
            self._refused = None
            if isinstance(stimulus, Pressed):
                if referee.session.state is State.ENDED and stimulus.button in (Button.DONE, Button.ROLL):
                    _settle(answer, None)
                    return
                if stimulus.button is Button.ROLL:
                    seed = self._house.timing(referee.session, stimulus.side, stimulus.t)
                    if seed is not None:
                        yield seed
            yield stimulus
            self._handled = time.monotonic()
            _settle(answer, self._refused)

    def _current(self) -> str:
        try:
            return (self._state / CURRENT).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            return ""

    def _write_current(self, log: str) -> None:
        draft = self._state / f"{CURRENT}.part"
        try:
            with draft.open("w", encoding="utf-8") as file:
                file.write(log + "\n")
                file.flush()
                os.fsync(file.fileno())
            draft.replace(self._state / CURRENT)
        except OSError as error:
            raise JournalError(
                f"cannot write to {self._state}: {error.strerror or error}; see whether the disk is full or read-only"
            ) from error

    # -- devices ------------------------------------------------------------------------------------------------------------------

    def _from_thread(self, stimulus: Stimulus) -> None:
        with suppress(RuntimeError):  # the loop is closed: the program has ended
            self._loop.call_soon_threadsafe(self.submit, stimulus)

    def _trouble(self, what: str, words: str) -> None:
        """Tells the players what is wrong with a device, "" when it is mended; from any thread."""
        with suppress(RuntimeError):  # the loop is closed: the program has ended
            self._loop.call_soon_threadsafe(self._tell, what, words)

    def _tell(self, what: str, words: str) -> None:
        if self._troubles.get(what, "") == words:
            return
        if words:
            self._troubles[what] = words
        else:
            del self._troubles[what]
        self._say(words or f"{what}: in order again")
        notify("STATUS=" + ("; ".join(self._troubles.values()) or "in order"))
        if self._showing is not None and self.referee is not None:
            self._showing.trouble(tuple(self._troubles.values()), News(self.now(), self.referee.session))

    async def _shine(self) -> None:
        strip, leds = self.table.strip, self.table.leds
        if strip is None or leds is None:
            await self._stopped.wait()
            return
        shown: object = None
        since = begun = 0.0
        blinking: frozenset[str] = frozenset()
        with ThreadPoolExecutor(1, thread_name_prefix="lamps") as thread:
            while True:
                session = self.referee.session if self.referee is not None else Session()
                sides = session.table.rules.sides if session.table is not None else ("white", "black")
                now = self.now()
                before, blinking = blinking, LampMap.blinking(session, now)
                if blinking - before:
                    begun = now
                frame = LampMap.of(leds, strip.count, sides).frame(session, now, begun)
                if frame != shown or time.monotonic() - since > RESHOW:
                    try:
                        await self._loop.run_in_executor(thread, strip.show, frame)
                        shown, since = frame, time.monotonic()
                        self._trouble("strip", "")
                    except DeviceError as error:
                        self._trouble("strip", str(error))
                        await asyncio.sleep(RESHOW)
                await asyncio.sleep(STEP)

    async def _keep(self) -> None:
        """Looks after the buttons, lets clocks run out, and feeds the watchdog while everything is alive."""
        beat = 0
        self._handled = time.monotonic()
        while True:
            await asyncio.sleep(0.1)
            if self.table.buttons is not None:
                self._trouble("buttons", "; ".join(self.table.buttons.check()))
            beat += 1
            if beat % 10 == 0:
                if self._queue.empty():
                    self.submit(Tick(t=self.now()))
                if self.alive():
                    notify("WATCHDOG=1")

    def alive(self) -> bool:
        """Whether the loop, the referee with its journal, and the camera's thread have all stirred lately."""
        camera = self._watch is None or self.now() - self._watch.beat < ALIVE + self.table.pause
        return camera and time.monotonic() - self._handled < ALIVE and self._journal.path.exists()


def _settle(answer: asyncio.Future[str | None] | None, refused: str | None) -> None:
    if answer is not None and not answer.done():
        answer.set_result(refused)
