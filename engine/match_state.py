"""One match at the table, as data: everything that a restart has to know.

A :class:`MatchState` stores facts, and :attr:`MatchState.state` is read off them, never stored: so no two of
them can disagree. The transitions are functions from a table and an event to another table and effects; they
live in ``engine.rolls`` (dice), ``engine.turns`` (plays), ``engine.stakes`` (cube, resignation, the end of a
game), ``engine.agreements`` (what must be answered), ``engine.fair_dice`` (commitments) and
``engine.match_flow`` (games, time, corrections); ``engine.session`` says which is allowed when."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TypeAlias

from engine.clock import Clock
from engine.cube import Cube
from engine.effects import Effect
from engine.events import Begin, Button, Correct
from engine.layout import Cell, Looks, Side
from engine.match import Match
from engine.names import named
from engine.position import Awaits, Dice, Outcome, Play, Position, Rules


class State(enum.StrEnum):
    """What the table waits for."""

    IDLE = "idle"
    """No match has begun."""
    OPENING = "opening"
    """The opening roll."""
    ROLL = "roll"
    """A side must roll, or may double."""
    ROLLING = "rolling"
    """Dice were asked for and have not fallen yet."""
    PLAY = "play"
    """A side must play and press done."""
    FOUL = "foul"
    """What it played is illegal and must be fixed."""
    ASKED = "asked"
    """The picture does not show what was played: a better one will, or the players say it."""
    OFFERED = "offered"
    """A double must be answered."""
    RESIGNED = "resigned"
    """A resignation must be answered."""
    PROPOSED = "proposed"
    """A correction by hand must be agreed to."""
    PAUSED = "paused"
    OVER = "over"
    """The game has ended, the match has not."""
    ENDED = "ended"
    """The match is won."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """One *done*, judged; or one foul that stood."""

    turn: int
    side: Side
    dice: Dice
    verdict: str
    """``legal``, ``illegal``, ``unsure``; ``stood`` for an illegal play that the game went on from."""
    move: str | None
    cells: tuple[Cell, ...]
    candidates: tuple[str, ...]
    words: str
    by: str = "camera"


JUDGED = "judged"
"""The kind of the announcement that a judgement is new; its words are the judgement's own."""
CANNOT_MOVE = "no move"
"""The kind of the announcement that dice cannot be played."""
FOR_THE_MOMENT = (JUDGED, "roll", CANNOT_MOVE, "fixed", "intention")
"""Kinds of announcements that the list of plays tells by itself."""


@dataclass(frozen=True, slots=True)
class Announcement:
    """Something that happened, in words for all; see ``engine.announcements``."""

    kind: str
    side: Side | None
    """Whose doing it was; None where it was both players', or nobody's."""
    words: str
    after: int
    """After how many of the game's plays."""


@dataclass(frozen=True, slots=True)
class Resignation:
    """``side`` offers to lose at the grade of that place in ``Rules.grades``."""

    side: Side
    grade: int
    delay: float | None = None
    """What was left of the delay of ``side``, whose time it was: it gets no new one by offering. None where
    it was not."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A correction that waits: what it sets, in ``words`` too, and the sides that have not agreed yet."""

    event: Correct
    words: str
    waits: tuple[Side, ...]


@dataclass(frozen=True, slots=True)
class GameEnd:
    """How the present game ended; ``points`` count the cube."""

    outcome: Outcome
    points: int
    cause: str


@dataclass(frozen=True, slots=True)
class MatchState:
    """One match, between events."""

    begin: Begin
    rules: Rules
    position: Position
    """As proved: while a foul is pending, the position before it."""
    match: Match
    clock: Clock
    cube: Cube = field(default_factory=Cube)
    turn: int = 0
    """Turns finished in this game; so the number of the present one, from 0."""
    dice: Dice = ()
    """What was rolled for the present turn, as it was announced."""
    read: float | None = None
    """How sure the camera was of these dice (0-1); None where it did not read them."""
    opened: Dice = ()
    """What the opening roll showed, where it only said who begins or has to be rolled again; until the next
    dice fall."""
    rolling: bool = False
    passing: Button | None = None
    """What the opponent of a side that is closed out has pressed: these dice are that side's, the turn passes
    with them, and then it is done; None for other dice."""
    rolls: tuple[int, int] = (0, 0)
    """Rolls of each side in this game."""
    intended: str = ""
    """What the side on turn has said that it plays; "" where it has said nothing."""
    pending: Judgement | None = None
    """The judgement that keeps the turn from passing: illegal or unsure."""
    seen: Looks | None = None
    """The board as the pending judgement saw it, every cell."""
    moves: tuple[Judgement, ...] = ()
    """What was played in this game: legal plays and fouls that stood."""
    resignation: Resignation | None = None
    proposal: Proposal | None = None
    result: GameEnd | None = None
    touched: tuple[Cell, ...] = ()
    """The cells that the last play of this game changed."""
    back: MatchState | None = None
    """The table as it was before the last *done*, while that can be taken back."""
    unrolled: MatchState | None = None
    """The table as it was before dice that the players announced, while these can be taken back: until the
    play is done."""
    news: tuple[Announcement, ...] = ()
    """What the newest event told that had something to tell."""
    story: tuple[Announcement, ...] = ()
    """What happened in this game beside its plays."""
    commitment: str | None = None
    """The digest that binds the dice, while their secret is not published."""
    bound: int = 0
    """The number of the game whose dice the commitment binds."""
    drawn: int = 0
    """The number of the last roll drawn under the commitment; equal dice at the opening count, though nobody
    plays them."""
    seeds: tuple[tuple[Side, str], ...] = ()
    """What the players added to the dice without a pledge."""
    form: int = 1
    """How the dice come of commitment and words."""
    log: str = ""
    """The match that the commitment is for."""
    pledges: tuple[tuple[Side, str], ...] = ()
    """Digests of words that the players are bound to."""
    closed: bool = False
    """Whether nobody can pledge any more."""
    round: int = 0
    """The round of the public source that the commitment named, 0 where none."""
    beacon: str = ""
    """What that round was, empty until it is known."""
    told: tuple[tuple[Side, str], ...] = ()
    """The words that were pledged, as far as they have been told."""
    key: str = ""
    """The public key under which the log is kept; "" where it is kept under none."""
    signed: bool = False
    """Whether the match has been signed since anything in it changed."""

    @property
    def state(self) -> State:
        """What the table waits for."""
        if self.proposal is not None and not self.clock.paused:
            return State.PROPOSED
        if self.match.winner is not None:
            return State.ENDED
        if self.result is not None:
            return State.OVER
        if self.clock.paused:
            return State.PAUSED
        if self.resignation is not None:
            return State.RESIGNED
        if self.cube.offer is not None:
            return State.OFFERED
        if self.pending is not None:
            return State.FOUL if self.fouled else State.ASKED
        if self.rolling:
            return State.ROLLING
        return _BY_POSITION[self.position.awaits]

    @property
    def fouled(self) -> bool:
        """Whether a foul must be fixed, now or after a pause or an answer."""
        return self.pending is not None and self.pending.verdict == "illegal"

    @property
    def settled(self) -> MatchState:
        """As people see it. A foul or a resignation that was open as points for time won the match waits for
        nobody; it stays a fact, since the score may be set by hand, and releases up to 0.5 let a play be
        taken back there."""
        if self.match.winner is None or self.result is not None:
            return self
        return replace(self, pending=None, seen=None, resignation=None)

    @property
    def intention(self) -> Play | None:
        """The play that the side on turn has said; None where it has said none."""
        return _find(self.position, self.intended) if self.intended else None

    def player(self, side: Side) -> str:
        """What a side is called: its player's name, or else its colour."""
        return named(self.begin.players.get(side) or side)

    @property
    def judged(self) -> Judgement | None:
        """The judgement that is in everybody's mind: the pending one, or the last until something else
        happens."""
        if self.pending is not None or not self.moves:
            return self.pending
        return self.moves[-1] if any(each.kind == JUDGED for each in self.news) else None

    @property
    def due(self) -> Side | None:
        """Who has to act, whose time it is; None when both may or nobody need."""
        if self.result is not None or self.match.winner is not None:
            return None
        if self.resignation is not None:
            return self.rules.other(self.resignation.side)
        if self.cube.offer is not None:
            return self.cube.offer.to
        return self.position.turn


@lru_cache(maxsize=8)  # lamps ask twenty times a second
def _find(position: Position, play: str) -> Play:
    return position.find(play)


Transition: TypeAlias = tuple[MatchState, tuple[Effect, ...]]
"""What a transition gives: the table after it, and what must be done about it."""

_BY_POSITION = {
    Awaits.OPENING: State.OPENING,
    Awaits.ROLL: State.ROLL,
    Awaits.PLAY: State.PLAY,
    Awaits.NOTHING: State.OVER,
}
