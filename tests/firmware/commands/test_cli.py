"""The command line: the same manners for every command."""

import json
import os
import shlex
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import click
import pytest

from engine import rules as games
from firmware.cli import COMMANDS, cli, main
from firmware.record.journal import Journal
from firmware.state import directory
from tests.firmware.conftest import REPOSITORY
from tests.firmware.terminal import barpoint

START = games.get("backgammon").start({})


def run(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    out, err = capsys.readouterr()
    return int(stopped.value.code or 0), out, err


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself_with_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(name, "--help", capsys=capsys)
    assert (code, err) == (0, "")
    assert f"barpoint {name}" in out
    examples = out[out.index("Example:") :].split("\n\n")[0].replace("Example:", "").splitlines()
    for line in examples:  # each can be copied by itself: no quotation mark is open at its end
        assert shlex.split(line)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_that_reports_can_report_to_programs(name: str) -> None:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    options = {option for parameter in command.params for option in parameter.opts}
    assert "--json" in options or name in ("demo", "export", "hub")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("juggle",), "there is no command 'juggle'; 'barpoint --help' lists them"),
        (("cailbrate", "x.jpg"), "did you mean calibrate?"),
        (("games", "--since", "whenever"), "'whenever' is no day"),
        (("games", "--until", "2026-3-1"), "'2026-3-1' is no day"),
        (
            ("read", "x.jpg", "--corners", "1,2", "3,4", "--rig", "y"),
            "--corners needs four places; after 2 comes --rig",
        ),
        (("calibrate", "x.jpg", "-o", "nowhere/x.rig"), "there is no folder nowhere"),
        (("calibrate", "x.jpg", "-o", "/dev/null"), "not an ordinary file"),
        (
            ("read", "x.jpg", "--corners", "1,2", "3,4", "5,6", "7,8", "--geometry", "README.md"),
            "README.md: line 1, column 1: not JSON",
        ),
        (("play", "--simulated", "--rules", "chess"), "barpoint: unknown game 'chess'"),
        (("verify", "README.md"), "begins like no .xg, .bgf"),
        (
            ("import", "nosuch.mat"),
            (
                "barpoint: nosuch.mat: there is no such file, and it is no position; give a match file, an"
                " XGID or"
            ),
        ),
        (("import", "XGID=abc"), "barpoint: 'XGID=abc' is not an XGID: 26 places"),
        (("replay",), "Missing argument 'DIR'"),
        (("replay", "x", "--rules", "chess"), "x/reel.json"),
        (("read", "x.jpg"), "cannot read x.jpg: No such file"),
        (
            ("read", "x.jpg", "--rig", "y", "--corners", "1,2", "3,4", "5,6", "7,8"),
            "either --rig",
        ),
        (("read", "x.jpg", "--rig", "no.rig"), "no.rig"),
        (("read", "x.jpg", "--corners", "1,2", "3,4", "5,6", "7"), "'7' is no place in a picture"),
        (("read", "x.jpg", "--corners", "1,2", "3,4", "5,6", "nan,1"), "is no place in a picture"),
        (("calibrate", "x.jpg", "-o", "x.rig"), "x.jpg"),
        (("calibrate", "x.jpg", "--corners", "1,2", "3,4", "5,6", "7,8", "-o", "x.rig"), "x.jpg"),
        (("export", "last", "--format", "pdf"), "'pdf' is not one of"),
        (("demo", "--port", "70000"), "70000"),
        (("games", "--sideways"), "--sideways"),
    ],
)
def test_a_wrong_call_is_one_line_on_standard_error_and_status_2(
    arguments: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(*arguments, capsys=capsys)
    assert (code, out) == (2, "")
    assert err.startswith("barpoint: ")
    assert err.count("\n") == 1
    assert said in err


@pytest.mark.parametrize("installed", ["1.2.3", ""])
def test_the_version_is_told_in_a_checkout_too(
    installed: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def version(name: str) -> str:
        if not installed:
            raise metadata.PackageNotFoundError(name)
        return installed

    monkeypatch.setattr(metadata, "version", version)
    assert run("--version", capsys=capsys) == (
        0,
        f"barpoint, version {installed or 'of a checkout that is not installed'}\n",
        "",
    )


def test_without_a_command_the_help_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys=capsys)
    assert code == 2
    assert all(name in out for name in COMMANDS)


def test_an_empty_archive_is_no_fault_and_makes_no_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = tmp_path / "state"
    assert run("games", "--state", str(state), capsys=capsys)[0] == 0
    assert run("games", "--json", "--state", str(state), capsys=capsys) == (0, "", "")
    code, _, err = run("export", "last", "--state", str(state), capsys=capsys)
    assert code == 2
    assert "no journal" in err
    assert not state.exists()


def test_a_line_of_the_archive_begins_with_the_matchs_id_whatever_the_players_are_called(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """So it can be copied, and cut out by a script: no mark of a name's direction before it."""
    file = tmp_path / "hebrew.mat"
    file.write_text(" 1 point match\n\n Game 1\n משה : 0                  Ben : 0\n  1) 31: 8/5 6/5\n")
    assert run("import", str(file), "--state", str(tmp_path), capsys=capsys)[0] == 0
    out = run("games", "--state", str(tmp_path), capsys=capsys)[1]
    assert run("export", out.split()[0], "--state", str(tmp_path), capsys=capsys)[0] == 0


def test_a_search_that_finds_nothing_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Journal.open(tmp_path / "journal.db"):
        pass
    assert run("games", "--state", str(tmp_path), capsys=capsys) == (0, "no game has been logged yet\n", "")
    assert run("games", "--player", "Nobody", "--state", str(tmp_path), capsys=capsys) == (
        0,
        "no match fits\n",
        "",
    )
    assert run("games", "--player", "Nobody", "--json", "--state", str(tmp_path), capsys=capsys) == (
        0,
        "",
        "",
    )


def test_the_state_is_kept_where_the_desktop_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert directory(None) == tmp_path / "barpoint"
    monkeypatch.setenv("XDG_STATE_HOME", "not/absolute")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert directory(None) == tmp_path / "home" / ".local" / "state" / "barpoint"
    assert directory(Path("here")) == Path("here")


def test_plays_answers_line_by_line_and_says_when_a_line_made_no_sense() -> None:
    good = json.dumps(
        {"rules": "backgammon", "position": START.to_json() | {"turn": "white"}, "dice": [3, 1]}
    )
    done = barpoint("plays", stdin=f"{good}\n\nnonsense\n{good}\n")
    first, second, third = (json.loads(line) for line in done.stdout.splitlines())
    assert len(first["plays"]) == len(third["plays"]) == 16
    assert second["line"] == 3
    assert done.returncode == 2
    assert done.stderr == "barpoint: 1 line could not be read; the answers say which and why\n"


def test_a_reader_that_has_had_enough_is_no_error() -> None:
    good = json.dumps(
        {"rules": "backgammon", "position": START.to_json() | {"turn": "white"}, "dice": [3, 1]}
    )
    command = f"{sys.executable} -m firmware plays | head -n 1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=REPOSITORY,
        input=f"{good}\n" * 500,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines()[1:] == ["0"]
    assert done.stderr == ""


@pytest.mark.parametrize(("words", "status"), [(("--partly",), 0), ((), 2)])
def test_remarks_that_nobody_reads_to_their_end_keep_no_command_from_its_work(
    tmp_path: Path, words: tuple[str, ...], status: int
) -> None:
    file = tmp_path / "damaged.mat"
    bad = "\n Game 99\n A : 0    B : 0\n  1) 31: 1/2  52: 3/4\n"
    file.write_text((REPOSITORY / "tests/data/foreign/match.mat").read_text() + 3 * bad)
    command = shlex.join(["import", str(file), *words, "--state", str(tmp_path)])
    with subprocess.Popen(
        ["bash", "-c", f"{sys.executable} -m firmware {command} >&2"], cwd=REPOSITORY, stderr=subprocess.PIPE
    ) as process:
        assert process.stderr is not None
        process.stderr.close()
    assert (process.returncode, (tmp_path / "journal.db").exists()) == (status, status == 0)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no disk that is always full")
@pytest.mark.parametrize("command", ["plays", "--help"])
def test_a_full_disk_is_said_in_a_line(command: str) -> None:
    good = json.dumps(
        {"rules": "backgammon", "position": START.to_json() | {"turn": "white"}, "dice": [3, 1]}
    )
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "firmware", command],
            cwd=REPOSITORY,
            input=good,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (1, "barpoint: No space left on device\n")


@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_what_is_closed_from_the_start_leaves_no_traceback(closed: str) -> None:
    command = f"echo '{{}}' | {sys.executable} -m firmware plays {closed}"
    done = subprocess.run(command, shell=True, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1


def test_a_journal_that_is_none_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "journal.db").write_text("not a database, but long enough to be looked at" * 50)
    code, _, err = run("games", "--state", str(tmp_path), capsys=capsys)
    assert code == 2
    assert "journal.db" in err


@pytest.mark.parametrize(
    "arguments", [("verify", "last"), ("replay", "last"), ("pictures", "last", "--turn", "1")]
)
def test_a_folder_that_must_not_be_read_is_no_reason_to_fail(
    arguments: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """``sudo barpoint verify last`` runs as the table's user, perhaps in a home directory of mode 0700."""
    real = os.stat

    def closed(path: Any, *given: Any, **named: Any) -> Any:
        if not isinstance(path, int) and not Path(path).is_absolute():
            raise PermissionError(13, "Permission denied", path)
        return real(path, *given, **named)

    monkeypatch.setattr(os, "stat", closed)
    Journal.open(tmp_path / "journal.db").close()
    (tmp_path / "recordings").mkdir()
    code, _, err = run(*arguments, "--state", str(tmp_path), capsys=capsys)
    assert code != 0
    assert "Permission" not in err
