"""Odd input: numbers that nobody writes, text that is none."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engine import rules as games
from engine.clock import Control
from engine.errors import EngineError, IllegalEvent
from engine.event_json import from_json, from_outside
from engine.events import Begin, Correct, Roll
from engine.evidence import Evidence
from engine.match import Terms
from engine.outside import check, shown, writable
from engine.position import POSITION_KEYS
from engine.session import Session
from tests.engine.playing import fixture

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    "value",
    [NAN, INF, -INF, 10**10, -(10**400), "\ud800", "a\x1b[31m", "a\u2028b", "x" * 30_000, {"\udfff": 1}],
)
def test_what_is_no_ordinary_number_or_text_is_refused_wherever_it_stands(value: object) -> None:
    for data in (value, [1, value], {"a": {"b": [value]}}):
        with pytest.raises(EngineError, match="here"):
            check(data, "here")


def test_ordinary_values_pass() -> None:
    check({"a": [1, -2.5, "Zoë 👩‍👧", None, True], "b": {}}, "here")
    check("two\nlines", "here", lines=True)
    with pytest.raises(EngineError):
        check("two\nlines", "here")


def test_brackets_in_brackets_end_somewhere() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(EngineError, match="inside one another"):
        check(deep, "here")
    assert shown(deep) == "something too large to show"


def test_a_number_of_ten_thousand_digits_is_told_of_without_writing_it() -> None:
    assert shown(10**10_000) == "something too large to show"
    assert len(shown("x" * 1000)) == 80


def test_half_a_character_cannot_be_written() -> None:
    assert writable({"a": ["b", 1, None]})
    assert not writable({"a": ["b\ud800"]})
    assert not writable({"\udfff": 1})


@pytest.mark.parametrize(
    "fields",
    [
        {"event": "correct", "cube": 2**14284},
        {"event": "correct", "score": [10**400, 0]},
        {"event": "correct", "position": {"points": {"1": 10**5000}}},
        {"event": "correct", "position": {"turn": INF}},
        {"event": "roll", "dice": [10**5000, 1]},
        {"event": "tick", "t": 10**400},
        {"event": "tick", "t": NAN},
        {"event": "press", "button": {}},
        {"event": "press", "button": 10**5000},
        {"event": ["press"]},
        {"event": 10**5000},
        {"event": "press", "button": "done", "evidence": {"floor": 10**400, "cells": {}}},
        {"event": "press", "button": "done", "evidence": {"floor": -INF, "cells": {}}},
        {"event": "press", "button": "done", "evidence": {"floor": -12, "cells": {"p1": [[[], INF]]}}},
        {"event": "begin", "rules": "backgammon", "clock": {"delay": 10**400}},
        {"event": "begin", "rules": "backgammon", "clock": {"reserve": 1e300}},
        {"event": "begin", "rules": "backgammon", "clock": {"points": 10**9}},
        {"event": "begin", "rules": "backgammon", "terms": {"length": 10**8}},
        {"event": "begin", "rules": "backgammon", "terms": {"score": [10**5000, 0]}},
        {"event": "begin", "rules": "backgammon", "options": {"a": [NAN]}},
    ],
)
def test_no_event_is_made_of_odd_numbers(fields: dict[str, Any]) -> None:
    with pytest.raises(EngineError):
        from_json({"t": 0.0} | fields)


@pytest.mark.parametrize(
    "fields",
    [
        {"event": "correct", "position": {"foo": 1}},
        {"event": "choose", "play": "13/7\ud800"},
        {"event": "choose", "play": "13/7", "side": "\x1b[2J"},
        {"event": "begin", "rules": "backgammon", "competition": "\ud800"},
        {"event": "begin", "rules": "backgammon", "place": "a\nb"},
        {"event": "begin", "rules": "backgammon", "players": {"white": "\udfff"}},
    ],
)
def test_odd_text_and_unknown_keys_are_refused_from_outside_but_read_from_an_old_journal(
    fields: dict[str, Any],
) -> None:
    from_json({"t": 0.0} | fields)
    with pytest.raises(EngineError):
        from_outside({"t": 0.0} | fields)


@pytest.mark.parametrize("name", games.names())
def test_every_key_of_a_position_is_known(name: str) -> None:
    rules = games.get(name)
    position = rules.start({**rules.options, **fixture(rules).get("options", {})})
    assert set(position.to_json()) <= POSITION_KEYS


def begun(**terms: Any) -> Session:
    return Session().handle(Begin(t=0.0, rules="backgammon", terms=Terms(**terms)))[0]


@pytest.mark.parametrize("cube", [2**21, 2**14284, 0, -2, 3])
def test_a_cube_that_nobody_plays_for_is_refused(cube: int) -> None:
    with pytest.raises(IllegalEvent, match="does not exist"):
        begun().handle(Correct(t=1.0, cube=cube))


def test_the_cube_ends_somewhere() -> None:
    session = begun(beavers=2)
    session, _ = session.handle(Correct(t=1.0, cube=2**20))
    session, _ = session.handle(Roll(t=2.0, dice=(6, 1)))
    position = session.position
    assert position is not None
    play = json.dumps(position.plays()[0].text)
    session, _ = session.handle(from_json({"event": "choose", "t": 3.0, "play": json.loads(play)}))
    reason = session.refusal(from_json({"event": "press", "t": 4.0, "button": "double"}))
    assert reason is not None
    assert "1048576" in reason


@pytest.mark.parametrize("score", [(10**9, 0), (10**5000, 0), (0, -1)])
def test_a_score_that_nobody_reaches_is_refused(score: tuple[int, int]) -> None:
    with pytest.raises(IllegalEvent, match="nobody can begin"):
        begun().handle(Correct(t=1.0, score=score))


def test_clocks_count_no_centuries() -> None:
    for field in ("delay", "reserve", "refill"):
        for value in (NAN, INF, 1e300, -1.0):
            with pytest.raises(EngineError, match=field):
                Control.from_json({field: value})


def test_evidence_is_finite() -> None:
    with pytest.raises(EngineError):
        Evidence.of({"p1": {(): INF}})
    with pytest.raises(EngineError):
        Evidence.of({"p1": {(): -INF}})
