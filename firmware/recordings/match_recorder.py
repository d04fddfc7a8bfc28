"""The table's watcher that records its matches: when a recording begins, ends, and goes on after all."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Sequence
from pathlib import Path

from engine.events import Event, Sign
from engine.position import Rules
from firmware.record.match_id import match_file
from firmware.recordings.proof import recording_digest
from firmware.recordings.recorder import SessionRecorder
from firmware.table.devices import Devices
from firmware.table.news import News
from firmware.table.watcher import TableWatcher, WatchedTable


class MatchRecorder(TableWatcher):
    """Keeps every match with its pictures, in a folder for each below ``root``. ``limit`` is in bytes."""

    def __init__(self, root: Path, limit: int, devices: Devices) -> None:
        self._root, self._limit, self._devices = root, limit, devices
        self._recording = False
        self._match = ("", "")
        """The id and the game of the match at the table."""
        self._events: list[Event] = []
        self._lock = threading.Lock()

    def attach(self, table: WatchedTable) -> None:
        """Keeps :class:`firmware.table.watcher.TableWatcher`, as the others do."""
        self._tape = SessionRecorder(
            self._root,
            self._limit,
            lambda: self._devices.eyes.table,
            lambda words: table.report_trouble("recording", words),
        )

    def begin_match(self, log: str, game: Rules, events: Sequence[Event]) -> None:
        """Begins a recording, or goes on with it; that of a match that is signed is closed."""
        with self._lock:
            self._match, self._events = (log, game.name), list(events)
            self._recording = bool(log) and not (events and isinstance(events[-1], Sign))
            if self._recording:
                self._tape.begin(log, game.name, events)

    def __call__(self, news: News) -> None:
        """Keeps the news."""
        heard = None if news.refused is not None else news.event
        if self._recording:
            self._tape(news)
        elif self._match[0] and heard is not None and not isinstance(heard, Sign):
            with self._lock:  # a match that was over goes on
                self._tape.begin(*self._match, [*self._events, heard])
                self._recording = True
        if heard is not None:
            self._events.append(heard)

    def finish(self, log: str) -> str:
        """Closes the recording of a match that has ended; its digest, "" where there is none. It is opened
        again where the match goes on after all. From any thread. Raises OSError, also where pictures are
        still being written."""
        with self._lock:
            if log == self._match[0]:
                self._recording = False
                if not self._tape.close():
                    raise OSError(errno.EBUSY, os.strerror(errno.EBUSY), log)
        return recording_digest(self._root / match_file(log))

    def close(self) -> None:
        """Writes what waits."""
        with self._lock:
            self._tape.close()
