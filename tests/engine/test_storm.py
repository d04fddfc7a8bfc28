"""A storm of random events never breaks an invariant. The long one is ``tests/bench/fuzz_session.py``."""

from __future__ import annotations

import pytest

from engine import rules as games
from engine.match_state import State
from engine.position import Rules
from tests.engine.storm import storm

pytestmark = pytest.mark.long


def test_twenty_thousand_random_events_break_nothing_and_reach_every_state(footrace: Rules) -> None:
    met = storm(footrace, seed=1, count=20_000)
    assert met.events == 20_000
    assert set(met.states) == {state.value for state in State}
    assert {
        "stood",
        "expired",
        "offered",
        "taken",
        "dropped",
        "resigned",
        "took-back",
        "match-ended",
        "relit",
    } <= set(met.effects)
    assert met.refused < met.events


@pytest.mark.parametrize("name", games.names())
def test_random_events_break_nothing_in_any_game(name: str) -> None:
    met = storm(games.get(name), seed=2, count=400)
    assert met.effects["judged"] > 30
