"""The pictures of a recorded match that show the board at rest, by table time."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from pathlib import Path

from firmware.recordings.reel import REEL

_NAME = re.compile(r"\d{1,12}\.jpg")


class Stills:
    """The pictures in a match's ``folder`` that nothing moves in; none where it was not recorded."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._found: list[tuple[float, str]] = []
        try:
            timeline = json.loads((folder / REEL).read_bytes())["timeline"]
            for moment in timeline:
                name = moment.get("frame")
                if is_still(name) and not moment.get("moving"):
                    self._found.append((float(moment["t"]), name))
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            self._found = []  # no recording, or no whole one: then there is nothing to show
        self._found.sort()

    def at(self, t: float) -> str | None:
        """The name of the last picture up to then; None where there is none, or it was deleted to make
        room."""
        place = bisect_right(self._found, t, key=lambda each: each[0])
        name = self._found[place - 1][1] if place else None
        return name if name is not None and (self._folder / name).is_file() else None


def is_still(name: object) -> bool:
    """Whether this can be the name of a recorded picture."""
    return isinstance(name, str) and _NAME.fullmatch(name) is not None
