"""IceGammon's search against brute force over the plays of a second implementation (``reference_icegammon``).

Evidence is totalled here over the results in JSON, by the words of the rulings (what a camera sees is the top
layer), so neither the engine's plays nor its looks vouch for the search.
"""

import random
from dataclasses import replace
from functools import cache

import pytest

from engine.judge import FAR, judge, likeliest
from engine.layout import differing
from engine.rules import get
from tests.engine import reference_icegammon as reference
from tests.engine.ice_boards import scattered, walled
from tests.engine.test_icegammon_judge import CAMERAS, blurred, spoiled
from tests.fouls import distance

RULES = get("icegammon")
MANY = 150
"""Plays: of more, the reference takes too long."""


def shown(result):
    """What a camera sees of a result in JSON: the top layers, and the bar."""
    looks = {f"p{point}": () for point in range(1, 25)}
    for point, pile in result["points"].items():
        side, sizes = pile[-1]
        looks[f"p{point}"] = tuple(sorted(f"{side}.{size}" for size in sizes))
    for side in ("white", "black"):
        looks[f"bar.{side}"] = tuple(sorted(f"{side}.{size}" for size in result["bar"][side]))
    return looks


def to_play(rng, kind):
    """A position that awaits a play. Full doubles are left to boards with few pieces free to move, where
    brute force gets through them."""
    few = kind in ("walled", "bearing off")
    while True:
        data = walled(rng) if kind == "walled" else scattered(rng, home=0.9 if few else 0.1)
        if not few or rng.random() < 0.5:
            number = rng.randint(1, 6)
            data["stage"] = {
                "number": number,
                "left": rng.randint(1, 4 if few else 2),
                "then": rng.choice((None, 7 - number)),
            }
        if not few and rng.random() < 0.6:
            del data["stage"]
        position = RULES.read(data)
        if position.turn and position.dice_due:
            position = position.roll(
                tuple(rng.randint(1, 6) for _ in range(3)) if few else tuple(rng.sample(range(1, 7), 3))
            )
        if position.turn:
            return position


@cache
def cases(kind, number=80):
    """Positions; all that a camera could see of their results by the reference; evidence of a result, or of a
    board nobody can reach."""
    rng, found = random.Random(kind), []
    while len(found) < number:
        position = to_play(rng, kind)
        plays = position.plays()
        if not 0 < len(plays) < MANY:
            continue
        results, _ = reference.answer(position.to_json(), position.dice)
        after = [shown(reference.json.loads(result)) for result in results]
        looks = rng.choice(after)
        if rng.random() < 0.6:
            looks = spoiled(looks, rng)
        found.append((position, after, blurred(looks, rng, *rng.choice(list(CAMERAS.values())))))
    return found


KINDS = ["scattered", "walled", "bearing off"]


@pytest.mark.parametrize("kind", KINDS)
def test_no_play_of_the_reference_is_liked_better_than_the_first_found(kind):
    for position, after, evidence in cases(kind):
        best = max(evidence.total(looks) for looks in after)
        score, play = position.nearest(evidence)[0]
        assert score == pytest.approx(best), str(position)
        assert evidence.total(play.after.looks()) == pytest.approx(best)
        assert play.after.looks() in after


@pytest.mark.parametrize("kind", KINDS)
def test_a_foul_is_shown_against_the_nearest_play_of_the_reference(kind):
    for position, after, blur in cases(kind):
        evidence = replace(blur, caution=0.0)  # whatever is far enough ahead is a foul, so that many are
        seen, top, _ = likeliest(position, evidence)
        verdict = judge(position, evidence)
        illegal = max(evidence.total(looks) for looks in after) <= top - FAR
        assert (verdict.kind == "illegal") == illegal, str(position)
        if illegal:
            shown_against = verdict.play.after.looks()
            nearest = min((len(differing(seen, looks)), distance(seen, looks)) for looks in after)
            assert (len(verdict.cells), distance(seen, shown_against)) == nearest, str(position)
            assert verdict.gap == pytest.approx(top - evidence.total(shown_against))
