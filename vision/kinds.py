"""The kinds of board that can be read. To add one, list it here."""

from __future__ import annotations

from vision.checkers import Checkers
from vision.errors import VisionError
from vision.kind import Kind

KINDS: dict[str, Kind] = {kind.name: kind for kind in (Checkers(),)}


def get(name: str) -> Kind:
    """The kind of that name. Raises VisionError with the names that there are."""
    if name not in KINDS:
        raise VisionError(f"unknown kind of board {name!r}; there are {', '.join(KINDS)}")
    return KINDS[name]
