"""The pictures of a match are signed with it, as they are when it ends."""

from __future__ import annotations

import asyncio
import json
import os
import random
from pathlib import Path

import pytest

from engine.events import Button, Correct, Next, Press, Sign
from engine.match_state import State
from firmware.assemble import make_device
from firmware.page.stream import Feed
from firmware.record.journal import Journal
from firmware.record.signed import found_in
from firmware.record.table_key import TableKey
from firmware.recordings.match_recorder import MatchRecorder
from firmware.recordings.proof import ChangedRecording, check_recording, recording_digest
from firmware.recordings.reel import REEL
from firmware.settings.config import parse
from firmware.simulated.painted import PaintedEyes
from firmware.simulated.tabletop import Tabletop
from firmware.table.device import Device
from firmware.table.devices import Devices, TableClock


async def one_turn(top: Tabletop, source: random.Random) -> None:
    while top.session.state in (State.OPENING, State.ROLL):
        await top.do("dice " + " ".join(map(str, source.sample(range(1, 7), 2))))
    position = top.session.position
    assert position is not None
    await top.do(f"play {source.choice(position.plays()).text}")
    await top.do("done")


async def resign(device: Device) -> None:
    assert await device.act(Press(t=0, button=Button.RESIGN)) is None
    assert await device.act(Press(t=0, button=Button.TAKE)) is None
    assert device.session.state is State.ENDED


async def signatures(device: Device, state: Path, number: int) -> list[str]:
    """The recordings' digests that were signed, once there are so many."""
    async with asyncio.timeout(30):
        while True:
            with Journal.open(state / "journal.db") as journal:
                entries = journal.entries(device.log)
            if isinstance(entries[-1].body, dict) and entries[-1].body["event"] == Sign.name:
                found = found_in(device.log, entries)
                if len(found) == number:
                    return [each.recording for each in found]
            await asyncio.sleep(0.05)


async def evening(state: Path) -> tuple[Path, list[str]]:
    """A match to 2 that ends, is found to stand at 1-1, and ends again after another turn; its recording, and
    both digests of it."""
    config = parse('[match]\nrules = "backgammon"\nlength = 2\n')
    eyes, source = PaintedEyes(config.match.game), random.Random(1)
    with Journal.open(state / "journal.db") as kept:
        devices = Devices(config.begin, eyes)
        recorder = MatchRecorder(state / "recordings", 10**9, devices)
        key = TableKey.load_or_make(state)
        device = make_device(devices, state, kept, Feed(), lambda words: None, TableClock(), recorder, key)
        top = Tabletop(device, eyes)
        task = asyncio.create_task(device.run())
        while not device.ready and not task.done():
            await asyncio.sleep(0.01)
        top.tidy()
        try:
            assert await device.act(Correct(t=0, score=(1, 1))) is None
            await one_turn(top, source)
            await resign(device)
            folder = state / "recordings" / device.log
            first = await signatures(device, state, 1)
            assert recording_digest(folder) == first[0]
            check_recording(folder, first[0])
            assert await device.act(Correct(t=0, score=(1, 1))) is None
            assert await device.act(Next(t=0)) is None
            top.tidy()
            await one_turn(top, source)
            await resign(device)
            return folder, await signatures(device, state, 2)
        finally:
            device.stop()
            await task


async def next_day(state: Path) -> None:
    """The table comes up with the match that has ended, and its camera sees the board."""
    config = parse('[match]\nrules = "backgammon"\nlength = 2\n')
    eyes = PaintedEyes(config.match.game)
    with Journal.open(state / "journal.db") as kept:
        devices = Devices(config.begin, eyes)
        recorder = MatchRecorder(state / "recordings", 10**9, devices)
        device = make_device(devices, state, kept, Feed(), lambda words: None, TableClock(), recorder)
        task = asyncio.create_task(device.run())
        while not device.ready and not task.done():
            await asyncio.sleep(0.01)
        try:
            assert device.session.state is State.ENDED
            device.submit(eyes.picture(device.now()))
            assert await device.act(Press(t=0, button=Button.ROLL)) is not None
        finally:
            device.stop()
            await task


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    return asyncio.run(evening(tmp_path_factory.mktemp("table")))


def test_a_recording_is_closed_when_its_match_is_signed_and_opened_where_that_goes_on(
    kept: tuple[Path, list[str]],
) -> None:
    folder, (first, last) = kept
    assert first != last
    assert recording_digest(folder) == last
    told = check_recording(folder, last)
    assert int(told.split()[0]) == len(list(folder.glob("*.jpg"))) >= 2
    with pytest.raises(ChangedRecording, match="altered after the match was signed"):
        check_recording(folder, first)


def test_a_recording_stays_closed_where_the_table_comes_up_with_its_match(
    kept: tuple[Path, list[str]],
) -> None:
    folder, (_, digest) = kept
    asyncio.run(next_day(folder.parent.parent))
    check_recording(folder, digest)


def test_every_file_that_a_reel_names_is_signed(kept: tuple[Path, list[str]]) -> None:
    folder, (_, digest) = kept
    reel = json.loads((folder / REEL).read_text())
    named = [reel["rig"], *(each["frame"] for each in reel["timeline"] if "frame" in each)]
    for name in named:
        path = folder / name
        data = path.read_bytes()
        for altered in (data[:-1], data + b" ", data[:40] + b"\0" + data[41:]):
            if altered != data:
                path.write_bytes(altered)
                with pytest.raises(ChangedRecording, match=f"{name}: altered"):
                    check_recording(folder, digest)
        path.unlink()
        with pytest.raises(ChangedRecording, match=f"{name}: No such file"):
            check_recording(folder, digest)
        path.write_bytes(data)
    check_recording(folder, digest)


@pytest.mark.parametrize("timeline", [5, [5], {"frame": "000000.jpg"}])
def test_a_signed_reel_of_another_form_is_refused(tmp_path: Path, timeline: object) -> None:
    (tmp_path / REEL).write_text(json.dumps({"timeline": timeline}))
    with pytest.raises(ChangedRecording, match="it has no timeline"):
        check_recording(tmp_path, recording_digest(tmp_path))


@pytest.mark.parametrize(("name", "said"), [("0\0.jpg", "null byte"), ("0.jpg", "longer than 64 MB")])
def test_a_signed_reel_with_a_picture_that_is_none_is_refused(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "0.jpg").touch()
    os.truncate(tmp_path / "0.jpg", 80_000_000)
    (tmp_path / REEL).write_text(json.dumps({"timeline": [{"frame": name}]}))
    with pytest.raises(ChangedRecording, match=said):
        check_recording(tmp_path, recording_digest(tmp_path))
