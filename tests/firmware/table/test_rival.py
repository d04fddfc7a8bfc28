"""The table's own player at a whole table with simulated devices."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest
from click.testing import CliRunner

from engine.events import Begin, Button, Intend, Press, Roll
from engine.layout import differing
from engine.match_state import State
from firmware.commands.play import command
from firmware.engines import BeforeRoll, Board, Chances, NoEngine, Ranked, Spot
from firmware.engines.thinker import Thinker
from firmware.errors import BadInput
from firmware.settings.config import parse
from firmware.setup.games import read_agreement
from firmware.table.change import MatchChange
from firmware.table.rival import Rival
from tests.firmware.desk import Desk, backgammon, running

EVEN = Chances(0.5, 0.1, 0.0, 0.1, 0.0)


class First(Thinker):
    """An engine that thinks nothing of anything."""

    def __init__(self) -> None:
        pass

    def plays(self, spot: Spot, played: Board | None = None) -> Sequence[Ranked]:
        raise NoEngine("no plays")

    def before_roll(self, spot: Spot, rolls: bool = True) -> BeforeRoll:
        return BeforeRoll(0.0, -1.0, 1.0, EVEN, {})

    def close(self) -> None:
        pass


class Dying(First):
    def before_roll(self, spot: Spot, rolls: bool = True) -> BeforeRoll:
        raise NoEngine("the engine's process ended by itself")


def against(t: float) -> Begin:
    return replace(backgammon(t), players={"white": "Ann", "black": "engine"})


@asynccontextmanager
async def table(state: Path, make: type[First] = First) -> AsyncIterator[tuple[Desk, Rival]]:
    rivals: list[Rival] = []

    def beside() -> list[Rival]:
        rivals.append(Rival(make))
        return rivals

    async with running(state, against, beside=beside) as desk:
        yield desk, rivals[0]


async def black_has(desk: Desk, dice: tuple[int, int]) -> None:
    assert await desk.device.act(Roll(t=0, dice=dice)) is None
    assert desk.session.due == "black"


FREE = {"points": {"24": 15, "1": -1, "23": -14}, "bar": [0, 0], "off": [0, 0], "turn": "black"}
"""Black to roll, and every roll can be played, since a turn without a play is over at once."""


def test_it_rolls_by_itself_and_a_restart_does_not_roll_again(tmp_path: Path) -> None:
    async def rolls(begins: bool) -> list[Roll]:
        async with table(tmp_path) as (desk, rival):
            if begins:
                begun = replace(against(0.0), position={**FREE, "rules": "backgammon"})
                assert await desk.device.change(MatchChange(begun, leave=True)) is None
            await desk.until(lambda: desk.session.state is State.PLAY)
            await rival.settled()
            return [each for each in desk.entries() if isinstance(each, Roll)]

    first = asyncio.run(rolls(begins=True))
    assert len(first) == 1
    assert asyncio.run(rolls(begins=False)) == first


def test_an_engine_that_dies_is_told_and_people_may_play_for_it(tmp_path: Path) -> None:
    async def sit() -> None:
        async with table(tmp_path, Dying) as (desk, rival):
            await black_has(desk, (1, 3))
            await desk.until(lambda: any("cannot think" in words for words in desk.said))
            await rival.settled()
            assert desk.session.table is not None
            play = desk.session.table.position.find("8/5 6/5")
            await desk.show(play.after.looks())
            assert await desk.device.act(Press(t=0, button=Button.DONE, side="black")) is None
            await desk.until(lambda: desk.session.due == "white")

    asyncio.run(sit())


def test_nobody_waits_for_it_when_the_table_ends(tmp_path: Path) -> None:
    async def sit() -> None:
        async with table(tmp_path) as (desk, rival):
            await black_has(desk, (1, 3))
            desk.device.stop()
        with mock.patch.object(Rival, "_due", return_value="black"):  # it has not said what it plays
            await asyncio.wait_for(rival.settled(), 10)

    asyncio.run(sit())


def test_the_board_must_show_what_it_said(tmp_path: Path) -> None:
    async def sit() -> None:
        async with table(tmp_path) as (desk, rival):
            await black_has(desk, (1, 3))
            assert await desk.device.act(Intend(t=0, play="8/5 6/5", side="black")) is None
            await rival.settled()
            position = desk.session.position
            assert position is not None
            await desk.show(position.find("24/23 13/10").after.looks())
            await desk.device.act(Press(t=0, button=Button.DONE, side="black"))
            assert desk.session.state is State.FOUL
            said = position.find("8/5 6/5").after.looks()
            assert differing(position.looks(), said)
            await desk.show(said)
            await desk.until(lambda: desk.session.state is State.PLAY)
            await desk.device.act(Press(t=0, button=Button.DONE, side="black"))
            assert desk.session.due == "white"

    asyncio.run(sit())


def test_a_game_that_no_engine_knows_begins_no_match_against_it(tmp_path: Path) -> None:
    async def sit() -> None:
        async with table(tmp_path) as (desk, _):
            before = desk.device.log
            wanted = Begin(t=0.0, rules="zombie", players={"black": "engine club"})
            reason = await desk.device.change(MatchChange(wanted, leave=True))
            assert reason is not None
            assert "no engine for" in reason
            assert desk.device.log == before

    asyncio.run(sit())


def test_a_level_that_there_is_not_is_refused_in_the_configuration_and_on_the_page() -> None:
    with pytest.raises(BadInput, match=r"line 3: .*'engine strongest' is no level .*beginner"):
        parse('[match]\nfirst = "Ann"\nsecond = "engine strongest"')
    begin = {"rules": "backgammon", "players": {"black": "engine strongest"}, "terms": {}}
    with pytest.raises(BadInput, match="no level"):
        read_agreement({"begin": begin})
    assert parse('[match]\nsecond = "engine club"').begin(0.0).players == {"black": "engine club"}


def test_a_match_in_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "dice 1 3\nmove 8 5\nmove 6 5\ndone\n"
    words = ["--simulated", "--port", "0", "--rival", "casual"]
    monkeypatch.setattr("firmware.commands.play.Rival", lambda: Rival(First))
    result = CliRunner().invoke(command, words, input=lines)
    assert result.exit_code == 0, result.output
    assert "engine casual" in result.output
