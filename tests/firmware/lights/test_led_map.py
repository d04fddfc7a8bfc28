"""The map from places to LEDs, and patterns over time."""

import pytest

from engine.events import Begin, Button, Press, Roll
from engine.lamp_signals import WRONG, Light, Pattern, signals
from engine.session import Session
from firmware.lights.led_map import BLINK, LOW, PULSE, TUMBLE, TURNS_OVER, LedMap, blinking, level, tumbling
from firmware.settings.config import Config
from hardware.strip import OFF, current, limit


def begun(rules: str = "backgammon") -> Session:
    return Session().handle(Begin(t=0, rules=rules))[0]


def test_a_blink_goes_out_and_a_pulse_never_does() -> None:
    times = [step / 100 for step in range(400)]
    assert {level(Pattern.BLINK, t) for t in times} == {0.0, 1.0}
    assert LOW - 1e-9 <= min(level(Pattern.PULSE, t) for t in times) <= LOW + 0.01
    assert {level(Pattern.STEADY, t) for t in times} == {1.0}
    assert level(Pattern.PULSE, 0) == level(Pattern.PULSE, PULSE) == 1.0
    assert 1 / BLINK < 3


def test_dice_shine_on_the_lamps_of_the_side_on_turn() -> None:
    session, _ = begun().handle(Roll(t=1, dice=(6, 3), side="white"))
    strip = Config().strip
    frame = LedMap.of(strip.map, strip.count, ("white", "black")).frame(signals(session, 1), 1)
    assert [led for led in range(42, 54) if frame[led] != OFF] == [44, 47]
    assert all(frame[led] != OFF for led in range(28, 32))
    assert all(frame[led] == OFF for led in range(32, 36))


def test_dice_tumble_and_then_show_their_faces_as_spots() -> None:
    session, _ = begun().handle(Roll(t=1, dice=(6, 3), side="white"))
    strip = Config().strip
    lamps = LedMap.of(strip.map, strip.count, ("white", "black"))

    def spots(t: float) -> tuple[str, str]:
        frame = lamps.frame(signals(session, t, tumbling(session, t - 1.0)), t)
        lit = "".join("x" if frame[led] != OFF else "." for led in range(54, 68))
        return lit[:7], lit[7:]

    shown = [spots(1 + TUMBLE * step / 60) for step in range(60)]
    assert len(set(shown)) == TURNS_OVER
    assert ("xxx.xxx", "x..x..x") not in (shown[0], shown[-1])
    assert [spots(1 + TUMBLE), spots(99)] == [("xxx.xxx", "x..x..x")] * 2
    assert {spot.count("x") for pair in shown for spot in pair} <= set(range(1, 7))


def test_a_double_blinks_at_the_side_that_is_asked() -> None:
    session = begun()
    for event in (Roll(t=1, dice=(6, 3), side="white"), Press(t=2, button=Button.RESIGN, side="white")):
        session, _ = session.handle(event)
    lamps = LedMap.of({"player.first": [0], "player.second": [1]}, 2, ("white", "black"))
    assert [lamps.frame(signals(session, t), t)[1] != OFF for t in (0.0, 0.3, 0.6)] == [True, False, True]
    assert lamps.frame(signals(session, 0), 0)[0] == OFF


@pytest.mark.parametrize("t", [0.0, 0.3, 77.4, 1e6 + 0.26])
def test_a_blink_begins_lit_whenever_it_begins(t: float) -> None:
    session = begun()
    for event in (Roll(t=t, dice=(6, 3), side="white"), Press(t=t, button=Button.RESIGN, side="white")):
        session, _ = session.handle(event)
    lamps = LedMap.of({"player.second": [0]}, 1, ("white", "black"))
    assert blinking(signals(session, t)) == {"player.black"}
    assert lamps.frame(signals(session, t), 0)[0] != OFF
    assert lamps.frame(signals(session, t + 0.3), 0.3)[0] == OFF


@pytest.mark.parametrize(
    ("cell", "leds"), [("hex.0,0", [0, 10]), ("hex.-1,2", [2, 10]), ("hex.2,3", [3, 13]), ("p1", [])]
)
def test_a_hexagonal_cell_shines_by_its_row_and_its_column(cell: str, leds: list[int]) -> None:
    lamps = LedMap({f"row.{n}": [n] for n in range(4)} | {f"column.{n}": [10 + n] for n in range(4)}, 20)
    assert list(lamps._of(cell)) == leds


def test_several_wrong_cells_of_a_map_are_pointed_at_one_after_the_other() -> None:
    wrong = {cell: Light(WRONG, Pattern.BLINK) for cell in ("hex.0,0", "hex.2,3")}
    lamps = LedMap({f"row.{n}": [n] for n in range(4)} | {f"column.{n}": [10 + n] for n in range(4)}, 20)
    lit = [
        [led for led, colour in enumerate(lamps.frame(wrong, after)) if colour != OFF]
        for after in (0.0, 0.3, 0.5, 1.0, 1.3, 2.0)
    ]
    assert lit == [[0, 10], [], [0, 10], [3, 13], [], [0, 10]]


def test_the_default_strip_stays_within_its_budget_in_white_everywhere() -> None:
    strip = Config().strip
    assert current(limit([(255, 255, 255)] * strip.count, strip.budget), strip.budget) <= strip.milliamps
