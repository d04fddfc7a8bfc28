"""A match played at a simulated table under a painted camera, and recorded. Run as a program it plays until
it is killed."""

import asyncio
import random
import sys
from collections.abc import Callable
from pathlib import Path

from engine.match_state import State
from firmware.assemble import make_device
from firmware.page.stream import Feed
from firmware.record.journal import Journal
from firmware.recordings.match_recorder import MatchRecorder
from firmware.settings.config import parse
from firmware.simulated.painted import PaintedEyes
from firmware.simulated.tabletop import Tabletop
from firmware.table.devices import Devices, TableClock

FOUL = 3
"""In the fourth turn a checker is put where no dice can bring it, judged, and put right."""


def tell(words: str) -> None:
    print(words, file=sys.stderr)


async def play(
    state: Path,
    recordings: Path,
    turns: int,
    rules: str = "backgammon",
    limit: int = 10**9,
    say: Callable[[str], None] = tell,
) -> None:
    """So many turns, always the same ones, from where the match in ``state`` stands."""
    config = parse(f'[match]\nrules = "{rules}"\nlength = 0\n')
    eyes, source = PaintedEyes(config.match.game), random.Random(1)
    with Journal.open(state / "journal.db") as kept:
        devices = Devices(config.begin, eyes)
        recorder = MatchRecorder(recordings, limit, devices)
        device = make_device(devices, state, kept, Feed(), say, TableClock(), recorder)
        top = Tabletop(device, eyes)
        task = asyncio.create_task(device.run())
        while not device.ready and not task.done():
            await asyncio.sleep(0.01)
        top.tidy()
        try:
            for turn in range(turns):
                if top.session.state in (State.OPENING, State.ROLL):
                    await top.do("dice " + " ".join(map(str, source.sample(range(1, 7), 2))))
                if top.session.state is State.OVER:
                    await top.do("next")
                    continue
                await _turn(top, eyes, turn, source)
        finally:
            device.stop()
            await task


async def _turn(top: Tabletop, eyes: PaintedEyes, turn: int, source: random.Random) -> None:
    position = top.session.position
    assert position is not None
    if turn == FOUL:
        cell = next(
            cell
            for cell, look in eyes.looks.items()
            if look and look[0] == position.turn and cell.startswith("p")
        )
        await top.do(f"move {cell} {'p13' if cell != 'p13' else 'p12'}")
        await top.do("done")
        top.tidy()
    play = source.choice(position.plays())
    if play.steps:
        await top.do(f"play {play.text}")
    await top.do("done")
    if turn == FOUL + 1:  # thought better of it
        await top.do(f"{position.turn} undo")
        await top.do("done")
    assert top.session.state in (State.ROLL, State.OVER, State.ENDED), top.report()


if __name__ == "__main__":
    asyncio.run(play(Path(sys.argv[1]), Path(sys.argv[2]), 1000, say=lambda words: None))
