"""Real cameras: a Raspberry Pi's own by picamera2, any USB camera by OpenCV. :mod:`hardware.revived_camera`
opens them again after they were pulled out.

Both drivers block until a picture comes, so they belong in a thread of their own. A picture has the time at
which it was taken, not that at which it came. Exposure and white balance are locked: else a
dark sleeve in the picture would change the colour of every checker. So is the lens of a Camera Module 3: a
hand would make it hunt, and a lens that moves changes the picture's scale a little. ``exposure`` says what
was locked, for a camera that is opened again.
"""

from __future__ import annotations

import importlib
import logging
import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.messages import phrase
from hardware.protocols import Clock, DeviceError, DeviceLost, Frame

SMALL = 320
"""Width in pixels of the small pictures that show movement."""
SETTLING = 30
"""Pictures that automatic exposure and white balance may take before they are locked."""
SETTLING_TIME = 5.0
"""Seconds that they may take at most, however slow the camera is."""
SETTLED = 2
"""libcamera's AeStateConverged."""
LIMIT = 3.0
"""Seconds that a picture may take. Slow cameras have more (:mod:`hardware.revived_camera`)."""
FOCUSING = 5.0
"""Seconds that a lens may take to focus."""
MANUAL = 0
"""libcamera's AfModeManual: the lens stays where it is told to be."""
FLICKER = 1
"""libcamera's FlickerManual: automatic exposure takes whole flickers of the lamps, and is told how long."""


@dataclass(frozen=True, slots=True)
class Exposure:
    """The locked exposure time in microseconds, analogue gain and white balance; 0 and (): as measured when
    the camera is opened."""

    microseconds: int = 0
    gain: float = 0.0
    white: tuple[float, ...] = ()
    """A Pi's camera: the gains of red and of blue; a USB camera: its colour temperature in kelvin."""


class PiCamera:
    """A camera on the Pi's ribbon cable, by picamera2 (Debian's ``python3-picamera2``; it has no wheels)."""

    def __init__(
        self,
        number: int,
        size: tuple[int, int],
        rate: float,
        exposure: Exposure,
        clock: Clock,
        lens: float | None = None,
        mains: int = 50,
    ) -> None:
        """Starts the camera and locks its exposure, white balance and lens: where ``lens`` says (dioptres),
        or, None, where it is sharp now. Lamps on the ``mains`` (hertz) flicker twice as often, and show no
        bands in an exposure of whole flickers, which is chosen where there is not too much light for it.
        Raises DeviceError without picamera2, DeviceLost without a camera."""
        # Else each look for a missing camera would write lines of its own; what is wrong is told once, here.
        os.environ.setdefault("LIBCAMERA_LOG_LEVELS", "*:FATAL")
        logging.getLogger("picamera2").setLevel(logging.CRITICAL)
        try:
            kind = importlib.import_module("picamera2").Picamera2
        except Exception as error:  # off a Pi its imports fail in many ways
            raise DeviceError(
                phrase(
                    "camera: picamera2 does not load ({error}); apt install python3-picamera2", error=error
                )
            ) from error
        self._clock = clock
        self._taken = 0
        self._lens: float | None = None
        self._limit = max(LIMIT, 3 / rate)
        # The image processor makes both streams at once. Every Pi gives YUV420, which needs even sides.
        self._small = (SMALL, round(SMALL * size[1] / size[0] / 2) * 2)
        try:
            self._camera: Any = kind(number)
        except (RuntimeError, IndexError, OSError) as error:
            found = phrase("none is found") if isinstance(error, IndexError) else error
            raise DeviceLost(
                phrase(
                    "camera {name}: {error}; check the ribbon cable, and 'rpicam-hello --list-cameras'",
                    name=number,
                    error=found,
                )
            ) from error
        try:
            controls: dict[str, Any] = {"FrameDurationLimits": (round(1e6 / rate),) * 2}
            if "AeFlickerPeriod" in self._camera.camera_controls:  # old libcameras have none
                controls |= {"AeFlickerMode": FLICKER, "AeFlickerPeriod": round(1e6 / (2 * mains))}
            self._camera.configure(
                self._camera.create_video_configuration(
                    main={"size": size, "format": "RGB888"},  # in memory blue, green, red, as in OpenCV
                    lores={"size": self._small, "format": "YUV420"},
                    buffer_count=3,
                    controls=controls,
                )
            )
            self._camera.start()
            self._lock(exposure, lens)
        except TimeoutError as error:
            self.close()
            raise self._silent() from error
        except Exception as error:
            self.close()
            raise DeviceLost(
                phrase("camera {name}: {error}; check the ribbon cable", name=number, error=error)
            ) from error

    def _lock(self, exposure: Exposure, lens: float | None) -> None:
        until = time.monotonic() + SETTLING_TIME
        for _ in range(SETTLING):
            measured = self._wait(self._camera.capture_metadata(wait=False), self._limit)
            # libcamera before 0.5 says AeLocked, later ones AeState
            settled = measured.get("AeLocked") or measured.get("AeState") == SETTLED
            if settled or time.monotonic() > until:
                break
        if lens is None:
            self.focus()
        elif self._has_motor:
            self._hold_lens(lens)
        self.exposure = Exposure(
            exposure.microseconds or measured["ExposureTime"],
            exposure.gain or measured["AnalogueGain"],
            exposure.white or measured["ColourGains"],
        )
        self._camera.set_controls(
            {
                "AeEnable": False,
                "AwbEnable": False,
                "ExposureTime": self.exposure.microseconds,
                "AnalogueGain": self.exposure.gain,
                "ColourGains": self.exposure.white,
            }
        )

    @property
    def lens(self) -> float | None:
        """Where the lens is held, in dioptres; None where it has no motor."""
        return self._lens

    @property
    def _has_motor(self) -> bool:
        return "AfMode" in self._camera.camera_controls

    def focus(self) -> None:
        """Focuses once, and holds the lens there; does nothing without a motor. Where nothing becomes sharp
        (a dark board), the lens goes back to where it was."""
        if not self._has_motor:
            return
        sharp = self._wait(self._camera.autofocus_cycle(wait=False), FOCUSING)
        measured = self._wait(self._camera.capture_metadata(wait=False), self._limit).get("LensPosition")
        if sharp and measured is not None:
            self._hold_lens(float(measured))
        elif self._lens is not None:
            self._hold_lens(self._lens)

    def _hold_lens(self, position: float) -> None:
        self._camera.set_controls({"AfMode": MANUAL, "LensPosition": position})
        self._lens = position

    def read(self) -> Frame:
        """Keeps :class:`hardware.protocols.Camera`."""
        return self._capture("main")

    def glance(self) -> Frame:
        """Keeps :class:`hardware.protocols.Glancing`: the brightness alone, in all three channels."""
        wide, high = self._small
        frame = self._capture("lores")
        grey = frame.pixels[:high, :wide]  # rows may be padded; the colours follow below
        return Frame(frame.t, frame.name, np.repeat(grey[..., None], 3, axis=2))

    def _capture(self, stream: str) -> Frame:
        try:
            request = self._wait(self._camera.capture_request(wait=False), self._limit)
            try:
                pixels: NDArray[np.uint8] = request.make_array(stream)
                taken = request.get_metadata().get("SensorTimestamp", 0) / 1e9
                age = _age(taken, time.CLOCK_BOOTTIME)
            finally:
                request.release()
        except TimeoutError as error:
            raise self._silent() from error
        except Exception as error:  # libcamera's errors come as RuntimeError, OSError or its own
            raise DeviceLost(phrase("camera: {error}; check the ribbon cable", error=error)) from error
        self._taken += 1
        return Frame(self._clock() - age, f"camera {self._taken}", pixels)

    def _silent(self) -> DeviceLost:
        return DeviceLost(
            phrase(
                "camera: no picture comes within {seconds} s; check the ribbon cable",
                seconds=f"{self._limit:g}",
            )
        )

    def _wait(self, job: Any, seconds: float) -> Any:
        """What the job gives. Raises TimeoutError: without a limit it would wait for a loose cable for
        ever."""
        return self._camera.wait(job, timeout=seconds)

    def close(self) -> None:
        """Lets the camera go."""
        with suppress(Exception):  # a camera that was pulled out cannot be stopped
            self._camera.close()


def _age(taken: float, clock: int) -> float:
    """How many seconds ago a picture was ``taken``, by one of the kernel's clocks; 0 where its driver does
    not say, or goes by another clock."""
    age = time.clock_gettime(clock) - taken
    return age if taken > 0 and 0 <= age < 60 else 0.0


def _open_video(number: int) -> Any:
    import cv2

    device = f"/dev/video{number}"
    if not Path(device).exists():
        raise DeviceLost(
            phrase(
                "camera {name}: missing; check its cable and 'v4l2-ctl --list-devices'",
                name=device,
            )
        )
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
                phrase(
                    "camera {name}: missing or in use; check its cable and 'v4l2-ctl --list-devices'",
                    name=f"/dev/video{number}",
                )
            )
        self._video.set(cv2.CAP_PROP_FRAME_WIDTH, size[0])
        self._video.set(cv2.CAP_PROP_FRAME_HEIGHT, size[1])
        self._video.set(cv2.CAP_PROP_FPS, rate)
        self._video.set(cv2.CAP_PROP_BUFFERSIZE, 1)
        # It is still locked if it has had power since the table last ran.
        self._video.set(cv2.CAP_PROP_AUTO_EXPOSURE, 3)  # V4L2_EXPOSURE_APERTURE_PRIORITY, what they offer
        self._video.set(cv2.CAP_PROP_AUTO_WB, 1)
        until = time.monotonic() + SETTLING_TIME
        for _ in range(SETTLING):  # the camera measures, before it is told to stop measuring
            comes = self._video.grab()
            if not comes or time.monotonic() > until:
                break
        self._video.set(cv2.CAP_PROP_AUTOFOCUS, 0)  # else hands make the lens hunt
        self._video.set(cv2.CAP_PROP_AUTO_WB, 0)
        self._video.set(cv2.CAP_PROP_AUTO_EXPOSURE, 1)  # V4L2_EXPOSURE_MANUAL
        if exposure.microseconds:
            # V4L2_CID_EXPOSURE_ABSOLUTE counts 100 µs
            self._video.set(cv2.CAP_PROP_EXPOSURE, exposure.microseconds / 100)
        if exposure.gain:
            self._video.set(cv2.CAP_PROP_GAIN, exposure.gain)
        if exposure.white:
            self._video.set(cv2.CAP_PROP_WB_TEMPERATURE, exposure.white[0])
        self.exposure = exposure
        if not comes:  # it has measured nothing
            return
        # In force now; not above 0 where the camera has no such control.
        shutter, white = (
            self._video.get(each) for each in (cv2.CAP_PROP_EXPOSURE, cv2.CAP_PROP_WB_TEMPERATURE)
        )
        self.exposure = Exposure(
            round(100 * shutter) if shutter > 0 else exposure.microseconds,
            exposure.gain,
            (white,) if white > 0 else exposure.white,
        )

    def read(self) -> Frame:
        """Keeps :class:`hardware.protocols.Camera`."""
        import cv2

        taken, pixels = self._video.read()
        if not taken or pixels is None:
            raise DeviceLost(
                phrase("camera {name}: no picture comes; check its cable", name=f"/dev/video{self._number}")
            )
        self._taken += 1
        # The kernel keeps a picture until it is asked for: while one is read, the next is taken. With V4L2
        # this is when the driver took it, by the monotonic clock (uvcvideo's usual).
        age = _age(self._video.get(cv2.CAP_PROP_POS_MSEC) / 1000, time.CLOCK_MONOTONIC)
        return Frame(self._clock() - age, f"camera {self._taken}", pixels)

    def close(self) -> None:
        """Lets the camera go."""
        self._video.release()
