"""The seal of an exported match: a digest for each of its lines, chained to the one before, so that it shows
which line was altered, removed or added.

The seal stands in the JSON file as ``"seal": ["…", …, "words …"]``: one digest for the head of the match,
then, for each game, one for its head and one for each of its actions. A digest is the first 16 hex digits of
the SHA-256 of the whole digest before it and the line's canonical JSON. What the program says in its own
words (a remark, what a foul looked like) is left out of the lines, since the next version may say it better:
so a match has the same digests whenever it is exported. Those words have a digest of their own at the end.
Seals of releases up to 0.2 have none, and their lines have the words in them.

Whoever rewrites a file can seal it again, but then its last line's digest is another: ``barpoint verify``
prints it, and two players can note it down. A table signs it (:mod:`firmware.record.signature`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator

from engine import strict_json
from engine.errors import EngineError
from engine.messages import joined, phrase
from engine.position import Json
from engine.record import MatchRecord
from firmware import formats
from firmware.formats import jsonform, mat, ogxm_export
from firmware.formats.source import FormatError
from firmware.record.chain import canonical
from firmware.record.signature import KEY as SIGNED
from firmware.record.signature import BadSignature, Signature
from firmware.record.table_key import TableKey

KEY = "seal"
DIGITS = 16
WORDS = "words "
"""How the seal's last entry begins, where words are sealed apart."""
WORDED = ("remark", "stand")
"""The actions whose ``text`` is the program's own words."""


class BrokenSeal(Exception):
    """A line of an exported match is not what was sealed; the message names it."""


def write(record: MatchRecord, signature: Signature | None = None) -> str:
    """The match as sealed JSON, in the form of :mod:`firmware.formats.jsonform` with a key more; with two,
    where it is signed."""
    more = {KEY: digests(record)} | ({} if signature is None else {SIGNED: signature.to_json()})
    rest = "".join(f',\n "{key}": {json.dumps(value)}' for key, value in more.items())
    return f"{jsonform.write(record).rstrip().removesuffix('}').rstrip()}{rest}\n}}\n"


def export_file(
    match: MatchRecord, signature: Signature | None, form: str, key: TableKey | None = None
) -> bytes:
    """The match as a file of this format, with "?" for half of a character: JSON with its seal; with its
    signature where it has one and the format can prove it. An OGXM file has a signature of its own form, by
    the table's ``key`` where it is the one that signed the match. Raises FormatError and EngineError."""
    data = _export(match, signature, form, key)
    return data if isinstance(data, bytes) else data.encode(errors="replace")


def _export(match: MatchRecord, signature: Signature | None, form: str, key: TableKey | None) -> str | bytes:
    if signature is None:
        return write(match) if form == "json" else formats.write(match, form)
    if form == "json":
        return write(match, signature if is_signed(match, signature, form) else None)
    if form == "ogxm":
        return _signed_ogxm(match, signature, key)
    if form != "xgid":
        signed = formats.write(signature.noted_in(match), form)
        if is_signed(formats.read(signed, form).record, signature, form):
            return signed
    return formats.write(match, form)


def _signed_ogxm(match: MatchRecord, signature: Signature, key: TableKey | None) -> str | bytes:
    if signature.record != record_digest(match):
        return formats.write(match, "ogxm")
    noted = signature.noted_in(match)
    if key is None or key.public != signature.key or not signature.is_sound:
        return formats.write(noted, "ogxm")
    formats.format_for(match, "ogxm")
    return ogxm_export.signed(noted, key.public, key.private.sign)


def is_signed(record: MatchRecord, signature: Signature, form: str) -> bool:
    """Whether this is what was signed: all that was played; out of a file of another program, all of it that
    such files hold. The signature that stands in the record's comment is no part of it."""
    bare, _ = Signature.of(record)
    if formats.FORMATS[form].rules is None:
        return signature.record == record_digest(bare)
    return "" != signature.moves == moves_digest(bare)


def digests(record: MatchRecord) -> list[str]:
    """The digest of each line, in order, and that of the words."""
    words = hashlib.sha256("".join(each for each in _words(record)).encode()).hexdigest()
    return [*(each[:DIGITS] for each in _chain(record)), WORDS + words[:DIGITS]]


def record_digest(record: MatchRecord) -> str:
    """The digest of what was played: of all lines, without the words."""
    return _chain(record)[-1]


def moves_digest(record: MatchRecord) -> str:
    """The same of what the files of other programs (``.mat``, ``.sgf``) hold of it, "" where they hold no
    match of this game, or cannot hold this one."""
    if not any(each.rules and record.rules in each.rules for each in formats.FORMATS.values()):
        return ""
    try:
        return record_digest(mat.kept(record, time=False))
    except (FormatError, EngineError):
        return ""


def signed_record(text: str) -> tuple[MatchRecord, list[str] | None, Signature | None]:
    """A match in JSON, its seal and its signature, None where it has none. Raises FormatError and
    BadSignature."""
    try:
        data = strict_json.loads_object(text)
    except strict_json.BadJson as error:
        raise FormatError(str(error)) from error
    seal = data.pop(KEY, None)
    if seal is not None and not (isinstance(seal, list) and all(isinstance(each, str) for each in seal)):
        raise FormatError(f"{KEY}: must be a list of digests")
    signed = data.pop(SIGNED, None)
    record = jsonform.from_json(data)
    return record, seal, None if signed is None else Signature.from_json(signed)


def read(text: str) -> tuple[MatchRecord, list[str] | None]:
    """A match and its seal, None where it has none. Raises FormatError."""
    try:
        return signed_record(text)[:2]
    except BadSignature as error:
        raise FormatError(str(error)) from error


def last_line(seal: list[str]) -> str:
    """The digest of the last line: the one to note down."""
    return next((each for each in reversed(seal) if not each.startswith(WORDS)), "")


def check(record: MatchRecord, seal: list[str]) -> None:
    """Raises BrokenSeal at the first line that is not what was sealed."""
    apart = bool(seal) and seal[-1].startswith(WORDS)
    sealed = seal[:-1] if apart else seal
    found = [each[:DIGITS] for each in _chain(record, worded=not apart)]
    places = [place for place, _ in _lines(record)]
    for number, (place, one) in enumerate(zip(places, found, strict=True)):
        if number >= len(sealed):
            raise BrokenSeal(
                phrase(
                    "{where}: was added after the match was sealed ({sealed} lines were sealed, here are"
                    " {found})",
                    where=place,
                    sealed=len(sealed),
                    found=len(found),
                )
            )
        if one != sealed[number]:
            reason, missing = phrase("altered"), len(sealed) - len(found)
            if missing > 0:
                reason = phrase("missing or altered: {count} of the sealed lines are gone", count=missing)
            elif missing < 0:
                reason = phrase(
                    "not the line that was sealed here: there are {count} more lines than were sealed",
                    count=-missing,
                )
            raise BrokenSeal(joined(": ", (place, reason)))
    if len(found) < len(sealed):
        missing = len(sealed) - len(found)
        raise BrokenSeal(
            phrase("after {where}: {count} sealed lines are missing", where=places[-1], count=missing)
        )
    if apart and digests(record)[-1] != seal[-1]:
        raise BrokenSeal(
            phrase("the words of a remark, or of a play that stood, are not those that were sealed")
        )


def _chain(record: MatchRecord, *, worded: bool = False) -> list[str]:
    """The whole digest of each line, in hex; with the program's ``worded`` texts, as older seals have it."""
    before, found = b"", []
    for _, line in _lines(record):
        bare = line if worded or line.get("do") not in WORDED else {**line, "text": ""}
        before = hashlib.sha256(before + canonical(bare).encode()).digest()
        found.append(before.hex())
    return found


def _words(record: MatchRecord) -> Iterator[str]:
    """The program's own words, each so that it shows where it ends."""
    for _, line in _lines(record):
        if line.get("do") in WORDED:
            yield canonical({"text": line.get("text", "")})


def _lines(record: MatchRecord) -> Iterator[tuple[str, Json]]:
    """Every line that is sealed, with its name."""
    head = jsonform.to_json(record)
    games = head.pop("games", [])
    yield phrase("the match's head"), head
    for number, game in enumerate(games, 1):
        actions = game.pop("actions", [])
        yield phrase("game {n}, its score, result and dice commitment", n=number), game
        for place, action in enumerate(actions, 1):
            told = " ".join(str(action[key]) for key in action if key in ("do", "side", "dice", "text"))
            yield phrase("game {n}, action {place} ({words})", n=number, place=place, words=told), action
