"""The strip on its bus: whole frames within the budget, and a bus that may come and go."""

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.lights import SpiStrip, spi
from hardware.protocols import DeviceError, DeviceLost, Lights
from hardware.strip import OFF, Budget, Colour, apa102, current, limit, ws2812

BUDGET = Budget(200.0, cap=200)
WHITE: Colour = (255, 255, 255)


class Wire:
    """A bus that keeps what was sent, and can be pulled out."""

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.there = True
        self.opened = 0
        self.closed = 0

    def open(self) -> "Wire":
        if not self.there:
            raise FileNotFoundError(2, "No such file or directory")
        self.opened += 1
        return self

    def writebytes2(self, data: bytes) -> None:
        if not self.there:
            raise OSError(108, "Cannot send after transport endpoint shutdown")
        self.sent.append(data)

    def close(self) -> None:
        self.closed += 1
        if not self.there:
            raise OSError(9, "Bad file descriptor")


@pytest.fixture
def wire() -> Wire:
    return Wire()


def test_the_strip_keeps_the_protocol_and_opens_its_bus_with_the_first_frame(wire: Wire) -> None:
    strip: Lights = SpiStrip("apa102", 3, BUDGET, wire.open)
    assert (strip.count, wire.opened) == (3, 0)
    strip.show([OFF] * 3)
    assert wire.opened == 1


@pytest.mark.parametrize(("kind", "encode"), [("apa102", apa102), ("ws2812", ws2812)])
def test_what_is_sent_is_the_encoded_frame_within_the_budget(
    wire: Wire, kind: str, encode: Callable[[Sequence[Colour]], bytes]
) -> None:
    SpiStrip(kind, 10, BUDGET, wire.open).show([WHITE] * 10)
    assert wire.sent == [encode(limit([WHITE] * 10, BUDGET))]


@given(st.lists(st.tuples(*[st.integers(0, 255)] * 3), min_size=10, max_size=10))
def test_no_frame_ever_draws_more_than_the_budget(frame: Sequence[Colour]) -> None:
    wire = Wire()
    SpiStrip("apa102", 10, BUDGET, wire.open).show(frame)
    body = wire.sent[0][4:44]
    assert (
        current([(body[at + 3], body[at + 2], body[at + 1]) for at in range(0, 40, 4)], BUDGET)
        <= BUDGET.milliamps
    )


def test_a_bus_that_goes_away_is_told_and_opened_again_when_it_is_back(wire: Wire) -> None:
    strip = SpiStrip("apa102", 1, BUDGET, wire.open)
    strip.show([OFF])
    wire.there = False
    for _ in range(2):
        with pytest.raises(DeviceLost, match="strip"):
            strip.show([WHITE])
    wire.there = True
    strip.show([WHITE])
    assert (wire.opened, wire.closed, len(wire.sent)) == (2, 1, 2)


def test_closing_darkens_the_strip_even_where_the_bus_is_gone(wire: Wire) -> None:
    strip = SpiStrip("apa102", 1, BUDGET, wire.open)
    strip.show([WHITE])
    strip.close()
    assert wire.sent[-1] == apa102([OFF])
    strip.show([WHITE])
    wire.there = False
    strip.close()
    assert wire.closed == 2


def test_a_frame_of_another_length_is_refused(wire: Wire) -> None:
    with pytest.raises(ValueError, match="not 2"):
        SpiStrip("apa102", 1, BUDGET, wire.open).show([OFF, OFF])


def test_a_strip_whose_frame_the_kernel_would_cut_is_refused_with_the_cure(wire: Wire) -> None:
    with pytest.raises(DeviceError, match=r"spidev\.bufsiz="):
        SpiStrip("ws2812", 500, Budget(2000), wire.open, buffer=4096)
    SpiStrip("apa102", 500, Budget(2000), wire.open, buffer=512)


def test_without_spidev_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "spidev", None)
    with pytest.raises(DeviceError, match="python3-spidev"):
        spi(0, 0, 4_000_000)()
