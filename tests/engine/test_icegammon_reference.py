"""IceGammon against a second implementation (``reference_icegammon``): the same results and outcomes, however
odd the board."""

import json
import random

import pytest

from engine.rules import get
from tests.engine import reference_icegammon as reference
from tests.engine.ice_boards import games, scattered, walled

pytestmark = pytest.mark.long

RULES = get("icegammon")


def answered(position):
    """Results and outcomes in the reference's words. ``stuck`` is ours to say who could not move; the outcome
    tells the same."""
    results = {}
    for play in position.plays():
        data = play.after.to_json()
        name = json.dumps(
            {key: value for key, value in data.items() if key not in ("rules", "stuck")}, sort_keys=True
        )
        assert name not in results
        results[name] = play.after.outcome and play.after.outcome.to_json()
    return results, position.outcome and position.outcome.to_json()


def compare(position, dice):
    data = position.to_json()
    rolled = position.roll(dice) if position.dice_due else position
    assert answered(rolled) == reference.answer(data, dice)
    return rolled


def different(rng):
    return tuple(rng.sample(range(1, 7), 3))


@pytest.mark.parametrize("seed", range(4))
def test_three_different_dice_on_any_board(seed):
    rng = random.Random(seed)
    played = 0
    for _ in range(12):
        position = RULES.read(scattered(rng))
        if position.turn:
            played += len(compare(position, different(rng)).plays())
    assert played > 100


@pytest.mark.parametrize("seed", range(4))
def test_any_dice_against_walls(seed):
    rng = random.Random(seed)
    ends = {"stuck": 0, "stuck after doubles": 0, "played": 0}
    for _ in range(200):
        rolled = compare(RULES.read(walled(rng)), tuple(rng.randint(1, 6) for _ in range(3)))
        outcomes = [play.after.outcome for play in rolled.plays()]
        ends["stuck"] += rolled.outcome is not None
        ends["stuck after doubles"] += any(outcome and outcome.winner != rolled.turn for outcome in outcomes)
        ends["played"] += None in outcomes
    assert all(ends.values())


@pytest.mark.parametrize("seed", range(4))
def test_stages_of_one_and_two_moves_on_any_board(seed):
    rng = random.Random(seed)
    lost = 0
    for _ in range(30):
        data = walled(rng) if rng.random() < 0.5 else scattered(rng)
        number = rng.randint(1, 6)
        data["stage"] = {"number": number, "left": rng.randint(1, 2), "then": rng.choice((None, 7 - number))}
        position = RULES.read(data)
        if position.turn:
            compare(position, ())
        elif position.to_json().get("stuck"):
            lost += 1
            assert position.outcome.to_json() == reference.answer(data, ())[1]
    assert lost


@pytest.mark.parametrize("seed", range(4))
def test_doubles_with_few_pieces_left_to_bear_off(seed):
    rng = random.Random(seed)
    won = 0
    for _ in range(25):
        position = RULES.read(scattered(rng, home=1.0))
        if position.turn:
            number = rng.randint(1, 6)
            rolled = compare(position, (number, number, rng.randint(1, 6)))
            won += any(
                play.after.outcome and play.after.outcome.winner == position.turn for play in rolled.plays()
            )
    assert won


def test_doubles_on_crowded_boards():
    rng = random.Random(8)
    compared = 0
    while compared < 3:
        position = RULES.read(scattered(rng))
        number = rng.randint(1, 6)
        if (
            position.turn
            and position.roll((number,) * 3).plays()
            and len(position.roll((number,) * 3).plays()) < 150
        ):
            compare(position, (number,) * 3)
            compared += 1


def test_positions_met_in_random_games():
    rng = random.Random(9)
    compared = 0
    for position, plays, _ in games(rng, RULES, 120):
        if len(plays) < 40:
            assert answered(position) == reference.answer(position.to_json(), position.dice)
            compared += 1
    assert compared > 10
