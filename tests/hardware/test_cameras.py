"""Cameras: locked exposure, and coming back after they were pulled out or froze."""

import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import cv2
import numpy as np
import pytest

from firmware.settings.config import Config
from firmware.table import drivers
from hardware.cameras import Exposure, PiCamera, UsbCamera
from hardware.protocols import Camera, DeviceError, DeviceLost, Frame
from hardware.revived_camera import FROZEN, SLOW, RevivedCamera
from tests.hardware.loose_camera import LooseCamera


class Video:
    """OpenCV's VideoCapture of a camera that is there or not."""

    def __init__(self, there: bool = True) -> None:
        self.there = there
        self.settings: dict[int, float] = {}
        """Kept, as by a camera that has power, from one opening to the next."""
        self.light = (80.0, 4500.0)
        """What its automatics find: exposure in 100 µs, colour temperature in kelvin."""
        self.taken = 0.0
        """When its last picture was taken, in seconds; 0: it does not say."""

    def isOpened(self) -> bool:
        return self.there

    def set(self, key: int, value: float) -> bool:
        self.settings[key] = value
        return True

    def get(self, key: int) -> float:
        return 1000 * self.taken if key == cv2.CAP_PROP_POS_MSEC else self.settings.get(key, -1.0)

    def grab(self) -> bool:
        if self.settings.get(cv2.CAP_PROP_AUTO_EXPOSURE) == 3:
            self.settings[cv2.CAP_PROP_EXPOSURE] = self.light[0]
        if self.settings.get(cv2.CAP_PROP_AUTO_WB):
            self.settings[cv2.CAP_PROP_WB_TEMPERATURE] = self.light[1]
        return self.there

    def read(self) -> tuple[bool, Any]:
        return (True, np.ones((2, 3, 3), np.uint8)) if self.there else (False, None)

    def release(self) -> None:
        self.there = False


def usb(video: Video, exposure: Exposure) -> UsbCamera:
    return UsbCamera(0, (1640, 1232), 8.0, exposure, lambda: 5.0, lambda number: video)


def test_a_usb_camera_gives_pictures_until_it_is_pulled_out() -> None:
    video = Video()
    camera: Camera = usb(video, Exposure())
    frame = camera.read()
    assert (frame.t, frame.name, frame.pixels.shape) == (5.0, "camera 1", (2, 3, 3))
    video.there = False
    with pytest.raises(DeviceLost, match="/dev/video0"):
        camera.read()


@pytest.mark.parametrize(("clock", "t"), [(time.monotonic, 4.1), (time.time, 5.0)])
def test_a_usb_picture_has_the_time_at_which_it_was_taken(clock: Callable[[], float], t: float) -> None:
    """It waited in the kernel while the one before was read. A driver with another clock says nothing."""
    video = Video()
    camera = usb(video, Exposure())
    video.taken = clock() - 0.9
    assert camera.read().t == pytest.approx(t, abs=0.1)


def test_a_usb_camera_is_locked_as_configured() -> None:
    video = Video()
    usb(video, Exposure(8000, 2.0))
    assert video.settings[cv2.CAP_PROP_AUTO_EXPOSURE] == 1
    assert video.settings[cv2.CAP_PROP_AUTO_WB] == 0
    assert video.settings[cv2.CAP_PROP_AUTOFOCUS] == 0
    assert video.settings[cv2.CAP_PROP_EXPOSURE] == 80
    assert video.settings[cv2.CAP_PROP_GAIN] == 2.0


def test_a_usb_camera_measures_anew_at_each_start_though_it_was_locked_before() -> None:
    video = Video()
    assert usb(video, Exposure()).exposure == Exposure(8000, 0.0, (4500.0,))
    video.light = (200.0, 3000.0)
    assert usb(video, Exposure()).exposure == Exposure(20000, 0.0, (3000.0,))


def test_a_usb_camera_that_comes_back_sees_as_before() -> None:
    before = usb(Video(), Exposure(gain=2.0)).exposure
    video = Video()
    video.light = (200.0, 3000.0)  # a hand is over the board
    assert usb(video, before).exposure == before == Exposure(8000, 2.0, (4500.0,))
    assert (video.settings[cv2.CAP_PROP_EXPOSURE], video.settings[cv2.CAP_PROP_GAIN]) == (80, 2.0)
    assert video.settings[cv2.CAP_PROP_WB_TEMPERATURE] == 4500


def test_a_usb_camera_that_gave_no_picture_measures_when_it_comes_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its exposure was left over from another light."""
    video = Video()
    video.settings = {cv2.CAP_PROP_EXPOSURE: 1.0, cv2.CAP_PROP_WB_TEMPERATURE: 2000.0}
    monkeypatch.setattr(video, "grab", lambda: False)
    camera = usb(video, Exposure(gain=2.0))
    monkeypatch.undo()
    assert usb(video, camera.exposure).exposure == Exposure(8000, 2.0, (4500.0,))


def test_a_usb_camera_that_is_not_there_is_lost() -> None:
    with pytest.raises(DeviceLost, match="cable"):
        usb(Video(there=False), Exposure())


class Pi:
    """What picamera2 offers and this program uses."""

    def __init__(self, number: int) -> None:
        if number:
            raise IndexError("list index out of range")
        self.controls: dict[str, Any] = {}
        self.closed = False
        self.measured = 0
        self.focused = 0
        self.there = True
        self.loose = False
        """Its ribbon: then libcamera never answers."""
        self.late = 0.0
        self.released = True
        self.camera_controls = {"AeEnable": (False, True, True)} | self.more | self.motor

    more: ClassVar[dict[str, Any]] = {}
    """Controls that newer libcameras have."""
    motor: ClassVar[dict[str, Any]] = {}
    """The controls of a lens that focuses."""

    def autofocus_cycle(self, wait: bool) -> str:
        assert not wait
        self.focused += 1
        return "focus"

    sharp: ClassVar[bool] = True
    """Whether its lens finds something to focus on, and where."""
    position: ClassVar[float] = 1.25

    def create_video_configuration(self, **given: Any) -> dict[str, Any]:
        return given

    def configure(self, configuration: dict[str, Any]) -> None:
        self.configuration = configuration

    def start(self) -> None:
        pass

    white: ClassVar[tuple[float, float]] = (1.8, 1.4)
    settled: ClassVar[dict[str, tuple[Any, Any]]] = {"AeLocked": (False, True)}
    """How it says whether its exposure has settled: not yet, and then."""

    def capture_metadata(self, wait: bool) -> str:
        assert not wait
        return "metadata"

    def wait(self, job: Any, timeout: float) -> Any:
        if self.loose:
            raise TimeoutError
        if job == "focus":
            return self.sharp
        return self.metadata() if job == "metadata" else job

    def metadata(self) -> dict[str, Any]:
        self.measured += 1
        return {
            **{name: values[self.measured >= 3] for name, values in self.settled.items()},
            "ExposureTime": 7000 + self.measured,
            "AnalogueGain": 1.5,
            "ColourGains": self.white,
            **({"LensPosition": self.position} if self.motor else {}),
        }

    def set_controls(self, controls: dict[str, Any]) -> None:
        self.controls |= controls

    def capture_request(self, wait: bool) -> "Pi":
        assert not wait
        if not self.there:
            raise RuntimeError("Camera frontend has timed out!")
        self.released = False
        return self

    def get_metadata(self) -> dict[str, Any]:
        return {"SensorTimestamp": (time.clock_gettime(time.CLOCK_BOOTTIME) - self.late) * 1e9}

    def release(self) -> None:
        self.released = True

    def make_array(self, stream: str) -> Any:
        if stream == "lores":
            wide, high = self.configuration["lores"]["size"]
            picture = np.full((high * 3 // 2, wide + 64), 200, np.uint8)
            picture[:high, :wide] = 90
            return picture
        return np.zeros((4, 4, 3), np.uint8)

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def picamera2(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "picamera2", SimpleNamespace(Picamera2=Pi))  # stands in for a module


def test_a_pi_camera_measures_until_it_is_sure_and_locks_what_it_found(picamera2: None) -> None:
    camera = PiCamera(0, (1640, 1232), 8.0, Exposure(), lambda: 1.0)
    device = camera._camera
    assert device.measured == 3
    assert device.controls == {
        "AeEnable": False,
        "AwbEnable": False,
        "ExposureTime": 7003,
        "AnalogueGain": 1.5,
        "ColourGains": (1.8, 1.4),
    }
    assert device.configuration["controls"] == {"FrameDurationLimits": (125000, 125000)}


@pytest.mark.parametrize(("mains", "period"), [(50, 10000), (60, 8333)])
def test_a_pi_camera_exposes_for_whole_flickers_of_the_lamps(
    picamera2: None, monkeypatch: pytest.MonkeyPatch, mains: int, period: int
) -> None:
    monkeypatch.setattr(Pi, "more", {"AeFlickerMode": (0, 1, 0), "AeFlickerPeriod": (100, 1000000, None)})
    camera = PiCamera(0, (1640, 1232), 8.0, Exposure(), lambda: 1.0, None, mains)
    asked = camera._camera.configuration["controls"]
    assert (asked["AeFlickerMode"], asked["AeFlickerPeriod"]) == (1, period)


def _pi(camera: RevivedCamera) -> Pi:
    """The Pi's own camera behind one that comes back."""
    own = camera._camera
    assert isinstance(own, PiCamera)
    assert isinstance(own._camera, Pi)
    return own._camera


def test_a_pi_camera_that_comes_back_sees_as_before(picamera2: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever its automatics find then: whoever put the ribbon in has a hand over the board."""
    camera = drivers.make_camera(Config(), lambda: 1.0)
    assert isinstance(camera, RevivedCamera)
    locked = []
    for white in ((1.8, 1.4), (2.6, 1.1)):
        monkeypatch.setattr(Pi, "white", white)
        camera.read()
        locked.append(_pi(camera).controls)
        camera.close()
    assert locked[0] == locked[1]
    assert locked[1]["ColourGains"] == (1.8, 1.4)


@pytest.mark.parametrize(("motor", "focused"), [({}, 0), ({"AfMode": (0, 2, 0)}, 1)])
def test_a_lens_with_a_motor_is_focused_once(
    picamera2: None, monkeypatch: pytest.MonkeyPatch, motor: dict[str, Any], focused: int
) -> None:
    monkeypatch.setattr(Pi, "motor", motor)
    assert PiCamera(0, (1640, 1232), 8.0, Exposure(), lambda: 1.0)._camera.focused == focused


MOTOR = {"AfMode": (0, 2, 0)}


def test_a_lens_is_held_where_it_became_sharp_and_there_again_at_the_next_start(
    picamera2: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(Pi, "motor", MOTOR)
    camera = drivers.make_camera(Config(), lambda: 1.0, tmp_path)
    assert isinstance(camera, RevivedCamera)
    assert camera.lens is None
    camera.read()
    device = _pi(camera)
    assert (camera.lens, device.controls["AfMode"], device.controls["LensPosition"]) == (1.25, 0, 1.25)
    drivers.keep_lens(tmp_path, camera)
    camera.close()

    monkeypatch.setattr(Pi, "position", 2.0)  # somebody's hand is nearer
    camera.read()
    device = _pi(camera)
    assert (camera.lens, device.focused, device.controls["LensPosition"]) == (1.25, 0, 1.25)
    camera.refocus()
    assert device.focused == 0  # the camera's own thread does it, before its next picture
    camera.read()
    assert (camera.lens, device.focused, device.controls["LensPosition"]) == (2.0, 1, 2.0)
    camera.close()


def test_where_nothing_becomes_sharp_the_lens_goes_back(
    picamera2: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Pi, "motor", MOTOR)
    camera = PiCamera(0, (640, 480), 8.0, Exposure(), lambda: 1.0, 0.8)
    monkeypatch.setattr(Pi, "sharp", False)
    camera.focus()
    assert (camera.lens, camera._camera.controls["LensPosition"]) == (0.8, 0.8)


def test_a_lens_without_a_motor_is_left_alone(picamera2: None, tmp_path: Path) -> None:
    (tmp_path / drivers.LENS).write_text("1.5")
    camera = drivers.make_camera(Config(), lambda: 1.0, tmp_path)
    assert isinstance(camera, RevivedCamera)
    camera.refocus()
    camera.read()
    assert camera.lens is None
    assert "AfMode" not in _pi(camera).controls
    drivers.keep_lens(tmp_path, camera)
    assert (tmp_path / drivers.LENS).read_text() == "1.5"


@pytest.mark.parametrize("text", ["", "{", "true", "-1", "1e9", '"2"', "NaN", "[1]"])
def test_a_lens_position_that_cannot_be_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / drivers.LENS).write_text(text)
    assert drivers.lens_position(tmp_path) is None


def test_a_lens_position_that_the_disk_does_not_give_is_told_and_the_lens_focuses(
    picamera2: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(Pi, "motor", MOTOR)
    (tmp_path / drivers.LENS).mkdir()
    said: list[str] = []
    camera = drivers.make_camera(Config(), lambda: 1.0, tmp_path, said.append)
    assert isinstance(camera, RevivedCamera)
    camera.read()
    assert camera.lens == 1.25
    (words,) = said
    assert "lens.json cannot be read" in words


def test_a_pi_without_a_camera_says_what_to_check(picamera2: None) -> None:
    with pytest.raises(DeviceLost, match="none is found; check the ribbon cable"):
        PiCamera(1, (1640, 1232), 8.0, Exposure(), lambda: 1.0)


def test_libcamera_adds_no_lines_at_each_look_for_a_camera(
    picamera2: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LIBCAMERA_LOG_LEVELS", "")
    monkeypatch.delenv("LIBCAMERA_LOG_LEVELS")
    with pytest.raises(DeviceLost):
        PiCamera(1, (1640, 1232), 8.0, Exposure(), lambda: 1.0)
    assert os.environ["LIBCAMERA_LOG_LEVELS"] == "*:FATAL"


def test_a_pi_camera_takes_what_is_configured(picamera2: None) -> None:
    controls = PiCamera(0, (640, 480), 8.0, Exposure(9000, 2.0), lambda: 1.0)._camera.controls
    assert (controls["ExposureTime"], controls["AnalogueGain"]) == (9000, 2.0)


def test_a_pi_camera_glances_at_the_brightness_of_the_small_stream(picamera2: None) -> None:
    camera = PiCamera(0, (1640, 1232), 8.0, Exposure(), lambda: 1.0)
    small = RevivedCamera(lambda: camera, lambda: 1.0).glance()
    assert small is not None
    assert small.pixels.shape == (240, 320, 3)
    assert (small.pixels == 90).all()
    assert PiCamera(0, (1456, 1088), 8.0, Exposure(), lambda: 1.0)._camera.configuration["lores"]["size"] == (
        320,
        240,
    )


def test_a_pi_camera_whose_cable_comes_off_is_lost(picamera2: None) -> None:
    camera = PiCamera(0, (640, 480), 8.0, Exposure(), lambda: 1.0)
    assert camera.read().name == "camera 1"
    camera._camera.there = False
    with pytest.raises(DeviceLost, match="ribbon"):
        camera.read()
    with pytest.raises(DeviceLost, match="ribbon"):
        PiCamera(1, (640, 480), 8.0, Exposure(), lambda: 1.0)


def test_a_camera_without_a_small_stream_glances_at_nothing() -> None:
    flaky = Flaky()
    assert RevivedCamera(flaky.open, lambda: flaky.t).glance() is None


def test_without_picamera2_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "picamera2", None)
    with pytest.raises(DeviceError, match="python3-picamera2"):
        PiCamera(0, (640, 480), 8.0, Exposure(), lambda: 1.0)


class Flaky:
    """A camera that can be pulled out and freeze."""

    there = True
    frozen = False
    level = 7
    contrast = 100
    opened = 0
    t = 0.0

    def open(self) -> "Flaky":
        if not self.there:
            raise DeviceLost("no camera")
        self.opened += 1
        return self

    def read(self) -> Frame:
        if not self.there:
            raise DeviceLost("gone")
        self.t += 1
        pixels = np.full((8, 8, 3), self.level if self.frozen else self.t, np.uint8)
        pixels[0] += self.contrast
        return Frame(self.t, "x", pixels)

    def close(self) -> None:
        pass


def test_a_camera_that_was_pulled_out_is_picked_up_again() -> None:
    flaky = Flaky()
    camera: Camera = RevivedCamera(flaky.open, lambda: flaky.t)
    camera.read()
    flaky.there = False
    for _ in range(3):
        with pytest.raises(DeviceLost):
            camera.read()
    flaky.there = True
    camera.read()
    assert flaky.opened == 2


def test_a_frozen_camera_is_opened_again() -> None:
    flaky = Flaky()
    camera = RevivedCamera(flaky.open, lambda: flaky.t)
    camera.read()
    flaky.frozen = True
    for _ in range(int(FROZEN) + 1):
        camera.read()
    with pytest.raises(DeviceLost, match="same picture"):
        camera.read()
    flaky.frozen = False
    camera.read()
    assert flaky.opened == 2


@pytest.mark.parametrize("said", [{"AeLocked": (False, True)}, {"AeState": (1, 2)}])
def test_a_camera_starts_as_soon_as_its_exposure_has_settled(
    picamera2: None, monkeypatch: pytest.MonkeyPatch, said: dict[str, Any]
) -> None:
    """libcamera says it in one way or the other."""
    monkeypatch.setattr(Pi, "settled", said)
    assert PiCamera(0, (640, 480), 8.0, Exposure(), lambda: 1.0)._camera.measured == 3


def test_a_camera_that_gives_no_picture_as_it_is_opened_says_so(
    picamera2: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was told as "camera 0: ; check the ribbon cable"."""

    def silent(pi: Pi, job: Any, timeout: float) -> None:
        raise TimeoutError

    monkeypatch.setattr(Pi, "wait", silent)
    with pytest.raises(DeviceLost, match="no picture comes within 3 s; check the ribbon"):
        PiCamera(0, (640, 480), 8.0, Exposure(), lambda: 10.0)


def test_a_loose_ribbon_is_told_and_the_picture_s_own_time_counts(picamera2: None) -> None:
    camera = PiCamera(0, (640, 480), 8.0, Exposure(), lambda: 10.0)
    camera._camera.late = 0.5
    assert camera.read().t == pytest.approx(9.5, abs=0.1)
    assert camera._camera.released
    camera._camera.loose = True
    with pytest.raises(DeviceLost, match="no picture comes within 3 s; check the ribbon"):
        camera.read()
    opened = [camera]
    revived = RevivedCamera(lambda: opened[0], lambda: 10.0)
    with pytest.raises(DeviceLost, match="ribbon"):
        revived.read()
    assert camera._camera.closed
    camera._camera.loose = False
    assert revived.read().name == "camera 2"


def test_a_driver_that_hangs_is_left_behind_and_the_camera_opened_again() -> None:
    loose = LooseCamera(Flaky().open(), lambda: 0.0)
    camera = RevivedCamera(lambda: loose, lambda: 0.0, limit=-0.9)
    camera.read()
    loose.hang()
    before = time.monotonic()
    for _ in range(3):
        with pytest.raises(DeviceLost, match="has not answered"):
            camera.read()
    with pytest.raises(DeviceLost, match="its driver hangs"):
        camera.read()
    assert time.monotonic() - before < 2
    loose.mend()
    for _ in range(50):
        time.sleep(0.02)
        try:
            camera.read()
            break
        except DeviceLost:
            continue
    else:
        pytest.fail("it never came back")
    camera.close()


def test_an_opening_that_takes_long_is_waited_for_not_begun_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small Pi needs more than OPENING; the second opening then found the camera taken by the first."""
    monkeypatch.setattr("hardware.revived_camera.OPENING", 0.05)
    opened, ready = [0], threading.Event()

    def slow() -> Camera:
        opened[0] += 1
        ready.wait(10)
        return Flaky().open()

    camera = RevivedCamera(slow, lambda: 0.0)
    for _ in range(3):
        with pytest.raises(DeviceLost, match="has not answered"):
            camera.read()
    ready.set()
    monkeypatch.setattr("hardware.revived_camera.OPENING", 5.0)
    camera.read()
    assert opened == [1]
    camera.close()


def test_an_opening_that_never_ends_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hardware.revived_camera.OPENING", 0.05)
    t, opened, late = [0.0], [0], LooseCamera(Flaky().open(), lambda: 0.0)
    closed, ready = threading.Event(), threading.Event()
    monkeypatch.setattr(late, "close", closed.set)

    def first_hangs() -> Camera:
        opened[0] += 1
        if opened[0] > 1:
            return Flaky().open()
        ready.wait(10)
        return late

    camera = RevivedCamera(first_hangs, lambda: t[0])
    for t[0] in (0.0, SLOW):
        with pytest.raises(DeviceLost, match="has not answered"):
            camera.read()
    camera.read()
    assert opened == [2]
    ready.set()  # it comes after all, and is let go
    assert closed.wait(5)
    camera.close()


def test_a_camera_that_comes_after_the_table_has_stopped_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hardware.revived_camera.OPENING", 0.05)
    late, closed, ready = LooseCamera(Flaky().open(), lambda: 0.0), threading.Event(), threading.Event()
    monkeypatch.setattr(late, "close", closed.set)

    def slow() -> Camera:
        ready.wait(10)
        return late

    camera = RevivedCamera(slow, lambda: 0.0)
    with pytest.raises(DeviceLost):
        camera.read()
    camera.close()
    ready.set()
    assert closed.wait(5)


def test_a_driver_that_raises_anything_is_a_lost_camera() -> None:
    def broken() -> Camera:
        raise ValueError("bad format")

    with pytest.raises(DeviceLost, match="bad format"):
        RevivedCamera(broken, lambda: 0.0).read()


def test_the_same_picture_again_has_the_time_of_the_first() -> None:
    flaky = Flaky()
    camera = RevivedCamera(flaky.open, lambda: flaky.t)
    flaky.frozen = True
    assert [camera.read().t for _ in range(4)] == [1, 1, 1, 1]
    flaky.frozen = False
    assert camera.read().t == 5


@pytest.mark.parametrize("level", [0, 255])
def test_a_covered_lens_and_a_dazzling_lamp_are_no_frozen_camera(level: int) -> None:
    """Such pictures are the same, bit for bit: the settler would never see them at rest, and tell nobody."""
    flaky = Flaky()
    flaky.frozen, flaky.level, flaky.contrast = True, level, 0
    camera = RevivedCamera(flaky.open, lambda: flaky.t)
    times = [camera.read().t for _ in range(int(3 * FROZEN))]
    assert times == sorted({*times})
    assert flaky.opened == 1


def test_a_camera_that_is_missing_makes_no_noise(capfd: pytest.CaptureFixture[str]) -> None:
    for number in (93, 94):
        with pytest.raises(DeviceLost, match=f"video{number}: missing"):
            UsbCamera(number, (640, 480), 5, Exposure(), lambda: 0.0)
    assert capfd.readouterr() == ("", "")


def test_a_camera_whose_driver_fails_in_its_own_way_counts_as_lost_and_is_opened_again() -> None:
    class Odd:
        def read(self) -> Frame:
            raise cv2.error("odd")

        def close(self) -> None:
            raise cv2.error("odder")

    opened: list[Odd] = []

    def open_camera() -> Camera:
        opened.append(Odd())
        return opened[-1]

    camera = RevivedCamera(open_camera, lambda: 0.0)
    for _ in range(2):
        with pytest.raises(DeviceLost, match="odd"):
            camera.read()
    assert len(opened) == 2
