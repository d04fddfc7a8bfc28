"""The doctor goes through buttons, lamps and camera with whoever sits at the terminal."""

import dataclasses
import os
from collections.abc import Callable

import numpy as np
import pytest

from firmware.commands._terminal import Terminal
from firmware.diagnostics.hands import press_each, see_each, try_all, wave
from firmware.settings.config import parse
from firmware.settings.lamp_settings import LampSettings
from firmware.table import drivers
from hardware.buttons import GpioButtons, pin_factory
from hardware.contact import Timing
from hardware.protocols import Frame
from hardware.simulated import MemoryStrip
from hardware.strip import OFF

Does = Callable[[str], str | None]


class Sitting:
    """Somebody with hands: ``does`` is asked about every line that is shown, in a time of its own."""

    def __init__(self, does: Does) -> None:
        self.t = 0.0
        self.told: list[str] = []
        self._does = does

    def now(self) -> float:
        return self.t

    def tell(self, text: str) -> None:
        self.told.append(text)

    def line(self, wait: float) -> str | None:
        self.t += wait
        return self._does(self.told[-1])


class Box:
    """The default button box on pins that a test pulls, in the sitter's time."""

    def __init__(self, sitter: Callable[[], float]) -> None:
        self.factory = pin_factory("mock")
        wires = drivers.button_wires(parse('[buttons]\nfactory = "mock"'))
        self.wires = [dataclasses.replace(wire, held=None) for wire in wires]
        self.buttons = GpioButtons(self.wires, self.factory, sitter, Timing(), sitter)


def test_every_button_is_asked_for_and_exchanged_stuck_and_dead_ones_are_told() -> None:
    # At a press of one pin, these answer in its place: two exchanged wires, and one that is torn.
    wired = {5: 6, 6: 5, 27: None}
    pulled: dict[int, float] = {}
    sitter: Sitting

    def does(shown: str) -> str | None:
        for pin, since in list(pulled.items()):
            if sitter.t - since > 0.15:
                box.factory.pin(pin).drive_high()
                del pulled[pin]
        if shown.startswith("  That was"):
            return ""
        if not shown.startswith("→") or sitter.told[-1] is tried.get("last"):
            tried["waits"] = tried.get("waits", 0) + 1
            return "" if tried["waits"] > 40 else None
        tried["last"], tried["waits"] = sitter.told[-1], 0
        asked = int(shown.partition("GPIO ")[2].partition(",")[0])
        pin = wired.get(asked, asked)
        if pin is not None:
            box.factory.pin(pin).drive_low()
            pulled[pin] = sitter.t
        return None

    tried: dict[str, object] = {}
    sitter = Sitting(does)
    box = Box(sitter.now)
    box.factory.pin(25).drive_low()  # jammed
    try:
        found = list(press_each(box.buttons, box.wires, 0.02, sitter, sitter.now))
    finally:
        box.buttons.close()
    wrong = {each.words for each in found if not each.well}
    assert len(found) == len(box.wires) + 1
    assert any("GPIO 25" in words and "stays down" in words for words in wrong)
    assert any("GPIO 27" in words and "not heard" in words for words in wrong)
    assert any(
        words.startswith("exchange the wires of") and "GPIO 5" in words and "GPIO 6" in words
        for words in wrong
    )
    assert len(wrong) == 5


def test_a_strip_that_was_put_on_the_wrong_way_round_is_found_and_its_map_told() -> None:
    strip, points = MemoryStrip(6), {f"p{n}": (n - 1,) for n in range(1, 7)}

    def does(shown: str) -> str | None:
        lit = [led for led, colour in enumerate(strip.leds) if colour != OFF]
        if shown.startswith(("Does the light go", "  ")):
            return "n"
        if "do you see the light there" in shown:
            return str(6 - lit[0])  # LED 0 lies at point 6
        return ""

    sitter = Sitting(does)
    found = list(see_each(strip, LampSettings(1.0, points), sitter, sitter.now))
    assert [each.well for each in found] == [False] * 6
    assert "    p6 = 0" in sitter.told
    assert "    p1 = 5" in sitter.told
    assert set(strip.leds) == {OFF}


def test_a_hand_is_looked_for_until_three_places_were_seen() -> None:
    class Hands:
        def __init__(self) -> None:
            self.taken = 0

        def read(self) -> Frame:
            pixels = np.full((480, 640, 3), 90, np.uint8)
            self.taken += 1
            if self.taken % 2 == 0:
                pixels[20:140, 200 * (self.taken // 2 - 1) : 200 * (self.taken // 2 - 1) + 150] = 230
            return Frame(0.0, "", pixels)

        def close(self) -> None:
            pass

    (finding,) = wave(Hands(), Sitting(lambda shown: None))
    assert finding.well
    assert "3 places" in finding.words


def test_a_terminal_gives_lines_as_they_are_typed_and_says_when_there_are_no_more() -> None:
    read, write = os.pipe()
    terminal = Terminal(read)
    assert terminal.line(0) is None
    os.write(write, b"yes\n7\nhal")
    assert [terminal.line(0) for _ in range(3)] == ["yes", "7", None]
    os.write(write, b"f\n")
    assert terminal.line(0) == "half"
    os.close(write)
    with pytest.raises(EOFError):
        terminal.line(0)
    os.close(read)


def test_a_part_that_cannot_be_opened_is_a_finding_and_the_others_are_tried() -> None:
    config = parse(
        '[buttons]\nfactory = "mock"\n[camera]\nkind = "folder"\nfolder = "/nowhere"\n[strip]\nkind = "none"'
    )
    found = list(try_all(config, LampSettings(1.0, {}), Sitting(lambda shown: "")))
    parts = {each.part: each for each in found}
    assert parts["lights"].well is None
    assert parts["camera"].well is False
    assert "there is no folder /nowhere" in parts["camera"].words
    assert [each.well for each in found if each.part == "button"] == [False] * 14
