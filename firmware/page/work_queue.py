"""Long work for those who look on: one piece at a time, in turns between addresses, and in slices.

Whoever asks waits in a line of his address, and the lines are served in turn: fifteen reports for one address
make another wait for one of them at most. Work is done in a thread, which rests after every slice twice as
long as that took, so the table always has the processor. What nobody waits for any more, since the client has
gone, is dropped, even half done. Who asks for what somebody waits for already shares it.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from fastapi import Request

from engine.messages import phrase
from firmware.page import acting
from firmware.page.refusal import Refused

SLICE = 0.005
"""Seconds of processor time after which work rests."""
REST = 2.0
"""How much longer than a slice it rests."""
LINE = 10
"""Pieces of work that one address may wait for."""
LINES = 200
"""Pieces of work that all together may wait for."""

T = TypeVar("T")


class Abandoned(Exception):
    """Nobody waits for this work any more."""


class Breath:
    """What work calls again and again, in its thread: it rests, or ends work that nobody waits for."""

    def __init__(self) -> None:
        self.gone = False
        self._since: float | None = None

    def __call__(self) -> None:
        """Rests if a slice is over. Raises Abandoned."""
        if self.gone:
            raise Abandoned
        now = time.thread_time()
        if self._since is None:
            self._since = now
        elif now - self._since >= SLICE:
            time.sleep(REST * (now - self._since))
            self._since = time.thread_time()


class QueuedWork:
    """A piece of work, and who waits for it."""

    def __init__(self, key: str, work: Callable[[Breath], Any]) -> None:
        self.key = key
        self.work = work
        self.breath = Breath()
        self.result: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.waiting = 0


class WorkQueue:
    """One line for each address."""

    def __init__(self) -> None:
        self._lines: OrderedDict[str, deque[QueuedWork]] = OrderedDict()
        self._jobs: dict[str, QueuedWork] = {}
        self._runner: asyncio.Task[None] | None = None

    @property
    def busy(self) -> bool:
        """Whether anybody waits for anything."""
        return bool(self._jobs)

    async def do(
        self, who: str, key: str, work: Callable[[Breath], T], gone: Callable[[], Awaitable[object]]
    ) -> T:
        """What ``work`` returns or raises. ``key`` is the same for the same work; ``gone`` returns when the
        client has gone. Raises Refused where too much waits."""
        job = self._jobs.get(key) or self._enqueue(who, QueuedWork(key, work))
        job.waiting += 1
        leaving = asyncio.ensure_future(gone())
        try:
            await asyncio.wait({job.result, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if not job.result.done():
                raise Refused(408, phrase("nobody waits for this any more"))
            found: T = job.result.result()
            return found
        finally:
            leaving.cancel()
            job.waiting -= 1
            if not job.waiting and not job.result.done():
                self._abandon(job)

    async def serve(self, request: Request, key: str, work: Callable[[Breath], T]) -> T:
        """The same for whoever makes this request."""
        return await self.do(acting.who(request), key, work, lambda: gone(request))

    def _enqueue(self, who: str, job: QueuedWork) -> QueuedWork:
        if len(self._lines.get(who, ())) >= LINE or len(self._jobs) >= LINES:
            raise Refused(429, phrase("too much waits to be done already; wait a little"), 10)
        self._lines.setdefault(who, deque()).append(job)
        self._jobs[job.key] = job
        if self._runner is None or self._runner.done():
            self._runner = asyncio.get_running_loop().create_task(self._run())
        return job

    def _abandon(self, job: QueuedWork) -> None:
        job.breath.gone = True
        if self._jobs.get(job.key) is job:
            del self._jobs[job.key]
        for who, line in list(self._lines.items()):
            if job in line:
                line.remove(job)
                if not line:
                    del self._lines[who]

    async def _run(self) -> None:
        while self._lines:
            who, line = self._lines.popitem(last=False)
            job = line.popleft()
            if line:
                self._lines[who] = line  # behind the others
            try:
                found = await asyncio.to_thread(job.work, job.breath)
            except asyncio.CancelledError:
                job.breath.gone = True
                raise
            except Exception as error:
                if job.waiting:
                    job.result.set_exception(error)
            else:
                job.result.set_result(found)
            if self._jobs.get(job.key) is job:
                del self._jobs[job.key]


async def gone(request: Request) -> None:
    """Returns when whoever asks has gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
