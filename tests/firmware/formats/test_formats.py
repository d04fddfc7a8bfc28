"""All formats behind one door; JSON and text hold everything, of every game."""

import json
import random
from dataclasses import replace

import pytest

from engine import rules as games
from engine.match import Terms
from engine.position import Awaits
from engine.record import (
    Action,
    Corrected,
    GameRecord,
    MatchRecord,
    Played,
    Proof,
    Remark,
    Resigned,
    Result,
    Rolled,
    Stood,
    ends,
    opening,
    replay,
    step,
)
from firmware import formats
from firmware.formats import FORMATS, FormatError, jsonform, mat, sgf, textform
from firmware.formats.ids import of_xgid
from tests.firmware.formats.test_mat import untold
from tests.matches import simulate

GAMES = games.names()
KNOWN_ELSEWHERE = [name for name in GAMES if {"mat", "sgf"} <= games.get(name).file_names.keys()]
"""The games that the formats of other programs can hold."""


def any_game(name: str, seed: int, limit: int = 60) -> MatchRecord:
    """A random game of any rules, broken off after a while."""
    source, rules = random.Random(seed), games.get(name)
    options = _options(name)
    match = MatchRecord(
        name,
        ("Ada", " Ben\n"),
        Terms(length=3, score=(1, 0)),
        options=options,
        comment='a "quoted" line\nand another',
    )
    state, actions, result = opening(match, GameRecord((1, 0))), [], None
    for _ in range(limit):
        position = state.position
        action: Action
        if position.awaits is Awaits.PLAY:
            plays = position.plays()
            action = Played(position.turn or "", source.choice(plays).text)
        else:
            dice = tuple(source.randint(1, 6) for _ in range(position.dice_due))
            action = Rolled(
                None if position.awaits is Awaits.OPENING else position.turn, dice, source.choice((None, 7))
            )
        moment = step(state, action)
        actions.append(action)
        state = moment.after
        if ends(moment):
            outcome = state.position.outcome
            assert outcome is not None
            result = Result(outcome.winner, outcome.kind, outcome.points)
            break
    side = rules.sides[0]
    actions.insert(1, Remark("a remark: with a colon"))
    if result is None:
        actions += [
            Corrected(state.position.to_json(), 2, side),
            Resigned(side, rules.grades[0][0], accepted=False),
        ]
    game = GameRecord(
        (1, 0), tuple(actions), result, True, 2, proof=Proof("ab" * 32, ("seven", " eleven "), "cd" * 32)
    )
    return replace(match, games=(game, GameRecord((1, 0), options=options)))


def _options(name: str) -> dict[str, object]:
    if name != "siege-master":
        return {}
    from tests.engine.playing import fixture

    return dict(fixture(games.get(name))["options"])


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("seed", range(3))
def test_json_and_text_hold_every_game_exactly(name: str, seed: int) -> None:
    record = any_game(name, seed)
    assert jsonform.read(jsonform.write(record)) == record
    assert textform.read(textform.write(record)) == record
    assert list(replay(record, record.games[0]))


@pytest.mark.parametrize("seed", range(6))
def test_json_and_text_hold_every_match_of_backgammon_exactly(seed: int) -> None:
    record = simulate(seed, 0.02, loose=True)
    for form in ("json", "text"):
        read = formats.read(formats.write(record, form))
        assert read.record == record
        assert read.notes == ()


@pytest.mark.parametrize("form", ["mat", "sgf", "json", "text"])
def test_what_was_written_is_recognised_and_read(form: str) -> None:
    text = formats.write(simulate(139), form)
    assert formats.__dict__["detect"](text) == form
    assert formats.read(text.encode("utf-8")).notes == ()


@pytest.mark.parametrize("form", ["mat", "sgf", "xgid"])
def test_the_formats_of_other_programs_refuse_games_that_they_cannot_hold(form: str) -> None:
    record = MatchRecord("zombie", ("A", "B"))
    with pytest.raises(
        FormatError, match=f"{form} holds backgammon.* only, and this is zombie; use json, text"
    ):
        formats.write(record, form)


def test_unknown_formats_and_those_that_cannot_be_read_are_named() -> None:
    with pytest.raises(
        FormatError, match=r"unknown format 'xls'; there are mat, sgf, xgid, ogxm, json, text"
    ):
        formats.write(simulate(139), "xls")
    with pytest.raises(FormatError, match="cannot be read; there are mat, sgf, xgid, json, text"):
        formats.read("XGID=", "xls")


def test_an_xgid_is_written_for_every_decision_with_what_was_done() -> None:
    record = simulate(139)
    lines = formats.write(record, "xgid").splitlines()
    decisions = sum(isinstance(action, Played | Stood) for game in record.games for action in game.actions)
    assert len(lines) >= decisions
    for line in lines:
        text, _, words = line.partition("\t")
        situation = of_xgid(text)
        assert words.startswith("game ")
        assert situation.length == record.terms.length


def test_every_format_has_a_title_and_a_suffix() -> None:
    assert all(each.title and each.suffix.startswith(".") for each in FORMATS.values())


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"format": "other"}, "not a match of Barpoint"),
        ({"version": 2}, "version 2 of the format; this program reads version 1"),
        ({"players": ["A"]}, "players: 2 values are needed, not 1"),
        ({"players": ["A", 3]}, r"players\[1\]: 3 is not of type str"),
        ({"colour": "red"}, "colour: unknown"),
        ({"terms": {"length": -1}}, "terms: .*length"),
        (
            {"games": [{"score": [0, 0], "actions": [{"do": "fly"}]}]},
            r"games\[0\]\.actions\[0\]\.do: 'fly' is not an action",
        ),
        (
            {"games": [{"score": [0, 0], "actions": [{"do": "roll", "side": None, "dice": "31"}]}]},
            r"games\[0\]\.actions\[0\]\.dice",
        ),
        (
            {"games": [{"score": [0, 0], "actions": [{"do": "double"}]}]},
            r"games\[0\]\.actions\[0\]\.side is missing",
        ),
        ({"games": [{"actions": []}]}, r"games\[0\]\.score is missing"),
    ],
)
def test_a_json_file_at_fault_is_refused_with_the_place(change: dict[str, object], reason: str) -> None:
    data = json.loads(jsonform.write(MatchRecord("backgammon", ("A", "B"))))
    with pytest.raises(FormatError, match=reason):
        jsonform.read(json.dumps({**data, **change}))


def test_json_that_is_none_is_refused_with_line_and_column() -> None:
    with pytest.raises(FormatError, match="line 2, column 1"):
        jsonform.read("{\n")


HEAD = "Barpoint match 1\nrules: backgammon\nwhite: A\nblack: B\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("hello", "line 1: a match in text begins with"),
        (HEAD + "  white takes\n", "line 5: this belongs to a game"),
        (HEAD + "white: C\n", "line 5: a header line"),
        (HEAD + "colour: red\n", "the header: unknown header line 'colour'"),
        (HEAD + "terms: length x\n", "the header"),
        (HEAD + "Game one\n", "line 5: a game begins with"),
        (HEAD + "Game 1, score 0-0\n  white flies\n", "line 6: no such action"),
        (HEAD + "Game 1, score 0-0\n  opening 7-1\n", "line 6: '7-1' are not dice"),
        (HEAD + "Game 1, score 0-0\n  result: white won\n", "line 6: a result is"),
        (HEAD + "Game 1, score 0-0\n  start [1]\n", "line 6: it must be an object"),
        ("Barpoint match 1\nrules: chess\n", "the header: unknown game 'chess'"),
    ],
)
def test_a_text_file_at_fault_is_refused_with_the_line(text: str, reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        textform.read(text)


@pytest.mark.parametrize("form", ["json", "text"])
def test_a_foul_by_dice_that_nobody_told_comes_back_without_any(form: str) -> None:
    assert formats.read(formats.write(untold(), form), form).record == untold()
    assert len(formats.write(untold(), "xgid").splitlines()) == 3


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", KNOWN_ELSEWHERE)
def test_a_match_of_every_game_that_others_know_comes_back_from_their_formats(name: str, seed: int) -> None:
    record = simulate(seed, 0.02, rules=name)
    for form, kept in (("mat", mat.kept), ("sgf", sgf.kept)):
        read = formats.read(formats.write(record, form))
        assert read.record == kept(record)
        assert read.notes == ()
