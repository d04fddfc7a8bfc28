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
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, cast

from engine.clock import Control
from engine.evidence import Evidence
from engine.layout import Side
from engine.match import Terms
from engine.position import Dice, Json

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
        """A JSON object with the event's ``event`` name; fields at their default are left out. The inverse is
        :func:`engine.event_json.from_json`."""
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
    ended: bool = False
    """Whether the game had ended: then a score is the one that the next game begins with, be it the Crawford
    game. The device says so; releases up to 0.6 took it for that of the game that had ended."""


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


def _rounded(evidence: Evidence | None) -> Evidence | None:
    return None if evidence is None else Evidence.from_json(cast("Mapping[str, object]", evidence.to_json()))


def _plain(value: Any) -> Any:
    if isinstance(value, (Evidence, Terms, Control)):
        return value.to_json()
    if isinstance(value, tuple):
        return list(value)
    return dict(value) if isinstance(value, Mapping) else value
