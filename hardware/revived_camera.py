"""A camera that comes back after it was pulled out, and whose driver may hang.

    camera = RevivedCamera(lambda: UsbCamera(0, (1640, 1232), time.monotonic), time.monotonic)
    frame = camera.read()      # DeviceLost while it is away; the next read looks for it again

A driver that hangs (a loose ribbon) is given up after a limit. A picture that is bit for bit the one before
was taken when that was, unless it is black or white all over.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.messages import phrase
from hardware.cameras import FOCUSING, LIMIT, PiCamera
from hardware.patience import Unanswered, Worker
from hardware.protocols import Camera, Clock, DeviceError, DeviceLost, Frame, Glancing

FROZEN = 20.0
"""Seconds with the same picture, bit for bit: no sensor does that."""
CONTRAST = 16
"""Levels (0-255) between the darkest and the brightest pixel of a picture that is neither black nor white all
over."""
OPENING = 12.0
"""Seconds that opening a camera may take; less than after which the watchdog would take its thread for
dead."""
SLOW = 60.0
"""Seconds after which an opening that has not come to an end is left behind, and another one begun."""
HUNG = 3
"""Drivers that may hang at the same time, before no further one is started."""
T = TypeVar("T")


class _Silent(DeviceLost):
    """A driver has not answered in time, and may still do so."""


class _Opening:
    """A camera that is being opened, in a thread of its own."""

    def __init__(self, open_camera: Callable[[], Camera], begun: float) -> None:
        self.begun = begun
        self.worker = Worker("camera's driver")
        self._open = open_camera
        self._made: Camera | None = None
        self.wait = self.worker.begin(self._run)

    def leave(self) -> None:
        """Does not wait for it any more; one that comes after all is let go again."""
        self.worker.finish(lambda: None if self._made is None else self._made.close())

    def _run(self) -> Camera:
        self._made = self._open()
        return self._made


class RevivedCamera:
    """A camera that is opened again after it was lost, at the next :meth:`read`. One that sends the same
    picture for :data:`FROZEN` seconds, bit for bit, counts as lost, and so does one that hangs: its driver is
    called in a thread, which is left behind."""

    def __init__(self, open_camera: Callable[[], Camera], clock: Clock, limit: float = LIMIT) -> None:
        """``limit``: seconds after which a picture that has not come will not come."""
        self._open = open_camera
        self._clock = clock
        self._limit = limit + 1  # a driver that has a limit itself knows better what is wrong
        self._camera: Camera | None = None
        self._worker: Worker | None = None
        self._opening: _Opening | None = None
        self._hung: list[Worker] = []
        self._refocus = False
        self._last: dict[tuple[int, ...], tuple[float, NDArray[np.uint8]]] = {}
        self._new = 0.0

    def read(self) -> Frame:
        """Keeps :class:`hardware.protocols.Camera`. Raises DeviceLost while the camera is away or frozen."""
        frame = self._taken(lambda camera: camera.read())
        assert frame is not None
        return frame

    def glance(self) -> Frame | None:
        """Keeps :class:`hardware.protocols.Glancing` where the camera does. Raises as :meth:`read`."""
        return self._taken(lambda camera: camera.glance() if isinstance(camera, Glancing) else None)

    @property
    def lens(self) -> float | None:
        """Keeps :class:`hardware.protocols.Focusing`."""
        return getattr(self._camera, "lens", None)

    def refocus(self) -> None:
        """Keeps :class:`hardware.protocols.Focusing`."""
        self._refocus = True

    def _taken(self, take: Callable[[Camera], Frame | None]) -> Frame | None:
        try:
            camera = self._camera or self._opened()
            if self._refocus:
                self._refocus = False
                if isinstance(camera, PiCamera):
                    self._within(FOCUSING + self._limit, camera.focus)
            frame = self._within(self._limit, lambda: take(camera))
            return None if frame is None else self._dated(frame)
        except DeviceError:
            if self._opening is None:
                self.close()
            raise

    def _opened(self) -> Camera:
        """Opens it, in a thread of its own. An opening that takes long is waited for again at the next look:
        two at once would be in each other's way."""
        if self._opening is None:
            self._hung = [worker for worker in self._hung if worker.working]
            if len(self._hung) >= HUNG:
                raise DeviceLost(
                    phrase("camera: its driver hangs; unplug it and plug it in, or restart the table")
                )
            self._opening = _Opening(self._open, self._clock())
        opening = self._opening
        try:
            self._camera = self._told(lambda: opening.wait(OPENING), OPENING)
        except _Silent:
            if self._clock() - opening.begun >= SLOW:
                self._opening = None
                self._hung.append(opening.worker)
                opening.leave()
            raise
        except DeviceError:
            self._opening = None
            opening.worker.finish()
            raise
        self._worker, self._opening = opening.worker, None
        self._last.clear()
        return self._camera

    def _within(self, seconds: float, call: Callable[[], T]) -> T:
        worker = self._worker
        if worker is None:
            raise DeviceLost(phrase("camera: it was closed"))
        try:
            return self._told(lambda: worker.do(call, seconds), seconds)
        except _Silent:
            self._hung.append(worker)
            raise

    @staticmethod
    def _told(wait: Callable[[], T], seconds: float) -> T:
        """What a driver gives. Raises DeviceError, whatever it raises."""
        try:
            return wait()
        except Unanswered as error:
            raise _Silent(
                phrase("camera: it has not answered for {seconds} s; check its cable", seconds=f"{seconds:g}")
            ) from error
        except DeviceError:
            raise
        except Exception as error:  # drivers raise anything
            words = " ".join(str(error).split())
            raise DeviceLost(phrase("camera: {error}; check its cable", error=words)) from error

    def _dated(self, frame: Frame) -> Frame:
        """The picture, with the time at which this very picture came first. Raises DeviceLost where it has
        been the same for too long. One without contrast is none of these: a covered lens, or a lamp that
        dazzles, gives the same picture again and again."""
        sample = frame.pixels[::7, ::7].copy()
        first, last = self._last.get(sample.shape, (0.0, None))  # each stream is compared with itself
        if last is None or np.ptp(sample) < CONTRAST or not np.array_equal(sample, last):
            self._last[sample.shape], self._new = (frame.t, sample), self._clock()
            return frame
        if self._clock() - self._new > FROZEN:
            raise DeviceLost(
                phrase("camera: it always sends the same picture; if it goes on, unplug it and plug it in")
            )
        return Frame(first, frame.name, frame.pixels)

    def close(self) -> None:
        """Lets the camera go; a later :meth:`read` opens it again. Does not wait for a driver that hangs."""
        camera, self._camera = self._camera, None
        worker, self._worker = self._worker, None
        opening, self._opening = self._opening, None
        if opening is not None:
            opening.leave()
        if worker is None or camera is None:
            return
        if worker not in self._hung:
            with suppress(Exception):
                worker.do(camera.close, LIMIT)
            worker.finish()
        else:
            worker.finish(camera.close)
