"""From the configuration to what stands on the table: the drivers, made with their wiring."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from engine.events import Button
from engine.messages import phrase
from firmware.dice.beacon import Drand
from firmware.errors import BadInput
from firmware.files import replace_file
from firmware.settings.config import Config
from firmware.settings.lamp_settings import configured_lamps, load_lamps
from firmware.table.devices import Devices
from firmware.table.live import LiveEyes
from hardware.buttons import GpioButtons, RevivedButtons, Wire, pin_factory
from hardware.buzzer import GpioBuzzer
from hardware.cameras import LIMIT, Exposure, PiCamera, UsbCamera
from hardware.contact import Timing
from hardware.lights import SpiStrip, spi_strip
from hardware.protocols import Camera, Clock, DeviceError, Focusing
from hardware.revived_camera import RevivedCamera
from hardware.simulated import FolderCamera
from vision import boards
from vision.errors import VisionError
from vision.picture.frame import decode
from vision.reading import BoardReader
from vision.settle import Settler

PICTURES = (".jpg", ".jpeg", ".png", ".webp")


def rig_path(config: Config, state: Path, board: str | None = None) -> Path:
    """The calibration's file for a kind of board (None: that of the configured game). A table that is used
    with several kinds has the further ones beside the first, named after their kind."""
    board = board or config.match.game.board
    usual = state / config.camera.rig
    own = usual.with_name(f"{usual.stem}-{board}{usual.suffix}")
    return own if own.exists() or boards.kind_in(usual) not in (None, board) else usual


def load_rig(config: Config, state: Path, board: str) -> BoardReader | None:
    """The table as calibrated for a kind of board; None where it was not. Raises BadInput for a bad file."""
    path = rig_path(config, state, board)
    if not path.exists():
        return None
    try:
        return boards.load(path).table
    except VisionError as error:
        raise BadInput(phrase("{error}; calibrate again, or delete the file", error=str(error))) from error


def make_devices(config: Config, state: Path, clock: Clock, warn: Callable[[str], None]) -> Devices:
    """Every device that works. ``warn`` hears of those that do not, and of a calibration or lamps that cannot
    be read, and they are left out: without lamps, or without a calibration, players still have the page."""

    def usable_rig(kind: str) -> BoardReader | None:
        try:
            return load_rig(config, state, kind)
        except BadInput as error:
            warn(str(error))
            return None

    board = config.match.game.board
    made = Devices(
        begin=config.begin,
        eyes=live_eyes(usable_rig(board), board),
        camera=make_camera(config, clock, state, warn),
        pause=1 / config.camera.rate if config.camera.kind == "folder" else 0.0,
        lamps=configured_lamps(config),
        wires=button_wires(config),
        sides=config.match.game.sides,
        load_rig=usable_rig,
        beacon=Drand() if config.dice.beacon == "drand" else None,
    )
    try:
        made.buttons = make_buttons(config, clock)
    except DeviceError as error:
        warn(str(error))
    try:
        made.lamps = load_lamps(config, state)
    except BadInput as error:
        warn(str(error))
    try:
        made.strip = make_strip(config)
    except DeviceError as error:
        warn(str(error))
    try:
        made.buzzer = make_buzzer(config)
    except DeviceError as error:
        warn(str(error))
    return made


def make_eyes(config: Config, state: Path) -> LiveEyes:
    """Eyes for the table, calibrated or not. Raises BadInput as :func:`load_rig` does."""
    board = config.match.game.board
    return live_eyes(load_rig(config, state, board), board)


def live_eyes(known: BoardReader | None, board: str) -> LiveEyes:
    """Eyes for a kind of board, calibrated or not."""
    return LiveEyes(None if known is None else Settler(known), board)


LENS = "lens.json"
"""Where the lens stood when the table was calibrated: a number of dioptres."""


def lens_position(state: Path | None) -> float | None:
    """Where the lens must be held; None where no calibration with a lens that moves was kept. Raises BadInput
    where there is a file that the disk does not give."""
    try:
        found = None if state is None else json.loads((state / LENS).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    except OSError as error:
        raise BadInput(
            phrase("{path} cannot be read: {error}", path=error.filename, error=error.strerror or error)
        ) from error
    if isinstance(found, bool) or not isinstance(found, int | float) or not 0 <= found <= 32:
        return None
    return float(found)


def keep_lens(state: Path, camera: Camera | None) -> None:
    """Remembers where the lens is, for the next start. Raises OSError."""
    if isinstance(camera, Focusing) and camera.lens is not None:
        replace_file(state / LENS, json.dumps(camera.lens))


def make_camera(
    config: Config, clock: Clock, state: Path | None = None, warn: Callable[[str], None] = lambda words: None
) -> Camera | None:
    """The configured camera; its first picture opens it, with its lens where the calibration in ``state`` had
    it. Where that cannot be read, ``warn`` hears of it in the thread that opens it, and the lens focuses."""
    wanted = config.camera
    if wanted.kind == "none":
        return None
    if wanted.kind == "folder":
        folder = Path(wanted.folder)
        names = sorted(path.name for path in folder.glob("*") if path.suffix.lower() in PICTURES)
        return FolderCamera(folder, names, clock, lambda data: decode(data).image)
    size, exposure = (wanted.width, wanted.height), Exposure(wanted.exposure, wanted.gain)

    def held_lens() -> float | None:
        try:
            return lens_position(state)
        except BadInput as error:
            warn(str(error))
            return None

    def open_camera() -> Camera:
        nonlocal exposure
        given = (wanted.device, size, wanted.rate, exposure, clock)
        if wanted.kind == "picamera2":
            opened: PiCamera | UsbCamera = PiCamera(*given, held_lens(), wanted.mains)
        else:
            opened = UsbCamera(*given)
        exposure = opened.exposure  # when it comes back, whoever put its cable in may still be in the picture
        return opened

    return RevivedCamera(open_camera, clock, max(LIMIT, 3 / wanted.rate))


def button_wires(config: Config) -> list[Wire]:
    """The button box's wiring."""
    sides = dict(zip(("first", "second"), config.match.game.sides, strict=True))
    return [
        Wire(pin, Button(name), sides.get(owner), config.buttons.held.get(Button(name)))
        for owner, name, pin in config.buttons.wired()
    ]


def make_buttons(config: Config, clock: Clock) -> RevivedButtons | None:
    """The button box; it is opened again where its pins go away. Raises DeviceError."""
    if config.buttons.factory == "none":
        return None
    timing = Timing(config.buttons.debounce, config.buttons.hold, config.buttons.stuck)
    wires, factory = button_wires(config), config.buttons.factory
    return RevivedButtons(lambda: GpioButtons(wires, pin_factory(factory), clock, timing))


def make_strip(config: Config) -> SpiStrip | None:
    """The strip. Raises DeviceError."""
    wanted = config.strip
    if wanted.kind == "none":
        return None
    return spi_strip(wanted.kind, wanted.count, wanted.budget, wanted.bus, wanted.device, wanted.hz)


def make_buzzer(config: Config) -> GpioBuzzer | None:
    """The buzzer, where a pin is named for it and there are pins. Raises DeviceError."""
    pin, factory = config.buzzer.pin, config.buttons.factory
    return GpioBuzzer(pin, lambda: pin_factory(factory)) if pin and factory != "none" else None
