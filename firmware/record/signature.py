"""A table's signature under a match: what is signed, as a text of a few lines, and the Ed25519 signature of
exactly these bytes.

    Barpoint signature 1
    match: 2026-11-22-5f1a22
    entries: 57
    head: (digest of the log's last entry before the signature)
    record: (digest of what was played, firmware.record.seal.record_digest)
    moves: (the same of what .mat and .sgf hold; left out where they hold no such match)
    recording: (digest of the recorded pictures; left out where there are none)
    key: (the table's public key)

Nothing in it depends on the program's wording or version. Anybody can check it with ``openssl pkeyutl``
(docs/formats.md). Other formats carry it in the match's comment, with one line ``signature:`` more, JSON as
an object of the same fields.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from engine.messages import phrase
from engine.position import Json
from engine.record import MatchRecord
from firmware.record.match_id import is_match_id

TITLE = "Barpoint signature 1"
KEY = "signature"
"""Where it stands in an exported JSON match."""
LEFT_OUT = ("moves", "recording")
"""Fields that may be empty; then they are left out."""
_HEX = {"head": 64, "record": 64, "moves": 64, "recording": 64, "key": 64, "signature": 128}


class BadSignature(ValueError):
    """A signature that proves nothing; the message says why, in one plain sentence."""


@dataclass(frozen=True, slots=True)
class Signature:
    """A signature with what it is of. Digests, ``key`` and ``signature`` are in lower-case hex."""

    match: str
    entries: int
    head: str
    record: str
    moves: str
    recording: str
    key: str
    signature: str = ""

    def statement(self) -> bytes:
        """The bytes that are signed."""
        return "".join(f"{line}\n" for line in self._lines() if not line.startswith("signature: ")).encode()

    def check(self) -> None:
        """Raises BadSignature where the key did not sign this."""
        try:
            key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(self.key))
            key.verify(bytes.fromhex(self.signature), self.statement())
        except (InvalidSignature, ValueError) as error:
            why = phrase("the key that it names did not sign this match, or the match is not what was signed")
            raise BadSignature(phrase("the signature is wrong: {why}", why=why)) from error

    @property
    def is_sound(self) -> bool:
        """Whether the key signed this."""
        try:
            self.check()
        except BadSignature:
            return False
        return True

    def to_json(self) -> Json:
        """As an object with the fields that are not empty."""
        return {name: value for name, value in asdict(self).items() if value != ""}

    @classmethod
    def from_json(cls, data: object) -> Signature:
        """The inverse of :meth:`to_json`. Raises BadSignature."""
        if not isinstance(data, dict):
            raise _damaged(phrase("it must be an object"))
        names = [each.name for each in fields(cls)]
        strange = [str(key) for key in data if key not in names]
        missing = [name for name in names if name not in data and name not in LEFT_OUT]
        if strange or missing:
            raise _damaged(
                phrase("{name!r} is no field of it", name=strange[0][:40])
                if strange
                else phrase("{name} is missing", name=missing[0])
            )
        for name in names:
            if name in data and not _is_sound(name, data[name]):
                raise _damaged(phrase("its {name} is none", name=name))
        return cls(**{name: data.get(name, "") for name in names})

    def noted_in(self, record: MatchRecord) -> MatchRecord:
        """The record with the signature at the end of its comment."""
        lines = [*([record.comment] if record.comment else []), *self._lines()]
        return replace(record, comment="\n".join(lines))

    @classmethod
    def of(cls, record: MatchRecord) -> tuple[MatchRecord, Signature | None]:
        """The record without the signature that its comment ends with, and that; None where it has none.
        Raises BadSignature where it is damaged."""
        lines = [line.strip() for line in record.comment.splitlines()]
        if TITLE not in lines:
            return record, None
        place = lines.index(TITLE)
        data: dict[str, Any] = {}
        for line in lines[place + 1 :]:
            name, _, value = line.partition(": ")
            if name in data:
                raise _damaged(phrase("{name} stands in it twice", name=name))
            data[name] = int(value) if name == "entries" and re.fullmatch(r"[0-9]{1,9}", value) else value
        comment = "\n".join(record.comment.splitlines()[:place])
        return replace(record, comment=comment), cls.from_json(data)

    def _lines(self) -> list[str]:
        return [TITLE, *(f"{name}: {value}" for name, value in self.to_json().items())]


def _damaged(why: str) -> BadSignature:
    return BadSignature(phrase("the signature is damaged: {why}", why=why))


def _is_sound(name: str, value: object) -> bool:
    if name == "entries":
        return type(value) is int and 0 < value < 10**9
    if not isinstance(value, str):
        return False
    if name == "match":
        return is_match_id(value)
    return re.fullmatch(rf"[0-9a-f]{{{_HEX[name]}}}", value) is not None
