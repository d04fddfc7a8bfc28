"""The buzzer: what it plays on its pin, and what it says where there is none."""

import pytest
from gpiozero.pins.mock import MockFactory, MockPWMPin

from hardware.buzzer import GpioBuzzer
from hardware.protocols import DeviceError


def test_it_plays_its_notes_in_order_and_falls_silent() -> None:
    factory = MockFactory(pin_class=MockPWMPin)
    pin = factory.pin(18)
    heard: list[tuple[float, float]] = []

    def sleep(seconds: float) -> None:
        heard.append((round(pin.frequency or 0) if pin.state else 0, seconds))

    buzzer = GpioBuzzer(18, lambda: factory, sleep)
    buzzer.play([(880, 0.1), (0, 0.05), (440, 0.2), (30, 0.3)])
    assert heard == [(880, 0.1), (0, 0.05), (440, 0.2), (220, 0.3)]
    assert not pin.state
    buzzer.close()


def test_a_pin_that_was_lost_with_its_chip_is_opened_again_for_a_later_tune(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The button box closes all pins of gpiozero's, in whichever factory, when the chip goes away."""
    chips = [MockFactory(pin_class=MockPWMPin), MockFactory(), MockFactory(pin_class=MockPWMPin)]
    made = iter(chips)
    buzzer = GpioBuzzer(18, lambda: next(made), lambda seconds: None)
    buzzer.play([(880, 0.1)])

    def gone(frequency: float | None) -> None:
        if frequency is not None:
            raise OSError("the chip is gone")

    monkeypatch.setattr(chips[0].pin(18), "_set_frequency", gone)
    for words in ("the chip is gone", "GPIO 18 cannot be had"):
        with pytest.raises(DeviceError, match=words):
            buzzer.play([(880, 0.1)])
    buzzer.play([(880, 0.1)])
    buzzer.close()


def test_a_pin_that_has_no_tones_is_told_by_its_number() -> None:
    with pytest.raises(DeviceError, match="GPIO 18"):
        GpioBuzzer(18, MockFactory)
