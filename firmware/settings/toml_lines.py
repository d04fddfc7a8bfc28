"""The line of each value in a TOML text, so that an error can point at it.

The standard library's parser gives values without their lines. A valid text is a run of statements (a table's
header, or a key and its value), each of which is a valid text of its own: so the same parser cuts them off
one by one, and this module knows of TOML's syntax only that a header begins with a bracket.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

Place: TypeAlias = tuple[str | int, ...]
"""Where a value is: keys, and numbers in lists."""


def lines(text: str) -> dict[Place, int]:
    """The line (from 1) of every table, key and element in ``text``, which is valid TOML."""
    found: dict[Place, int] = {(): 1}
    table: Place = ()
    repeated: dict[Place, int] = {}
    for number, statement in _statements(text):
        data = tomllib.loads(statement)
        if statement.lstrip().startswith("["):
            table = _header(data, repeated)
            found.setdefault(table, number)
        else:
            for place in _places(data):
                found.setdefault(table + place, number)
    return found


def line_of(found: Mapping[Place, int], place: Place) -> int:
    """The line of ``place``, or of the nearest written thing around it."""
    while place not in found:
        place = place[:-1]
    return found[place]


def _statements(text: str) -> Iterator[tuple[int, str]]:
    begun, kept = 0, ""
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        if not kept and (not line.strip() or line.lstrip().startswith("#")):
            continue
        if not kept:
            begun = number
        kept += line
        try:
            tomllib.loads(kept)
        except tomllib.TOMLDecodeError:
            continue  # a text or a list continues in the next line
        yield begun, kept
        kept = ""


def _header(data: Mapping[str, Any], repeated: dict[Place, int]) -> Place:
    place: Place = ()
    value: Any = data
    while value:
        if isinstance(value, list):
            repeated[place] = repeated.get(place, -1) + 1
            place, value = (*place, repeated[place]), value[0]
        else:
            key, value = next(iter(value.items()))
            place = (*place, key)
    return place


def _places(value: Any) -> Iterator[Place]:
    listed = enumerate(value) if isinstance(value, list) else ()
    for key, inner in value.items() if isinstance(value, Mapping) else listed:
        yield (key,)
        yield from ((key, *rest) for rest in _places(inner))
