"""The overlay's delay, and its chances: never live, never of a decision that is still to be made."""

import asyncio
import json
from typing import Any

from engine.events import Begin, Button, Choose, Event, Press, Roll
from engine.session import Session
from firmware.engines import BeforeRoll, Chances, NoEngine, Spot
from firmware.engines.thinker import Thinker
from firmware.page.delayed import ChanceWatcher, DelayedStates, delay_overlay
from firmware.page.stream import Feed
from firmware.table.news import News
from tests.firmware.sitting_browser import PATIENCE

OPENING: tuple[Event, ...] = (
    Begin(t=0, rules="backgammon"),
    Roll(t=1, dice=(3, 1), side="white"),
    Choose(t=2, play="8/5 6/5"),
)


class Engine(Thinker):
    """One that knows what it is asked, and says that its side wins by as much as it has been asked."""

    def __init__(self) -> None:
        self.asked: list[Spot] = []

    def before_roll(self, spot: Spot, rolls: bool = True) -> BeforeRoll:
        self.asked.append(spot)
        return BeforeRoll(0, 0, 1, Chances(0.6 + len(self.asked) / 100, 0, 0, 0, 0), {})

    def close(self) -> None:
        pass


def watched(watcher: ChanceWatcher, *events: Event) -> list[object]:
    """The chances that are known after each event."""
    session, known = Session(), []
    for event in events:
        session, effects = session.handle(event)
        watcher(News(event.t, session, event, effects))
        known.append(None if watcher.newest is None else watcher.newest.result(PATIENCE))
    return known


def test_the_chance_of_a_roll_is_that_before_it_and_comes_with_the_dice() -> None:
    engine = Engine()
    watcher = ChanceWatcher(lambda _: None, lambda: engine)
    known = watched(
        watcher,
        *OPENING,
        Roll(t=3, dice=(5, 2)),
        Choose(t=4, play="13/8 24/22"),
        Press(t=5, button=Button.DOUBLE),
        Press(t=6, button=Button.TAKE),
        Roll(t=7, dice=(6, 6)),
    )
    first, second = {"black": 0.61, "white": 0.39}, {"white": 0.62, "black": 0.38}
    assert known == [None, None, None, first, first, first, first, second]
    assert [(spot.dice, spot.cube, spot.owner) for spot in engine.asked] == [(None, 1, 0), (None, 2, -1)]
    watcher.close()


def test_without_an_engine_or_for_another_game_there_are_no_chances_and_it_is_said_once() -> None:
    def none() -> Thinker:
        raise NoEngine("none is installed")

    said: list[str] = []
    watcher = ChanceWatcher(said.append, none)
    assert set(watched(watcher, *OPENING, Roll(t=3, dice=(5, 2)))) == {None}
    assert set(watched(watcher, *OPENING, Roll(t=3, dice=(5, 2)))) == {None}
    assert said == ["the overlay shows no chances: none is installed"]
    engine = Engine()
    other = ChanceWatcher(said.append, lambda: engine)
    hyper = (Begin(t=0, rules="hypergammon"), Roll(t=1, dice=(3, 1), side="white"))
    assert set(watched(other, *hyper)) == {None}
    assert engine.asked == []


def test_the_overlay_sees_every_state_late_and_the_table_s_own_viewers_see_no_chances() -> None:
    async def run() -> tuple[list[dict[str, Any]], str]:
        hub, watcher = Feed(), ChanceWatcher(lambda _: None, Engine)
        late = hub.overlay = Feed()
        hub.echo = DelayedStates(late, 0.2, watcher)
        watched(watcher, *OPENING, Roll(t=3, dice=(5, 2)))
        assert watcher.newest is not None
        await asyncio.wrap_future(watcher.newest)
        seen = []
        hub.publish('{"dice":[5,2],"mine":1}', lambda *_: '{"dice":[5,2]}')
        assert late.number == 0
        async with asyncio.timeout(PATIENCE):
            while not late.number:
                await asyncio.sleep(0.01)
        seen.append(json.loads(late.text(False)))
        return seen, hub.text() + hub.text(False)

    (state,), live = asyncio.run(run())
    assert state.pop("age") < PATIENCE
    assert state == {"dice": [5, 2], "chances": {"black": 0.61, "white": 0.39}}
    assert "chances" not in live


def test_an_engine_that_fails_in_any_way_costs_the_overlay_no_state() -> None:
    class Broken(Engine):
        def before_roll(self, spot: Spot, rolls: bool = True) -> BeforeRoll:
            raise ZeroDivisionError("by zero")

    async def run() -> str:
        hub, watcher = Feed(), ChanceWatcher(said.append, Broken)
        late = hub.overlay = Feed()
        hub.echo = DelayedStates(late, 0.1, watcher)
        asked = watcher.newest
        session = Session()
        for event in (*OPENING, Roll(t=3, dice=(5, 2))):
            session, effects = session.handle(event)
            watcher(News(event.t, session, event, effects))
            asked = watcher.newest
        assert asked is not None
        while not asked.done():
            await asyncio.sleep(0.01)
        hub.publish('{"dice":[5,2]}')
        async with asyncio.timeout(PATIENCE):
            while not late.number:
                await asyncio.sleep(0.01)
        return late.text(False)

    said: list[str] = []
    state = json.loads(asyncio.run(run()))
    assert state["dice"] == [5, 2]
    assert "chances" not in state
    assert "ZeroDivisionError: by zero" in said[0]


def test_a_hub_that_ends_ends_its_overlay() -> None:
    async def run() -> list[str]:
        hub = Feed()
        delay_overlay(hub, 30, print)
        hub.close()
        assert hub.overlay is not None
        return [each async for each in hub.overlay.follow()]

    assert asyncio.run(run()) == []
