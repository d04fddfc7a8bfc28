"""The digest of a recorded session, which a table signs with the match, and its check.

``reel.json`` names every picture, and every file that says how the table was calibrated, with its SHA-256. So
the SHA-256 of ``reel.json`` stands for all of them, in their order and with their times. When a match is
signed its recording is closed; it is never changed afterwards, only deleted as a whole where room is needed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine import strict_json
from firmware.files import read_whole
from firmware.recordings.reel import REEL
from firmware.wording import clean, counted


class ChangedRecording(Exception):
    """A recording is not the one that was signed; the message says which file of it."""


def recording_digest(folder: Path) -> str:
    """What stands for the recording in ``folder``, in hex; "" where there is none. Raises OSError."""
    try:
        return hashlib.sha256((folder / REEL).read_bytes()).hexdigest()
    except FileNotFoundError:
        return ""


def check_recording(folder: Path, digest: str) -> str:
    """Checks the recording in ``folder`` against the digest that was signed; what is in order, in words.
    Raises ChangedRecording."""
    try:
        data = read_whole(folder / REEL)
        if hashlib.sha256(data).hexdigest() != digest:
            raise ChangedRecording(f"{folder / REEL}: altered after the match was signed")
        reel = strict_json.loads_object(data.decode())
    except (OSError, ValueError) as error:
        raise ChangedRecording(f"{folder / REEL}: cannot be read: {error}") from error
    found = 0
    for name, expected in _named(reel):
        path = folder / Path(name).name
        try:
            if hashlib.sha256(read_whole(path)).hexdigest() != expected:
                raise ChangedRecording(f"{clean(str(path))}: altered after the match was signed")
        except (OSError, ValueError) as error:  # ValueError: no file can have this name
            why = getattr(error, "strerror", None) or error
            raise ChangedRecording(f"{clean(str(path))}: {why}") from error
        found += name.endswith(".jpg")
    return f"{counted(found, 'recorded picture')}, none altered or missing"


def _named(reel: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The files that a reel names, with their digests; "" where it has none."""
    timeline = reel.get("timeline", [])
    if not isinstance(timeline, list) or not all(isinstance(moment, dict) for moment in timeline):
        raise ChangedRecording(f"{REEL}: it has no timeline")
    for moment in [reel, *timeline]:
        for kind in ("rig", "frame"):
            if kind in moment:
                yield str(moment[kind]), str(moment.get("sha256", ""))
