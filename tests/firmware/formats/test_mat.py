"""Our own .mat files: byte for byte where it matters, exactly read back, and gnubg's files of the same
matches."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from engine import rules as games
from engine.match import Terms
from engine.position import Position
from engine.record import (
    Action,
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
    Stood,
    Taken,
    replay,
)
from firmware import formats
from firmware.formats import jsonform, mat, mat_import
from firmware.formats.board import BoardCounts
from firmware.formats.source import Imported
from tests.matches import simulate

MATCHES = Path(__file__).parents[2] / "data" / "matches"


def match(
    *actions: Action, terms: Terms | None = None, result: Result | None = None, **more: object
) -> MatchRecord:
    game = GameRecord((0, 0), actions, result)
    return replace(MatchRecord("backgammon", ("Ann", "Bob"), terms or Terms(length=5), (game,)), **more)


OPENING = (Rolled(None, (3, 1)), Played("white", "8/5 6/5"))


def rows(record: MatchRecord) -> list[str]:
    return [line.rstrip() for line in mat.write(record).split("Bob : 0\n")[1].splitlines() if line.strip()]


def test_a_file_has_the_form_that_gnubg_reads() -> None:
    record = match(*OPENING, Rolled("black", (6, 4)), event="Open", place="Leipzig", date="2026-03-01")
    assert (
        mat.write(record)
        == '; [Site "Leipzig"]\n; [Event "Open"]\n; [Player 1 "Ann"]\n; [Player 2 "Bob"]\n; [EventDate'
        ' "2026.03.01"]\n; [Variation "Backgammon"]\n; [Crawford "On"]\n\n 5 point match\n\n Game 1\n Ann'
        " : 0                        Bob : 0\n  1) 31: 8/5 6/5                 64: \n\n"
    )


def test_black_first_leaves_the_left_cell_empty_and_has_the_higher_die_first() -> None:
    assert rows(match(Rolled(None, (1, 3)), Played("black", "8/5 6/5"))) == [
        "  1)                             31: 8/5 6/5"
    ]


def test_bar_off_hits_and_dances_are_in_plain_notation() -> None:
    start = {
        "rules": "backgammon",
        "turn": "white",
        "points": {"20": -1, "1": 1, "24": -2},
        "bar": [1, 0],
        "off": [13, 12],
    }
    record = match(Rolled("white", (5, 6)), Played("white", "bar/20*/14"))
    record = replace(record, games=(replace(record.games[0], start=start),))
    assert rows(record)[-1] == "  1) 56: 25/20* 20/14"
    stuck = {**start, "points": {"24": -2, "19": -2, "1": 1}, "off": [13, 11]}
    record = match(Rolled("white", (6, 6)), Played("white", "pass"))
    record = replace(record, games=(replace(record.games[0], start=stuck),))
    assert rows(record)[-1] == "  1) 66:"


def test_no_line_of_moves_is_shorter_than_gnubg_needs() -> None:
    """gnubg looks for the right cell behind column 15 even of a shorter line, and reads what is left of the
    line before."""
    for seed in (0, 12, 32):
        assert all(
            len(line) > 15 for line in mat.write(simulate(seed)).splitlines() if re.match(r" *\d+\)", line)
        )


def test_a_drop_and_its_winner_stand_in_one_row_on_the_right_and_in_two_on_the_left() -> None:
    black = match(
        *OPENING,
        Rolled("black", (6, 4)),
        Played("black", "24/14"),
        Doubled("white"),
        Dropped("black"),
        result=Result("white", "single", 1, "dropped"),
    )
    assert rows(black)[-2:] == ["  2)  Doubles => 2                Drops", "      Wins 1 point"]
    white = match(
        *OPENING, Doubled("black"), Dropped("white"), result=Result("black", "single", 1, "dropped")
    )
    assert rows(white)[-1] == "  2)  Drops                       Wins 1 point"


def test_the_end_of_the_match_is_said() -> None:
    won = match(
        *OPENING,
        Resigned("black", "gammon"),
        terms=Terms(length=2),
        result=Result("white", "gammon", 2, "resigned"),
    )
    assert rows(won)[-1].strip() == "Wins 2 points and the match"


def test_a_beaver_taken_by_the_next_roll_is_written_without_a_take() -> None:
    money = Terms(beavers=1)
    taken = match(
        *OPENING, Doubled("black"), Beavered("white"), Taken("black"), Rolled("black", (6, 4)), terms=money
    )
    assert [row[4:].split() for row in rows(taken)[1:]] == [["Beavers", "=>", "4", "64:"]]
    dropped = match(
        *OPENING,
        Doubled("black"),
        Beavered("white"),
        Dropped("black"),
        terms=money,
        result=Result("white", "single", 2, "dropped"),
    )
    assert rows(dropped)[1].split()[1:] == ["Doubles", "=>", "4", "Drops"]
    raccoon = (Beavered("white"), Beavered("black"), Taken("white"), Rolled("black", (6, 4)))
    answered = match(*OPENING, Doubled("black"), *raccoon, terms=Terms(beavers=2))
    assert [row[4:].split() for row in rows(answered)[1:3]] == [
        ["Doubles", "=>", "4", "Doubles", "=>", "8"],
        ["Takes", "64:"],
    ]
    for record in (taken, dropped, answered):
        assert mat_import.read(mat.write(record)).record == mat.kept(record)


def foul() -> tuple[MatchRecord, BoardCounts]:
    position = games.get("backgammon").start({}).roll((3, 1))
    board = BoardCounts.of(position).moved(0, [(13, 8)])
    stood = Stood("white", board.to_json("backgammon", "black"), "five pips: with 3-1")
    return match(Rolled(None, (3, 1)), stood, Rolled("black", (6, 4)), Played("black", "24/14")), board


def test_a_foul_that_stood_is_an_illegal_play_with_the_position_after_it() -> None:
    record, _ = foul()
    text = mat.write(record)
    assert '; [Illegal "Game 1, move 1, white: five pips: with 3-1"]' in text
    assert "31: Illegal play (5;0;0;0;0;Bob;Ann;0;0;0;1;0;0;" in text
    read = mat_import.read(text)
    assert read.notes == ()
    assert read.record == mat.kept(record)


def test_the_board_of_a_foul_pushes_no_column_aside() -> None:
    board = BoardCounts.of(games.get("backgammon").start({})).moved(1, [(24, 18), (18, 14)])
    stood = Stood("white", board.moved(0, [(13, 8)]).to_json("backgammon", "black"))
    begun = (Rolled(None, (4, 6)), Played("black", "24/14"), Rolled("white", (3, 1)), stood)
    record = match(*begun, Doubled("black"), Dropped("white"), result=Result("black", "single", 1, "dropped"))
    assert mat_import.read(mat.write(record)) == Imported(record)


def last_checker() -> MatchRecord:
    """A foul that ends the game."""
    start = {"rules": "backgammon", "turn": "white", "points": {"6": 1, "19": -14}}
    start |= {"bar": [0, 0], "off": [14, 1]}
    over = {"rules": "backgammon", "points": {"19": -14}, "bar": [0, 0], "off": [15, 1]}
    played = (Rolled("white", (2, 1)), Stood("white", over))
    game = GameRecord((0, 0), played, Result("white", "single", 1), start=start)
    return replace(match(), games=(game,))


def test_a_foul_that_ends_the_game_is_one() -> None:
    assert mat_import.read(mat.write(last_checker())) == Imported(last_checker())


def untold() -> MatchRecord:
    """A foul before an opening roll and one after a play, both by dice that nobody told."""
    board = BoardCounts.of(games.get("backgammon").start({}))
    first = Stood("white", board.moved(0, [(13, 8)]).to_json("backgammon", "black"), "five pips")
    second = Stood("black", board.to_json("backgammon", "white"))
    return match(first, second, Rolled("white", (3, 1)), Played("white", "8/5 6/5"))


def test_a_foul_by_dice_that_nobody_told_has_some_that_programs_can_read_and_the_head_says_so() -> None:
    text = mat.write(untold())
    assert '; [Illegal "Game 1, move 1, white, no dice: five pips"]' in text
    assert text.count("21: Illegal play (") == 2
    read = mat_import.read(text)
    assert (read.record, read.notes) == (mat.kept(untold()), ())
    assert read.record == untold()


def after(*actions: Action) -> Position:
    """The position that these actions of a game lead to."""
    record = match(*actions)
    return list(replay(record, record.games[0]))[-1].after.position


def right(text: str, *, dice: tuple[int, int] = (6, 4)) -> Corrected:
    """Set by hand: what this play of Black's after the opening leads to."""
    return Corrected(after(*OPENING, Rolled("black", dice), Played("black", text)).to_json())


ROLLED = (*OPENING, Rolled("black", (6, 4)))
WRONG = (*ROLLED, Played("black", "24/14"))
NEXT = Rolled("white", (5, 2))
AGAIN = Corrected(after(*OPENING).to_json())


@pytest.mark.parametrize(
    "actions",
    [
        pytest.param((*ROLLED, right("8/2 6/2"), NEXT), id="instead of a play"),
        pytest.param((*WRONG, right("8/2 6/2"), NEXT), id="a play that was misread, at once"),
        pytest.param((*WRONG, NEXT, right("8/2 6/2"), NEXT), id="and after the next roll"),
        pytest.param((*WRONG, Remark("!"), right("24/18 13/9"), right("8/2 6/2"), NEXT), id="at last"),
        pytest.param(
            (*ROLLED, AGAIN, ROLLED[-1], right("8/2 6/2"), NEXT),
            id="in two steps, the turn at last",
        ),
        pytest.param(
            (*ROLLED, AGAIN, ROLLED[-1], Played("black", "8/2 6/2"), NEXT),
            id="set to what it was, with the dice",
        ),
        pytest.param((*ROLLED, Played("black", "8/2 6/2"), right("8/2 6/2"), NEXT), id="set to what it was"),
    ],
)  # fmt: skip
def test_a_position_set_by_hand_that_a_legal_play_leads_to_is_that_play(actions: tuple[Action, ...]) -> None:
    record = match(*actions, Played("white", "13/11 13/8"))
    plain = match(*ROLLED, Played("black", "8/2 6/2"), NEXT, Played("white", "13/11 13/8"))
    assert mat.write(record) == mat.write(plain)
    read = mat_import.read(mat.write(record))
    assert read.notes == ()
    assert read.record == mat.kept(record) == mat.kept(plain)


def odd(turn: str) -> dict[str, object]:
    """A position that no play leads to."""
    data = {**after(*OPENING).to_json(), "turn": turn}
    return {**data, "points": {**data["points"], "1": -1, "2": -1, "24": 0, "23": 2}}


@pytest.mark.parametrize("turn", ["white", "black"])
@pytest.mark.parametrize("cube", [1, 2])
@pytest.mark.parametrize("begun", [OPENING, ROLLED], ids=["before a roll", "before a play"])
def test_a_position_that_no_play_leads_to_is_a_foul_whose_dice_nobody_told(
    turn: str, cube: int, begun: tuple[Action, ...]
) -> None:
    """What was played after it was lost; it is where a part of a film is missing."""
    missing = Corrected(odd(turn), cube, "white" if cube > 1 else None)
    ended = Resigned("black", "single")
    record = match(*begun, missing, Rolled(turn, (5, 2)), ended)
    record = replace(record, games=(record.games[0], GameRecord((cube, 0), WRONG)))
    text = mat.write(record)
    assert "[Note" not in text
    assert 'the position was set; what was played is not known"]' in text
    assert f"Wins {cube} point" in text
    assert "64: 24/18 18/14" in text, "the next game is whole"
    read = mat_import.read(text)
    assert read.notes == ()
    assert read.record == mat.kept(record)
    [*_, last, resigned] = replay(read.record, read.record.games[0])
    assert (last.before.position.to_json(), last.before.cube) == (after(missing).to_json(), cube)
    assert last.action == Rolled(turn, (5, 2))
    assert resigned.action == ended


def test_a_position_that_no_foul_stands_for_costs_the_rest_of_its_own_game_and_a_note_says_so() -> None:
    ended = Resigned("black", "gammon")
    offered = (*OPENING, Doubled("black"), Corrected(odd("white")), NEXT, ended)
    cut = GameRecord((0, 0), offered, Result("white", "gammon", 2, "resigned"))
    record = replace(match(), games=(cut, GameRecord((2, 0), WRONG)))
    text = mat.write(record)
    assert text.count("[Note") == 1
    assert '; [Note "Game 1: after 1 play the position was set by hand' in text
    assert "Wins 2 points" in text
    assert "64: 24/18 18/14" in text, "the other game is whole"
    read = mat_import.read(text)
    assert read.notes == ()
    assert read.record == mat.kept(record)
    assert read.record.games[0] == GameRecord((0, 0), (*OPENING, ended), cut.result)


def test_a_cube_set_by_hand_is_no_play_either_and_a_game_set_up_by_hand_starts_there() -> None:
    record = match(*OPENING, Corrected(after(*OPENING).to_json(), 8, "white"), Rolled("black", (2, 1)))
    assert mat.kept(record).games[0].actions == OPENING
    begun = match(Corrected(after(*OPENING).to_json()), *ROLLED[2:])
    assert mat_import.read(mat.write(begun)).record == mat.kept(begun)
    assert mat.kept(begun).games[0].start == after(*OPENING).to_json()


def test_another_start_is_set_and_read_back() -> None:
    start = {
        "rules": "backgammon",
        "turn": "black",
        "points": {"6": 15, "19": -14},
        "bar": [0, 0],
        "off": [0, 1],
    }
    record = match(Rolled("black", (2, 1)), Played("black", "6/5 6/4"))
    record = replace(record, games=(replace(record.games[0], start=start),))
    read = mat_import.read(mat.write(record))
    assert read.notes == ()
    assert read.record == record


@pytest.mark.parametrize(
    "name",
    [
        "Ben: the 2nd",
        "Ann, 3",
        "A name that is far too long for the line of scores",
        "Zoë Ångström, née Ödön Ümlaut the Third",
        'Quote "me"',
        "Game 1",
        "3 point match",
        "Money game Max",
        "#1 Dad",
        "; Ann",
        "",
        "x",
    ],
)
def test_every_name_survives_though_the_score_line_has_a_safe_form(name: str) -> None:
    safe = mat.score_name(name)
    assert ":" not in safe
    assert len(safe.encode()) <= 31
    for players in ((name, "Bob"), ("Bob", name), (name, name)):
        record = match(*OPENING, players=players)
        assert mat_import.read(mat.write(record)).record == record


def test_what_the_format_cannot_hold_is_left_out_and_nothing_else() -> None:
    loose = match(
        Rolled(None, (2, 2)),
        Rolled(None, (3, 1), 2),
        Remark("the dice fell off the board"),
        Resigned("white", "single", accepted=False),
        Played("white", "8/5 6/5"),
    )
    assert mat.kept(loose).games[0].actions == OPENING
    assert mat_import.read(mat.write(loose)).record == mat.kept(loose)


def test_a_loss_on_time_is_a_resignation_for_others_and_the_head_says_what_it_was() -> None:
    record = match(*OPENING, result=Result("white", "single", 1, "time"))
    text = mat.write(record)
    assert '; [OutOfTime "Game 1, black"]' in text
    assert mat_import.read(text).record == mat.kept(record) == record
    theirs = mat_import.read(text.replace("OutOfTime", "Else")).record
    assert theirs.games == mat.kept(record, time=False).games
    assert theirs.games[0].actions[-1] == Resigned("black", "single")


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("fouls", [0.0, 0.02])
def test_random_matches_come_back_exactly(seed: int, fouls: float) -> None:
    record = simulate(seed, fouls, loose=bool(fouls))
    read = mat_import.read(mat.write(record))
    assert read.notes == ()
    assert read.record == mat.kept(record)


@pytest.mark.parametrize(
    "path",
    sorted(MATCHES.glob("gnubg-*.mat")) + sorted(MATCHES.glob("gnubg-*.sgf")),
    ids=lambda path: path.name,
)
def test_gnubgs_own_files_of_a_match_are_read_to_what_was_played(path: Path) -> None:
    played = mat.kept(
        jsonform.read((MATCHES / f"{path.name.split('-from')[0]}.json").read_text(encoding="utf-8"))
    )
    read = formats.read(path.read_bytes())
    assert read.notes == ()
    assert [game.actions for game in read.record.games] == [game.actions for game in played.games]
    assert [(game.score, game.result, game.crawford) for game in read.record.games] == [
        (game.score, game.result, game.crawford) for game in played.games
    ]


def test_the_samples_of_gnubg_are_there() -> None:
    assert len(list(MATCHES.glob("gnubg-*.mat"))) == 3
    assert len(list(MATCHES.glob("gnubg-*.sgf"))) == 6


def test_writing_what_was_read_gives_the_same_file() -> None:
    record = simulate(25)
    text = mat.write(record)
    assert mat.write(mat_import.read(text).record) == text


def test_the_points_of_a_record_add_up_to_its_score() -> None:
    record = simulate(25)
    for before, after in zip(record.games, record.games[1:], strict=False):
        assert before.result is not None
        gained = [before.result.points * (side == before.result.winner) for side in ("white", "black")]
        assert after.score == (before.score[0] + gained[0], before.score[1] + gained[1])
    assert max(record.score) >= record.terms.length
    assert all(moment.after for moment in replay(record, record.games[0]))
