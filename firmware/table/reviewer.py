"""Reviews of matches that are over, by themselves and when the page asks: ``barpoint review`` in a process of
its own at the lowest priority. Nothing is asked of an engine while people play a match."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.events import Event
from engine.match_state import State
from engine.messages import phrase
from engine.position import Json, Rules
from firmware.engines import NoEngine
from firmware.engines.known import find
from firmware.errors import NotNow
from firmware.table.change import under_way
from firmware.table.news import News
from firmware.table.watcher import TableWatcher

MATCH_PLAY = phrase("a match is being played; it is reviewed when that one is over")


@dataclass
class Review:
    """One that goes on, or was the last: of which match, how far it is, and why it failed."""

    log: str
    process: subprocess.Popen[str]
    done: int = 0
    of: int = 0
    reason: str = ""
    stopped: bool = False

    def to_json(self) -> Json:
        """``state`` (working, done, failed, stopped), ``done`` and ``of`` games, ``reason``."""
        working = self.process.returncode is None and not self.stopped
        state = "failed" if self.reason else "stopped" if self.stopped else "working" if working else "done"
        return {"state": state, "done": self.done, "of": self.of, "reason": self.reason}


class MatchReviewer(TableWatcher):
    """Reviews each match when it is won, where an engine is here, and others when it is asked to; the page
    and the report then show it. A match that is taken up again after its end is reviewed again at the next
    end. One review at a time. ``say`` takes a line for the log; not ``by_itself``, it waits to be asked."""

    def __init__(self, state: Path, say: Callable[[str], None], by_itself: bool = True) -> None:
        self._state, self._say, self._by_itself = state, say, by_itself
        self._log = ""
        self._ended = False
        self._playing = False
        self._lock = threading.Lock()
        self._review: Review | None = None

    def begin_match(self, log: str, game: Rules, events: Sequence[Event]) -> None:
        """The match that is reviewed next. One that was over when the program came up is not."""
        self._log, self._ended, self._playing = log, True, False
        self.stop()

    def __call__(self, news: News) -> None:
        """Begins where the match ends, stops where it goes on."""
        ended = news.session.state is State.ENDED
        self._playing = under_way(news.session)
        if self._playing:
            self.stop()
        if self._by_itself and ended and not self._ended and self._log:
            try:
                self.start(self._log)
            except NoEngine:
                pass
            except OSError as error:
                self._say(f"match {self._log} is not reviewed: {error.strerror or error}")
        self._ended = ended

    def close(self) -> None:
        """Stops a review that goes on; 'barpoint review' takes it up again."""
        self.stop()

    def progress(self, log: str) -> Json:
        """How far the review of this match is (:meth:`Review.to_json`); ``state`` is idle where none was
        asked for."""
        review = self._review
        return {"state": "idle"} if review is None or review.log != log else review.to_json()

    def start(self, log: str) -> None:
        """Begins the review of a match, and stops that of another; nothing where it goes on already. Raises
        NoEngine, NotNow, OSError."""
        find()
        with self._lock:
            if self._playing:
                raise NotNow(MATCH_PLAY)
            if self._review is not None and self._review.to_json()["state"] == "working":
                if self._review.log == log:
                    return
                self._end(self._review)
            arguments = ["review", log, "--json", "--progress", "--state", str(self._state)]
            nothing, pipe = subprocess.DEVNULL, subprocess.PIPE
            process = subprocess.Popen(
                ["nice", "-n", "19", sys.executable, "-m", "firmware", *arguments],
                stdin=nothing,
                stdout=nothing,
                stderr=pipe,
                text=True,
                errors="replace",
                start_new_session=True,
                env={**os.environ, "OMP_NUM_THREADS": "1"},
            )
            self._review = Review(log, process)
            threading.Thread(target=self._follow, args=(self._review,), name="review", daemon=True).start()

    def stop(self) -> None:
        """Ends the review that goes on, if one does."""
        with self._lock:
            if self._review is not None:
                self._end(self._review)

    def _end(self, review: Review) -> None:
        if review.process.poll() is None:
            review.stopped = True
            review.process.kill()

    def _follow(self, review: Review) -> None:
        """Reads how far it is, and tells its end."""
        assert review.process.stderr is not None
        last = ""
        with review.process.stderr as lines:
            for line in lines:
                try:
                    said = json.loads(line)
                    review.done, review.of = int(said["done"]), int(said["of"])
                except (ValueError, LookupError, TypeError):
                    last = line.strip() or last
        status = review.process.wait()
        if status == 0:
            self._say(f"match {review.log} is reviewed: barpoint report {review.log} -o match.html")
        elif not review.stopped:
            review.reason = last[:200] or f"status {status}"
            self._say(f"match {review.log} is not reviewed: {review.reason}")
