"""The commands of a hub that does not run: what they say, and what they keep."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from firmware.cli import main
from firmware.commands.hub import COMMANDS
from firmware.hub.identity_code import Code


def run(*arguments: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as over:
        main(["hub", *arguments])
    said = capsys.readouterr()
    return int(over.value.code or 0), said.out, said.err


@pytest.mark.parametrize("name", COMMANDS)
def test_each_explains_itself_with_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(name, "--help", capsys=capsys)
    assert (code, err) == (0, "")
    assert f"Example: barpoint hub {name}" in out


def test_tables_are_added_listed_and_removed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "barpoint.toml"
    config.write_text('[hub.run]\nevent = "Open 2026"\naddress = "hub.example"\nport = 1\n')
    own = ("--config", str(config), "--state", str(tmp_path / "hub"))
    assert "no tables yet" in run("tables", *own, capsys=capsys)[1]
    code, first, _ = run("add-table", "Table 10", *own, capsys=capsys)
    assert code == 0
    assert Code.read(first).where == "hub.example"
    code, out, _ = run("add-table", "Table  9 ", "--json", *own, capsys=capsys)
    assert json.loads(out)["table"] == "Table 9"
    code, out, err = run("add-table", "TABLE 9", *own, capsys=capsys)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "there is a table 'Table 9' already" in err
    code, again, _ = run("add-table", "--again", "Table 10", *own, capsys=capsys)
    assert Code.read(again).digest == Code.read(first).digest
    assert Code.read(again).secret != Code.read(first).secret
    code, out, _ = run("tables", *own, capsys=capsys)
    assert out == "Table 10: has not joined yet, 0 matches\nTable 9: has not joined yet, 0 matches\n"
    assert run("remove-table", "Table 9", *own, capsys=capsys)[0] == 0
    code, out, _ = run("tables", "--json", *own, capsys=capsys)
    assert [json.loads(line)["name"] for line in out.splitlines()] == ["Table 10"]
    code, out, err = run("remove-table", "Table 9", *own, capsys=capsys)
    assert (code, "'barpoint hub tables' lists them" in err) == (2, True)
    # The same hub on another machine: its codes are good there.
    assert run("backup", str(tmp_path / "x.hub"), *own, capsys=capsys)[0] == 0
    other = (*own[:3], str(tmp_path / "other"))
    assert run("restore", str(tmp_path / "x.hub"), *other, capsys=capsys)[0] == 0
    code, out, _ = run("add-table", "--again", "Table 10", *other, capsys=capsys)
    assert Code.read(out).digest == Code.read(first).digest


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("add-table", "a/b"), "cannot be a table's name"),
        (("join", "ABCD"), "is no code"),
        (("join", "A" * 24, "--hub", "x:y"), "is no address"),
        (("restore", "/nowhere.hub"), "cannot restore from /nowhere.hub"),
        (("simulate", "--broker", "http://x"), "write it as mqtt://HOST:1883"),
        (("simulate", "--broker", "mqtt://127.0.0.1:1"), "Connection refused; is it on"),
        (("simulate", "--broker", "mqtt://x", "--here"), "leave out --here"),
    ],
)
def test_what_is_wrong_is_one_line(
    arguments: tuple[str, ...], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = () if arguments[0] == "simulate" else ("--state", str(tmp_path))
    code, out, err = run(*arguments, *state, capsys=capsys)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert words in err


def test_leaving_no_hub_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("leave", "--state", str(tmp_path), capsys=capsys)[::2] == (
        1,
        "barpoint: this table has joined no hub\n",
    )
