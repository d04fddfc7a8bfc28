"""A match as JSON: everything that a record holds, for every game, and nothing else.

``{"format": "barpoint-match", "version": 1, "rules": …, "players": [first, second], "terms": {…}, "games":
[{"score", "actions", "result", …}]}``. An action is an object whose ``do`` names it. What is at its default
is left out; an unknown key, a missing one or a wrong type is refused with its place
(``games[2].actions[17].dice``); a ``seal`` (:mod:`firmware.record.seal`) and a ``signature`` are passed over.
docs/formats.md has the whole list.
"""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from collections.abc import Mapping
from typing import Any

from engine import strict_json
from engine.errors import EngineError
from engine.match import Terms
from engine.position import Json
from engine.record import (
    Beavered,
    Corrected,
    Doubled,
    Dropped,
    MatchRecord,
    Played,
    Remark,
    Resigned,
    Rolled,
    Scored,
    Stood,
    Taken,
)
from firmware.formats.source import FormatError

FORMAT = "barpoint-match"
VERSION = 1

ACTIONS: Mapping[str, type] = {
    "roll": Rolled,
    "play": Played,
    "stand": Stood,
    "double": Doubled,
    "beaver": Beavered,
    "take": Taken,
    "drop": Dropped,
    "resign": Resigned,
    "correct": Corrected,
    "remark": Remark,
    "score": Scored,
}
"""The actions by their name in ``do``."""
NAMES = {kind: name for name, kind in ACTIONS.items()}


def write(record: MatchRecord) -> str:
    """The record as indented JSON with a line for each action."""
    data = to_json(record)
    games = data.pop("games", [])
    head = json.dumps(data, ensure_ascii=False, indent=1)
    if not games:
        return head + "\n"
    return (
        head.removesuffix("\n}")
        + ',\n "games": [\n'
        + ",\n".join(_game_lines(game) for game in games)
        + "\n ]\n}\n"
    )


def _game_lines(game: Json) -> str:
    actions = game.pop("actions", [])
    head = json.dumps(game, ensure_ascii=False)
    if not actions:
        return f"  {head}"
    lines = ",\n".join("   " + json.dumps(action, ensure_ascii=False) for action in actions)
    return f'  {head.removesuffix("}")}, "actions": [\n{lines}\n  ]}}'


def to_json(record: MatchRecord) -> Json:
    """The record as plain data."""
    return {"format": FORMAT, "version": VERSION, **_plain(record)}


def read(text: str) -> MatchRecord:
    """The inverse of :func:`write`. Raises FormatError with the place of the first fault."""
    try:
        data = strict_json.loads_object(text)
    except strict_json.BadJson as error:
        raise FormatError(str(error)) from error
    return from_json(data)


def from_json(data: object) -> MatchRecord:
    """The inverse of :func:`to_json`. Raises FormatError with the place of the first fault."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise FormatError(f'not a match of Barpoint: it has no "format": "{FORMAT}"')
    if data.get("version") != VERSION:
        raise FormatError(
            f"version {data.get('version')} of the format; this program reads version {VERSION}"
        )
    rest = {
        key: value for key, value in data.items() if key not in ("format", "version", "seal", "signature")
    }
    record = _read(MatchRecord, rest, "")
    assert isinstance(record, MatchRecord)
    return record


def _plain(value: Any) -> Any:
    if isinstance(value, Terms):
        default = Terms().to_json()
        return {key: each for key, each in value.to_json().items() if each != default[key]}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        data: Json = {"do": NAMES[type(value)]} if type(value) in NAMES else {}
        for each in dataclasses.fields(value):
            inner = getattr(value, each.name)
            if inner != _default(each):
                data[each.name] = _plain(inner)
        return data
    return [_plain(each) for each in value] if isinstance(value, tuple) else value


def _default(each: dataclasses.Field[Any]) -> Any:
    """The default of a field; an object that equals nothing where it has none."""
    return each.default_factory() if each.default_factory is not dataclasses.MISSING else each.default


def _read(kind: Any, value: Any, where: str) -> Any:
    """A value of an annotated type, checked to the bottom."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        if type(None) in arguments:
            rest = [each for each in arguments if each is not type(None)]
            return None if value is None else _read(rest[0], value, where)
        return _read_action(value, where)
    if origin is tuple:
        return _read_tuple(arguments, value, where)
    if origin is dict or kind is dict:
        return _typed(dict, value, where)
    if kind is Terms:
        try:
            return Terms.from_json(_typed(dict, value, where))
        except EngineError as error:
            raise FormatError(f"{where}: {error}") from error
    if dataclasses.is_dataclass(kind):
        return _read_fields(typing.cast("type[Any]", kind), value, where)
    return _typed(kind, value, where)


def _read_tuple(arguments: tuple[Any, ...], value: Any, where: str) -> tuple[Any, ...]:
    items = _typed(list, value, where)
    if arguments[-1] is Ellipsis:
        return tuple(_read(arguments[0], item, f"{where}[{place}]") for place, item in enumerate(items))
    if len(items) != len(arguments):
        raise FormatError(f"{where}: {len(arguments)} values are needed, not {len(items)}")
    return tuple(
        _read(each, item, f"{where}[{place}]")
        for place, (each, item) in enumerate(zip(arguments, items, strict=True))
    )


def _read_action(value: Any, where: str) -> Any:
    data = dict(_typed(dict, value, where))
    name = data.pop("do", None)
    kind = ACTIONS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise FormatError(f"{where}.do: {name!r} is not an action; they are {', '.join(ACTIONS)}")
    return _read_fields(kind, data, where)


def _read_fields(kind: type[Any], value: Any, where: str) -> Any:
    data = _typed(dict, value, where)
    dot = f"{where}." if where else ""
    hints = typing.get_type_hints(kind)
    known = {each.name: each for each in dataclasses.fields(kind)}
    for key in data:
        if key not in known:
            raise FormatError(f"{dot}{key}: unknown; there are {', '.join(known)}")
    values = {}
    for name, each in known.items():
        if name in data:
            values[name] = _read(hints[name], data[name], dot + name)
        elif each.default is dataclasses.MISSING and each.default_factory is dataclasses.MISSING:
            raise FormatError(f"{dot}{name} is missing")
    return kind(**values)


def _typed(kind: type[Any], value: Any, where: str) -> Any:
    if type(value) is not kind:
        raise FormatError(f"{where or 'the file'}: {value!r} is not of type {kind.__name__}")
    return value
