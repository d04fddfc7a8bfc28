"""systemd's watchdog is fed while camera, loop and journal are alive, and not a moment longer than that."""

import asyncio
from pathlib import Path

import numpy as np
import pytest

from firmware.table.device import ALIVE, Device
from hardware.protocols import Frame
from tests.firmware.desk import Desk, running


class SlowButtons:
    """Whoever looks at them finds that five seconds have passed on their clock."""

    looks = 0

    def monotonic(self) -> float:
        return 5.0 * self.looks

    def check(self) -> tuple[str, ...]:
        self.looks += 1
        return ()

    def listen(self, hear: object) -> None:
        pass

    def down(self) -> tuple[str, ...]:
        return ()

    def close(self) -> None:
        pass


async def awake(desk: Desk) -> None:
    """The camera's thread and the referee have just stirred."""
    assert desk.device._camera is not None
    desk.device._camera.beat = desk.clock()
    await desk.until(desk.device.alive)


def test_a_camera_whose_driver_hangs_ends_it_until_a_picture_comes(tmp_path: Path) -> None:
    async def evening() -> None:
        async with running(tmp_path) as desk:
            await awake(desk)
            assert desk.device._camera is not None
            desk.device._camera.beat -= ALIVE + 1
            assert not desk.device.alive()
            desk.eyes.known["next"] = {}
            desk.camera.waiting.put(Frame(desk.clock(), "next", np.zeros((1, 1, 3), np.uint8)))
            await desk.until(desk.device.alive)

    asyncio.run(evening())


def test_a_referee_that_hangs_ends_it(tmp_path: Path) -> None:
    async def evening() -> None:
        async with running(tmp_path) as desk:
            await awake(desk)
            desk.device._queue.handled -= ALIVE + 1
            assert not desk.device.alive()

    asyncio.run(evening())


def test_a_journal_that_is_gone_ends_it(tmp_path: Path) -> None:
    async def evening() -> None:
        async with running(tmp_path) as desk:
            await awake(desk)
            desk.journal.path.rename(tmp_path / "elsewhere.db")
            assert not desk.device.alive()
            (tmp_path / "elsewhere.db").rename(desk.journal.path)
            assert desk.device.alive()

    asyncio.run(evening())


def test_it_is_fed_by_the_clock_however_long_a_look_at_the_buttons_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once in ten looks, a table that came up on a busy machine was killed while all of it was alive."""
    fed_after: list[int] = []
    buttons = SlowButtons()

    def hear(state: str) -> bool:
        if state == "WATCHDOG=1":
            fed_after.append(buttons.looks)
        return True

    monkeypatch.setattr("firmware.table.device.notify", hear)
    monkeypatch.setattr("firmware.table.device.time", buttons)
    monkeypatch.setattr(Device, "alive", lambda device: True)

    async def evening() -> None:
        async with running(tmp_path) as desk:
            desk.device.devices.buttons = buttons
            await desk.until(lambda: any(fed_after))

    asyncio.run(evening())
    assert next(filter(None, fed_after)) <= 2


def test_systemd_hears_of_the_start_of_life_and_of_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []

    def hear(state: str) -> bool:
        told.append(state)
        return True

    monkeypatch.setattr("firmware.table.device.notify", hear)

    async def evening() -> None:
        async with running(tmp_path) as desk:
            await awake(desk)
            await desk.until(lambda: "WATCHDOG=1" in told)
            monkeypatch.setattr(desk.device, "alive", lambda: False)
            fed = told.count("WATCHDOG=1")
            await asyncio.sleep(1.2)  # longer than a beat
            assert told.count("WATCHDOG=1") == fed

    asyncio.run(evening())
    assert told[0] == "READY=1"
    assert "STOPPING=1" in told
