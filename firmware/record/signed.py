"""The signature of a match in its log: made from the entries before it, found again, and checked.

The log says under which key it is kept (an entry ``key``, the first after the match's beginning), and ends,
once the match has, with an entry ``sign``. What goes on after that (a score set by hand, a play taken back)
must be signed again at the next end.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.events import Key, Sign
from engine.match_state import MatchState, State
from engine.messages import phrase, phrase_number
from engine.record import MatchRecord
from firmware.record.archive import checked_record, match_record
from firmware.record.chain import Entry
from firmware.record.journal import Journal
from firmware.record.seal import is_signed, moves_digest, record_digest
from firmware.record.signature import BadSignature, Signature
from firmware.record.table_key import Keys, TableKey, short

UNSIGNED = phrase("it is not signed, so nothing proves which table it was played at")
LATE = phrase("a table signs within a minute of the end, or when the next match begins")


def sign(log: str, entries: Sequence[Entry], key: TableKey, recording: str) -> Signature:
    """The signature of a log as it is now. Raises BrokenChain where the log cannot have happened."""
    match = match_record(entries)
    digests = record_digest(match), moves_digest(match)
    head = entries[-1].digest.hex()
    return key.sign(Signature(log, len(entries), head, *digests, recording, key.public))


def found_in(log: str, entries: Sequence[Entry]) -> list[Signature]:
    """The signatures in a log, unchecked. Raises BadSignature where one is damaged."""
    key, found = "", []
    for place, entry in enumerate(entries):
        body = entry.body
        if body.get("event") == Key.name:
            key = str(body.get("key"))
        elif body.get("event") == Sign.name:
            data = {name: value for name, value in body.items() if name not in ("event", "t")}
            head = entries[place - 1].digest.hex() if place else ""
            covers = {"match": log, "entries": place, "head": head, "key": key}
            found.append(Signature.from_json(data | covers))
    return found


def newest(log: str, entries: Sequence[Entry]) -> Signature | None:
    """The signature that a log ends with, unchecked; None where it ends with none."""
    if not entries or entries[-1].body.get("event") != Sign.name:
        return None
    try:
        return found_in(log, entries)[-1]
    except BadSignature:
        return None  # 'verify' says so; the match itself can be exported


def read_signed(journal: Journal, log: str) -> tuple[MatchRecord, Signature | None]:
    """What was played in a match, from its entries alone, and the signature that covers all of them,
    unchecked. Raises JournalError, BrokenChain."""
    entries = journal.entries(log)
    return checked_record(log, entries), newest(log, entries)


def check_signed(
    log: str, entries: Sequence[Entry], table: MatchState | None, keys: Keys | None
) -> tuple[list[str], Signature | None]:
    """Checks the signatures of a log; what is to be told of them, and the one that covers the whole log.
    ``table`` is how the table stood at the end, None for a match that no table played. With ``keys`` one of
    these must have signed it. Raises BadSignature."""
    found = found_in(log, entries)
    for each in found:
        try:
            each.check()
        except BadSignature as error:
            raise BadSignature(
                phrase("entry {entry}: {fault}", entry=each.entries, fault=str(error))
            ) from error
    whole = found[-1] if found and found[-1].entries == len(entries) - 1 else None
    kept_under = [str(entry.body.get("key")) for entry in entries if entry.body.get("event") == Key.name]
    ended = table is not None and table.state is State.ENDED
    if kept_under and whole is None and (ended or keys is not None):
        raise BadSignature(_missing(found, len(entries), kept_under[-1], ended))
    if keys is not None:
        check_key(whole, keys)
    told: list[str] = []
    if len(set(kept_under)) > 1:
        told.append(
            phrase_number(
                "the table's key changed {n} time during the match",
                "the table's key changed {n} times during the match",
                len(set(kept_under)) - 1,
            )
        )
    if whole is not None:
        told.append(_signed(whole, keys))
    elif kept_under:
        told.append(phrase("kept under {key}, not signed before its end", key=short(kept_under[-1])))
    return told, whole


def check_exported(
    match: MatchRecord, signature: Signature | None, form: str, keys: Keys | None
) -> list[str]:
    """Checks the signature of a match out of a file of this format; what is to be told of it. Raises
    BadSignature."""
    if keys is not None:
        check_key(signature, keys)
    if signature is None:
        return []
    signature.check()
    if not is_signed(match, signature, form):
        raise BadSignature(
            phrase("the signature is of another match, or this one was altered after it was signed")
        )
    return [_signed(signature, keys)]


def check_key(signature: Signature | None, keys: Keys) -> None:
    """Raises BadSignature where none of these keys made the signature."""
    if signature is None:
        raise BadSignature(UNSIGNED)
    if signature.key not in keys:
        given = (
            short(next(iter(keys)), keys)
            if len(keys) == 1
            else phrase("any of the {n} keys given", n=len(keys))
        )
        raise BadSignature(
            phrase(
                "it is signed by another table: by {key}, not by {given}",
                key=short(signature.key),
                given=given,
            )
        )


def _signed(signature: Signature, keys: Keys | None) -> str:
    return phrase_number(
        "signed by {key}: match {match}, {n} entry",
        "signed by {key}: match {match}, {n} entries",
        signature.entries,
        key=short(signature.key, keys),
        match=signature.match,
    )


def _missing(found: Sequence[Signature], entries: int, key: str, ended: bool) -> str:
    if found:
        more = entries - found[-1].entries - 1
        return phrase_number(
            "it was signed after entry {entry}, and {n} entry followed that no signature covers; {late}",
            "it was signed after entry {entry}, and {n} entries followed that no signature covers; {late}",
            more,
            entry=found[-1].entries - 1,
            late=LATE,
        )
    if not ended:
        return phrase("it has not ended, so it is not signed yet by {key}", key=short(key))
    return phrase(
        "the match is finished, but its signature by {key} is missing; {late}", key=short(key), late=LATE
    )
