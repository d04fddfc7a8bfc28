"""``barpoint verify``: checks a log."""

from __future__ import annotations

import json
from pathlib import Path

import click

from firmware.commands._options import json_option, state_option
from firmware.commands._output import tell
from firmware.errors import BadInput
from firmware.files import is_file
from firmware.formats import FormatError, detect, read
from firmware.formats.source import decode
from firmware.record import seal
from firmware.record.archive import find
from firmware.record.journal import Journal, JournalError
from firmware.record.verify import Fault, check_journal, check_log, check_lost, check_record, check_sealed
from firmware.state import journal

SQLITE = b"SQLite format 3\0"
"""How a SQLite file begins."""


@click.command(name="verify", short_help="Checks a log: its chain, its dice, every move")
@click.argument("log")
@json_option("One JSON line: {ok, checked, fault}.")
@state_option()
def command(log: str, as_json: bool, state: Path | None) -> None:
    """Checks a log: its hash chain, its dice against their commitment, every move against the rules.

    LOG is an id from 'barpoint games', 'last', 'all', a match file that 'barpoint export' wrote (JSON is
    sealed line by line), or a journal or its backup (journal.db). Exit status 1: something is wrong, and the
    message says where. Note down the last digest that is printed: it shows later that this is the same match,
    and all of it.

    \b
    Example: barpoint verify last
    """
    checked: list[str] = []
    fault: str | None = None
    try:
        checked = _check(log, state)
    except Fault as error:
        fault = str(error)
    if as_json:
        click.echo(json.dumps({"ok": fault is None, "checked": checked, "fault": fault}))
    else:
        tell(f"{log}: {fault or 'in order: ' + '; '.join(checked)}")
    if fault is not None:
        raise SystemExit(1)


def _check(log: str, state: Path | None) -> list[str]:
    path = Path(log)
    if is_file(path):
        return _check_file(path)
    with journal(state, create=False) as logs:
        if log == "all":
            return check_journal(logs)
        found = find(logs, log)
        try:
            check_lost(logs, found)
            return check_log(found, logs.entries(found))
        except JournalError as error:
            raise Fault(f"game {found}: {error}") from error


def _check_file(path: Path) -> list[str]:
    try:
        data = path.read_bytes()
        if data.startswith(SQLITE) or path.suffix == ".db":
            with Journal.open_readonly(path) as logs:
                return check_journal(logs)
        text = decode(data)
        if detect(text) == "json":
            return check_sealed(*seal.read(text))
        return check_record(read(text).record)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from error
    except JournalError as error:
        raise Fault(str(error)) from error
    except FormatError as error:
        raise BadInput(f"{path}: {error}") from error
