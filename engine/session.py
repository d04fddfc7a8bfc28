"""A match at the table as a machine without input or output: events in, the next session and effects out.

Theory. A session is a value. ``session.handle(event)`` gives the session that follows and the effects that
the outside world is to carry out (dice to draw, a judgement to show, a score to write down); the old session
stays as it was. Time, pictures and dice come in as data, so the same events always lead to the same session:
the journal keeps the events, and replaying them is all that a restart needs. An event that makes no sense
raises IllegalEvent with the reason, and nothing has changed. An event that changes nothing (a tick, a picture
while no foul is pending) gives the session itself back, and need not be kept.

From event to effect, four steps: time that has gone by takes its toll (``match_flow.expire``); ``PRESSES`` or
``EVENTS`` has a rule for the event, which names the states that it is for and a guard that says why a side
may not; the rule's transition, a pure function, makes the next ``MatchState`` and the effects (a *done* ends
in ``turns.done``, which asks ``engine.judge``); the clock is set to run for whoever is to act now. What a
table waits for is never stored: ``MatchState.state`` reads it off the facts.

What leads from state to state:

* *idle*: Begin -> opening, roll or play
* *opening*: Roll -> play or roll; equal dice -> opening; the roll button -> rolling
* *roll*: Roll -> play; the roll button -> rolling; Double -> offered; Undo -> play
* *rolling*: Roll -> play or opening; who is closed out passes, and the opponent asked: rolling
* *play*: Done: legal -> roll (or play, over, ended), illegal -> foul, unsure -> asked; Swap, Choose as legal;
  Intend -> play, and nothing else may be played;
  Undo of dice that players announced -> where they fell
* *foul*: Done, Choose as in play; See, once it is fixed -> play; the opponent's Roll, or Condone: it stands
  -> roll or play
* *asked*: Done, Choose as in play; Undo -> play
* *offered*: Take -> roll; Drop -> over or ended; Double (a beaver) -> offered, the other way
* *resigned*: Take -> over or ended; Drop -> where it came from; Resign -> resigned, a grade more, or
  withdrawn
* *proposed*: Take of all who must agree, Drop -> where it came from, set by hand or as it was
* *paused*: Pause -> where it came from
* *over*: Next or Done -> opening or play; Undo -> play
* *ended*: Undo -> play

Resign leads to *resigned* and Pause to *paused* from every state of a running game; time that runs out leads
to *over* or *ended*, as agreed; a Correct that must be agreed to leads to *proposed* from every state. Where
players roll their own dice and say nothing, Done is pressed in *opening* and *roll*, and the judge finds the
roll.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from engine import agreements, fair_dice, match_flow, rolls, stakes, turns
from engine.announcements import announced
from engine.effects import Effect
from engine.errors import EngineError, IllegalEvent
from engine.events import (
    Beacon,
    Begin,
    Button,
    Choose,
    Close,
    Commit,
    Condone,
    Correct,
    Event,
    Intend,
    Key,
    Next,
    Pledge,
    Press,
    Reveal,
    Roll,
    See,
    Seed,
    Sign,
    Tick,
)
from engine.layout import Side
from engine.match_state import MatchState, State, Transition
from engine.position import Position
from engine.waiting import NO_MATCH, waiting

Guard: TypeAlias = Callable[[MatchState, Side | None], str | None]
"""Why a side may not, or None. Called only in the states that the rule lists."""


def _anybody(table: MatchState, side: Side | None) -> str | None:
    return None


def _due(table: MatchState) -> Side | None:
    return table.due


@dataclass(frozen=True, slots=True)
class Rule:
    """When something may happen, who may do it, and what it does; ``shared`` is who is meant where the event
    names nobody."""

    states: frozenset[State]
    do: Callable[[MatchState, Any], Transition]
    guard: Guard = _anybody
    shared: Callable[[MatchState], Side | None] = _due


_S = State
_BOARD = frozenset({_S.PLAY, _S.FOUL, _S.ASKED})
_CALM = _BOARD | {_S.OPENING, _S.ROLL, _S.ROLLING}
_GAME = _CALM | {_S.OFFERED, _S.RESIGNED}
_ANSWERED = frozenset({_S.OFFERED, _S.RESIGNED, _S.PROPOSED})
_ALL = frozenset(State) - {_S.IDLE}

PRESSES: Mapping[Button, Rule] = {
    Button.ROLL: Rule(frozenset({_S.OPENING, _S.ROLL, _S.FOUL}), rolls.ask_dice, rolls.may_ask_dice),
    Button.DONE: Rule(_BOARD | {_S.OPENING, _S.ROLL}, turns.done, turns.may_play),
    Button.DOUBLE: Rule(frozenset({_S.ROLL, _S.OFFERED}), rolls.double, rolls.may_double),
    Button.TAKE: Rule(_ANSWERED, agreements.take, agreements.may_take, agreements.answerer),
    Button.DROP: Rule(_ANSWERED, agreements.drop, agreements.may_drop, agreements.answerer),
    Button.UNDO: Rule(
        _BOARD | {_S.OPENING, _S.ROLL, _S.OVER, _S.ENDED}, turns.undo, turns.may_undo, turns.mover
    ),
    Button.SWAP: Rule(frozenset({_S.PLAY}), turns.swap, turns.may_swap),
    Button.RESIGN: Rule(_CALM | {_S.RESIGNED}, stakes.resign, stakes.may_resign, stakes.resigner),
    Button.PAUSE: Rule(_GAME | {_S.PAUSED}, match_flow.pause),
}
"""What each button does."""

NEXT = Rule(frozenset({_S.OVER}), match_flow.next_game)

EVENTS: Mapping[type[Event], Rule] = {
    Next: NEXT,
    Roll: Rule(
        frozenset({_S.OPENING, _S.ROLL, _S.ROLLING, _S.FOUL}), rolls.roll, rolls.may_roll, rolls.roller
    ),
    Choose: Rule(_BOARD | {_S.OPENING, _S.ROLL}, turns.choose),
    Intend: Rule(frozenset({_S.PLAY}), turns.intend, turns.may_intend),
    Condone: Rule(frozenset({_S.FOUL}), turns.condone, turns.may_condone),
    See: Rule(_ALL, turns.see),
    Tick: Rule(_ALL, match_flow.nothing),
    Correct: Rule(_ALL, agreements.correct),
    Commit: Rule(_ALL, fair_dice.commit),
    Pledge: Rule(_ALL, fair_dice.pledge),
    Beacon: Rule(_ALL, fair_dice.beacon),
    Close: Rule(_ALL, fair_dice.close),
    Seed: Rule(_ALL, fair_dice.seed),
    Reveal: Rule(_ALL, fair_dice.reveal),
    Key: Rule(_ALL, match_flow.keep_under),
    Sign: Rule(frozenset({_S.ENDED}), match_flow.sign),
}
"""What each other event does."""


@dataclass(frozen=True, slots=True)
class Session:
    """A match at the table, or, with ``table`` None, a table at which none has begun."""

    table: MatchState | None = None

    @property
    def state(self) -> State:
        """What the session waits for."""
        return State.IDLE if self.table is None else self.table.state

    @property
    def waiting(self) -> str:
        """The same in words: the reason why anything else is refused."""
        return NO_MATCH if self.table is None else waiting(self.table)

    @property
    def position(self) -> Position | None:
        """The position of the present game; None while no match has begun."""
        return None if self.table is None else self.table.position

    @property
    def due(self) -> Side | None:
        """Who has to act; None when both may or nobody need."""
        return None if self.table is None else self.table.due

    def handle(self, event: Event) -> tuple[Session, tuple[Effect, ...]]:
        """The session after ``event``, and what must be done about it. Returns this very session where
        nothing has changed.

        Raises IllegalEvent, and changes nothing, where the event makes no sense now.
        """
        try:
            if isinstance(event, Begin):
                if self.table is not None:
                    raise IllegalEvent("a match is being played; a new one needs a new session")
                table, effects = match_flow.begin(event)
                table = _timed(table, event, new_turn=True)
            elif self.table is None:
                raise IllegalEvent(NO_MATCH)
            else:
                table, effects = _advance(self.table, event)
        except IllegalEvent:
            raise
        except EngineError as error:
            raise IllegalEvent(str(error)) from error
        return (
            self if table is self.table else Session(announced(self.table, table, event, effects))
        ), effects

    def refusal(self, event: Event) -> str | None:
        """Why ``event`` would be refused, None where it would not."""
        try:
            self.handle(event)
        except IllegalEvent as error:
            return str(error)
        return None


def _advance(old: MatchState, event: Event) -> Transition:
    clock = old.clock.rebased(event.t)
    table = old if clock is old.clock else replace(old, clock=clock)
    table, expired = match_flow.expire(table, event.t)
    if expired and table.state in (State.OVER, State.ENDED):
        return replace(table, clock=table.clock.run(None, event.t)), expired
    rule = _rule(table, event)
    side = _side(table, event, rule)
    agreements.check_actor(table, replace(event, side=side) if isinstance(event, Press) else event)
    if side is not None and isinstance(event, (Press, Roll, Choose)):
        event = replace(event, side=side)
    reason = waiting(table) if table.state not in rule.states else rule.guard(table, side)
    if reason is not None:
        raise IllegalEvent(reason)
    new, effects = rule.do(table, event)
    if new is not table:
        if table.signed:
            new = replace(new, signed=False)  # what was signed has changed
        new = _timed(new, event, new_turn=new.turn > table.turn)
    return new, (*expired, *effects)


def _timed(table: MatchState, event: Event, new_turn: bool) -> MatchState:
    """The table with the clock running for whoever is to act: started anew when that changes, or for a new
    turn of the same side."""
    unsure = table.pending is not None and table.pending.verdict == "unsure"
    clock = table.clock.hold(event.t, unsure or table.proposal is not None)
    if new_turn or clock.running != table.due:
        clock = clock.run(table.due, event.t)
    return table if clock is table.clock else replace(table, clock=clock)


def _rule(table: MatchState, event: Event) -> Rule:
    if isinstance(event, Press):
        return NEXT if event.button is Button.DONE and table.state is State.OVER else PRESSES[event.button]
    rule = EVENTS.get(type(event))
    if rule is None:
        raise IllegalEvent(f"nothing is known about {type(event).__name__}")
    return rule


def _side(table: MatchState, event: Event, rule: Rule) -> Side | None:
    """Who acts."""
    side: Side | None = getattr(event, "side", None)
    if side is not None and side not in table.rules.sides:
        raise IllegalEvent(
            f"{table.rules.title} has no side {side!r}; the sides are {' and '.join(table.rules.sides)}"
        )
    return rule.shared(table) if side is None else side
