"""One queue, one referee: whatever happens at the table comes in here and is done in order, one by one.

A thread of its own brings it to the referee. That thread ends where players ask for another match; when that
one is at the table, the next thread goes on with it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from queue import SimpleQueue
from typing import TypeAlias

from engine.events import Button, Press, Tick
from engine.match_state import State
from engine.messages import phrase
from firmware.errors import BadInput, describe_fault
from firmware.record.chain import JournalError
from firmware.table.change import MatchChange, under_way
from firmware.table.devices import Devices
from firmware.table.match_at_table import MatchAtTable
from firmware.table.referee import STALE, Blind, Referee, Stimulus
from hardware.protocols import Clock, Pressed

BEING_PLAYED = (
    "a match is being played; finish it, or leave it: then it is paused, and you can continue it later"
)
ENDING = phrase("the table is being switched off")

Answer: TypeAlias = "asyncio.Future[str | None]"
"""Becomes why something was refused, None where it was done."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What waits to be done: for whom, and by which state of the table they decided (None: any)."""

    what: Stimulus | MatchChange
    answer: Answer | None = None
    seen: int | None = None


class TableQueue:
    """What waits to be done at a table, made in a running event loop. ``report_trouble`` hears what is wrong
    with the match, ``tell_fault`` of what has failed; both are called from any thread."""

    def __init__(
        self,
        match: MatchAtTable,
        devices: Devices,
        now: Clock,
        report_trouble: Callable[[str, str], None],
        tell_fault: Callable[[str, Exception], None],
    ) -> None:
        self.handled = 0.0
        """When something was last done, by the machine's monotonic clock."""
        self.refused: str | None = None
        """Why what is being done now is refused."""
        self._match, self._devices, self._now = match, devices, now
        self._report_trouble, self._tell_fault = report_trouble, tell_fault
        self._waiting: SimpleQueue[Asked | None] = SimpleQueue()
        """None wakes the referee's thread, to end."""
        self._coming: tuple[MatchChange, Answer | None] | None = None
        self._ending = False
        self._loop = asyncio.get_running_loop()

    def put(self, stimulus: Stimulus) -> None:
        """This has happened; from any thread."""
        self._waiting.put(Asked(stimulus))

    def empty(self) -> bool:
        """Whether nothing waits."""
        return self._waiting.empty()

    async def ask(self, what: Stimulus | MatchChange, seen: int | None = None) -> str | None:
        """Waits until this has been done; says why it was refused, None where it was done."""
        if self._ending:
            return ENDING
        answer: Answer = self._loop.create_future()
        self._waiting.put(Asked(what, answer, seen))
        return await answer

    async def run(self) -> None:
        """Does what comes in, match after match, until it is cancelled; then nobody waits for an answer."""
        try:
            await self._follow_matches()
        finally:
            if self._ending and self._coming is not None:  # it was asked for as the table ended
                _answer(self._coming[1], ENDING)
            while self._ending and not self._waiting.empty():
                if (asked := self._waiting.get()) is not None:
                    _answer(asked.answer, ENDING)

    async def _follow_matches(self) -> None:
        while True:
            assert self._match.referee is not None
            with ThreadPoolExecutor(1, thread_name_prefix="referee") as thread:
                try:
                    await self._loop.run_in_executor(thread, self._follow, self._match.referee)
                except asyncio.CancelledError:
                    self._ending = True
                    self._waiting.put(None)
                    raise
            assert self._coming is not None
            (change, answer), self._coming = self._coming, None
            reason = None
            try:
                # Whoever stops the table waits for this thread: then the journal is closed.
                with ThreadPoolExecutor(1, thread_name_prefix="match") as thread:
                    await self._loop.run_in_executor(thread, self._match.change, change)
            except asyncio.CancelledError:
                self._ending = True
                _answer(answer, ENDING)
                raise
            except (BadInput, JournalError) as error:
                reason = str(error)
            except Exception as error:
                reason = phrase(
                    "a fault in the program, the match stays: {reason}", reason=describe_fault(error)
                )
            self._report_trouble("match", reason or "")
            _answer(answer, reason)

    def _follow(self, referee: Referee) -> None:
        """In the referee's thread: does what comes in, one after the other, until players ask for another
        match or the table ends; never ends within one."""
        first: list[Stimulus] = [Tick(t=self._now())]  # the house adds what it owed when the power went
        if self._devices.camera is not None and self._devices.eyes.calibrated:
            first.insert(0, Blind(self._now()))  # a *done* before the first picture waits for it
        for asked in chain(map(Asked, first), iter(self._waiting.get, None)):
            if self._ending:
                self._loop.call_soon_threadsafe(_answer, asked.answer, ENDING)
                return
            self.refused = None
            try:
                for stimulus in self._sort(referee, asked):
                    referee.take(stimulus)
                    self.handled = time.monotonic()
            except Exception as error:  # of what a player asked for, nothing has happened
                self.refused = phrase(
                    "a fault in the program, nothing was done: {reason}", reason=describe_fault(error)
                )
                self._tell_fault("referee", error)
            if self._coming is not None:
                referee.settle()  # but a *done* that waits for hands is not judged by a table that ends
                return
            self._loop.call_soon_threadsafe(_answer, asked.answer, self.refused)

    def _sort(self, referee: Referee, asked: Asked) -> Iterator[Stimulus]:
        """What somebody asked for, as the referee does it. Another match goes to ``_coming`` instead; a
        refusal to ``refused``."""
        stimulus = asked.what
        if asked.seen is not None and asked.seen != referee.number:
            self.refused = STALE
            return
        if isinstance(stimulus, MatchChange):
            if under_way(referee.session) and not stimulus.leave:
                self.refused = BEING_PLAYED
                return
            pause = Press(t=self._now(), button=Button.PAUSE)
            if referee.session.state is not State.PAUSED and referee.session.refusal(pause) is None:
                yield pause
            self._coming = stimulus, asked.answer
            return
        if isinstance(stimulus, Pressed):
            stimulus = self._devices.in_game(stimulus, referee.session)
        self.refused = self._match.refusal_of_next(stimulus, on_page=asked.seen is not None)
        if self.refused is not None:
            return
        if isinstance(stimulus, Pressed) and referee.session.state is State.ENDED:
            again = self._match.rematch() if stimulus.button in (Button.DONE, Button.ROLL) else None
            if again is not None:
                self._coming = MatchChange(again), asked.answer
                return
        yield stimulus


def _answer(answer: Answer | None, refused: str | None) -> None:
    if answer is not None and not answer.done():
        answer.set_result(refused)
