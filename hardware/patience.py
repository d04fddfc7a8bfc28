"""Patience with devices: a call that may never return, and pauses that grow while something is away.

worker = Worker("camera")
frame = worker.do(camera.read, 3.0)    # Unanswered after three seconds; the call itself goes on
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent import futures
from concurrent.futures import Future
from typing import Any, TypeVar

FIRST = 1.0
"""Seconds until something lost is looked for again."""
LONGEST = 10.0
"""Seconds to which this pause grows: whoever plugs a cable in does not wait for longer."""

T = TypeVar("T")


class Backoff:
    """Pauses that double, from :data:`FIRST` to :data:`LONGEST` seconds."""

    def __init__(self) -> None:
        self._pause = FIRST

    def next(self) -> float:
        """Seconds to wait now; the next wait is longer."""
        pause, self._pause = self._pause, min(2 * self._pause, LONGEST)
        return pause

    def reset(self) -> None:
        """It works again: the next pause is short."""
        self._pause = FIRST


class Unanswered(TimeoutError):
    """A call has not come to an end yet."""


class Worker:
    """A thread that makes one call after another, so that nobody waits for one that hangs. Where one hangs
    for ever it is of no more use: :meth:`finish` it and make another one."""

    def __init__(self, name: str) -> None:
        self._calls: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    @property
    def working(self) -> bool:
        """Whether its thread still lives."""
        return self._thread.is_alive()

    def do(self, call: Callable[[], T], seconds: float) -> T:
        """What ``call`` returns, or raises. Raises Unanswered where that takes more than ``seconds``."""
        return self.begin(call)(seconds)

    def begin(self, call: Callable[[], T]) -> Callable[[float], T]:
        """Begins ``call``. What this returns waits for so many seconds, and can be asked again after it
        raised Unanswered: it returns what ``call`` returns, or raises."""
        answer: Future[T] = Future()
        self._calls.put((call, answer))

        def wait(seconds: float) -> T:
            if futures.wait([answer], seconds).not_done:
                raise Unanswered(f"nothing came within {seconds:g} s")
            return answer.result()

        return wait

    def finish(self, last: Callable[[], None] | None = None) -> None:
        """Ends the thread, after what it still does and one ``last`` call; does not wait for it."""
        if last is not None:
            self._calls.put((last, Future()))
        self._calls.put(None)

    def _run(self) -> None:
        while (todo := self._calls.get()) is not None:
            call, answer = todo
            try:
                answer.set_result(call())
            except Exception as error:  # the caller's to handle
                answer.set_exception(error)
            del todo, call, answer  # else this thread keeps the last picture
