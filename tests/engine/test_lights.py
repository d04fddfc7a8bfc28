"""What shines, and that nothing is told by colour alone."""

from __future__ import annotations

import pytest

from engine.clock import Control, Kind
from engine.lights import DIM, DOUBT, GOOD, MOVE, WRONG, Light, Pattern, lights
from engine.match import Terms
from engine.session import Session
from tests.engine.sitting import Sitting
from tests.engine.situations import SITUATIONS, foul, offered, opening, over, paused, play, resigned, roll

pytestmark = pytest.mark.usefixtures("footrace")


def test_nothing_shines_before_a_match() -> None:
    assert lights(Session()) == {}


def test_both_players_are_called_to_the_opening_roll() -> None:
    shown = lights(opening().session)
    assert shown["player.white"] == shown["player.black"] == Light(MOVE, Pattern.PULSE)


def test_the_cells_of_a_foul_blink_until_it_is_mended() -> None:
    sitting = foul()
    shown = lights(sitting.session)
    assert shown["p7"] == shown["p3"] == shown["player.white"] == Light(WRONG, Pattern.BLINK)
    assert "p8" not in shown
    sitting.done("8/3")
    assert not [place for place in lights(sitting.session) if place.startswith("p") and place[1:].isdigit()]


def test_the_cells_in_doubt_pulse() -> None:
    sitting = Sitting(position={"togo": [[8, 6], [8, 8]], "turn": "white"})
    sitting.roll(2)
    sitting.press("done")
    shown = lights(sitting.session)
    assert {place for place, light in shown.items() if light == Light(DOUBT, Pattern.PULSE)} == {"p8", "p6", "p4", "player.white"}


def test_the_dice_shine_at_the_side_on_turn() -> None:
    shown = lights(play().session)
    assert {place for place in shown if place.startswith("dice")} == {"dice.white.5", "dice.white.3"}


def test_a_face_rolled_twice_pulses() -> None:
    sitting = Sitting(rules="backgammon")
    sitting.roll(5, 3)
    sitting.done()
    sitting.roll(4, 4)
    assert lights(sitting.session)["dice.black.4"].pattern is Pattern.PULSE


def test_a_double_blinks_at_the_other_side_and_nowhere_else() -> None:
    shown = lights(offered().session)
    assert {place: light for place, light in shown.items() if place.startswith("cube")} == {"cube.white": Light(DOUBT, Pattern.BLINK)}
    assert shown["player.white"] == Light(DOUBT, Pattern.BLINK)
    assert "player.black" not in shown


def test_the_cube_lies_in_the_middle_or_at_its_owner() -> None:
    assert lights(roll().session)["cube"] == Light(DIM)
    sitting = offered()
    sitting.press("take", "white")
    shown = lights(sitting.session)
    assert shown["cube.white"] == Light(DIM)
    assert "cube" not in shown


def test_the_cube_is_dark_in_the_crawford_game() -> None:
    sitting = Sitting(terms=Terms(length=1))
    assert "cube" not in lights(sitting.session)


def test_a_resignation_calls_the_other_side() -> None:
    assert lights(resigned().session)["player.white"] == Light(DOUBT, Pattern.BLINK)


def test_the_winner_shines_after_the_game_and_both_after_a_tie() -> None:
    assert lights(over().session) == {"player.white": Light(GOOD)}
    sitting = Sitting(options={"tie": True})
    sitting.roll(5, 3)
    sitting.win("white")
    assert set(lights(sitting.session)) == {"player.white", "player.black"}


def test_a_paused_game_breathes_dimly() -> None:
    assert lights(paused().session)["player.white"] == Light(DIM, Pattern.PULSE)


def test_the_lamp_of_a_player_low_on_time_warns() -> None:
    sitting = Sitting(clock=Control(Kind.DELAY, 12.0, 60.0))
    sitting.roll(5, 3)
    assert lights(sitting.session, sitting.t + 30.0)["player.white"] == Light(MOVE)
    assert lights(sitting.session, sitting.t + 60.0)["player.white"] == Light(WRONG, Pattern.PULSE)


def test_no_two_meanings_of_a_place_differ_by_colour_alone() -> None:
    """Over all situations, a place's pattern tells what its colour tells: wrong and doubt, for one, never look alike."""
    cells = {light for make in SITUATIONS.values() for place, light in lights(make().session).items() if place[1:].isdigit()}
    patterns = {light.pattern: light.colour for light in cells}
    assert len(patterns) == len(cells)
