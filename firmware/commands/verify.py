"""``barpoint verify``: checks a log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypeAlias

import click

from engine.messages import joined, phrase
from firmware.commands._options import FILE, json_option, state_option
from firmware.commands._options import FOLDER as FOLDER_TYPE
from firmware.commands._output import tell, tell_notes
from firmware.errors import BadInput
from firmware.files import is_file, is_folder, read_whole
from firmware.formats import FormatError, detect, read
from firmware.formats.source import decode
from firmware.record import seal
from firmware.record.archive import find, match_record
from firmware.record.chain import JournalError
from firmware.record.game_faults import Fault, of_game
from firmware.record.journal import Journal
from firmware.record.own_words import OwnWords, describe, find_faults, read_words
from firmware.record.signature import BadSignature, Signature
from firmware.record.signed import check_exported, newest
from firmware.record.table_key import Keys, read_keys
from firmware.record.verify import check_journal, check_log, check_lost, check_record, check_sealed
from firmware.recordings.proof import ChangedRecording, check_recording
from firmware.recordings.recorder import FOLDER
from firmware.recordings.reel import REEL
from firmware.state import directory, journal

Found: TypeAlias = tuple[list[str], Signature | None]
"""What is in order, in words, and the signature of the whole match."""
SQLITE = b"SQLite format 3\0"
"""How a SQLite file begins."""


@click.command(name="verify")
@click.argument("log")
@click.option(
    "--key",
    "given",
    multiple=True,
    metavar="KEY|FILE",
    help="It must be signed with this table's key (see 'barpoint key'), or with one of a file of keys.",
)
@click.option(
    "--pictures", type=FOLDER_TYPE, help="The folder of the match's recording, where it is kept elsewhere."
)
@click.option(
    "--words", type=FILE, help="Your own words, as your browser saved them: they must be in the dice."
)
@json_option(help="One JSON line: {ok, checked, fault, key}; key is the table's that signed.")
@state_option()
def command(
    log: str,
    given: tuple[str, ...],
    pictures: Path | None,
    words: Path | None,
    as_json: bool,
    state: Path | None,
) -> None:
    """Checks a log: its hash chain, its dice against their commitment, every move against the rules, its
    table's signature, and the recorded pictures where they are kept.

    LOG is an id from 'barpoint games', 'last', 'all', a match file that 'barpoint export' wrote (JSON is
    sealed line by line), or a journal or its backup (journal.db). Exit status 1: something is wrong, and the
    message says where. Note down the last digest that is printed: it shows later that this is the same match,
    and all of it. To whom the dice of each game are proved is told too: to players whose browsers gave words.
    --key, which may be given more than once, shows that it was played at a table that you know: compare with
    a key that you have from that table itself.

    \b
    Example: barpoint verify last
    Example: barpoint verify last --words barpoint-words.json
    Example: barpoint verify match.json --key tables.txt
    """
    checked: list[str] = []
    signature: Signature | None = None
    fault: str | None = None
    keys = read_keys(given) if given else None
    try:
        own = None if words is None else _read_words(words)
        checked, signature = _check(log, state, keys, pictures)
        if own is not None:
            checked = [*checked, *_check_words(log, state, own)]
    except Fault as error:
        fault = str(error)
    if as_json:
        key = None if signature is None else signature.key
        click.echo(json.dumps({"ok": fault is None, "checked": checked, "fault": fault, "key": key}))
    else:
        unsigned = [] if signature is not None or log == "all" else [phrase("not signed")]
        sound = phrase("in order: {checked}", checked=joined("; ", [*checked, *unsigned]))
        tell(phrase("{log}: {words}", log=log, words=fault or sound))
    if fault is not None:
        raise SystemExit(1)


def _check(log: str, state: Path | None, keys: Keys | None, pictures: Path | None) -> Found:
    path = Path(log)
    if is_file(path):
        return _check_file(path, keys, pictures)
    if "/" in log and is_folder(path):
        raise BadInput(phrase("{path} is a folder; name a file in it", path=log))
    if path.suffix:  # no id has one
        raise BadInput(phrase("{path}: there is no such file", path=log))
    with journal(state, create=False) as logs:
        if log == "all":
            return check_journal(logs, keys), None
        found = find(logs, log)
        try:
            check_lost(logs, found)
            logs.check_texts(found)
            entries = logs.entries(found)
        except JournalError as error:
            raise Fault(of_game(found, str(error))) from error
        told = check_log(found, entries, keys)
    signature = newest(found, entries)
    return told + _check_pictures(signature, pictures, directory(state) / FOLDER / found), signature


def _read_words(path: Path) -> tuple[OwnWords, ...]:
    try:
        return read_words(decode(read_whole(path)))
    except OSError as error:
        raise BadInput(joined(": ", (str(path), error.strerror or str(error)))) from error
    except BadInput as error:
        raise BadInput(joined(": ", (str(path), str(error)))) from error


def _check_words(log: str, state: Path | None, own: tuple[OwnWords, ...]) -> list[str]:
    """Checks a player's own words against one match. Raises Fault."""
    path = Path(log)
    if log == "all" or (
        is_file(path) and (path.suffix == ".db" or detect(decode(read_whole(path))) != "json")
    ):
        raise BadInput(phrase("--words needs one match: an id, 'last', or a JSON file of 'barpoint export'"))
    if is_file(path):
        match, *_ = seal.signed_record(decode(read_whole(path)))
    else:
        with journal(state, create=False) as logs:
            match = match_record(logs.entries(find(logs, log)))
    faults = find_faults(match, own)
    if faults:
        raise Fault(joined("; ", faults))
    return describe(match, own)


def _is_database(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(SQLITE)) == SQLITE


def _check_file(path: Path, keys: Keys | None, pictures: Path | None) -> Found:
    try:
        if path.suffix == ".db" or _is_database(path):
            with Journal.open_readonly(path) as logs:
                return check_journal(logs, keys), None
        data = read_whole(path)
        text = decode(data)
        form = detect(text)
        if form == "json":
            match, sealed, signature = seal.signed_record(text)
            told = check_sealed(match, sealed)
        else:
            found = read(data)
            tell_notes(str(path), found.notes)
            lost = next((str(note) for note in found.notes if note.lost), None)
            if lost is not None:
                raise Fault(lost)
            match, signature = Signature.of(found.record)
            told = check_record(match)
        told += check_exported(match, signature, form, keys)
        return told + _check_pictures(signature, pictures), signature
    except OSError as error:
        raise BadInput(joined(": ", (str(path), error.strerror or str(error)))) from error
    except (JournalError, BadSignature) as error:
        raise Fault(str(error)) from error
    except FormatError as error:
        raise BadInput(joined(": ", (str(path), str(error)))) from error


def _check_pictures(signature: Signature | None, given: Path | None, usual: Path | None = None) -> list[str]:
    """Checks the recording that was signed with a match, in the folder ``given`` or the ``usual`` one. Raises
    Fault."""
    folder = given or usual
    if signature is None or not signature.recording:
        if given is not None:
            raise Fault(phrase("no pictures were signed with this match"))
        return []
    if folder is None or (given is None and not is_file(folder / REEL)):
        return [phrase("its pictures were signed, too, and are not here")]
    try:
        return [check_recording(folder, signature.recording)]
    except ChangedRecording as error:
        raise Fault(str(error)) from error
