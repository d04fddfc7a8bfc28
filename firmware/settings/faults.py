"""What is wrong with a configuration, in words for people, and on which line."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from firmware.settings.toml_lines import Place, line_of

PLAIN = {
    "int_type": "should be a whole number",
    "float_type": "should be a number",
    "bool_type": "should be true or false",
    "string_type": "should be a text in quotes",
    "model_type": "should be a table, under a line with its name in brackets",
    "dict_type": "should be a table, under a line with its name in brackets",
    "tuple_type": 'should be a list, as ["one", "two"]',
}
"""Plain words for pydantic's errors."""


class Misplaced(ValueError):
    """A value that does not fit another one; ``place`` is where to look, within the part that raises it."""

    def __init__(self, message: str, *place: str) -> None:
        super().__init__(message)
        self.place = place


def describe(model: type[BaseModel], where: Mapping[Place, int], error: Any) -> tuple[int, str]:
    """The line and the words for one of pydantic's errors; ``where`` has the lines (``toml_lines``)."""
    cause = error.get("ctx", {}).get("error")
    place: Place = (*error["loc"], *(cause.place if isinstance(cause, Misplaced) else ()))
    place = tuple(part for part in place if part != "[key]")
    if place[:2] == ("strip", "map"):
        # Places are written dotted or quoted; both name the same one.
        place = next((each for each in where if ".".join(map(str, each)) == ".".join(map(str, place))), place)
    return line_of(where, place), f"{'.'.join(map(str, place))}: {cause or _plainly(model, error, place)}"


def _plainly(model: type[BaseModel], error: Any, place: Place) -> str:
    """What is wrong, in words; for an unknown key, the one that was probably meant."""
    if error["type"] == "extra_forbidden":
        return "there is no such key" + _meant(model, place)
    words = PLAIN.get(error["type"]) or error["msg"].removeprefix("Input ")
    given = error["input"]
    shown = isinstance(given, str | float) and not isinstance(given, bool)
    return f"{words}, not {given!r}" if shown else words


def _meant(model: type[BaseModel], place: Place) -> str:
    around = model
    for part in place[:-1]:
        inner = around.model_fields[str(part)].annotation
        assert isinstance(inner, type)
        assert issubclass(inner, BaseModel), "only a part of ours forbids keys"
        around = inner
    key = str(place[-1])
    if near := difflib.get_close_matches(key, around.model_fields, 1):
        return f"; did you mean {near[0]}?"
    parts = model.model_fields.items()
    tables = [name for name, part in parts if key in getattr(part.annotation, "model_fields", {})]
    return f"; it belongs under [{tables[0]}]" if len(tables) == 1 else ""
