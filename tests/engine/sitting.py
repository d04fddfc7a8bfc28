"""Two players at a table, for tests: events by short names, the session and all effects so far."""

from __future__ import annotations

from typing import Any

import pytest

from engine.effects import Effect
from engine.errors import IllegalEvent
from engine.events import Begin, Button, Choose, Correct, Event, Next, Press, Roll, Tick
from engine.evidence import Evidence
from engine.match import Terms
from engine.match_state import MatchState, State
from engine.position import Awaits
from engine.session import Session


class Sitting:
    """Drives a session of a footrace (or ``rules``). Every call sends one event, a second after the last."""

    def __init__(self, rules: str = "footrace", terms: Terms | None = None, **begin: Any) -> None:
        self.session = Session()
        self.t = 0.0
        self.log: list[Event] = []
        self.effects: tuple[Effect, ...] = ()
        self.send(Begin(t=0.0, rules=rules, terms=terms or Terms(), **begin))

    @property
    def table(self) -> MatchState:
        assert self.session.table is not None
        return self.session.table

    @property
    def state(self) -> State:
        return self.session.state

    def send(self, event: Event) -> tuple[Effect, ...]:
        """Handle an event; its effects."""
        session, effects = self.session.handle(event)
        if session is not self.session:
            self.log.append(event)
        self.session, self.effects, self.t = session, effects, event.t
        return effects

    def after(self, seconds: float = 1.0) -> float:
        return self.t + seconds

    def press(
        self, button: str, side: str | None = None, *, wait: float = 1.0, **more: Any
    ) -> tuple[Effect, ...]:
        return self.send(Press(t=self.after(wait), button=Button(button), side=side, **more))

    def roll(self, *dice: int, side: str | None = None, **more: Any) -> tuple[Effect, ...]:
        return self.send(Roll(t=self.after(), dice=dice, side=side, **more))

    def done(
        self, play: str | None = None, side: str | None = None, *, wait: float = 1.0
    ) -> tuple[Effect, ...]:
        """*Done*, the board showing that play (None: the first there is)."""
        position = self.table.position
        assert position.awaits is Awaits.PLAY
        made = position.plays()[0] if play is None else position.find(play)
        return self.press("done", side, wait=wait, evidence=Evidence.certain(made.after.looks()))

    def foul(self, **moved: tuple[str, ...]) -> tuple[Effect, ...]:
        """*Done*, the board as it was but for the cells given."""
        return self.press("done", evidence=Evidence.certain({**self.table.position.looks(), **moved}))

    def choose(self, play: str, side: str | None = None) -> tuple[Effect, ...]:
        return self.send(Choose(t=self.after(), play=play, side=side))

    def tick(self, seconds: float) -> tuple[Effect, ...]:
        return self.send(Tick(t=self.after(seconds)))

    def next(self) -> tuple[Effect, ...]:
        return self.send(Next(t=self.after()))

    def refuses(self, event: Event) -> str:
        """The reason for which the event is refused; nothing has changed."""
        before = repr(self.session)
        with pytest.raises(IllegalEvent) as refusal:
            self.session.handle(event)
        assert repr(self.session) == before
        assert str(refusal.value)
        return str(refusal.value)

    def refuses_press(self, button: str, side: str | None = None, **more: Any) -> str:
        return self.refuses(Press(t=self.after(), button=Button(button), side=side, **more))

    def win(self, side: str, shutout: bool = False) -> None:
        """The present game is won by ``side``, the other with a runner home, or none (``shutout``)."""
        black = (8, 8) if shutout else (8, 0)
        togo = [[1, 0], black] if side == "white" else [black, [1, 0]]
        self.send(Correct(t=self.after(), position={"togo": togo, "turn": side}))
        if self.state is State.ROLL:
            self.roll(1)
        self.done()


FOUL = {"p8": ("white",), "p7": ("white",)}
"""A white runner one point on, where a five was rolled."""


def playing(**begin: Any) -> Sitting:
    """White has won the opening roll with a five."""
    sitting = Sitting(**begin)
    sitting.roll(5, 3)
    return sitting


def fouled(**begin: Any) -> Sitting:
    sitting = playing(**begin)
    sitting.foul(**FOUL)
    return sitting
