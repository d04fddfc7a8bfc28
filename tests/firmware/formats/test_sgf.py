"""Smart Game Format: gnubg's form, exactly read back, and files that are broken."""

from dataclasses import replace

import pytest

from engine import rules as games
from engine.match import Terms
from engine.record import (
    Beavered,
    Corrected,
    Doubled,
    Dropped,
    GameRecord,
    MatchRecord,
    Played,
    Remark,
    Resigned,
    Result,
    Rolled,
    Taken,
    replay,
)
from firmware import formats
from firmware.formats import sgf, sgf_import
from firmware.formats.source import Imported
from tests.firmware.formats.test_mat import OPENING, foul, last_checker, match, untold
from tests.matches import simulate


def test_a_game_has_gnubgs_form_numbered_from_0() -> None:
    record = match(
        *OPENING, Rolled("black", (6, 4)), Played("black", "24/14"), event="Open]", date="2026-03-01"
    )
    assert (
        sgf.write(record) == "(;FF[4]GM[6]CA[UTF-8]AP[Barpoint]MI[length:5][game:0][ws:0][bs:0]"
        "PW[Ann]PB[Bob]DT[2026-03-01]EV[Open\\]]RU[Crawford]\n"
        ";W[31hefe]\n;B[64aggk])\n"
    )


def test_dances_cube_actions_and_a_resignation() -> None:
    record = match(
        *OPENING,
        Doubled("black"),
        Beavered("white"),
        Taken("black"),
        Resigned("black", "gammon"),
        terms=Terms(beavers=2, jacoby=True, automatic=1),
        result=Result("white", "gammon", 8, "resigned"),
    )
    text = sgf.write(record)
    assert "RU[Jacoby:Beavers2:Automatic1]RE[W+8R]" in text
    assert text.endswith("\n;B[double]\n;W[double]\n;B[take])\n")
    assert sgf_import.read(text).record == record


def test_a_foul_that_stood_is_a_roll_and_a_board() -> None:
    record, _ = foul()
    text = sgf.write(record)
    assert "\n;PL[W]DI[31]\n;PL[B]AE[a:y]AW" in text
    assert "C[five pips: with 3-1]" in text
    assert sgf_import.read(text).record == sgf.kept(record)


def test_a_foul_by_dice_that_nobody_told_is_whose_it_was_and_a_board() -> None:
    text = sgf.write(untold())
    assert "RE" not in text
    assert "DI" not in text
    assert "\n;PL[W]\n;PL[B]AE[a:y]AW" in text
    assert sgf_import.read(text).record == sgf.kept(untold()) == untold()


def test_a_foul_that_ends_the_game_is_one() -> None:
    assert sgf_import.read(sgf.write(last_checker())) == Imported(last_checker())


def test_a_correction_by_hand_comes_back_with_its_cube() -> None:
    board = {
        "rules": "backgammon",
        "turn": "black",
        "points": {"6": 15, "19": -14},
        "bar": [0, 0],
        "off": [0, 1],
    }
    record = match(*OPENING, Corrected(board, 4, "white"), Rolled("black", (2, 1)))
    assert sgf_import.read(sgf.write(record)).record == record


@pytest.mark.parametrize(("turn", "cube"), [("black", 1), ("black", 2), ("white", 1)])
def test_what_is_set_by_hand_while_dice_are_played_is_no_foul(turn: str, cube: int) -> None:
    board = list(replay(match(), match(*OPENING).games[0]))[-1].after.position.to_json()
    rolled = (Rolled("black", (6, 4)), Corrected({**board, "turn": turn}, cube))
    record = match(*OPENING, *rolled, Rolled(turn, (6, 4)), Played(turn, "24/14"))
    assert sgf_import.read(sgf.write(record)) == Imported(record)


def test_what_is_set_by_hand_before_the_opening_roll_leaves_it_to_either_side() -> None:
    start = games.get("backgammon").start({}).to_json()
    opening = (Rolled(None, (1, 3)), Played("black", "8/5 6/5"))
    read = sgf_import.read(sgf.write(match(Corrected(start), *opening)))
    assert read == Imported(match(*opening))
    other = {**start, "points": {**start["points"], "8": 4, "13": 4}}
    read = sgf_import.read(sgf.write(match(Corrected(other), Corrected(other, 2), *opening)))
    assert read.notes == ()
    assert read.record.games[0].start == {**other, "turn": "black"}
    assert read.record.games[0].actions[-1] == opening[-1]


def test_another_start_and_stake_come_back() -> None:
    board = {
        "rules": "backgammon",
        "turn": "black",
        "points": {"6": 15, "19": -14},
        "bar": [0, 0],
        "off": [0, 1],
    }
    record = match(Rolled("black", (2, 1)), Played("black", "6/5 6/4"), terms=Terms(automatic=1))
    record = replace(record, games=(replace(record.games[0], start=board, cube=2),))
    assert sgf_import.read(sgf.write(record)).record == record


@pytest.mark.parametrize("text", ["plain", "with ] and \\ and :", "two\nlines", "tab\tgone", "umlaut ü"])
def test_comments_of_every_kind_survive(text: str) -> None:
    record = match(*OPENING, Remark(text), comment=text)
    kept = replace(
        record,
        comment=text.replace("\t", " "),
        games=(replace(record.games[0], actions=(*OPENING, Remark(text.replace("\t", " ")))),),
    )
    assert sgf_import.read(sgf.write(record)).record == kept


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("fouls", [0.0, 0.02])
def test_random_matches_come_back_exactly(seed: int, fouls: float) -> None:
    record = simulate(seed, fouls, loose=bool(fouls))
    read = sgf_import.read(sgf.write(record))
    assert read.notes == ()
    assert read.record == sgf.kept(record)


def test_analysis_and_unknown_properties_and_variations_are_passed_over() -> None:
    text = (
        "(;FF[4]GM[6]AP[GNU Backgammon:1.08]MI[length:3][game:0][ws:0][bs:0]PW[A]PB[B]RU[Crawford]GS[M:1 2]\n"
        ";W[31hefe]A[0][hefe E ver 3 0.5]LU[0.1]BM[1](;B[64aggk]DA[E 1 2])(;B[66]))\n(;GM[1];B[aa])"
    )
    read = sgf_import.read(text)
    assert [type(action) for action in read.record.games[0].actions] == [Rolled, Played, Rolled, Played]
    assert read.notes == ()


@pytest.mark.parametrize(
    ("body", "line", "reason"),
    [
        ("\n;W[31hefe]\n;W[42hefe]", 3, "it is black's turn|no such roll"),
        ("\n;W[31hefe]\n;B[take]", 3, "no double"),
        ("\n;W[31he?e]", 2, "is not a point"),
        ("\n;W[31hef]", 2, "letters go in pairs"),
    ],
)
def test_what_cannot_be_taken_is_reported_by_its_line(body: str, line: int, reason: str) -> None:
    text = f"(;GM[6]MI[length:3][game:0][ws:0][bs:0]PW[A]PB[B]{body})"
    read = sgf_import.read(text)
    assert read.notes[0].line == line
    assert any(word in read.notes[0].text for word in reason.split("|"))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(;GM[1];B[aa])", "no game of backgammon"),
        ("(;GM[6]", "in the middle of a game"),
        (")", "no game of backgammon"),
        ("(or so, they say)", "no game of backgammon"),
        ("", "no game of backgammon"),
    ],
)
def test_what_is_no_backgammon_is_refused(text: str, reason: str) -> None:
    with pytest.raises(formats.FormatError, match=reason):
        sgf_import.read(text)


def test_words_around_the_trees_cost_no_game() -> None:
    text = sgf.write(simulate(2))
    second = text.index("(;", 9)
    told = f"Hi (a match), 3 days old:\n\n{text[:second]}and then,\n{text[second:]}\nSee you, Bob :)\n"
    assert sgf_import.read(told) == sgf_import.read(text)
    read = sgf_import.read(told.replace(";W[", ";W[??", 1))
    assert told.split("\n")[read.notes[0].line - 1].startswith(";W[")


@pytest.mark.parametrize("players", [("X", "Y"), ("Ann", "Bob")])
def test_another_match_in_the_file_is_left_out_and_named(players: tuple[str, str]) -> None:
    other = MatchRecord("backgammon", players, Terms(length=5), (GameRecord((0, 0), OPENING),))
    read = sgf_import.read(sgf.write(match(*OPENING)) + sgf.write(other))
    assert len(read.record.games) == 1
    assert "another match" in read.notes[0].text


HEAD = "(;FF[4]GM[6]MI[length:5][game:0][ws:0][bs:0]PW[Ann]PB[Bob]RE[W+1R]"


@pytest.mark.parametrize(
    "text",
    [
        f"Saved by somebody\n\n{HEAD}\n;W[31hefe]\n;B[42qusu])",
        f"\ufeff{HEAD}\r\n;W[31hefe]\r\n;B[42qusu])",
        f"{HEAD};W[31HEFE];B[42QUSU])",
        (
            f"{HEAD};W[31hefe]A[0][hefe E ver 3 0.1]DA[E]GS[M:1"
            " 2][C:3]LU[+0.1]BM[2](;B[42qusu](;TE[1])(;W[66]))(;B[11]))"
        ),
        HEAD.replace("FF[4]GM[6]", "FileFormat[3]GaMe[6]") + ";White[31hefe];Black[42qusu])",
    ],
    ids=["preface", "mark and crlf", "capitals", "analysis and variations", "long names"],
)
def test_how_other_programs_write_a_tree(text: str) -> None:
    read = formats.read(text.encode(), "sgf")
    assert read.notes == ()
    assert [action.text for action in read.record.games[0].actions if isinstance(action, Played)] == [
        "8/5 6/5",
        "8/4 6/4",
    ]


@pytest.mark.parametrize("seed", [2, 5])
def test_of_a_file_that_is_cut_off_all_that_is_whole_is_taken(seed: int) -> None:
    whole = simulate(seed, 0.05)
    text = sgf.write(whole)
    whole = sgf.kept(whole)
    for end in range(text.index("\n;") + 2, text.rindex(")"), 37):
        *before, last = (read := sgf_import.read(text[:end])).record.games
        assert before == list(whole.games[: len(before)])
        assert last.actions == whole.games[len(before)].actions[: len(last.actions)]
        (note,) = [note for note in read.notes if note.lost]
        assert note.line == text[:end].count("\n") + 1
        assert "the file ends in the middle of a game" in note.text


@pytest.mark.parametrize(
    ("end", "plays"), [("", 2), (")", 2), ("A[0][he", 2), ("\n;PL[W]AE[a:y]AW[a][b]", 2)]
)
def test_a_play_before_the_cut_is_kept_and_half_a_board_is_not(end: str, plays: int) -> None:
    read = sgf_import.read(HEAD + "\n;W[31hefe]\n;B[42qusu]" + end)
    assert sum(isinstance(action, Played) for action in read.record.games[0].actions) == plays
    assert not any(isinstance(action, Corrected) for action in read.record.games[0].actions)
    assert [note.lost for note in read.notes] == ([] if end == ")" else [True])


@pytest.mark.parametrize(
    ("score", "told", "fault"),
    [
        ((0, 0), "W+2", ""),
        ((0, 0), "B+2", "line 1: 'RE[B+2]', but white wins 2 by the play and the cube"),
        ((0, 0), "W+4R", "line 1: 'RE[W+4R]', but white wins 2 by the play and the cube"),
        ((4, 0), "W+1", ""),  # all that the match needed
    ],
)
def test_a_result_that_is_not_what_was_played_is_told(score: tuple[int, int], told: str, fault: str) -> None:
    won = Result("white", "single", 2, "dropped")
    cube = (Doubled("black"), Taken("white"), Rolled("black", (6, 4)), Played("black", "24/14"))
    game = GameRecord(score, (*OPENING, *cube, Doubled("white"), Dropped("black")), won)
    record = MatchRecord("backgammon", ("Ann", "Bob"), Terms(5, score=score, crawford_over=True), (game,))
    read = sgf_import.read(sgf.write(record).replace("RE[W+2]", f"RE[{told}]"))
    assert read.record == record
    assert "".join(map(str, read.notes)) == fault


def test_a_score_that_is_not_what_the_game_before_leads_to_is_told() -> None:
    record = simulate(2)
    score = record.games[1].score
    wrong = sgf.write(record).replace(f"[game:1][ws:{score[0]}]", f"[game:1][ws:{score[0] + 2}]")
    read = sgf_import.read(wrong)
    assert "leads to" in read.notes[0].text
    assert not any(note.lost for note in read.notes)
    assert wrong.split("\n")[read.notes[0].line - 1].startswith("(;FF[4]GM[6]")


def test_dice_that_wait_to_be_played_are_a_roll_as_gnubg_writes_it() -> None:
    read = sgf_import.read(HEAD.replace("RE[W+1R]", "") + "\n;W[31hefe]\n;PL[B]DI[64]\n;B[64])")
    assert read.notes == ()
    assert read.record.games[0].actions == (*OPENING, Rolled("black", (6, 4)))
    assert sgf_import.read(HEAD + "\n;W[31]\n;B[42qusu])").notes[0].lost


def test_cube_words_may_be_written_large_and_a_strange_result_is_told() -> None:
    read = formats.read(HEAD.replace("W+1R", "B+Resign") + ";W[31hefe];B[Double];W[Take])")
    assert [type(action) for action in read.record.games[0].actions[2:]] == [Doubled, Taken]
    assert [str(note) for note in read.notes] == [
        "line 1: RE: 'B+Resign' is not a winner with points, as B+2R"
    ]


@pytest.mark.parametrize(
    "text", ["", "(;GM[1];B[aa])", HEAD + ";W[31hefe]\n;B[42qusu]3)", "))", "(;GM[6]", HEAD]
)
def test_what_is_no_tree_of_backgammon_is_refused(text: str) -> None:
    with pytest.raises(formats.FormatError):
        formats.read(text, "sgf")


def test_a_play_that_cannot_be_read_is_told_by_line_and_is_a_part_that_is_missing() -> None:
    read = formats.read(HEAD + "\n;W[31hefe]\n;B[pass]\n;W[42hd])")
    assert [(note.line, note.lost) for note in read.notes] == [(3, True)]
