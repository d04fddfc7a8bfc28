"""Whatever happens at a table with the device's own dice, its log verifies: undo after the end, fallen flags,
corrections, fouls."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from engine.clock import Control, Penalty, Timing
from engine.errors import EngineError
from engine.events import Begin, Button, Choose, Condone, Correct, Event, Moves, Next, Press, Tick
from engine.evidence import Evidence
from engine.match import Terms
from engine.match_state import MatchState, State
from engine.session import Session
from firmware.dice.sealed import SealedHouse
from firmware.record.verify import check_log
from tests.dice_players import answer
from tests.firmware.record.test_tampering import chained

EVENTS = 160


class Evening:
    """A session with the house that rolls for it."""

    def __init__(self, folder: Path) -> None:
        self.house = SealedHouse(folder, lambda words: None, lambda: "g")
        self.session = Session()
        self.events: list[Event] = []

    def tell(self, event: Event) -> None:
        """What players do; what is refused did not happen. The house pays at once."""
        due: Event | None = event
        while due is not None:
            try:
                after, _ = self.session.handle(due)
            except EngineError:
                assert due is event, f"the house was refused: {due}"
                return
            if after is not self.session:
                self.session = after
                self.events.append(due)
                self.house.note([due])
            due = self.house.owed(after, event.t)


@pytest.mark.parametrize("rules", ["backgammon", "siegegammon"])
@pytest.mark.parametrize("seed", range(8))
def test_a_log_verifies_whatever_was_done(rules: str, seed: int, tmp_path: Path) -> None:
    source = random.Random(seed)
    length = source.choice((0, 1, 3))
    terms = (
        Terms(length=length)
        if length
        else Terms(automatic=source.choice((0, 2)), beavers=source.choice((0, 2)))
    )
    clock = (
        Control(kind=Timing.FISCHER, delay=2.0, reserve=60.0, penalty=source.choice(list(Penalty)))
        if seed % 2
        else Control()
    )
    evening = Evening(tmp_path)
    evening.tell(Begin(t=0, rules=rules, terms=terms, clock=clock, moves=source.choice(list(Moves))))
    t = 0.0
    for _ in range(EVENTS):
        t += 70.0 if source.random() < 0.02 else source.choice((0.5, 1.0, 3.0))
        table = evening.session.table
        assert table is not None
        evening.tell(_next(table, evening.session.state, source, t))
    evening.tell(Tick(t=t + 70.0))  # the secret of a match that has just ended follows within a minute
    told = " ".join(check_log("g", chained([event.to_json() for event in evening.events])))
    assert "as committed" in told or "not published yet" in told


def _next(table: MatchState, state: State, source: random.Random, t: float) -> Event:
    sides, position = table.rules.sides, table.position
    chance = source.random()
    if chance < 0.06:
        return Press(t=t, button=source.choice(list(Button)), side=source.choice((None, *sides)))
    if chance < 0.08:
        return Correct(t=t, score=(source.randrange(3), source.randrange(3)))
    if chance < 0.1:
        return Correct(t=t, cube=source.choice((1, 2, 4)), owner=source.choice((None, *sides)))
    words = answer(Session(table), source.choice(sides), f"words {table.match.game}", t)
    if words is not None and chance < 0.7:
        return words
    if state in (State.OPENING, State.ROLL):
        return Press(t=t, button=Button.ROLL, side=table.due)
    if state is State.PLAY:
        play = source.choice(position.plays())
        if chance > 0.9:
            looks = dict(play.after.looks())
            one, two = source.sample([cell for cell in looks if cell.startswith("p")], 2)
            looks[one], looks[two] = looks[two], looks[one]
            return Press(t=t, button=Button.DONE, side=table.due, evidence=Evidence.certain(looks))
        return Choose(t=t, play=play.text)
    if state in (State.FOUL, State.ASKED):
        if chance < 0.4:
            return Press(t=t, button=Button.ROLL, side=table.rules.other(table.due or sides[0]))
        return (
            Condone(t=t, side=table.rules.other(table.due or sides[0]))
            if chance < 0.5
            else Press(t=t, button=Button.UNDO)
        )
    if state in (State.OFFERED, State.RESIGNED):
        return Press(t=t, button=source.choice((Button.TAKE, Button.DROP, Button.DOUBLE)), side=table.due)
    if state in (State.OVER, State.ENDED):
        return Press(t=t, button=Button.UNDO) if chance < 0.5 else Next(t=t) if chance < 0.8 else Tick(t=t)
    return Press(t=t, button=Button.PAUSE) if state is State.PAUSED else Tick(t=t)
