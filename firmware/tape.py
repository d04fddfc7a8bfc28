"""The recorder at the table: a watcher that keeps every match with its pictures, in a thread of its own.

The referee never waits for it. Where the disk is full, or too slow to keep up, the recording stops, the players are told, and the game
goes on; the next match is recorded again.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from engine.events import Event
from firmware.recording import Recording
from firmware.referee import News
from vision import boards

BEHIND = 24
"""News that may wait to be written. A picture of 1640 x 1232 has 6 MB of memory."""
FOLDER = "recordings"
"""Where recordings are, in the state directory, unless told otherwise."""


class Tape:
    """Records into a folder for each log below ``root``. ``limit`` is in bytes of pictures; ``tell`` hears what is wrong, "" when nothing
    is, from any thread."""

    def __init__(self, root: Path, limit: int, tell: Callable[[str], None]) -> None:
        self._root = root
        self._limit = limit
        self._tell = tell
        self._news: queue.Queue[News | None] = queue.Queue(BEHIND)
        self._thread: threading.Thread | None = None
        self._stopped = threading.Event()

    def begin(self, log: str, table: boards.Table | None, rules: str, events: Sequence[Event] = ()) -> None:
        """A match begins, or is taken up again after these events."""
        self.close()
        self._stopped.clear()
        if table is None:
            self._stop("the table is not calibrated, so there is nothing to record it with")
            return
        self._tell("")
        self._news = queue.Queue(BEHIND)
        task = (self._news, self._root / log, table, rules, events)
        self._thread = threading.Thread(target=self._run, args=task, name="recording", daemon=True)
        self._thread.start()

    def __call__(self, news: News) -> None:
        """Keeps the news, soon."""
        if self._stopped.is_set() or (news.frame is None and news.event is None and not news.moving):
            return
        try:
            self._news.put_nowait(news)
        except queue.Full:
            self._stop("the disk is too slow")

    def close(self) -> None:
        """Writes what waits, and ends."""
        if self._thread is not None:
            with suppress(queue.Full):  # a disk that hangs: the thread is left behind
                self._news.put(None, timeout=5.0)
                self._thread.join(10.0)
            self._thread = None

    def _run(self, waiting: queue.Queue[News | None], folder: Path, table: boards.Table, rules: str, events: Sequence[Event]) -> None:
        kept: Recording | None = None
        try:
            kept = Recording(folder, table, rules, self._limit, events)
            while (news := waiting.get()) is not None:
                kept.take(news)
                if waiting.empty():
                    kept.flush()
            kept.flush()
        except OSError as error:
            self._stop(f"{folder}: {error.strerror or error}")
            with suppress(OSError):
                if kept is not None:
                    kept.flush()
            while waiting.get() is not None:  # nobody waits for a recorder that has given up
                pass

    def _stop(self, why: str) -> None:
        self._stopped.set()
        self._tell(f"recording has stopped, the game goes on: {why}")
