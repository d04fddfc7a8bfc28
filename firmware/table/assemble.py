"""From the configuration to what stands on the table: the drivers, made with their wiring."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from engine.events import Button
from firmware.errors import BadInput
from firmware.lights.shine import shining
from firmware.recordings.recorder import FOLDER
from firmware.settings.config import Config
from firmware.state import directory
from firmware.table.furniture import Table
from firmware.table.live import LiveEyes
from hardware.buttons import GpioButtons, Wire, pin_factory
from hardware.cameras import Exposure, PiCamera, RevivedCamera, UsbCamera
from hardware.contact import Timing
from hardware.lights import SpiStrip, spi_strip
from hardware.protocols import Camera, Clock, DeviceError
from hardware.simulated import FolderCamera
from vision import boards
from vision.errors import VisionError
from vision.frame import decode
from vision.settle import Settler

PICTURES = (".jpg", ".jpeg", ".png", ".webp")


def state_directory(config: Config, chosen: Path | None = None) -> Path:
    """Where things are kept: as asked for, as configured, as systemd says, or the user's own place."""
    given = chosen or config.state.directory or os.environ.get("STATE_DIRECTORY", "").partition(":")[0]
    return Path(given) if given else directory(None)


def rig_path(config: Config, state: Path, board: str | None = None) -> Path:
    """The calibration's file for a kind of board (None: that of the configured game). A table that is used
    with several kinds has the further ones beside the first, named after their kind."""
    board = board or config.match.game.board
    usual = state / config.camera.rig
    own = usual.with_name(f"{usual.stem}-{board}{usual.suffix}")
    return own if own.exists() or boards.kind_in(usual) not in (None, board) else usual


def recordings(config: Config, state: Path) -> Path:
    """Where recordings are kept."""
    return Path(config.recording.folder) if config.recording.folder else state / FOLDER


def table(config: Config, state: Path, clock: Clock, warn: Callable[[str], None]) -> Table:
    """Everything on the table that works. What does not is told with ``warn`` and left out: players without
    lamps still have the page.

    Raises BadInput where the calibration is there and cannot be used."""
    shine = shining(config, state)
    made = Table(
        begin=config.begin,
        eyes=eyes(config, state),
        camera=camera(config, clock),
        leds=shine.map,
        brightness=shine.brightness,
    )
    made.wires, made.sides = wires(config), config.match.game.sides
    made.learned = lambda board: _or_none(config, state, board, warn)
    if config.recording.on:
        made.recordings = recordings(config, state)
        made.limit = config.recording.megabytes * 1_000_000
    made.pause = 1 / config.camera.rate if config.camera.kind == "folder" else 0.0
    for name, make in (("buttons", lambda: buttons(config, clock)), ("strip", lambda: strip(config))):
        try:
            setattr(made, name, make())
        except DeviceError as error:
            warn(str(error))
    return made


def learned(config: Config, state: Path, board: str) -> boards.Table | None:
    """The table as it was calibrated for a kind of board; None where it was not. Raises BadInput for a file
    that cannot be used."""
    path = rig_path(config, state, board)
    if not path.exists():
        return None
    try:
        return boards.load(path).table
    except VisionError as error:
        raise BadInput(f"{error}; calibrate again, or take the file away") from error


def eyes(config: Config, state: Path) -> LiveEyes:
    """Eyes for the calibrated table, or for one that is not calibrated yet. Raises BadInput as
    :func:`learned` does."""
    board = config.match.game.board
    known = learned(config, state, board)
    return LiveEyes(None if known is None else Settler(known), board)


def _or_none(config: Config, state: Path, board: str, warn: Callable[[str], None]) -> boards.Table | None:
    try:
        return learned(config, state, board)
    except BadInput as error:
        warn(str(error))
        return None


def camera(config: Config, clock: Clock) -> Camera | None:
    """The configured camera, opened by its first picture."""
    wanted = config.camera
    size, exposure = (wanted.width, wanted.height), Exposure(wanted.exposure, wanted.gain)
    if wanted.kind == "none":
        return None
    if wanted.kind == "folder":
        folder = Path(wanted.folder)
        names = sorted(path.name for path in folder.glob("*") if path.suffix.lower() in PICTURES)
        return FolderCamera(folder, names, clock, lambda data: decode(data).image)
    kind = PiCamera if wanted.kind == "picamera2" else UsbCamera
    return RevivedCamera(lambda: kind(wanted.device, size, wanted.rate, exposure, clock), clock)


def wires(config: Config) -> list[Wire]:
    """The button box's wiring."""
    sides = dict(zip(("first", "second"), config.match.game.sides, strict=True))
    made = []
    for owner, name, pin in config.buttons.wired():
        button, side = Button(name), sides.get(owner)
        made.append(Wire(pin, button, side, config.buttons.held.get(button)))
    return made


def buttons(config: Config, clock: Clock) -> GpioButtons | None:
    """The button box. Raises DeviceError."""
    if config.buttons.factory == "none":
        return None
    timing = Timing(config.buttons.debounce, config.buttons.hold, config.buttons.stuck)
    return GpioButtons(wires(config), pin_factory(config.buttons.factory), clock, timing)


def strip(config: Config) -> SpiStrip | None:
    """The strip. Raises DeviceError."""
    wanted = config.strip
    if wanted.kind == "none":
        return None
    return spi_strip(wanted.kind, wanted.count, wanted.budget, wanted.bus, wanted.device, wanted.hz)
