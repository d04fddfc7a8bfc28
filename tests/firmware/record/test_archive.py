"""Match records from the journal, and the checks of ``barpoint verify``."""

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from engine.events import Begin, Button, Choose, Commit, Correct, Event, Next, Press, Reveal, Roll, Seed
from engine.match import Terms
from engine.record import (
    Corrected,
    Doubled,
    Dropped,
    MatchRecord,
    Played,
    Remark,
    Resigned,
    Rolled,
    Taken,
    replay,
)
from firmware.cli import main
from firmware.formats import FORMATS, read, write
from firmware.record.archive import find, match_record, read_match
from firmware.record.catalogue import listing
from firmware.record.chain import JournalError
from firmware.record.game_faults import Fault
from firmware.record.journal import Journal
from firmware.record.verify import check_log, check_record
from hardware.dice import SealedDice

AT = "2026-01-31T20:15:00Z"


def log(path: Path, *events: Event, name: str = "g") -> MatchRecord:
    with Journal.open(path) as journal:
        for event in events:
            journal.append(name, AT, event.to_json())
        return match_record(journal.entries(name))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.db"


BEGIN = Begin(
    t=0,
    rules="backgammon",
    players={"white": "Ann", "black": "Ben"},
    terms=Terms(length=3),
    competition="Club night",
)
OPENING = Roll(t=1, dice=(3, 1), side="white")
PLAY = Choose(t=2, play="8/5 6/5")


def press(button: Button, side: str, t: float = 3) -> Press:
    return Press(t=t, button=button, side=side)


def test_who_played_what_under_which_terms(path: Path) -> None:
    match = log(path, BEGIN, OPENING, PLAY)
    assert (match.rules, match.players, match.terms.length, match.event, match.date) == (
        "backgammon",
        ("Ann", "Ben"),
        3,
        "Club night",
        "2026-01-31",
    )
    assert match.games[0].actions == (Rolled(None, (3, 1)), Played("white", "8/5 6/5"))


def test_an_opening_roll_is_kept_in_the_order_of_the_sides_whichever_way_it_was_told(path: Path) -> None:
    match = log(path, BEGIN, Roll(t=1, dice=(6, 2), side="black"))
    assert match.games[0].actions == (Rolled(None, (2, 6)),)


def test_doubles_and_drops_are_kept_and_the_next_game_has_the_score(path: Path) -> None:
    match = log(
        path, BEGIN, OPENING, PLAY, press(Button.DOUBLE, "black"), press(Button.DROP, "white"), Next(t=4)
    )
    assert match.games[0].actions[2:] == (Doubled("black"), Dropped("white"))
    assert [game.score for game in match.games] == [(0, 0), (0, 1)]
    assert match.games[0].result is not None
    assert (match.games[0].result.winner, match.games[0].result.cause) == ("black", "dropped")


def test_a_taken_double_and_a_resignation(path: Path) -> None:
    match = log(
        path,
        BEGIN,
        OPENING,
        PLAY,
        press(Button.DOUBLE, "black"),
        press(Button.TAKE, "white"),
        Press(t=4, button=Button.RESIGN, side="black", grade="gammon"),
        press(Button.DROP, "white", 5),
        press(Button.RESIGN, "black", 6),
        press(Button.TAKE, "white", 7),
    )
    assert match.games[0].actions[3:] == (
        Taken("white"),
        Resigned("black", "gammon", accepted=False),
        Resigned("black", "single"),
    )
    assert match.score == (2, 0)


def test_a_withdrawn_resignation_leaves_nothing(path: Path) -> None:
    resign = press(Button.RESIGN, "white")
    match = log(path, BEGIN, OPENING, *(replace(resign, t=3.0 + n) for n in range(4)))
    assert match.games[0].actions == (Rolled(None, (3, 1)),)


def test_a_play_taken_back_is_not_in_the_record(path: Path) -> None:
    match = log(path, BEGIN, OPENING, PLAY, press(Button.UNDO, "white"), Choose(t=4, play="24/23 24/21"))
    assert match.games[0].actions == (
        Rolled(None, (3, 1)),
        Remark("white took the play back"),
        Played("white", "24/23 24/21"),
    )


def test_a_correction_by_hand_is_in_the_record(path: Path) -> None:
    match = log(path, BEGIN, OPENING, PLAY, Correct(t=3, cube=2, owner="white"))
    assert isinstance(match.games[0].actions[-1], Corrected)


def proved(path: Path, spoil: int | None = None) -> MatchRecord:
    """A match whose dice were committed to; the roll numbered ``spoil`` is announced wrongly."""
    dice = SealedDice(b"s" * 32, ("hello",))
    events: list[Event] = [BEGIN, Commit(t=0, digest=dice.commitment), Seed(t=0, side="white", words="hello")]
    number = 0
    while True:
        number += 1
        fell = dice.roll(number, 2)
        events += [
            press(Button.ROLL, "white", number),
            Roll(t=number, number=number, dice=fell if number != spoil else (fell[0] % 6 + 1, fell[1])),
        ]
        if fell[0] != fell[1]:
            break
    side = "white" if fell[0] > fell[1] else "black"
    events += [
        press(Button.RESIGN, side, 50),
        press(Button.TAKE, "black" if side == "white" else "white", 51),
    ]
    return log(path, *events, Reveal(t=52, secret=dice.secret.hex()))


def test_dice_that_were_committed_to_are_numbered_and_proved(path: Path) -> None:
    match = proved(path)
    assert match.games[0].proof is not None
    assert match.games[0].proof.words == ("hello",)
    assert "as committed" in " ".join(check_record(match))


def test_a_roll_that_the_secret_does_not_give_is_named(path: Path) -> None:
    match = proved(path)
    actions = list(match.games[0].actions)
    last = next(
        place
        for place, action in enumerate(actions)
        if isinstance(action, Rolled) and action.dice[0] != action.dice[1]
    )
    roll = actions[last]
    assert isinstance(roll, Rolled)
    other = next(
        face
        for face in range(1, 7)
        if face not in roll.dice and (face > roll.dice[1]) == (roll.dice[0] > roll.dice[1])
    )
    actions[last] = replace(roll, dice=(other, roll.dice[1]))
    forged = replace(match, games=(replace(match.games[0], actions=tuple(actions)),))
    with pytest.raises(Fault, match=f"roll {roll.number} is logged as"):
        check_record(forged)


def test_a_move_that_the_rules_do_not_allow_is_named(path: Path) -> None:
    match = log(path, BEGIN, OPENING, PLAY)
    game = match.games[0]
    forged = replace(match, games=(replace(game, actions=(game.actions[0], Played("white", "24/18"))),))
    with pytest.raises(Fault, match=r"game 1: action 2"):
        check_record(forged)


def test_a_result_that_the_moves_do_not_give_is_named(path: Path) -> None:
    match = log(path, BEGIN, OPENING, PLAY, press(Button.DOUBLE, "black"), press(Button.DROP, "white"))
    game = match.games[0]
    assert game.result is not None
    forged = replace(match, games=(replace(game, result=replace(game.result, points=4)),))
    with pytest.raises(Fault, match="game 1: the result"):
        check_record(forged)


def test_an_altered_journal_is_found_out_at_the_entry(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log(path, BEGIN, OPENING, PLAY)
    connection = sqlite3.connect(path)
    connection.executescript(
        "DROP TRIGGER events_stay; UPDATE events SET body = replace(body, '8/5 6/5', '24/20') WHERE number"
        " = 2;"
    )
    connection.close()
    with pytest.raises(SystemExit) as stopped:
        main(["verify", "g", "--json", "--state", str(path.parent)])
    said = json.loads(capsys.readouterr().out)
    assert stopped.value.code == 1
    assert (said["ok"], "entry 2" in said["fault"]) == (False, True)


def test_a_sound_journal_and_its_export_verify(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log(path, BEGIN, OPENING, PLAY, press(Button.DOUBLE, "black"), press(Button.DROP, "white"))
    out = tmp_path / "match.json"
    for arguments in (["verify", "last"], ["export", "last", "-o", str(out)], ["verify", str(out)]):
        with pytest.raises(SystemExit) as stopped:
            main([*arguments, "--state", str(path.parent)])
        assert stopped.value.code == 0
    assert "1 play in 1 game, all by the rules" in capsys.readouterr().out


@pytest.mark.parametrize("form", [name for name, each in FORMATS.items() if each.read is not None])
def test_what_is_exported_holds_the_same_moves(form: str, path: Path) -> None:
    match = log(path, BEGIN, OPENING, PLAY, press(Button.DOUBLE, "black"), press(Button.DROP, "white"))
    back = read(write(match, form)).record
    told = [
        [moment.play.after for moment in replay(each, each.games[0]) if moment.play] for each in (match, back)
    ]
    assert told[0] == told[1]
    assert len(told[0]) == 1


def test_the_archive_lists_by_day_and_finds_by_the_beginning_of_an_id(path: Path) -> None:
    log(
        path,
        BEGIN,
        OPENING,
        PLAY,
        press(Button.DOUBLE, "black"),
        press(Button.DROP, "white"),
        name="2026-01-31-aa",
    )
    log(path, BEGIN, name="2026-01-31-ab")
    with Journal.open(path) as journal:
        first, second = listing(journal)
        assert (first.log, first.result, first.over) == ("2026-01-31-aa", "unfinished", False)
        assert (second.result, second.over) == ("unfinished", False)
        assert find(journal, "last") == "2026-01-31-ab"
        assert find(journal, "2026-01-31-aa") == "2026-01-31-aa"
        with pytest.raises(JournalError, match="several"):
            find(journal, "2026")
        with pytest.raises(JournalError, match="no such match"):
            find(journal, "1999")


@pytest.mark.parametrize(
    ("length", "told"),
    [
        (3, (False, "unfinished", "", "unfinished: 0–1 (match to 3)")),
        (0, (True, "black wins, single, 1 point", "Ben", "Ben wins, single, 1 point")),
    ],
)
def test_a_match_between_two_games_is_listed_as_it_stands(
    path: Path, length: int, told: tuple[bool, str, str, str]
) -> None:
    begin = replace(BEGIN, terms=Terms(length=length))
    log(path, begin, OPENING, PLAY, press(Button.DOUBLE, "black"), press(Button.DROP, "white"))
    with Journal.open(path) as journal:
        (line,) = listing(journal)
    assert (line.over, line.result, line.winner, line.outcome) == told


def test_a_log_that_cannot_be_replayed_is_listed_as_damaged_and_not_left_out(path: Path) -> None:
    with Journal.open(path) as journal:
        journal.append("g", AT, press(Button.TAKE, "white").to_json())
        (line,) = listing(journal)
        assert "damaged" in line.result
        with pytest.raises(Fault, match="entry 0"):
            check_log("g", journal.entries("g"))


def test_one_poisoned_match_hides_no_other(path: Path) -> None:
    with Journal.open(path) as journal:
        poisoned = Begin(t=0.0, rules="backgammon", competition="\ud800").to_json()
        journal.append("bad", AT, poisoned)
        journal.append("worse", AT, {"event": "import", "match": {"format": []}})
        journal.append("worst", AT, {"event": "begin", "t": 0.0, "rules": "\ud800"})
        journal.append("good", AT, Begin(t=0.0, rules="backgammon").to_json())
        lines = {line.log: line.result for line in listing(journal)}
        assert lines["good"] == "unfinished"
        assert "damaged" in lines["bad"]
        assert "put it away" in lines["bad"]
        assert "damaged" in lines["worse"]
        assert "damaged" in lines["worst"]
        assert read_match(journal, "good").rules == "backgammon"
