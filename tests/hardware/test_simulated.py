"""The simulated twins keep the protocols and do what the script says."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.events import Button
from hardware.painter import Painter
from hardware.protocols import Buttons, Camera, DeviceError, DeviceLost, DiceSource, Lights, Pressed
from hardware.simulated import FolderCamera, MemoryStrip, ScriptedButtons, ScriptedDice


def three_by_two(data: bytes) -> NDArray[np.uint8]:
    if data == b"no picture":
        raise ValueError("not a picture")
    return np.full((2, 3, 3), data[0], np.uint8)


def test_every_twin_keeps_its_protocol(tmp_path: Path) -> None:
    camera: Camera = FolderCamera(tmp_path, [], lambda: 0.0, three_by_two)
    buttons: Buttons = ScriptedButtons(lambda: 0.0)
    strip: Lights = MemoryStrip(3)
    dice: DiceSource = ScriptedDice([(1, 2)])
    for device in (camera, buttons, strip):
        device.close()
    assert dice.roll(2) == (1, 2)


def test_the_camera_sees_the_folder_in_order_and_then_nothing(tmp_path: Path) -> None:
    for number in (1, 2):
        (tmp_path / f"{number}.jpg").write_bytes(bytes([number]))
    time = iter([10.0, 11.0])
    camera = FolderCamera(tmp_path, ["2.jpg", "1.jpg"], lambda: next(time), three_by_two)
    first, second = camera.read(), camera.read()
    assert [(frame.t, frame.name, int(frame.pixels[0, 0, 0])) for frame in (first, second)] == [
        (10.0, "2.jpg", 2),
        (11.0, "1.jpg", 1),
    ]
    with pytest.raises(DeviceLost, match="no further"):
        camera.read()


def test_a_file_that_is_missing_or_no_picture_is_named(tmp_path: Path) -> None:
    (tmp_path / "bad.jpg").write_bytes(b"no picture")
    camera = FolderCamera(tmp_path, ["bad.jpg", "gone.jpg"], lambda: 0.0, three_by_two)
    for name in ("bad.jpg", "gone.jpg"):
        with pytest.raises(DeviceError, match=name):
            camera.read()


def test_a_closed_camera_has_no_more_to_show(tmp_path: Path) -> None:
    camera = FolderCamera(tmp_path, ["1.jpg"], lambda: 0.0, three_by_two)
    camera.close()
    with pytest.raises(DeviceLost):
        camera.read()


def test_presses_are_heard_with_their_time_while_somebody_listens() -> None:
    now = 0.0
    buttons = ScriptedButtons(lambda: now)
    heard: list[Pressed] = []
    buttons.press("white", Button.DONE)
    buttons.listen(heard.append)
    now = 2.5
    buttons.press("black", Button.ROLL)
    buttons.press(None, Button.PAUSE)
    buttons.close()
    buttons.press("white", Button.DONE)
    assert heard == [Pressed(2.5, "black", Button.ROLL), Pressed(2.5, None, Button.PAUSE)]


def test_the_strip_shines_as_told_and_goes_dark_when_closed() -> None:
    strip = MemoryStrip(2)
    assert (strip.count, strip.leds) == (2, ((0, 0, 0), (0, 0, 0)))
    strip.show([(1, 2, 3), (255, 0, 0)])
    assert strip.leds == ((1, 2, 3), (255, 0, 0))
    strip.close()
    assert strip.leds == ((0, 0, 0), (0, 0, 0))


@pytest.mark.parametrize(
    "leds", [[], [(0, 0, 0)], [(0, 0, 0)] * 3, [(0, 0, 0), (0, 0, 256)], [(0, -1, 0), (0, 0, 0)]]
)
def test_the_strip_refuses_what_no_strip_could_show_and_stays_as_it_was(
    leds: list[tuple[int, int, int]],
) -> None:
    strip = MemoryStrip(2)
    strip.show([(9, 9, 9), (9, 9, 9)])
    with pytest.raises(ValueError, match="LED"):
        strip.show(leds)
    assert strip.leds == ((9, 9, 9), (9, 9, 9))


def test_dice_fall_as_they_were_loaded_and_a_wrong_number_stays_loaded() -> None:
    dice = ScriptedDice([(1, 2)])
    dice.load((3, 4, 5))
    assert dice.roll(2) == (1, 2)
    with pytest.raises(DeviceError, match="2 dice are due"):
        dice.roll(2)
    assert dice.roll(3) == (3, 4, 5)
    with pytest.raises(DeviceLost):
        dice.roll(2)


def test_painters_of_two_tables_are_not_the_same() -> None:
    one, other = Painter("hexes", 1, 6, 5), Painter("hexes", 1, 6, 5)
    assert (one, {}) == (one, {})
    assert (one, {}) != (other, {})
