"""A match as it was played: plain data that every format is written from and read into.

A :class:`MatchRecord` holds who played what under which settings, and its games. A :class:`GameRecord` holds
the score before it, what was done, in order, and how it ended. Nothing in either needs to be computed from a
picture or a clock, and nothing is left to be guessed: replaying the actions under the rules gives every
position again (:func:`replay`), or says where the record breaks them.

Plays are kept as notation and found again by ``Position.find``; a play that the rules do not allow but that
stood is kept with the position that it left (:class:`Stood`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from engine import rules as games
from engine.errors import EngineError
from engine.layout import Side
from engine.match import Terms
from engine.messages import phrase
from engine.names import named
from engine.position import Awaits, Dice, Json, Play, Position


class BadRecord(EngineError):
    """A record that cannot have been played; the message names the game and the action."""


@dataclass(frozen=True, slots=True)
class Rolled:
    """Dice. ``side`` is None for an opening roll: one die each, in the order of the sides.

    ``number`` is the roll's number under the game's dice commitment, None where the players rolled dice of
    their own."""

    side: Side | None
    dice: Dice
    number: int | None = None


@dataclass(frozen=True, slots=True)
class Played:
    """A legal play, in the game's notation; a dance is the game's word for no move."""

    side: Side
    text: str


@dataclass(frozen=True, slots=True)
class Stood:
    """A play that the rules do not allow, but that stood. ``after`` is the position that it left, in its JSON
    form; ``text`` says in words what was seen, where that is known. It follows no :class:`Rolled` where the
    players had not told their dice: no roll explains it."""

    side: Side
    after: Json
    text: str = ""


@dataclass(frozen=True, slots=True)
class Doubled:
    """The cube offered at twice the stake."""

    side: Side


@dataclass(frozen=True, slots=True)
class Beavered:
    """A double answered by doubling again at once: whoever would own the cube still does. The other side now
    takes, drops or beavers."""

    side: Side


@dataclass(frozen=True, slots=True)
class Taken:
    """The offered stake accepted."""

    side: Side


@dataclass(frozen=True, slots=True)
class Dropped:
    """The offered stake refused: the game is lost at the stake before the offer."""

    side: Side


@dataclass(frozen=True, slots=True)
class Resigned:
    """A resignation offered. ``grade`` is what is conceded, in the game's word (``Rules.grades``)."""

    side: Side
    grade: str
    accepted: bool = True


@dataclass(frozen=True, slots=True)
class Corrected:
    """Set by hand: the position (in its JSON form) and the cube, as they stood afterwards."""

    position: Json
    cube: int = 1
    owner: Side | None = None


@dataclass(frozen=True, slots=True)
class Remark:
    """Something worth keeping that moved no piece: a foul that was fixed, a ruling asked for."""

    text: str


@dataclass(frozen=True, slots=True)
class Scored:
    """The match score became this without a game's end: set by ``hand``, so when the game had ended
    (``after``), or a penalty for ``time``."""

    score: tuple[int, int]
    by: str = "hand"


Action: TypeAlias = (
    Rolled | Played | Stood | Doubled | Beavered | Taken | Dropped | Resigned | Corrected | Remark | Scored
)


@dataclass(frozen=True, slots=True)
class Result:
    """How a game ended: ``winner`` is None for a tie, ``kind`` the game's word (``gammon``). ``points`` are
    with the cube and not cut to what the match still needed. ``cause`` is ``played``, ``dropped``,
    ``resigned`` or ``time``."""

    winner: Side | None
    kind: str
    points: int
    cause: str = "played"


@dataclass(frozen=True, slots=True, order=True)
class Given:
    """A side's words in a game's dice, and the ``pledge`` (hex) that bound it to them. ``words`` are empty
    where pledged ones were never told; ``pledge`` is empty where words were told without one."""

    side: Side
    words: str = ""
    pledge: str = ""


@dataclass(frozen=True, slots=True)
class Proof:
    """What makes a game's dice provable: the commitment published before it (SHA-256, hex), the players' own
    words, and the secret (hex), which is empty until the game is over.

    In ``form`` 1 there are ``words`` alone. In form 2 there are the ``match`` and the number of the ``game``
    that the commitment was for, and what was ``given``, in order; and the ``round`` of a public source of
    randomness that it named, 0 for none, with what that was, the ``beacon`` (hex), empty where it never came.
    """

    commitment: str
    words: tuple[str, ...] = ()
    secret: str = ""
    form: int = 1
    match: str = ""
    game: int = 0
    given: tuple[Given, ...] = ()
    round: int = 0
    beacon: str = ""

    @property
    def withheld(self) -> tuple[Side, ...]:
        """The sides whose words were pledged and never told."""
        return tuple(each.side for each in self.given if each.pledge and not each.words)

    @property
    def proved_to(self) -> tuple[Side, ...]:
        """The sides to which these dice are proved: whose own words, which nobody else knew until all was
        bound, are in them. Nobody, where somebody could still choose whether to tell his own."""
        told = tuple(each.side for each in self.given if each.pledge and each.words)
        return () if self.withheld else told


@dataclass(frozen=True, slots=True)
class GameRecord:
    """One game. ``score`` is before it, in the order of the sides; ``cube`` is the stake that it starts at
    (automatic doubles); ``start`` is the JSON position that it starts from, None for the usual start.
    ``options`` replace the match's, None keeps them. ``result`` is None for a game that was broken off."""

    score: tuple[int, int]
    actions: tuple[Action, ...] = ()
    result: Result | None = None
    crawford: bool = False
    cube: int = 1
    start: Json | None = None
    options: Json | None = None
    proof: Proof | None = None


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """A match or a money session: who played, for what, and its games.

    ``players`` are in the order of the game's sides. ``date`` is ``YYYY-MM-DD`` or empty; so are the other
    texts where nothing is known.
    """

    rules: str
    players: tuple[str, str]
    terms: Terms = field(default_factory=Terms)
    games: tuple[GameRecord, ...] = ()
    options: Json = field(default_factory=dict)
    event: str = ""
    round: str = ""
    place: str = ""
    date: str = ""
    comment: str = ""

    @property
    def score(self) -> tuple[int, int]:
        """Points won so far by each side, the last game included."""
        return scored(self, self.games[-1]) if self.games else self.terms.score

    def player(self, side: Side | None) -> str:
        """The player on a side, for people; a side without a name is called by itself."""
        sides = games.get(self.rules).sides
        return named(self.players[sides.index(side)] or side) if side in sides else phrase("nobody")


@dataclass(frozen=True, slots=True)
class GameState:
    """Where a game stands between two actions: ``cube`` is the stake agreed, ``owner`` who may double next
    (None: both), ``offered`` who has just offered twice that stake and waits for an answer, ``holder`` who
    owns the cube if it is taken. ``turned`` is whether a double was taken in this game (Jacoby)."""

    position: Position
    cube: int = 1
    owner: Side | None = None
    offered: Side | None = None
    holder: Side | None = None
    turned: bool = False


@dataclass(frozen=True, slots=True)
class Moment:
    """One action with the states around it; ``play`` is the play found where the action is one."""

    before: GameState
    action: Action
    after: GameState
    play: Play | None = None


def scored(match: MatchRecord, game: GameRecord) -> tuple[int, int]:
    """The score after a game: what it began with, or was set to in it, and the result's points, unless it was
    set after the end."""
    first, second = games.get(match.rules).sides
    before = next(
        (action.score for action in reversed(game.actions) if isinstance(action, Scored)), game.score
    )
    if game.result is None or (game.actions and isinstance(game.actions[-1], Scored)):
        return before
    points, winner = game.result.points, game.result.winner
    return (before[0] + points * (winner == first), before[1] + points * (winner == second))


def opening(match: MatchRecord, game: GameRecord) -> GameState:
    """The state that a game starts in. Raises EngineError where the record's start is no position."""
    rules = games.get(match.rules)
    options = {**rules.options, **(match.options if game.options is None else game.options)}
    position = rules.start(options) if game.start is None else rules.read(game.start)
    return GameState(position, game.cube)


def replay(match: MatchRecord, game: GameRecord) -> Iterator[Moment]:
    """The game's actions again, each with the states before and after it. Raises BadRecord at the first that
    cannot have happened."""
    state = opening(match, game)
    over = False
    for number, action in enumerate(game.actions, 1):
        try:
            if over and not isinstance(action, Remark | Scored):
                raise BadRecord(phrase("the game was over"))
            moment = step(state, action)
        except EngineError as error:
            raise BadRecord(phrase("action {place}: {fault}", place=number, fault=str(error))) from error
        state = moment.after
        over = over or ends(moment)
        yield moment


def ends(moment: Moment) -> bool:
    """Whether this action ended the game."""
    match moment.action:
        case Dropped():
            return True
        case Resigned(accepted=accepted):
            return accepted
        case _:
            return moment.after.position.awaits is Awaits.NOTHING


def step(state: GameState, action: Action) -> Moment:
    """One action done in a state. Raises EngineError where it cannot be done; clocks, limits of the cube and
    the Crawford rule are the session's business, not the record's."""
    position = state.position
    if state.offered is not None and not isinstance(
        action, Taken | Dropped | Beavered | Resigned | Corrected | Remark | Scored
    ):
        raise BadRecord(phrase("{side} has doubled and waits for an answer", side=named(state.offered)))
    match action:
        case Rolled(side=side, dice=dice):
            _expect(
                position.awaits is (Awaits.OPENING if side is None else Awaits.ROLL),
                phrase("no such roll is due"),
            )
            _turn(position, side)
            return Moment(state, action, replace(state, position=position.roll(dice)))
        case Played(side=side, text=text):
            _expect(position.awaits is Awaits.PLAY, phrase("no play is due"))
            _turn(position, side)
            play = position.find(text)
            return Moment(state, action, replace(state, position=play.after), play)
        case Stood(side=side, after=after):
            _expect(position.awaits is not Awaits.NOTHING, phrase("no play is due"))
            _turn(position, side if position.turn else None)
            return Moment(state, action, replace(state, position=position.rules.read(after)))
        case Doubled(side=side):
            _expect(position.awaits is Awaits.ROLL, phrase("doubling is before the roll"))
            _turn(position, side)
            _expect(state.owner in (None, side), phrase("the cube is the opponent's"))
            return Moment(state, action, replace(state, offered=side, holder=position.rules.other(side)))
        case Beavered(side=side):
            _expect(_answers(state, side), phrase("there is no double to answer"))
            return Moment(state, action, replace(state, cube=state.cube * 2, offered=side))
        case Taken(side=side):
            _expect(_answers(state, side), phrase("there is no double to answer"))
            return Moment(state, action, GameState(position, state.cube * 2, state.holder, turned=True))
        case Dropped(side=side):
            _expect(_answers(state, side), phrase("there is no double to answer"))
            return Moment(state, action, replace(state, offered=None))
        case Corrected(position=data, cube=cube, owner=owner):
            return Moment(
                state, action, GameState(position.rules.read(data), cube, owner, turned=state.turned)
            )
        case Resigned() | Remark() | Scored():
            return Moment(state, action, state)


def _answers(state: GameState, side: Side) -> bool:
    return state.offered is not None and side != state.offered


def _expect(holds: bool, reason: str) -> None:
    if not holds:
        raise BadRecord(reason)


def _turn(position: Position, side: Side | None) -> None:
    if side is not None and position.turn != side:
        raise BadRecord(
            phrase("it is {due}'s turn, not {side}'s", due=named(position.turn or ""), side=named(side))
        )


def result_of(match: MatchRecord, moments: Sequence[Moment]) -> Result | None:
    """How a replayed game ended, with the cube and the Jacoby rule; None where its actions do not end it."""
    last = next((moment for moment in moments if ends(moment)), None)
    if last is None:
        return None
    rules = games.get(match.rules)
    stake = last.before.cube
    unturned = match.terms.jacoby and not last.before.turned
    match last.action:
        case Dropped(side=side):
            return Result(rules.other(side), rules.grades[0][0], stake, "dropped")
        case Resigned(side=side, grade=grade):
            points = 1 if unturned else dict(rules.grades)[grade]
            return Result(rules.other(side), grade, points * stake, "resigned")
        case _:
            outcome = last.after.position.outcome
            assert outcome is not None
            points = 1 if unturned and outcome.winner is not None else outcome.points
            return Result(outcome.winner, outcome.kind, points * stake)
