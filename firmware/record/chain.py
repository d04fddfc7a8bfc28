"""The chain of a game's entries: the digest of an entry is the SHA-256 of the digest before it and of
everything in the entry, so that it shows which line was altered, removed or moved."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NoReturn

from engine.messages import phrase
from engine.position import Json

GENESIS = b"\0" * 32
"""The digest before the first entry of a game."""


class JournalError(Exception):
    """The journal cannot be opened or written; the message says why and what to do."""


class JournalAway(JournalError):
    """The disk does not give the journal now, and may again: it is full, or its cable is loose."""


class LaterJournal(JournalError):
    """A later version of this program has written it."""


class BrokenChain(JournalError):
    """An entry does not follow from those before it; ``game`` and ``number`` name the first such entry."""

    def __init__(self, game: str, number: int, reason: str) -> None:
        super().__init__(phrase("game {log}, entry {number}: {fault}", log=game, number=number, fault=reason))
        self.game = game
        self.number = number


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a game's log. ``number`` counts from 0; ``at`` is UTC in ISO 8601; ``digest`` closes the
    chain up to here."""

    game: str
    number: int
    at: str
    body: Json
    digest: bytes


@dataclass(frozen=True, slots=True)
class Head:
    """Where a game's chain ends: the number and the digest of its last entry."""

    number: int
    digest: bytes


START = Head(-1, GENESIS)
"""The head of a game that has no entry yet."""


def canonical(body: Json) -> str:
    """The only text of a JSON object that is hashed and stored: sorted keys, no spaces, ASCII."""
    return json.dumps(body, sort_keys=True, separators=(",", ":"), allow_nan=False, check_circular=False)


def stored(text: str) -> Json:
    """The body of an entry in its stored text. Raises ValueError or RecursionError where it is no JSON
    object."""
    body = json.loads(text, parse_constant=_no_number)
    if not isinstance(body, dict):
        raise ValueError("an entry is an object")
    return body


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number")


def as_written(text: str) -> Json | None:
    """The body of an entry in this text; None where it is not in the one form that is hashed."""
    try:
        body = stored(text)
        return body if canonical(body) == text else None
    except (ValueError, RecursionError):
        return None


def link(before: bytes, game: str, number: int, at: str, body: str) -> bytes:
    """The digest of an entry that follows ``before``; ``body`` is its canonical text."""
    text = canonical({"game": game, "number": number, "at": at, "body": body})
    return hashlib.sha256(before + text.encode()).digest()


def check_chain(game: str, entries: Iterable[Entry]) -> None:
    """Raises BrokenChain at the first entry that does not follow from those before it."""
    before = GENESIS
    for expected, entry in enumerate(entries):
        if entry.number != expected:
            raise BrokenChain(
                game, expected, phrase("missing; entry {number} stands in its place", number=entry.number)
            )
        if link(before, game, entry.number, entry.at, canonical(entry.body)) != entry.digest:
            reason = phrase("altered, or an entry before it was exchanged: its digest does not fit")
            raise BrokenChain(game, expected, reason)
        before = entry.digest
