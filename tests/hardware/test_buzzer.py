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

    buzzer = GpioBuzzer(18, factory, sleep)
    buzzer.play([(880, 0.1), (0, 0.05), (440, 0.2), (30, 0.3)])
    assert heard == [(880, 0.1), (0, 0.05), (440, 0.2), (220, 0.3)]
    assert not pin.state
    buzzer.close()
    with pytest.raises(DeviceError, match="buzzer"):
        buzzer.play([(880, 0.1)])


def test_a_pin_that_has_no_tones_is_told_by_its_number() -> None:
    with pytest.raises(DeviceError, match="GPIO 18"):
        GpioBuzzer(18, MockFactory())
