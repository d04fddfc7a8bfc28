"""OGXM files: written by the reference codec, replayed by it, and compared position by position."""

import base64
import re
from dataclasses import replace
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from engine.match import Terms
from engine.record import (
    Action,
    Beavered,
    Corrected,
    Doubled,
    Dropped,
    GameRecord,
    MatchRecord,
    Played,
    Resigned,
    Result,
    Rolled,
    Stood,
    Taken,
    replay,
)
from firmware import formats
from firmware.formats import FormatError, ogxm_export
from tests.firmware.formats.test_mat import untold
from tests.matches import simulate

ogxm = pytest.importorskip("ogxm", reason="the package ogxm has no wheel for this machine")
PIPS = "0123456789abcdefghijklmnop"
OPENING = (Rolled(None, (3, 1)), Played("white", "8/5 6/5"))


def read(data: bytes | str) -> dict[str, Any]:
    assert isinstance(data, bytes)
    found: dict[str, Any] = ogxm.binary_to_json(data)
    return found


def written(record: MatchRecord) -> dict[str, Any]:
    return read(formats.write(record, "ogxm"))


def match(
    *actions: Action, terms: Terms | None = None, result: Result | None = None, **more: Any
) -> MatchRecord:
    game = GameRecord((0, 0), actions, result)
    return replace(MatchRecord("backgammon", ("Ann", "Bob"), terms or Terms(length=5), (game,)), **more)


def board_of(ogid: str) -> list[int]:
    """A board out of the codec's own words for a position: White's pips, then Black's."""
    board = [0] * 26
    for pips, sign in zip(ogid.split(":")[:2], (1, -1), strict=True):
        for pip in pips:
            board[PIPS.index(pip)] += sign
    return board


def boards(record: MatchRecord, game: GameRecord) -> list[list[int]]:
    """The board after each action that shows in a file."""
    shown = [
        moment.after.position
        for moment in replay(record, game)
        if isinstance(moment.action, Played | Stood | Corrected)
    ]
    return [ogxm_export.board(position) for position in shown]


@pytest.mark.parametrize("rules", ["backgammon", "nackgammon", "hypergammon"])
@pytest.mark.parametrize("seed", range(12))
def test_the_codec_replays_what_was_played(rules: str, seed: int) -> None:
    record = simulate(seed, fouls=0.05, rules=rules)
    found = written(record)
    assert found["replay_complete"]
    assert found["variant"] == rules
    assert len(found["games"]) == len(record.games)
    for game, there in zip(record.games, found["games"], strict=True):
        plies = [ply for ply in there["plies"] if ply["action_id"] <= 20 or ply["action_id"] == 31]
        if (
            there["plies"]
            and there["plies"][-1]["action_id"] in (27, 29)
            and plies
            and not plies[-1].get("moves")
        ):
            after = [board_of(ply["ogid_after"]) for ply in plies]
            assert after[: len(boards(record, game))] == boards(record, game)
        else:
            assert [board_of(ply["ogid_after"]) for ply in plies] == boards(record, game)
        if game.result is not None and game.result.winner is not None:
            assert (there["winner"], there["points_won"]) == (
                ("white", "black").index(game.result.winner),
                game.result.points,
            )
        assert there["is_crawford"] == game.crawford


def test_sides_names_dice_and_the_cube_are_whose_they_are() -> None:
    record = match(
        *OPENING,
        Doubled("black"),
        Taken("white"),
        Rolled("black", (6, 4)),
        Played("black", "24/14"),
        Doubled("white"),
        Dropped("black"),
        result=Result("white", "single", 2, "dropped"),
        event="Open",
        round="3",
        place="Leipzig",
        date="2026-03-01",
    )
    found = written(record)
    assert (found["player_white"], found["player_black"]) == ("Ann", "Bob")
    assert (found["event"], found["round"], found["city"]) == ("Open", 3, "Leipzig")
    assert (found["started_at"], found["date_precision"]) == (1772323200000, "day")
    plies = found["games"][0]["plies"]
    assert [ply["action_id"] for ply in plies] == [2, 21, 22, 17, 21, 23]
    assert [ply["color"] for ply in plies] == [1, 0, 1, 0, 1, 0]
    assert plies[0]["moves"] == [{"from": 17, "pips": 3}, {"from": 19, "pips": 1}]
    assert plies[3]["moves"] == [{"from": 24, "pips": 6}, {"from": 18, "pips": 4}]
    assert plies[2]["ogid_after"].split(":")[2] == "W1T"  # White has taken, and owns the cube at 2


def test_a_beaver_and_a_raccoon_are_answers_and_a_third_is_refused() -> None:
    beavers = (*OPENING, Doubled("black"), Beavered("white"), Beavered("black"))
    terms = Terms(beavers=3)
    found = written(match(*beavers, Taken("white"), terms=terms))
    assert [ply["action_id"] for ply in found["games"][0]["plies"]] == [2, 21, 32, 33, 36]
    assert found["games"][0]["plies"][-1]["ogid_after"].split(":")[2] == "W3T"
    with pytest.raises(FormatError, match="no third one; use json, text or sgf"):
        formats.write(match(*beavers, Beavered("white"), Taken("black"), terms=terms), "ogxm")


@pytest.mark.parametrize(("beavers", "actions", "points"), [(1, [2, 21, 22, 27], 2), (2, [2, 21, 32, 27], 4)])
def test_a_dropped_beaver_is_a_take_and_a_resignation(beavers: int, actions: list[int], points: int) -> None:
    sides = ("white", "black")
    beaver = [Beavered(sides[number % 2]) for number in range(beavers)]
    dropper = sides[beavers % 2]
    winner = sides[1 - beavers % 2]
    result = Result(winner, "single", points, "dropped")
    found = written(
        match(*OPENING, Doubled("black"), *beaver, Dropped(dropper), terms=Terms(beavers=2), result=result)
    )
    game = found["games"][0]
    assert [ply["action_id"] for ply in game["plies"]] == actions
    assert (game["winner"], game["points_won"]) == (sides.index(winner), points)


def test_a_game_that_has_not_begun_has_no_plies() -> None:
    assert written(match())["games"][0]["plies"] == []


def test_a_roll_that_is_played_after_a_refused_resignation_is_one_roll() -> None:
    refused = (Rolled("black", (6, 4)), Resigned("black", "single", accepted=False), Played("black", "24/14"))
    ended = Resigned("white", "single")
    found = written(match(*OPENING, *refused, ended, result=Result("black", "single", 1, "resigned")))
    assert [ply["action_id"] for ply in found["games"][0]["plies"]] == [2, 17, 27]


def test_a_foul_that_stood_and_a_position_set_by_hand_are_kept() -> None:
    first = match(*OPENING, Rolled("black", (6, 4)))
    dirty = [moment.after.position.to_json() for moment in replay(first, first.games[0])][-1]
    dirty = {key: value for key, value in dirty.items() if key != "dice"} | {"turn": "white"}
    dirty["points"] = {**dirty["points"], "1": -1, "7": -1}
    set_by_hand = {**dirty, "points": {**dirty["points"], "24": 1, "23": 1}}
    record = match(
        *OPENING,
        Rolled("black", (6, 4)),
        Stood("black", dirty, "Black played a 6 only."),
        Corrected(set_by_hand, 2, "black"),
        Rolled("white", (6, 6)),
    )
    found = written(record)
    plies = found["games"][0]["plies"]
    assert [(ply["action_id"], ply.get("illegal", False)) for ply in plies] == [
        (2, False),
        (31, True),
        (31, False),
        (36, False),
    ]
    assert (plies[1]["d1"], plies[1]["d2"]) == (6, 4)
    assert found["annotations"][0]["value"] == "Black played a 6 only."
    assert plies[3]["cube_owner"] == "black"
    assert board_of(plies[2]["ogid_after"]) == boards(record, record.games[0])[-1]


def test_a_foul_by_dice_that_nobody_told_is_a_board() -> None:
    found = written(untold())
    plies = found["games"][0]["plies"]
    assert [ply["action_id"] for ply in plies] == [31, 31, 2]
    assert not {"d1", "illegal"} & plies[0].keys()
    assert found["annotations"][0]["value"] == "five pips"
    assert board_of(plies[1]["ogid_after"]) == boards(untold(), untold().games[0])[1]


@pytest.mark.parametrize(("cause", "action"), [("resigned", 27), ("time", 29)])
def test_a_game_ends_by_resignation_or_on_time(cause: str, action: int) -> None:
    ends = (Resigned("black", "gammon"),) if cause == "resigned" else ()
    record = match(*OPENING, *ends, result=Result("white", "gammon", 2, cause))
    found = written(record)
    last = found["games"][0]["plies"][-1]
    assert (last["action_id"], last["color"]) == (action, 0)
    assert (found["games"][0]["winner"], found["games"][0]["points_won"]) == (0, 2)


def test_a_score_set_by_hand_is_refused_with_the_way_out() -> None:
    game = GameRecord((0, 0), OPENING, Result("white", "single", 1, "time"))
    record = match(*OPENING)
    record = replace(record, games=(game, GameRecord((0, 2), ())))
    with pytest.raises(FormatError, match=r"game 2 does not begin at the score.*use json, text or sgf"):
        formats.write(record, "ogxm")


def test_odd_texts_reach_the_codec_sound() -> None:
    record = match(*OPENING, event="x" * 999, place="é" * 99, round="Semi\nfinal", comment="a\nb\udfff")
    record = replace(record, players=("A\udfffnn\n" + "n" * 300, ""))
    found = written(record)
    assert found["player_white"].startswith("A?nn n")
    assert found["stage"] == "Semi final"
    assert found["annotations"] == [{"key": "comment", "ref": 0, "scope": "match", "value": "a\nb?"}]


def test_the_table_signs_in_the_formats_own_form() -> None:
    key = Ed25519PrivateKey.generate()
    public = key.public_key().public_bytes_raw()
    data = ogxm_export.signed(match(*OPENING), public.hex(), key.sign)
    assert ogxm.verify_match(data, keys={public})
    assert not ogxm.verify_match(data, keys={b"x" * 32})
    whole = read(data)
    whole["games"][0]["plies"][0]["moves"][0]["from"] = 12  # another play in its place
    assert not ogxm.verify_match(ogxm.json_to_binary(whole))
    assert base64.b64decode(whole["match_signatures"][0]["public_key"]) == public


def test_other_games_are_refused_in_a_line() -> None:
    with pytest.raises(FormatError, match=r"ogxm holds backgammon, hypergammon, nackgammon only"):
        formats.write(MatchRecord("zombie", ("Ann", "Bob")), "ogxm")


def test_without_the_package_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ogxm", None)
    with pytest.raises(FormatError, match=re.escape("pip install ogxm")):
        formats.write(match(*OPENING), "ogxm")
