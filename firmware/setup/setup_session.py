"""What whoever sets the table up does with it, and has done so far.

Everything happens in the event loop, except for long jobs and reading pictures, which have their own threads.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from engine import rules as games
from engine.layout import Looks
from engine.match_state import State
from engine.messages import phrase
from engine.position import Json
from firmware.errors import BadInput
from firmware.guided.guided_trial import PARTS, GuidedTrial
from firmware.guided.header import picture
from firmware.jpeg import encode_jpeg, fit_width
from firmware.settings import lamp_settings
from firmware.settings.config import Config
from firmware.setup import learning, maps
from firmware.setup.games import read_agreement, start_position
from firmware.setup.learning import LearnedBoard
from firmware.setup.lease import Lease
from firmware.setup.long_job import LongJob
from firmware.table import drivers
from firmware.table.change import MatchChange, under_way
from firmware.table.device import Device
from firmware.table.trial import Trial
from hardware.protocols import Focusing
from vision import boards
from vision.geometry.camera import Corner
from vision.picture.frame import Frame, Image
from vision.reading import BoardReader, Reading

WIDE = 1280
"""Most pixels of the live picture's width: phones have no more."""


class SetupSession:
    """The setting up of one table."""

    def __init__(self, device: Device, config: Config, state: Path) -> None:
        self._device = device
        self._config = config
        self._state = state
        self.lease = Lease(time.monotonic, self._end)
        self._opened: tuple[object, BoardReader] | None = None
        self._bare: Image | None = None
        self.work: LongJob | None = None
        self._changing = asyncio.Lock()
        """Held while what was learned is exchanged or kept, and while the lamps are: what is kept is what was
        asked for before."""

    def _end(self) -> None:
        """Whoever set up has left, or gone away: so does what was being tried."""
        self._device.trial = None
        self._bare = None
        self.stop()

    # -- what there is

    def state(self, token: str) -> Json:
        """Everything that changes while somebody sets up."""
        devices, eyes = self._device.devices, self._device.devices.eyes
        mine = self.lease.renew(token)
        still, trial, strip = eyes.still(), self._device.trial, devices.strip
        if mine and trial is not None:
            trial.watched()
        down = devices.buttons.down() if devices.buttons is not None and trial is not None else ()
        return {
            "mine": mine,
            "taken": self.lease.holder() is not None,
            "picture": None if still is None else [still.shape[1], still.shape[0]],
            "camera": devices.camera is not None or self._simulated,
            "simulated": self._simulated,
            "reads": eyes.board or None,
            "bare": self._bare is not None,
            "lens": devices.camera.lens if isinstance(devices.camera, Focusing) else None,
            "work": self._working(),
            "match": self._match(),
            "trial": trial is not None,
            "guide": None if trial is None else self._guide(trial, down),
            "buttons": (trial or Trial(devices.wires)).buttons(down, self._device.faults),
            "lamps": None if strip is None else {"count": strip.count, **devices.lamps.to_json()},
        }

    @property
    def _simulated(self) -> bool:
        return self._device.devices.eyes.simulated

    def calibrations(self) -> Json:
        """How the camera knows each kind of board: ``known``, when it was calibrated, in seconds since 1970
        (null: never); ``learned``, what it has learned from play since, the newest last: ``{"at", "why"}``;
        ``before``, the version that one can go back to (null: none). Reads the disk."""
        found: Json = {"known": {}, "learned": {}, "before": {}}
        for board in boards.BOARDS:
            path = drivers.rig_path(self._config, self._state, board)
            versions = boards.versions(path) if boards.kind_in(path) == board else []
            last = max((n for n, each in enumerate(versions) if each.why == boards.CALIBRATED), default=0)
            found["known"][board] = _calibrated_at(path, versions[last]) if versions else None
            found["learned"][board] = [asdict(version) for version in versions[last + 1 :]]
            found["before"][board] = asdict(versions[-2]) if versions[1:] else None
        return found

    async def go_back(self, game: str) -> None:
        """Goes back to how the camera knew the board before it last learned from play, or was calibrated.
        Raises BadInput, EngineError or VisionError."""
        board = games.get(game).board
        path = drivers.rig_path(self._config, self._state, board)
        try:
            await asyncio.to_thread(self._take_over, lambda: boards.go_back(path).table, board)
        except OSError as error:
            raise BadInput(
                phrase("the calibration cannot be written: {reason}", reason=error.strerror or error)
            ) from error

    def _take_over(self, write: Callable[[], BoardReader], board: str) -> None:
        """Writes a calibration, and reads the table with it where it is of such a board. What is learned from
        play meanwhile comes before both or after both: it must not take the place of a calibration that it
        was not learned from. Raises as ``write``."""
        with self._device.devices.eyes.changing:
            reader, table = write(), self._device.session.table
            if table is None or table.rules.board == board:
                self._device.learn(reader, board)

    def usual(self) -> Json:
        """What fills the form: the last agreement, else the configuration."""
        table = self._device.session.table
        begin = table.begin if table is not None else self._config.begin(0.0)
        hidden = ("event", "t", "position")
        return {name: value for name, value in begin.to_json().items() if name not in hidden}

    def open_matches(self) -> list[str]:
        """The open matches, which can be continued."""
        return [log for log in self._device.open_matches.unfinished() if log != self._device.log]

    def _match(self) -> Json | None:
        session = self._device.session
        table = session.table
        if table is None:
            return None
        return {
            "title": table.rules.title,
            "players": [table.begin.players.get(side, side) for side in table.rules.sides],
            "score": list(table.match.score),
            "begun": under_way(session),
            "ended": table.state is State.ENDED,
            "waiting": session.waiting,
        }

    def _working(self) -> Json | None:
        work = self.work
        if work is None:
            return None
        found = work.result.to_json() if isinstance(work.result, LearnedBoard) else work.result
        return work.to_json() | {"result": found if work.over and work.refused is None else None}

    # -- the camera

    def view(self) -> tuple[bytes, tuple[int, int]] | None:
        """The newest picture as a small JPEG, and its true size (width, height); None before the first."""
        image = self._device.devices.eyes.still()
        if image is None:
            return None
        height, width = image.shape[:2]
        return encode_jpeg(fit_width(image, WIDE)), (width, height)

    def refocus(self) -> None:
        """Focuses the camera before its next picture. Raises BadInput where its lens has no motor."""
        camera = self._device.devices.camera
        if not isinstance(camera, Focusing) or camera.lens is None:
            raise BadInput(phrase("this camera's lens has no motor; turn it by hand, if it can be turned"))
        camera.refocus()

    def find(self, game: str, geometry: Mapping[str, Any]) -> None:
        """Looks for the corners. Raises BadInput or EngineError."""
        board, image = games.get(game).board, self._still()
        self._begin(LongJob("find", lambda tell: learning.find(image, board, geometry, tell)))

    def learn(self, game: str, corners: Sequence[Corner], geometry: Mapping[str, Any]) -> None:
        """Learns the board in the newest picture. Raises BadInput or EngineError."""
        rules, image, bare = games.get(game), self._still(), self._bare
        self._begin(
            LongJob(
                "learn",
                lambda tell: learning.learn(image, rules.board, rules.name, corners, geometry, tell, bare),
            )
        )

    def bare(self, on: bool) -> None:
        """Remembers the newest picture as that of the empty board, or forgets it. Raises BadInput."""
        self._bare = self._still() if on else None

    def stop(self) -> None:
        """Stops the job."""
        if self.work is not None:
            self.work.stop()
            self.work = None

    @property
    def learned(self) -> LearnedBoard | None:
        """What was learned and is not kept yet."""
        return (
            self.work.result if self.work is not None and isinstance(self.work.result, LearnedBoard) else None
        )

    async def exchange(self) -> None:
        """Exchanges the sides. Raises BadInput or CalibrationError."""
        async with self._changing:
            work, learned = self.work, self.learned
            if work is None or learned is None:
                raise BadInput(phrase("nothing was learned; calibrate first"))
            work.result = await asyncio.to_thread(learning.exchanged, learned)

    async def keep(self) -> None:
        """Keeps what was learned, and reads the table with it. Raises BadInput."""
        async with self._changing:
            await self._keep()

    async def _keep(self) -> None:
        learned = self.learned
        if learned is None:
            raise BadInput(phrase("nothing was learned; calibrate first"))
        path = drivers.rig_path(self._config, self._state, learned.board)

        def write() -> BoardReader:
            learning.keep(learned.table, learned.board, learned.rules, path)
            drivers.keep_lens(self._state, self._device.devices.camera)
            return learned.table

        try:
            await asyncio.to_thread(self._take_over, write, learned.board)
        except OSError as error:
            words = phrase(
                "the calibration cannot be written: {reason}; the old one stays",
                reason=error.strerror or error,
            )
            raise BadInput(words) from error
        self.stop()

    def arrange(self, game: str, what: str, geometry: Mapping[str, Any]) -> None:
        """Sets up a simulated table: the sample, nothing, or the game. Raises BadInput for a real one."""
        rules = games.get(game)
        start = start_position(rules, {})
        looks: Looks = boards.get(rules.board).set_out if what != "start" or start is None else start.looks()
        if what == "empty":
            looks = dict.fromkeys(looks, ())
        if under_way(self._device.session):
            raise BadInput(phrase("a match is being played on this board; leave it first"))
        boards.get(rules.board).outlines(geometry)  # refuses measures that make no sense
        if not self._device.devices.eyes.arrange(looks, rules.board, geometry):
            raise BadInput(phrase("this is a real table: set it up by hand"))

    def differs(self, game: str, options: Mapping[str, Any]) -> Json:
        """Where the board differs from the game's start, and how many places cannot be seen. Reads a picture.
        Raises BadInput, EngineError or VisionError."""
        rules = games.get(game)
        start = rules.start({**rules.options, **options}).looks()
        reading = self._read(rules.board)
        if reading is None:
            return {"seen": False, "differs": [], "hidden": 0}
        wrong = [
            cell
            for cell, look in reading.looks.items()
            if cell in start and tuple(sorted(look)) != tuple(sorted(start[cell]))
        ]
        return {"seen": True, "differs": wrong, "hidden": len(reading.occluded)}

    def read_map(self, game: str) -> Json:
        """The players' map, read from the newest picture. Raises BadInput, EngineError or VisionError."""
        rules = maps.map_rules(game)
        reading = self._read(rules.board)
        if reading is None:
            raise BadInput(phrase("the camera does not know this board yet; calibrate first"))
        if reading.hand:
            raise BadInput(phrase("something is over the map; take your hands away and read it again"))
        return maps.describe_map(rules, reading.looks)

    def _read(self, board: str) -> Reading | None:
        """The newest picture, read as a board of this kind; None without a calibration or a picture."""
        eyes = self._device.devices.eyes
        if eyes.board == board:
            return eyes.glance()
        path = drivers.rig_path(self._config, self._state, board)
        image = eyes.still()
        if image is None or not path.exists():
            return None
        mark = path, path.stat().st_mtime_ns
        if self._opened is None or self._opened[0] != mark:
            table = drivers.load_rig(self._config, self._state, board)
            assert table is not None  # the file is there
            self._opened = mark, table
        return self._opened[1].read(Frame(image))

    def _still(self) -> Image:
        image = self._device.devices.eyes.still()
        if image is None:
            raise BadInput(phrase("the camera gives no picture yet; check its cable, or 'barpoint doctor'"))
        return image

    def _begin(self, work: LongJob) -> None:
        if self.work is not None and not self.work.over:
            raise BadInput(phrase("the last job is still running; stop it first"))
        self.work = work
        work.start()

    # -- buttons and lamps

    def try_out(self, on: bool) -> None:
        """Begins or ends a trial of buttons and lamps. Raises BadInput while a game goes on."""
        state = self._device.session.state
        if on and under_way(self._device.session) and state not in (State.PAUSED, State.OVER):
            raise BadInput(phrase("a game is being played; pause it first"))
        if not on or self._device.trial is None:
            self._device.trial = Trial(self._device.devices.wires) if on else None

    def light(self, leds: Sequence[int]) -> None:
        """Lets these LEDs shine, in a trial. Raises BadInput."""
        if self._device.trial is None:
            raise BadInput(phrase("nothing is being tried out"))
        self._device.trial.light(leds)

    def guide(self, part: object) -> None:
        """Asks for one thing of a part after another, in a trial; None ends that. Raises BadInput."""
        trial, devices = self._device.trial, self._device.devices
        if trial is None:
            raise BadInput(phrase("nothing is being tried out"))
        if part is not None and part not in PARTS:
            raise BadInput(f"part must be one of {', '.join(PARTS)}, or null")
        count = 0 if devices.strip is None else devices.strip.count
        trial.guided = (
            None
            if part is None
            else GuidedTrial(str(part), devices.wires, devices.lamps.map, count, time.monotonic)
        )

    def answer(self, said: object) -> None:
        """What somebody says to the guide; None goes on without an answer. Raises BadInput."""
        trial = self._device.trial
        if trial is None or trial.guided is None:
            raise BadInput(phrase("nothing was asked"))
        trial.guided.answer(said)

    def _guide(self, trial: Trial, down: Sequence[str]) -> Json | None:
        if trial.guided is None:
            return None
        trial.guided.look(down, self._device.faults, self._device.devices.eyes.still())
        return trial.guided.to_json()

    def wiring(self, gpio: int | None) -> str:
        """The header as this table is wired, as SVG; ``gpio`` is pointed at."""
        return picture(self._config, gpio)

    async def set_lamps(self, data: object) -> None:
        """Keeps brightness and map of the strip. Raises BadInput."""
        wanted = lamp_settings.check_lamps(self._config, data)
        async with self._changing:
            try:
                await asyncio.to_thread(lamp_settings.save_lamps, wanted, self._state)
            except OSError as error:
                raise BadInput(
                    phrase("the lamps cannot be saved: {reason}", reason=error.strerror or error)
                ) from error
            self._device.devices.lamps = wanted

    # -- the match

    async def begin(self, data: Mapping[str, Any]) -> None:
        """Begins the agreed match. Raises BadInput or EngineError; nothing has changed then."""
        await self._change(await asyncio.to_thread(read_agreement, data))

    async def go_on(self, log: str, leave: bool) -> None:
        """Continues an open match. Raises BadInput; nothing has changed then."""
        if log not in self.open_matches():
            raise BadInput(phrase("there is no such match to continue"))
        await self._change(MatchChange(log=log, leave=leave))

    async def _change(self, change: MatchChange) -> None:
        self._device.trial = None
        reason = await self._device.change(change)
        if reason is not None:
            raise BadInput(reason)
        position = self._device.session.position
        if position is not None and self._simulated:
            self._device.devices.eyes.arrange(position.looks(), position.rules.board, {})


def _calibrated_at(path: Path, version: boards.Version) -> float:
    """When it was, in seconds since 1970; as the file is old, where nobody wrote it down."""
    with suppress(ValueError):
        return datetime.fromisoformat(version.at).timestamp()
    return path.stat().st_mtime
