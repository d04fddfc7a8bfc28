"""How the strip shines, as players set it on the page: how bright, and which LEDs belong to which place.

It outranks the configuration's ``[strip.map]``, and is kept in ``lamps.json`` of the state directory. A file
that does not fit the configuration (another strip, say) is ignored.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from engine import strict_json
from engine.messages import phrase
from firmware.errors import BadInput
from firmware.files import replace_file
from firmware.settings.config import Config
from firmware.settings.table_devices import StripSettings

FILE = "lamps.json"
LEAST = 0.05
"""The least part of its light that the strip can be set to."""


@dataclass(frozen=True, slots=True)
class LampSettings:
    """``brightness`` from :data:`LEAST` to 1; ``map`` as in the configuration: place -> its LEDs."""

    brightness: float = 1.0
    map: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The file's content."""
        return {"brightness": self.brightness, "map": {place: list(leds) for place, leds in self.map.items()}}


def check_lamps(config: Config, data: object) -> LampSettings:
    """What the players ask for. Raises BadInput where this strip cannot do it."""
    if not isinstance(data, Mapping):
        raise BadInput("the lamps must be an object with brightness and map")
    brightness, places = data.get("brightness"), data.get("map")
    if (
        isinstance(brightness, bool)
        or not isinstance(brightness, int | float)
        or not LEAST <= brightness <= 1
    ):
        raise BadInput(f"brightness must be a number from {LEAST:g} to 1")
    if not isinstance(places, Mapping):
        raise BadInput("map must be an object of places and their LEDs")
    try:
        strip = StripSettings.model_validate(
            {**config.strip.model_dump(exclude={"map"}), "map": dict(places)}
        )
    except ValidationError as error:
        first = error.errors()[0]
        cause = first.get("ctx", {}).get("error")
        raise BadInput(str(cause or f"{'.'.join(map(str, first['loc']))}: {first['msg']}")) from error
    return LampSettings(float(brightness), strip.map)


def load_lamps(config: Config, state: Path) -> LampSettings:
    """The settings that the players made, else those of the configuration. Raises BadInput where there is a
    file that the disk does not give."""
    path = state / FILE
    try:
        return check_lamps(config, strict_json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return configured_lamps(config)
    except OSError as error:
        raise BadInput(
            phrase("{path} cannot be read: {error}", path=path, error=error.strerror or error)
        ) from error
    except (ValueError, BadInput):
        return configured_lamps(config)


def configured_lamps(config: Config) -> LampSettings:
    """The settings of the configuration."""
    return LampSettings(1.0, dict(config.strip.map))


def save_lamps(lamps: LampSettings, state: Path) -> None:
    """Keeps the settings. Raises OSError."""
    replace_file(state / FILE, json.dumps(lamps.to_json()))
