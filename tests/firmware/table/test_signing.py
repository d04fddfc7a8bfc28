"""A table that has a key signs every match that ends at it, and nothing else."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from engine.events import Begin, Button, Correct, Event, Key, Next, Press, Reveal, Roll, Sign
from engine.match_state import State
from engine.session import Session
from firmware.assemble import table_key
from firmware.record.game_faults import Fault
from firmware.record.journal import Journal
from firmware.record.signed import newest
from firmware.record.table_key import KeyAway, TableKey
from firmware.record.verify import check_log
from firmware.table import notary
from firmware.table.change import MatchChange
from tests.firmware.desk import Desk, backgammon, running


@pytest.fixture
def key(tmp_path: Path) -> TableKey:
    return TableKey.load_or_make(tmp_path)


async def resigned(desk: Desk) -> None:
    """A match that ends by a resignation."""
    await desk.rolled()
    await desk.device.act(Press(t=0, button=Button.RESIGN))
    await desk.device.act(Press(t=0, button=Button.TAKE))
    await desk.until(lambda: desk.session.state is State.ENDED)


def one_point(t: float) -> Begin:
    return backgammon(t, length=1)


def fails(log: str) -> str:
    raise OSError(5, "Input/output error")


def kinds(events: list[Event]) -> list[type[Event]]:
    return [type(event) for event in events]


def in_order(state: Path, log: str, key: TableKey) -> str:
    with Journal.open(state / "journal.db") as journal:
        return " ".join(check_log(log, journal.entries(log), {key.public: "our table"}))


def test_the_key_is_named_first_and_the_end_is_signed(tmp_path: Path, key: TableKey) -> None:
    async def evening() -> str:
        async with running(tmp_path, one_point, key=key) as desk:
            await resigned(desk)
            await desk.until(lambda: kinds(desk.entries())[-1] is Sign)
            assert kinds(desk.entries())[:2] == [Begin, Key]
            assert kinds(desk.entries())[-2:] == [Reveal, Sign]
            return desk.device.log

    log = asyncio.run(evening())
    assert "signed by our table" in in_order(tmp_path, log, key)


def test_a_match_that_goes_on_after_its_signature_is_signed_again(tmp_path: Path, key: TableKey) -> None:
    def two_points(t: float) -> Begin:
        return backgammon(t, length=2)

    async def evening() -> str:
        async with running(tmp_path, two_points, key=key) as desk:
            await desk.device.act(Correct(t=0, score=(1, 1)))
            await resigned(desk)
            await desk.until(lambda: kinds(desk.entries())[-1] is Sign)
            assert await desk.device.act(Correct(t=0, score=(1, 1))) is None
            log = desk.device.log
            with pytest.raises(Fault, match="1 entry followed that no signature covers"):
                check_log(log, desk.reader.entries(log), {key.public: ""})
            assert await desk.device.act(Next(t=0)) is None
            await resigned(desk)
            await desk.until(lambda: kinds(desk.entries())[-1] is Sign)
            assert kinds(desk.entries()).count(Sign) == 2
            return log

    log = asyncio.run(evening())
    assert "signed by our table" in in_order(tmp_path, log, key)


def test_what_a_power_cut_left_unsigned_is_signed_at_the_next_start(
    tmp_path: Path, key: TableKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def evening() -> str:
        async with running(tmp_path, one_point, key=key) as desk:
            assert desk.device._notary is not None
            monkeypatch.setattr(desk.device._notary, "_sign", lambda session, t: None)
            await resigned(desk)
            await desk.until(lambda: kinds(desk.entries())[-1] is Reveal)
            log = desk.device.log
            with pytest.raises(Fault, match=r"the match is finished, but its signature by key .* is missing"):
                check_log(log, desk.reader.entries(log))
            return log

    async def next_day() -> None:
        async with running(tmp_path, one_point, key=key) as desk:
            await desk.until(lambda: kinds(desk.entries())[-1] is Sign)

    log = asyncio.run(evening())
    asyncio.run(next_day())
    assert "signed by our table" in in_order(tmp_path, log, key)


def test_who_leaves_at_once_waits_for_the_signature(tmp_path: Path, key: TableKey) -> None:
    async def evening() -> str:
        async with running(tmp_path, one_point, key=key) as desk:
            await resigned(desk)
            log = desk.device.log
            assert await desk.device.change(MatchChange(one_point(0))) is None
            assert desk.device.log != log
            return log

    log = asyncio.run(evening())
    assert "signed by our table" in in_order(tmp_path, log, key)


def test_a_match_that_ended_before_there_was_a_key_stays_unsigned(tmp_path: Path) -> None:
    async def evening() -> str:
        async with running(tmp_path, one_point) as desk:
            await resigned(desk)
            return desk.device.log

    async def next_day(key: TableKey) -> None:
        async with running(tmp_path, one_point, key=key) as desk:
            assert await desk.device.change(MatchChange(one_point(0))) is None

    log = asyncio.run(evening())
    asyncio.run(next_day(TableKey.load_or_make(tmp_path)))
    with Journal.open(tmp_path / "journal.db") as journal:
        assert newest(log, journal.entries(log)) is None
        assert "signed" not in " ".join(check_log(log, journal.entries(log)))
        with pytest.raises(Fault, match="it is not signed"):
            check_log(log, journal.entries(log), {"ab" * 32: ""})


def test_a_match_begun_without_a_key_is_kept_under_it_from_the_next_start_on(tmp_path: Path) -> None:
    async def evening() -> str:
        async with running(tmp_path, one_point) as desk:
            await desk.rolled()
            return desk.device.log

    async def next_day(key: TableKey) -> None:
        async with running(tmp_path, one_point, key=key) as desk:
            await resigned(desk)
            await desk.until(lambda: kinds(desk.entries())[-1] is Sign)

    log, key = asyncio.run(evening()), TableKey.load_or_make(tmp_path)
    asyncio.run(next_day(key))
    assert "signed by our table" in in_order(tmp_path, log, key)


def test_a_match_that_cannot_be_signed_is_told_and_goes_on(
    tmp_path: Path, key: TableKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def evening() -> None:
        async with running(tmp_path, one_point, key=key) as desk:
            assert desk.device._notary is not None
            monkeypatch.setattr(desk.device._notary, "_signature", fails)
            await resigned(desk)
            await desk.until(lambda: any("cannot be signed" in words for words in desk.said))
            assert await desk.device.change(MatchChange(one_point(0))) is None

    asyncio.run(evening())


@pytest.mark.parametrize("leaving", [False, True])
def test_a_disk_that_did_not_answer_once_leaves_no_match_unsigned(
    tmp_path: Path, key: TableKey, monkeypatch: pytest.MonkeyPatch, leaving: bool
) -> None:
    monkeypatch.setattr(notary, "PAUSE", 1e6 if leaving else 0.0)

    async def evening() -> str:
        async with running(tmp_path, one_point, key=key) as desk:
            assert desk.device._notary is not None
            with monkeypatch.context() as away:
                away.setattr(desk.device._notary, "_signature", fails)
                await resigned(desk)
                await desk.until(lambda: any("cannot be signed" in words for words in desk.said))
            log = desk.device.log
            if leaving:
                assert await desk.device.change(MatchChange(one_point(0))) is None
            else:
                await desk.until(lambda: kinds(desk.entries())[-1] is Sign)
                await desk.until(lambda: not desk.device._troubles.words)
            return log

    log = asyncio.run(evening())
    assert "signed by our table" in in_order(tmp_path, log, key)


@pytest.mark.parametrize(
    ("error", "starts"), [(OSError(5, "Input/output error"), False), (PermissionError(13, "no"), True)]
)
def test_a_key_that_the_disk_does_not_give_ends_the_start_and_one_that_is_closed_to_this_user_does_not(
    tmp_path: Path, key: TableKey, monkeypatch: pytest.MonkeyPatch, error: OSError, starts: bool
) -> None:
    def refused(path: Path) -> bytes:
        raise error

    monkeypatch.setattr(Path, "read_bytes", refused)
    said: list[str] = []
    if starts:
        assert table_key(tmp_path, said.append) is None
        assert "matches are not signed: cannot read the table's key" in said[0]
    else:
        with pytest.raises(KeyAway, match="cannot read the table's key"):
            table_key(tmp_path, said.append)
    assert (tmp_path / "key.pem").exists()


def test_a_match_whose_pictures_cannot_be_read_is_signed_without_them(
    tmp_path: Path, key: TableKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def evening() -> str:
        async with running(tmp_path, one_point, key=key) as desk:
            assert desk.device._notary is not None
            monkeypatch.setattr(desk.device._notary, "_recording", fails)
            await resigned(desk)
            await desk.until(lambda: kinds(desk.entries())[-1] is Sign)
            await desk.until(lambda: any("signed without its pictures" in words for words in desk.said))
            return desk.device.log

    log = asyncio.run(evening())
    assert "signed by our table" in in_order(tmp_path, log, key)


def test_no_signature_without_a_key_that_was_named() -> None:
    sitting, unnamed = Session(), Sign(t=9, record="ab", signature="cd")
    for event in (
        one_point(0),
        Roll(t=1, dice=(3, 1), side="white"),
        Press(t=2, button=Button.RESIGN, side="white"),
        Press(t=3, button=Button.TAKE, side="black"),
    ):
        assert sitting.refusal(unnamed)
        sitting, _ = sitting.handle(event)
    assert sitting.refusal(unnamed) == "no key was named that could have signed this match"
    named, _ = sitting.handle(Key(t=8, key="ef"))
    signed, _ = named.handle(unnamed)
    assert signed.refusal(unnamed) == "the match is signed already"
