"""Buttons on pins: what a contact's level means, and what becomes of it."""

import gc
import sys
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from gpiozero.pins.mock import MockPin
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.events import Button
from hardware.buttons import (
    TOGETHER,
    GpioButtons,
    RevivedButtons,
    Wire,
    _when,
    chip_label,
    header_chip,
    pin_factory,
)
from hardware.contact import LATE, Contact, ContactFault, Sign, Timing
from hardware.protocols import Agreed, Buttons, DeviceError, Heard, Pressed

TIMING = Timing(debounce=0.02, hold=1.5, stuck=20.0)


def signs(*levels: tuple[float, bool]) -> list[Sign]:
    """What edges mean that are told at once, with a look at the end."""
    contact = Contact(TIMING)
    contact.look(-1.0, False)
    heard = [sign for t, down in levels for sign in contact.edge(t, t, down)]
    return heard + list(contact.look(levels[-1][0] + 2 * LATE, levels[-1][1]))


def test_a_press_counts_at_once_and_its_bouncing_does_not() -> None:
    assert signs((0, True), (0.001, False), (0.003, True), (0.01, False), (0.012, True), (0.5, False)) == [
        Sign.DOWN,
        Sign.TAPPED,
    ]
    contact = Contact(TIMING)
    contact.look(-1, False)
    assert contact.edge(0.0, 0.0, True) == (Sign.DOWN,)


def test_a_bounce_that_outlasts_the_debounce_is_no_release() -> None:
    """It opened for a thousandth of a second, 25 ms after the press."""
    assert signs((1.0, True), (1.025, False), (1.026, True), (1.1, True), (1.4, False)) == [
        Sign.DOWN,
        Sign.TAPPED,
    ]


def test_a_second_press_right_after_the_first_counts_as_soon_as_it_is_sure() -> None:
    assert signs((1.0, True), (1.1, False), (1.15, True), (1.2, False)) == [
        Sign.DOWN,
        Sign.TAPPED,
        Sign.DOWN,
        Sign.TAPPED,
    ]


def test_edges_that_were_never_told_are_seen_by_looking() -> None:
    contact = Contact(TIMING)
    contact.look(0, False)
    heard = [sign for n in range(10) for sign in contact.look(1 + n / 10, True)]
    heard += [sign for n in range(10) for sign in contact.look(2 + n / 10, False)]
    assert heard == [Sign.DOWN, Sign.TAPPED]


def test_a_bounce_that_is_told_in_pieces_later_than_late_is_one_press() -> None:
    contact = Contact(TIMING)
    contact.look(-1, down=False)
    told = {30: (0.0, True), 31: (0.005, False), 36: (0.009, True), 90: (0.6, False)}
    heard: list[Sign] = []
    for hundredths in range(-100, 300):
        now = hundredths / 100
        if hundredths in told:
            heard += contact.edge(now, *told[hundredths])
        else:
            heard += contact.look(now, down=now < 0.6 if now > 0.95 else now >= 0.3)
    assert heard == [Sign.DOWN, Sign.TAPPED]


@pytest.mark.parametrize(
    "told",
    [
        # All but the first come at once, when the machine goes on after a stall.
        [(0.042, 0.0, True), (0.360, 0.010, False), (0.361, 0.011, True), (0.362, 0.060, False)],
        # The last but one has a wrong time, so the last closing stands alone.
        [
            (0.024, 0.0, True),
            (0.152, 0.067, False),
            (0.21, 0.068, True),
            (0.23, 0.069, False),
            (0.239, 0.037, False),
        ],
        # The last closing has a time before the last opening, so the release's bounce stands alone.
        [
            *[(0.0014, 0.0, True), (0.0079, 0.004, False), (0.0097, 0.0062, False), (0.0103, 0.0047, True)],
            *[(0.1385, 0.1274, False), (0.1391, 0.1287, True), (0.1394, 0.1301, False)],
        ],
    ],
)
def test_what_a_stalled_machine_told_of_one_press_counts_once(told: list[tuple[float, float, bool]]) -> None:
    """As the emulated Pi told it, with both of its processors busy."""
    contact, heard = Contact(TIMING), list[Sign]()
    contact.look(-1, down=False)
    for now, t, down in told:
        heard += contact.edge(now, t, down)
    for hundredths in range(int(100 * told[-1][0]) + 1, 300):
        heard += contact.look(hundredths / 100, down=False)
    assert heard == [Sign.DOWN, Sign.TAPPED]


def test_a_held_button_is_held_once_and_not_tapped() -> None:
    contact = Contact(TIMING)
    contact.look(-1, False)
    heard = list(contact.edge(0, 0, True))
    assert [len(contact.look(t, True)) for t in (0.5, 1.4, 1.5, 1.6, 3)] == [0, 0, 1, 0, 0]
    assert contact.held
    heard += contact.edge(4, 4, False) + contact.look(5, False)
    assert heard == [Sign.DOWN]


def test_a_hold_that_nobody_looked_at_is_found_at_the_release() -> None:
    assert signs((0, True), (3, False)) == [Sign.DOWN, Sign.HELD]


def test_a_button_that_is_down_at_the_start_means_nothing_until_released() -> None:
    contact = Contact(TIMING)
    assert contact.look(0, True) == ()
    assert contact.look(5, True) == ()
    assert contact.edge(6, 6, False) == ()
    assert contact.look(6.5, False) == ()
    assert contact.edge(7, 7, True) == (Sign.DOWN,)


def test_a_button_down_for_too_long_is_stuck_until_it_is_up() -> None:
    contact = Contact(TIMING)
    contact.look(0, False)
    contact.edge(1, 1, True)
    contact.look(20.9, True)
    assert contact.fault(20.9) is None
    assert contact.fault(21) is ContactFault.STUCK
    contact.edge(22, 22, False)
    contact.look(22.5, False)
    assert contact.fault(22.5) is None


def test_a_chattering_button_is_named_and_says_nothing_until_it_is_quiet() -> None:
    contact = Contact(TIMING)
    heard = [sign for step in range(100) for sign in contact.edge(step * 0.05, step * 0.05, bool(step % 2))]
    assert heard.count(Sign.DOWN) == 7
    assert contact.fault(5) is ContactFault.CHATTERING
    assert contact.fault(7.5) is None
    contact.edge(8, 8, False)
    contact.look(8.5, False)
    assert contact.edge(9, 9, True) == (Sign.DOWN,)


@st.composite
def presses(draw: st.DrawFn) -> tuple[int, list[tuple[float, float, bool]], float]:
    """Some presses of a bouncing contact: how many, its edges (when they are told, when they were, level) in
    the order in which they are told, and until when. Edges come up to 200 ms late; those of one bouncing may
    be merged into its last one."""
    t, edges = 1.0, [(0.0, False)]
    count = draw(st.integers(1, 5))
    for _ in range(count):
        for down in (True, False):
            moments = sorted(draw(st.sets(st.integers(1, 19), max_size=6)))
            bounces = [0, *moments[: len(moments) // 2 * 2]]  # it ends as it began
            if draw(st.booleans()):
                bounces = bounces[-1:]  # merged
            edges += [(t + at / 1000, bool(n % 2) is not down) for n, at in enumerate(bounces)]
            t += 0.02 + draw(st.floats(0.03, 0.4))
    told = [(at + draw(st.floats(0.0, 0.2)), at, level) for at, level in edges[1:]]
    return count, sorted(told), t + 1.0


@settings(max_examples=400, deadline=None)
@given(presses(), st.floats(0.0, 0.1))
def test_no_press_is_doubled_or_lost_however_late_and_mixed_its_edges_are_told(
    made: tuple[int, list[tuple[float, float, bool]], float], phase: float
) -> None:
    count, told, until = made
    timing = Timing(debounce=0.02, hold=100.0, stuck=200.0)
    contact, waiting = Contact(timing), list(told)
    heard: list[Sign] = []
    history = sorted((at, level) for _, at, level in told)
    contact.look(0.0, False)
    for step in range(int(until * 10) + 2):
        now = phase + step / 10
        while waiting and waiting[0][0] <= now:
            heard += contact.edge(*waiting.pop(0))
        level = next((level for at, level in reversed(history) if at <= now), False)
        heard += contact.look(now, level)
    assert (heard.count(Sign.DOWN), heard.count(Sign.TAPPED)) == (count, count)


@given(st.lists(st.tuples(st.floats(0, 0.5), st.booleans(), st.floats(0, 0.2))))
def test_whatever_is_told_no_press_comes_without_a_release(steps: list[tuple[float, bool, float]]) -> None:
    contact, t = Contact(TIMING), 0.0
    heard: list[Sign] = []
    for step, down, late in steps:
        t += step
        heard += contact.edge(t, t - late, down)
    heard += contact.look(t + 1, steps[-1][1] if steps else False)
    assert all(before is not after for before, after in pairwise(heard) if after is Sign.DOWN)


class Box:
    """A button box on mock pins, with its own time."""

    def __init__(self, *wires: Wire) -> None:
        self.t = 0.0
        self.heard: list[Any] = []
        self.factory: Any = pin_factory("mock")
        self.buttons = GpioButtons(wires, self.factory, lambda: self.t, TIMING, lambda: self.t)
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
    assert 6.49 < box.heard[1].t < 6.7


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
    box.t = 4.5
    box.factory.pin("GPIO6").drive_low()
    box.push(21, 5, 8)
    box.factory.pin("GPIO6").drive_high()
    box.buttons.close()
    assert [type(each) for each in box.heard] == [Pressed, Pressed, Pressed, Agreed]
    assert 6.49 < box.heard[-1].t < 6.7


class Lgpio(ModuleType):
    """lgpio as gpiozero uses it: a chip that can go away, and one thread for all callbacks, which ends for
    ever where one of them raises."""

    BOTH_EDGES, RISING_EDGE, FALLING_EDGE = 3, 1, 2

    def __init__(self) -> None:
        super().__init__("lgpio")
        self.gone, self.dead = False, False
        self.levels: dict[int, int] = {}
        self.callbacks: list[SimpleNamespace] = []

    def __getattr__(self, name: str) -> int:
        if name.startswith("__"):
            raise AttributeError(name)
        return 0  # flags

    def gpiochip_open(self, chip: int) -> int:
        return self._answer(0)  # the lowest number that is free: the same again

    def gpiochip_close(self, handle: int) -> None:
        """Also of one that is gone."""

    def gpio_claim_input(self, handle: int, *_: int) -> None:
        self._answer(handle & 0xFFFF)

    gpio_claim_alert = gpio_free = gpio_claim_input

    def gpio_get_mode(self, handle: int, pin: int) -> int:
        return self._answer(handle & 0xFFFF)

    def gpio_read(self, handle: int, pin: int) -> int:
        return self._answer(self.levels.get(pin, 1))

    def callback(self, handle: int, pin: int, edge: int, call: Callable[..., None]) -> SimpleNamespace:
        made = SimpleNamespace(pin=pin, call=call)
        made.cancel = lambda: self.callbacks.remove(made)
        self.callbacks.append(made)
        return made

    def pull(self, pin: int, level: int) -> None:
        """An edge."""
        self.levels[pin] = level
        try:
            for each in self.callbacks:
                if each.pin == pin and not self.dead:
                    each.call(0, pin, level, time.monotonic_ns())
        except Exception:
            self.dead = True

    def _answer(self, value: int) -> int:
        if self.gone:
            raise RuntimeError("No such device")
        return value


def test_after_the_chip_was_away_lgpio_s_thread_lives_and_presses_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The callbacks of the lost pins stayed in lgpio's thread; the first press after that ended it."""
    lgpio, heard = Lgpio(), list[Heard]()
    monkeypatch.setitem(sys.modules, "lgpio", lgpio)
    monkeypatch.delitem(sys.modules, "gpiozero.pins.lgpio", raising=False)
    monkeypatch.setattr("gpiozero.pins.local.get_pi_revision", lambda: 0xC03115)
    t = [0.0]
    box = RevivedButtons(
        lambda: GpioButtons([Wire(5, Button.ROLL, "white")], pin_factory("lgpio"), lambda: 1.0, TIMING),
        lambda: t[0],
    )
    box.listen(heard.append)
    lgpio.gone = True
    assert "gone" in box.check()[0]
    lgpio.gone = False
    t[0] = 60.0
    gc.collect()
    assert box.check() == ()
    lgpio.pull(5, 0)
    assert [type(each) for each in heard] == [Pressed]
    assert not lgpio.dead
    box.close()
    assert not lgpio.callbacks


class Chip:
    """The pins' chip, which can go away; ``opened`` counts how often it was opened."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.t, self.opened, self.gone = 0.0, 0, False
        self.heard: list[Heard] = []
        self.factory: Any = None
        monkeypatch.setattr(MockPin, "_get_state", lambda pin: self.state(pin))
        self.box = RevivedButtons(self.open, lambda: self.t)
        self.box.listen(self.heard.append)

    def state(self, pin: Any) -> bool:
        if self.gone:
            raise RuntimeError("GPIO read failed")
        return bool(pin._state)

    def open(self) -> GpioButtons:
        self.opened += 1
        self.factory = pin_factory("mock")
        if self.gone:
            raise DeviceError("buttons: no access to the pins: can not open gpiochip")
        return GpioButtons(
            [Wire(5, Button.ROLL, "white")], self.factory, lambda: self.t, TIMING, lambda: self.t
        )

    def run(self, seconds: float) -> set[tuple[str, ...]]:
        told = set()
        for _ in range(round(seconds * 10)):
            self.t += 0.1
            told.add(self.box.check())
        return told


def test_a_chip_that_goes_away_is_told_once_and_its_buttons_come_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chip = Chip(monkeypatch)
    assert chip.run(1) == {()}
    chip.gone = True
    assert chip.box.down() == ()
    told = chip.run(60)
    assert told == {("the buttons' pins are gone (GPIO read failed); they are looked for again",)}
    assert chip.box.down() == ()
    assert 5 <= chip.opened <= 12
    chip.gone = False
    chip.run(11)
    assert chip.run(1) == {()}
    chip.factory.pin("GPIO5").drive_low()
    assert [type(each) for each in chip.heard] == [Pressed]
    chip.box.close()


def test_a_box_that_cannot_be_opened_at_the_start_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> GpioButtons:
        raise DeviceError("buttons: no access")

    with pytest.raises(DeviceError, match="no access"):
        RevivedButtons(refuse)


@pytest.mark.parametrize("clock", [time.monotonic, time.time])
def test_a_press_counts_from_its_edges_whichever_clock_the_kernel_uses(clock: Callable[[], float]) -> None:
    """The callbacks of two quick presses come late and all at once."""
    box = Box(Wire(5, Button.ROLL, "white"))
    line = box.buttons._lines[0]
    box.t = 10.0
    now = clock()
    for age, state in ((0.2, 0), (0.12, 1), (0.05, 0)):
        line.changed(now - age, state)
    box.factory.pin("GPIO5").drive_low()
    box.t = 10.6
    box.buttons.check()
    assert box.heard == [Pressed(t, "white", Button.ROLL) for t in (10.0, 10.6)]
    box.buttons.close()


def test_a_thread_that_is_held_up_between_two_looks_at_clocks_makes_no_edge_older(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    steady = iter([10.0, 10.008, 10.0081, 10.0082]).__next__
    monkeypatch.setattr(time, "monotonic", iter([10.0079, 10.00815]).__next__)
    assert _when(10.006, steady) == pytest.approx(10.006, abs=TOGETHER)


PI_5_OLD = {0: "gpio-brcmstb@107d508500", 1: "gpio-brcmstb@107d508520", 4: "pinctrl-rp1", 10: ""}
PI_5_NEW = {0: "pinctrl-rp1", 10: "gpio-brcmstb@107d508500", 13: "gpio-brcmstb@107d517c20"}
PI_5_OTHER = {11: "gpio-brcmstb@107d508500", 12: "pinctrl-rp1"}
PI_4 = {0: "pinctrl-bcm2711", 1: "raspberrypi-exp-gpio"}


@pytest.mark.parametrize(
    ("chips", "header"),
    [(PI_5_OLD, 4), (PI_5_NEW, 0), (PI_5_OTHER, 12), (PI_4, 0), ({0: "gpio-sim.0"}, None), ({}, None)],
)
def test_the_headers_chip_is_found_by_its_name(
    tmp_path: Path, chips: dict[int, str], header: int | None
) -> None:
    for number, label in chips.items():
        (tmp_path / f"gpiochip{number}").write_text(label)
    (tmp_path / "gpiochipX").write_text("pinctrl-rp1")
    assert header_chip(tmp_path, Path.read_text) == header


def test_what_is_no_chip_has_no_label(tmp_path: Path) -> None:
    (tmp_path / "gpiochip0").write_text("pinctrl-rp1")
    assert chip_label(tmp_path / "gpiochip0") == ""
    assert chip_label(tmp_path / "gpiochip1") == ""
