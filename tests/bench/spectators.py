"""What two hundred spectators cost those at the table: ``python -m tests.bench.spectators [SPECTATORS]
[JUDGEMENTS] [BLOCKS]``.

A whole device (simulated camera, buttons, strip) judges a game, in turns with nobody looking on, with a crowd
in another process (four in five follow the stream, one in five asks for it and never reads), and under
attack. Prints for each what a judgement took: from *done* until it was judged and on the disk, until the
lamps showed it, until whoever pressed on the page had an answer; and the processor time of the referee's
thread, which other programs on the machine do not disturb. Figures are milliseconds, beside them the change
against nobody: every play is the same in every row and block, so each is compared with itself (medians over
the blocks) and the median of these changes is given.
"""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from multiprocessing.synchronize import Event as Flag
from pathlib import Path
from typing import TypeAlias
from unittest import mock

import httpx
import numpy as np

from engine.events import Button, Next, Press, Roll
from engine.match_state import State
from engine.position import Awaits
from firmware.page.server import Server, listen
from firmware.page.table_page import TablePage
from firmware.table.referee import Stimulus
from hardware.protocols import Pressed
from tests.bench.arguments import arguments
from tests.firmware.desk import Desk, backgammon, running

Crowd: TypeAlias = Callable[[int, int, Flag, Flag], None]

PAUSE = 0.25
"""Seconds between two acts: players are no machines, and the crowd has its news by then."""


def crowd(port: int, count: int, ready: Flag, over: Flag) -> None:
    """Spectators, in a process of their own."""

    async def look(deaf: bool) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**20)
        writer.write(b"GET /api/events HTTP/1.1\r\nHost: table\r\n\r\n")
        await writer.drain()
        if deaf:
            writer.transport.pause_reading()  # type: ignore[attr-defined]  # a read transport too
            await asyncio.sleep(3600)
        while await reader.read(2**16):
            pass

    async def run() -> None:
        tasks = [asyncio.create_task(look(number % 5 == 4)) for number in range(count)]
        await asyncio.sleep(2)
        ready.set()
        await asyncio.to_thread(over.wait)
        for task in tasks:
            task.cancel()

    asyncio.run(run())


def storm(port: int, count: int, ready: Flag, over: Flag) -> None:
    """A hostile process: ``count`` connections that drip a request's head, as many again that open and say
    nothing, forty that ask for the state as fast as they are answered, ten that send garbage; whatever is
    closed is opened again."""

    async def again(attack: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]) -> None:
        while True:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                try:
                    await attack(reader, writer)
                finally:
                    writer.close()
            await asyncio.sleep(0.05)

    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for byte in b"GET /api/state HTTP/1.1\r\nHost: table\r\nX: " + b"y" * 1000:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0.5)

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()

    async def hammer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            writer.write(b"GET /api/state HTTP/1.1\r\nHost: table\r\n\r\n")
            await reader.readuntil(b"content-length: ")
            size = int(await reader.readuntil(b"\r\n"))
            await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(size)

    async def rubbish(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(bytes(range(256)) * 40)
        await reader.read()

    async def run() -> None:
        kinds = [drip] * count + [silent] * count + [hammer] * 40 + [rubbish] * 10
        tasks = [asyncio.create_task(again(kind)) for kind in kinds]
        await asyncio.sleep(4)  # what may be asked at once has been asked
        ready.set()
        await asyncio.to_thread(over.wait)
        for task in tasks:
            task.cancel()

    asyncio.run(run())


async def judged(desk: Desk, turns: int) -> list[tuple[float, ...]]:
    """Plays ``turns`` and gives what each judgement took, in ms: until it was judged, shown, answered; and of
    the processor."""
    took = []
    judgement = shown = 0.0
    show = desk.strip.show

    def watched(frame: Sequence[tuple[int, int, int]]) -> None:
        nonlocal shown
        show(frame)
        if shown < judgement:
            shown = time.perf_counter()

    spent: list[float] = []
    referee = desk.device.referee
    assert referee is not None
    take = referee.take

    def timed(stimulus: Stimulus) -> None:
        nonlocal judgement
        begun = time.thread_time()
        take(stimulus)
        spent.append(time.thread_time() - begun)
        if isinstance(stimulus, Pressed):
            judgement = time.perf_counter()

    with mock.patch.object(desk.strip, "show", new=watched), mock.patch.object(referee, "take", new=timed):
        for _ in range(turns):
            if desk.session.state is State.OVER:
                await desk.device.act(Next(t=0))
            position = desk.session.position
            assert position is not None
            opening = position.awaits is Awaits.OPENING
            await desk.device.act(Roll(t=0, dice=(3, 1), side="white" if opening else None))
            position = desk.session.position
            assert position is not None
            await desk.show(next(iter(position.plays())).after.looks())
            await asyncio.sleep(PAUSE)
            begun = time.perf_counter()
            assert await desk.device.act(Press(t=0, button=Button.DONE)) is None
            answered = time.perf_counter()
            cpu = spent[-1]
            await asyncio.sleep(PAUSE)
            took.append(
                tuple(1000 * each for each in (judgement - begun, shown - begun, answered - begun, cpu))
            )
    return took


async def beside(kind: Crowd | None, count: int, judgements: int) -> list[tuple[float, ...]]:
    """What the judgements of a new game take beside a crowd of ``count``, or with nobody there."""
    with tempfile.TemporaryDirectory() as folder:
        async with (
            running(Path(folder), lambda t: backgammon(t, 0)) as desk,
            Server(TablePage(desk.hub, lambda: None), listen("127.0.0.1", 0, 0)) as server,
        ):
            if kind is None:
                return await judged(desk, judgements)
            spawn = multiprocessing.get_context("spawn")
            ready, over = spawn.Event(), spawn.Event()
            there = spawn.Process(target=kind, args=(httpx.URL(server.address).port, count, ready, over))
            there.start()
            await asyncio.to_thread(ready.wait)
            took = await judged(desk, judgements)
            over.set()
            await asyncio.to_thread(there.join)
            return took


async def main(spectators: int, judgements: int, blocks: int) -> None:
    """Measures in turns, always the same game from its start: later positions take longer to judge."""
    crowds: dict[str, Crowd | None] = {
        "nobody": None,
        f"{spectators} spectators": crowd,
        f"{2 * spectators + 50} hostile connections": storm,
    }
    met: dict[str, list[list[tuple[float, ...]]]] = {name: [] for name in crowds}
    for _ in range(blocks):
        for name, kind in crowds.items():
            met[name].append(await beside(kind, spectators, judgements))
    took = {name: np.median(np.array(each), axis=0) for name, each in met.items()}  # plays x figures
    for name, plays in took.items():
        change = np.median(plays / took["nobody"] - 1, axis=0)
        words = [
            f"{figure:.2f} ({more:+.0%})"
            for figure, more in zip(np.median(plays, axis=0), change, strict=True)
        ]
        print(
            f"{name}, {blocks} x {judgements} judgements, ms: judged {{}}, lamps {{}}, answered {{}},"
            " processor {}".format(*words)
        )


if __name__ == "__main__":
    asyncio.run(main(**arguments(__doc__, spectators=200, judgements=12, blocks=4)))
