"""The match report: one file, every move drawn, and numbers that are those of the match."""

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from engine import rules
from engine.events import Begin, Button, Choose, Event, Press, Roll
from engine.record import GameRecord, MatchRecord, Played, Remark, Rolled, Stood
from firmware.cli import main
from firmware.languages.choice import reading
from firmware.record.diagram import board, shared
from firmware.record.journal import Journal
from firmware.record.report import report_page
from firmware.record.turn_times import TimedTurn, timed_turns
from tests.matches import simulate

AT = "2026-01-31T20:15:00Z"


def text(html: str) -> str:
    return re.sub(r"<[^>]*>", " ", html)


def test_every_move_of_a_match_is_drawn_and_every_drawing_is_well_formed() -> None:
    match = simulate(5, fouls=0.05)
    html = report_page(match)
    assert html.count(shared()) == 1
    drawings = re.findall(r"<svg.*?</svg>", html.replace(shared(), ""))
    moves = sum(isinstance(action, Played | Stood) for game in match.games for action in game.actions)
    assert len(drawings) == moves + len(match.games)
    for drawing in drawings:
        ElementTree.fromstring(drawing)
    assert "http" not in html


def test_a_board_shows_as_many_checkers_as_stand_on_it() -> None:
    start = rules.get("backgammon").start({})
    drawn = ElementTree.fromstring(board(start.layout(), ("p6",)))
    shown = Counter(each.get("href") for each in drawn.iter("use"))
    assert shown == {"#d-board": 1, "#d-white": 15, "#d-black": 15, "#d-ring": 1}
    known = {f"#{each.get('id')}" for each in ElementTree.fromstring(shared()).iter()}
    assert shown.keys() <= known


def test_names_cannot_put_markup_into_the_page() -> None:
    html = report_page(
        MatchRecord("backgammon", ("<script>x</script>", "Ben & Co"), games=(GameRecord((0, 0)),))
    )
    assert "<script" not in html
    assert "Ben &amp; Co" in html


def test_a_foul_that_its_player_fixed_is_told_as_fixed() -> None:
    played = (Rolled(None, (3, 1)), Remark("foul by white: nothing moved"), Played("white", "8/5 6/5"))
    then = (Rolled("black", (6, 4)), Remark("foul by black: nothing moved"), Remark("a pause"))
    html = text(
        report_page(
            MatchRecord("backgammon", ("Ann", "Ben"), games=(GameRecord((0, 0), actions=(*played, *then)),))
        )
    )
    assert re.search(r"1\.1\s+foul by white: nothing moved\s+fixed", html)
    assert re.search(r"1\.2\s+foul by black: nothing moved\s+noted", html)  # the game went no further


def test_a_foul_that_was_noted_is_told_with_its_move() -> None:
    played = (
        Rolled(None, (3, 1)),
        Played("white", "8/5 6/5"),
        Rolled("black", (6, 4)),
        Remark("foul by black"),
    )
    html = report_page(
        MatchRecord(
            "backgammon",
            ("Ann", "Ben"),
            games=(GameRecord((0, 0), actions=(*played, Played("black", "24/14"))),),
        )
    )
    assert re.search(r"1\.2\s+foul by black\s+noted", text(html))
    assert "-" not in "".join(re.findall(r"\S+ pips \(\S+", text(html)))


def events(*more: Event) -> list[Event]:
    return [Begin(t=0, rules="backgammon"), Roll(t=10, dice=(3, 1), side="white"), *more]


def test_the_time_of_a_move_counts_from_its_dice_and_a_play_taken_back_does_not_count(tmp_path: Path) -> None:
    told = events(
        Choose(t=14.5, play="8/5 6/5"),
        Press(t=16, button=Button.UNDO, side="white"),
        Choose(t=18, play="24/23 24/21"),
        Roll(t=20, dice=(2, 1)),
        Choose(t=27, play="24/22 6/5"),
    )
    with Journal.open(tmp_path / "journal.db") as journal:
        for event in told:
            journal.append("g", AT, event.to_json())
        assert [(turn.side, turn.seconds) for turn in timed_turns(journal.entries("g"))] == [
            ("white", 2),
            ("black", 7),
        ]
    with pytest.raises(SystemExit) as stopped:
        main(["report", "last", "-o", str(tmp_path / "report.html"), "--state", str(tmp_path)])
    assert stopped.value.code == 0
    said = text((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert "took the play back" in said
    assert "7.0 s" in said


@pytest.mark.parametrize("name", ["zombie", "siegegammon", "icegammon"])
def test_the_boards_of_other_games_are_drawn_too(name: str) -> None:
    game = rules.get(name)
    ElementTree.fromstring(board(game.start(game.options).layout()))


def test_hexes_are_drawn_in_their_owners_colours() -> None:
    drawn = board(
        {"hex.0,0": (("border",),), "hex.1,0": (("fortress.neutral",),), "hex.2,-1": (("army.red",),)},
        ("hex.1,0",),
    )
    used = [each.get("href") for each in ElementTree.fromstring(drawn)]
    assert used == ["#h-border", "#h-free", "#d-neutral", "#d-ring", "#h-red"]
    known = {f"#{each.get('id')}" for each in ElementTree.fromstring(shared()).iter()}
    assert set(used) <= known


def test_beside_a_map_armies_are_counted_and_not_tokens() -> None:
    tokens = {
        "supply.red": (("army.red",) * 76, ("fortress.red",) * 15),
        "supply.blue": ((), ("fortress.blue",)),
        "supply.neutral": (("fortress.neutral",),),
    }
    drawn = board({"hex.0,0": (), **tokens})
    told = [each.text for each in ElementTree.fromstring(drawn) if each.tag.endswith("text")]
    assert told == ["blue: 0 armies left", "red: 19 armies left"]


def test_a_pass_and_what_lies_beside_the_board_are_said_in_the_readers_language() -> None:
    shut = {str(point): -2 for point in range(19, 25)} | {"1": 1}
    start = {"rules": "backgammon", "points": shut, "bar": [1, 0], "off": [13, 3], "turn": "white"}
    actions = (Rolled("white", (6, 5)), Played("white", "pass"))
    game = GameRecord((0, 0), start=start, actions=actions)
    with reading("de"):
        html = text(report_page(MatchRecord("backgammon", ("Ann", "Ben"), games=(game,))))
    assert "Weiß 6-5: kann nicht ziehen" in html
    assert "Weiß Aus" in html


def test_a_long_match_is_a_page_of_sane_size() -> None:
    match = replace(simulate(5), games=simulate(5).games * 8)
    assert len(report_page(match).encode()) / sum(len(game.actions) for game in match.games) < 1000


def test_the_median_of_an_even_number_of_moves_lies_between_the_middle_two() -> None:
    times = [TimedTurn(1, "white", seconds) for seconds in (2.0, 4.0, 9.0, 1.0)]
    assert " 3.0 s " in text(report_page(simulate(3), times))
