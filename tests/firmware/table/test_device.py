"""The device program: whole, with simulated devices; stopped, restarted, and with things going wrong."""

import asyncio
import json
import sqlite3
import threading
import time
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import pytest

from engine.events import Begin, Button, Close, Commit, Press, Reveal, Roll
from engine.match_state import State
from firmware.record.archive import match_record
from firmware.record.chain import JournalError
from firmware.record.journal import Journal
from firmware.record.verify import check_log
from firmware.table.change import MatchChange
from firmware.table.devices import TableClock
from firmware.table.match_at_table import MatchAtTable
from firmware.table.referee import Referee, restore
from firmware.table.table_queue import ENDING
from firmware.table.watcher import TableWatcher
from hardware.dice import SealedDice
from hardware.protocols import DeviceLost
from hardware.strip import OFF
from tests.firmware.desk import backgammon, running


def test_a_turn_is_rolled_played_judged_and_lit(tmp_path: Path) -> None:
    async def evening() -> None:
        async with running(tmp_path) as desk:
            await desk.rolled()
            assert desk.session.position is not None
            side = desk.session.position.turn
            await desk.show(desk.session.position.looks())
            desk.buttons.press(side, Button.DONE)
            await desk.until(lambda: desk.session.state is State.FOUL)
            await desk.until(lambda: any(led != OFF for led in desk.strip.leds[:24]))
            play = next(iter(desk.session.position.plays()))
            await desk.show(play.after.looks())
            desk.buttons.press(side, Button.DONE)
            await desk.until(lambda: desk.session.state is State.ROLL)
            assert desk.session.position == play.after
            await desk.until(lambda: '"verdict":"legal"' in desk.hub.text())

    asyncio.run(evening())


def test_a_done_that_waits_for_hands_is_not_judged_because_the_table_ends(tmp_path: Path) -> None:
    async def evening() -> None:
        with mock.patch.object(Referee, "settle") as settle:
            async with running(tmp_path) as desk:
                await desk.rolled()
                settle.reset_mock()
            settle.assert_not_called()

    asyncio.run(evening())


def test_nobody_waits_for_an_answer_when_the_table_ends(tmp_path: Path) -> None:
    async def evening() -> None:
        async with running(tmp_path) as desk:
            await desk.rolled()

            def take(referee: Referee, stimulus: object) -> None:
                desk.device.stop()
                time.sleep(0.1)  # the table ends meanwhile

            with mock.patch.object(Referee, "take", take):
                press = Press(t=0, button=Button.PAUSE)
                asked = [asyncio.create_task(desk.device.act(press)) for _ in range(3)]
                told = await asyncio.wait_for(asyncio.gather(*asked), 10)
            assert told[-1] == await desk.device.act(press) == "the table is being switched off"

    asyncio.run(evening())


@pytest.mark.parametrize(("who", "does"), [(MatchAtTable, "change"), (Referee, "settle")])
def test_nobody_waits_for_a_change_of_matches_when_the_table_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, who: type, does: str
) -> None:
    begun, free = threading.Event(), threading.Event()

    def slow(*_: object) -> None:
        begun.set()
        free.wait(60)

    async def evening() -> None:
        monkeypatch.setattr(who, does, slow)
        async with running(tmp_path) as desk:
            asked = [asyncio.create_task(desk.device.change(MatchChange(backgammon(0)))) for _ in range(2)]
            await desk.until(begun.is_set)
            desk.device.stop()
            threading.Timer(0.2, free.set).start()
            async with asyncio.timeout(60):
                assert [await each for each in asked] == [ENDING, ENDING]

    asyncio.run(evening())


class Stuck(TableWatcher):
    """Cannot be closed."""

    def close(self) -> None:
        raise OSError("stuck")


class Writing(TableWatcher):
    """Has something to write when the table ends."""

    closed = False

    def close(self) -> None:
        self.closed = True


def test_whatever_cannot_be_closed_the_others_are(tmp_path: Path) -> None:
    async def evening() -> None:
        writing = Writing()
        async with running(tmp_path, beside=lambda: [Stuck(), writing]) as desk:
            pass
        assert writing.closed
        assert any("Stuck" in said and "stuck" in said for said in desk.said)

    asyncio.run(evening())


def test_the_device_binds_itself_first_and_rolls_at_once_where_nobody_can_give_words(tmp_path: Path) -> None:
    async def evening() -> None:
        async with running(tmp_path) as desk:
            await desk.rolled()
            events = desk.entries()
            assert [type(event) for event in events[:5]] == [Begin, Commit, Press, Close, Roll]
            assert events[4].t - events[2].t < 0.1
            commit = events[1]
            assert isinstance(commit, Commit)
            assert any(commit.digest in said for said in desk.said)
            secret = (tmp_path / "secrets" / commit.digest).read_bytes()
            rolls = [event for event in events if isinstance(event, Roll)]
            dice = SealedDice(secret, (desk.device.log, "game 1"), 2)
            assert [roll.dice for roll in rolls] == [
                dice.roll(number, 2) for number in range(1, len(rolls) + 1)
            ]

    asyncio.run(evening())


def test_after_the_game_the_secret_is_published_and_the_log_verifies(tmp_path: Path) -> None:
    async def evening() -> None:
        async with running(tmp_path) as desk:
            await desk.rolled()
            desk.buttons.press("white", Button.RESIGN)
            await desk.until(lambda: desk.session.state is State.RESIGNED)
            desk.buttons.press("black", Button.TAKE)
            await desk.until(lambda: isinstance(desk.entries()[-1], Reveal))
            assert desk.device.referee is not None
            log = desk.device.referee.log
            entries = desk.reader.entries(log)
            assert any("roll" in line and "as committed" in line for line in check_log(log, entries))
            assert match_record(entries).games[0].proof is not None

    asyncio.run(evening())


def test_a_restart_stands_where_it_stood_with_the_same_dice_to_come(tmp_path: Path) -> None:
    async def evening() -> None:
        async with running(tmp_path) as desk:
            await desk.rolled()
            before, t = desk.session, desk.clock()
        async with running(tmp_path) as desk:
            assert desk.session == before
            assert desk.clock() >= desk.entries()[-1].t
            assert desk.clock() < t + 60

    asyncio.run(evening())


def test_after_a_restart_the_page_shows_the_state_that_its_acts_are_for(tmp_path: Path) -> None:
    """The page sends the number that it was shown: with another one every act would come too late."""

    async def evening() -> None:
        async with running(tmp_path) as desk:
            await desk.rolled()
        async with running(tmp_path) as desk:
            await desk.until(lambda: desk.hub.number > 0)
            shown = json.loads(desk.hub.text())["number"]
            assert await desk.device.act(Press(t=0, button=Button.PAUSE), shown) is None

    asyncio.run(evening())


def test_a_match_that_has_ended_stays_at_the_table_after_a_restart(tmp_path: Path) -> None:
    async def evening() -> None:
        async with running(tmp_path, lambda t: backgammon(t, length=1)) as desk:
            await desk.rolled()
            desk.buttons.press("white", Button.RESIGN)
            desk.buttons.press("black", Button.TAKE)
            await desk.until(lambda: desk.session.state is State.ENDED)
            log = desk.device.log
        async with running(tmp_path) as desk:
            assert (desk.device.log, desk.session.state) == (log, State.ENDED)
            await desk.until(lambda: desk.hub.number > 0)
            assert json.loads(desk.hub.text())["phase"] == "Black wins the match 1–0"
            await desk.begin_next()
            await desk.until(lambda: desk.device.log != log and desk.session.state is State.OPENING)

    asyncio.run(evening())


def test_dice_asked_for_before_the_power_went_fall_at_the_restart(tmp_path: Path) -> None:
    async def evening() -> None:
        async with running(tmp_path) as desk:
            await desk.rolled()
            assert desk.device.referee is not None
            log, entries = desk.device.referee.log, desk.reader.entries(desk.device.referee.log)
        cut = next(number for number, entry in enumerate(entries) if entry.body["event"] == "roll")
        fallen = entries[cut].body["dice"]
        torn = tmp_path / "torn"
        torn.mkdir()
        (tmp_path / "secrets").rename(torn / "secrets")
        (torn / "table").write_text(log)
        with Journal.open(torn / "journal.db") as journal:
            for entry in entries[:cut]:
                journal.append(log, entry.at, entry.body)
            assert restore(log, journal.entries(log)).state is State.ROLLING
        async with running(torn) as desk:
            await desk.until(lambda: desk.session.state is not State.ROLLING)
            assert [list(event.dice) for event in desk.entries() if isinstance(event, Roll)] == [fallen]

    asyncio.run(evening())


def test_a_lost_camera_is_told_and_the_judgement_waits_for_it(tmp_path: Path) -> None:
    async def evening() -> None:
        async with running(tmp_path) as desk:
            await desk.rolled()
            assert desk.session.position is not None
            side, play = desk.session.position.turn, next(iter(desk.session.position.plays()))
            desk.camera.waiting.put(None)
            await desk.until(lambda: "camera: pulled out" in desk.said)
            desk.buttons.press(side, Button.DONE)
            await desk.show(play.after.looks())
            await desk.until(lambda: desk.session.position == play.after)
            await desk.until(lambda: "camera: works again" in desk.said)

    asyncio.run(evening())


def test_a_lost_strip_is_told_and_the_game_goes_on(tmp_path: Path) -> None:
    async def evening() -> None:
        async with running(tmp_path) as desk:

            def gone(leds: object) -> None:
                raise DeviceLost("strip: gone")

            mock.patch.object(desk.strip, "show", new=gone).start()  # pulls the strip out
            await desk.until(lambda: "strip: gone" in desk.said)
            await desk.rolled()
            await desk.until(lambda: json.loads(desk.hub.text())["refused"] == "strip: gone")

    asyncio.run(evening())


def test_a_journal_that_cannot_be_written_refuses_the_press_and_takes_it_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise JournalError("cannot write: database or disk is full")

    async def evening() -> None:
        status: list[str] = []
        monkeypatch.setattr("firmware.table.device.notify", status.append)
        async with running(tmp_path) as desk:
            before = desk.session
            with monkeypatch.context() as patch:
                patch.setattr(desk.journal, "append", full)
                desk.buttons.press("white", Button.PAUSE)
                await desk.until(lambda: any("full" in said for said in desk.said))
                assert desk.session is before
                assert any(line.startswith("STATUS=") and "disk is full" in line for line in status)
            desk.buttons.press("white", Button.PAUSE)
            await desk.until(lambda: desk.session.state is State.PAUSED)
            await desk.until(lambda: [line for line in status if "STATUS" in line][-1] == "STATUS=all works")

    asyncio.run(evening())


@pytest.mark.parametrize(
    ("broken", "repaired", "says"),
    [("max_page_count=1", "max_page_count=100000", "full"), ("query_only=1", "query_only=0", "readonly")],
)
def test_a_disk_that_sqlite_finds_full_or_read_only_makes_the_game_wait(
    tmp_path: Path, broken: str, repaired: str, says: str
) -> None:
    async def evening() -> None:
        async with running(tmp_path) as desk:
            await desk.rolled()
            desk.journal._connection.execute(f"PRAGMA {broken}")
            refused = None
            while refused is None:  # the last page of the file still takes some entries
                before = desk.session
                refused = await desk.device.act(Press(t=0, button=Button.PAUSE))
            assert says in refused
            assert desk.session is before
            desk.journal._connection.execute(f"PRAGMA {repaired}")
            assert await desk.device.act(Press(t=0, button=Button.PAUSE)) is None
            assert desk.device.referee is not None
            assert (
                restore(desk.device.referee.log, desk.reader.entries(desk.device.referee.log)) == desk.session
            )

    asyncio.run(evening())


def test_a_wall_clock_set_back_by_an_hour_costs_nobody_a_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hours = iter(range(20, 0, -1))
    monkeypatch.setattr(
        "firmware.utc.datetime",
        SimpleNamespace(now=lambda zone: datetime(2026, 1, 31, next(hours), tzinfo=zone)),
    )

    async def evening() -> None:
        async with running(tmp_path) as desk:
            await desk.rolled()
            assert desk.device.referee is not None
            log = desk.device.referee.log
        async with running(tmp_path) as desk:
            assert desk.session == restore(log, desk.reader.entries(log))
            assert desk.clock() < 60
            assert "none altered or missing" in check_log(log, desk.reader.entries(log))[0]
            stamps = [entry.at for entry in desk.reader.entries(log)]
            assert stamps == sorted(stamps, reverse=True)

    asyncio.run(evening())


def test_what_players_ask_by_the_page_is_done_or_refused_with_the_reason(tmp_path: Path) -> None:
    async def evening() -> None:
        async with running(tmp_path) as desk:
            assert await desk.device.act(Press(t=0, button=Button.PAUSE)) is None
            assert desk.session.state is State.PAUSED
            assert await desk.device.act(Press(t=0, button=Button.ROLL, side="white")) == "the game is paused"
            assert desk.entries()[-1].t > 0

    asyncio.run(evening())


def test_a_new_match_begins_with_done_after_the_last_has_ended(tmp_path: Path) -> None:
    async def evening() -> None:
        async with running(tmp_path, lambda t: backgammon(t, length=1)) as desk:
            await desk.rolled()
            assert desk.device.referee is not None
            first = desk.device.referee.log
            desk.buttons.press("white", Button.RESIGN)
            desk.buttons.press("black", Button.TAKE)
            await desk.until(lambda: desk.session.state is State.ENDED)
            await desk.begin_next()
            await desk.until(
                lambda: (
                    desk.device.referee is not None
                    and desk.device.referee.log != first
                    and desk.session.table is not None
                )
            )
            assert desk.session.state is State.OPENING

    asyncio.run(evening())


def test_a_damaged_match_is_named_and_a_new_one_begins(tmp_path: Path) -> None:
    async def evening() -> None:
        async with running(tmp_path) as desk:
            await desk.rolled()
        with sqlite3.connect(tmp_path / "journal.db") as raw:
            raw.execute("DROP TRIGGER events_stay")
            raw.execute("UPDATE events SET body = replace(body, 'roll', 'rool') WHERE number = 2")
        raw.close()
        async with running(tmp_path) as desk:
            await desk.until(lambda: any("entry 2" in said for said in desk.said))
            assert desk.session.state is State.OPENING

    asyncio.run(evening())


def test_the_clock_goes_on_whatever_the_machine_thinks() -> None:
    now = [1000.0]
    clock = TableClock(lambda: now[0])
    clock.go_on_from(77.0)
    now[0] += 5
    assert clock() == 82.0
