"""How the strip shines, as the players set it by the page: how bright, and which LEDs belong to which place.

It outranks the configuration's ``[strip.map]``, and stands in ``lamps.json`` of the state directory. A file
that does not fit the configuration (another strip, say) is left alone and counts for nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from firmware.errors import BadInput
from firmware.files import replace_file
from firmware.settings.config import Config, Strip

FILE = "lamps.json"
LEAST = 0.05
"""The least part of its light that the strip can be set to."""


@dataclass(frozen=True, slots=True)
class Shine:
    """``brightness`` from :data:`LEAST` to 1; ``map`` as in the configuration."""

    brightness: float
    map: Mapping[str, tuple[int, ...]]

    def to_json(self) -> dict[str, Any]:
        """The file's content."""
        return {"brightness": self.brightness, "map": {place: list(leds) for place, leds in self.map.items()}}


def checked(config: Config, data: object) -> Shine:
    """What the players ask for. Raises BadInput where this strip cannot shine so."""
    if not isinstance(data, Mapping):
        raise BadInput("the lamps are to be an object with brightness and map")
    brightness, places = data.get("brightness"), data.get("map")
    if (
        isinstance(brightness, bool)
        or not isinstance(brightness, int | float)
        or not LEAST <= brightness <= 1
    ):
        raise BadInput(f"brightness is a number from {LEAST:g} to 1")
    if not isinstance(places, Mapping):
        raise BadInput("map is to be an object of places and their LEDs")
    try:
        strip = Strip.model_validate({**config.strip.model_dump(exclude={"map"}), "map": dict(places)})
    except ValidationError as error:
        first = error.errors()[0]
        cause = first.get("ctx", {}).get("error")
        raise BadInput(str(cause or f"{'.'.join(map(str, first['loc']))}: {first['msg']}")) from error
    return Shine(float(brightness), strip.map)


def shining(config: Config, state: Path) -> Shine:
    """How the strip shines: as the players set it, else as configured."""
    try:
        return checked(config, json.loads((state / FILE).read_text(encoding="utf-8")))
    except (OSError, ValueError, BadInput):
        return Shine(1.0, dict(config.strip.map))


def save(shine: Shine, state: Path) -> None:
    """Writes the file, all of it or nothing. Raises OSError."""
    replace_file(state / FILE, json.dumps(shine.to_json()))
