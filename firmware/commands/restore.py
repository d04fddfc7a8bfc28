"""``barpoint restore``: the journal again, from a backup or from what is left of it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import click

from firmware.commands import _options
from firmware.errors import BadInput
from firmware.record.journal import Journal, JournalError
from firmware.record.recover import rebuild, recover, set_aside
from firmware.state import JOURNAL, directory


@click.command(name="restore", short_help="Makes the journal anew from a backup or a damaged one")
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="One JSON line: {journal, aside, entries, games, lost: [{id, entry, beyond}], torn}.",
)
@_options.state
def command(file: Path, as_json: bool, state: Path | None) -> None:
    """Makes the journal anew from FILE: a backup, or a damaged journal (also the present one).

    Of each game, everything up to the first damaged entry is kept, proved by its chain, and the damage is
    named. A journal that is there is moved aside, never deleted. Stop 'barpoint run' first. Exit status 1:
    something was lost, or may have been: what a torn file had at the end of a match leaves no trace.

    \b
    Example: barpoint restore /media/usb/journal.db
    """
    torn = _torn(file)
    found = recover(file)
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
            "torn": torn,
        }
        click.echo(json.dumps(told))
    else:
        for each in lost:
            click.echo(str(each))
        if torn and not lost:
            click.echo(
                f"{file} is damaged: what stood at the end of a match may be missing; a backup or an export"
                " of it would show"
            )
        if aside is not None:
            click.echo(f"the journal that was there is now {aside}")
        click.echo(f"{entries} entries of {len(kept)} match{'' if len(kept) == 1 else 'es'} are in {target}")
    if lost or torn:
        raise SystemExit(1)


def _torn(file: Path) -> bool:
    """Whether SQLite, too, finds the file damaged: then more may be gone than the chains of what is left can
    tell."""
    try:
        with Journal.look(file) as journal:
            journal.check_file()
    except JournalError:
        return True
    return False
