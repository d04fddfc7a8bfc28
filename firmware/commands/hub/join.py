"""``barpoint hub join``: this table joins a hub."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from engine.messages import phrase
from firmware.commands._config import config_option, read_config, table_folder
from firmware.commands._options import state_option
from firmware.commands._output import tell
from firmware.errors import BadInput
from firmware.hub.discovery import find_hubs
from firmware.hub.identity_code import Code
from firmware.hub.joining import join
from firmware.record.journal import Journal
from firmware.state import JOURNAL
from firmware.table.open_matches import OpenMatches


@click.command(name="join")
@click.argument("code")
@click.option("--hub", "where", metavar="HOST[:PORT]", help="Where the hub is, if the code does not say it.")
@config_option
@state_option(help="The table's state (default: $XDG_STATE_HOME/barpoint).")
def command(code: str, where: str | None, path: Path | None, state: Path | None) -> None:
    """Joins this table to a hub, by the code that 'barpoint hub add-table' has shown. From then on the hub is
    told what happens here; matches that were played before stay here. A table that runs takes it up when it
    starts again.

    \b
    Example: barpoint hub join ABCD-EFGH-IJKL-MNOP-QRST-UVWX@192.168.1.5
    """
    read = Code.read(code)
    folder = table_folder(read_config(path), path, state)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(
            phrase("cannot use the folder {folder}: {error}", folder=folder, error=error.strerror or error)
        ) from error
    membership = asyncio.run(join(read, where or read.where or _find(), _played_before(folder)))
    membership.going_on(folder).save(folder)
    tell(
        phrase(
            "{table} has joined {event!r} at {address}",
            table=membership.table,
            event=membership.event,
            address=f"{membership.host}:{membership.port}",
        )
    )
    tell(phrase("it is told from the next start on:  sudo systemctl restart barpoint"))


def _find() -> str:
    """The one hub in the network. Raises BadInput."""
    found = asyncio.run(find_hubs())
    if len(found) == 1:
        return (
            f"[{found[0].host}]:{found[0].port}"
            if ":" in found[0].host
            else f"{found[0].host}:{found[0].port}"
        )
    said = ", ".join(f"{each.host} ({each.event})" for each in found)
    trouble = f"there are several hubs in the network: {said}" if found else "no hub was found in the network"
    raise BadInput(phrase("{trouble}; say which with --hub HOST", trouble=trouble))


def _played_before(folder: Path) -> list[str]:
    """The matches in the journal, without the one at the table."""
    if not (folder / JOURNAL).exists():
        return []
    with Journal.open_readonly(folder / JOURNAL) as journal:
        return [each for each in journal.games() if each != OpenMatches(folder).current()]
