"""Words that strangers wrote, in names and ids, steer no terminal and name no file elsewhere."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from engine.events import Begin
from engine.messages import phrase
from firmware.cli import main
from firmware.commands._output import STDOUT, save
from firmware.languages.catalogue import catalogue
from firmware.record.archive import imported
from firmware.record.chain import JournalError
from firmware.record.journal import Journal
from firmware.record.match_id import is_match_id, match_file
from firmware.recordings.recorder import SessionRecorder
from firmware.state import new_log
from firmware.wording import clean
from tests.matches import simulate

ESCAPE = "\x1b]0;mine\x07\x1b[2J"
NAMES = (f"ann{ESCAPE}", "bob\u202e\x9b31m\n2026-01-01-000000  forged")
NOW = "2026-03-01T12:00:00Z"


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A journal with a match of two players with strange names."""
    match = replace(simulate(1), players=NAMES, event=ESCAPE)
    with Journal.open(tmp_path / "state" / "journal.db") as journal:
        journal.append("a", NOW, imported(match))
    return tmp_path / "state"


def run(*arguments: object) -> int | str | None:
    with pytest.raises(SystemExit) as stopped:
        main([str(each) for each in arguments])
    return stopped.value.code


def test_text_for_a_terminal_keeps_names_and_shows_what_would_steer_it() -> None:
    assert (
        clean("Zoë Müller-O\u2019Neill 王 👩\u200d🔬  15/9*/3")
        == "Zoë Müller-O\u2019Neill 王 👩\u200d🔬  15/9*/3"
    )
    assert clean("a\x1b[2Jb\rc\nd\u202ee\ud800f\x85g\x7f") == r"a\x1b[2Jb\rc\nd\u202ee\ud800f\x85g\x7f"
    assert clean("a\n\tb\r", lines=True) == "a\n\tb\\r"


def test_a_sentence_from_right_to_left_keeps_its_names_apart_and_a_name_turns_nothing() -> None:
    hebrew = phrase("{name!r} cannot be a table's name", name="Cup").told(catalogue("he"))
    assert "\u2066'Cup'\u2069" in hebrew
    assert clean(hebrew) == hebrew
    assert clean("\u2068a\u2069 \u200fb") == "\u2068a\u2069 \u200fb"
    for name in ("\u2069a", "a\u2068", "a\u2066", "\u2069\u2068", "\u2067a\u2069", "\u202ea"):
        assert "\\u20" in clean(name)


@pytest.mark.parametrize(
    "command",
    [
        ("games",),
        ("verify", "all"),
        ("verify", f"no{ESCAPE}"),
        ("import", f"no{ESCAPE}"),
        ("import", "match.json"),
        ("replay", f"no{ESCAPE}"),
        ("stick", f"no{ESCAPE}"),
        ("export", f"no{ESCAPE}"),
        ("report", f"no{ESCAPE}", "-o", "x.html"),
        ("pictures", f"no{ESCAPE}", "-o", "x.html"),
        (f"no{ESCAPE}",),
        ("read", f"no{ESCAPE}"),
    ],
    ids=lambda words: " ".join(words).partition("no\x1b")[0],
)
def test_no_command_passes_an_escape_on(
    command: tuple[str, ...],
    state: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    run("export", "a", "-o", "match.json", "--state", state)
    capsys.readouterr()
    known = () if command[0].startswith("no") or command[0] == "read" else ("--state", state)
    run(*command, *known)
    told = capsys.readouterr()
    said = told.out + told.err
    assert said.strip()
    assert not {"\x1b", "\x07", "\x9b", "\u202e", "\r"} & set(said)
    assert all("bob" in line for line in said.splitlines() if "forged" in line)  # no line is the name's own


def test_a_file_has_the_name_as_it_is_and_a_terminal_does_not(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    save(STDOUT, "a\x07b\n")
    assert capsys.readouterr().out == "a\x07b\n"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    save(STDOUT, f"{ESCAPE}\n")
    assert capsys.readouterr().out == clean(ESCAPE) + "\n"


STRANGE = [
    "../../etc/x",
    "/etc/x",
    "a/b",
    "..",
    ".hidden",
    "-rf",
    "",
    "a\nb",
    "a\0",
    "ä",
    "a" * 81,
    "a\x1b[2J",
]


@pytest.mark.parametrize("log", STRANGE)
def test_an_id_that_could_lead_elsewhere_names_no_file(log: str) -> None:
    assert not is_match_id(log)
    with pytest.raises(JournalError, match="is no match id"):
        match_file(log, ".mat")
    assert is_match_id(new_log())


def test_a_backup_with_a_path_for_an_id_is_restored_without_that_match(
    state: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was restored as it stood, and the next export wrote to where it pointed."""
    with Journal.open(state / "journal.db") as journal:
        for log in ("../../victim", f"b{ESCAPE}"):
            journal.append(log, NOW, Begin(t=0, rules="backgammon").to_json())
        journal.backup(tmp_path / "backup.db")
    assert run("restore", tmp_path / "backup.db", "--state", tmp_path / "new") == 1
    told = capsys.readouterr().out
    assert "game '../../victim' is left out: that is no match id" in told
    assert "\x1b" not in told
    with Journal.open(tmp_path / "new" / "journal.db") as journal:
        assert journal.games() == ["a"]
    assert run("restore", tmp_path / "backup.db", "--json", "--state", tmp_path / "new") == 1
    assert len(json.loads(capsys.readouterr().out)["strange"]) == 2


def test_nothing_is_recorded_outside_its_folder(tmp_path: Path) -> None:
    told: list[str] = []
    recorder = SessionRecorder(tmp_path / "recordings", 10**6, lambda: None, told.append)
    recorder.begin("../victim", "backgammon")
    recorder.close()
    assert "is no match id" in told[-1]
    assert list(tmp_path.iterdir()) == []
