"""The review of a match that is over, made by itself: ``barpoint review`` in a process of its own at the
lowest priority. Nothing is asked of an engine while a match goes on."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from engine.events import Event
from engine.match_state import State
from engine.position import Rules
from firmware.engines import NoEngine
from firmware.engines.known import find
from firmware.table.referee import News
from firmware.table.watcher import TableWatcher


class MatchReviewer(TableWatcher):
    """Reviews each match when it is won, where an engine is here; the report then shows it. A match that is
    taken up again after its end is reviewed again at the next end. ``say`` takes a line for the log."""

    def __init__(self, state: Path, say: Callable[[str], None]) -> None:
        self._state, self._say = state, say
        self._log = ""
        self._ended = False
        self._process: subprocess.Popen[str] | None = None

    def begin_match(self, log: str, game: Rules, events: Sequence[Event]) -> None:
        """The match that is reviewed next. One that was over when the program came up is not."""
        self._log, self._ended = log, True
        self._stop()

    def __call__(self, news: News) -> None:
        """Begins where the match ends, stops where it goes on."""
        ended = news.session.state is State.ENDED
        if ended and not self._ended and self._log:
            self._begin()
        elif not ended:
            self._stop()
        self._ended = ended

    def close(self) -> None:
        """Stops a review that goes on; 'barpoint review' takes it up again."""
        self._stop()

    def _begin(self) -> None:
        try:
            find()
        except NoEngine:
            return
        command = [
            sys.executable,
            "-m",
            "firmware",
            "review",
            self._log,
            "--json",
            "--state",
            str(self._state),
        ]
        nothing, pipe = subprocess.DEVNULL, subprocess.PIPE
        try:
            process = subprocess.Popen(
                ["nice", "-n", "19", *command],
                stdin=nothing,
                stdout=nothing,
                stderr=pipe,
                text=True,
                errors="replace",
                start_new_session=True,
                env={**os.environ, "OMP_NUM_THREADS": "1"},
            )
        except OSError as error:
            self._say(f"match {self._log} is not reviewed: {error.strerror or error}")
            return
        self._process = process
        threading.Thread(target=self._wait, args=(process, self._log), name="review", daemon=True).start()

    def _wait(self, process: subprocess.Popen[str], log: str) -> None:
        _, complained = process.communicate()
        if process.returncode == 0:
            self._say(f"match {log} is reviewed: barpoint report {log} -o match.html")
        elif process.returncode > 0:
            last = " ".join(complained.strip().splitlines()[-1:])[:200]
            self._say(f"match {log} is not reviewed: {last or f'status {process.returncode}'}")

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is not None and process.poll() is None:
            process.kill()
