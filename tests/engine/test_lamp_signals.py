"""What shines, and that nothing is told by colour alone."""

from __future__ import annotations

from typing import Any

import pytest

from engine import rules as games
from engine.clock import Control, Timing
from engine.lamp_signals import DIM, DOUBT, GOOD, MOVE, OWED, WRONG, Light, Pattern, signals
from engine.match import Terms
from engine.session import Session
from tests.engine.sitting import Sitting
from tests.engine.situations import SITUATIONS, foul, offered, opening, over, paused, play, resigned, roll

pytestmark = pytest.mark.usefixtures("footrace")


def test_nothing_shines_before_a_match() -> None:
    assert signals(Session()) == {}


def test_both_players_are_called_to_the_opening_roll() -> None:
    shown = signals(opening().session)
    assert shown["player.white"] == shown["player.black"] == Light(MOVE, Pattern.PULSE)


def test_the_cells_of_a_foul_blink_until_it_is_mended() -> None:
    sitting = foul()
    shown = signals(sitting.session)
    assert shown["p7"] == shown["p3"] == shown["player.white"] == Light(WRONG, Pattern.BLINK)
    assert "p8" not in shown
    sitting.done("8/3")
    assert not [place for place in signals(sitting.session) if place.startswith("p") and place[1:].isdigit()]


def test_a_foul_is_one_in_a_pause_too() -> None:
    sitting = foul()
    sitting.press("pause")
    assert signals(sitting.session)["p7"] == Light(WRONG, Pattern.BLINK)


def test_the_cells_in_doubt_pulse() -> None:
    sitting = Sitting(position={"togo": [[8, 6], [8, 8]], "turn": "white"})
    sitting.roll(2)
    sitting.press("done")
    shown = signals(sitting.session)
    assert {place for place, light in shown.items() if light == Light(DOUBT, Pattern.PULSE)} == {
        "p8",
        "p6",
        "p4",
        "player.white",
    }


def test_the_dice_shine_at_the_side_on_turn() -> None:
    shown = signals(play().session)
    assert {place for place in shown if place.startswith("dice")} == {"dice.white.5", "dice.white.3"}


def test_a_face_rolled_twice_pulses() -> None:
    sitting = Sitting(rules="backgammon")
    sitting.roll(5, 3)
    sitting.done()
    sitting.roll(4, 4)
    assert signals(sitting.session)["dice.black.4"].pattern is Pattern.PULSE


def test_a_double_blinks_at_the_other_side_and_nowhere_else() -> None:
    shown = signals(offered().session)
    assert {place: light for place, light in shown.items() if place.startswith("cube")} == {
        "cube.white": Light(DOUBT, Pattern.BLINK)
    }
    assert shown["player.white"] == Light(DOUBT, Pattern.BLINK)
    assert "player.black" not in shown


def test_the_cube_lies_in_the_middle_or_at_its_owner() -> None:
    assert signals(roll().session)["cube"] == Light(DIM)
    sitting = offered()
    sitting.press("take", "white")
    shown = signals(sitting.session)
    assert shown["cube.white"] == Light(DIM)
    assert "cube" not in shown


def test_the_cube_is_dark_in_the_crawford_game() -> None:
    sitting = Sitting(terms=Terms(length=1))
    assert "cube" not in signals(sitting.session)


def test_a_resignation_calls_the_other_side() -> None:
    assert signals(resigned().session)["player.white"] == Light(DOUBT, Pattern.BLINK)


def test_the_winner_shines_after_the_game_and_both_after_a_tie() -> None:
    assert signals(over().session) == {"player.white": Light(GOOD)}
    sitting = Sitting(options={"tie": True})
    sitting.roll(5, 3)
    sitting.win("white")
    assert set(signals(sitting.session)) == {"player.white", "player.black"}


def test_a_paused_game_breathes_dimly() -> None:
    assert signals(paused().session)["player.white"] == Light(DIM, Pattern.PULSE)


def test_the_lamp_of_a_player_low_on_time_warns() -> None:
    sitting = Sitting(clock=Control(Timing.DELAY, 12.0, 60.0))
    sitting.roll(5, 3)
    assert signals(sitting.session, sitting.t + 30.0)["player.white"] == Light(MOVE)
    assert signals(sitting.session, sitting.t + 60.0)["player.white"] == Light(WRONG, Pattern.PULSE)


def test_no_two_meanings_of_a_place_differ_by_colour_alone() -> None:
    """Over all situations, a place's pattern tells what its colour tells: wrong and doubt, for one, never
    look alike."""
    cells = {
        light
        for make in SITUATIONS.values()
        for place, light in signals(make().session).items()
        if place[1:].isdigit()
    }
    patterns = {light.pattern: light.colour for light in cells}
    assert len(patterns) == len(cells)


def test_a_number_owed_from_a_roll_of_before_pulses_in_a_colour_of_its_own() -> None:
    data = {
        "rules": "icegammon",
        "turn": "white",
        "points": {"20": [["white", [1, 2, 3]]]},
        "stage": {"number": 3, "left": 4, "then": None},
    }
    sitting = Sitting(
        rules="icegammon", position=games.get("icegammon").read(data | supplies(data)).to_json()
    )
    shown = signals(sitting.session)
    assert {place: light for place, light in shown.items() if place.startswith("dice")} == {
        "dice.white.3": Light(OWED, Pattern.PULSE)
    }
    assert sitting.session.waiting == "white must play and press done; 4 moves of 3 must still be played (9)"


def supplies(data: dict[str, Any]) -> dict[str, Any]:
    """The hands of an IceGammon position: whatever does not stand on the board."""
    every = [size for size in (1, 2, 3) for _ in range(5)]
    placed = [
        size
        for layers in data["points"].values()
        for side, sizes in layers
        for size in sizes
        if side == "white"
    ]
    left = list(every)
    for size in placed:
        left.remove(size)
    return {
        "hand": {"white": left, "black": every},
        "bar": {"white": [], "black": []},
        "off": {"white": [], "black": []},
    }


def test_pieces_that_no_camera_sees_are_counted_by_lamps() -> None:
    sitting = Sitting(rules="siegegammon")
    shown = signals(sitting.session)
    assert [place for place in shown if place.startswith("reserve.white")] == [
        f"reserve.white.{n}" for n in range(1, 16)
    ]
    assert not [place for place in shown if place.startswith("locked")]


def test_who_cannot_play_in_full_is_told_why_he_has_lost() -> None:
    rules = games.get("icegammon")
    data = {
        "rules": "icegammon",
        "turn": "white",
        "points": {f"{n}": [["black", [1, 2]]] for n in range(19, 25)},
    }
    held = {
        "hand": {"white": [1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3], "black": []},
        "bar": {"white": [], "black": []},
    }
    blocked = {
        str(19 + n): [["black", sizes]]
        for n, sizes in enumerate(([3, 3], [3, 3], [3, 2], [2, 2], [2, 2], [1, 1, 1, 1, 1]))
    }
    position = rules.read(data | held | {"points": blocked, "off": {"white": [], "black": []}})
    stuck = position.roll((1, 2, 3))
    assert stuck.outcome is not None
    assert stuck.says().startswith("white has lost: no choice")


def test_the_last_roll_is_announced() -> None:
    rules = games.get("zombie")
    data = rules.start({"last_roll": True}).to_json()
    final = rules.read(
        data
        | {
            "turn": "black",
            "points": {"24": -1},
            "off": [15, 14],
            "bar": [0, 0],
            "last_roll": {"first": "white", "final": True},
        }
    )
    assert final.says() == "this is black's last roll"
    assert rules.start({}).says() == ""
