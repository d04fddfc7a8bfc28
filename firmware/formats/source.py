"""What every importer shares: text out of bytes, and a report by line of what could not be taken."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from engine.messages import phrase
from engine.position import Json
from engine.record import MatchRecord
from firmware.errors import bounded


class FormatError(ValueError):
    """A file that is not of the format, or a record that the format cannot hold; the message says why and
    what to do."""

    def __init__(self, message: str) -> None:
        super().__init__(bounded(message))


DIGITS = 6
"""Most digits of a number in a file: scores, lengths and cubes have fewer."""


def whole_number(digits: str) -> int:
    """A number of a file. Raises FormatError where it is none, or larger than any match has."""
    if not (digits.isascii() and digits.isdecimal()):
        raise FormatError(phrase("{text} is no number", text=shortened(digits)))
    if len(digits) > DIGITS:
        raise FormatError(phrase("{text} is too large a number", text=shortened(digits)))
    return int(digits)


def stake(digits: str) -> int:
    """The cube of a file. Raises FormatError where it can never show that."""
    value = whole_number(digits)
    if value < 1 or value & (value - 1):
        raise FormatError(phrase("a cube shows 1, 2, 4, 8 and so on, never {value}", value=value))
    return value


_DAY = re.compile(r"(\d{4})[-./](\d{1,2})[-./](\d{1,2})(?!\d)", re.ASCII)


def day_of(text: str) -> str:
    """The day that a text begins with, ``2026-03-01``; "" where it is none."""
    found = _DAY.match(text)
    try:
        return date(*map(int, found.groups())).isoformat() if found else ""
    except ValueError:  # the 45th of a month
        return ""


def shortened(text: str) -> str:
    """A piece of a file, quoted in a message."""
    return repr(text if len(text) <= 40 else f"{text[:40]}...")


@dataclass(frozen=True, slots=True)
class Note:
    """Something in a file that was not taken as it stands. ``line`` counts from 1; 0 is the file as a whole.
    ``lost``: a part of the match is missing for it."""

    line: int
    text: str
    lost: bool = False

    def __str__(self) -> str:
        return phrase("line {line}: {error}", line=self.line, error=self.text) if self.line else self.text


@dataclass(frozen=True, slots=True)
class Imported:
    """A match read from a file. Where ``notes`` is empty, the record holds all that was played. ``analysis``
    is what another program thinks of it, as :mod:`firmware.formats.analysed_import` found it."""

    record: MatchRecord
    notes: tuple[Note, ...] = ()
    analysis: Json | None = None


WINDOWS = {byte: bytes([byte]).decode("cp1252", errors="ignore") or chr(byte) for byte in range(128, 160)}
"""Where Windows-1252 differs from Latin-1."""


def decode(data: bytes) -> str:
    """The text of a file: UTF-8 with or without a mark, UTF-16 with one, else Windows-1252 (its unused bytes
    as Latin-1), which every older Windows program wrote. Line ends become newlines; what DOS, or a
    disk that lost its current, leaves behind the end is left out."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        text = data.decode("utf-16", errors="replace")
    else:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("latin-1").translate(WINDOWS)
    return text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\0\x1a")


def one_line(text: str) -> str:
    """Text for a field that cannot hold line ends."""
    return " ".join(text.split())
