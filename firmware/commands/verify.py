"""``barpoint verify``: checks a log."""

from __future__ import annotations

import json
from pathlib import Path

import click

from firmware.commands._options import FILE, json_option, state_option
from firmware.commands._output import tell
from firmware.errors import BadInput
from firmware.files import is_file
from firmware.formats import FormatError, detect, read
from firmware.formats.source import decode
from firmware.record import seal
from firmware.record.archive import find, match_record
from firmware.record.journal import Journal, JournalError
from firmware.record.own_words import OwnWords, describe, find_faults, read_words
from firmware.record.verify import Fault, check_journal, check_log, check_lost, check_record, check_sealed
from firmware.state import journal

SQLITE = b"SQLite format 3\0"
"""How a SQLite file begins."""


@click.command(name="verify", short_help="Checks a log: its chain, its dice, every move")
@click.argument("log")
@json_option("One JSON line: {ok, checked, fault}.")
@click.option(
    "--words", type=FILE, help="Your own words, as your browser saved them: they must be in the dice."
)
@state_option()
def command(log: str, as_json: bool, words: Path | None, state: Path | None) -> None:
    """Checks a log: its hash chain, its dice against their commitment, every move against the rules.

    LOG is an id from 'barpoint games', 'last', 'all', a match file that 'barpoint export' wrote (JSON is
    sealed line by line), or a journal or its backup (journal.db). Exit status 1: something is wrong, and the
    message says where. Note down the last digest that is printed: it shows later that this is the same match,
    and all of it. To whom the dice of each game are proved is told too: to players whose browsers gave words.

    \b
    Example: barpoint verify last --words barpoint-words.json
    """
    checked: list[str] = []
    fault: str | None = None
    try:
        own = None if words is None else _read_words(words)
        checked = _check(log, state)
        if own is not None:
            checked = [*checked, *_check_words(log, state, own)]
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


def _read_words(path: Path) -> tuple[OwnWords, ...]:
    try:
        return read_words(decode(path.read_bytes()))
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror or error}") from error
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from error


def _check_words(log: str, state: Path | None, own: tuple[OwnWords, ...]) -> list[str]:
    """Checks a player's own words against one match. Raises Fault."""
    path = Path(log)
    if log == "all" or (
        is_file(path) and (path.suffix == ".db" or detect(decode(path.read_bytes())) != "json")
    ):
        raise BadInput("--words needs one match: an id, 'last', or a JSON file of 'barpoint export'")
    if is_file(path):
        match, _ = seal.read(decode(path.read_bytes()))
    else:
        with journal(state, create=False) as logs:
            match = match_record(logs.entries(find(logs, log)))
    faults = find_faults(match, own)
    if faults:
        raise Fault("; ".join(faults))
    return describe(match, own)


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
