"""A table that learns from play.

A *done* that the camera found legal is accepted when the other side goes on: then it is a label for the
picture that it was judged by. A play that somebody named is none: the checkers may be moved later. The last
accepted pictures are kept in the state directory. Now and then the looks of pieces and board are learned anew
from every other one of them, in a thread of low priority, and tried on the rest: only what reads those at
least as well takes over. Every version is kept in the rig's file, so that people can go back.
"""

from __future__ import annotations

import json
import os
import queue
import re
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from engine import strict_json
from engine.events import Button, Event, Press, Roll
from engine.layout import Looks
from engine.match_state import State
from engine.position import Rules
from firmware.errors import describe_fault
from firmware.files import replace_file
from firmware.jpeg import encode_jpeg
from firmware.table.live import LiveEyes
from firmware.table.news import News
from firmware.table.watcher import TableWatcher
from firmware.utc import utc_now
from hardware.protocols import Frame
from vision import boards
from vision.errors import VisionError
from vision.picture.frame import accept, load
from vision.reading import Accepted, BoardReader

KEPT = 24
"""Accepted pictures that are kept: those of about the last game."""
LEAST = 8
"""Of how many something is learned at all."""
EVERY = 6
"""After how many new ones it is tried again."""
NICENESS = 10
"""The thread's: low, but not the lowest, since it shares the interpreter with the table."""
FOLDER = "accepted"
"""Where the pictures are in the state directory, a folder for each kind of board."""
INDEX = "accepted.json"
PICTURE = re.compile(r"[0-9]{6,12}\.jpg")
"""How a picture is called: nothing in the index leads out of the folder."""
NEAR = 0.5
"""Pixels by which a corner may lie elsewhere in pictures that a calibration is for: a rig's file rounds."""
UNSAID = 3.0
"""Nats that are lost by a cell of which nothing is said: it has about twenty looks."""
CALM = (State.ROLL, State.ROLLING, State.OVER, State.ENDED)
"""What a table waits for after a play that was found legal."""

Misfit: TypeAlias = tuple[int, float]
Shot: TypeAlias = Callable[[], Accepted]
"""Loads an accepted picture when it is looked at: all of them in memory would be 80 MB and more."""


def misfit(table: BoardReader, shots: Sequence[Shot]) -> Misfit:
    """How badly a table reads accepted pictures: the cells that it reads otherwise, and the nats by which
    what stands there is less than certain."""
    wrong, lost = 0, 0.0
    for load_shot in shots:
        shot = load_shot()
        reading = table.read(shot.frame)
        for cell, look in shot.looks.items():
            seen = reading.evidence.cells.get(cell)
            if seen is None:
                lost += UNSAID
            else:
                wrong += reading.looks.get(cell) != look
                lost += float(np.logaddexp.reduce([*seen.values()])) - reading.evidence.score(cell, look)
    return wrong, lost


def improved(table: BoardReader, shots: Sequence[Shot]) -> BoardReader | None:
    """The table with looks as every other accepted picture shows them, if it reads the others, the newest
    among them, at least as well; else None. Raises VisionError."""
    tried, learned = shots[::-1][::2], shots[::-1][1::2]
    better = table.relearn(load_shot() for load_shot in learned)
    if better is None:
        return None
    was, now = misfit(table, tried), misfit(better, tried)
    return better if now[0] <= was[0] and now[1] <= was[1] else None


class TableLearner(TableWatcher):
    """Lets the rig of the table under ``eyes`` follow what players accept. ``rig``: the file for a kind of
    board; ``state``: the state directory; ``say`` takes a line for the log, from any thread."""

    def __init__(
        self, eyes: LiveEyes, rig: Callable[[str], Path], state: Path, say: Callable[[str], None]
    ) -> None:
        self._eyes, self._rig, self._root, self._say = eyes, rig, state / FOLDER, say
        self._resting: Frame | None = None
        self._judged: tuple[Frame, Looks] | None = None
        self._due: Looks | None = None
        self._work: queue.Queue[tuple[Frame, Looks] | None] = queue.Queue(4)
        self._thread: threading.Thread | None = None
        self._accepted: deque[Stored] = deque(maxlen=KEPT)
        self._table: BoardReader | None = None
        self._board = ""
        self._new = 0

    def begin_match(self, log: str, game: Rules, events: Sequence[Event]) -> None:
        """What was judged in another match is accepted by nobody now."""
        self._resting = self._judged = self._due = None

    def __call__(self, news: News) -> None:
        """Remembers what is judged; once the other side goes on, it is a label."""
        if news.moving:
            self._resting = None
        elif news.frame is not None:
            self._resting = news.frame
            if self._due is not None:
                self._judged, self._due = (news.frame, self._due), None
        event, position = news.event, news.session.position
        if event is None or news.refused is not None:
            return
        done = isinstance(event, Press) and event.button is Button.DONE
        if (done or isinstance(event, Roll)) and self._judged is not None:
            self._hand_over(self._judged)
        if done or not isinstance(event, Press) or event.button is Button.UNDO:
            self._judged = self._due = None
        if not done or news.session.state not in CALM or position is None:
            return
        if self._resting is None:  # the done waited for hands to leave: the picture that shows it comes next
            self._due = position.looks()
        else:
            self._judged = self._resting, position.looks()

    def close(self) -> None:
        """Ends the thread after what it is doing."""
        if self._thread is not None:
            with suppress(queue.Full):
                self._work.put_nowait(None)
            self._thread.join(5.0)
            self._thread = None

    def _hand_over(self, label: tuple[Frame, Looks]) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="learner", daemon=True)
            self._thread.start()
        with suppress(queue.Full):  # it is behind: there will be other pictures
            self._work.put_nowait(label)

    def _run(self) -> None:
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
        while (label := self._work.get()) is not None:
            try:
                self.take(*label)
            except Exception as error:  # the game goes on, whatever is wrong with a picture or the disk
                self._say(f"nothing was learned from the last play: {describe_fault(error)}")

    def take(self, frame: Frame, looks: Looks) -> None:
        """An accepted picture: keeps it, and learns when enough are new. Raises VisionError or OSError."""
        table, board = self._eyes.table, self._eyes.board
        if table is None:
            return
        if board != self._board:
            self._accepted = deque(_stored(self._root / board, table), KEPT)
            self._board = board
        elif table is not self._table:  # calibrated anew, or the camera was moved: the pictures show it
            self._accepted.clear()  # from where it was
        self._table = table
        _store(self._root / board, self._accepted, Accepted(accept(frame.pixels), looks), table)
        self._new += 1
        if len(self._accepted) < LEAST or self._new < EVERY:
            return
        self._new = 0
        better = improved(table, [each.load for each in self._accepted])
        with self._eyes.changing:
            if better is not None and self._eyes.adopt(table, better):
                self._table = better
                when = utc_now("minutes")
                why = f"learned from {len(self._accepted)} accepted plays"
                boards.save_version(better, self._rig(board), boards.Version(when, why))


@dataclass(frozen=True, slots=True)
class Stored:
    """An accepted picture in the state directory."""

    picture: Path
    looks: Looks

    def load(self) -> Accepted:
        """Reads it. Raises VisionError."""
        return Accepted(load(self.picture), self.looks)


def _store(folder: Path, kept: deque[Stored], newest: Accepted, table: BoardReader) -> None:
    """Keeps the newest picture, of ``table`` as all that are kept, and forgets those that are not among the
    accepted. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    number = max(
        (int(path.stem) for path in folder.glob("*.jpg") if PICTURE.fullmatch(path.name)), default=-1
    )
    picture = folder / f"{number + 1:06d}.jpg"
    replace_file(picture, encode_jpeg(newest.frame.image, 92))
    kept.append(Stored(picture, newest.looks))
    corners = table.placement()[0].tolist()
    rows = [{"picture": each.picture.name, "looks": each.looks, "corners": corners} for each in kept]
    replace_file(folder / INDEX, json.dumps(rows, separators=(",", ":")))
    for path in folder.glob("*.jpg"):
        if path not in [each.picture for each in kept]:
            path.unlink(missing_ok=True)


def _stored(folder: Path, table: BoardReader) -> list[Stored]:
    """What was kept, the oldest first; without what cannot be read, or shows the board elsewhere than
    ``table`` has it: it was calibrated anew since. Raises OSError."""
    found, corners = [], table.placement()[0]
    for each in _index(folder / INDEX):
        with suppress(VisionError, TypeError, ValueError):
            looks = {str(cell): tuple(map(str, look)) for cell, look in each["looks"].items()}
            kept = Stored(folder / each["picture"], looks)
            if np.allclose(each.get("corners", np.nan), corners, rtol=0.0, atol=NEAR):
                kept.load()
                found.append(kept)
    return found


def _index(path: Path) -> list[dict[str, Any]]:
    """The list of what was kept; empty where it is damaged. Raises OSError where there is one and the disk
    does not give it: what it names would be deleted."""
    try:
        data = strict_json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return []
    return [
        each
        for each in (data if isinstance(data, list) else ())
        if isinstance(each, dict)
        and isinstance(each.get("looks"), dict)
        and PICTURE.fullmatch(str(each.get("picture")))
    ]
