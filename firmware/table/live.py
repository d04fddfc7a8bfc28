"""Live eyes: the camera is watched all the time, and read only when there is something new to see.

The camera has a thread of its own. :class:`vision.settle.Settler` follows its pictures, and only those with
news go on to the referee: the board has come to rest, a hand has come in, it has gone dark. While nothing
moves, nothing is read.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from engine.evidence import Evidence
from engine.layout import Cell, Looks
from engine.messages import phrase
from firmware.errors import describe_fault
from firmware.jpeg import draw_closeup, encode_jpeg
from firmware.table.referee import Blind, Stimulus
from hardware.patience import Backoff
from hardware.protocols import Camera, Clock, DeviceError, Frame, Glancing
from vision.dice import Lying
from vision.dice.cube_or_die import LyingReader
from vision.errors import VisionError
from vision.picture.frame import Frame as Picture
from vision.picture.frame import Image, accept
from vision.reading import Appearance, BoardReader, Reading
from vision.settle import Rest, Settler, Status


class LiveEyes:
    """Keeps :class:`firmware.table.referee.Eyes`. Without a ``settler`` the table is not calibrated: pictures
    are shown, not read. ``board`` is the kind of board that was learned."""

    simulated = False
    """Whether the table is simulated: :meth:`arrange` can set it up."""

    def __init__(self, settler: Settler | None, board: str = "") -> None:
        self._settler = settler
        self.board = board if settler is not None else ""
        self._last = Status(Rest.LOST)
        self._kept: dict[str, Status] = {}
        self._newest: tuple[Image, BoardReader | None, Reading | None] | None = None
        self._raw: Image | None = None
        self._seen: tuple[str, float] = ("", float("-inf"))
        self._wanted = float("inf")
        self.changing = threading.Lock()
        """Held while a calibration is written to its file and taken over: both, or neither."""
        self.reads_dice = False
        """Whether the players' dice, or the cube, may lie on the board: these are read, and what is below."""
        self._lying: tuple[str, Lying] = ("", Lying())
        self._lying_reader = LyingReader()

    def learn(self, table: BoardReader | None, board: str) -> None:
        """Reads with ``table``, of the kind ``board``, from now on; None: not at all. From any thread."""
        self._settler = None if table is None else Settler(table)
        self.board = "" if table is None else board
        self._last = Status(Rest.LOST)
        self._kept.clear()
        self._lying_reader = LyingReader()
        self._newest = None if self._raw is None else (self._raw, None, None)

    def adopt(self, known: BoardReader, better: BoardReader) -> bool:
        """Goes on with ``better``, if the table is still read with ``known``; whether it was. From any
        thread."""
        settler = self._settler
        return settler is not None and settler.adopt(known, better)

    def expect(self, looks: Looks) -> None:
        """This is what stood on the board last: by it a board is known that was turned meanwhile."""
        if self._settler is not None:
            self._settler.stood = looks

    def arrange(self, looks: Looks, board: str, geometry: Mapping[str, Any]) -> bool:
        """Sets up a simulated board like this; False for a real one, which needs hands."""
        return False

    def still(self) -> Image | None:
        """The newest picture as it came; None where none comes."""
        return self._raw

    def glance(self) -> Reading | None:
        """The newest picture, read now; None without a picture or a calibration. Raises VisionError."""
        settler, image = self._settler, self.still()
        return None if settler is None or image is None else settler.reader.read(Picture(image))

    @property
    def calibrated(self) -> bool:
        """Whether pictures are read."""
        return self._settler is not None

    @property
    def resting(self) -> bool:
        """Whether the board was at rest in the last picture: then small pictures are enough for now."""
        return self._last.rest in (Rest.AT_REST, Rest.DARK) and self._wanted == float("inf")

    def last_seen(self, name: str) -> float:
        """Keeps :class:`firmware.table.referee.Watching`. Without a calibration, pictures say nothing at
        all, and none is too old."""
        shown, t = self._seen
        return (
            float("inf") if self._settler is None or self.simulated else t if name == shown else float("-inf")
        )

    def want(self, t: float) -> None:
        """Keeps :class:`firmware.table.referee.Watching`. From any thread."""
        self._wanted = t

    def quiet(self, small: Frame) -> bool:
        """Whether a small picture shows that nothing has moved: then no full picture is needed."""
        quiet = self._settler is not None and self._settler.quiet(small.pixels, small.t)
        if quiet:
            self._seen = (self._seen[0], max(self._seen[1], small.t))
        return quiet

    @property
    def table(self) -> BoardReader | None:
        """The table as it is known now; None where it has not been calibrated."""
        return None if self._settler is None else self._settler.reader

    def appearance(self) -> Appearance | None:
        """What the board looks like; None where it is not known."""
        table = self.table
        return None if table is None else table.appearance()

    def push(self, frame: Frame) -> tuple[bool, str]:
        """The next picture: whether the referee should see it, and what is wrong. Raises VisionError."""
        picture = accept(frame.pixels)
        self._raw = picture.image
        settler = self._settler
        if settler is None:
            self._newest = (picture.image, None, None)
            return False, phrase(
                "the camera does not know this board yet; calibrate it under 'Set up' on the page"
            )
        status = settler.push(picture, frame.t)
        if settler is not self._settler:  # the table was learned anew while this picture was read
            return False, ""
        asked = frame.t >= self._wanted
        news = asked or status.rest is not self._last.rest or (status.fresh and status.rest is Rest.AT_REST)
        if status.fresh:
            self._last = status
        if news:
            if self.reads_dice and self._last.rest is Rest.AT_REST and self._last.reading is not None:
                reading, lying = self._lying_reader.read(
                    settler.reader, picture.image, self._last.reading, self._lying[1].dice
                )
                self._lying, self._last = (frame.name, lying), replace(self._last, reading=reading)
            self._kept[frame.name] = self._last
            self._seen = (frame.name, frame.t)
        else:
            self._seen = (self._seen[0], max(self._seen[1], frame.t))
        if status.fresh or self._newest is None:
            self._newest = (picture.image, settler.reader, self._last.reading)
        if asked:
            self._wanted = float("inf")
        return news, status.words

    def look(self, frame: Frame) -> Evidence | None:
        """What was seen in a picture that :meth:`push` called news."""
        status = self._kept.pop(frame.name, None)
        return (
            status.reading.evidence
            if status is not None and status.rest is Rest.AT_REST and status.reading is not None
            else None
        )

    def lying_in(self, name: str) -> Lying | None:
        """The dice and the cube in the newest picture that was at rest, if it has this ``name``; None where
        another one has come since, or dice are not read."""
        return self._lying[1] if name and self._lying[0] == name else None

    def resting_reading(self) -> Reading | None:
        """What stands on the board at rest now; None while something moves."""
        return self._last.reading if self._last.rest is Rest.AT_REST else None

    def lost(self, came: bool = False) -> None:
        """No picture comes, or what ``came`` cannot be read; so the next one will be news."""
        self._last = Status(Rest.LOST)
        if self._settler is not None:
            self._settler.forget()
        if not came:
            self._raw = None

    def drawn(self) -> bytes | None:
        """The newest picture as a JPEG, with what was read in it drawn on; None before the first."""
        newest = self._newest
        if newest is None:
            return None
        image, table, reading = newest
        return encode_jpeg(image if table is None else table.draw(image, reading))

    def closeup(self, cells: Collection[Cell]) -> bytes | None:
        """The part of the newest picture in which some cells are; None where they are not in it."""
        newest = self._newest
        if newest is None or newest[1] is None:
            return None
        return draw_closeup(newest[0], newest[1], newest[2], cells)


@dataclass
class CameraThread:
    """Reads the camera in a thread. News goes to ``hand_over``, trouble to ``tell`` ("" when it is over)."""

    camera: Camera
    eyes: LiveEyes
    clock: Clock
    hand_over: Callable[[Stimulus], None]
    tell: Callable[[str], None]
    pause: float = 0.0
    """Seconds to wait after a picture, for a camera that does not wait by itself."""
    beat: float = 0.0
    """When the thread was last alive, by the clock."""
    _stopping: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None
    _backoff: Backoff = field(default_factory=Backoff)

    def start(self) -> None:
        """Begins to read."""
        self.beat = self.clock()
        self._thread = threading.Thread(target=self._run, name="camera", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends within one picture; does not wait for a driver that hangs."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(2.0)
        self.camera.close()

    def _run(self) -> None:
        seeing = True
        while not self._stopping.is_set():
            self.beat = self.clock()
            try:
                if self.eyes.resting and isinstance(self.camera, Glancing):
                    small = self.camera.glance()
                    if small is not None and self.eyes.quiet(small):
                        continue
                frame = self.camera.read()
                news, words = self.eyes.push(frame)
            except Exception as error:  # a driver, a decoder or a reader may raise anything; the next may do
                known = isinstance(error, (DeviceError, VisionError))
                self.tell(
                    str(error)
                    if known
                    else phrase("camera: no picture can be read: {reason}", reason=describe_fault(error))
                )
                self.eyes.lost(came=isinstance(error, VisionError))
                if seeing:
                    self.hand_over(Blind(self.clock()))
                seeing = False
                self.beat = self.clock()
                self._stopping.wait(self._backoff.next())
                continue
            seeing = True
            self._backoff.reset()
            self.tell(words)
            if news:
                self.hand_over(frame)
            self._stopping.wait(self.pause)
