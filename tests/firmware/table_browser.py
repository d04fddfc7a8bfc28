"""A whole simulated table behind the page, for browser tests of setting up: the device's own program in a
thread."""

import asyncio
import threading
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from engine.session import Session
from firmware.assemble import make_device
from firmware.page.access import Keeper
from firmware.page.server import Server, listen
from firmware.page.stream import Feed
from firmware.page.table_page import TablePage
from firmware.record.journal import Journal
from firmware.settings.config import Config, parse
from firmware.settings.lamp_settings import LampSettings
from firmware.setup.setup_session import SetupSession
from firmware.simulated.board_eyes import BoardEyes
from firmware.simulated.tabletop import Tabletop
from firmware.table.devices import Devices, TableClock
from firmware.table.drivers import button_wires, load_rig
from hardware.simulated import MemoryStrip, ScriptedButtons
from tests.firmware.sitting_browser import PATIENCE, PIN


class SetTable:
    """Serves a table from a thread; ``do`` types a line as its player would."""

    def __init__(self, state: Path, config: str = "") -> None:
        self.state = state
        self.config: Config = parse(config)
        self.eyes = BoardEyes()
        self.strip = MemoryStrip(self.config.strip.count)
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._loop.run_until_complete, args=(self._serve(),))
        self._thread.start()
        assert self._ready.wait(PATIENCE)

    async def _serve(self) -> None:
        hub, clock = Feed(), TableClock()
        self.buttons = ScriptedButtons(clock)
        devices = Devices(
            self.config.begin,
            self.eyes,
            buttons=self.buttons,
            strip=self.strip,
            lamps=LampSettings(map=self.config.strip.map),
            wires=button_wires(self.config),
            sides=self.config.match.game.sides,
            load_rig=lambda board: load_rig(self.config, self.state, board),
        )
        with Journal.open(self.state / "journal.db") as journal:
            self.device = make_device(devices, self.state, journal, hub, lambda words: None, clock)
            self.setup = SetupSession(self.device, self.config, self.state)
            self._top = Tabletop(self.device, self.eyes)
            keeper = Keeper(PIN, b"key", lambda: 0.0)
            door = listen("127.0.0.1", 0, 0)
            async with Server(
                TablePage(hub, self.eyes.drawn, keeper, self.device.act, self.state, setup=self.setup), door
            ) as server:
                task = asyncio.create_task(self.device.run())
                while not self.device.ready and not task.done():
                    await asyncio.sleep(0.01)
                self._top.tidy()
                self.address = server.address
                self._ready.set()
                await task

    @property
    def session(self) -> Session:
        return self.device.session

    def do(self, line: str) -> str:
        said: str = self.run(self._top.do(line))
        return said

    def run(self, does: Coroutine[Any, Any, Any]) -> Any:
        """Does something in the table's loop, and waits for it."""
        return asyncio.run_coroutine_threadsafe(does, self._loop).result(timeout=PATIENCE)

    def call(self, does: Any) -> None:
        """Calls a function in the table's loop."""
        self._loop.call_soon_threadsafe(does)

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self.device.stop)
        self._thread.join()
        self._loop.close()
