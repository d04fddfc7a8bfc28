"""``barpoint stick``: the day's matches onto a USB stick."""

from __future__ import annotations

import json
from pathlib import Path

import click

from engine.messages import phrase, phrase_number
from firmware.commands._options import FOLDER, json_option, match_filter_options, state_option, utc_day
from firmware.commands._output import tell
from firmware.record.match_line import MatchFilter
from firmware.record.usb_export import NotWritten, export_matches, stick_folder
from firmware.state import JOURNAL, directory, journal


@click.command(name="stick")
@click.argument("folder", metavar="DIR", type=FOLDER)
@match_filter_options
@json_option(help="One JSON line: {matches, damaged, fault}.")
@state_option()
def command(folder: Path, as_json: bool, state: Path | None, **options: str) -> None:
    """Writes matches to DIR, on a USB stick: for each the match file (.mat, or text where it is another
    game), the sealed JSON and the report. DIR is where the stick is mounted, or a folder right in there.
    Without other options: the matches of today and yesterday.

    Files that are on the stick already are left alone, and none is ever left half written. No link on the
    stick is followed; what is no ordinary file is named, and left alone. Exit status 1: not everything could
    be written; the message says why. 2: there is no stick ('barpoint export --all' writes to any folder). An
    installed table does this by itself when a stick is put in, and its page says when the stick may be pulled
    out.

    \b
    Example: barpoint stick /media/usb/barpoint --since 2026-03-01
    """
    if not any(options.values()):
        options["since"] = utc_day("yesterday")
    done, others, fault = 0, list[str](), None
    try:
        with stick_folder(folder) as stick:
            if (directory(state) / JOURNAL).exists():
                with journal(state, create=False) as logs:
                    done, others = export_matches(logs, stick, MatchFilter(**options))
    except NotWritten as error:
        fault = str(error)
    if as_json:
        click.echo(json.dumps({"matches": done, "damaged": others, "fault": fault}))
    else:
        for line in others:
            tell(f"barpoint: {line}", err=True)
        words = phrase_number("{n} match on the stick", "{n} matches on the stick", done)
        if others:
            words = phrase("{matches}, {n} not: {first}", matches=words, n=len(others), first=others[0])
        tell(fault or words)
    if fault is not None or others:
        raise SystemExit(1)
