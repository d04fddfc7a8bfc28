"""What the pages are told of a tournament."""

from __future__ import annotations

from dataclasses import replace

import pytest

pytest.importorskip("sqlalchemy", reason="the extra hub is not installed")

from firmware.hub.office.book import KeptTournament
from firmware.hub.office.tell import CSV_FILE, head_json, trail_json
from firmware.hub.tournament.changes import Close, Enter, MakeDraw, OpenRound, Report, Set
from firmware.hub.tournament.pairings import pairings
from firmware.hub.tournament.trail import Act
from firmware.languages.catalogue import catalogue
from tests.firmware.hub.tournament.test_trail import Office


def kept(*acts: Act) -> KeptTournament:
    office = Office()
    for act in acts:
        office(act)
    return KeptTournament(1, "Club evening", tuple(office.trail), office.event)


def test_who_share_the_first_place_have_not_won() -> None:
    entered = [Enter(number, name) for number, name in enumerate(("Ann", "Bob", "Cy"), 1)]
    acts: list[Act] = [Set("League", "round-robin", (3,)), *entered, MakeDraw("seeded", "x"), OpenRound(3)]
    beats = {1: 2, 2: 3, 3: 1}
    for each in pairings(kept(*acts).event):
        assert each.first
        assert each.second
        winner = each.first if beats[each.first] == each.second else each.second
        acts.append(
            Report(each.id, each.first, each.second, winner, (3, 0) if winner == each.first else (0, 3))
        )
    told = head_json(kept(*acts, Close()))
    assert told["winner"] is None
    assert told["winners"] == ["Ann", "Bob", "Cy"]
    assert head_json(kept(*acts))["winners"] == []


def test_names_from_right_to_left_leave_the_score_where_it_stands() -> None:
    acts = [Set("Cup", lengths=(5,)), Enter(1, "משה"), Enter(2, "דוד"), MakeDraw("seeded", "x"), OpenRound(1)]
    told = trail_json(kept(*acts, Report("1.1", 1, 2, 1, (5, 3))))[0]["words"]
    assert told == "match 1.1: משה - דוד 5-3, משה wins"
    one, other = "\u2068משה\u2069", "\u2068דוד\u2069"
    assert told.told(catalogue("en")) == f"match 1.1: {one} - {other} 5-3, {one} wins"


def test_lengths_run_from_right_to_left_as_the_sentence_does_and_a_files_reason_can_be_translated() -> None:
    trail = kept(Set("Cup", lengths=(5, 7)))
    assert "\u20665\u2069, \u20667\u2069" in trail_json(trail)[0]["words"].told(catalogue("he"))
    entered = replace(trail.trail[0], why=CSV_FILE.pattern)
    assert trail_json(replace(trail, trail=(entered,)))[0]["why"] is CSV_FILE
