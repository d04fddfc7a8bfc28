"""``barpoint stick``: the day's matches onto a USB stick."""

from __future__ import annotations

import json
from pathlib import Path

import click

from firmware.commands._options import FOLDER, json_option, match_filter_options, state_option, utc_day
from firmware.errors import BadInput
from firmware.record.catalogue import MatchFilter
from firmware.record.usb_export import NotWritten, export_matches
from firmware.state import JOURNAL, directory, journal
from firmware.wording import counted


@click.command(name="stick", short_help="Writes matches to a USB stick")
@click.argument("folder", metavar="DIR", type=FOLDER)
@match_filter_options
@json_option("One JSON line: {matches, damaged, fault}.")
@state_option()
def command(folder: Path, as_json: bool, state: Path | None, **options: str) -> None:
    """Writes matches to DIR, on a USB stick for example: for each the match file (.mat, or text where it is
    another game), the sealed JSON and the report. Without other options: those of today and yesterday.

    Files that are on the stick already are left alone, and none is ever left half written. Exit status 1: not
    everything could be written; the message says why. An installed table does this by itself when a stick is
    put in, and its page says when the stick may be pulled out.

    \b
    Example: barpoint stick /media/usb/barpoint --since 2026-03-01
    """
    if not any(options.values()):
        options["since"] = utc_day("yesterday")
    done, damaged, fault = 0, list[str](), None
    if not folder.parent.is_dir():
        raise BadInput(f"{folder.parent}: there is no such folder; is the stick in?")
    if (directory(state) / JOURNAL).exists():
        with journal(state, create=False) as logs:
            try:
                done, damaged = export_matches(logs, folder, MatchFilter(**options))
            except NotWritten as error:
                fault = str(error)
    if as_json:
        click.echo(json.dumps({"matches": done, "damaged": damaged, "fault": fault}))
    else:
        for line in damaged:
            click.echo(f"barpoint: {line}", err=True)
        unread = f", {len(damaged)} cannot be read" if damaged else ""
        click.echo(fault or f"{counted(done, 'match', 'matches')} on the stick{unread}")
    if fault is not None or damaged:
        raise SystemExit(1)
