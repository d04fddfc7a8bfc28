"""What can happen at the table, as data.

An event is a fact from outside: somebody pressed a button, dice fell, a picture came to rest, time went by.
It carries everything that the session needs to know, the time and the picture included, so that the same
events always give the same session: that is how a recorded game is replayed, and how the device comes back
after a power cut.

Every event has ``t``, seconds on one clock that the firmware chooses (only differences matter). An event is
exactly what its JSON says: evidence is rounded as the journal rounds it when the event is made, so judging
live and judging from the journal cannot differ.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, cast

from engine.clock import Control
from engine.errors import EngineError
from engine.evidence import Evidence
from engine.layout import Side
from engine.match import Terms
from engine.outside import LARGEST, check, check_numbers, shown
from engine.position import POSITION_KEYS, Dice, Json

DIRECTOR = "director"
"""The actor who decides: what a director corrects counts at once."""
PAGE = "page"
"""The actor of whom only the PIN is known."""


class Button(enum.StrEnum):
    """What a button means. Which button of the box means what is the firmware's business."""

    ROLL = "roll"
    """Ask for dice."""
    DONE = "done"
    """The play stands on the board; the clock press. Between games: the board is set up again."""
    DOUBLE = "double"
    """Offer a double; as the answer to one, a beaver."""
    TAKE = "take"
    """Take the double, or accept a resignation."""
    DROP = "drop"
    """Drop the double, or refuse a resignation."""
    UNDO = "undo"
    """Take the last *done* back."""
    SWAP = "swap"
    """The play of that name, in games that have it."""
    RESIGN = "resign"
    """Offer to lose; pressed again, a grade more."""
    PAUSE = "pause"
    """Stop the game and its clock; pressed again, go on."""


class Moves(enum.StrEnum):
    """What becomes of a foul (WBGF rules): the players choose before the match."""

    LEGAL = "legal"
    """It must be fixed before the turn passes; once the opponent has rolled, it stands."""
    RESPONSIBLE = "responsible"
    """The opponent may also condone it."""


class DiceFrom(enum.StrEnum):
    """Where the dice come from."""

    ROLLED = "rolled"
    """Every roll is announced by an event, drawn by the device or typed by players."""
    INFERRED = "inferred"
    """The players roll their own and say nothing: the judge finds the rolls that explain the play."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """The base of all events. ``t`` is in seconds. Not made itself."""

    name: ClassVar[str] = ""
    t: float
    actor: str = ""
    """Who did it on the page: a side, from its player's own phone; :data:`DIRECTOR`; :data:`PAGE`, somebody
    who knows the PIN; empty for the table itself (its box, camera, dice and clock)."""

    def to_json(self) -> Json:
        """A JSON object with the event's ``event`` name; fields at their default are left out."""
        data: Json = {"event": self.name}
        for each in dataclasses.fields(self):
            value = getattr(self, each.name)
            default = (
                each.default_factory() if each.default_factory is not dataclasses.MISSING else each.default
            )
            if default is not dataclasses.MISSING and value == default:
                continue
            data[each.name] = _plain(value)
        return data


@dataclass(frozen=True, slots=True, kw_only=True)
class Begin(Event):
    """Two players sit down to a match: what they agreed on."""

    name: ClassVar[str] = "begin"
    rules: str
    options: Mapping[str, Any] = field(default_factory=dict)
    """The game's own options (``Rules.options``), among them a map that the players set up."""
    players: Mapping[Side, str] = field(default_factory=dict)
    terms: Terms = field(default_factory=Terms)
    clock: Control = field(default_factory=Control)
    moves: Moves = Moves.LEGAL
    dice: DiceFrom = DiceFrom.ROLLED
    position: Json | None = None
    """Where the first game is taken up, if not at its start (the stable JSON form)."""
    competition: str = ""
    """The event that the match belongs to, for the record."""
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Next(Event):
    """The next game of the match begins. ``options`` replace those of the last game where given."""

    name: ClassVar[str] = "next"
    options: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Roll(Event):
    """Dice fell.

    At the opening with ``side`` None the dice stand in the order of ``Rules.sides``, one each; with ``side``
    given it is the winner, whose die is the higher. Afterwards ``side`` may be None for the side on turn.
    """

    name: ClassVar[str] = "roll"
    dice: Dice
    side: Side | None = None
    opening: bool = False
    number: int | None = None
    """The roll's number under the device's commitment; None for dice that the players rolled."""
    read: float | None = None
    """How sure the camera was (0-1) that read these dice on the board; None for dice that it did not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Press(Event):
    """A button. ``side`` None is a shared button: the side that is to act.

    *Done* carries the evidence at rest that the camera had, None where there is none. *Resign* may name its
    ``grade``.
    """

    name: ClassVar[str] = "press"
    button: Button
    side: Side | None = None
    evidence: Evidence | None = None
    grade: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "evidence", _rounded(self.evidence))


@dataclass(frozen=True, slots=True, kw_only=True)
class See(Event):
    """A new picture at rest. It judges a pending foul again, so that its lights go out as it is fixed; it
    ends no turn."""

    name: ClassVar[str] = "see"
    evidence: Evidence

    def __post_init__(self) -> None:
        object.__setattr__(self, "evidence", _rounded(self.evidence))


@dataclass(frozen=True, slots=True, kw_only=True)
class Choose(Event):
    """The players say what was played, in the game's notation. With own dice that the judge infers: ``52:
    13/8 24/22``."""

    name: ClassVar[str] = "choose"
    play: str
    side: Side | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Intend(Event):
    """The side on turn says what it plays, in the game's notation, before its pieces move: nothing else may
    be played then. The table's own player says it, whose pieces people move."""

    name: ClassVar[str] = "intend"
    play: str
    side: Side | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Condone(Event):
    """The opponent lets a foul stand (*responsible moves*). ``side`` is the opponent."""

    name: ClassVar[str] = "condone"
    side: Side


@dataclass(frozen=True, slots=True, kw_only=True)
class Correct(Event):
    """The players set something by hand. What is None stays, and so do keys left out of ``position`` (the
    stable JSON form); dice that are being played stay too, where the turn does."""

    name: ClassVar[str] = "correct"
    position: Json | None = None
    score: tuple[int, int] | None = None
    cube: int | None = None
    owner: Side | None = None
    """Who owns the cube; only read with ``cube``. None is the middle."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tick(Event):
    """Time went by. It changes nothing but a clock that runs out."""

    name: ClassVar[str] = "tick"


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit(Event):
    """The device binds itself to its dice: ``digest`` is the SHA-256 of a secret, in hex, ``match`` the match
    that it is for, ``form`` how the dice come of it (:mod:`engine.fair_dice`). ``round`` is that of a public
    source of randomness which is mixed in, 0 where none is."""

    name: ClassVar[str] = "commit"
    digest: str
    match: str = ""
    form: int = 1
    round: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pledge(Event):
    """A player is bound to words that nobody else knows yet: ``digest`` is
    :func:`engine.fair_dice.pledge_of`."""

    name: ClassVar[str] = "pledge"
    side: Side
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Beacon(Event):
    """The public source has told the number of the round that a commitment named."""

    name: ClassVar[str] = "beacon"
    signature: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Close(Event):
    """Nobody can pledge words any more; now they are told."""

    name: ClassVar[str] = "close"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seed(Event):
    """Words of a player that the dice shall depend on: those that were pledged, where some were."""

    name: ClassVar[str] = "seed"
    side: Side
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reveal(Event):
    """The device publishes the secret that it was bound to."""

    name: ClassVar[str] = "reveal"
    secret: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Key(Event):
    """From here on the log is kept under this table's public ``key`` (Ed25519, in hex): its end must be
    signed with it."""

    name: ClassVar[str] = "key"
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign(Event):
    """The table has signed the match that has ended: everything before this event. All in hex: ``record`` is
    the digest of what was played, ``moves`` of what of that other programs' files hold ("" where they hold
    no such match), ``recording`` of the recorded pictures ("" where there are none), and ``signature`` binds
    them to the log. What exactly is signed is the firmware's business."""

    name: ClassVar[str] = "sign"
    record: str
    signature: str
    moves: str = ""
    recording: str = ""


FARTHEST = 1e12
"""Seconds of the latest time of an event, and before zero of the earliest: 30,000 years."""

KINDS: Mapping[str, type[Event]] = {
    kind.name: kind
    for kind in (
        Begin,
        Next,
        Roll,
        Press,
        See,
        Choose,
        Intend,
        Condone,
        Correct,
        Tick,
        Commit,
        Pledge,
        Close,
        Beacon,
        Seed,
        Reveal,
        Key,
        Sign,
    )
}
"""Every event by its name in JSON."""


def from_json(data: Mapping[str, Any]) -> Event:
    """The inverse of ``to_json``. Raises EngineError that names the field at fault."""
    if not isinstance(data, Mapping):
        raise EngineError(f"an event is a JSON object, not {shown(data)}")
    name = data.get("event")
    kind = KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise EngineError(f"unknown event {shown(name)}; the events are {', '.join(KINDS)}")
    known = {each.name: each for each in dataclasses.fields(kind)}
    unknown = [key for key in data if key not in known and key != "event"]
    if unknown:
        raise EngineError(f"{kind.name}: unknown field {shown(unknown[0])}; it has {', '.join(known)}")
    check_numbers({key: value for key, value in data.items() if key not in ("t", "evidence")}, kind.name)
    values = {}
    for key, each in known.items():
        if key in data:
            values[key] = _read(f"{kind.name}.{key}", str(each.type), data[key])
        elif each.default is dataclasses.MISSING and each.default_factory is dataclasses.MISSING:
            raise EngineError(f"{kind.name}: the field {key!r} is missing")
    return kind(**values)


def from_outside(data: Mapping[str, Any]) -> Event:
    """The same for an event that people or programs send. Raises EngineError also for odd text, and for keys
    of a position that no game has."""
    event = from_json(data)
    check(data, event.name)
    position = getattr(event, "position", None) or {}
    unknown = [key for key in position if key not in POSITION_KEYS]
    if unknown:
        raise EngineError(f"{event.name}.position: unknown key {shown(unknown[0])}")
    return event


def _rounded(evidence: Evidence | None) -> Evidence | None:
    return None if evidence is None else Evidence.from_json(cast("Mapping[str, object]", evidence.to_json()))


def _plain(value: Any) -> Any:
    if isinstance(value, (Evidence, Terms, Control)):
        return value.to_json()
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if isinstance(value, Mapping) else value


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) <= FARTHEST:
        raise ValueError("must be a finite number of seconds")
    return float(value)


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > LARGEST:
        raise ValueError("must be a whole number")
    return value


def _word(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("must be a text")
    return value


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("must be true or false")
    return value


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError("must be a JSON object")
    return dict(value)


def _wholes(value: Any) -> tuple[int, ...]:
    if not isinstance(value, (list, tuple)):
        raise ValueError("must be a list of whole numbers")
    return tuple(_whole(each) for each in value)


def _pair(value: Any) -> tuple[int, int]:
    numbers = _wholes(value)
    if len(numbers) != 2:
        raise ValueError("must be two whole numbers")
    return numbers[0], numbers[1]


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "float": _number,
    "int": _whole,
    "str": _word,
    "Side": _word,
    "bool": _flag,
    "Dice": _wholes,
    "Json": _object,
    "tuple[int, int]": _pair,
    "Mapping[str, Any]": _object,
    "Mapping[Side, str]": lambda value: {_word(key): _word(name) for key, name in _object(value).items()},
    "Button": Button,
    "Moves": Moves,
    "DiceFrom": DiceFrom,
    "Evidence": lambda value: Evidence.from_json(_object(value)),
    "Terms": lambda value: Terms.from_json(_object(value)),
    "Control": lambda value: Control.from_json(_object(value)),
}
"""A reader for each type that a field is annotated with."""


def _read(where: str, annotation: str, value: Any) -> Any:
    kind, _, optional = annotation.partition(" | ")
    if value is None and optional == "None":
        return None
    try:
        return _READERS[kind](value)
    except ValueError as error:
        raise EngineError(f"{where}: {error}, not {shown(value)}") from error
