"""What tables and hub say to each other: protocol version 1.

Every message is one JSON object with ``v``, the version; a receiver ignores keys that it does not know, and
refuses another version. The topics are ``barpoint/<event>/<table>/<word>``; docs/hub.md tells the protocol in
words, ``docs/hub-asyncapi.json`` is made of the classes here (:mod:`firmware.hub.asyncapi`).

A table says *status* (kept by the broker; its last will says that it is gone), *hello* with the head of each
of its matches, *entries*, *state* (kept), *call* (kept), and once *join*. The hub says *kept*, *assign*
(kept), *coming* (kept), *joined*, and of itself *status*. Nothing relies on the broker's queues: whatever
gets lost on the way is missing at the other end, is asked for, and comes again.

To use it: ``Entries.read(payload)`` gives the message or raises BadMessage; ``message.text()`` is what is
sent; ``topic(event, table, Word.STATE)`` and ``read_topic`` are the addresses.
"""

from __future__ import annotations

import enum
import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, ClassVar, Final, Literal, Self, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from firmware.record.chain import GENESIS
from firmware.record.chain import Head as ChainHead
from firmware.settings.config import CLUB_NAME

VERSION: Final = 1
ROOT = "barpoint"
HUB = "hub"
"""The name that no table may have: the hub speaks of itself under it."""
JOINING = "join"
"""The name that no event may have: under it tables take their codes, ``barpoint/join/<account>/join``."""
LONGEST_BODY = 1 << 18
"""Characters of one entry; the largest that was seen, a picture's evidence, has 20,000."""
LARGEST = 1 << 20
"""Bytes of a message: of entries, and of how a table stands."""
SMALL = 1 << 17
"""Bytes of any other; the largest that a table of ours can say, 500 heads with long ids, has 90,000."""
MOST_ENTRIES = 200
"""Entries in one message."""
MOST_HEADS = 500
"""Heads in one message."""
NAME = CLUB_NAME
"""Names of tables and events: 1 to 40 letters, digits, spaces, dots, dashes. They are parts of topics."""


class BadMessage(Exception):
    """What came is no message of this protocol; the text says why."""


class Word(enum.StrEnum):
    """The last part of a topic: what the message is about."""

    STATUS = "status"
    HELLO = "hello"
    ENTRIES = "entries"
    STATE = "state"
    CALL = "call"
    JOIN = "join"
    KEPT = "kept"
    ASSIGN = "assign"
    COMING = "coming"
    JOINED = "joined"


FROM_TABLES = (Word.STATUS, Word.HELLO, Word.ENTRIES, Word.STATE, Word.CALL)
"""What a table that has joined says; one that joins says ``join`` alone."""
TO_TABLES = (Word.KEPT, Word.ASSIGN, Word.COMING)
"""What is said to a table that has joined; to one that joins, ``joined`` alone."""


def good_name(name: str) -> bool:
    """Whether a table or an event may be called so."""
    return bool(NAME.fullmatch(name)) and name.casefold() not in (HUB, JOINING)


def topic(event: str, table: str, word: Word | str) -> str:
    """The address of a message; ``+`` in the place of a table means all of them."""
    return f"{ROOT}/{event}/{table}/{word}"


def read_topic(address: str) -> tuple[str, Word]:
    """Table and word of an address. Raises BadMessage."""
    parts = address.split("/")
    if len(parts) != 4 or parts[0] != ROOT or parts[3] not in set(Word):
        raise BadMessage(f"{address[:80]!r} is no topic of this protocol")
    return parts[2], Word(parts[3])


MatchId: TypeAlias = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[!-~]+$")]
Digest: TypeAlias = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$", description="SHA-256, in hex")]
Words: TypeAlias = Annotated[str, Field(max_length=500)]


def _finite(data: dict[str, Any]) -> dict[str, Any]:
    """The same; ValueError where it holds NaN or an infinity, which JSON has not, and no browser reads."""
    json.dumps(data, allow_nan=False)
    return data


JsonObject: TypeAlias = Annotated[dict[str, Any], AfterValidator(_finite)]
Utc: TypeAlias = Annotated[
    str, Field(max_length=40, pattern=r"^[ -~]*$", description="the sender's clock, UTC in ISO 8601")
]


class MessagePart(BaseModel):
    """A part of a message."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class Head(MessagePart):
    """Where a match's chain ends: the last entry's number and digest; -1 and zeros before the first."""

    match: MatchId
    number: Annotated[int, Field(ge=-1)] = -1
    digest: Digest = GENESIS.hex()


class Line(MessagePart):
    """An entry of the journal: ``body`` is the exact text whose digest is chained (docs/record.md)."""

    number: Annotated[int, Field(ge=0)]
    at: Utc
    body: Annotated[str, Field(max_length=LONGEST_BODY)]
    digest: Digest


class Message(MessagePart):
    """The base of all messages."""

    v: Literal[1] = VERSION
    most: ClassVar[int] = SMALL
    """Bytes."""

    @classmethod
    def read(cls, payload: bytes | str) -> Self:
        """The message in ``payload``. Raises BadMessage."""
        if len(payload) > cls.most:
            raise BadMessage(f"{cls.__name__.lower()}: {len(payload)} bytes; at most {cls.most}")
        try:
            return cls.model_validate_json(payload)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(map(str, first["loc"]))
            if where == "v":
                why = f"another version of the protocol; this program speaks {VERSION}"
            else:
                why = f"{where}: {first['msg']}" if where else str(first["msg"])
            raise BadMessage(f"{cls.__name__.lower()}: {why}"[:300]) from None

    def text(self) -> str:
        """What is sent."""
        return self.model_dump_json()


class Status(Message):
    """A table is here, or is gone. ``run`` changes with every start of its program, ``troubles`` are what it
    tells its players, in words."""

    online: bool
    run: Annotated[str, Field(max_length=64)] = ""
    at: Utc = ""
    program: Annotated[str, Field(max_length=40)] = ""
    troubles: Annotated[tuple[Words, ...], Field(max_length=20)] = ()

    def ahead(self) -> float:
        """By how many seconds the table's clock is ahead of ours, 0 where it does not say."""
        try:
            return round((datetime.fromisoformat(self.at) - datetime.now(UTC)).total_seconds(), 1)
        except (ValueError, TypeError):
            return 0.0


class Heads(Message):
    """The base of messages that say where matches end."""

    heads: Annotated[tuple[Head, ...], Field(max_length=MOST_HEADS)]

    @classmethod
    def of(cls, ends: Mapping[str, ChainHead]) -> Iterator[Self]:
        """The messages that say it of these matches, each as long as it may be."""
        every = [Head(match=match, number=end.number, digest=end.digest.hex()) for match, end in ends.items()]
        for begin in range(0, len(every), MOST_HEADS):
            yield cls(heads=tuple(every[begin : begin + MOST_HEADS]))


class Hello(Heads):
    """A table tells the hub where its matches end; the hub answers with :class:`Kept` for each. Said when it
    connects, when the hub has started, and again while entries wait to be confirmed."""


class Entries(Message):
    """Entries of one match, in order, without gaps. The hub keeps those that follow from what it has."""

    most = LARGEST

    match: MatchId
    entries: Annotated[tuple[Line, ...], Field(min_length=1, max_length=MOST_ENTRIES)]


class Kept(Heads):
    """The hub has these on its disk: the table sends what comes after."""


class State(Message):
    """How a table stands: what its page shows to spectators, without the list of moves. ``entry`` is the last
    entry of ``match`` that it surely shows; ``age`` the seconds since it was made, for the clocks in it."""

    most = LARGEST
    match: Annotated[str, Field(max_length=64, pattern=r"^[!-~]*$")] = ""
    entry: Annotated[int, Field(ge=-1)] = -1
    age: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    shows: JsonObject = {}


class Call(Message):
    """Players call the director, or do not any more."""

    called: bool
    why: Words = ""


class Assignment(Message):
    """The match that the director gives to a table. It begins there by itself as soon as no match is being
    played. ``id`` makes it one of its own: the same is never begun twice. ``competition`` and ``place`` stand
    in the match's first entry, so its result finds the way back. ``length`` 0 is money play; ``score`` is
    what both start with (penalty points); ``clock`` is the clock in the engine's JSON (``Control.to_json``),
    None the table's own setting. An empty ``id`` takes an assignment back."""

    id: Annotated[str, Field(max_length=64)]
    players: Annotated[tuple[Words, ...], Field(max_length=2)] = ()
    length: Annotated[int, Field(ge=0, le=99)] = 0
    score: tuple[Annotated[int, Field(ge=0, le=99)], Annotated[int, Field(ge=0, le=99)]] = (0, 0)
    rules: Annotated[str, Field(max_length=40)] = "backgammon"
    clock: JsonObject | None = None
    competition: Words = ""
    place: Words = ""


class Coming(Message):
    """A director comes to the table that called: ``who``, by name, "" nobody (yet, or any more)."""

    who: Annotated[str, Field(max_length=40)] = ""


class Join(Message):
    """A table that was given a code has made itself a key, its password from now on."""

    key: Annotated[str, Field(min_length=32, max_length=200, pattern=r"^[!-~]+$")]


class Joined(Message):
    """The table's key is known; the code is worth nothing any more. ``account`` is what the table calls
    itself to the broker, ``hub`` the hub's id."""

    account: Annotated[str, Field(max_length=64)]
    event: Annotated[str, Field(max_length=40)]
    table: Annotated[str, Field(max_length=40)]
    hub: Annotated[str, Field(max_length=64)]


class HubStatus(Message):
    """The hub is here, or is gone. ``hub`` is its id, for ever; ``run`` changes with every start."""

    online: bool
    hub: Annotated[str, Field(max_length=64)]
    run: Annotated[str, Field(max_length=64)] = ""
    at: Utc = ""
