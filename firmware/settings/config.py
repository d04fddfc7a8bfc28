"""The configuration: one TOML file, checked to the last key before anything is switched on.

Every key has a default; ``barpoint.toml`` beside this module shows them all with a comment each (``barpoint
config --show-defaults``). Errors are reported with their line: unknown keys, values out of range, pins that
do not exist, that the strip's bus needs, or that two buttons share.
"""

from __future__ import annotations

import ipaddress
import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainValidator,
    ValidationError,
    field_validator,
    model_validator,
)

from engine import rules as games
from engine.clock import Control, Penalty, Timing
from engine.errors import EngineError
from engine.events import Begin, DiceFrom, Moves
from engine.match import Terms
from engine.outside import OVERRIDES
from engine.position import Rules
from firmware.errors import BadInput
from firmware.files import read_whole
from firmware.languages.catalogue import NAMES
from firmware.levels import misnamed
from firmware.settings import faults
from firmware.settings.faults import Misplaced
from firmware.settings.reach import Invite, Reach
from firmware.settings.section import Count, Place, Seconds, Section, one_of
from firmware.settings.table_devices import (
    RESERVED,
    SPI,
    ButtonSettings,
    BuzzerSettings,
    CameraSettings,
    StripSettings,
)
from firmware.settings.tls import Tls
from firmware.settings.toml_lines import lines

LONGEST = 1_000_000
"""Bytes of a configuration."""
NAME = 40
"""Most letters of a player's name."""
CLUB_NAME = re.compile(r"[^\W_](?:[\w .-]{0,38}[\w.-])?")
"""Names of tables and events at a hub."""
HOST = re.compile(r"(?!-)[a-z0-9-]{1,63}(?<!-)(\.(?!-)[a-z0-9-]{1,63}(?<!-))*\.?", re.IGNORECASE)
"""A host's name."""


def _name(value: str) -> str:
    value = value.translate(OVERRIDES).strip()
    if len(value) > NAME:
        raise ValueError(f"a name may have {NAME} letters, not {len(value)}")
    return value


def _address(value: str) -> str:
    try:
        return str(ipaddress.ip_address(value))
    except ValueError:
        raise ValueError(f"{value!r} is no address, as 127.0.0.1") from None


def _cube(value: object) -> bool | str:
    if isinstance(value, bool) or value == "camera":
        return value
    raise ValueError(f'should be true, false or "camera", not {value!r}')


def _tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


Name: TypeAlias = Annotated[str, AfterValidator(_name)]
Names: TypeAlias = Annotated[tuple[str, ...], BeforeValidator(_tuple)]
Addresses: TypeAlias = Annotated[
    tuple[Annotated[str, AfterValidator(_address)], ...], BeforeValidator(_tuple)
]


class MatchSettings(Section):
    """The game, the players, the stakes."""

    rules: str = "backgammon"
    first: Name = ""
    second: Name = ""
    length: Annotated[int, Field(ge=0, le=99)] = 5
    cube: Annotated[bool | str, PlainValidator(_cube)] = True
    crawford: bool = True
    holland: bool = False
    jacoby: bool = False
    beavers: Count = 0
    automatic: Count = 0
    moves: Annotated[Moves, one_of(Moves)] = Moves.LEGAL
    dice: Literal["device", "players", "camera"] = "device"
    done: Literal["button", "dice"] = "button"
    cocked: Literal["legal", "reroll"] = "reroll"
    options: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _makes_sense(self) -> Self:
        if self.first and self.first == self.second:
            raise Misplaced("both players have the same name; give them different ones", "second")
        if self.done == "dice" and self.dice != "camera":
            words = 'a turn ends by picking the dice up only where the camera reads them: set dice = "camera"'
            raise Misplaced(words, "done")
        for key, name in (("first", self.first), ("second", self.second)):
            if (reason := misnamed(name)) is not None:
                raise Misplaced(reason, key)
        try:
            game = games.get(self.rules)
        except EngineError as error:
            raise Misplaced(str(error), "rules") from error
        for key in self.options:
            if key not in game.options:
                options = ", ".join(game.options) or "none"
                raise Misplaced(f"{game.title} has no option {key!r}; it has {options}", "options", key)
        try:
            self.terms()
        except EngineError as error:
            named = (key for key in ("jacoby", "beavers", "automatic") if key in str(error))
            raise Misplaced(str(error).removeprefix("terms: "), next(named, "length")) from error
        try:
            if self.options:
                game.start({**game.options, **self.options})
        except EngineError as error:
            named = (key for key in self.options if repr(key) in str(error))
            raise Misplaced(str(error), "options", *list(named)[:1]) from error
        return self

    @property
    def game(self) -> Rules:
        """The rules of the game."""
        return games.get(self.rules)

    def terms(self) -> Terms:
        """What is played for. Raises EngineError where that makes no sense."""
        names = ("length", "crawford", "holland", "jacoby", "beavers", "automatic")
        return Terms(cube=bool(self.cube), **{name: getattr(self, name) for name in names})


class ClockSettings(Section):
    """The players' time, in seconds."""

    kind: Annotated[Timing, one_of(Timing)] = Timing.NONE
    delay: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 12.0
    reserve: Annotated[float | None, Field(ge=0, allow_inf_nan=False)] = None
    penalty: Annotated[Penalty, one_of(Penalty)] = Penalty.MATCH
    points: Annotated[int, Field(ge=1)] = 1
    refill: Seconds = 60.0

    def control(self) -> Control:
        """The same, as the engine has it."""
        return Control(**dict(self))


LEAST_DELAY = 30.0
"""Seconds: what an overlay with chances is behind the table at least."""


class PageSettings(Section):
    """Where the page is served."""

    host: str = "0.0.0.0"
    port: Annotated[int, Field(ge=0, le=65535)] = 8080
    names: Names = ()
    proxies: Addresses = ()
    invite: Invite = "screen"
    overlay_delay: Annotated[float, Field(ge=0, le=3600, allow_inf_nan=False)] = 0.0
    language: str = ""
    certificate: Place = ""
    key: Place = ""

    @field_validator("language")
    @classmethod
    def _spoken(cls, value: str) -> str:
        if value and value not in NAMES:
            raise ValueError(f"{value!r} is no language of the page; there are {', '.join(NAMES)}")
        return value

    @field_validator("host")
    @classmethod
    def _reachable(cls, value: str) -> str:
        try:
            ipaddress.ip_address(value)
        except ValueError:
            if not HOST.fullmatch(value):
                raise ValueError(
                    f"{value!r} is no address and no name; 0.0.0.0: any network, 127.0.0.1: this machine"
                ) from None
        return value

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if bool(self.certificate) != bool(self.key):
            missing = "key" if self.certificate else "certificate"
            raise Misplaced("give both a certificate and its key, or neither", missing)
        if 0 < self.overlay_delay < LEAST_DELAY:
            raise Misplaced(f"at least {LEAST_DELAY:g} seconds, or 0 for none", "overlay_delay")
        return self

    def reach(self) -> Reach:
        """How the page is found."""
        return Reach(self.port, bool(self.certificate), self.names, self.invite, self.host, self.proxies)

    def tls(self) -> Tls | None:
        """The certificate for HTTPS; None is plain HTTP."""
        return Tls(Path(self.certificate), Path(self.key)) if self.certificate else None


class DiceSettings(Section):
    """The table's own dice."""

    beacon: Literal["none", "drand"] = "none"


class RecordingSettings(Section):
    """Matches kept with their pictures."""

    on: bool = False
    megabytes: Annotated[int, Field(ge=10, le=10_000_000)] = 2000
    folder: Place = ""

    @property
    def limit(self) -> int:
        """Bytes of pictures that all recordings may have together."""
        return self.megabytes * 1_000_000


def _club_name(value: str) -> str:
    if not CLUB_NAME.fullmatch(value) or value.casefold() in ("hub", "join"):
        raise ValueError(
            f"{value!r} cannot be this name; take up to 40 letters, digits, spaces, dots, dashes"
        )
    return value


class HubRunSettings(Section):
    """What ``barpoint hub run`` goes by."""

    event: Annotated[str, AfterValidator(_club_name)] = "club"
    host: str = "0.0.0.0"
    port: Annotated[int, Field(ge=1, le=65535)] = 8090
    broker: Annotated[int, Field(ge=1, le=65535)] = 8883
    broker_url: str = ""
    address: str = ""
    database: str = ""
    directory: Place = ""
    announce: bool = True
    homeassistant: bool = False
    names: Names = ()
    proxies: Addresses = ()


class HubSettings(Section):
    """The hub of many tables: whether this table follows one, and how one runs here."""

    follow: bool = True
    address: str = ""
    run: HubRunSettings = HubRunSettings()


class StateSettings(Section):
    """Where things are kept."""

    directory: Place = ""


class Config(Section):
    """Everything that is configured."""

    match: MatchSettings = MatchSettings()
    clock: ClockSettings = ClockSettings()
    camera: CameraSettings = CameraSettings()
    buttons: ButtonSettings = ButtonSettings()
    strip: StripSettings = StripSettings()
    buzzer: BuzzerSettings = BuzzerSettings()
    dice: DiceSettings = DiceSettings()
    page: PageSettings = PageSettings()
    recording: RecordingSettings = RecordingSettings()
    hub: HubSettings = HubSettings()
    state: StateSettings = StateSettings()

    @model_validator(mode="after")
    def _pins_free(self) -> Self:
        bus = SPI[self.strip.bus] if self.strip.kind != "none" else {}
        pins = (
            {}
            if self.buttons.factory == "none"
            else {pin: ("buttons", owner, name) for owner, name, pin in self.buttons.wired()}
        )
        if self.buzzer.pin in RESERVED and self.buzzer.pin:
            raise Misplaced(f"GPIO {self.buzzer.pin} belongs to {RESERVED[self.buzzer.pin]}", "buzzer", "pin")
        if self.buzzer.pin in pins:
            taken = ".".join(pins[self.buzzer.pin][1:])
            raise Misplaced(
                f"GPIO {self.buzzer.pin} is the button {taken}; choose another pin", "buzzer", "pin"
            )
        for pin, where in (pins | {self.buzzer.pin: ("buzzer", "pin")}).items():
            if pin and pin in bus:
                words = f"GPIO {pin} is {bus[pin]} of SPI{self.strip.bus}, which the strip needs"
                raise Misplaced(words, *where)
        return self

    @model_validator(mode="after")
    def _camera_there(self) -> Self:
        for key in ("dice", "cube"):
            if getattr(self.match, key) == "camera" and self.camera.kind == "none":
                raise Misplaced(f"the camera reads the {key}, and the table has none", "match", key)
        return self

    @model_validator(mode="after")
    def _reserve_known(self) -> Self:
        try:
            if self.clock.kind is not Timing.NONE:
                self.clock.control().seconds(self.match.length, (0, 0))
        except EngineError as error:
            raise Misplaced(str(error), "clock", "kind") from error
        return self

    def begin(self, t: float) -> Begin:
        """The configured match, begun at ``t``."""
        named = zip(self.match.game.sides, (self.match.first, self.match.second), strict=True)
        names = {side: name for side, name in named if name}
        return Begin(
            t=t,
            rules=self.match.rules,
            options=self.match.options,
            players=names,
            terms=self.match.terms(),
            clock=self.clock.control(),
            moves=self.match.moves,
            dice=DiceFrom.ROLLED if self.match.dice == "device" else DiceFrom.INFERRED,
        )


def load(path: Path) -> Config:
    """The configuration in a file. Raises BadInput that names the file, the line and what to fix."""
    try:
        text = read_whole(path, LONGEST).decode("utf-8-sig")  # Windows puts a mark before it
    except OSError as error:
        cure = "'barpoint config --show-defaults' writes a first one"
        raise BadInput(f"cannot read {path}: {error.strerror or error}; {cure}") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: not UTF-8 at byte {error.start}; save it as UTF-8") from error
    return parse(text, str(path))


def parse(text: str, name: str = "configuration") -> Config:
    """The configuration in ``text``. Raises BadInput as :func:`load` does, with a line for each fault."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        quotes = '; a text stands in straight quotes, as "v4l2"' if "Invalid value" in str(error) else ""
        raise BadInput(f"{name}: {error}{quotes}") from error
    except (ValueError, RecursionError) as error:  # a number of thousands of digits, brackets without end
        why = "too many brackets" if isinstance(error, RecursionError) else "a number that is too large"
        raise BadInput(f"{name}: there is {why} in it") from error
    try:
        return Config.model_validate(data)
    except ValidationError as error:
        where = lines(text)
        # The strip's map cannot follow from a count that is wrong itself, and that is told.
        found = (each for each in error.errors() if each["type"] != "default_factory_not_called")
        told = sorted(faults.describe(Config, where, each) for each in found)
        raise BadInput("\n".join(f"{name}, line {line}: {message}" for line, message in told)) from error
