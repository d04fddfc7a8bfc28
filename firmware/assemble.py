"""The composition root: the only place that knows both the devices and the page."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from firmware.errors import BadInput
from firmware.hub.membership import Membership
from firmware.lights.strip_job import StripWatcher
from firmware.page.access import Keeper, keeper
from firmware.page.acting import Act
from firmware.page.connection_limit import LimitedSocket
from firmware.page.director_call import DirectorCalls
from firmware.page.publisher import PagePublisher
from firmware.page.review_api import Reviewing
from firmware.page.server import Server
from firmware.page.stream import Feed
from firmware.page.table_page import TablePage
from firmware.page.upkeep import Upkeep
from firmware.record.journal import Journal
from firmware.record.table_key import KeyAway, TableKey
from firmware.recordings.match_recorder import MatchRecorder
from firmware.recordings.recorder import FOLDER
from firmware.settings.config import Config, PageSettings
from firmware.settings.reach import Reach
from firmware.setup.setup_session import SetupSession
from firmware.sounds import BuzzerWatcher
from firmware.table.change import under_way
from firmware.table.coach import Coach
from firmware.table.cube_watcher import CubeWatcher
from firmware.table.device import Device
from firmware.table.devices import Devices, TableClock
from firmware.table.dice_watcher import DiceWatcher
from firmware.table.notary import Notary
from firmware.table.reviewer import MatchReviewer
from firmware.table.throws import Habits
from firmware.table.watcher import TableWatcher
from firmware.updates import Updates
from vision.checkers.board import Checkers

if TYPE_CHECKING:  # its packages are an extra
    from firmware.hub.table_link import TableLink


def match_recorder(config: Config, state: Path, devices: Devices) -> MatchRecorder | None:
    """The recorder as it is configured; None where nothing is recorded."""
    wanted = config.recording
    return MatchRecorder(recordings(config, state), wanted.limit, devices) if wanted.on else None


def recordings(config: Config, state: Path) -> Path:
    """Where recorded matches are kept."""
    return Path(config.recording.folder) if config.recording.folder else state / FOLDER


def dice_watchers(config: Config, devices: Devices, state: Path) -> list[TableWatcher]:
    """Who follows the dice and the cube on the board; nobody where the camera does not read them. ``state``:
    the state directory."""
    match = config.match
    found: list[TableWatcher] = []
    if match.cube == "camera":  # before the dice: who throws after a double that was laid out has it taken
        found.append(CubeWatcher(devices.eyes, state / "cube.json"))
    if match.dice == "camera":
        habits = Habits(strict=match.cocked == "reroll", picking_up=match.done == "dice")
        found.append(DiceWatcher(devices.eyes, habits))
    owned = match.dice != "device" and match.game.board == Checkers.name
    devices.eyes.reads_dice = owned or bool(found)
    return found


def make_device(
    devices: Devices,
    state: Path,
    journal: Journal,
    feed: Feed,
    say: Callable[[str], None],
    clock: TableClock,
    recorder: MatchRecorder | None = None,
    key: TableKey | None = None,
    beside: Sequence[TableWatcher] = (),
) -> Device:
    """The device program with its watchers: the page, the strip where there is one, the recorder, and those
    ``beside``. ``key`` signs its matches."""
    hands_free = any(isinstance(each, DiceWatcher) and each.hands_free for each in beside)
    page = PagePublisher(feed, asyncio.get_running_loop(), devices.strip is not None, hands_free)
    watchers: list[TableWatcher] = []
    if devices.strip is not None:  # before the page: players look at the board
        watchers.append(StripWatcher(devices.strip, lambda: devices.lamps))
    watchers += [page, *beside]
    if recorder is not None:
        watchers.append(recorder)
    if devices.buzzer is not None:
        watchers.append(BuzzerWatcher(devices.buzzer))
    finish = (lambda log: "") if recorder is None else recorder.finish
    sign = None if key is None else lambda house, tell: Notary(house, key, journal.path, finish, tell)
    return Device(devices, state, journal, watchers, say, clock, sign)


def table_key(state: Path, say: Callable[[str], None]) -> TableKey | None:
    """The table's key, made at the first start; None, and said why, where there can be none. Raises KeyAway:
    a disk that does not answer at the start must not leave all that is played until the next one unsigned."""
    try:
        return TableKey.load_or_make(state)
    except KeyAway:
        raise
    except BadInput as error:
        say(f"matches are not signed: {error}")
        return None


def hub_link(
    config: Config, state: Path, journal: Journal, feed: Feed, say: Callable[[str], None]
) -> TableLink | None:
    """What tells the club's hub of this table, as the page's ``feed`` shows it; None where it has joined
    none, or must not tell it."""
    try:
        membership = Membership.load(state) if config.hub.follow else None
        if membership is None:
            return None
        from firmware.hub.table_link import TableLink
    except (BadInput, ModuleNotFoundError) as error:
        say(f"the hub is not told what happens here: {error}")
        return None

    def shows() -> str:
        return feed.text(player=False)

    return TableLink(membership, config.hub.address, state, journal.path, shows, config.begin)


def make_server(
    device: Device,
    config: Config,
    state: Path,
    feed: Feed,
    listening: LimitedSocket,
    act: Act | None = None,
    page: PageSettings | None = None,
    calls: DirectorCalls | None = None,
    reviewer: MatchReviewer | None = None,
) -> tuple[Server, Keeper]:
    """The page of a table, with everything that can be done on it, and who lets people in. ``page`` says how
    it is found and secured; without it, it is plain HTTP for this machine.
    ``calls`` tells the club's director; ``reviewer`` makes reviews when the page asks."""
    eyes, door = device.devices.eyes, keeper(state, time.time)
    door.tell = lambda words: device.report_trouble("PIN", words)
    shown = TablePage(
        feed,
        eyes.drawn,
        door,
        act or device.act,
        state,
        reach=Reach() if page is None else page.reach(),
        closeup=eyes.closeup,
        setup=SetupSession(device, config, state),
        coach=Coach(device),
        calls=calls,
        board=eyes.appearance,
        upkeep=Upkeep(lambda: under_way(device.session), Updates.here()),
        reviewing=Reviewing(reviewer, recordings(config, state)),
        language="" if page is None else page.language,
    )
    return Server(shown, listening, None if page is None else page.tls()), door
