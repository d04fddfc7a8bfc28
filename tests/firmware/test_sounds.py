"""What the buzzer plays, and when."""

import asyncio
from collections.abc import Callable

from engine.clock import Control, Timing
from engine.events import Begin, Button, Event, Press, Roll
from engine.session import Session
from firmware.sounds import TUNES, BuzzerWatcher, tune_of
from firmware.table.news import News
from hardware.protocols import DeviceError, Note
from hardware.simulated import MemoryBuzzer
from tests.firmware.sitting_browser import PATIENCE


class Table:
    """What the watcher asks of a table, and tells it."""

    trial = None

    def __init__(self, session: Session, t: float = 0.0) -> None:
        self.session, self.t = session, t
        self.troubles: list[str] = []

    def now(self) -> float:
        return self.t

    def report_trouble(self, what: str, words: str) -> None:
        self.troubles.append(words)


def played(*events: Event) -> tuple[Session, list[str | None]]:
    session, names = Session(), []
    for event in events:
        session, effects = session.handle(event)
        names.append(tune_of(effects))
    return session, names


def test_dice_the_cube_and_the_end_have_tunes_and_the_beginning_has_none() -> None:
    _, names = played(
        Begin(t=0, rules="backgammon"),
        Roll(t=1, dice=(6, 3), side="white"),
        Press(t=2, button=Button.RESIGN, side="white"),
        Press(t=3, button=Button.TAKE, side="black"),
    )
    assert names == [None, "dice", None, "won"]


async def _until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not true():
            await asyncio.sleep(0.01)


def test_news_is_heard_and_so_is_a_clock_that_runs_out() -> None:
    control = Control(kind=Timing.DELAY, delay=0, reserve=60)
    session, _ = played(Begin(t=0, rules="backgammon", clock=control), Roll(t=1, dice=(6, 3), side="white"))

    async def run() -> list[tuple[Note, ...]]:
        buzzer, table = MemoryBuzzer(), Table(session, 2.0)
        watcher = BuzzerWatcher(buzzer)
        watcher.attach(table)
        task = asyncio.create_task(watcher.run())
        _, effects = Session().handle(Begin(t=0, rules="backgammon"))[0].handle(Roll(t=1, dice=(2, 1)))
        watcher(News(1.0, session, effects=effects))
        await _until(lambda: len(buzzer.played) == 1)
        table.t = 52.0
        await _until(lambda: len(buzzer.played) == 2)
        table.t = 57.0
        await _until(lambda: len(buzzer.played) == 3)
        task.cancel()
        return buzzer.played

    assert asyncio.run(run()) == [TUNES["dice"], TUNES["time"], TUNES["time"]]


def test_a_buzzer_that_fails_is_told_and_tried_again() -> None:
    class Failing(MemoryBuzzer):
        def play(self, notes: object) -> None:
            raise DeviceError("buzzer: gone")

    session, _ = played(Begin(t=0, rules="backgammon"))
    _, effects = session.handle(Roll(t=1, dice=(2, 1)))

    async def run() -> list[str]:
        table = Table(session)
        watcher = BuzzerWatcher(Failing())
        watcher.attach(table)
        task = asyncio.create_task(watcher.run())
        told = []
        for _ in range(2):
            watcher(News(1.0, session, effects=effects))
            await _until(lambda: len(table.troubles) == 1)
            told.append(table.troubles.pop())
        task.cancel()
        return told

    assert asyncio.run(run()) == ["buzzer: gone"] * 2
