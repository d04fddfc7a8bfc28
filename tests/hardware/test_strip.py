"""The strip's bytes against the chips' data sheets, and the current by arithmetic."""

from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.strip import WS2812_HZ, WS2812_RESET_BYTES, Budget, Colour, apa102, current, limit, ws2812

LEVELS = st.integers(0, 255)
FRAMES = st.lists(st.tuples(LEVELS, LEVELS, LEVELS), max_size=144)


def test_an_apa102_frame_is_start_then_leds_then_end_byte_for_byte() -> None:
    assert apa102([(1, 2, 3), (255, 0, 128)]) == bytes.fromhex(
        "00000000 ff030201 ff8000ff 00000000 00".replace(" ", "")
    )


def test_apa102_brightness_fills_the_low_five_bits_after_three_ones() -> None:
    heads = [apa102([(0, 0, 0)], brightness)[4] for brightness in range(32)]
    assert heads == [0b111_00000 + brightness for brightness in range(32)]


@pytest.mark.parametrize("brightness", [-1, 32])
def test_apa102_brightness_out_of_five_bits_is_refused(brightness: int) -> None:
    with pytest.raises(ValueError, match="5 bits"):
        apa102([], brightness)


@pytest.mark.parametrize("count", range(0, 600, 7))
def test_an_apa102_end_clocks_every_led_and_resets_an_sk9822(count: int) -> None:
    """Each LED delays its data by half a clock, so ``count / 2`` pulses must follow the 32 of the SK9822's
    reset; none may be a one, which an LED beyond the last would take for the head of a colour."""
    tail = apa102([(9, 9, 9)] * count)[4 + 4 * count :]
    assert not any(tail)
    assert len(tail) * 8 - 32 >= count / 2
    assert len(tail) * 8 - 32 < count / 2 + 8


def test_a_ws2812_bit_is_three_bus_bits_and_colours_go_green_red_blue_high_bit_first() -> None:
    one, zero = "110", "100"
    green, red, blue = 0b1000_0000, 0b0000_0001, 0b1010_0101
    bits = "".join(
        one if level >> shift & 1 else zero for level in (green, red, blue) for shift in range(7, -1, -1)
    )
    body = int(bits, 2).to_bytes(9, "big")
    assert ws2812([(red, green, blue)]) == bytes(1) + body + bytes(WS2812_RESET_BYTES)


@given(FRAMES)
def test_a_ws2812_stream_decodes_to_the_frame_as_the_chip_would_read_it(frame: list[Colour]) -> None:
    """The chip samples the line after about 0.6 µs: the middle one of three bus bits."""
    stream = ws2812(frame)[1:-WS2812_RESET_BYTES]
    bits = "".join(f"{byte:08b}" for byte in stream)
    assert bits[0::3] == "1" * (24 * len(frame))
    assert bits[2::3] == "0" * (24 * len(frame))
    levels = [int(bits[1::3][at : at + 8], 2) for at in range(0, 24 * len(frame), 8)]
    assert [(levels[at + 1], levels[at], levels[at + 2]) for at in range(0, len(levels), 3)] == frame


def test_ws2812_times_lie_within_the_data_sheet() -> None:
    """WS2812B: T0H 0.4, T0L 0.85, T1H 0.8, T1L 0.45 µs, each ±0.15; low for over 280 µs to latch (later
    makes; the first want 50)."""
    bit = 1e6 / WS2812_HZ
    for high, low, high_due, low_due in ((1, 2, 0.4, 0.85), (2, 1, 0.8, 0.45)):
        assert abs(high * bit - high_due) <= 0.15
        assert abs(low * bit - low_due) <= 0.15
    assert WS2812_RESET_BYTES * 8 * bit > 280


@pytest.mark.parametrize("frame", [[(256, 0, 0)], [(0, -1, 0)]])
def test_a_level_out_of_range_is_refused_by_every_encoder(frame: list[Colour]) -> None:
    for encode in (apa102, ws2812):
        with pytest.raises(ValueError):  # noqa: PT011  # bytes() words it for APA102, we for WS2812
            encode(frame)
    with pytest.raises(ValueError, match="a level is 0-255"):
        limit(frame, Budget(1000))


BUDGETS = st.builds(
    Budget, milliamps=st.floats(200, 5000), channel=st.floats(0.5, 25), idle=st.floats(0, 1), cap=LEVELS
)


@given(FRAMES, BUDGETS)
def test_no_frame_draws_more_than_the_budget_whatever_is_asked(frame: list[Colour], budget: Budget) -> None:
    shown = limit(frame, budget)
    drawn = len(frame) * Fraction(budget.idle) + sum(map(sum, shown)) * Fraction(budget.channel) / 255
    assert drawn <= Fraction(budget.milliamps)
    assert current(shown, budget) <= budget.milliamps
    assert all(
        after <= before and after <= budget.cap
        for old, new in zip(frame, shown, strict=True)
        for before, after in zip(old, new, strict=True)
    )


def test_every_state_of_a_small_strip_stays_in_the_budget() -> None:
    """All 4096 states of two LEDs at four levels a channel, under budgets from dark to full."""
    levels = (0, 85, 170, 255)
    for milliamps in (2, 3, 10, 40, 61, 122):
        budget = Budget(milliamps)
        for states in product(product(levels, repeat=3), repeat=2):
            assert current(limit(states, budget), budget) <= milliamps


@pytest.mark.parametrize("count", [1, 60, 144, 300])
def test_a_whole_strip_in_white_is_dimmed_to_just_under_the_budget(count: int) -> None:
    """Dimming wastes little: at most one level per channel, since each is rounded down by less than one."""
    budget = Budget(2000)
    shown = limit([(255, 255, 255)] * count, budget)
    drawn = current(shown, budget)
    assert drawn <= 2000
    assert shown[0][0] == 255 or drawn > 2000 - count * 3 * 20 / 255 - 0.1


def test_a_frame_within_cap_and_budget_is_shown_as_asked() -> None:
    assert limit([(10, 20, 30), (0, 0, 0)], Budget(1000)) == [(10, 20, 30), (0, 0, 0)]


def test_the_cap_holds_each_level_down_in_proportion() -> None:
    assert limit([(255, 128, 0)], Budget(1000, cap=64)) == [(64, 32, 0)]


def test_a_strip_too_long_for_its_budget_is_refused_with_the_reason() -> None:
    with pytest.raises(ValueError, match="300 dark LEDs draw 300 mA, more than the 200 mA allowed"):
        limit([(0, 0, 0)] * 300, Budget(200))


@pytest.mark.parametrize(
    "wrong",
    [
        {"milliamps": 0},
        {"milliamps": 5, "channel": 0},
        {"milliamps": 5, "idle": -1},
        {"milliamps": 5, "cap": 256},
    ],
)
def test_an_impossible_budget_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"currents|cap"):
        Budget(**wrong)
