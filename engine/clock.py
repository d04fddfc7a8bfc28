"""Time for two players, as pure state.

A clock is a pair of *reserves* in seconds and a note of whose time has been running since when. Reading it at
a time ``t`` is arithmetic and changes nothing, so nobody has to tick it: :meth:`Clock.left` says what is
left, :meth:`Clock.deadline` when it will run out.

Each time that it starts to run for a side, a *delay* comes first, and the reserve is untouched until the
delay is over. Three kinds:

* ``delay``: simple delay (US Clock): what is not used of the delay is lost;
* ``bronstein``: the same arithmetic (what was used, up to the delay, is given back); only it is shown as one
  sum;
* ``fischer``: the delay is added to the reserve as the turn starts, and what is not used is kept.

The usual match setting: 12 s a move; 2 minutes for each point of the match, less 1 minute for each
point that either side has already scored when the clock is set.

Time that seems to run backward (a clock was set back) counts as none: the running stretch then starts anew
from where time went on.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.errors import EngineError
from engine.layout import Side
from engine.outside import shown
from engine.position import Json

LONGEST = 10_000_000
"""Seconds of the longest reserve, delay or refill: 115 days. 120 s a point of the longest match are more, and
nobody waits for them."""
MOST_POINTS = 1000
"""Points of the largest penalty."""


NOW: Mapping[str, bool] = {"waits": True, "refills": True}
"""What a match that begins now says of its clock. A journal that does not say so is of an earlier release
(0.2 did not wait, 0.5 did not refill), and keeps the clock that it had."""


class Timing(enum.StrEnum):
    """How the delay works."""

    NONE = "none"
    """No clock."""
    DELAY = "delay"
    BRONSTEIN = "bronstein"
    FISCHER = "fischer"


class Penalty(enum.StrEnum):
    """What it costs to run out of time."""

    MATCH = "match"
    """The match; in money play, where there is none, the game."""
    GAME = "game"
    """The game, as a single one at the cube's stake; the next begins with ``Control.refill`` on the clock."""
    POINTS = "points"
    """``Control.points`` to the opponent; the game goes on, with ``Control.refill`` on the clock."""
    NONE = "none"
    """Nothing: the players are told, once."""


@dataclass(frozen=True, slots=True)
class Control:
    """What the players agreed on: times in seconds. ``reserve`` None means 120 s a point less 60 s a point
    already scored."""

    kind: Timing = Timing.NONE
    delay: float = 12.0
    reserve: float | None = None
    penalty: Penalty = Penalty.MATCH
    points: int = 1
    refill: float = 60.0
    waits: bool = True
    """Whether it stands still while the table asks the players what was played."""
    refills: bool = True
    """Whether who has lost a game on time, and not the match, has ``refill`` for the next."""

    def __post_init__(self) -> None:
        for name, value in (("delay", self.delay), ("reserve", self.reserve), ("refill", self.refill)):
            if value is not None and not 0 <= value <= LONGEST:
                raise EngineError(f"clock: {name} is seconds, 0 to {LONGEST}, not {shown(value)}")
        if not 1 <= self.points <= MOST_POINTS or self.refill <= 0:
            raise EngineError(f"clock: the penalty is 1 to {MOST_POINTS} points, and the refill some seconds")

    def seconds(self, length: int, score: tuple[int, int]) -> float:
        """Each side's reserve at the start. Raises EngineError where it must be given: in money play."""
        if self.reserve is not None:
            return self.reserve
        if length == 0:
            raise EngineError(
                "clock: money play has no length to reckon the reserve from; give 'reserve' in seconds"
            )
        return 120.0 * length - 60.0 * sum(score)

    def to_json(self) -> Json:
        """Every field by name."""
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Control:
        """The inverse; missing fields take their default. Raises EngineError that names the field at
        fault."""
        unknown = [key for key in data if key not in cls.__slots__]
        if unknown:
            raise EngineError(f"clock: unknown field {shown(unknown[0])}; it has {', '.join(cls.__slots__)}")
        try:
            reserve = data.get("reserve")
            return cls(
                Timing(data.get("kind", "none")),
                float(data.get("delay", 12.0)),
                None if reserve is None else float(reserve),
                Penalty(data.get("penalty", "match")),
                int(data.get("points", 1)),
                float(data.get("refill", 60.0)),
                bool(data.get("waits", False)),
                bool(data.get("refills", False)),
            )
        except (TypeError, ValueError, OverflowError) as error:
            raise EngineError(f"clock: {error}") from error


@dataclass(frozen=True, slots=True)
class Clock:
    """Reserves in seconds in the order of ``sides``; whose time runs (None: nobody's), since when, and what
    was left of the delay then."""

    control: Control = Control()
    sides: tuple[Side, Side] = ("", "")
    reserves: tuple[float, float] = (0.0, 0.0)
    running: Side | None = None
    since: float = 0.0
    delay: float = 0.0
    paused: bool = False
    held: bool = False
    """Whether it stands still because nobody knows what was played."""
    flagged: tuple[Side, ...] = ()
    """Sides that ran out where that costs nothing: told once."""

    @classmethod
    def set(cls, control: Control, sides: tuple[Side, Side], length: int, score: tuple[int, int]) -> Clock:
        """A stopped clock for a match to ``length`` points (0: money) at this score."""
        seconds = 0.0 if control.kind is Timing.NONE else control.seconds(length, score)
        return cls(control, sides, (seconds, seconds))

    def elapsed(self, t: float) -> float:
        """Seconds of the running stretch at ``t``; never negative, 0 when nothing runs."""
        return 0.0 if self.running is None or self.still else max(0.0, t - self.since)

    @property
    def still(self) -> bool:
        """Whether it was stopped while somebody's time ran."""
        return self.paused or self.held

    def left(self, side: Side, t: float) -> float:
        """The reserve of ``side`` at ``t``, never negative."""
        reserve = self.reserves[self.sides.index(side)]
        if side != self.running:
            return reserve
        return max(0.0, reserve - max(0.0, self.elapsed(t) - self.delay))

    def delay_left(self, t: float) -> float:
        """What is left at ``t`` of the running side's delay."""
        return max(0.0, self.delay - self.elapsed(t)) if self.running is not None else 0.0

    def deadline(self) -> float | None:
        """When the running side will be out of time; None while nothing runs or nothing can be lost."""
        if (
            self.running is None
            or self.still
            or self.control.kind is Timing.NONE
            or self.running in self.flagged
        ):
            return None
        return self.since + self.delay + self.reserves[self.sides.index(self.running)]

    def expired(self, t: float) -> Side | None:
        """The side that is out of time at ``t``, if one is: the whole delay and all of the reserve are
        used."""
        deadline = self.deadline()
        return self.running if deadline is not None and t > deadline else None

    def settled(self, t: float) -> Clock:
        """The same clock with the stretch up to ``t`` charged, running on from there."""
        if self.running is None or self.still:
            return self
        left = self.left(self.running, t)
        reserves = (left, self.reserves[1]) if self.running == self.sides[0] else (self.reserves[0], left)
        return replace(self, reserves=reserves, delay=self.delay_left(t), since=t)

    def run(self, side: Side | None, t: float, fresh: bool = True) -> Clock:
        """From ``t`` on the time of ``side`` runs, with a new delay if ``fresh``; None stops the clock."""
        clock = self.settled(t)
        if side is None or self.control.kind is Timing.NONE:
            return replace(clock, running=None, delay=0.0, since=0.0)
        if not fresh:
            return replace(clock, running=side, delay=0.0, since=t)
        if self.control.kind is Timing.FISCHER:
            return replace(clock.credited(side, self.control.delay), running=side, delay=0.0, since=t)
        return replace(clock, running=side, delay=self.control.delay, since=t)

    def credited(self, side: Side, seconds: float) -> Clock:
        """The same clock with ``seconds`` more for ``side``."""
        first, second = self.reserves
        return replace(
            self, reserves=(first + seconds, second) if side == self.sides[0] else (first, second + seconds)
        )

    def pause(self, t: float) -> Clock:
        """Stop where it is."""
        return replace(self.settled(t), paused=True)

    def resume(self, t: float) -> Clock:
        """Go on where it was stopped, the delay included."""
        return replace(self, paused=False, since=t if self.running is not None else 0.0)

    def hold(self, t: float, unknown: bool) -> Clock:
        """Stand still while it is unknown what was played, where that was agreed; then go on."""
        if unknown == self.held or not self.control.waits:
            return self
        return replace(self.settled(t), held=unknown, since=t if self.running is not None else 0.0)

    def rebased(self, t: float) -> Clock:
        """The same clock where time was set back to before the running stretch began."""
        return (
            replace(self, since=t) if self.running is not None and not self.still and t < self.since else self
        )
