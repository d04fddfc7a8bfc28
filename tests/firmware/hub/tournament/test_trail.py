"""The trail: what was done can be read back, taken back, and taken back again."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.errors import BadInput
from firmware.hub.tournament.changes import Enter, Leave, MakeDraw, OpenRound, Report, Set
from firmware.hub.tournament.model import Tournament
from firmware.hub.tournament.pairings import pairings
from firmware.hub.tournament.trail import Act, Done, Undo, do, fold, from_json, to_json, undone


class Office:
    """A director at work."""

    def __init__(self) -> None:
        self.trail: list[Done] = []
        self.event = Tournament()

    def __call__(self, act: Act, why: str = "said so") -> int:
        done = Done(len(self.trail) + 1, float(len(self.trail)), "director", why, act)
        self.event = do(self.trail, self.event, done)
        self.trail.append(done)
        return done.number


def opened(count: int) -> Office:
    office = Office()
    office(Set("Cup", lengths=(3,)))
    for number in range(1, count + 1):
        office(Enter(number, f"P{number}"))
    office(MakeDraw("seeded", "x"))
    office(OpenRound(1))
    return office


def test_an_undone_entry_does_not_count_and_can_count_again() -> None:
    office = opened(4)
    before = office.event
    first, second = pairings(before)[0].sides
    assert first
    assert second
    number = office(Report("1.1", first, second, second, (1, 3)))
    after = office.event
    assert after != before
    undo = office(Undo(number))
    assert office.event == before
    assert undone(office.trail) == {number}
    office(Undo(undo))
    assert office.event == after
    with pytest.raises(BadInput, match="no entry 99"):
        office(Undo(99))


def test_what_others_rest_on_stays_until_they_are_undone() -> None:
    office = opened(4)
    draw = len(office.trail) - 1
    sides = pairings(office.event)[0].sides
    assert sides[0]
    assert sides[1]
    told = office(Report("1.1", sides[0], sides[1], sides[0], (3, 0)))
    with pytest.raises(BadInput, match=f"entry {draw} cannot be undone"):
        office(Undo(draw))
    office(Undo(told))
    office(Undo(draw + 1))
    office(Undo(draw))
    assert office.event.draw is None


def test_an_undone_entrant_leaves_the_others_their_numbers() -> None:
    office = Office()
    office(Set("Cup"))
    first = office(Enter(1, "Wrong"))
    office(Enter(2, "Right"))
    office(Undo(first))
    office(Enter(3, "Late"))
    assert [(each.number, each.name) for each in office.event.entries] == [(2, "Right"), (3, "Late")]


def test_some_things_need_a_reason() -> None:
    office = opened(3)
    with pytest.raises(BadInput, match="say why"):
        office(Leave(1), " ")
    office(Leave(1), "ill")


@settings(max_examples=20, deadline=None)
@given(st.integers(2, 9), st.randoms(use_true_random=False))
def test_a_trail_folds_to_what_was_done_and_survives_json(count: int, rng: random.Random) -> None:
    office = opened(count)
    office(OpenRound(max(each.round for each in pairings(office.event))))
    for _ in range(20):
        ready = [each for each in pairings(office.event) if each.ready]
        try:
            if rng.random() < 0.4 or not ready:
                office(Undo(rng.randrange(1, len(office.trail) + 1)))
            else:
                each = rng.choice(ready)
                assert each.first
                assert each.second
                office(Report(each.id, each.first, each.second, each.first, (3, 1)))
        except BadInput:
            continue
    again = [
        Done(done.number, done.at, done.who, done.why, from_json(json.loads(json.dumps(to_json(done.act)))))
        for done in office.trail
    ]
    assert again == office.trail
    assert fold(again) == office.event


@pytest.mark.parametrize(
    "data",
    [
        None,
        {},
        {"act": "Drop"},
        {"act": ["Enter"]},
        {"act": "Enter", "number": 1},
        {"act": "Enter", "number": "1", "player": "A"},
        {"act": "Enter", "number": True, "player": "A"},
        {"act": "Enter", "number": 1, "player": "A", "more": 1},
        {"act": "Set", "name": "A", "lengths": [1, "2"]},
        {"act": "Set", "name": "A", "kind": "swiss"},
        {"act": "Report", "pairing": "1.1", "first": 1, "second": 2, "winner": 1, "score": [1]},
    ],
)
def test_what_is_no_act_is_refused(data: object) -> None:
    with pytest.raises(BadInput):
        from_json(data)
