"""The recorder at the table: a watcher that keeps every match with its pictures, in a thread of its own.

The referee never waits for it. Where the disk is full, or too slow to keep up, the recording stops, the
players are told, and the game goes on; the next match is recorded again.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from engine.events import Event
from firmware.recordings.recording import Recording
from firmware.table.referee import News
from vision import boards

Heard: TypeAlias = tuple[News, boards.Table | None]
"""Something that happened, and how the table was calibrated then."""
BEHIND = 24
"""News that may wait to be written. A picture of 1640 x 1232 has 6 MB of memory."""
FOLDER = "recordings"
"""Where recordings are, in the state directory, unless told otherwise."""


class SessionRecorder:
    """Records into a folder for each log below ``root``. ``limit`` is in bytes of pictures; ``tell`` hears
    what is wrong, "" when nothing is, from any thread."""

    def __init__(
        self, root: Path, limit: int, eyes: Callable[[], boards.Table | None], tell: Callable[[str], None]
    ) -> None:
        """``eyes`` says how the table is calibrated now, None where it is not."""
        self._root = root
        self._limit = limit
        self._eyes = eyes
        self._tell = tell
        self._news: queue.Queue[Heard | None] = queue.Queue(BEHIND)
        self._thread: threading.Thread | None = None
        self._stopped = threading.Event()

    def begin(self, log: str, rules: str, events: Sequence[Event] = ()) -> None:
        """A match begins, or is taken up again after these events."""
        self.close()
        self._stopped.clear()
        self._tell("" if self._eyes() is not None else "recording begins when the table is calibrated")
        self._news = queue.Queue(BEHIND)
        task = (self._news, self._root / log, rules, list(events))
        self._thread = threading.Thread(target=self._run, args=task, name="recording", daemon=True)
        self._thread.start()

    def __call__(self, news: News) -> None:
        """Keeps the news, soon."""
        if self._stopped.is_set() or (news.frame is None and news.event is None and not news.moving):
            return
        try:
            self._news.put_nowait((news, self._eyes()))
        except queue.Full:
            self._stop("the disk is too slow")

    def close(self) -> None:
        """Writes what waits, and ends."""
        if self._thread is not None:
            with suppress(queue.Full):  # a disk that hangs: the thread is left behind
                self._news.put(None, timeout=5.0)
                self._thread.join(10.0)
            self._thread = None

    def _run(self, waiting: queue.Queue[Heard | None], folder: Path, rules: str, events: list[Event]) -> None:
        kept: Recording | None = None
        learned: boards.Table | None = None
        try:
            while (heard := waiting.get()) is not None:
                news, table = heard
                if table is not None and table is not learned:
                    if kept is None:
                        kept = Recording(folder, table, rules, self._limit, events)
                        self._tell("")
                    else:
                        kept.learn(table)
                    learned = table
                if kept is not None:
                    kept.take(news)
                    if waiting.empty():
                        kept.flush()
                elif news.event is not None and news.refused is None:
                    events.append(news.event)
            if kept is not None:
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
