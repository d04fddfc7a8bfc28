"""Random events of every kind, sensible and absurd, and what must hold after each of them whatever the game.

``storm`` sends events to sessions of one game, and begins a new one when a match is over. It raises
AssertionError, with the events that led there, at the first invariant that breaks.
"""

from __future__ import annotations

import copy
import json
import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from engine import events as ev
from engine.clock import Control, Penalty, Timing
from engine.effects import Effect
from engine.errors import EngineError, IllegalEvent
from engine.event_json import from_json
from engine.events import Begin, Button, DiceFrom, Event, Moves
from engine.evidence import Evidence
from engine.fair_dice import pledge_of
from engine.lamp_signals import signals
from engine.layout import Look, Looks
from engine.match import Terms
from engine.match_state import MatchState, State
from engine.position import Awaits, Position, Rules
from engine.session import Session
from engine.view import view
from tests.engine.playing import fixture

LONG = 400
"""Events after which a session is given up for a new one."""


@dataclass
class Count:
    """What a storm met."""

    events: int = 0
    refused: int = 0
    sessions: int = 0
    odd: int = 0
    """Events with something odd in them that made sense all the same."""
    states: Counter[str] = field(default_factory=Counter)
    effects: Counter[str] = field(default_factory=Counter)


def storm(rules: Rules, seed: int, count: int) -> Count:
    """``count`` random events from this seed, in as many sessions as they fill."""
    rng = random.Random(seed)
    met = Count()
    while met.events < count:
        _session(rules, rng, met, min(LONG, count - met.events))
    return met


def _session(rules: Rules, rng: random.Random, met: Count, count: int) -> None:
    met.sessions += 1
    session, t = Session(), rng.uniform(-1000, 1000)
    journal: list[str] = []
    for _ in range(count):
        t += rng.choice((0.0, 0.1, 1.0, 5.0, 5.0, 20.0, rng.expovariate(0.02), -rng.expovariate(0.001)))
        event = (
            _begin(rules, rng, t) if session.table is None and rng.random() < 0.9 else _event(session, rng, t)
        )
        met.events += 1
        met.states[session.state.value] += 1
        event = replace(event, actor=rng.choice(ACTORS)) if not event.actor else event
        odd = rng.random() < 0.06
        try:
            if odd:
                event = from_json(_spoilt(event.to_json(), rng))
            after, effects = session.handle(event)
        except EngineError:
            met.refused += 1
            continue
        if odd and after is not session:
            met.odd += 1
            json.dumps(view(after, event.t), allow_nan=False)
        met.effects.update(effect.name for effect in effects)
        if after is not session:
            journal.append(json.dumps(event.to_json(), sort_keys=True))
        try:
            check(session, after, event, effects)
        except AssertionError as error:
            raise AssertionError("\n".join(journal)) from error
        session = after
        if session.state is State.ENDED and rng.random() < 0.3:
            break
    replayed = Session()
    for line in journal:
        replayed, _ = replayed.handle(from_json(json.loads(line)))
    assert replayed == session, "\n".join(journal)
    json.dumps(view(session, t))


def check(before: Session, after: Session, event: Event, effects: Sequence[Effect]) -> None:
    """Every invariant of a session, and of the step that led to it."""
    table = after.table
    assert table is not None
    assert after is not before or not effects, "effects without a change"
    _check_pieces(table.position)
    _check_stake(table)
    _check_clock(table, event.t)
    _check_turn(table)
    old = before.table
    if old is not None and old.match.score != table.match.score:
        told = {effect.name for effect in effects}
        telling = {"ended", "expired", "took-back", "dice-took-back", "corrected"}
        assert told & telling, "the score changed without a word"
    for light in signals(after, event.t).values():
        assert all(0 <= part <= 255 for part in light.colour)


def _check_pieces(position: Position) -> None:
    """No piece appears from nowhere; where a look shows all of its cell, none gets lost either."""
    count = Counter(piece for stack in position.layout().values() for layer in stack for piece in layer)
    stock = position.stock()
    assert all(number <= stock.get(piece, 0) for piece, number in count.items())


def _check_stake(table: MatchState) -> None:
    cube, offer = table.cube, table.cube.offer
    assert cube.value >= 1
    assert cube.value & (cube.value - 1) == 0
    assert table.rules.cube or (offer is None and not cube.doubled)
    if offer is not None:
        assert {offer.by, offer.to} == set(table.rules.sides)
        assert offer.taken == 2 * offer.dropped >= 2 * cube.value
        assert offer.beavers <= table.match.terms.beavers
        assert table.position.awaits is Awaits.ROLL
        assert not table.match.crawford
    assert cube.automatic <= table.match.terms.automatic
    assert min(table.match.score) >= 0
    if table.result is not None:
        assert table.result.points >= 0
        assert (table.result.outcome.winner is None) <= (table.result.points == 0)


def _check_clock(table: MatchState, t: float) -> None:
    clock = table.clock
    assert min(clock.reserves) >= 0
    assert clock.delay >= 0
    for side in table.rules.sides:
        assert 0 <= clock.left(side, t) <= clock.left(side, clock.since) or clock.since > t
    if clock.control.kind is Timing.NONE:
        assert clock.running is None
        return
    assert clock.running == table.due
    assert clock.running is None or clock.still or clock.since <= t
    assert clock.expired(t) is None, "time that is out has its price at once"


def _check_turn(table: MatchState) -> None:
    position, state = table.position, table.state
    assert len(table.moves) == table.turn
    assert (table.pending is None) == (table.seen is None)
    assert table.back is None or (table.back.back is None and table.back.pending is None)
    assert not table.rolling or position.awaits in (Awaits.OPENING, Awaits.ROLL)
    assert (position.outcome is None) or table.result is not None
    if state in (State.ROLL, State.PLAY, State.FOUL, State.ASKED):
        assert table.due == position.turn or position.awaits is Awaits.OPENING
    if state in (State.OFFERED, State.RESIGNED):
        assert table.due in table.rules.sides
    if state in (State.OVER, State.ENDED):
        assert table.due is None
    if position.awaits is Awaits.PLAY and position.dice:
        assert table.dice, "a play by dice that nobody announced"


def _begin(rules: Rules, rng: random.Random, t: float) -> Begin:
    length = rng.choice((0, 0, 1, 3, 5))
    money = length == 0
    terms = Terms(
        length=length,
        cube=rng.random() < 0.9,
        crawford=rng.random() < 0.8,
        holland=not money and rng.random() < 0.3,
        jacoby=money and rng.random() < 0.3,
        beavers=rng.randrange(3) if money else 0,
        automatic=rng.randrange(3) if money else 0,
        score=(rng.randrange(length or 9), rng.randrange(length or 9)),
        crawford_over=rng.random() < 0.3,
    )
    clock = Control(rng.choice(list(Timing)), 12.0, rng.choice((60.0, 600.0)), rng.choice(list(Penalty)))
    return Begin(
        t=t,
        rules=rules.name,
        options=fixture(rules).get("options", {}),
        terms=terms,
        clock=clock,
        moves=rng.choice(list(Moves)),
        dice=DiceFrom.INFERRED if rng.random() < 0.05 else DiceFrom.ROLLED,
    )


def _event(session: Session, rng: random.Random, t: float) -> Event:
    """What may well happen now, six times in ten; else anything at all."""
    table = session.table
    if table is not None and rng.random() < 0.6:
        position = table.position
        if table.state is State.ROLL and rng.random() < 0.1:
            return ev.Press(t=t, button=Button.DOUBLE, side=table.due)
        if table.state is State.FOUL and rng.random() < 0.4:
            other = table.rules.other(table.pending.side) if table.pending is not None else "white"
            return (
                ev.Condone(t=t, side=other)
                if rng.random() < 0.5
                else ev.Roll(t=t, dice=_dice(table, rng), side=other)
            )
        if table.state in (State.OPENING, State.ROLL, State.ROLLING) and table.begin.dice is DiceFrom.ROLLED:
            return ev.Roll(t=t, dice=tuple(rng.randint(1, 6) for _ in range(position.dice_due)))
        if table.state in (State.PLAY, State.FOUL, State.ASKED):
            return ev.Press(t=t, button=Button.DONE, side=position.turn, evidence=_evidence(position, rng))
        if table.state in (State.OFFERED, State.RESIGNED):
            return ev.Press(t=t, button=rng.choice((Button.TAKE, Button.DROP, Button.DOUBLE)), side=table.due)
        if table.state is State.PROPOSED:
            button = rng.choice((Button.TAKE, Button.DROP))
            return ev.Press(t=t, button=button, side=rng.choice(table.rules.sides))
        if table.state is State.PAUSED:
            return ev.Press(t=t, button=Button.PAUSE)
        if table.state is State.OVER:
            return ev.Next(t=t)
    side = rng.choice((None, "white", "black", "red", "blue"))
    sided = side or "white"
    kind = rng.randrange(14)
    if kind < 6 or table is None:
        grade = rng.choice((None, None, "gammon", "single"))
        evidence = None if table is None or rng.random() < 0.5 else _evidence(table.position, rng)
        return ev.Press(t=t, button=rng.choice(list(Button)), side=side, evidence=evidence, grade=grade)
    position = table.position
    if kind == 6:
        return ev.Roll(
            t=t,
            dice=tuple(rng.randint(0, 7) for _ in range(rng.randrange(4))),
            side=side,
            opening=rng.random() < 0.2,
            read=rng.choice((None, 0.2, 0.9)),
        )
    if kind == 7:
        other = table.rules.other(position.turn) if position.turn is not None else None
        return ev.Roll(t=t, dice=_dice(table, rng), side=other)
    if kind == 8:
        return ev.See(t=t, evidence=_evidence(position, rng))
    if kind == 9:
        plays = (
            position.nearest(Evidence.certain(position.looks()), 4) if position.awaits is Awaits.PLAY else ()
        )
        return ev.Choose(
            t=t, play=rng.choice(plays)[1].text if plays and rng.random() < 0.8 else "99/1", side=side
        )
    if kind == 10:
        return ev.Condone(t=t, side=sided)
    if kind == 11:
        return _correct(table, rng, t)
    if kind == 12:
        return rng.choice(
            (
                ev.Intend(t=t, play=rng.choice([each.text for each in position.plays()[:4]] or ["99/1"])),
                ev.Key(t=t, key="ab" * 32),
                ev.Sign(t=t, record="ab" * 32, signature="cd" * 64),
                ev.Commit(t=t, digest="ab"),
                ev.Commit(t=t, digest="ab", match="m", form=2, round=7),
                ev.Pledge(t=t, side=sided, digest=pledge_of("ab", sided, "luck")),
                ev.Close(t=t),
                ev.Beacon(t=t, signature="ab" * 48),
                ev.Seed(t=t, side=sided, words="luck"),
                ev.Reveal(t=t, secret="cd"),
                ev.Next(t=t),
            )
        )
    return ev.Tick(t=t)


ACTORS = ("", "", "", ev.PAGE, ev.DIRECTOR, "white", "black", "red", "nobody")
"""Who causes an event: mostly the table itself."""


ODD: tuple[Any, ...] = (
    *(2**70, -(2**70), 2**14284, 10**400, 10**5000, -1, 0, 7, 1e308, -1e308, 5e-324, -0.0, 0.5, math.inf),
    *(-math.inf, math.nan, True, False, None, "", "\ud800", "\udfffx", "\x00", "\x1b[2J", "9" * 5000),
    *("\u202e", "\ufb01", "\uff11", "white\n", [], {}, [[[[]]]], {"": None}, {"\ud800": math.nan}),
    *([math.nan], [2**70, 2**70]),
)
"""What no table sends: numbers too large to write, floats that are no numbers, text that is none."""


def _spoilt(data: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The event with one value in it replaced by an odd one, or with one more."""
    spoilt: dict[str, Any] = copy.deepcopy(data)
    fields = {"correct": ("cube", "score", "owner", "position"), "press": ("grade", "side")}
    more = rng.choice(fields.get(data["event"], ("t", "side", "number")))
    if rng.random() < 0.4:
        spoilt[more] = rng.choice(ODD)
        return spoilt
    inside: Any = spoilt
    while True:
        key: Any = rng.choice(list(inside) if isinstance(inside, dict) else range(len(inside)))
        if isinstance(inside[key], (dict, list)) and inside[key] and rng.random() < 0.8:
            inside = inside[key]
            continue
        if isinstance(inside, dict) and rng.random() < 0.2:
            key = rng.choice(("foo", "", "\ud800", "25", "-1", "9" * 30))
        inside[key] = rng.choice(ODD)
        return spoilt


def _dice(table: MatchState, rng: random.Random) -> tuple[int, ...]:
    """As many dice as one of this game's rolls has, mostly."""
    return tuple(rng.randint(1, 6) for _ in range(len(table.position.dice) or rng.randint(1, 3)))


def _correct(table: MatchState, rng: random.Random, t: float) -> Event:
    which = rng.randrange(3)
    if which == 0:
        return ev.Correct(t=t, position=table.position.to_json())
    if which == 1:
        asks = rng.choice(("", ev.DIRECTOR, ev.PAGE, *table.rules.sides))
        return ev.Correct(t=t, actor=asks, score=(rng.randrange(-1, 6), rng.randrange(6)))
    return ev.Correct(t=t, cube=rng.choice((1, 2, 3, 4, 64)), owner=rng.choice((None, *table.rules.sides)))


def _evidence(position: Position, rng: random.Random) -> Evidence:
    """A picture of a legal play, one with a piece put elsewhere, a blurred one, one with a hand over it, or
    an empty one."""
    chance = rng.random()
    if chance < 0.03:
        return Evidence()
    looks = position.looks()
    if position.awaits is Awaits.PLAY:
        near = position.nearest(Evidence.certain(_displaced(_displaced(looks, rng), rng)), 8)
        looks = rng.choice(near)[1].after.looks()
    if chance < 0.2:
        looks = _displaced(looks, rng)
    evidence = Evidence.certain(looks)
    if chance < 0.3:
        evidence = Evidence({cell: look for cell, look in evidence.cells.items() if rng.random() < 0.8})
    if chance > 0.9:
        raw = {
            cell: {**look, (): -rng.uniform(0, 12), looks[cell]: -rng.uniform(0, 3)}
            for cell, look in evidence.cells.items()
        }
        evidence = Evidence.of(raw)
    return evidence


def _displaced(looks: Looks, rng: random.Random) -> Looks:
    """One piece taken from a cell and put on another."""
    source = rng.choice([cell for cell, look in looks.items() if look] or list(looks))
    target = rng.choice(list(looks))
    if not looks[source]:
        return looks
    moved: dict[str, Look] = dict(looks)
    moved[source] = looks[source][1:]
    moved[target] = tuple(sorted((*moved[target], looks[source][0])))
    return moved


def journal(rules: Rules, seed: int, count: int) -> list[Event]:
    """The events of one session that it did not refuse: what a journal of it would hold."""
    rng = random.Random(seed)
    session, t, kept = Session(), 0.0, []
    for _ in range(count):
        t += rng.choice((0.0, 0.1, 1.0, 5.0, 20.0))
        event = _begin(rules, rng, t) if session.table is None else _event(session, rng, t)
        try:
            after, _ = session.handle(event)
        except IllegalEvent:
            continue
        if after is not session:
            kept.append(event)
        session = after
        if session.state is State.ENDED:
            break
    return kept
