"""Events as JSON, and the view of a session."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine import events as ev
from engine.errors import EngineError
from engine.event_json import from_json
from engine.events import Condone, Moves, Press
from engine.evidence import Evidence
from engine.match import Terms
from engine.match_state import State
from engine.session import Session
from engine.view import view
from tests.engine.sitting import FOUL, Sitting, fouled

pytestmark = pytest.mark.usefixtures("footrace")


# Events as JSON


def test_replaying_the_events_from_json_gives_the_same_session() -> None:
    sitting = fouled(
        terms=Terms(length=3, score=(1, 0)), players={"white": "Ann", "black": "Bo"}, moves=Moves.RESPONSIBLE
    )
    sitting.send(Condone(t=sitting.after(), side="black"))
    sitting.press("double", "black")
    sitting.press("take", "white")
    sitting.roll(4)
    blurred = {
        cell: {look: 0.0, ("ghost",): -7.123456}
        for cell, look in sitting.table.position.plays()[0].after.looks().items()
    }
    sitting.press("done", "black", evidence=Evidence.of(blurred))
    sitting.press("resign", "white", grade="shutout")
    sitting.press("take", "black")
    replayed = Session()
    for event in sitting.log:
        line = json.dumps(event.to_json())
        replayed, _ = replayed.handle(from_json(json.loads(line)))
    assert replayed == sitting.session
    assert sitting.state is State.ENDED


def test_an_event_is_what_its_json_says() -> None:
    rough = Evidence.of({"p1": {(): -0.123456789, ("white",): -11.9999, ("black",): 0.0}})
    event = Press(t=1.0, button=ev.Button.DONE, side="white", evidence=rough)
    assert from_json(event.to_json()) == event


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        ([], "JSON object"),
        ({"event": "explode", "t": 1}, "explode"),
        ({"event": "tick"}, "'t' is missing"),
        ({"event": "press", "t": 0, "button": "fly"}, "press.button: must be one of .*done.*, not 'fly'"),
        ({"event": "tick", "t": "now"}, "tick.t"),
        ({"event": "tick", "t": float("nan")}, "tick.t"),
        ({"event": "tick", "t": True}, "tick.t"),
        ({"event": "tick", "t": 1, "when": 2}, "when"),
        ({"event": "press", "t": 1, "button": "eject"}, "press.button"),
        ({"event": "roll", "t": 1, "dice": "52"}, "roll.dice"),
        ({"event": "roll", "t": 1, "dice": [5, 2.5]}, "roll.dice"),
        ({"event": "roll", "t": 1, "dice": [5, 2], "opening": 1}, "roll.opening"),
        ({"event": "choose", "t": 1, "play": 7}, "choose.play"),
        ({"event": "see", "t": 1, "evidence": {"cells": 4}}, "see.evidence"),
        ({"event": "correct", "t": 1, "score": [1, 2, 3]}, "correct.score"),
        ({"event": "correct", "t": 1, "cube": True}, "correct.cube"),
        ({"event": "begin", "t": 1, "rules": "footrace", "players": ["Ann"]}, "begin.players"),
        ({"event": "begin", "t": 1, "rules": "footrace", "terms": {"length": "7"}}, "length"),
        ({"event": "begin", "t": 1, "rules": "footrace", "terms": {"lenght": 7}}, "lenght"),
        ({"event": "begin", "t": 1, "rules": "footrace", "clock": {"kind": "sand"}}, "sand"),
    ],
)
def test_a_bad_event_is_refused_with_the_field_at_fault(data: Any, fault: str) -> None:
    with pytest.raises(EngineError, match=fault):
        from_json(data)


# The view


def test_a_view_is_plain_data_at_every_step() -> None:
    sitting = Sitting(players={"white": "Ann"})
    shown = [view(Session()), view(sitting.session)]
    sitting.roll(5, 3)
    sitting.foul(**FOUL)
    shown.append(view(sitting.session, sitting.t))
    sitting.done("8/3")
    sitting.press("double", "black")
    shown.append(view(sitting.session))
    sitting.press("drop", "white")
    shown.append(view(sitting.session))
    assert json.loads(json.dumps(shown)) == shown
    _, start, foul, offered, over = shown
    assert start["players"] == {"white": "Ann", "black": "black"}
    assert set(foul["wrong"]) == {"p7", "p3"}
    assert foul["seen"]["p7"] == ["white"]
    assert offered["cube"]["offer"] == {"by": "black", "to": "white", "taken": 2, "dropped": 1}
    assert over["result"] == {
        "outcome": {"winner": "black", "kind": "single", "points": 1},
        "points": 1,
        "cause": "dropped",
    }
