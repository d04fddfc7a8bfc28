"""A device with everything simulated and all of it in reach: for tests and benches that sit at the table."""

import asyncio
import queue
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import numpy as np

from engine.event_json import from_json
from engine.events import Begin, Button, Event, Press, Roll
from engine.evidence import Evidence
from engine.layout import Looks
from engine.match import Terms
from engine.match_state import State
from engine.session import Session
from firmware.assemble import make_device
from firmware.dice.beacon import Drand
from firmware.page.stream import Feed
from firmware.record.journal import Journal
from firmware.record.table_key import TableKey
from firmware.settings.lamp_settings import LampSettings
from firmware.table.devices import Devices, TableClock
from firmware.table.live import LiveEyes
from firmware.table.next_game import APART
from firmware.table.watcher import TableWatcher
from hardware.protocols import DeviceLost, Frame
from hardware.simulated import MemoryStrip, ScriptedButtons
from tests.firmware.sitting_browser import PATIENCE


def backgammon(t: float, length: int | None = None) -> Begin:
    """A match of backgammon; without ``length`` the usual one."""
    return Begin(t=t, rules="backgammon", terms=Terms() if length is None else Terms(length=length))


class Seen(LiveEyes):
    """Eyes to which a picture's name says what stands where."""

    def __init__(self) -> None:
        super().__init__(None)
        self.known: dict[str, Looks] = {}
        self.looked: set[str] = set()

    def push(self, frame: Frame) -> tuple[bool, str]:
        return True, ""

    def look(self, frame: Frame) -> Evidence | None:
        self.looked.add(frame.name)
        return Evidence.certain(self.known[frame.name])

    @property
    def calibrated(self) -> bool:
        return True


class Pictures:
    """A camera that gives what is put in, and can be pulled out."""

    def __init__(self) -> None:
        self.waiting: queue.Queue[Frame | None] = queue.Queue()

    def read(self) -> Frame:
        frame = self.waiting.get()
        if frame is None:
            raise DeviceLost("camera: pulled out")
        return frame

    def close(self) -> None:
        self.waiting.put(None)


class Desk:
    """A device with everything simulated, and all of it in reach."""

    def __init__(
        self,
        state: Path,
        begin: Callable[[float], Begin] = backgammon,
        key: TableKey | None = None,
        drand: Drand | None = None,
        beside: Callable[[], Sequence[TableWatcher]] = tuple,
    ) -> None:
        self.clock = TableClock()
        self.eyes, self.camera, self.strip = Seen(), Pictures(), MemoryStrip(60)
        self.buttons = ScriptedButtons(self.clock)
        self.said: list[str] = []
        self.hub = Feed()
        self.journal = Journal.open(state / "journal.db", damaged=True)
        self.reader = Journal.open(state / "journal.db", damaged=True)
        """A connection of our own: the referee's thread has the other."""
        leds = {f"p{n}": (n - 1,) for n in range(1, 25)} | {"player.first": (30,), "player.second": (31,)}
        self.devices = Devices(
            begin, self.eyes, self.camera, 0.0, self.buttons, self.strip, LampSettings(map=leds), beacon=drand
        )
        say = self.said.append
        self.device = make_device(
            self.devices, state, self.journal, self.hub, say, self.clock, key=key, beside=beside()
        )

    @property
    def session(self) -> Session:
        assert self.device.referee is not None
        return self.device.referee.session

    def entries(self) -> list[Event]:
        assert self.device.referee is not None
        return [from_json(entry.body) for entry in self.reader.entries(self.device.referee.log)]

    async def show(self, looks: Looks) -> None:
        name = f"{len(self.eyes.known)}"
        self.eyes.known[name] = looks
        self.camera.waiting.put(Frame(self.clock(), name, np.zeros((1, 1, 3), np.uint8)))
        await self.until(lambda: name in self.eyes.looked)

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE):
            while not holds():
                await asyncio.sleep(0.005)

    async def rolled(self) -> None:
        """Presses roll until somebody has dice to play."""
        while self.session.state in (State.OPENING, State.ROLL):
            before = self.rolls()
            self.buttons.press(self.session.due, Button.ROLL)
            # The press and its timing are written down first; the next press waits for the dice.
            await self.until(partial(self._fell, before))

    async def begin_next(self) -> None:
        """Presses done twice, as it takes after the end of a game or match."""
        await self.device.act(Press(t=0, button=Button.DONE))
        await asyncio.sleep(1.1 * APART)
        await self.device.act(Press(t=0, button=Button.DONE))

    def _fell(self, before: int) -> bool:
        return self.rolls() > before and self.session.state is not State.ROLLING

    def rolls(self) -> int:
        """How often dice have fallen and are in the session."""
        fallen = sum(isinstance(event, Roll) for event in self.entries())
        return fallen if self.session.state is not State.ROLLING else -1


@asynccontextmanager
async def running(
    state: Path,
    begin: Callable[[float], Begin] = backgammon,
    before: Callable[[Journal], None] = lambda journal: None,
    key: TableKey | None = None,
    drand: Drand | None = None,
    beside: Callable[[], Sequence[TableWatcher]] = tuple,
) -> AsyncIterator[Desk]:
    """A desk whose device program runs until the block ends; ``before`` is shown its journal first. ``key``
    signs its matches; ``beside`` makes further watchers."""
    desk = Desk(state, begin, key, drand, beside)
    before(desk.journal)
    task = asyncio.create_task(desk.device.run())
    try:
        await desk.until(lambda: task.done() or desk.device.ready)
        yield desk
    finally:
        desk.device.stop()
        desk.camera.waiting.put(None)  # a real camera always has a next picture
        await task
        desk.journal.close()
        desk.reader.close()
