"""One act, one fault or two thumbs at once cannot stop the table, nor end a game for good."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from engine.events import Button, Correct, Next, Press
from engine.match_state import State
from firmware.page import publisher
from firmware.table import match_at_table as program
from firmware.table.news import News
from firmware.table.next_game import APART, CALM
from firmware.table.referee import STALE
from tests.firmware.desk import Desk, backgammon, running


async def ended(desk: Desk) -> None:
    """A game that white has resigned."""
    await desk.rolled()
    desk.buttons.press("white", Button.RESIGN)
    await desk.until(lambda: desk.session.state is State.RESIGNED)
    desk.buttons.press("black", Button.TAKE)
    await desk.until(lambda: desk.session.state in (State.OVER, State.ENDED))


@pytest.mark.parametrize(
    "event",
    [
        Correct(t=0, cube=2**14284),
        Correct(t=0, score=(10**5000, 0)),
        Correct(t=0, position={"foo": float("inf")}),
    ],
)
def test_one_act_stops_no_table(tmp_path: Path, event: Correct) -> None:
    async def evening() -> None:
        async with running(tmp_path) as desk:
            before, count = desk.session, len(desk.entries())
            assert await desk.device.act(event) is not None
            assert desk.session is before
            assert len(desk.entries()) == count
            assert await desk.device.act(Press(t=0, button=Button.PAUSE)) is None
        async with running(tmp_path) as desk:
            assert desk.session.state is State.PAUSED

    asyncio.run(evening())


def test_what_cannot_be_shown_is_not_written_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> Any:
        raise RuntimeError("no such picture")

    async def evening() -> None:
        async with running(tmp_path) as desk:
            count = len(desk.entries())
            with monkeypatch.context() as patch:
                patch.setattr(publisher, "page_state", fails)
                refused = await desk.device.act(Press(t=0, button=Button.PAUSE))
            assert refused is not None
            assert "no such picture" in refused
            assert len(desk.entries()) == count
            assert await desk.device.act(Press(t=0, button=Button.PAUSE)) is None

    asyncio.run(evening())


def test_what_a_page_could_not_be_told_is_not_written_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def floats(state: Any, where: str = "") -> set[str]:
        if isinstance(state, dict):
            return {each for key, part in state.items() for each in floats(part, where or key)}
        if isinstance(state, list):
            return {each for part in state for each in floats(part, where)}
        return {where} if isinstance(state, float) else set()

    async def evening() -> None:
        async with running(tmp_path) as desk:
            await desk.rolled()
            assert floats(json.loads(desk.hub.text())) - {"age"} == {"clock"}  # the stream adds its age
            count, made = len(desk.entries()), publisher.page_state
            with monkeypatch.context() as patch:
                patch.setattr(publisher, "page_state", lambda *all: made(*all) | {"clock": float("nan")})
                refused = await desk.device.act(Press(t=0, button=Button.PAUSE))
            assert "nothing was done" in str(refused)
            assert len(desk.entries()) == count

    asyncio.run(evening())


def test_a_match_that_cannot_be_shown_is_told_and_laid_by(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> Any:
        raise ValueError("too many digits")

    async def evening() -> None:
        async with running(tmp_path) as desk:
            await desk.rolled()
            bad = desk.device.log
        with monkeypatch.context() as patch:
            patch.setattr(program, "view", fails)
            async with running(tmp_path) as desk:
                await desk.until(lambda: "cannot be shown" in desk.hub.text())
                phase = json.loads(desk.hub.text())["phase"]
                assert bad in phase
                assert "Set up" in phase
                assert await desk.device.act(Press(t=0, button=Button.PAUSE)) == "no match has begun"
                assert await desk.device.change(program.MatchChange(backgammon(0))) is None
                assert desk.device.open_matches.unfinished() == [bad]
                assert desk.device.open_matches.current() != bad
                refused = await desk.device.change(program.MatchChange(log=bad, leave=True))
                assert "cannot be shown" in str(refused)
        async with running(tmp_path) as desk:
            assert await desk.device.change(program.MatchChange(log=bad, leave=True)) is None
            assert desk.session.state is State.PLAY or desk.session.state is State.PAUSED

    asyncio.run(evening())


def test_two_done_at_once_do_not_begin_the_next_game(tmp_path: Path) -> None:
    async def evening() -> None:
        async with running(tmp_path, lambda t: backgammon(t, length=5)) as desk:
            await ended(desk)
            assert desk.session.position is not None
            await desk.show(desk.session.position.looks())
            for side in ("white", "black", "white"):
                desk.buttons.press(side, Button.DONE)
            refused = await desk.device.act(Press(t=0, button=Button.DONE))
            assert refused is not None
            assert "press done again" in refused
            assert desk.session.state is State.OVER
            await asyncio.sleep(1.1 * APART)
            assert await desk.device.act(Press(t=0, button=Button.DONE)) is None
            assert desk.session.state is State.OPENING

    asyncio.run(evening())


def test_two_done_at_once_do_not_begin_another_match(tmp_path: Path) -> None:
    async def evening() -> None:
        async with running(tmp_path, lambda t: backgammon(t, length=1)) as desk:
            await ended(desk)
            first = desk.device.log
            for button in (Button.DONE, Button.ROLL, Button.DONE):
                assert "press done again" in str(await desk.device.act(Press(t=0, button=button)))
            assert desk.device.log == first

    asyncio.run(evening())


def test_an_act_for_what_the_table_was_is_refused(tmp_path: Path) -> None:
    async def evening() -> None:
        async with running(tmp_path, lambda t: backgammon(t, length=5)) as desk:
            await desk.rolled()
            await desk.until(lambda: '"dice":[' in desk.hub.text(True))
            assert desk.device.referee is not None
            seen = desk.device.referee.number
            await desk.until(lambda: json.loads(desk.hub.text(True))["number"] == seen)
            pause = Press(t=0, button=Button.PAUSE)
            both = await asyncio.gather(desk.device.act(pause, seen), desk.device.act(pause, seen))
            assert sorted(both, key=str) == [None, STALE]
            assert desk.session.state is State.PAUSED

    asyncio.run(evening())


def test_the_button_for_the_next_game_does_not_count_at_once(tmp_path: Path) -> None:
    async def evening() -> None:
        async with running(tmp_path, lambda t: backgammon(t, length=5)) as desk:
            await ended(desk)
            assert desk.device.referee is not None
            seen = desk.device.referee.number
            assert "only just ended" in str(await desk.device.act(Next(t=0), seen))
            await asyncio.sleep(1.1 * CALM)
            assert await desk.device.act(Next(t=0), seen) is None
            assert desk.session.state is State.OPENING

    asyncio.run(evening())


def test_a_fault_in_what_follows_the_table_or_in_a_part_of_it_is_told_and_survived(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> Any:
        raise ZeroDivisionError("oh")

    async def evening() -> None:
        async with running(tmp_path) as desk:
            with monkeypatch.context() as patch:
                patch.setattr(desk.buttons, "check", fails, raising=False)
                patch.setattr(desk.strip, "show", fails)
                await desk.until(lambda: any("strip: ZeroDivisionError" in said for said in desk.said))
                await desk.until(lambda: any("buttons: ZeroDivisionError" in said for said in desk.said))
                patch.setattr(desk.device.devices, "in_game", fails)
                refused = await desk.device.act(Press(t=0, button=Button.ROLL, side="white"))
                assert "a fault in the program" in str(refused)
                assert desk.device.referee is not None
                patch.setattr(desk.device.referee, "take", fails)
                refused = await desk.device.act(Press(t=0, button=Button.PAUSE))
                assert "a fault in the program" in str(refused)

                def watch(news: News) -> None:
                    raise KeyError("watcher")

                patch.setattr(desk.device.referee, "_watchers", (watch, *desk.device.referee._watchers))
            await desk.rolled()
            assert desk.session.state is State.PLAY

    asyncio.run(evening())


def test_whatever_a_picture_raises_is_told_and_the_camera_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> Any:
        raise IndexError("out of the picture")

    async def evening() -> None:
        async with running(tmp_path) as desk:
            await desk.rolled()
            position = desk.session.position
            assert position is not None
            with monkeypatch.context() as patch:
                patch.setattr(desk.eyes, "push", fails)
                desk.eyes.known["odd"] = position.looks()
                desk.camera.waiting.put(program_frame(desk, "odd"))
                await desk.until(lambda: any("IndexError: out of the picture" in said for said in desk.said))
            await desk.show(position.looks())
            await desk.until(lambda: "camera: works again" in desk.said)

    asyncio.run(evening())


def program_frame(desk: Desk, name: str) -> Any:
    """A picture of that name."""
    import numpy as np

    from hardware.protocols import Frame

    return Frame(desk.clock(), name, np.zeros((1, 1, 3), np.uint8))
