"""The recorder: a watcher that keeps every match with its pictures, in a thread of its own.

The referee never waits for it. When the disk is full, or too slow, the recording stops, the players are told,
and the game goes on; the next match is recorded again.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from engine.events import Event
from engine.messages import phrase
from firmware.errors import describe_fault
from firmware.record.match_id import is_match_id
from firmware.recordings.recording import RecordingWriter
from firmware.table.news import News
from firmware.wording import clean
from vision import reading
from vision.reading import BoardReader

Waiting: TypeAlias = tuple[News, BoardReader | None]
"""News, and how the table was calibrated then."""
BEHIND = 24
"""News that may wait to be written. A picture of 1640 x 1232 takes 6 MB of memory."""
CLOSING = 10.0
"""Seconds that the disk is given to write what waits."""
FOLDER = "recordings"
"""Where recordings are in the state directory, unless configured otherwise."""


class SessionRecorder:
    """Records every log into a folder of its own below ``root``. ``limit`` is in bytes of pictures; ``tell``
    is called with what is wrong, "" when nothing is, from any thread."""

    def __init__(
        self,
        root: Path,
        limit: int,
        eyes: Callable[[], reading.BoardReader | None],
        tell: Callable[[str], None],
    ) -> None:
        """``eyes`` returns how the table is calibrated now, None where it is not."""
        self._root = root
        self._limit = limit
        self._eyes = eyes
        self._tell = tell
        self._news: queue.Queue[Waiting | None] = queue.Queue(BEHIND)
        self._thread: threading.Thread | None = None
        """What writes; it is still there after :meth:`close` where the disk hangs."""
        self._stopped = threading.Event()

    def begin(self, log: str, rules: str, events: Sequence[Event] = ()) -> None:
        """Starts to record a match that begins, or continues after these events."""
        if not self.close():  # two may not write into one folder
            self._stop(phrase("the disk hangs"))
            return
        self._stopped.clear()
        if not is_match_id(log):
            self._stop(f"{clean(log)!r} is no match id, and names no folder")
            return
        self._tell(
            "" if self._eyes() is not None else phrase("recording begins when the table is calibrated")
        )
        self._news = queue.Queue(BEHIND)
        task = (self._news, self._root / log, rules, list(events))
        self._thread = threading.Thread(target=self._run, args=task, name="recording", daemon=True)
        self._thread.start()

    def __call__(self, news: News) -> None:
        """Puts the news into the queue."""
        if self._stopped.is_set() or (news.frame is None and news.event is None and not news.moving):
            return
        try:
            self._news.put_nowait((news, self._eyes()))
        except queue.Full:
            self._stop("the disk is too slow")

    def close(self) -> bool:
        """Writes what waits, and stops the thread. Whether it has ended: where the disk hangs it is left
        behind, and may still write."""
        if self._thread is not None:
            with suppress(queue.Full):
                self._news.put(None, timeout=CLOSING / 3)
                self._thread.join(CLOSING)
            if self._thread.is_alive():
                return False
            self._thread = None
        return True

    def _run(
        self, waiting: queue.Queue[Waiting | None], folder: Path, rules: str, events: list[Event]
    ) -> None:
        kept: RecordingWriter | None = None
        learned: BoardReader | None = None
        unwritten = 0
        heard: Waiting | None = None
        try:
            while (heard := waiting.get()) is not None:
                news, table = heard
                if table is not None and table is not learned:
                    if kept is None:
                        kept = RecordingWriter(folder, table, rules, self._limit, events)
                        self._tell("")
                    else:
                        kept.learn(table)
                    learned = table
                if kept is not None:
                    kept.take(news)
                    unwritten += 1
                    if waiting.empty() or unwritten == BEHIND:  # where the disk is always behind, too
                        kept.flush()
                        unwritten = 0
                elif news.event is not None and news.refused is None:
                    events.append(news.event)
            if kept is not None:
                kept.flush()
        except Exception as error:
            why = error.strerror or error if isinstance(error, OSError) else describe_fault(error)
            self._stop(f"{folder}: {why}")
            with suppress(Exception):
                if kept is not None:
                    kept.flush()
            while heard is not None:  # so that nobody waits for a recorder that gave up
                heard = waiting.get()

    def _stop(self, why: str) -> None:
        self._stopped.set()
        self._tell(phrase("recording has stopped, the game goes on: {reason}", reason=why))
