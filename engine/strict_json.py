"""JSON as this program reads it from files that anybody may have written: what the standard library lets pass
and nothing here could use is refused, in one line.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any, NoReturn

DEEPEST = 60
"""Brackets within brackets: no file of ours has more than a dozen."""
LARGEST = 2**63 - 1
"""What whole numbers are at most, up or down."""


class BadJson(ValueError):
    """A text that is no JSON, or holds what nobody writes: the message says what and, where known, on which
    line."""


def loads(text: str) -> Any:
    """The value of a JSON text, with or without a byte order mark. Raises BadJson on broken JSON, NaN,
    Infinity, numbers that are too large, a key twice in an object, half a surrogate pair, and too many
    brackets within brackets."""
    try:
        value = json.loads(
            text.removeprefix("\ufeff"),
            parse_constant=_refuse,
            parse_float=_float,
            parse_int=_int,
            object_pairs_hook=_object,
        )
    except json.JSONDecodeError as error:
        raise BadJson(f"line {error.lineno}, column {error.colno}: not JSON: {error.msg}") from error
    except RecursionError as error:
        raise BadJson("too many brackets within brackets") from error
    _check(value)
    return value


def loads_object(text: str) -> dict[str, Any]:
    """The same of a text that must be an object. Raises BadJson."""
    value = loads(text)
    if not isinstance(value, dict):
        raise BadJson(f"it must be an object, {{...}}, not {_kind(value)}")
    return value


def _kind(value: object) -> str:
    kinds = {list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return kinds.get(type(value), "a number")


def _refuse(word: str) -> NoReturn:
    raise BadJson(f"{word} is no number")


def _shown(digits: str) -> str:
    return digits if len(digits) <= 24 else f"{digits[:20]}..."


def _float(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise BadJson(f"{_shown(digits)} is too large a number")
    return value


def _int(digits: str) -> int:
    if len(digits) > 20 or not -LARGEST <= int(digits) <= LARGEST:
        raise BadJson(f"{_shown(digits)} is too large a number")
    return int(digits)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise BadJson(f"{_shown(twice(pairs))!a} is there twice")
    return found


def twice(pairs: list[tuple[str, Any]]) -> str:
    """The first key of an object that stands in it more than once; there must be one."""
    counts = Counter(key for key, _ in pairs)
    return next(key for key, count in counts.items() if count > 1)


def _check(value: Any) -> None:
    """Refuses what is too deep, and texts that cannot be written."""
    level = [value]
    for _ in range(DEEPEST):
        below: list[Any] = []
        for each in level:
            if isinstance(each, dict):
                below += each.keys()
                below += each.values()
            elif isinstance(each, list):
                below += each
            elif isinstance(each, str) and not each.isascii():
                _writable(each)
        level = below
        if not level:
            return
    raise BadJson("too many brackets within brackets")


def _writable(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BadJson("a text in it has half of a character") from error
