"""``barpoint stick``: the day's matches onto a USB stick."""

from __future__ import annotations

import json
from pathlib import Path

import click

from firmware.commands import _options
from firmware.errors import BadInput
from firmware.record.catalogue import MatchFilter
from firmware.record.usb_export import NotWritten, write
from firmware.state import JOURNAL, directory, journal


@click.command(name="stick", short_help="Writes matches to a USB stick")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@_options.wanted
@click.option("--json", "as_json", is_flag=True, help="One JSON line: {matches, damaged, fault}.")
@_options.state
def command(folder: Path, as_json: bool, state: Path | None, **options: str) -> None:
    """Writes matches to DIR, on a USB stick for example: for each the match file (.mat, or text where it is
    another game), the sealed JSON and the report. Without other options: those of today and yesterday.

    What is on the stick already is left alone. No half file ever has a match's name. Exit status 1: not
    everything could be written; the line says why. An installed table does this by itself when a stick is put
    in, and says on its page when that may be pulled out.

    \b
    Example: barpoint stick /media/usb/barpoint --since 2026-03-01
    """
    if not any(options.values()):
        options["since"] = _options.day("yesterday")
    done, damaged, fault = 0, list[str](), None
    if not folder.parent.is_dir():
        raise BadInput(f"{folder.parent}: there is no such folder; is the stick in?")
    if (directory(state) / JOURNAL).exists():
        with journal(state, create=False) as kept:
            try:
                done, damaged = write(kept, folder, MatchFilter(**options))
            except NotWritten as error:
                fault = str(error)
    if as_json:
        click.echo(json.dumps({"matches": done, "damaged": damaged, "fault": fault}))
    else:
        for line in damaged:
            click.echo(f"barpoint: {line}", err=True)
        click.echo(
            fault
            or f"{done} match{'' if done == 1 else 'es'} on the stick"
            + (f", {len(damaged)} cannot be read" if damaged else "")
        )
    if fault is not None or damaged:
        raise SystemExit(1)
