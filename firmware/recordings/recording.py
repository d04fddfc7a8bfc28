"""A session kept with its pictures, in the form that ``barpoint replay`` referees again
(:mod:`firmware.recordings.reel`).

What the referee sees is kept: live eyes pass on a picture only where something has changed, so that this is
motion-triggered by itself. A picture with movement in it is never judged and is kept smaller. ``reel.json``
is replaced whole, after the pictures that it names are on the disk: a recording is sound whenever the power
goes. Beside it lies the table's rig, so that the same eyes look again.

When the pictures of all recordings are more than ``limit`` bytes, the oldest recordings go first, then the
oldest pictures of this one. A *done* whose picture has gone is replaced by what it was judged to be, as if
the players had said it: what is left can be followed from its beginning, and is judged again from its first
picture on.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

import cv2

from engine import words
from engine.effects import Effect, Judged, Stood
from engine.events import Begin, Button, Commit, Event, Press, Reveal, Roll, See, Seed
from engine.position import Awaits
from engine.session import Session
from firmware.table.referee import News
from hardware.protocols import Frame
from vision import boards

REEL = "reel.json"
RESERVE = 200_000_000
"""Bytes of the disk that pictures leave free: the journal needs room to write."""
SHARP, MOVING = 92, 60
"""JPEG qualities: of a picture that may be judged by, and of one with movement in it."""

Moment: TypeAlias = dict[str, Any]


class Recording:
    """The recording of one match in ``folder``; one that is there is gone on with. ``events`` are those of
    the journal so far: what no picture was kept of is told in words. ``limit`` is in bytes, for all
    recordings beside this one together. Raises OSError."""

    def __init__(
        self,
        folder: Path,
        table: boards.Table,
        rules: str,
        limit: int,
        events: Iterable[Event] = (),
        free: Callable[[Path], int] = lambda path: shutil.disk_usage(path).free,
    ) -> None:
        self._folder = folder
        self._limit = limit
        self._free = free
        folder.mkdir(parents=True, exist_ok=True)
        corners, geometry = table.placed()
        self._head: Moment = {
            "corners_px": corners.round(1).tolist(),
            "geometry_cm": geometry,
            "rules": rules,
        }
        self._timeline: list[Moment] = []
        self._last = ""
        self._take_up()
        self._count = (
            max((int(path.stem) for path in folder.glob("*.jpg") if path.stem.isdecimal()), default=-1) + 1
        )
        self._sizes = {name: (folder / name).stat().st_size for name in self._names()}
        for path in folder.glob("*.jpg"):
            if path.name not in self._sizes:  # written, but never named: the power went in between
                path.unlink(missing_ok=True)
        self._others = {
            path.parent: _size(path.parent)
            for path in folder.parent.glob(f"*/{REEL}")
            if path.parent != folder
        }
        self._rules = rules
        self.learn(table)
        self._catch_up(events)

    def take(self, news: News) -> None:
        """Keeps what happened; what was refused did not. Raises OSError; nothing that was kept before is lost
        then."""
        if news.frame is not None:
            self._see(news.frame, news.moving)
        elif news.event is None and news.moving:
            self._insert({"t": news.t, "blind": True})
        elif news.event is not None and news.refused is None:
            self._hear(news.event, news.effects, news.session)

    def flush(self) -> None:
        """Writes ``reel.json`` anew. Nothing is written before the first picture: a recording without one is
        none. Raises OSError."""
        if "size" in self._head:
            whole = {**self._head, "timeline": self._timeline}
            _write(self._folder / REEL, json.dumps(whole, separators=(",", ":")).encode())
            self._sweep()

    def learn(self, table: boards.Table) -> None:
        """Keeps the rig; a table that was calibrated anew, or found again after a bump, gets another one,
        from here on. Raises OSError."""
        present = json.dumps({**table.to_json(), "rules": self._rules})
        used = [self._head.get("rig"), *(moment.get("rig") for moment in self._timeline)]
        last = next((name for name in reversed(used) if name), None)
        if (
            last is not None
            and (self._folder / last).exists()
            and (self._folder / last).read_text(encoding="utf-8") == present
        ):
            return
        name = f"table{sum(name is not None for name in used) or ''}.rig"
        _write(self._folder / name, present.encode())
        if last is None:
            self._head["rig"] = name
        else:
            self._timeline.append({"t": self._timeline[-1]["t"] if self._timeline else 0.0, "rig": name})

    # -- what happens

    def _see(self, frame: Frame, moving: bool) -> None:
        if frame.name == self._last:
            return
        self._last = frame.name
        done, data = cv2.imencode(
            ".jpg", frame.pixels, [cv2.IMWRITE_JPEG_QUALITY, MOVING if moving else SHARP]
        )
        if not done:
            raise OSError(f"picture {frame.name} cannot be written as JPEG")
        name = f"{self._count:06d}.jpg"
        self._make_room(data.size)
        _write(self._folder / name, data.tobytes())
        self._count += 1
        self._head["size"] = [frame.pixels.shape[1], frame.pixels.shape[0]]
        self._sizes[name] = data.size
        # A picture waits while it is read; it belongs where the referee saw it.
        t = max(frame.t, self._timeline[-1]["t"] if self._timeline else frame.t)
        self._timeline.append({"t": t, "frame": name} | ({"moving": True} if moving else {}))
        while len(self._sizes) > 1 and sum(self._sizes.values()) > self._limit:
            self._drop()

    def _hear(self, event: Event, effects: Sequence[Effect], session: Session) -> None:
        moment = _moment(event)
        if isinstance(event, Begin):
            self._head["begin"] = event.to_json()
        elif moment is not None:
            for effect in effects:
                if isinstance(effect, Judged) and "button" in moment:
                    moment |= {"verdict": effect.verdict} | (
                        {} if effect.move is None else {"move": _said(effect, session)}
                    )
                elif isinstance(effect, Stood):
                    moment["stood"] = effect.position
            self._insert(moment)

    def _insert(self, moment: Moment) -> None:
        """A *done* that waited for hands to leave is older than what came since: its place is by its time."""
        at = len(self._timeline)
        while at and self._timeline[at - 1]["t"] > moment["t"]:
            at -= 1
        self._timeline.insert(at, moment)

    # -- what was there before

    def _take_up(self) -> None:
        try:
            known = json.loads((self._folder / REEL).read_bytes())
            timeline = [dict(moment) for moment in known["timeline"]]
        except (OSError, ValueError, KeyError, TypeError):
            return
        self._head |= {key: known[key] for key in ("size", "begin", "rig") if key in known}
        self._timeline = timeline

    def _catch_up(self, events: Iterable[Event]) -> None:
        """What the journal has and the recording has not, without pictures."""
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
                self._timeline[before:] = [
                    each for moment in self._timeline[before:] for each in _told(moment)
                ]

    # -- what has to go

    def _make_room(self, size: int) -> None:
        """Lets the oldest go until ``size`` bytes more leave the disk its reserve; older recordings also
        beyond the limit. Raises OSError where all of it is not enough."""
        while True:
            tight = self._free(self._folder) < RESERVE + size
            if self._others and (
                tight or sum(self._others.values()) + sum(self._sizes.values()) + size > self._limit
            ):
                oldest = min(self._others, key=_age)
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
        """Without its oldest picture, and with words in the place of what was judged by it."""
        del self._sizes[next(iter(self._sizes))]
        first = next(
            (moment["t"] for moment in self._timeline if moment.get("frame") in self._sizes), float("inf")
        )
        kept: list[Moment] = []
        for moment in self._timeline:
            if "frame" in moment:
                kept += [moment] if moment["frame"] in self._sizes else []
            else:
                kept += _told(moment) if moment["t"] < first else [moment]
        self._timeline = kept

    def _sweep(self) -> None:
        """Pictures that reel.json no longer names go after it is written."""
        for path in self._folder.glob("*.jpg"):
            if path.name not in self._sizes:
                path.unlink(missing_ok=True)

    def _names(self) -> list[str]:
        return [
            moment["frame"]
            for moment in self._timeline
            if "frame" in moment and (self._folder / moment["frame"]).exists()
        ]


def _moment(event: Event) -> Moment | None:
    """An event as a recording has it; None for what a replay does by itself."""
    if isinstance(event, Roll) and not event.opening:
        return {"t": event.t, "roll": list(event.dice)} | ({} if event.side is None else {"side": event.side})
    if isinstance(event, Press) and event.grade is None:
        if event.button is Button.ROLL:
            return None
        return {"t": event.t, "button": event.button.value} | (
            {} if event.side is None else {"side": event.side}
        )
    return (
        None
        if isinstance(event, Begin | See | Commit | Seed | Reveal)
        else {"t": event.t, "event": event.to_json()}
    )


def _bare(moment: Moment) -> Moment:
    return {key: value for key, value in moment.items() if key not in ("verdict", "move", "stood")}


def _told(moment: Moment) -> list[Moment]:
    """A moment whose picture is gone, in words."""
    t = moment["t"]
    if moment.get("button") == Button.DONE:
        if "verdict" not in moment:
            return [moment]  # it began the next game
        side = {"side": moment["side"]} if "side" in moment else {}
        told = {"t": t, "event": {"event": "choose", "t": t, "play": moment.get("move"), **side}}
        return [told] if "move" in moment else []
    if "stood" in moment:
        set_ = {"t": t, "event": {"event": "correct", "t": t, "position": moment["stood"]}}
        passed = moment.get("event", {}).get("event") == "condone"
        return [set_] if passed else [set_, {key: value for key, value in moment.items() if key != "stood"}]
    return [moment]


def _said(effect: Judged, session: Session) -> str:
    """The play as players would name it: with the roll in front, where the judge found that too."""
    before = session.table.back if session.table is not None else None
    inferred = before is not None and before.position.awaits is not Awaits.PLAY
    return f"{words.roll(effect.dice)}: {effect.move}" if inferred else effect.move or ""


def _write(path: Path, data: bytes) -> None:
    """A file, whole or not at all, and on the disk."""
    partial = path.with_name(path.name + ".part")
    with partial.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("*.jpg"))


def _age(folder: Path) -> float:
    return (folder / REEL).stat().st_mtime if (folder / REEL).exists() else 0.0


def _remove(folder: Path) -> None:
    """A whole recording, ``reel.json`` first: what is left of it is no recording any more."""
    for path in [folder / REEL, *folder.glob("*.jpg"), *folder.glob("*.rig"), *folder.glob("*.part")]:
        path.unlink(missing_ok=True)
    with suppress(OSError):  # somebody keeps something of their own in it
        folder.rmdir()
