"""How long it takes from *done* to the lights, through the whole device program, and how long its event loop
is ever held up.

    python -m tests.bench.latency [TURNS] [--rules GAME] [--seed N] [--review]

Pictures are painted (``hardware.painter``), come eight a second like a real camera's, and are read by the
same eyes as a real table's; the journal is on this disk, with fsync; the strip's frames are encoded for an
APA102. One turn in five begins with a foul. Three columns:

at rest    *done* is pressed on a board whose picture was read already: judging, journal, lights
at once    *done* is pressed while the hand is leaving: from the picture that first shows the board at rest,
           reading included
reading    that picture's reading alone

``--review`` plays the turns in eight parts, every second one while an engine reviews in as many processes as
the machine has cores, and tells both and their ratio: so whatever else the machine does slows both down.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from engine import rules as games
from engine.events import Button, Choose, Next, Press
from engine.layout import Layout
from engine.match import Terms
from engine.match_state import MatchState as Sat
from engine.match_state import State
from firmware.assemble import make_device
from firmware.engines.known import MAKERS, find
from firmware.engines.pool import EnginePool
from firmware.page.stream import Feed
from firmware.record.journal import Journal
from firmware.record.spots import Stakes
from firmware.settings.config import Config, parse
from firmware.settings.lamp_settings import LampSettings
from firmware.simulated.painted import learned
from firmware.table.device import Device
from firmware.table.devices import Devices, TableClock
from firmware.table.live import LiveEyes
from hardware.lights import SpiStrip
from hardware.painter import Painter, Pixels
from hardware.protocols import Frame
from hardware.simulated import ScriptedButtons
from hardware.strip import OFF, Colour
from tests.painted import begun, painter
from vision import reading
from vision.picture.frame import Frame as Picture
from vision.settle import Rest, Settler, Status

RATE = 8.0
"""Pictures a second."""
PLIES, QUESTIONS, PARTS = 2, 50_000, 8
"""Of a review: how far its engine looks ahead, what it is asked, and the parts of the measurement."""
STEP = 0.002
"""Seconds between two looks at whether the event loop still runs."""


class Easel:
    """A camera that sees what is put on it, with new noise in every picture."""

    def __init__(self, painter: Painter, clock: TableClock) -> None:
        self._painter, self._clock, self._taken = painter, clock, 0
        self._noise = np.random.default_rng(1)
        self._shots: list[Pixels] = []
        self._closed = threading.Event()

    def put(self, layout: Layout) -> None:
        """The board, from the next picture on."""
        seen = self._painter.paint(layout).astype(np.float32)
        self._shots = [
            np.clip(seen + self._noise.normal(0, 1.5, seen.shape), 0, 255).astype(np.uint8) for _ in range(3)
        ]

    def read(self) -> Frame:
        """Keeps the protocol of a camera."""
        self._closed.wait(1 / RATE)
        self._taken += 1
        return Frame(self._clock(), f"easel {self._taken}", self._shots[self._taken % len(self._shots)])

    def close(self) -> None:
        """No wait any more."""
        self._closed.set()


class Timed(Settler):
    """Keeps when a picture was handed in that showed the board at rest anew, and how long its reading took,
    in seconds."""

    def __init__(self, reader: reading.BoardReader) -> None:
        super().__init__(reader)
        self.given = self.took = 0.0
        self.rests = self.moves = 0

    def push(self, frame: Picture, t: float) -> Status:
        """As a settler does."""
        given = time.perf_counter()
        status = super().push(frame, t)
        if status.fresh and status.rest is Rest.AT_REST:
            self.given, self.took = given, time.perf_counter() - given
            self.rests += 1
        self.moves += status.rest is Rest.MOVING
        return status


class NullBus:
    """An SPI bus with nobody at its end."""

    def writebytes2(self, data: bytes) -> None:
        """Takes the bytes."""

    def close(self) -> None:
        """Nothing to let go."""


class Watched(SpiStrip):
    """A strip that keeps when each of its LEDs last changed."""

    def __init__(self, config: Config) -> None:
        super().__init__("apa102", config.strip.count, config.strip.budget, NullBus)
        self.last: Sequence[Colour] = [OFF] * self.count
        self.changed = [0.0] * self.count

    def show(self, leds: Sequence[Colour]) -> None:
        """As a strip does."""
        super().show(leds)
        now = time.perf_counter()
        self.changed = [
            now if new != old else at for new, old, at in zip(leds, self.last, self.changed, strict=True)
        ]
        self.last = list(leds)


@dataclass
class Figures:
    """Milliseconds, one for each *done*; ``blocks`` are the waits of the event loop."""

    rest: list[float] = field(default_factory=list)
    once: list[float] = field(default_factory=list)
    reading: list[float] = field(default_factory=list)
    blocks: list[float] = field(default_factory=list)

    def columns(self) -> list[tuple[str, list[float]]]:
        """With what each is called."""
        return [
            ("done to lights, at rest", self.rest),
            ("done to lights, at once", self.once),
            ("reading", self.reading),
            ("event loop held up", self.blocks),
        ]

    def add(self, other: Figures) -> None:
        """Another measurement's, too."""
        for (_, own), (_, more) in zip(self.columns(), other.columns(), strict=True):
            own += more


async def probe(blocks: list[float]) -> None:
    """Measures for how long nothing else can run in the event loop."""
    while True:
        before = time.perf_counter()
        await asyncio.sleep(STEP)
        blocks.append((time.perf_counter() - before - STEP) * 1000)


async def until(holds: Callable[[], bool]) -> None:
    """Waits, and looks often."""
    async with asyncio.timeout(30):
        while not holds():
            await asyncio.sleep(0.001)


class Sitting:
    """Two random players at the table."""

    def __init__(
        self,
        device: Device,
        easel: Easel,
        settler: Timed,
        strip: Watched,
        buttons: ScriptedButtons,
        rng: random.Random,
    ) -> None:
        self.device, self.easel, self.settler, self.strip, self.buttons, self.rng = (
            device,
            easel,
            settler,
            strip,
            buttons,
            rng,
        )
        self.figures = Figures()

    @property
    def table(self) -> Sat:
        """The match at the table."""
        assert self.device.referee is not None
        table = self.device.referee.session.table
        assert table is not None
        return table

    async def turn(self) -> None:
        """Dice, now and then a foul, a play, and *done* after each."""
        while self.table.state in (State.OPENING, State.ROLL, State.ROLLING):
            if self.table.state is not State.ROLLING:
                await self.device.act(Press(t=0, button=Button.ROLL, side=self.table.due))
            await asyncio.sleep(0.01)
        if self.table.state in (State.OVER, State.ENDED):
            await self.device.act(Next(t=0))
            await asyncio.to_thread(self.easel.put, self.table.position.layout())
            return
        play = self.rng.choice(self.table.position.plays())
        if play.steps and self.rng.random() < 0.2:
            await self.done(
                self.table.position.layout(), lambda: self.table.state in (State.FOUL, State.ASKED)
            )
        if play.steps:
            await self.done(play.after.layout(), lambda: self.table.state is not State.PLAY)
        if self.table.state in (State.PLAY, State.FOUL, State.ASKED):
            await self.device.act(Choose(t=0, side=self.table.due, play=play.text))

    async def done(self, layout: Layout, judged: Callable[[], bool]) -> None:
        """The board is put so, and *done* pressed: on a board at rest, or at once."""
        rests, moves, side = self.settler.rests, self.settler.moves, self.table.due
        rest = self.rng.random() < 0.5
        await asyncio.to_thread(self.easel.put, layout)
        with suppress(TimeoutError):
            async with asyncio.timeout(
                2
            ):  # where nothing was moved, nothing moves: that board is at rest already
                while self.settler.rests == rests if rest else self.settler.moves == moves:
                    await asyncio.sleep(0.005)
        await asyncio.sleep(0.05)  # what was seen is with the referee
        pressed, lit = time.perf_counter(), list(self.strip.last)
        self.buttons.press(side, Button.DONE)
        await until(lambda: judged() and list(self.strip.last) != lit and max(self.strip.changed) > pressed)
        since = pressed if rest else max(pressed, self.settler.given)
        at = max(self.strip.changed)
        (self.figures.rest if rest else self.figures.once).append((at - since) * 1000)
        self.figures.reading.append(self.settler.took * 1000)


@contextmanager
def reviewing() -> Iterator[None]:
    """A review at work: an engine at the default level that is never out of questions, in as many processes
    as the machine has cores. Raises NoEngine; RuntimeError where it answered none."""
    cores = os.cpu_count() or 1
    rules = games.get("backgammon")
    spot = Stakes(Terms(), (0, 0)).spot(rules.start(rules.options), "white", (6, 4))
    with EnginePool(MAKERS[find()], PLIES, cores) as pool:
        asked = [pool.plays(spot) for _ in range(QUESTIONS)]
        asked[0].result()
        answered = sum(each.done() for each in asked)
        yield
        more = sum(each.done() for each in asked) - answered
    if not 0 < more < QUESTIONS - answered:
        raise RuntimeError(f"the review did not last: {more} of {QUESTIONS} questions were answered")


async def measure(name: str, turns: int, seed: int) -> Figures:
    """Plays so many turns of a game and measures."""
    config = parse(f'[match]\nrules = "{name}"\nlength = 0\ncube = false')
    artist = painter(games.get(name).board, seed)
    clock, hub = TableClock(), Feed()
    easel, settler, strip, buttons = (
        Easel(artist, clock),
        Timed(learned(artist, begun(games.get(name)))),
        Watched(config),
        ScriptedButtons(clock),
    )
    with tempfile.TemporaryDirectory() as folder, Journal.open(Path(folder) / "journal.db") as journal:
        lamps = LampSettings(map=dict(config.strip.map))
        devices = Devices(config.begin, LiveEyes(settler), easel, 0.0, buttons, strip, lamps)
        device = make_device(devices, Path(folder), journal, hub, lambda words: None, clock)
        easel.put(begun(games.get(name)).layout())
        task = asyncio.create_task(device.run())
        await until(lambda: device.ready or task.done())
        sitting = Sitting(device, easel, settler, strip, buttons, random.Random(seed))
        probing = asyncio.create_task(probe(sitting.figures.blocks))
        try:
            for _ in range(turns):
                await sitting.turn()
        finally:
            probing.cancel()
            device.stop()
            await task
    return sitting.figures


def told(name: str, values: list[float]) -> str:
    """A line of the table."""
    if not values:
        return f"{name:24} -"
    return (
        f"{name:24} {len(values):6} {np.median(values):9.1f} {np.percentile(values, 95):9.1f}"
        f" {max(values):9.1f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("turns", type=int, nargs="?", default=100)
    parser.add_argument("--rules", default="backgammon", choices=games.names())
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--review", action="store_true")
    given = parser.parse_args()
    parts = PARTS if given.review else 1
    found = {busy: Figures() for busy in (False, True)}
    for part in range(parts):
        busy = part % 2 == 1
        with reviewing() if busy else nullcontext():
            found[busy].add(asyncio.run(measure(given.rules, -(-given.turns // parts), given.seed + part)))
    for busy in (False, True) if given.review else (False,):
        head = "with a review" if busy else "milliseconds"
        print(f"{head:24} {'count':>6} {'median':>9} {'p95':>9} {'max':>9}")
        for words, values in found[busy].columns():
            print(told(words, values))
    if given.review:
        print("with a review, of what it is without:")
        for (words, alone), (_, beside) in zip(found[False].columns(), found[True].columns(), strict=True):
            if alone and beside:
                medians, tails = (
                    np.percentile(beside, part) / np.percentile(alone, part) for part in (50, 95)
                )
                print(f"{words:24} median {medians:.2f}, p95 {tails:.2f}")


if __name__ == "__main__":
    main()
