import math

import pytest

from engine.errors import EngineError
from engine.evidence import FLOOR, Evidence

ONE = ("white",)
TWO = ("white", "white")


def test_the_best_look_of_every_cell_scores_nothing():
    evidence = Evidence.of({"p1": {ONE: -40.0, TWO: -43.0}})
    assert evidence.score("p1", ONE) == 0.0
    assert evidence.score("p1", TWO) == -3.0


def test_a_look_far_below_the_best_scores_the_floor_and_not_less():
    evidence = Evidence.of({"p1": {ONE: 0.0, TWO: -500.0}})
    assert evidence.score("p1", TWO) == FLOOR
    assert evidence.score("p1", ("black",)) == FLOOR


def test_a_cell_that_is_not_seen_says_nothing_about_any_look():
    evidence = Evidence.of({"p1": {ONE: 0.0}})
    assert evidence.score("p2", TWO) == 0.0
    assert evidence.confidence("p2") == 0.0
    assert "p2" not in evidence.best()


def test_the_total_adds_the_cells():
    evidence = Evidence.of({"p1": {ONE: 0.0, TWO: -2.0}, "p2": {(): 0.0, ONE: -1.5}})
    assert evidence.total({"p1": TWO, "p2": ONE, "p3": ONE}) == -3.5


def test_confidence_is_the_share_of_the_best_look():
    evidence = Evidence.of({"p1": {ONE: 0.0, TWO: math.log(0.25)}})
    assert evidence.confidence("p1") == pytest.approx(0.8)


@pytest.mark.parametrize("bad", [{"p1": {}}, {"p1": {ONE: math.nan}}])
def test_a_cell_without_numbers_is_refused_by_name(bad):
    with pytest.raises(EngineError, match="p1"):
        Evidence.of(bad)


def test_the_journal_form_keeps_scores_to_a_hundredth():
    evidence = Evidence.of({"p1": {ONE: 0.0, TWO: -2.345}, "bar.white": {(): 0.0}})
    again = Evidence.from_json(evidence.to_json())
    assert again.score("p1", TWO) == pytest.approx(-2.345, abs=0.006)
    assert again.best() == evidence.best()


@pytest.mark.parametrize(
    "bad",
    [
        {},
        {"cells": 3, "floor": -12},
        {"cells": {"p1": [["white"]]}, "floor": -12},
        {"cells": {}, "floor": "low"},
    ],
)
def test_a_broken_journal_form_is_refused(bad):
    with pytest.raises(EngineError):
        Evidence.from_json(bad)
