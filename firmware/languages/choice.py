"""Which language a reader gets: the one that was chosen, else the first wish that can be met."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

from engine.messages import Text, translated
from firmware.languages.catalogue import ENGLISH, NAMES, catalogue

COOKIE = "barpoint-language"
"""Where a browser keeps the language that was chosen on the page."""

reader: ContextVar[str] = ContextVar("reader", default=ENGLISH)
"""The language of whoever asks now: of a request, or of a terminal."""


def local(text: str) -> str:
    """``text`` for :data:`reader`, where it is a message; any other as it is."""
    return text.told(catalogue(reader.get())) if isinstance(text, Text) else text


def for_reader(data: Any) -> Any:
    """JSON-ready data with every message in it for :data:`reader`."""
    return translated(data, catalogue(reader.get()))


def written(value: float, places: int = 0) -> str:
    """A number as :data:`reader` writes it."""
    return catalogue(reader.get()).number(value, places)


def signed(value: float, places: int) -> str:
    """The same with its sign."""
    return f"{'-' if value < 0 else '+'}{written(abs(value), places)}"


@contextmanager
def reading(code: str) -> Iterator[None]:
    """What is made meanwhile is for readers of this language."""
    before = reader.set(code)
    try:
        yield
    finally:
        reader.reset(before)


def first_known(wishes: Iterable[str]) -> str:
    """The first of these languages (``de``, ``de-AT``, ``de_AT.UTF-8``) that there is; English where none
    is."""
    for wish in wishes:
        code = wish.replace("_", "-").split(".")[0].split("-")[0].strip().lower()
        code = {"iw": "he", "c": ENGLISH, "posix": ENGLISH}.get(code, code)
        if code in NAMES:
            return code
    return ENGLISH


def of_request(headers: Mapping[str, str], query: str, usual: str = "") -> str:
    """The language of a request: ``?lang=``, the cookie, ``usual`` (the table's own), the browser's."""
    asked = parse_qs(query).get("lang", [""])[:1]
    try:
        kept = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        kept = None
    chosen = [*asked, kept.value if kept else "", usual]
    return first_known([*filter(None, chosen), *_accepted(headers.get("accept-language", ""))])


def of_terminal(chosen: str = "", environment: Mapping[str, str] = os.environ) -> str:
    """The language of a terminal: the one chosen, else what ``LANGUAGE``, ``LC_ALL``, ``LC_MESSAGES`` or
    ``LANG`` says."""
    names = ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
    found = next((environment[name] for name in names if environment.get(name)), "")
    return first_known([chosen] if chosen else found.split(":"))


def _accepted(header: str) -> list[str]:
    """The languages of an ``Accept-Language`` header, the dearest first."""
    wishes = []
    for part in header.split(",")[:30]:
        name, _, weight = part.partition(";")
        try:
            worth = float(weight.strip().removeprefix("q=") or 1)
        except ValueError:
            worth = 0.0
        if worth > 0 and name.strip():
            wishes.append((-worth, name.strip()))
    return [name for _, name in sorted(wishes, key=lambda wish: wish[0])]
