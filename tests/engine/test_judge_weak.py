"""What weak pictures do to the judge: nothing, in every game. Strong ones are judged in the contract
suite."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from engine import rules as games
from engine.evidence import Evidence
from engine.judge import Kind, judge
from engine.layout import EMPTY
from engine.position import Awaits
from tests.engine.playing import game

STRENGTHS = (0.0, 0.3, 0.6, 1.2, 1.8, 2.4, 3.6, 6.0, 12.0)
"""Nats by which a picture prefers what it shows, in every cell."""


def positions(name, number=10):
    found = [before for before, _, _ in game(games.get(name), 5) if before.awaits is Awaits.PLAY]
    return random.Random(name).sample(found, min(number, len(found)))


def fouls(position, rng, number=4):
    """Looks that no legal play leads to: one piece elsewhere than a legal play has it."""
    plays = position.plays()
    legal = {frozenset(play.after.looks().items()) for play in plays}
    while number:
        looks = dict(rng.choice(plays).after.looks())
        source = rng.choice([cell for cell, look in looks.items() if look])
        *rest, piece = looks[source]
        looks[source] = tuple(rest)
        target = rng.choice([cell for cell in looks if cell != source])
        looks[target] = tuple(sorted((*looks[target], piece)))
        if frozenset(looks.items()) not in legal:
            number -= 1
            yield looks


@pytest.mark.parametrize("name", games.names())
def test_a_foul_in_a_weak_picture_is_never_called_legal(name):
    rng = random.Random(1)
    for position in positions(name):
        for looks in fouls(position, rng):
            verdicts = [
                judge(position, Evidence.certain(looks, floor=-strength)).kind for strength in STRENGTHS
            ]
            assert Kind.LEGAL not in verdicts, (str(position), looks)
            assert verdicts[0] is Kind.UNSURE
            assert verdicts[-1] is Kind.ILLEGAL


@pytest.mark.parametrize("name", games.names())
def test_a_legal_play_in_a_weak_picture_is_never_called_a_foul(name):
    rng = random.Random(2)
    seen = Counter()
    for position in positions(name):
        for play in rng.sample(list(position.plays()), min(4, len(position.plays()))):
            for strength in STRENGTHS:
                kind = judge(position, Evidence.certain(play.after.looks(), floor=-strength)).kind
                assert kind is not Kind.ILLEGAL
                seen[strength, kind] += 1
    assert not any(seen[strength, Kind.LEGAL] for strength in STRENGTHS[:3])
    assert seen[12.0, Kind.LEGAL]


def forced():
    """A position with one legal play, 24/21 24/20 in black's own numbers."""
    data = {
        "turn": "black",
        "points": {"1": -2, "6": 2, "8": 2, "12": 2, "13": 2, "14": 2, "24": 5},
        "bar": [0, 0],
        "off": [0, 13],
    }
    return games.get("backgammon").read(data).roll((4, 3))


def test_a_forced_play_is_not_legal_because_nothing_else_would_be():
    position = forced()
    assert len(position.plays()) == 1
    after = position.plays()[0].after.looks()
    assert judge(position, Evidence()).kind is Kind.UNSURE
    assert judge(position, Evidence.certain(position.looks())).kind is Kind.ILLEGAL
    undecided = {cell: {look: 0.0, position.looks()[cell]: 0.0, EMPTY: 0.0} for cell, look in after.items()}
    assert judge(position, Evidence.of(undecided)).kind is Kind.UNSURE
    assert judge(position, Evidence.certain(after)).kind is Kind.LEGAL


def test_a_play_made_under_a_hand_has_no_witness():
    position = forced()
    after = dict(position.plays()[0].after.looks())
    for cell in [cell for cell, look in after.items() if look != position.looks()[cell]]:
        del after[cell]
    assert judge(position, Evidence.certain(after)).kind is Kind.UNSURE
