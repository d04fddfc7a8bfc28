"""The session as a table of situations: every event in every state."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.actions import legal_actions
from engine.events import Button
from engine.match_state import State
from engine.position import Rules
from engine.session import PRESSES, Session
from tests.engine.situations import SITUATIONS, answer, events, matrix

TABLE = Path(__file__).parent.parent / "data" / "session" / "situations.txt"
pytestmark = pytest.mark.usefixtures("footrace")


def test_every_event_in_every_state_leads_where_the_table_says() -> None:
    assert matrix() == TABLE.read_text(encoding="utf-8").rstrip("\n")


def test_the_situations_cover_every_state() -> None:
    assert {make().state for make in SITUATIONS.values()} | {Session().state} == set(State)


@pytest.mark.parametrize("situation", SITUATIONS)
def test_a_refused_event_gives_a_reason_and_changes_nothing(situation: str) -> None:
    sitting = SITUATIONS[situation]()
    before = repr(sitting.session)
    refused = 0
    for event in events(sitting.session, sitting.after()).values():
        reason = sitting.session.refusal(event)
        if reason is not None:
            refused += 1
            assert len(reason) > 10
    assert refused
    assert repr(sitting.session) == before


@pytest.mark.parametrize("situation", SITUATIONS)
def test_an_event_that_changes_nothing_gives_the_same_session_and_no_effect(situation: str) -> None:
    sitting = SITUATIONS[situation]()
    after, effects = sitting.session.handle(events(sitting.session, sitting.after())["tick"])
    assert after is sitting.session
    assert effects == ()


@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize("side", ["white", "black"])
def test_what_the_actions_say_is_what_the_session_does(situation: str, side: str) -> None:
    sitting = SITUATIONS[situation]()
    possible = events(sitting.session, sitting.after())
    names = {button.value: f"{button} {side}" for button in Button}
    names |= {"roll by hand": f"roll by hand {side}", "condone": f"condone {side}", "next": "next"}
    for action in legal_actions(sitting.session, side):
        if action.name in names:
            moved = answer(sitting.session, possible[names[action.name]])
            assert action.allowed == (moved != "-"), (action, moved)


def test_before_the_match_nothing_is_allowed_and_the_reason_is_given() -> None:
    actions = legal_actions(Session(), "white")
    assert {action.name for action in actions} >= {button.value for button in Button}
    assert {action.reason for action in actions} == {"no match has begun"}


def test_every_button_has_its_rule_and_every_state_its_words(footrace: Rules) -> None:
    assert set(PRESSES) == set(Button)
    for make in SITUATIONS.values():
        assert make().session.waiting
