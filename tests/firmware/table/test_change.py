"""Another match is brought to the table by the page: a new one, or one that was left."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from engine.events import Begin, Button, Commit, Event, Press, Roll, Seed
from engine.match import Terms
from engine.match_state import State
from engine.position import Rules
from firmware.record.chain import JournalError
from firmware.record.table_key import TableKey
from firmware.record.verify import check_log
from firmware.table.change import MatchChange
from firmware.table.news import News
from firmware.table.watcher import TableWatcher
from tests.firmware.desk import Desk, running

TO_SEVEN = Begin(t=0, rules="backgammon", players={"white": "Ann", "black": "Bob"}, terms=Terms(length=7))
BORDER = [f"{c - r // 2},{r}" for r in range(10) for c in range(12) if c in (0, 11) or r in (0, 9)]
SIEGE = Begin(
    t=0,
    rules="siege-master",
    options={"cols": 12, "rows": 10, "border": BORDER, "fortresses": ["1,2", "6,2", "2,5", "6,6", "0,7"]},
)


def test_a_match_in_which_nothing_has_happened_makes_room_at_once(tmp_path: Path) -> None:
    async def evening() -> None:
        async with running(tmp_path) as desk:
            assert await desk.device.change(MatchChange(TO_SEVEN, {"black": "hoho"})) is None
            assert desk.session.table is not None
            assert (desk.session.table.begin.players["white"], desk.session.table.match.terms.length) == (
                "Ann",
                7,
            )
            events = desk.entries()
            assert [type(event) for event in events] == [Begin, Commit, Seed]
            assert isinstance(events[2], Seed)
            assert (events[2].side, events[2].words) == ("black", "hoho")
            await desk.rolled()
            assert desk.session.table.rolls != (0, 0)

    asyncio.run(evening())


def test_a_match_under_way_is_only_left_when_asked_and_can_be_gone_on_with(tmp_path: Path) -> None:
    async def evening() -> None:
        async with running(tmp_path) as desk:
            await desk.rolled()
            first, before = desk.device.log, desk.session
            assert "is being played" in str(await desk.device.change(MatchChange(TO_SEVEN)))
            assert desk.session is before
            assert await desk.device.change(MatchChange(TO_SEVEN, leave=True)) is None
            assert desk.device.log != first
            assert desk.device.open_matches.unfinished() == [first]
            await desk.rolled()
            second = desk.device.log
            assert await desk.device.change(MatchChange(log=first, leave=True)) is None
            assert desk.device.log == first
            assert desk.session.state is State.PAUSED
            assert desk.device.open_matches.unfinished() == [second]
            assert await desk.device.act(Press(t=0, button=Button.PAUSE)) is None
            assert desk.session.position == before.position
            fallen = sum(isinstance(event, Roll) for event in desk.entries())
            # Its secret was kept: the dice to come are those that were committed to.
            assert desk.session.position is not None
            await desk.show(next(iter(desk.session.position.plays())).after.looks())
            desk.buttons.press(desk.session.due, Button.DONE)
            await desk.until(lambda: desk.session.state is State.ROLL)
            await desk.rolled()
            desk.buttons.press("white", Button.RESIGN)
            await desk.until(lambda: desk.session.state is State.RESIGNED)
            desk.buttons.press("black", Button.TAKE)
            await desk.until(
                lambda: (
                    desk.session.state in (State.OVER, State.ENDED) and desk.entries()[-1].name == "reveal"
                )
            )
            assert sum(isinstance(event, Roll) for event in desk.entries()) > fallen
            assert any("as committed" in line for line in check_log(first, desk.reader.entries(first)))

    asyncio.run(evening())


def test_what_cannot_begin_changes_nothing(tmp_path: Path) -> None:
    async def evening() -> None:
        async with running(tmp_path) as desk:
            await desk.rolled()
            before = desk.session
            for change, reason in (
                (
                    MatchChange(Begin(t=0, rules="siege-master"), leave=True),
                    "a board that the players set up",
                ),
                (
                    MatchChange(Begin(t=0, rules="backgammon", players={"red": "Ann"}), leave=True),
                    "no side 'red'",
                ),
                (MatchChange(log="2020-01-01-abc", leave=True), "no match 2020-01-01-abc"),
                (MatchChange(log=desk.device.log, leave=True), "to continue"),
            ):
                assert reason in str(await desk.device.change(change))
                if desk.session.state is State.PAUSED:
                    assert await desk.device.act(Press(t=0, button=Button.PAUSE)) is None
                assert desk.session.position == before.position
                assert desk.device.open_matches.unfinished() == []

    asyncio.run(evening())


def test_a_full_disk_leaves_the_match_at_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise JournalError("cannot write: database or disk is full")

    async def evening() -> None:
        async with running(tmp_path) as desk:
            log, session = desk.device.log, desk.session
            with monkeypatch.context() as patch:
                patch.setattr(desk.journal, "append", full)
                assert "disk is full" in str(await desk.device.change(MatchChange(TO_SEVEN)))
            assert (desk.device.log, desk.device.open_matches.current()) == (log, log)
            assert desk.session == session
            await desk.rolled()

    asyncio.run(evening())


class Follower(TableWatcher):
    """Follows the table; where it is ``broken`` it cannot show how a match begins."""

    broken = False
    refused = ""
    """The match that it cannot follow."""

    def __init__(self) -> None:
        self.begun: list[tuple[str, int]] = []

    def begin_match(self, log: str, game: Rules, events: Sequence[Event]) -> None:
        self.begun.append((log, len(events)))
        if log == self.refused:
            raise LookupError("no such match here")

    def prove(self, news: News) -> None:
        if self.broken and isinstance(news.event, Begin):
            raise LookupError("no such game here")


@pytest.mark.parametrize("fault", ["a full disk", "no such game here"])
def test_whoever_follows_the_table_stays_at_a_match_that_could_not_be_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    def full(*_: object, **__: object) -> None:
        raise JournalError(fault)

    async def evening() -> None:
        follower, key = Follower(), TableKey.load_or_make(tmp_path)
        async with running(tmp_path, key=key, beside=lambda: [follower]) as desk:
            await desk.rolled()
            assert await desk.device.act(Press(t=0, button=Button.PAUSE)) is None
            log, session, entries = desk.device.log, desk.session, desk.entries()
            with monkeypatch.context() as patch:
                if fault == "a full disk":
                    patch.setattr(desk.journal, "append", full)
                follower.broken = fault != "a full disk"
                assert fault in str(await desk.device.change(MatchChange(TO_SEVEN, leave=True)))
            assert follower.begun[-1] == (log, len(entries))
            assert (desk.device.log, desk.device.open_matches.current()) == (log, log)
            assert (desk.session, desk.device.open_matches.unfinished()) == (session, [])
            follower.broken = False
            assert await desk.device.change(MatchChange(TO_SEVEN, leave=True)) is None
            assert desk.device.open_matches.unfinished() == [log]

    asyncio.run(evening())


def test_an_open_match_that_cannot_be_gone_on_with_leaves_everybody_at_the_one_at_the_table(
    tmp_path: Path,
) -> None:
    async def evening() -> None:
        follower = Follower()
        async with running(tmp_path, beside=lambda: [follower]) as desk:
            await desk.rolled()
            first = desk.device.log
            assert await desk.device.change(MatchChange(TO_SEVEN, leave=True)) is None
            await desk.rolled()
            log, session, entries = desk.device.log, desk.session, desk.entries()
            follower.refused = first
            assert "no such match" in str(await desk.device.change(MatchChange(log=first, leave=True)))
            assert follower.begun[-1] == (log, len(desk.entries()))
            assert (desk.device.log, desk.device.open_matches.current()) == (log, log)
            assert desk.device.open_matches.unfinished() == [first]
            assert desk.entries()[: len(entries)] == entries
            assert desk.session.position == session.position
            follower.refused = ""
            assert await desk.device.change(MatchChange(log=first, leave=True)) is None

    asyncio.run(evening())


def test_buttons_of_the_first_side_are_the_first_sides_in_any_game(tmp_path: Path) -> None:
    async def evening() -> None:
        async with running(tmp_path) as desk:
            assert await desk.device.change(MatchChange(SIEGE)) is None
            assert desk.session.position is not None
            play = next(iter(desk.session.position.plays()))
            await desk.show(play.after.looks())
            desk.buttons.press("white", Button.DONE)  # the box calls its first side so
            await desk.until(lambda: desk.session.position == play.after)

    asyncio.run(evening())


def test_a_game_whose_board_is_set_up_waits_for_it(tmp_path: Path) -> None:
    async def evening() -> None:
        desk = Desk(tmp_path)
        desk.devices.begin = lambda t: Begin(t=t, rules="siege-master")
        task = asyncio.create_task(desk.device.run())
        await desk.until(lambda: task.done() or desk.device.ready)
        assert desk.session.state is State.IDLE
        assert "No match has begun" in desk.hub.text(True)
        assert await desk.device.act(Press(t=0, button=Button.ROLL)) == "no match has begun"
        assert await desk.device.change(MatchChange(SIEGE)) is None
        assert desk.session.state is State.PLAY
        desk.device.stop()
        desk.camera.waiting.put(None)  # a real camera always has a next picture
        await task
        desk.journal.close()
        desk.reader.close()

    asyncio.run(evening())


def test_after_the_end_on_a_map_the_next_one_is_to_be_set_up(tmp_path: Path) -> None:
    async def evening() -> None:
        async with running(tmp_path) as desk:
            assert await desk.device.change(MatchChange(replace(SIEGE, terms=Terms(length=1)))) is None
            log = desk.device.log
            assert await desk.device.act(Press(t=0, button=Button.RESIGN, side="red")) is None
            assert await desk.device.act(Press(t=0, button=Button.TAKE, side="blue")) is None
            assert desk.session.state is State.ENDED
            assert "Set up" in str(await desk.device.act(Press(t=0, button=Button.DONE)))
            assert desk.device.log == log
            assert await desk.device.change(MatchChange(SIEGE)) is None
            assert desk.device.log != log

    asyncio.run(evening())


def test_after_the_end_done_begins_the_same_match_again(tmp_path: Path) -> None:
    async def evening() -> None:
        async with running(tmp_path) as desk:
            agreed = Begin(t=0, rules="zombie", players={"white": "Ann"}, terms=Terms(length=1))
            assert await desk.device.change(MatchChange(agreed)) is None
            first = desk.device.log
            desk.buttons.press("white", Button.RESIGN)
            desk.buttons.press("black", Button.TAKE)
            await desk.until(lambda: desk.session.state is State.ENDED)
            await desk.begin_next()
            await desk.until(lambda: desk.device.log != first and desk.session.table is not None)
            assert desk.session.table is not None
            assert (desk.session.table.rules.name, desk.session.table.begin.players) == (
                "zombie",
                {"white": "Ann"},
            )

    asyncio.run(evening())
