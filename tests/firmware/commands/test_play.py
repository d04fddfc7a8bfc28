"""The table in a terminal: what is typed is done by the device's own program."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

from firmware.commands.play import command
from firmware.languages.choice import reading
from firmware.simulated.text_board import board


def typed(
    *lines: str, rules: str = "backgammon", camera: str = "exact", config: str = ""
) -> list[dict[str, Any]]:
    return told(["--camera", camera, *(["--config", config] if config else ["--rules", rules])], *lines)


def told(options: list[str], *lines: str) -> list[dict[str, Any]]:
    words = ["--simulated", "--json", "--port", "0", *options]
    result = CliRunner().invoke(command, words, input="\n".join(lines) + "\n")
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.output.splitlines()]


def test_a_turn_is_typed_judged_and_passed() -> None:
    dice, played, done, again = typed("dice 3 1", "play 8/5 6/5", "done", "dice 6 6")
    assert (dice["state"], dice["side"], dice["dice"]) == ("play", "white", [3, 1])
    assert played["layout"] == dice["layout"]
    assert done["judgement"]["verdict"] == "legal"
    assert done["judgement"]["move"] == "8/5 6/5"
    assert again["side"] == "black"


def test_a_foul_is_named_and_fixed() -> None:
    lines = typed("dice 3 1", "move p8 p2", "done", "move p2 p5", "move p6 p5", "done")
    assert [line["state"] for line in lines] == ["play", "play", "foul", "foul", "foul", "roll"]
    assert "point 8 blinks" in lines[2]["said"]


def test_the_devices_dice_roll_and_the_cube_turns() -> None:
    lines = typed("dice 3 1", "play 8/5 6/5", "done", "double", "take", "roll", "drop")
    assert lines[4]["cube"]["value"] == 2
    assert len(lines[5]["dice"]) == 2
    assert lines[6]["said"].startswith("no: ")


def test_what_makes_no_sense_is_refused_and_changes_nothing() -> None:
    lines = typed(
        "juggle", "move p2 p3", "move p99 p1", "play 24/1", "resign foo", "swap foo", "dice ² 1", "done"
    )
    assert all(line["said"].startswith("no: ") for line in lines[:7])
    assert {line["state"] for line in lines} == {"opening"}


def test_players_are_named_and_refusals_are_in_the_terminals_language(tmp_path: Path) -> None:
    config = tmp_path / "barpoint.toml"
    config.write_text('[match]\nfirst = "Ann"\nsecond = "Bob"\n')
    lines = typed("dice 3 1", "move p8", "play 8/5 6/5", "done", "white resign", "take", config=str(config))
    assert lines[1]["said"] == "no: name two cells, for example: move p24 p20"
    assert "legal: Ann 8/5 6/5" in lines[3]["said"]
    assert "Bob wins, single, 1 point" in lines[-1]["said"]
    with reading("de"):
        (german,) = typed("move p8")
    assert german["said"] == "nein: nennen Sie zwei Plätze, zum Beispiel: move p24 p20"


def test_a_kept_match_of_another_game_than_was_asked_for_is_not_continued(tmp_path: Path) -> None:
    kept = ["--state", str(tmp_path)]
    first = told([*kept, "--rules", "icegammon"], "board")
    words = ["--simulated", "--json", "--port", "0", *kept, "--rules", "backgammon"]
    refused = CliRunner().invoke(command, words, input="board\n")
    assert refused.exit_code != 0
    assert "keeps a match of IceGammon" in str(refused.exception)
    assert told(kept, "board")[0]["rules"] == first[0]["rules"] == "icegammon"
    assert told([*kept, "--rules", "backgammon", "--new"], "board")[0]["rules"] == "backgammon"


def test_who_has_won_is_said() -> None:
    lines = typed("dice 3 1", "white resign", "take")
    assert "black wins, single, 1 point" in lines[-1]["said"]


def test_players_are_told_by_their_names(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('[match]\nfirst = "Anna"\nsecond = "Boris"\n')
    lines = told(["--config", str(config)], "dice 3 1", "play 8/5 6/5", "done", "black resign", "white take")
    assert "legal: Anna 8/5 6/5" in lines[2]["said"]
    assert "Anna wins, single, 1 point" in lines[4]["said"]


def test_an_old_judgement_is_not_told_again_where_a_foul_or_a_play_is_gone() -> None:
    turn = ("dice 3 1", "play 8/5 6/5", "done", "dice 6 6")
    lines = typed(*turn, "move p1 p13", "done", "black resign", "white take")
    assert ["legal: white" in line["said"] for line in lines] == [False, False, True, *[False] * 5]
    undone = typed(*turn, "play 13/7(2) 8/2(2)", "done", "undo")
    assert ["legal: " in line["said"] for line in undone[2:]] == [True, False, False, True, False]


def test_every_command_helps() -> None:
    help_, plays, shown = typed("help", "plays", "board")
    assert "roll" in help_["said"]
    assert plays["said"] == "no play is due"
    assert "5w" in shown["said"]


def test_another_game_is_played_with_the_same_words() -> None:
    (dice,) = typed("roll", rules="siegegammon")
    assert dice["rules"] == "siegegammon"
    assert board({"hex.0,1": ("border",), "hex.1,1": ()}).splitlines()[0] == "    0,1  # ·"


@pytest.mark.parametrize(
    ("rules", "lines", "states"),
    [
        (
            "backgammon",
            ("dice 3 1", "move p8 p2", "done", "move p2 p5", "move p6 p5", "done"),
            ["play", "play", "foul", "foul", "foul", "roll"],
        ),
        (
            "siege-master",
            ("put army.red 7,5 8,5 9,5", "done", "put army.red 10,5", "done", "play swap", "done"),
            ["play", "foul", "foul", "play", "play", "play"],
        ),
        (
            "icegammon",
            ("dice 3 1", "dice 6 4 1", "move hand.white p2 white.3", "done", "lift p2", "tidy"),
            ["roll", "play", "play", "foul", "foul", "foul"],
        ),
    ],
)
def test_a_painted_board_is_read_and_judged(rules: str, lines: tuple[str, ...], states: list[str]) -> None:
    assert [line["state"] for line in typed(*lines, rules=rules, camera="painted")] == states


def test_what_lies_on_top_is_taken_off_and_only_what_is_there() -> None:
    put, short, taken, none, unknown, nothing = typed(
        "put army.red 7,5",
        "put castle 7,5",
        "lift 7,5",
        "lift 7,5",
        "lift 99,5",
        "put army.red",
        rules="siege-master",
        camera="painted",
    )
    assert "r" in put["said"].split("\n")[5]
    assert "the pieces are" in short["said"]
    assert taken["said"].startswith("    0,0")
    assert "nothing stands on hex.7,5" in none["said"]
    assert "there is no cell '99,5'" in unknown["said"]
    assert nothing["said"].startswith("no: name a piece and its cells")


def test_a_hand_takes_the_piece_that_is_named() -> None:
    lines = typed(
        "move hand.white p3 white.2", "move hand.white p3 white.9", "move p3 p4 p5 p6", rules="icegammon"
    )
    assert "1w2" in lines[0]["said"]
    assert lines[1]["said"].startswith("no: white.9 cannot be taken")
    assert lines[2]["said"].startswith("no: name two cells")


def test_a_point_may_be_named_by_its_number_alone() -> None:
    dice, moved, unknown = typed("dice 3 1", "move 8 5", "move 99 5")
    assert moved["said"] == typed("dice 3 1", "move p8 p5")[1]["said"]
    assert "there is no cell '99'" in unknown["said"]
    assert dice["state"] == moved["state"] == "play"


def test_a_play_is_understood_without_a_word_before_it_and_points_are_the_movers() -> None:
    lines = typed("dice 1 3", "6/5 8/5", "done", "dice 6 1", "10/4", "13/7 8/7", "undo", "move 13 7")
    assert lines[2]["said"].splitlines()[-1].startswith("white must roll")
    assert lines[2]["position"]["points"]["20"] == -2
    assert "White rolls 6-1" in lines[3]["said"]
    assert lines[4]["said"].startswith("no: ")
    assert lines[5]["layout"] == lines[3]["layout"], "the board is not judged before done"
    black = typed("dice 1 3", "move 6 5")[1]["said"].splitlines()
    assert black[0].split()[0] == "12", "the upper row begins with Black's own 12"
    assert "4b" in black[1], "of Black's point 6 one checker was moved"


class Beside:
    """A simulated table with its page: hands type, buttons are pressed on the page."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        assert process.stdout is not None
        found = re.search(r"(http://\S+) \(PIN (\d+)\)", process.stdout.readline())
        assert found is not None
        self.page = httpx.Client(base_url=found[1], headers={"Origin": found[1].rstrip("/")}, timeout=60)
        assert self.page.post("/api/pin", json={"pin": found[2]}).status_code == 204

    def type(self, line: str) -> None:
        """Types a line, and waits until it is done: the answer to another one comes after it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{line}\nmark\n")
        self._process.stdin.flush()
        while "'mark'" not in self._process.stdout.readline():
            pass

    def act(self, **event: Any) -> dict[str, Any]:
        """Asks for it on the page; the state of the page then."""
        assert self.page.post("/api/act", json=event).status_code == 204
        state: dict[str, Any] = self.page.get("/api/state").json()
        return state


@contextmanager
def beside(rules: str = "backgammon") -> Iterator[Beside]:
    words = [sys.executable, "-m", "firmware", "play", "--simulated", "--port", "0", "--rules", rules]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        table = Beside(process)
        try:
            yield table
        finally:
            table.page.close()
            process.communicate("quit\n", timeout=60)


def test_done_on_the_page_judges_what_hands_have_typed() -> None:
    with beside() as table:
        table.act(event="roll", dice=[3, 1])
        table.type("play 8/5 6/5")
        judged = table.act(event="press", button="done", side="white")["judgement"]
    assert (judged["verdict"], judged["text"]) == ("legal", "8/5 6/5")


def test_what_players_say_on_the_page_stands_on_the_simulated_board() -> None:
    with beside() as table:
        table.act(event="roll", dice=[3, 1])
        table.act(event="choose", play="8/5 6/5", side="white")
        table.act(event="roll", dice=[6, 5])
        table.type("move 24 13")
        judged = table.act(event="press", button="done", side="black")["judgement"]
    assert (judged["verdict"], judged["text"]) == ("legal", "24/13")


def test_bytes_that_are_no_text_are_told_and_the_next_line_counts() -> None:
    """The keyboard's thread ended, and the table heard nothing any more."""
    typed = b"roll 3 1\n\xff\xfe\nplay 8/5 6/5\nmark\nquit\n"
    words = [sys.executable, "-m", "firmware", "play", "--simulated", "--port", "0"]
    told = subprocess.run(words, input=typed, capture_output=True, timeout=60, check=False)
    assert told.returncode == 0
    assert b"no: this line is not UTF-8 text; nothing was done" in told.stdout
    assert b"'mark'" in told.stdout
    assert b"Traceback" not in told.stderr


@pytest.mark.usefixtures("hearing")
@pytest.mark.parametrize("last", ["quit\n", signal.SIGINT, signal.SIGTERM])
def test_it_ends_while_the_keyboard_is_still_there(last: str | signal.Signals) -> None:
    """A terminal is never at its end: the thread that waits for it must not keep the program from ending. A
    shell's background job has Ctrl-C ignored, and is stopped all the same."""
    command = [sys.executable, "-m", "firmware", "play", "--simulated", "--port", "0"]
    words = ["sh", "-c", "trap '' INT; exec \"$@\"", "sh", *command]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        while "the opening roll is due" not in process.stdout.readline():
            assert process.poll() is None
        if isinstance(last, str):
            process.stdin.write(last)
            process.stdin.flush()
        else:
            process.send_signal(last)
        assert process.wait(60) == (0 if last == "quit\n" else 130)
        assert process.stderr.read().strip() in ("", "barpoint: stopped")
