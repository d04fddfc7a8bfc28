"""The guides find what is wrong with buttons, lamps and camera, from what hands do and eyes say."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.events import Button
from firmware.errors import BadInput
from firmware.guided.button_guide import SETTLE, STUCK, ButtonGuide, How, exchanged
from firmware.guided.lamp_guide import LampGuide, LampQuestion, stretches
from firmware.guided.waving import Waving
from firmware.settings.config import Config
from hardware.buttons import Wire
from hardware.strip import OFF

ROLL, DONE, TAKE = (
    Wire(5, Button.ROLL, "white"),
    Wire(6, Button.DONE, "white"),
    Wire(13, Button.TAKE, "white"),
)


def press(guide: ButtonGuide, t: float, wire: Wire) -> float:
    """One clean press; returns when it has been judged."""
    guide.hear(t, wire)
    guide.look(t + 0.05, [wire.name])
    guide.look(t + SETTLE, [])
    return t + 1


def test_each_button_that_answers_once_is_well() -> None:
    guide, t = ButtonGuide([ROLL, DONE, TAKE]), 0.0
    guide.look(t, [])
    while guide.asked is not None:
        t = press(guide, t, guide.asked)
    assert [(each.wire, each.how) for each in guide.outcomes] == [
        (wire, How.WELL) for wire in (ROLL, DONE, TAKE)
    ]


def test_a_slip_of_the_hand_is_told_and_forgotten() -> None:
    guide = ButtonGuide([ROLL, DONE])
    guide.look(0, [])
    press(guide, 1, DONE)
    assert guide.other == DONE
    assert guide.asked == ROLL
    press(guide, 2, ROLL)
    assert guide.outcomes[0].how is How.WELL
    assert guide.other is None


def test_two_buttons_that_answer_for_each_other_have_exchanged_wires() -> None:
    guide, heard_as = ButtonGuide([ROLL, TAKE, DONE]), {ROLL: DONE, DONE: ROLL, TAKE: TAKE}
    guide.look(0, [])
    for t in range(3):
        asked = guide.asked
        assert asked is not None
        press(guide, t, heard_as[asked])
        if guide.asked == asked:
            guide.skip()
    assert [each.how for each in guide.outcomes] == [How.OTHER, How.WELL, How.OTHER]
    assert exchanged(guide.outcomes) == [(ROLL, DONE)]


def test_a_press_that_counts_twice_bounces_and_one_that_stays_down_is_stuck() -> None:
    guide = ButtonGuide([ROLL, DONE, TAKE])
    guide.look(0, [TAKE.name])  # down before anybody pressed
    guide.hear(1, ROLL)
    guide.hear(1 + SETTLE / 2, ROLL)
    guide.look(1 + SETTLE, [])
    guide.hear(3, DONE)
    guide.look(3 + STUCK - 0.1, [DONE.name])
    assert guide.asked == DONE
    assert guide.pressed
    guide.look(3 + STUCK, [DONE.name])
    assert [(each.wire, each.how) for each in guide.outcomes] == [
        (TAKE, How.STUCK),
        (ROLL, How.BOUNCES),
        (DONE, How.STUCK),
    ]


def test_a_button_that_chatters_is_told_though_its_presses_are_withheld() -> None:
    guide = ButtonGuide([ROLL])
    guide.look(0, [], [f"the button {ROLL.name} is chattering; is it jammed, or its wire loose?"])
    guide.skip()
    assert guide.outcomes[0].how is How.BOUNCES


MAP = Config().strip.map


def see(guide: LampGuide, seen_at: dict[int, str], works: int | None = None) -> None:
    """Answers truly for a strip of which LED n is seen at ``seen_at[n]``, and the first ``works`` shine."""
    works = guide.count if works is None else works
    while (asked := guide.question) is not None:
        lit = [[led for led in leds if led < works] for leds in asked.leds]
        if asked.kind == "where":
            places = {seen_at[led] for led in lit[0] if led in seen_at}
            guide.answer(min(places) if places else "0")
        elif asked.kind == "run":
            ran = [{seen_at.get(led, "") for led in leds} for leds in lit]
            guide.answer("yes" if ran == [{place} for place in asked.places] else "no")
        elif asked.kind == "any":
            guide.answer("yes" if lit[0] else "no")
        else:
            guide.answer("yes" if len(lit[0]) == len(asked.leds[0]) else "no")


WHERE = {led: place for place, leds in MAP.items() for led in leds}


def test_a_strip_as_configured_has_no_faults_and_few_questions() -> None:
    guide = LampGuide(MAP, 72)
    asked = guide.left
    see(guide, WHERE)
    assert guide.faults == []
    assert guide.corrected() == {}
    assert asked < 20


@given(st.integers(0, 71))
def test_the_number_of_leds_is_found_by_halving(works: int) -> None:
    guide = LampGuide({"p1": (0,)}, 72)
    see(guide, WHERE, works)
    assert [each.number for each in guide.faults if each.kind == "count"] == [works]


@given(st.permutations([f"p{n}" for n in range(1, 7)]))
def test_any_order_of_six_points_becomes_a_map_that_is_right(places: list[str]) -> None:
    guide = LampGuide({f"p{n}": (n - 1,) for n in range(1, 7)}, 6)
    see(guide, dict(enumerate(places)))
    assert {**guide.map, **guide.corrected()} == {place: (led,) for led, place in enumerate(places)}


def test_what_is_no_answer_is_refused_and_asked_again() -> None:
    guide = LampGuide(MAP, 72)
    before = guide.question
    with pytest.raises(BadInput, match="yes or no"):
        guide.answer("perhaps")
    assert guide.question == before
    while guide.question is not None and guide.question.kind != "run":
        guide.answer("yes")
    guide.answer("no")
    with pytest.raises(BadInput, match="no place p99"):
        guide.answer("p99")


def test_every_place_of_the_map_is_shown_once() -> None:
    runs = stretches(MAP)
    assert [place for places in runs for place in places] == list(MAP)
    assert runs[0] == ("p1", "p2", "p3", "p4", "p5", "p6")
    assert ("bar.first", "bar.second") in runs


def test_a_run_goes_from_place_to_place_and_pauses() -> None:
    run = LampQuestion("run", ("p1", "p2"), ((0,), (1,)))
    lit = [[led for led, colour in enumerate(run.frame(t, 3)) if colour != OFF] for t in (0, 0.8, 1.5, 2.2)]
    assert lit == [[0], [1], [], [0]]


@settings(max_examples=20)
@given(st.integers(0, 2), st.integers(0, 2), st.floats(0.5, 1.5))
def test_a_hand_is_seen_where_it_is_and_a_lamp_that_changes_is_none(
    row: int, column: int, bright: float
) -> None:
    board = np.random.default_rng(22).integers(60, 120, (480, 640, 3)).astype(np.uint8)
    waving = Waving()
    assert waving.look(board) is None
    assert waving.look(board) is None
    hand = board.copy()
    hand[row * 160 + 40 : row * 160 + 130, column * 213 + 50 : column * 213 + 160] = 220
    seen = waving.look(hand)
    assert seen is not None
    assert (seen.down, seen.across) == (("top", "middle", "bottom")[row], ("left", "middle", "right")[column])
    waving.look(board)
    grown = np.clip(board.astype(np.float32) + 30 * (bright - 1), 0, 255).astype(np.uint8)
    assert waving.look(grown) is None
