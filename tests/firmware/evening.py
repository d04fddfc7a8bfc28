"""An evening at the simulated desk that plays itself: random legal plays and fouls, cube, undo, resignations,
pauses; match after match.

    python -m tests.firmware.evening STATE SEED [rival]

With ``rival`` Black is the table's own player, who thinks for a while about everything.
It goes on until it is killed. ``kept LOG NUMBER`` is printed for each entry once the journal has said that it
is written; ``stands`` when a restart has taken up the table, after what it holds was compared with a replay
of the journal. What is done next is drawn from the seed: a killed evening goes on with another one, at the
table as it finds it.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from unittest import mock

from engine import rules
from engine.events import Begin, Button, Choose, Press
from engine.layout import Side
from engine.match_state import MatchState, State
from engine.position import Json
from firmware.engines import BeforeRoll, Board, Chances, Ranked, Spot
from firmware.engines.thinker import Thinker
from firmware.formats.board import BoardCounts
from firmware.record.chain import Entry, Head
from firmware.record.journal import Journal
from firmware.record.spots import board_of
from firmware.table.mind import must_act
from firmware.table.referee import restore
from firmware.table.rival import Rival
from tests.firmware.desk import Desk, backgammon, running

LENGTH = 3
EVEN = Chances(0.5, 0.1, 0.0, 0.1, 0.0)


def begun(t: float) -> Begin:
    """What is played."""
    return backgammon(t, LENGTH)


def begun_against(t: float) -> Begin:
    """The same against the table's own player."""
    return replace(begun(t), players={"black": "engine"})


class Ponders(Thinker):
    """An engine that takes its time, and then says anything."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def plays(self, spot: Spot, played: Board | None = None) -> Sequence[Ranked]:
        time.sleep(self._rng.uniform(0, 0.1))
        own = BoardCounts((spot.own, spot.other)).to_json("backgammon", "white")
        position = rules.get("backgammon").read(own).roll(spot.dice or ())
        boards = [board_of(play.after, "white") for play in position.plays()]
        return [Ranked(*board, self._rng.random(), EVEN) for board in boards]

    def before_roll(self, spot: Spot, rolls: bool = True) -> BeforeRoll:
        time.sleep(self._rng.uniform(0, 0.1))
        lost = replace(EVEN, win=0.0, gammon_lost=0.0) if self._rng.random() < 0.01 else EVEN
        hold, take = self._rng.random(), self._rng.uniform(-0.5, 1.5)
        return BeforeRoll(hold, take, 1.0, lost, {})

    def close(self) -> None:
        pass


def tell(line: str) -> None:
    """A line on standard output, in one piece whatever thread it comes from."""
    os.write(sys.stdout.fileno(), f"{line}\n".encode())


def tells(journal: Journal) -> None:
    """Lets a journal say on standard output what it has written."""
    write = journal.append

    def append(game: str, at: str, body: Json, *, after: Head | None = None) -> Entry:
        entry = write(game, at, body, after=after)
        tell(f"kept {game} {entry.number}")
        return entry

    mock.patch.object(journal, "append", new=append).start()


async def standing(desk: Desk) -> bool:
    """Whether the table in memory is what a replay of its journal leads to, once nothing is being written."""
    assert desk.device.referee is not None
    for _ in range(3000):
        log = desk.device.referee.log
        if restore(log, desk.reader.entries(log)) == desk.session:
            return True
        await asyncio.sleep(0.02)  # the house may be writing what it owes
    return False


async def act(desk: Desk, rng: random.Random) -> None:
    """What one of the players does next."""
    session = desk.session
    table = session.table
    if table is None or session.state is State.ROLLING or must_act(table) is not None:
        await asyncio.sleep(0.002)
        return
    side, other = session.due, rng.choice(("white", "black"))
    if rng.random() < 0.02:
        await press(desk, other, rng.choice((Button.UNDO, Button.PAUSE, Button.RESIGN)))
        return
    match session.state:
        case State.OPENING:
            await press(desk, side or other, Button.ROLL)
        case State.ROLL:
            await press(desk, side, Button.DOUBLE if rng.random() < 0.1 else Button.ROLL)
        case State.OFFERED:
            await press(desk, side, Button.TAKE if rng.random() < 0.7 else Button.DROP)
        case State.RESIGNED:
            await press(desk, side, Button.TAKE if rng.random() < 0.2 else Button.DROP)
        case State.PAUSED:
            await press(desk, other, Button.PAUSE)
        case State.ASKED | State.PLAY | State.FOUL:
            await played(desk, side, table, rng)
        case State.OVER | State.ENDED:
            await desk.begin_next()


async def played(desk: Desk, side: Side | None, table: MatchState, rng: random.Random) -> None:
    """Moves checkers, now and then wrongly, and presses *done*."""
    position = table.position
    play = table.intention or rng.choice(position.plays())
    if not play.steps:
        await desk.device.act(Choose(t=0, side=side, play=play.text))
        return
    wrong = rng.random() < 0.1
    await desk.show(position.looks() if wrong else play.after.looks())
    await press(desk, side, Button.DONE)


async def press(desk: Desk, side: Side | None, button: Button) -> None:
    """Presses a button and waits until that is done or refused."""
    await desk.device.act(Press(t=0, side=side, button=button))


async def evening(state: Path, seed: int, rival: bool = False) -> None:
    """Plays on until the process is killed. Exits with 1 where the table is not what its journal says."""
    rng = random.Random(seed)
    own = [Rival(lambda: Ponders(rng))] if rival else []
    async with running(state, begun_against if rival else begun, tells, beside=lambda: own) as desk:
        for turn in range(sys.maxsize):
            if turn % 50 == 0 and not await standing(desk):
                sys.exit("the table is not what a replay of its journal leads to")
            if turn == 0:
                tell("stands")
            await act(desk, rng)


if __name__ == "__main__":
    asyncio.run(evening(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:] == ["rival"]))
