"""Real cameras: a Raspberry Pi's own by picamera2, any USB camera by OpenCV; both come back after they were
pulled out.

    camera = RevivedCamera(lambda: UsbCamera(0, (1640, 1232), time.monotonic), time.monotonic)
    frame = camera.read()      # DeviceLost while it is away; the next read looks for it again

Both drivers block until a picture comes, so they belong in a thread of their own. Exposure and white balance
are locked: else a dark sleeve in the picture would change the colour of every checker.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hardware.protocols import Camera, Clock, DeviceError, DeviceLost, Frame, Glancing

FROZEN = 20.0
"""Seconds with the same picture, bit for bit: no sensor does that."""
SMALL = 320
"""Width in pixels of the small pictures that show movement."""
SETTLING = 30
"""Pictures that automatic exposure and white balance may take before they are locked."""


@dataclass(frozen=True, slots=True)
class Exposure:
    """The locked exposure time in microseconds and analogue gain; 0: as measured at the start."""

    microseconds: int = 0
    gain: float = 0.0


class PiCamera:
    """A camera on the Pi's ribbon cable, by picamera2 (Debian's ``python3-picamera2``; it has no wheels)."""

    def __init__(
        self, number: int, size: tuple[int, int], rate: float, exposure: Exposure, clock: Clock
    ) -> None:
        """Starts the camera and locks its exposure and white balance. Raises DeviceError without picamera2,
        DeviceLost without a camera."""
        try:
            kind = importlib.import_module("picamera2").Picamera2
        except Exception as error:  # off a Pi its imports fail in many ways
            words = f"camera: picamera2 does not load ({error}); apt install python3-picamera2"
            raise DeviceError(words) from error
        self._clock = clock
        self._taken = 0
        # The image processor makes both streams at once. Every Pi gives YUV420, which needs even sides.
        self._small = (SMALL, round(SMALL * size[1] / size[0] / 2) * 2)
        try:
            self._camera: Any = kind(number)
        except (RuntimeError, IndexError, OSError) as error:
            found = "none is found" if isinstance(error, IndexError) else error
            words = f"camera {number}: {found}; check the ribbon cable, and 'rpicam-hello --list-cameras'"
            raise DeviceLost(words) from error
        try:
            frame_time = round(1e6 / rate)
            self._camera.configure(
                self._camera.create_video_configuration(
                    main={"size": size, "format": "RGB888"},  # in memory blue, green, red, as in OpenCV
                    lores={"size": self._small, "format": "YUV420"},
                    buffer_count=3,
                    controls={"FrameDurationLimits": (frame_time, frame_time)},
                )
            )
            self._camera.start()
            self._lock(exposure)
        except Exception as error:
            self.close()
            raise DeviceLost(f"camera {number}: {error}; check the ribbon cable") from error

    def _lock(self, exposure: Exposure) -> None:
        for _ in range(SETTLING):
            measured = self._camera.capture_metadata()
            if measured.get("AeLocked"):
                break
        if "AfMode" in self._camera.camera_controls:  # focus once: else hands make the lens hunt
            self._camera.autofocus_cycle()
        self._camera.set_controls(
            {
                "AeEnable": False,
                "AwbEnable": False,
                "ExposureTime": exposure.microseconds or measured["ExposureTime"],
                "AnalogueGain": exposure.gain or measured["AnalogueGain"],
                "ColourGains": measured["ColourGains"],
            }
        )

    def read(self) -> Frame:
        """Keeps :class:`hardware.protocols.Camera`."""
        return self._frame(self._capture("main"))

    def glance(self) -> Frame:
        """Keeps :class:`hardware.protocols.Glancing`: the brightness alone, in all three channels."""
        wide, high = self._small
        grey = self._capture("lores")[:high, :wide]  # rows may be padded; the colours follow below
        return self._frame(np.repeat(grey[..., None], 3, axis=2))

    def _capture(self, stream: str) -> NDArray[np.uint8]:
        try:
            pixels: NDArray[np.uint8] = self._camera.capture_array(stream)
        except Exception as error:  # libcamera's errors come as RuntimeError, OSError or its own
            raise DeviceLost(f"camera: {error}; check the ribbon cable") from error
        return pixels

    def _frame(self, pixels: NDArray[np.uint8]) -> Frame:
        self._taken += 1
        return Frame(self._clock(), f"camera {self._taken}", pixels)

    def close(self) -> None:
        """Lets the camera go."""
        with suppress(Exception):  # a camera that was pulled out cannot be stopped
            self._camera.close()


def _open_video(number: int) -> Any:
    import cv2

    if not Path(f"/dev/video{number}").exists():
        raise DeviceLost(f"camera /dev/video{number}: missing; check its cable and 'v4l2-ctl --list-devices'")
    before = cv2.utils.logging.getLogLevel()
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_ERROR)  # it warns at each try; we tell once
    try:
        return cv2.VideoCapture(number, cv2.CAP_V4L2)
    finally:
        cv2.utils.logging.setLogLevel(before)


class UsbCamera:
    """A camera at ``/dev/video<number>``, by OpenCV and the kernel's V4L2."""

    def __init__(
        self,
        number: int,
        size: tuple[int, int],
        rate: float,
        exposure: Exposure,
        clock: Clock,
        open_video: Callable[[int], Any] = _open_video,
    ) -> None:
        """Opens the camera and locks its exposure and white balance, as far as it can. Raises DeviceLost
        without a camera."""
        import cv2  # takes a tenth of a second: not for tables with another camera

        self._number = number
        self._clock = clock
        self._taken = 0
        self._video = open_video(number)
        if not self._video.isOpened():
            self._video.release()
            raise DeviceLost(
                f"camera /dev/video{number}: missing or in use; check its cable and 'v4l2-ctl --list-devices'"
            )
        self._video.set(cv2.CAP_PROP_FRAME_WIDTH, size[0])
        self._video.set(cv2.CAP_PROP_FRAME_HEIGHT, size[1])
        self._video.set(cv2.CAP_PROP_FPS, rate)
        self._video.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        for _ in range(SETTLING):  # the camera measures, before it is told to stop measuring
            self._video.grab()
        self._video.set(cv2.CAP_PROP_AUTOFOCUS, 0)  # else hands make the lens hunt
        self._video.set(cv2.CAP_PROP_AUTO_WB, 0)
        self._video.set(cv2.CAP_PROP_AUTO_EXPOSURE, 1)  # V4L2_EXPOSURE_MANUAL
        if exposure.microseconds:
            # V4L2_CID_EXPOSURE_ABSOLUTE counts 100 µs
            self._video.set(cv2.CAP_PROP_EXPOSURE, exposure.microseconds / 100)
        if exposure.gain:
            self._video.set(cv2.CAP_PROP_GAIN, exposure.gain)

    def read(self) -> Frame:
        """Keeps :class:`hardware.protocols.Camera`."""
        taken, pixels = self._video.read()
        if not taken or pixels is None:
            raise DeviceLost(f"camera /dev/video{self._number}: no picture comes; check its cable")
        self._taken += 1
        return Frame(self._clock(), f"camera {self._taken}", pixels)

    def close(self) -> None:
        """Lets the camera go."""
        self._video.release()


class RevivedCamera:
    """A camera that is opened again after it was lost, at the next :meth:`read`. One that sends the same
    picture for :data:`FROZEN` seconds, bit for bit, counts as lost: opening it again helps."""

    def __init__(self, open_camera: Callable[[], Camera], clock: Clock) -> None:
        self._open = open_camera
        self._clock = clock
        self._camera: Camera | None = None
        self._last: dict[tuple[int, ...], NDArray[np.uint8]] = {}
        self._new = 0.0

    def read(self) -> Frame:
        """Keeps :class:`hardware.protocols.Camera`. Raises DeviceLost while the camera is away or frozen."""
        frame = self._taken(lambda camera: camera.read())
        assert frame is not None
        return frame

    def glance(self) -> Frame | None:
        """Keeps :class:`hardware.protocols.Glancing` where the camera does. Raises as :meth:`read`."""
        return self._taken(lambda camera: camera.glance() if isinstance(camera, Glancing) else None)

    def _taken(self, take: Callable[[Camera], Frame | None]) -> Frame | None:
        try:
            if self._camera is None:
                self._camera = self._open()
                self._last.clear()
            frame = take(self._camera)
            if frame is not None:
                self._check_frozen(frame)
        except DeviceError:
            self.close()
            raise
        except Exception as error:  # OpenCV's own errors, or a driver's
            self.close()
            raise DeviceLost(f"camera: {' '.join(str(error).split())}; check its cable") from error
        return frame

    def _check_frozen(self, frame: Frame) -> None:
        sample = frame.pixels[::7, ::7].copy()
        last = self._last.get(sample.shape)  # each stream is compared with itself
        if last is None or not np.array_equal(sample, last):
            self._last[sample.shape], self._new = sample, self._clock()
        elif self._clock() - self._new > FROZEN:
            raise DeviceLost(
                "camera: it always sends the same picture; if it goes on, unplug it and plug it in"
            )

    def close(self) -> None:
        """Lets the camera go; a later :meth:`read` opens it again."""
        camera, self._camera = self._camera, None
        if camera is not None:
            with suppress(Exception):  # a camera that was pulled out may not close
                camera.close()
