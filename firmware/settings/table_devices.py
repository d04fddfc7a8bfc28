"""What is configured of the things on the table: camera, buttons, strip, buzzer."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import BeforeValidator, Field, TypeAdapter, model_validator

from engine.events import Button
from firmware.settings.faults import Misplaced
from firmware.settings.section import DEFAULTS, Count, Place, Seconds, Section, one_of
from hardware.strip import Budget

RESERVED = {0: "the HAT's memory", 1: "the HAT's memory"}
"""Pins of the 40-pin header that no button may use, and what uses them (BCM numbers)."""
SPI = {
    0: {7: "CE1", 8: "CE0", 9: "MISO", 10: "MOSI", 11: "SCLK"},
    1: {16: "CE2", 17: "CE1", 18: "CE0", 19: "MISO", 20: "MOSI", 21: "SCLK"},
}
"""The pins of each SPI bus (Raspberry Pi documentation, "SPI")."""

PLACE = re.compile(
    r"p(?:[1-9]|1\d|2[0-4])|(?:bar|off|reserve|locked|hand|player|cube)\.(?:first|second)|cube|dice\.(?:first|second)\.[1-6]|die\.[12]\.[1-7]"
    r"|(?:reserve|locked|hand)\.(?:first|second)\.(?:[1-9]|1[0-5])|(?:row|column)\.\d+"
)
"""The places that LEDs can light."""

Pin: TypeAlias = Annotated[int, Field(ge=0, le=27)]
Meaning: TypeAlias = Annotated[Button, one_of(Button)]


class CameraSettings(Section):
    """The camera."""

    kind: Literal["picamera2", "v4l2", "folder", "none"] = "picamera2"
    device: Count = 0
    width: Annotated[int, Field(ge=320, le=9152)] = 1640
    height: Annotated[int, Field(ge=240, le=6944)] = 1232
    rate: Annotated[float, Field(gt=0, le=60)] = 8.0
    rig: Annotated[Place, Field(min_length=1)] = "table.rig"
    exposure: Count = 0
    gain: Annotated[float, Field(ge=0, le=64)] = 0.0
    mains: Literal[50, 60] = 50
    learns: bool = True
    folder: Place = ""

    @model_validator(mode="after")
    def _folder_named(self) -> Self:
        if self.kind == "folder" and not self.folder:
            raise Misplaced("a folder camera needs the folder's path", "folder")
        return self


class First(Section):
    """The first player's buttons, by GPIO number; 0 is none."""

    roll: Pin = 5
    done: Pin = 6
    double: Pin = 12
    take: Pin = 13
    drop: Pin = 16
    undo: Pin = 19


class Second(Section):
    """The second player's buttons, by GPIO number; 0 is none."""

    roll: Pin = 20
    done: Pin = 21
    double: Pin = 22
    take: Pin = 23
    drop: Pin = 24
    undo: Pin = 25


class Shared(Section):
    """The buttons of both, by GPIO number; 0 is none."""

    resign: Pin = 26
    pause: Pin = 27


class ButtonSettings(Section):
    """The button box."""

    factory: Literal["auto", "lgpio", "rpigpio", "mock", "none"] = "auto"
    debounce: Annotated[float, Field(ge=0, le=0.5)] = 0.02
    hold: Seconds = 1.5
    stuck: Seconds = 20.0
    first: First = First()
    second: Second = Second()
    shared: Shared = Shared()
    held: dict[Meaning, Meaning] = Field(
        default_factory=lambda: {Button.RESIGN: Button.RESIGN, Button.DOUBLE: Button.SWAP}
    )

    def wired(self) -> Iterator[tuple[str, str, int]]:
        """Every button: its owner, its meaning, its pin."""
        for owner in ("first", "second", "shared"):
            for name, pin in getattr(self, owner):
                if pin:
                    yield owner, name, pin

    @model_validator(mode="after")
    def _one_pin_each(self) -> Self:
        taken: dict[int, str] = {}

        # Those in the file come last, so that a clash is reported where the person wrote it.
        def written(button: tuple[str, str, int]) -> bool:
            return button[1] in getattr(self, button[0]).model_fields_set

        for owner, name, pin in sorted(self.wired(), key=written):
            if pin in RESERVED:
                raise Misplaced(f"GPIO {pin} belongs to {RESERVED[pin]}; choose another pin", owner, name)
            if pin in taken:
                raise Misplaced(f"GPIO {pin} is the button {taken[pin]}; choose another pin", owner, name)
            taken[pin] = f"{owner}.{name}"
        if self.stuck <= self.hold:
            raise Misplaced(f"stuck ({self.stuck:g} s) must be longer than hold ({self.hold:g} s)", "stuck")
        return self


def _leds(value: object) -> object:
    """An LED, a list of them, or a range of them in words, as a tuple."""
    if isinstance(value, str):
        ends = re.fullmatch(r"(\d{1,4})-(\d{1,4})", value)
        if ends is None or int(ends[1]) > int(ends[2]):
            raise ValueError(f'{value!r} is no range of LEDs; write "0-3"')
        return tuple(range(int(ends[1]), int(ends[2]) + 1))
    if isinstance(value, int) and not isinstance(value, bool):
        return (value,)
    return tuple(value) if isinstance(value, list) else value


Leds: TypeAlias = Annotated[tuple[Count, ...], BeforeValidator(_leds)]


def _flat(value: object) -> object:
    """``bar.first = 3`` is a table in TOML; here it is the place ``bar.first``."""
    if not isinstance(value, Mapping):
        return value
    flat: dict[str, object] = {}
    for key, inner in value.items():
        if isinstance(inner, Mapping):
            below = _flat(inner)
            assert isinstance(below, Mapping)
            flat |= {f"{key}.{rest}": leds for rest, leds in below.items()}
        else:
            flat[key] = inner
    return flat


LampMap: TypeAlias = Annotated[dict[str, Leds], BeforeValidator(_flat)]


class StripSettings(Section):
    """The LEDs."""

    kind: Literal["apa102", "ws2812", "none"] = "apa102"
    bus: Literal[0, 1] = 0
    device: Annotated[int, Field(ge=0, le=2)] = 0
    hz: Annotated[int, Field(ge=100_000, le=20_000_000)] = 4_000_000
    count: Annotated[int, Field(ge=1, le=1000)] = 72
    milliamps: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 2000.0
    channel: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 20.0
    idle: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 1.0
    cap: Annotated[int, Field(ge=1, le=255)] = 96
    map: LampMap = Field(default_factory=lambda given: _default_map(given.get("count", 0)))

    @property
    def budget(self) -> Budget:
        """What the strip may draw."""
        return Budget(self.milliamps, self.channel, self.idle, self.cap)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        taken: dict[tuple[bool, int], str] = {}
        for place, leds in self.map.items():
            if not PLACE.fullmatch(place):
                raise Misplaced(
                    f"{place!r} is no place: p1, bar.first, off.second, player.first, cube, dice.first.6,"
                    " die.1.7, reserve.first.15, row.3 …",
                    "map",
                    place,
                )
            # A hex map and a board's points may use the same LEDs, on different evenings.
            edge = place.startswith(("row.", "column."))
            for led in leds:
                if led >= self.count and "map" not in self.model_fields_set:
                    last = max(map(max, self.map.values()))
                    raise Misplaced(
                        f"the default map needs LEDs 0 to {last}; write your own [strip.map]", "count"
                    )
                if led >= self.count:
                    raise Misplaced(f"the strip has LEDs 0 to {self.count - 1}, no {led}", "map", place)
                if (edge, led) in taken:
                    raise Misplaced(f"LED {led} already belongs to {taken[edge, led]}", "map", place)
                taken[edge, led] = place
        if self.count * self.idle > self.milliamps:
            raise Misplaced(f"{self.count} dark LEDs already draw {self.count * self.idle:g} mA", "milliamps")
        return self


def _default_map(count: int) -> dict[str, tuple[int, ...]]:
    """The map of ``barpoint.toml``, without the dice's spots where a strip of ``count`` LEDs has none for
    them."""
    written = tomllib.loads(DEFAULTS.read_text(encoding="utf-8"))["strip"]["map"]
    read: dict[str, tuple[int, ...]] = TypeAdapter(LampMap).validate_python(written)
    return {place: leds for place, leds in read.items() if not place.startswith("die.") or max(leds) < count}


class BuzzerSettings(Section):
    """The buzzer: its GPIO number, 0 is none. Its pin is had as those of the buttons are."""

    pin: Pin = 0
