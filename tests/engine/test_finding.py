"""A play from its steps, its result, or the board afterwards, in every game."""

from __future__ import annotations

import random

import pytest

from engine import rules as games
from engine.errors import IllegalPlay
from engine.finding import by_looks, by_result, by_steps
from engine.position import Awaits, Step
from tests.engine.playing import game


def moments(rules, number=12):
    """Positions to play from, each with some of its plays."""
    rng = random.Random(rules.name)
    found = [before for before, _, _ in game(rules, 7) if before.awaits is Awaits.PLAY]
    for position in rng.sample(found, min(number, len(found))):
        plays = position.plays()
        yield position, rng.sample(list(plays), min(5, len(plays)))


def found(search, position, what):
    """The play, or None where there are several."""
    try:
        return search(position, what)
    except IllegalPlay as error:
        if "that may be" in str(error):
            return None
        raise


@pytest.mark.parametrize("name", games.names())
def test_a_play_is_found_from_its_steps_its_result_and_its_looks(name):
    rules = games.get(name)
    for position, plays in moments(rules):
        for play in plays:
            assert by_result(position, play.after) == play
            if position.whole_looks:
                assert by_steps(position, play.steps) == play
                assert by_looks(position, play.after.looks()) == play
            else:  # what stands side by side may also be pinned: then the question comes back
                assert found(by_steps, position, play.steps) in (play, None)
                assert found(by_looks, position, play.after.looks()) in (play, None)


def opening(*dice):
    return games.get("backgammon").start({}).roll(dice)


def test_a_hit_may_be_left_out_of_the_steps():
    before = opening(2, 1).find("24/23 13/11").after.roll((6, 4))
    hit = next(play for play in before.plays() if "*" in play.text)
    assert by_steps(before, [step for step in hit.steps if step.piece == "black"]) == hit


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        ([Step("white", "p7", "p4")], "no white on p7"),
        ([Step("white", "p8", "p5")], "no legal play has the result"),
        ([], "no legal play has the result"),
    ],
)
def test_steps_that_are_no_play_are_refused(steps, reason):
    with pytest.raises(IllegalPlay, match=reason):
        by_steps(opening(3, 1), steps)


def test_a_board_that_no_play_leads_to_is_refused_with_the_cells_that_differ():
    before = opening(3, 1)
    looks = {**before.find("8/5 6/5").after.looks(), "p13": ("white",) * 4, "p12": ("white",)}
    with pytest.raises(IllegalPlay, match="differs on"):
        by_looks(before, looks)


def test_looks_that_several_plays_share_are_refused():
    with pytest.raises(IllegalPlay, match="that may be"):
        by_looks(opening(3, 1), {"p12": ("black",) * 5})


def test_nothing_is_found_where_no_play_is_awaited():
    before = games.get("backgammon").start({})
    for search in (
        lambda: by_result(before, before),
        lambda: by_looks(before, before.looks()),
        lambda: by_steps(before, []),
    ):
        with pytest.raises(IllegalPlay, match="awaited"):
            search()


def test_another_result_is_refused():
    with pytest.raises(IllegalPlay, match="leads from"):
        by_result(opening(3, 1), opening(6, 5))
