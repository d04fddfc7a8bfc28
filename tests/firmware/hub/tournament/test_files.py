"""Files from and for other programs."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest

from firmware.errors import BadInput
from firmware.hub.tournament.apply import apply
from firmware.hub.tournament.changes import Enter, MakeDraw, OpenRound, Rename, Report, Set
from firmware.hub.tournament.csv_import import pairs, players
from firmware.hub.tournament.exports import results_csv, standings_csv, trf
from firmware.hub.tournament.model import Tournament
from firmware.hub.tournament.pairings import pairings
from firmware.hub.tournament.trail import from_json

CUP = apply(Tournament(), Set("Cup"))


def test_a_file_of_players_may_look_in_many_ways() -> None:
    assert players("Name,Club,Rating\nAda,Bern,1612.5\n\nBo,,\n", CUP) == [
        Enter(0, "Ada", "Bern", 1612.5),
        Enter(0, "Bo"),
    ]
    assert players("\ufeffNachname;Vorname;Setzplatz\r\nMeyer;Ada;2\r\n", CUP) == [
        Enter(0, "Ada Meyer", seed=2)
    ]
    assert players('player\telo\n"Lo, Li"\t1500,5\nBo\t1.500\n', CUP) == [
        Enter(0, "Lo, Li", rating=1500.5),
        Enter(0, "Bo", rating=1500),
    ]
    assert players("Name,Country,City,Club\nAda,CH,Bern,BC Bern\nBo,DE,Ulm,\nCy,FR,,\n", CUP) == [
        Enter(0, "Ada", "BC Bern"),
        Enter(0, "Bo", "Ulm"),
        Enter(0, "Cy", "FR"),
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("a,b\n1,2\n", "no known column"),
        ("player\n", "no lines"),
        ("player,rating\nAda,high\n", "line 2: rating 'high' is no number"),
        ("player,rating\nAda,nan\n", "line 2: rating 'nan'"),
        ("player,rating\nAda,1_5\n", "line 2: rating '1_5' is no number"),
        ("player,seed\nAda,1.5\n", "line 2: seed"),
        ("player,seed\nAda,1\nBo,0\n", "line 3: seed 0: seeds are counted from 1"),
        ("player,rating\nAda,10000\n", "line 2: rating 10000.0: ratings are 0 to 9999"),
        ("player\nAda\nada\n", "line 3: ada is entered already"),
        (f"player\n{'A' * 81}\n", "line 2: a player's name must be 1 to 80 letters"),
        ("club\nBern\n", "line 2: no player"),
        ("name,player\nA,B\n", "two columns say player"),
        ('player\n"Ada\n', "no CSV file"),
    ],
)
def test_a_file_that_is_wrong_is_refused_by_its_line(text: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        players(text, CUP)


def test_an_accent_that_is_written_apart_makes_no_other_name() -> None:
    with pytest.raises(BadInput, match="line 3: Müller is entered already"):
        players("player\nMüller\nMu\u0308ller\n", CUP)
    event = apply(apply(Tournament(), Set("Cup", "imported")), Enter(1, "Müller"))
    assert pairs("first,second\nMu\u0308ller,bye\n", event)[0] == ((1, 0),)
    assert from_json({"act": "Rename", "entry": 1, "player": "Mu\u0308ller"}) == Rename(1, "Müller")


@pytest.mark.parametrize("name", ["Family 👩\u200d👧", "علی\u200cرضا"])
def test_a_name_may_have_what_its_script_needs(name: str) -> None:
    (made,) = players(f"player\n{name}\n", CUP)
    assert apply(CUP, replace(made, number=1)).entries[0].name == name


def test_marks_that_a_name_was_pasted_with_make_no_other_name() -> None:
    event = apply(apply(Tournament(), Set("Cup", "imported")), Enter(1, "\u200fדוד לוי\u200e"))
    assert event.entries[0].name == "דוד לוי"
    assert pairs("first,second\n\u200fדוד לוי,bye\n", event)[0] == ((1, 0),)
    with pytest.raises(BadInput, match="entered already"):
        apply(event, Enter(2, "דוד לוי\u200f"))


@pytest.mark.parametrize(
    ("letter", "code"), [("\u202e", r"U\+202E"), ("\u2067", r"U\+2067"), ("\x1b", r"U\+001B")]
)
def test_a_name_that_would_turn_the_text_around_it_is_refused(letter: str, code: str) -> None:
    with pytest.raises(BadInput, match=f"a player's name has a character in it that cannot be seen, {code}"):
        apply(CUP, Enter(1, f"Ann{letter} Lee"))


def test_pairings_from_elsewhere() -> None:
    event = apply(Tournament(), Set("Cup", "imported"))
    for number, name in enumerate(("Ada", "Bo", "Cy"), 1):
        event = apply(event, Enter(number, name))
    assert pairs("player 1,player 2,board\nada,Cy,4\nBo,bye,\n", event) == (((1, 3), (2, 0)), ("4", ""))
    with pytest.raises(BadInput, match="line 2: Di has not entered"):
        pairs("first,second\nAda,Di\n", event)


def played() -> Tournament:
    event = apply(Tournament(), Set("Cup", lengths=(3,)))
    for number, name in enumerate(("Ada", "Bo", "=HYPERLINK(1)"), 1):
        event = apply(event, Enter(number, name, "Bern", 1600.0 - number))
    event = apply(apply(event, MakeDraw("seeded", "x")), OpenRound(2))
    for name, winner in (("1.2", 2), ("2.1", 1)):
        each = next(one for one in pairings(event) if one.id == name)
        assert each.first
        assert each.second
        score = (3, 2) if each.first == winner else (2, 3)
        event = apply(event, Report(name, each.first, each.second, winner, score))
    return event


def test_results_and_standings_as_csv() -> None:
    event = played()
    rows, table = (
        [*csv.DictReader(io.StringIO(text.removeprefix("\ufeff")))]
        for text in (results_csv(event), standings_csv(event))
    )
    assert standings_csv(event).encode()[:3] == b"\xef\xbb\xbf"  # Excel's sign of UTF-8
    assert players(standings_csv(event), CUP)[0].player == "Ada"
    assert [row["winner"] for row in rows] == ["Ada", "Bo", "Ada"]
    assert rows[0]["how"] == "bye"
    names = [(row["place"], row["player"]) for row in table]
    assert names == [("1", "Ada"), ("2", "Bo"), ("3", "'=HYPERLINK(1)")]


def test_a_report_like_the_federations() -> None:
    lines = trf(played(), "2026/11/22").split("\r\n")
    assert lines[0] == "012 Cup"
    ada = next(line for line in lines if line.startswith("001    1"))
    assert ada[14:47].strip() == "Ada"
    assert ada[48:52] == "1599"
    assert ada[80:84] == " 2.0"  # a bye, and a match
    assert ada[85:89] == "   1"
    assert ada[91:99] == "0000 - U"
    assert ada[101:105] == "   2"
    assert ada[108] == "1"
