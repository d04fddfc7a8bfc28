"""The one check of everything that comes from outside: acts on the page, set-up, files that are imported.

JSON can hold what no table has a use for and some program chokes on: numbers of a thousand digits, NaN, half
of a character, control characters, ten thousand brackets. None of it gets past here, so nobody behind has to
think of it. What a value *means* is checked where it is used.

A journal is read with :func:`check_numbers` alone: earlier releases let odd text in, and what they wrote must
stay readable.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Mapping
from typing import Any

from engine.errors import EngineError

LARGEST = 10**9
"""No number of a game is larger; a match of a thousand games, each at the largest cube, scores less."""
DEEPEST = 16
"""Objects and lists inside one another. An imported match has 8."""
LONGEST = 20_000
"""Letters of one text, and parts of one object or list."""
HIDDEN = ("Cc", "Cs", "Zl", "Zp")
"""Unicode's kinds of characters that are no text: control characters, halves of characters, line and
paragraph marks."""

OVERRIDES = dict.fromkeys(range(0x202A, 0x202F))
"""What turns the direction of all that follows, to be left out by :meth:`str.translate`; no name needs it."""


def check(value: object, where: str, *, lines: bool = False) -> None:
    """Raises EngineError, which names the place, unless ``value`` is plain JSON with ordinary numbers and
    text. ``lines``: text may have several lines and tabs."""
    _check(value, where, 0, "\n\t" if lines else "")


def check_numbers(value: object, where: str) -> None:
    """The same for a journal: the text in it is taken as it is."""
    _check(value, where, 0, None)


def check_text(text: str, where: str, allowed: str = "") -> None:
    """Raises EngineError where ``text`` is too long or has characters that are no text."""
    if len(text) > LONGEST:
        raise EngineError(f"{where}: the text has {len(text)} letters; {LONGEST} are the most")
    for place, letter in enumerate(text):
        if letter not in allowed and unicodedata.category(letter) in HIDDEN:
            raise EngineError(
                f"{where}: letter {place + 1} is no text (U+{ord(letter):04X}, a control character or half of"
                " one); take it out"
            )


def writable(value: object) -> bool:
    """Whether every text in plain JSON can be written to a file: none has half of a character in it."""
    if isinstance(value, str):
        return not any("\ud800" <= letter <= "\udfff" for letter in value)
    if isinstance(value, Mapping):
        return all(writable(key) and writable(each) for key, each in value.items())
    return all(map(writable, value)) if isinstance(value, (list, tuple)) else True


def shown(value: object) -> str:
    """A wrong value as a message quotes it: short, one line, whatever it is."""
    try:
        text = ascii(value)
    except (ValueError, RecursionError):  # a number of more digits than Python writes, or an endless list
        return "something too large to show"
    return text if len(text) <= 80 else text[:77] + "..."


def _check(value: Any, where: str, depth: int, allowed: str | None) -> None:
    if depth > DEEPEST:
        raise EngineError(f"{where}: more than {DEEPEST} objects or lists inside one another")
    if isinstance(value, str):
        if allowed is not None:
            check_text(value, where, allowed)
    elif value is None or isinstance(value, bool):
        return
    elif isinstance(value, (int, float)):
        _check_number(value, where)
    elif isinstance(value, (Mapping, list, tuple)):
        _check_parts(value, where, depth, allowed)
    else:
        raise EngineError(f"{where}: {shown(value)} is no JSON")


def _check_number(value: float, where: str) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise EngineError(f"{where}: must be a finite number, not {value}")
    if abs(value) > LARGEST:
        raise EngineError(f"{where}: the number is too large; {LARGEST} is the largest")


def _check_parts(
    value: Mapping[Any, Any] | list[Any] | tuple[Any, ...], where: str, depth: int, allowed: str | None
) -> None:
    if len(value) > LONGEST:
        raise EngineError(f"{where}: has {len(value)} parts; {LONGEST} are the most")
    if isinstance(value, Mapping):
        for key, each in value.items():
            if not isinstance(key, str):
                raise EngineError(f"{where}: the name {shown(key)} must be a text")
            if allowed is not None:
                check_text(key, f"{where}: the name {shown(key)}")
            _check(each, f"{where}.{shown(key)[1:-1]}", depth + 1, allowed)
        return
    for place, each in enumerate(value):
        _check(each, f"{where}[{place}]", depth + 1, allowed)
