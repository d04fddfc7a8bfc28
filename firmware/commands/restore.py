"""``barpoint restore``: the journal again, from a backup or from what is left of it."""

from __future__ import annotations

import json
from pathlib import Path

import click

from engine.messages import phrase, phrase_number
from firmware.commands._options import FILE, json_option, state_option
from firmware.commands._output import tell
from firmware.errors import BadInput
from firmware.record.chain import JournalError, LaterJournal
from firmware.record.journal import Journal
from firmware.record.match_id import is_match_id
from firmware.record.recover import put_in_place, rebuild, recover, restored
from firmware.state import JOURNAL, directory, hold

SHOWN = 5
"""Ids that are told."""


@click.command(name="restore")
@click.argument("file", type=FILE)
@json_option(
    help=(
        "One JSON line: {journal, aside, entries, games, lost: [{id, entry, beyond}], torn, strange: [id],"
        " only_aside: [id]}."
    )
)
@state_option()
def command(file: Path, as_json: bool, state: Path | None) -> None:
    """Makes the journal anew from FILE: a backup, or a damaged journal (also the present one).

    Of each game, all entries before the first damaged one are kept, proved by its chain, and the damage is
    named; a game whose id could not name a file is left out. A journal that is already there is moved aside,
    never deleted. Stop 'barpoint run' first: a folder that is in use is refused. Exit status 1: something was
    lost, or may have been: where a torn file ended in the middle of a match, nothing shows what is missing.

    \b
    Example: barpoint restore /media/usb/journal.db
    """
    target = directory(state) / JOURNAL
    with hold(target.parent, "restore"):
        found = recover(file)
        torn = _is_damaged(file)
        strange = [each.game for each in found if not is_match_id(each.game)]
        kept = [each for each in found if each.entries and is_match_id(each.game)]
        if not kept:
            raise BadInput(phrase("{file}: it holds no entry of a journal; nothing was changed", file=file))
        rebuild(kept, restored(target))
        only_aside = sorted(_matches(target) - {each.game for each in kept})
        aside = put_in_place(target)
    lost = [each for each in found if each.lost is not None]
    entries = sum(len(each.entries) for each in kept)
    if as_json:
        gone = [{"id": each.game, "entry": each.lost, "beyond": each.beyond} for each in lost]
        data = {
            "journal": str(target),
            "aside": None if aside is None else str(aside),
            "entries": entries,
            "games": len(kept),
            "lost": gone,
            "torn": torn,
            "strange": strange,
            "only_aside": only_aside,
        }
        click.echo(json.dumps(data))
    else:
        for each in lost:
            tell(str(each))
        for name in strange:
            tell(
                phrase(
                    "game {name!r} is left out: that is no match id, and it would name files elsewhere",
                    name=name,
                )
            )
        if torn and not lost:
            tell(
                phrase(
                    "{file} is damaged: the last entries of a match may be missing; compare with a backup or"
                    " an export of it",
                    file=file,
                )
            )
        if aside is not None:
            tell(phrase("the journal that was there is now {path}", path=aside))
        if only_aside:
            ids = ", ".join(only_aside[:SHOWN]) + " …" * (len(only_aside) > SHOWN)
            tell(
                phrase(
                    "what {file} does not have is only in {path} now: {ids};"
                    " 'barpoint restore {path}' goes back",
                    file=file,
                    path=aside,
                    ids=ids,
                )
            )
        of_matches = phrase_number("{n} match", "{n} matches", len(kept))
        tell(
            phrase_number(
                "{path} holds {n} entry of {matches}",
                "{path} holds {n} entries of {matches}",
                entries,
                path=target,
                matches=of_matches,
            )
        )
    if lost or torn or strange:
        raise SystemExit(1)


def _matches(journal: Path) -> set[str]:
    """The ids of what is in a journal; none where there is none, or it is damaged."""
    try:
        with Journal.open_readonly(journal) as logs:
            return set(logs.games())
    except JournalError:
        return set()


def _is_damaged(file: Path) -> bool:
    """Whether SQLite finds the file damaged: then more may be gone than the chains of what is left show."""
    try:
        with Journal.open_readonly(file) as journal:
            journal.check_file()
    except LaterJournal:
        raise  # the entries of a later version may mean something else
    except JournalError:
        return True
    return False
