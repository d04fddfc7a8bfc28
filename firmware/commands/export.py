"""``barpoint export``: logged matches for other programs."""

from __future__ import annotations

from pathlib import Path

import click

from engine.errors import EngineError
from engine.messages import joined, phrase, phrase_number
from firmware.commands._options import FOLDER, match_filter_options, output_option, state_option
from firmware.commands._output import STDOUT, save, tell, unwritable
from firmware.errors import BadInput
from firmware.files import NotPlain, OpenFolder
from firmware.formats import FORMATS, FormatError, write
from firmware.record.annotated import annotated
from firmware.record.archive import find, read_match
from firmware.record.catalogue import listing
from firmware.record.chain import JournalError
from firmware.record.journal import Journal
from firmware.record.match_id import match_file
from firmware.record.match_line import MatchFilter
from firmware.record.review import best_kept
from firmware.record.seal import export_file
from firmware.record.signed import read_signed
from firmware.record.table_key import TableKey
from firmware.state import directory, journal

COMMENTED = ("sgf", "text")
"""Formats that have a place for comments."""


@click.command(name="export")
@click.argument("game", required=False)
@click.option(
    "--format",
    "form",
    type=click.Choice(list(FORMATS)),
    default="json",
    show_default=True,
    help="The file format.",
)
@output_option(help="Write to this file instead of standard output.")
@click.option("--all", "folder", type=FOLDER, help="Write every match to a file of its own in this folder.")
@click.option(
    "--review", "reviewed", is_flag=True, help="With what 'barpoint review' found, as comments (sgf, text)."
)
@match_filter_options
@state_option()
def command(
    game: str | None,
    form: str,
    output: Path | None,
    folder: Path | None,
    reviewed: bool,
    state: Path | None,
    **options: str,
) -> None:
    """Writes a logged match for gnubg, XG and other programs. GAME is an id from 'barpoint games', or 'last'.

    JSON is sealed: 'barpoint verify' names any line that is altered afterwards; and a finished match is
    signed by its table, also in mat and sgf where these hold all of it, and in ogxm in that format's own
    form (needs the extra: pip install ogxm). --all DIR writes every match
    that the other options choose. Exit status 1: some could not be written; a line tells about each.

    \b
    Example: barpoint export last --format mat -o match.mat
    Example: barpoint export --all /media/usb --format sgf --since 2026-03-01
    """
    if (game is None) == (folder is None):
        raise click.UsageError(phrase("name a GAME, or a folder with --all"))
    if folder is not None:
        if reviewed:
            raise click.UsageError(phrase("--review is for one GAME"))
        if output is not None:
            raise click.UsageError(phrase("-o is for one GAME; --all DIR names the files itself"))
        _export_all(folder, form, state, MatchFilter(**options))
        return
    assert game is not None
    if any(options.values()):
        raise click.UsageError(phrase("the options that choose matches go with --all"))
    if reviewed and form not in COMMENTED:
        raise click.UsageError(
            phrase(
                "{form} has no place for comments; use --format {others}",
                form=form,
                others=" | ".join(COMMENTED),
            )
        )
    with journal(state, create=False) as logs:
        try:
            if reviewed:
                save(STDOUT if output is None else output, _commented(logs, game, form, state))
                return
            data = export_file(*read_signed(logs, find(logs, game)), form, TableKey.at_hand(directory(state)))
        except (FormatError, EngineError) as error:
            raise BadInput(joined(": ", (game, str(error)))) from error
    save(STDOUT if output is None else output, data if FORMATS[form].binary else data.decode())


def _commented(logs: Journal, game: str, form: str, state: Path | None) -> str | bytes:
    """A match with the comments of its reviews, unsigned: the table signed it without them. Raises BadInput
    where there is no review."""
    match = read_match(logs, find(logs, game))
    reviews = best_kept(match, directory(state) / "analysis")
    if not any(reviews):
        raise BadInput(phrase("{game} has not been reviewed; 'barpoint review {game}' does it", game=game))
    return write(annotated(match, reviews), form)


def _export_all(folder: Path, form: str, state: Path | None, chosen: MatchFilter) -> None:
    done, failed = 0, 0
    key = TableKey.at_hand(directory(state))
    with journal(state, create=False) as logs:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with OpenFolder.open(folder.resolve()) as target:
                for line in listing(logs, chosen):
                    try:
                        data = export_file(*read_signed(logs, line.log), form, key)
                        target.replace(match_file(line.log, FORMATS[form].suffix), data)
                        done += 1
                    except (FormatError, EngineError, JournalError, NotPlain) as error:
                        tell(joined(": ", ("barpoint", line.log, str(error))), err=True)
                        failed += 1
        except OSError as error:
            raise unwritable(folder, error) from error
    words = phrase_number(
        "{n} match written to {folder}", "{n} matches written to {folder}", done, folder=folder
    )
    tell(phrase("{matches}, {n} not", matches=words, n=failed) if failed else words)
    if failed:
        raise SystemExit(1)
