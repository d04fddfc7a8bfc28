"""``barpoint verify``: checks a log."""

from __future__ import annotations

import json
from pathlib import Path

import click

from firmware.errors import BadInput
from firmware.formats import FormatError, detect, read
from firmware.formats.source import decode
from firmware.record import seal
from firmware.record.archive import find
from firmware.record.journal import Journal, JournalError
from firmware.record.verify import Fault, check_journal, check_log, check_record, check_sealed
from firmware.state import journal

SQLITE = b"SQLite format 3\0"
"""How a SQLite file begins."""


@click.command(name="verify", short_help="Checks a log: its chain, its dice, every move")
@click.argument("log")
@click.option("--json", "as_json", is_flag=True, help="One JSON line: {ok, checked, fault}.")
@click.option(
    "--state",
    type=click.Path(path_type=Path, file_okay=False),
    help="Where the logs are (default: $XDG_STATE_HOME/barpoint).",
)
def command(log: str, as_json: bool, state: Path | None) -> None:
    """Checks a log: its hash chain, its dice against their commitment, every move against the rules.

    LOG is an id from 'barpoint games', 'last', 'all', a match file that 'barpoint export' wrote (JSON is
    sealed line by line), or a journal or its backup (journal.db). Exit status 1: something is wrong, and the
    place is named. The last digest, which is printed, says that it is this match to the end: whoever noted it
    down can compare.

    \b
    Example: barpoint verify last
    """
    checked: list[str] = []
    fault: str | None = None
    try:
        checked = _checked(log, state)
    except Fault as error:
        fault = str(error)
    if as_json:
        click.echo(json.dumps({"ok": fault is None, "checked": checked, "fault": fault}))
    else:
        click.echo(f"{log}: {fault or 'in order: ' + '; '.join(checked)}")
    if fault is not None:
        raise SystemExit(1)


def _checked(log: str, state: Path | None) -> list[str]:
    path = Path(log)
    if path.is_file():
        return _checked_file(path)
    with journal(state, create=False) as kept:
        if log == "all":
            return check_journal(kept)
        found = find(kept, log)
        try:
            return check_log(found, kept.entries(found))
        except JournalError as error:
            raise Fault(f"game {found}: {error}") from error


def _checked_file(path: Path) -> list[str]:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from error
    if data.startswith(SQLITE) or path.suffix == ".db":
        return _checked_journal(path)
    try:
        text = decode(data)
        if detect(text) == "json":
            return check_sealed(*seal.read(text))
        return check_record(read(text).record)
    except FormatError as error:
        raise BadInput(f"{path}: {error}") from error


def _checked_journal(path: Path) -> list[str]:
    try:
        with Journal.look(path) as kept:
            return check_journal(kept)
    except JournalError as error:
        raise Fault(str(error)) from error
