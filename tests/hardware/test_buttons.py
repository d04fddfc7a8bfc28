"""Buttons on pins: what a contact's level means, and what becomes of it."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.events import Button
from hardware.buttons import GpioButtons, Wire, pin_factory
from hardware.contact import Contact, ContactFault, Sign, Timing
from hardware.protocols import Agreed, Buttons, DeviceError, Heard, Pressed

TIMING = Timing(debounce=0.02, hold=1.5, stuck=20.0)


def signs(*levels: tuple[float, bool]) -> list[Sign]:
    contact = Contact(TIMING)
    return [sign for t, down in ((-1.0, False), *levels) for sign in contact.level(t, down)]


def test_a_press_counts_at_once_and_its_bouncing_does_not() -> None:
    assert signs((0, True), (0.001, False), (0.003, True), (0.01, False), (0.012, True), (0.5, False)) == [
        Sign.DOWN,
        Sign.TAPPED,
    ]


def test_a_release_that_was_lost_in_the_bouncing_is_seen_at_the_next_look() -> None:
    assert signs((0, True), (0.01, False), (0.1, False), (0.2, True)) == [Sign.DOWN, Sign.TAPPED, Sign.DOWN]


def test_a_held_button_is_held_once_and_not_tapped() -> None:
    assert signs((0, True), (1.4, True), (1.5, True), (1.6, True), (2, False)) == [Sign.DOWN, Sign.HELD]


def test_a_hold_that_nobody_looked_at_is_found_at_the_release() -> None:
    assert signs((0, True), (3, False)) == [Sign.DOWN, Sign.HELD]


def test_a_button_that_is_down_at_the_start_means_nothing_until_released() -> None:
    contact = Contact(TIMING)
    assert [contact.level(t, down) for t, down in ((0, True), (5, True), (6, False), (7, True))] == [
        (),
        (),
        (),
        (Sign.DOWN,),
    ]


def test_a_button_down_for_too_long_is_stuck_until_it_is_up() -> None:
    contact = Contact(TIMING)
    for t, down in ((0, False), (1, True)):
        contact.level(t, down)
    assert contact.fault(20.9) is None
    assert contact.fault(21) is ContactFault.STUCK
    contact.level(22, False)
    assert contact.fault(22) is None


def test_a_chattering_button_is_named_and_says_nothing_until_it_is_quiet() -> None:
    contact = Contact(TIMING)
    heard = [sign for step in range(100) for sign in contact.level(step * 0.05, bool(step % 2))]
    assert heard.count(Sign.DOWN) == 7
    assert contact.fault(5) is ContactFault.CHATTERING
    assert contact.fault(7.5) is None
    contact.level(8, False)
    assert contact.level(9, True) == (Sign.DOWN,)


@given(st.lists(st.tuples(st.floats(0, 0.5), st.booleans())))
def test_presses_are_never_closer_than_two_bounces(steps: list[tuple[float, bool]]) -> None:
    contact, t, pressed = Contact(TIMING), 0.0, []
    for step, down in steps:
        t += step
        pressed += [t for sign in contact.level(t, down) if sign is Sign.DOWN]
    assert all(after - before >= 2 * TIMING.debounce - 1e-9 for before, after in pairwise(pressed))


class Box:
    """A button box on mock pins, with its own time."""

    def __init__(self, *wires: Wire) -> None:
        self.t = 0.0
        self.heard: list[Heard] = []
        self.factory: Any = pin_factory("mock")
        self.buttons = GpioButtons(wires, self.factory, lambda: self.t, TIMING)
        self.buttons.listen(self.heard.append)

    def push(self, pin: int, t: float, until: float) -> None:
        self.t = t
        self.factory.pin(f"GPIO{pin}").drive_low()
        while self.t + 0.1 < until:
            self.t += 0.1
            self.buttons.check()
        self.t = until
        self.factory.pin(f"GPIO{pin}").drive_high()


@pytest.fixture
def box() -> Iterator[Box]:
    made = Box(
        Wire(5, Button.ROLL, "white"),
        Wire(12, Button.DOUBLE, "black", Button.SWAP),
        Wire(26, Button.RESIGN, None, Button.RESIGN),
    )
    yield made
    made.buttons.close()


def test_the_box_keeps_the_protocol(box: Box) -> None:
    buttons: Buttons = box.buttons
    assert buttons.check() == ()


def test_a_plain_button_is_heard_when_it_goes_down(box: Box) -> None:
    box.push(5, 1, 4)
    assert box.heard == [Pressed(1, "white", Button.ROLL)]


def test_a_button_with_two_meanings_is_heard_when_released_or_held(box: Box) -> None:
    box.push(12, 1, 1.3)
    box.push(12, 5, 8)
    assert [(press.side, press.button) for press in box.heard] == [
        ("black", Button.DOUBLE),
        ("black", Button.SWAP),
    ]
    assert 6.5 <= box.heard[1].t < 6.7


def test_resigning_needs_a_hold(box: Box) -> None:
    box.push(26, 1, 1.4)
    assert box.heard == []
    box.push(26, 5, 7)
    assert [(press.side, press.button) for press in box.heard] == [(None, Button.RESIGN)]


def test_a_stuck_button_is_named(box: Box) -> None:
    box.t = 1
    box.factory.pin("GPIO5").drive_low()
    box.t = 30
    assert box.buttons.check() == (
        "the button white roll (GPIO 5) is stuck; is it jammed, or its wire loose?",
    )


def test_nothing_is_heard_after_closing(box: Box) -> None:
    box.buttons.close()
    box.factory.pin("GPIO5").drive_low()
    assert box.heard == []


def test_two_buttons_on_one_pin_are_refused() -> None:
    with pytest.raises(DeviceError, match="GPIO 5"):
        Box(Wire(5, Button.ROLL, "white"), Wire(5, Button.DONE, "white"))


def test_without_access_to_pins_the_error_says_what_to_install() -> None:
    with pytest.raises(DeviceError, match="python3-rpi"):
        pin_factory("rpigpio")
    with pytest.raises(DeviceError, match="no pin factory"):
        pin_factory("pigpio")


def test_a_working_directory_without_write_access_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("hardware.buttons.os.access", lambda *_: False)
    with pytest.raises(DeviceError, match="working directory"):
        pin_factory("lgpio")


def test_both_players_holding_done_agree_once_and_one_alone_does_not() -> None:
    box = Box(Wire(6, Button.DONE, "white"), Wire(21, Button.DONE, "black"))
    box.push(6, 1, 4)
    box.factory.pin("GPIO6").drive_low()
    box.push(21, 5, 8)
    box.factory.pin("GPIO6").drive_high()
    box.buttons.close()
    assert [type(each) for each in box.heard] == [Pressed, Pressed, Pressed, Agreed]
    assert 6.5 <= box.heard[-1].t < 6.7
