"""The description of a recorded session, ``reel.json``: pictures in order, rolls, button presses
(docs/commands.md has the format).

The whole recording is checked before any of it is used: its format, its order, that its sides and dice fit
the game, and that every picture is there and decodes."""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, ValidationError

from engine import strict_json
from engine.errors import EngineError
from engine.event_json import from_json
from engine.events import Begin, Button, Event
from engine.position import Awaits, Rules
from firmware.errors import bounded
from firmware.files import read_whole
from vision.errors import VisionError
from vision.picture.frame import load

Pixel: TypeAlias = Annotated[float, Field(allow_inf_nan=False)]
TableTime: TypeAlias = Annotated[float, Field(allow_inf_nan=False)]
Face: TypeAlias = Annotated[int, Field(ge=1, le=6)]
PixelCorner: TypeAlias = tuple[Pixel, Pixel]
Side: TypeAlias = Annotated[int, Field(gt=0, le=100_000)]
File: TypeAlias = Annotated[str, Field(pattern=r"^[^/\\\x00]+$")]


REEL = "reel.json"


class BadReel(Exception):
    """A recording that cannot be replayed. The message is one line: what is wrong, and where."""

    def __init__(self, message: str) -> None:
        super().__init__(bounded(message))


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True)


class PictureTaken(_Frozen):
    """The camera took this picture; ``frame`` is a file beside ``reel.json``. ``moving``: it shows movement,
    so nothing may be judged by it."""

    t: TableTime
    frame: File
    moving: bool = False


class DiceRolled(_Frozen):
    """Dice were rolled. At the opening one for each side, in the game's order, and ``side`` begins."""

    t: TableTime
    side: str | None = None
    roll: Annotated[tuple[Face, ...], Field(min_length=1)]


class ButtonPressed(_Frozen):
    """A button was pressed. ``verdict`` and ``move`` are how the table judged a *done* then."""

    t: TableTime
    side: str | None = None
    button: Button
    verdict: str | None = None
    move: str | None = None


class EventLogged(_Frozen):
    """Any other event, as the journal has it: what the players said on the page, a clock that ran out."""

    t: TableTime
    event: dict[str, Any]


class CameraLost(_Frozen):
    """The camera saw nothing from here on."""

    t: TableTime
    blind: Literal[True]


class RigChanged(_Frozen):
    """The table was calibrated anew; ``rig`` is a file beside ``reel.json``."""

    t: TableTime
    rig: File


KINDS = ("frame", "roll", "button", "event", "blind", "rig")


def _kind(data: Any) -> str | None:
    found = [key for key in KINDS if isinstance(data, dict) and key in data]
    return found[0] if len(found) == 1 else None


Moment: TypeAlias = Annotated[
    Annotated[PictureTaken, Tag("frame")]
    | Annotated[DiceRolled, Tag("roll")]
    | Annotated[ButtonPressed, Tag("button")]
    | Annotated[EventLogged, Tag("event")]
    | Annotated[CameraLost, Tag("blind")]
    | Annotated[RigChanged, Tag("rig")],
    Discriminator(
        _kind, custom_error_type="moment", custom_error_message=f"must have one of {', '.join(KINDS)}"
    ),
]


class Known(_Frozen):
    """A picture taken before the game, to learn the pieces from, and what stands in it; for a game that
    begins on an empty board."""

    frame: File
    position: dict[str, Any]


class Reel(_Frozen):
    """A recording. ``size`` is (width, height) in pixels; ``corners_px`` the playing surface's bottom-left,
    bottom-right, top-right and top-left. Where a table recorded itself, ``rig`` is its calibration and
    ``begin`` the match that was agreed on; else the table is learned from the first picture, of the start."""

    size: tuple[Side, Side]
    corners_px: tuple[PixelCorner, PixelCorner, PixelCorner, PixelCorner]
    geometry_cm: dict[str, Any] = {}
    rules: str | None = None
    known: Known | None = None
    rig: File | None = None
    begin: dict[str, Any] | None = None
    timeline: Annotated[tuple[Moment, ...], Field(min_length=1)]

    @property
    def frames(self) -> tuple[str, ...]:
        """The names of all pictures, in order."""
        return tuple(moment.frame for moment in self.timeline if isinstance(moment, PictureTaken))

    @property
    def rigs(self) -> tuple[str, ...]:
        """The names of all rigs, in order."""
        later = (moment.rig for moment in self.timeline if isinstance(moment, RigChanged))
        return ((self.rig,) if self.rig is not None else ()) + tuple(later)


def read(folder: Path) -> Reel:
    """The recording in ``folder``, with its format and its pictures checked. Raises BadReel."""
    path = folder / REEL
    try:
        data = read_whole(path).removeprefix(codecs.BOM_UTF8)
        reel = Reel.model_validate_json(data)
        strict_json.loads(data.decode())  # events are free inside; what no event holds is refused here
    except OSError as error:
        hint = "a recorded session is a folder with a reel.json"
        raise BadReel(f"{path}: {error.strerror or error}; {hint}") from error
    except ValidationError as error:
        raise BadReel(f"{path}: {_first_fault(error)}") from error
    except strict_json.BadJson as error:
        raise BadReel(f"{path}: {error}") from error
    for place, (one, two) in enumerate(zip(reel.timeline, reel.timeline[1:], strict=False), 1):
        if two.t < one.t:
            raise BadReel(f"{path}: timeline[{place}] is out of order: {two.t:g} s comes after {one.t:g} s")
    if not reel.frames:
        raise BadReel(f"{path}: the timeline has no frame: a recording needs pictures")
    for name in dict.fromkeys((*reel.frames, *([reel.known.frame] if reel.known else []))):
        _check_picture(folder / name, reel.size)
    return reel


def check(reel: Reel, rules: Rules, folder: Path) -> None:
    """Raises BadReel where a side or a number of dice is not one of this game's."""
    path = folder / REEL
    if reel.begin is not None and not isinstance(_event(reel.begin, f"{path}: begin"), Begin):
        raise BadReel(f"{path}: begin: must be an event named 'begin'")
    due = _dice_due(rules)
    for place, moment in enumerate(reel.timeline):
        if isinstance(moment, EventLogged):
            _event(moment.event, f"{path}: timeline[{place}].event")
        if not isinstance(moment, DiceRolled | ButtonPressed):
            continue
        if moment.side is not None and moment.side not in rules.sides:
            sides = f"{moment.side!r} does not play {rules.name}; its sides are {', '.join(rules.sides)}"
            raise BadReel(f"{path}: timeline[{place}].side: {sides}")
        if isinstance(moment, DiceRolled) and due and len(moment.roll) not in due:
            dice = f"{rules.name} rolls {' or '.join(map(str, due))} dice, not {len(moment.roll)}"
            raise BadReel(f"{path}: timeline[{place}].roll: {dice}")


def _event(data: dict[str, Any], where: str) -> Event:
    try:
        return from_json(data)
    except EngineError as error:
        raise BadReel(f"{where}: {error}") from error


def _dice_due(rules: Rules) -> list[int]:
    """How many dice rolls of this game have, at the opening and after it; none where that is not known."""
    try:
        position = rules.start(rules.options)
    except EngineError:
        return []
    due = {position.dice_due}
    if position.awaits is Awaits.OPENING:
        opened = position.roll(tuple(range(position.dice_due, 0, -1)))
        due.add(opened.dice_due if opened.awaits is Awaits.ROLL else opened.plays()[0].after.dice_due)
    return sorted(due - {0})


def _check_picture(path: Path, size: tuple[int, int]) -> None:
    try:
        frame = load(path)
    except VisionError as error:
        raise BadReel(str(error)) from error
    height, width = frame.image.shape[:2]
    if (width, height) != tuple(round(side * frame.scale) for side in size):
        raise BadReel(f"{path}: the picture is {width}x{height}, but reel.json says {size[0]}x{size[1]}")


_PLAIN = {
    "too_short": "there is nothing in it",
    "string_pattern_mismatch": "must name a file beside reel.json",
}
"""Plain words for messages that pydantic gives in terms of Python."""


def _first_fault(error: ValidationError) -> str:
    """The first fault in one line, its place written as in the file: ``timeline[17].roll[0]: …``."""
    fault = error.errors(include_url=False)[0]
    where = ""
    for place, part in enumerate(fault["loc"]):
        if isinstance(part, int):
            where += f"[{part}]"
        elif not (place == 2 and fault["loc"][0] == "timeline" and part in KINDS):
            where += f".{part}" if where else str(part)  # third, pydantic also names the kind of moment
    given = fault["input"]
    quoted = isinstance(given, str | int | float) and fault["type"] != "json_invalid"
    shown = f", not {given!r}" if quoted else ""
    said = _PLAIN.get(fault["type"], fault["msg"])
    return f"{where or 'the file'}: {said[0].lower()}{said[1:]}{shown}"
