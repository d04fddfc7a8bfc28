"""``barpoint restore``: the journal again, from a backup or from what is left of it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import click

from firmware.commands import _logs
from firmware.errors import BadInput
from firmware.record.salvage import rebuild, salvage, set_aside
from firmware.state import JOURNAL, directory


@click.command(name="restore", short_help="Makes the journal anew from a backup or a damaged one")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--json", "as_json", is_flag=True, help="One JSON line: {journal, aside, entries, games, lost: [{id, entry, beyond}]}.")
@_logs.state
def command(file: Path, as_json: bool, state: Path | None) -> None:
    """Makes the journal anew from FILE: a backup, or a damaged journal (also the present one).

    Of each game, everything up to the first damaged entry is kept, proved by its chain, and the damage is named. A journal that is there
    is moved aside, never deleted. Stop 'barpoint run' first. Exit status 1: something was lost.

    \b
    Example: barpoint restore /media/usb/journal.db
    """
    found = salvage(file)
    kept = [each for each in found if each.entries]
    if not kept:
        raise BadInput(f"{file}: no entry of a journal is left in it; nothing was changed")
    target = directory(state) / JOURNAL
    fresh = target.with_name(target.name + ".new")
    rebuild(kept, fresh)
    aside = set_aside(target, f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}") if target.exists() else None
    fresh.replace(target)
    lost = [each for each in found if each.lost is not None]
    entries = sum(len(each.entries) for each in kept)
    if as_json:
        gone = [{"id": each.game, "entry": each.lost, "beyond": each.beyond} for each in lost]
        told = {
            "journal": str(target),
            "aside": None if aside is None else str(aside),
            "entries": entries,
            "games": len(kept),
            "lost": gone,
        }
        click.echo(json.dumps(told))
    else:
        for each in lost:
            click.echo(str(each))
        if aside is not None:
            click.echo(f"the journal that was there is now {aside}")
        click.echo(f"{entries} entries of {len(kept)} match{'' if len(kept) == 1 else 'es'} are in {target}")
    if lost:
        raise SystemExit(1)
