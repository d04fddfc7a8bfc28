"""Writes a session with its pictures, in the form that ``barpoint replay`` referees again
(:mod:`firmware.recordings.reel`).

What the referee sees is kept: live eyes pass on a picture only where something has changed. A picture with
movement in it is never judged, and is kept smaller. ``reel.json`` is replaced whole, after the pictures that
it names are on the disk: a recording is sound whenever the power fails. Beside it is the table's rig, so that
the pictures are read in the same way again.

When the pictures of all recordings take more than ``limit`` bytes, the oldest recordings are deleted first,
then the oldest pictures of this one. A *done* whose picture is deleted is replaced by what it was judged to
be, as if the players had said it: so the game can still be followed from its beginning, and is judged again
from the first picture that is left.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

from engine import words
from engine.effects import Effect, FoulStood, Judged
from engine.events import (
    Beacon,
    Begin,
    Button,
    Close,
    Commit,
    Event,
    Key,
    Pledge,
    Press,
    Reveal,
    Roll,
    See,
    Seed,
    Sign,
)
from engine.messages import phrase
from engine.position import Awaits
from engine.session import Session
from firmware.files import replace_file
from firmware.jpeg import encode_jpeg
from firmware.recordings.reel import REEL
from firmware.table.news import News
from hardware.protocols import Frame
from vision import reading
from vision.reading import BoardReader

RESERVE = 200_000_000
"""Bytes of the disk that pictures leave free, so that the journal can be written."""
SHARP, MOVING = 92, 60
"""JPEG qualities: of a picture that may be judged, and of one with movement in it."""

MomentJson: TypeAlias = dict[str, Any]


class RecordingWriter:
    """The recording of one match in ``folder``; one that is there already is continued. ``events`` are those
    of the journal so far: where there is no picture of one, it is kept in words. ``limit`` is in bytes, for
    this and all recordings beside it. Raises OSError."""

    def __init__(
        self,
        folder: Path,
        table: reading.BoardReader,
        rules: str,
        limit: int,
        events: Iterable[Event] = (),
        free: Callable[[Path], int] = lambda path: shutil.disk_usage(path).free,
    ) -> None:
        self._folder = folder
        self._limit = limit
        self._free = free
        folder.mkdir(parents=True, exist_ok=True)
        corners, geometry = table.placement()
        self._head: MomentJson = {
            "corners_px": corners.round(1).tolist(),
            "geometry_cm": geometry,
            "rules": rules,
        }
        self._timeline: list[MomentJson] = []
        self._last = ""
        self._read_kept()
        numbers = (int(path.stem) for path in folder.glob("*.jpg") if path.stem.isdecimal())
        self._count = max(numbers, default=-1) + 1
        self._sizes = {name: (folder / name).stat().st_size for name in self._names()}
        self._sweep()  # pictures that were written, but not named before the power failed
        others = (path.parent for path in folder.parent.glob(f"*/{REEL}"))
        self._others = {other: _size(other) for other in others if other != folder}
        self._rules = rules
        self.learn(table)
        self._catch_up(events)

    def take(self, news: News) -> None:
        """Keeps what happened, unless it was refused. Raises OSError; what was kept before is not lost
        then."""
        if news.frame is not None:
            self._see(news.frame, news.moving)
        elif news.event is None and news.moving:
            self._insert({"t": news.t, "blind": True})
        elif news.event is not None and news.refused is None:
            self._hear(news.event, news.effects, news.session)

    def flush(self) -> None:
        """Writes ``reel.json`` anew, once there is a picture. Raises OSError."""
        if "size" in self._head:
            whole = {**self._head, "timeline": self._timeline}
            replace_file(self._folder / REEL, json.dumps(whole, separators=(",", ":")))
            self._sweep()

    def learn(self, table: BoardReader) -> None:
        """Keeps the rig. One that changed (the table was calibrated anew, or found again after a bump) gets a
        file of its own, used from here on. Raises OSError."""
        present = json.dumps({**table.to_json(), "rules": self._rules})
        digest = _digest(present.encode())
        used = [self._head.get("rig"), *(moment.get("rig") for moment in self._timeline)]
        last = next((name for name in reversed(used) if name), None)
        file = self._folder / (last or "")
        if last is not None and file.exists() and file.read_text(encoding="utf-8") == present:
            return
        name = f"table{sum(name is not None for name in used) or ''}.rig"
        replace_file(self._folder / name, present)
        if last is None:
            self._head |= {"rig": name, "sha256": digest}
        else:
            t = self._timeline[-1]["t"] if self._timeline else 0.0
            self._timeline.append({"t": t, "rig": name, "sha256": digest})

    # -- what happens

    def _see(self, frame: Frame, moving: bool) -> None:
        if frame.name == self._last:
            return
        self._last = frame.name
        data = encode_jpeg(frame.pixels, MOVING if moving else SHARP)
        name = f"{self._count:06d}.jpg"
        self._make_room(len(data))
        replace_file(self._folder / name, data)
        self._count += 1
        self._head["size"] = [frame.pixels.shape[1], frame.pixels.shape[0]]
        self._sizes[name] = len(data)
        # Reading a picture takes time; its place is where the referee saw it.
        t = max(frame.t, self._timeline[-1]["t"] if self._timeline else frame.t)
        moment: MomentJson = {"t": t, "frame": name, "sha256": _digest(data)}
        self._timeline.append(moment | ({"moving": True} if moving else {}))
        while len(self._sizes) > 1 and sum(self._sizes.values()) > self._limit:
            self._drop()

    def _hear(self, event: Event, effects: Sequence[Effect], session: Session) -> None:
        moment = _moment(event)
        if isinstance(event, Begin):
            self._head["begin"] = event.to_json()
        elif moment is not None:
            for effect in effects:
                if isinstance(effect, Judged) and "button" in moment:
                    moment["verdict"] = effect.verdict
                    if effect.move is not None:
                        moment["move"] = _play_text(effect, session)
                elif isinstance(effect, FoulStood):
                    moment["stood"] = effect.position
            self._insert(moment)

    def _insert(self, moment: MomentJson) -> None:
        """Puts a moment in its place by its time: a *done* that waited for hands to leave comes late."""
        at = len(self._timeline)
        while at and self._timeline[at - 1]["t"] > moment["t"]:
            at -= 1
        self._timeline.insert(at, moment)

    # -- what was there before

    def _read_kept(self) -> None:
        """What the recording has so far. Raises OSError where that cannot be told: as long as nobody knows
        which pictures it names, none is deleted."""
        try:
            known = json.loads((self._folder / REEL).read_bytes())
            timeline = [dict(moment) for moment in known["timeline"]]
        except FileNotFoundError:
            return
        except (ValueError, KeyError, TypeError) as error:
            words = phrase("it is damaged; move it away, and what happens from then on is recorded")
            raise OSError(errno.EIO, words, REEL) from error
        self._head |= {key: known[key] for key in ("size", "begin", "rig", "sha256") if key in known}
        self._timeline = timeline
        for moment in [self._head, *timeline]:  # releases up to 0.2 wrote no digests
            name = moment.get("frame", moment.get("rig"))
            if name is not None and "sha256" not in moment:
                with suppress(OSError):
                    moment["sha256"] = _digest((self._folder / name).read_bytes())

    def _catch_up(self, events: Iterable[Event]) -> None:
        """Adds what the journal has and the recording lacks, without pictures."""
        known = [moment["t"] for moment in self._timeline if not moment.keys() & {"frame", "blind", "rig"}]
        last = max(known, default=float("-inf"))
        have = [_bare(moment) for moment in self._timeline if moment["t"] == last]
        session = Session()
        for event in events:
            session, effects = session.handle(event)
            moment = _moment(event)
            new = moment is not None and (event.t > last or (event.t == last and moment not in have))
            if new or (isinstance(event, Begin) and "begin" not in self._head):
                before = len(self._timeline)
                self._hear(event, effects, session)
                added = self._timeline[before:]
                self._timeline[before:] = [each for moment in added for each in _in_words(moment)]

    # -- what must be deleted

    def _make_room(self, size: int) -> None:
        """Deletes the oldest until ``size`` bytes more fit: on the disk, beside the reserve, and (by deleting
        older recordings) within the limit. Raises OSError where that is not enough."""
        while True:
            tight = self._free(self._folder) < RESERVE + size
            total = sum(self._others.values()) + sum(self._sizes.values()) + size
            if self._others and (tight or total > self._limit):
                oldest = min(self._others, key=_last_change)
                del self._others[oldest]
                _remove(oldest)
            elif not tight:
                return
            elif len(self._sizes) > 1:
                self._drop()
                self.flush()
            else:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def _drop(self) -> None:
        """Forgets the oldest picture, and puts words in the place of what was judged by it."""
        del self._sizes[next(iter(self._sizes))]
        left = (moment["t"] for moment in self._timeline if moment.get("frame") in self._sizes)
        first = next(left, float("inf"))
        kept: list[MomentJson] = []
        for moment in self._timeline:
            if "frame" in moment:
                kept += [moment] if moment["frame"] in self._sizes else []
            else:
                kept += _in_words(moment) if moment["t"] < first else [moment]
        self._timeline = kept

    def _sweep(self) -> None:
        """Deletes the pictures that reel.json does not name."""
        for path in self._folder.glob("*.jpg"):
            if path.name not in self._sizes:
                path.unlink(missing_ok=True)

    def _names(self) -> list[str]:
        names = [moment["frame"] for moment in self._timeline if "frame" in moment]
        return [name for name in names if (self._folder / name).exists()]


def _answers(event: Press) -> bool:
    """Whether it may agree to a correction for both players: then who pressed it counts."""
    return bool(event.actor) and event.button in (Button.TAKE, Button.DROP)


def _moment(event: Event) -> MomentJson | None:
    """An event as a recording keeps it; None for what a replay does by itself."""
    if isinstance(event, Roll) and not event.opening:
        moment: MomentJson = {"t": event.t, "roll": list(event.dice)}
    elif isinstance(event, Press) and event.grade is None and not _answers(event):
        if event.button is Button.ROLL:
            return None
        moment = {"t": event.t, "button": event.button.value}
    elif isinstance(event, Beacon | Begin | See | Commit | Pledge | Close | Seed | Reveal | Key | Sign):
        return None
    else:
        return {"t": event.t, "event": event.to_json()}
    return moment if event.side is None else moment | {"side": event.side}


def _bare(moment: MomentJson) -> MomentJson:
    return {key: value for key, value in moment.items() if key not in ("verdict", "move", "stood")}


def _in_words(moment: MomentJson) -> list[MomentJson]:
    """A moment whose picture is gone: what was judged then, as if the players had said it."""
    t = moment["t"]
    if moment.get("button") == Button.DONE:
        if "verdict" not in moment:
            return [moment]  # it began the next game
        side = {"side": moment["side"]} if "side" in moment else {}
        told = {"t": t, "event": {"event": "choose", "t": t, "play": moment.get("move"), **side}}
        return [told] if "move" in moment else []
    if "stood" in moment:
        corrected = {"t": t, "event": {"event": "correct", "t": t, "position": moment["stood"]}}
        condoned = moment.get("event", {}).get("event") == "condone"
        rest = {key: value for key, value in moment.items() if key != "stood"}
        return [corrected] if condoned else [corrected, rest]
    return [moment]


def _play_text(effect: Judged, session: Session) -> str:
    """The play as players would write it: after the roll, where the judge found that too."""
    before = session.table.back if session.table is not None else None
    inferred = before is not None and before.position.awaits is not Awaits.PLAY
    return f"{words.roll(effect.dice)}: {effect.move}" if inferred else effect.move or ""


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("*.jpg"))


def _last_change(folder: Path) -> float:
    return (folder / REEL).stat().st_mtime if (folder / REEL).exists() else 0.0


def _remove(folder: Path) -> None:
    """Deletes a recording, ``reel.json`` first: what is left without it is no recording."""
    for path in [folder / REEL, *folder.glob("*.jpg"), *folder.glob("*.rig"), *folder.glob("*.part")]:
        path.unlink(missing_ok=True)
    with suppress(OSError):  # somebody keeps other files in it
        folder.rmdir()
