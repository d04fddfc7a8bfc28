"""Positions that players give where another was read: what is followed from there, and the page that asks."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from functools import cache
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi import FastAPI

from engine import rules as games
from engine.evidence import Evidence
from engine.layout import Looks
from engine.match import Terms
from engine.position import Awaits, Position
from firmware.formats.ids import Situation, xgid
from firmware.transcribe import settling_page
from firmware.transcribe.film import FilmError
from firmware.transcribe.follower import Memory, follow
from firmware.transcribe.position_form import given_position, position_form
from firmware.transcribe.transcript import Transcript, transcribed
from firmware.transcribe.turns import Answers, Choice, Kind, Turn
from firmware.transcribe.work_folder import WorkFolder
from tests.firmware.transcribe.filmed import ask
from tests.firmware.transcribe.test_follower import RULES, Table
from tests.gnubg_ids import position_id

PLAYERS = ("Ada", "Bob")
MISREAD = {"p6": ("white",) * 5, "p8": ("white",) * 2, "p17": ("black",) * 4, "p19": ("black",) * 4}


def stands(turn: str, **points: int) -> Position:
    """A position in mid-game; where points differ from it, they are given."""
    white = {"24": 2, "13": 3, "8": 3, "6": 4, "5": 2, "4": 1}
    rest = {**white, "1": -2, "12": -3, "15": -1, "17": -3, "19": -5, "21": -1}
    data = {"rules": "backgammon", "turn": turn, "points": {**rest, **points}, "bar": [0, 0], "off": [0, 0]}
    return RULES.read(data)


class Film(Table):
    """A film with a part that is missing after the first play, and then four plays more. ``misread``: how
    points are read from then on that nobody touches. ``mid``: it begins there."""

    misread: Looks = {}  # noqa: RUF012

    def __init__(self, turn: str, misread: Looks, mid: bool) -> None:
        super().__init__()
        if mid:
            self.seen.clear()
        else:
            self.play(3, 1, move="8/5 6/5")
        self.position, self.misread, self.halves = stands(turn), misread, True
        self.look(self.position.looks())
        self.at = self.seen[-1].picture
        for _ in RULES.sides:
            self.play(6, 4, move="24/14")
        for _ in RULES.sides:
            self.play(4, 1, move="14/9")

    def look(self, looks: Looks) -> None:
        super().look(looks)
        seen = self.seen[-1]
        self.seen[-1] = replace(seen, evidence=Evidence.certain({**looks, **self.misread}))


@cache
def known(turn: str = "white", misread: bool = False, mid: bool = False) -> Film:
    """A film that several tests look at."""
    return Film(turn, MISREAD if misread else {}, mid)


def kinds(turns: list[Turn]) -> list[tuple[Kind, bool]]:
    return [(turn.kind, turn.sure) for turn in turns]


@pytest.mark.parametrize("turn", ["white", "black"])
def test_a_position_that_players_give_is_followed_from(turn: str) -> None:
    film = known(turn)
    doubtful = [each for each in film.turns() if not each.sure]
    assert [each.picture for each in doubtful] == [film.at]
    turns = film.turns(plays={film.at: stands(turn)})
    assert kinds(turns) == [(Kind.PLAYED, True), (Kind.FOUND, True)] + [(Kind.PLAYED, True)] * 4
    assert [each.side for each in turns[2:]] == [turn, RULES.other(turn)] * 2


def test_a_match_file_says_of_a_position_in_doubt_that_it_was_found() -> None:
    told = transcribed(RULES, known("black").turns(), Terms(length=5), PLAYERS, Answers())
    assert "game 1: the position, as it was found" in (told.match.comment or "")


@pytest.mark.parametrize("mid", [False, True])
@pytest.mark.parametrize("turn", ["white", "black"])
def test_what_was_misread_is_misread_in_the_next_looks_too(turn: str, mid: bool) -> None:
    film = known(turn, True, mid)
    wrong = next(each for each in film.turns() if each.kind is Kind.FOUND)
    assert wrong.after.looks() != stands(turn).looks()
    turns = film.turns(plays={film.at: stands(turn)})[-5:]
    assert kinds(turns) == [(Kind.FOUND, True)] + [(Kind.PLAYED, True)] * 4
    assert (turns[0].after, turns[-1].after) == (stands(turn), film.position)


def test_a_play_that_leads_to_the_position_is_told() -> None:
    table = Table()
    before = table.play(3, 1, move="8/5 6/5")
    table.throw(6, 4)
    stood = table.position = before.roll((6, 4)).find("24/14").after
    misread = {"p6": ("white",) * 3, "p13": ("white",) * 3, "p19": ("black",) * 4, "p12": ("black",) * 4}
    table.look({**stood.looks(), **misread})
    assert table.turns()[-1].after != stood
    assert table.turns(plays={table.seen[-1].picture: stood})[-1].move == "24/14"
    told = table.turns(plays={table.seen[-1].picture: before})
    assert [turn.move for turn in told] == ["8/5 6/5"], "it stood as it had stood: nothing was played"


@pytest.mark.parametrize(("cells", "kind"), [({"p6": 4, "p9": 1}, "illegal"), ({"p8": 2, "p9": 1}, "found")])
def test_what_passes_for_a_foul_is_one_where_only_one_side_moved(cells: dict[str, int], kind: str) -> None:
    """Players say that it stands so; where both sides moved, several plays were not seen."""
    table = Table(dice=False)
    start = table.position
    moved = {f"p{point[1:]}": ("white",) * count for point, count in cells.items()}
    looks = {**start.looks(), **moved}
    if kind == "found":
        looks |= {"p12": ("black",) * 4, "p16": ("black",)}
    table.look(looks)
    data = {cell: len(look) * (1 if "white" in look else -1) for cell, look in looks.items() if look}
    points = {cell[1:]: count for cell, count in data.items()}
    stood = RULES.read({"rules": "backgammon", "turn": "black", "points": points})
    (turn,) = table.turns(plays={table.seen[-1].picture: stood})
    assert (str(turn.kind), turn.sure, turn.after) == (kind, True, stood)


def test_a_film_begins_later_where_the_first_position_is_none_of_the_games() -> None:
    film = known(mid=True)
    first, *rest = film.turns()
    later, *after = film.turns(plays={film.at: None})
    assert (first.kind, later.kind) == (Kind.FOUND, Kind.FOUND)
    assert later.t > first.t
    assert [turn.after for turn in after] == [turn.after for turn in rest]


def test_a_position_that_is_kept_comes_back_and_a_damaged_one_is_told(tmp_path: Path) -> None:
    folder, answers = WorkFolder(tmp_path), Answers()
    for name, said in (("1.jpg", stands("black")), ("2.jpg", Choice((6, 4), "24/14")), ("3.jpg", None)):
        answers.say("plays", name, said)
    folder.save_answers(answers)
    assert folder.answers() == answers
    kept = json.loads((tmp_path / "answers.json").read_text())
    kept["plays"]["1.jpg"]["position"]["points"]["6"] = 9
    (tmp_path / "answers.json").write_text(json.dumps(kept))
    with pytest.raises(FilmError, match=r"answers\.json: it is damaged .*5 too many"):
        folder.answers()


def fields(form: str) -> dict[str, str]:
    """What a form would send as it stands."""
    found = dict(re.findall(r'hidden" name="(\w+)" value="([^"]*)"', form))
    found |= dict(re.findall(r'radio" name="(\w+)" value="([^"]*)" required checked', form))
    for name, options in re.findall(r'<select name="([^"]+)">(.*?)</select>', form):
        found[name] = re.findall(r'value="(-?\d+)" selected', options)[0]
    return found


@pytest.mark.parametrize("name", [name for name in games.names() if games.get(name).board == "checkers"])
def test_the_form_gives_the_positions_of_every_game_with_checkers(name: str) -> None:
    rules, rng = games.get(name), random.Random(4)
    position, asked = rules.start(rules.options), 0
    while position.awaits is not Awaits.NOTHING and asked < 60:
        if position.awaits is Awaits.PLAY:
            position = rng.choice(position.plays()).after
            continue
        if position.awaits is Awaits.ROLL:
            form = position_form("1.jpg", position, {}, str)
            assert given_position(fields(form), rules) == position
            assert ('name="id"' in form) == (name == "backgammon")
            asked += 1
            dice = tuple(rng.randint(1, 6) for _ in range(position.dice_due))
        else:
            dice = (3, 1)
        position = position.roll(dice)
    assert asked > 5


class Site:
    """The page of a film."""

    def __init__(self, film: Table, folder: Path) -> None:
        self.film, self.folder = film, WorkFolder(folder)
        self.memory = Memory()
        job: Any = SimpleNamespace(folder=self.folder, rules=RULES)
        self.app: FastAPI = settling_page.app(job, self.write)

    def write(self) -> Transcript:
        said = self.folder.answers()
        turns = follow(RULES, self.film.seen, said, self.memory)
        return transcribed(RULES, turns, Terms(), PLAYERS, said)

    def shows(self, url: str = "/", **more: Any) -> str:
        return unescape(ask(self.app, "GET", url, **more).text)

    def fields(self, url: str = "/") -> dict[str, str]:
        """What the form of a position would send as it stands."""
        return fields(next(each for each in self.shows(url).split("<form") if 'name="side"' in each))

    def sends(self, **fields: str) -> str:
        """What is shown after this was sent."""
        return unescape(ask(self.app, "POST", "/", data=fields, follow_redirects=True).text)


@pytest.mark.parametrize("turn", ["white", "black"])
def test_the_page_asks_for_a_position_and_takes_it_by_points_or_by_an_id(turn: str, tmp_path: Path) -> None:
    film = known(turn, True)
    site = Site(film, tmp_path)
    shown = site.shows()
    assert "What stood on the board?" in shown
    assert all(f"{player} is on turn" in shown for player in PLAYERS)
    assert f"{xgid(Situation(site.write().doubts[0][1].after))}</code>" in shown
    read, stood = site.fields(), stands(turn)
    right = read | {"side": turn, "p6": "4", "p8": "3", "p17": "-3", "p19": "-5"}
    rolled = xgid(Situation(stood.roll((6, 5))))
    for answer in (right, read | {"id": rolled}, read | {"side": turn, "id": position_id(stood)}):
        assert "What stood on the board?" not in site.sends(**answer)
        assert site.folder.answers().plays == {film.at: stood}
        assert not site.write().doubts
        assert "What stood on the board?" in site.sends(back="1")
        assert not site.folder.answers()


def test_a_position_as_it_was_read_is_agreed_to_with_one_press(tmp_path: Path) -> None:
    site = Site(known(), tmp_path)
    (_, doubt), *_ = site.write().doubts
    site.sends(**site.fields())
    assert site.folder.answers().plays == {doubt.picture: doubt.after}
    assert not site.write().doubts


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"p6": "5"}, "No possible position: white has 16 checkers, 1 too many"),
        ({"id": "XGID=-b----E-C---eE---c-e----C-:0:0:1:00:0:0:0:0:10"}, "White has 16 checkers"),
        ({"id": "the usual one"}, "'the usual one' is neither an XGID nor a GNU position ID"),
        ({"id": "/etc/hostname"}, "is neither an XGID nor a GNU position ID"),
        ({"side": "red"}, "No possible position: turn 'red'"),
        ({"p6": "many"}, "No possible position"),
        ({f"p{n}": "0" for n in range(1, 25)}, "No possible position: both sides have finished"),
    ],
)
def test_a_position_that_cannot_be_is_refused_and_changes_nothing(
    said: dict[str, str], told: str, tmp_path: Path
) -> None:
    film = known()
    site = Site(film, tmp_path)
    refused = ask(site.app, "POST", "/", data=site.fields() | said)
    assert (refused.status_code, site.folder.answers()) == (422, Answers())
    shown = unescape(refused.text)
    assert "What stood on the board?" in shown
    assert f'role="alert">{told}' in shown or told in shown.split('role="alert">')[1].split("<")[0]
    german = ask(site.app, "POST", "/", data=site.fields() | said, headers={"accept-language": "de"}).text
    assert told not in unescape(german)


def test_what_was_said_of_the_other_points_is_not_lost_when_it_is_refused(tmp_path: Path) -> None:
    site = Site(known(), tmp_path)
    refused = ask(site.app, "POST", "/", data=site.fields() | {"p6": "5", "p4": "-1", "side": "black"}).text
    assert 'value="black" required checked' in refused
    assert all(
        f'value="{count}" selected' in _select(refused, cell) for cell, count in (("p6", 5), ("p4", -1))
    )


def _select(page: str, cell: str) -> str:
    return page.split(f'<select name="{cell}">')[1].split("</select>")[0]


def test_a_turn_that_is_sure_can_be_asked_about(tmp_path: Path) -> None:
    """The position that a film begins with is asked about by nobody, and may be wrong."""
    film = known("black", True, True)
    site = Site(film, tmp_path)
    assert site.write().games[0].turns[0].sure
    links = re.findall(r'<a href="(/\?turn=[^"]+)"', site.shows())
    assert len(links) == len(site.write().turns)
    assert "What stood on the board?" in site.shows(links[0])
    right = {"p6": "4", "p8": "3", "p17": "-3", "p19": "-5", "side": "black"}
    site.sends(**site.fields(links[0]) | right)
    assert site.write().games[0].record.start == stands("black").to_json()
    assert "That cannot have been played there" in site.sends(turn=film.seen[-1].picture, other="66: 24/18")
    asked = site.sends(turn=film.seen[-1].picture, other="I forgot")
    assert "not understood" in asked
    assert "Which was played?</h1>" in asked


def test_the_position_after_a_play_is_corrected_under_its_question(tmp_path: Path) -> None:
    table = Table(dice=False)
    table.play(3, 1, move="8/5 6/5")
    table.play(4, 2, move="24/18")
    site = Site(table, tmp_path)
    shown = site.shows()
    assert "<details><summary>Correct the position" in shown
    assert shown.index("Which was played?</h1>") < shown.index("<details>")
    stood = site.fields() | {"p24": "1", "p18": "1"}
    assert "<details open><summary>Correct the position" in site.sends(**stood | {"p13": "9"})
