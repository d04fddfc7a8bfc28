"""``barpoint verify``: checks a log."""

from __future__ import annotations

import json
from pathlib import Path

import click

from firmware.archive import find
from firmware.errors import BadInput
from firmware.formats import FormatError, read
from firmware.state import journal
from firmware.verify import Fault, check_log, check_record


@click.command(name="verify")
@click.argument("log")
@click.option("--json", "as_json", is_flag=True, help="One JSON line: {ok, checked, fault}.")
@click.option("--state", type=click.Path(path_type=Path, file_okay=False), help="Where the logs are (default: $XDG_STATE_HOME/barpoint).")
def command(log: str, as_json: bool, state: Path | None) -> None:
    """Checks a log: its hash chain, its dice against their commitment, every move against the rules.

    LOG is an id from 'barpoint games', 'last', or a file that 'barpoint export' wrote (which has no chain). Exit status 1: something is
    wrong, and the place is named.

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
        try:
            return check_record(read(path.read_bytes()).record)
        except (OSError, FormatError) as error:
            raise BadInput(f"{log}: {error}") from error
    with journal(state, create=False) as kept:
        found = find(kept, log)
        return check_log(found, kept.entries(found))
