"""Events from their JSON: a journal's, and those that people and programs send.

Each field is read by the type that it is annotated with; what is wrong is told with the name of the field.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, TypeVar

from engine.clock import Control
from engine.errors import EngineError
from engine.events import KINDS, Button, DiceFrom, Event, Moves
from engine.evidence import Evidence
from engine.match import Terms
from engine.outside import LARGEST, check, check_numbers, shown
from engine.position import POSITION_KEYS

Word = TypeVar("Word", bound=StrEnum)

FARTHEST = 1e12
"""Seconds of the latest time of an event, and before zero of the earliest: 30,000 years."""


def from_json(data: Mapping[str, Any]) -> Event:
    """The inverse of :meth:`Event.to_json`. Raises EngineError that names the field at fault."""
    if not isinstance(data, Mapping):
        raise EngineError(f"an event is a JSON object, not {shown(data)}")
    name = data.get("event")
    kind = KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise EngineError(f"unknown event {shown(name)}; the events are {', '.join(KINDS)}")
    known = {each.name: each for each in dataclasses.fields(kind)}
    unknown = [key for key in data if key not in known and key != "event"]
    if unknown:
        raise EngineError(f"{kind.name}: unknown field {shown(unknown[0])}; it has {', '.join(known)}")
    check_numbers({key: value for key, value in data.items() if key not in ("t", "evidence")}, kind.name)
    values = {}
    for key, each in known.items():
        if key in data:
            values[key] = _read(f"{kind.name}.{key}", str(each.type), data[key])
        elif each.default is dataclasses.MISSING and each.default_factory is dataclasses.MISSING:
            raise EngineError(f"{kind.name}: the field {key!r} is missing")
    return kind(**values)


def from_outside(data: Mapping[str, Any]) -> Event:
    """The same for an event that people or programs send. Raises EngineError also for odd text, and for keys
    of a position that no game has."""
    event = from_json(data)
    check(data, event.name)
    position = getattr(event, "position", None) or {}
    unknown = [key for key in position if key not in POSITION_KEYS]
    if unknown:
        raise EngineError(f"{event.name}.position: unknown key {shown(unknown[0])}")
    return event


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) <= FARTHEST:
        raise ValueError("must be a finite number of seconds")
    return float(value)


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > LARGEST:
        raise ValueError("must be a whole number")
    return value


def _word(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("must be a text")
    return value


def _one_of(words: type[Word], value: Any) -> Word:
    try:
        return words(value)
    except ValueError:
        raise ValueError(f"must be one of {', '.join(words)}") from None


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("must be true or false")
    return value


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError("must be a JSON object")
    return dict(value)


def _wholes(value: Any) -> tuple[int, ...]:
    if not isinstance(value, (list, tuple)):
        raise ValueError("must be a list of whole numbers")
    return tuple(_whole(each) for each in value)


def _pair(value: Any) -> tuple[int, int]:
    numbers = _wholes(value)
    if len(numbers) != 2:
        raise ValueError("must be two whole numbers")
    return numbers[0], numbers[1]


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "float": _number,
    "int": _whole,
    "str": _word,
    "Side": _word,
    "bool": _flag,
    "Dice": _wholes,
    "Json": _object,
    "tuple[int, int]": _pair,
    "Mapping[str, Any]": _object,
    "Mapping[Side, str]": lambda value: {_word(key): _word(name) for key, name in _object(value).items()},
    "Button": lambda value: _one_of(Button, value),
    "Moves": lambda value: _one_of(Moves, value),
    "DiceFrom": lambda value: _one_of(DiceFrom, value),
    "Evidence": lambda value: Evidence.from_json(_object(value)),
    "Terms": lambda value: Terms.from_json(_object(value)),
    "Control": lambda value: Control.from_json(_object(value)),
}
"""A reader for each type that a field is annotated with."""


def _read(where: str, annotation: str, value: Any) -> Any:
    kind, _, optional = annotation.partition(" | ")
    if value is None and optional == "None":
        return None
    try:
        return _READERS[kind](value)
    except ValueError as error:
        raise EngineError(f"{where}: {error}, not {shown(value)}") from error
