"""``barpoint backup``: a copy of the journal."""

from __future__ import annotations

import json
from pathlib import Path

import click

from engine.messages import joined, phrase
from firmware.commands._options import PATH, json_option, state_option
from firmware.commands._output import ordinary_file, tell
from firmware.errors import BadInput
from firmware.record.chain import JournalError
from firmware.record.game_faults import Fault
from firmware.record.journal import Journal
from firmware.record.verify import check_journal, check_lost
from firmware.state import JOURNAL, journal


@click.command(name="backup")
@click.argument("file", metavar="FILE|DIR", type=PATH)
@json_option(help="One JSON line: {ok, file, checked, fault}.")
@state_option()
def command(file: Path, as_json: bool, state: Path | None) -> None:
    """Copies the journal to FILE (or into DIR), and checks the copy. Games may go on meanwhile.

    The copy is complete or does not appear; an older one of that name is replaced. Exit status 1: the copy,
    and so the journal, has faults.

    \b
    Example: barpoint backup /media/usb
    """
    target = file / JOURNAL if file.is_dir() else file
    with journal(state, create=False) as logs:
        if target.exists() and target.samefile(logs.path):
            raise BadInput(phrase("{path} is the journal itself; name another file", path=target))
        logs.backup(ordinary_file(target))
    checked: list[str] = []
    fault: str | None = None
    try:
        check_lost(logs)
        with Journal.open_readonly(target) as copy:
            checked = check_journal(copy)
    except (Fault, JournalError) as error:
        fault = str(error)
    if as_json:
        click.echo(json.dumps({"ok": fault is None, "file": str(target), "checked": checked, "fault": fault}))
    else:
        tell(
            phrase("{log}: {words}", log=target, words=joined("; ", checked))
            if fault is None
            else phrase("{file}: copied, but {fault}", file=target, fault=fault)
        )
    if fault is not None:
        raise SystemExit(1)
