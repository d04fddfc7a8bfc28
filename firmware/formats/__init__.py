"""Matches to files and back, one module per format.

``write(record, "mat")`` and ``read(data)`` are the whole interface; ``FORMATS`` says what there is.
Everything here is text (bytes for a binary format) in and out: who opens files is the caller's business.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from engine import rules as games
from engine.errors import EngineError
from engine.messages import phrase
from engine.record import MatchRecord
from firmware.formats import (
    analysed_import,
    ids,
    jsonform,
    mat,
    mat_import,
    ogxm_export,
    sgf,
    sgf_import,
    textform,
    xgid_import,
)
from firmware.formats.source import FormatError, Imported, Note, decode

__all__ = [
    "FORMATS",
    "Format",
    "FormatError",
    "Imported",
    "Note",
    "format_for",
    "read",
    "write",
]


@dataclass(frozen=True, slots=True)
class Format:
    """One file format. ``rules`` are the games that it can hold, None all; ``read`` is None where it is
    written only; ``binary`` files are bytes; ``package`` is what it needs beside this program."""

    title: str
    suffix: str
    write: Callable[[MatchRecord], str | bytes]
    read: Callable[[str], Imported] | None
    rules: frozenset[str] | None = None
    binary: bool = False
    package: str = ""

    @property
    def installed(self) -> bool:
        """Whether it can be written here."""
        return not self.package or importlib.util.find_spec(self.package) is not None


def _held(format: str) -> frozenset[str]:
    """The games that a format of other programs has a name for."""
    return frozenset(name for name in games.names() if format in games.get(name).file_names)


FORMATS: Mapping[str, Format] = {
    "mat": Format("Jellyfish match", ".mat", mat.write, mat_import.read, _held("mat")),
    "sgf": Format("Smart Game Format of GNU Backgammon", ".sgf", sgf.write, sgf_import.read, _held("sgf")),
    "xgid": Format("an XGID for each decision", ".xgid", ids.write, xgid_import.read, _held("xgid")),
    "ogxm": Format(
        "OGXM, the signed match format of OpenGammon",
        ".ogxm",
        ogxm_export.write,
        None,
        _held("ogxm"),
        binary=True,
        package=ogxm_export.PACKAGE,
    ),
    "json": Format(
        "Barpoint match, everything", ".json", jsonform.write, lambda text: Imported(jsonform.read(text))
    ),
    "text": Format(
        "Barpoint match, plain text", ".txt", textform.write, lambda text: Imported(textform.read(text))
    ),
}


def write(record: MatchRecord, format: str) -> str | bytes:
    """The record in this format; bytes where it is a binary one. Raises FormatError where the format is
    unknown or cannot hold the record, BadRecord where the record breaks the rules of its game."""
    return format_for(record, format).write(record)


def format_for(record: MatchRecord, format: str) -> Format:
    """The format of this name. Raises FormatError where it is unknown or cannot hold the record's game."""
    known = FORMATS.get(format)
    if known is None:
        raise FormatError(
            phrase(
                "unknown format {format!r}; there are {formats}", format=format, formats=", ".join(FORMATS)
            )
        )
    if known.rules is not None and record.rules not in known.rules:
        whole = ", ".join(name for name, each in FORMATS.items() if each.rules is None)
        raise FormatError(
            phrase(
                "{format} holds {games} only, and this is {game}; use {formats}",
                format=format,
                games=", ".join(sorted(known.rules)),
                game=record.rules,
                formats=whole,
            )
        )
    return known


def read(data: bytes | str, format: str | None = None) -> Imported:
    """A match out of a file, of this format or of the one that it looks like. Raises FormatError."""
    if isinstance(data, bytes) and format is None and analysed_import.program_of(data) is not None:
        return analysed_import.read(data)
    text = decode(data) if isinstance(data, bytes) else data
    known = FORMATS.get(format or detect(text))
    if known is None or known.read is None:
        readable = ", ".join(name for name, each in FORMATS.items() if each.read)
        raise FormatError(
            phrase(
                "{format} cannot be read; there are {formats}",
                format=format or detect(text),
                formats=readable,
            )
        )
    return _bounded(known.title, known.read, text)


def _bounded(title: str, parse: Callable[[str], Imported], text: str) -> Imported:
    """What a parser makes of a text. Whatever else it trips over is the text's fault, in one line."""
    try:
        return parse(text)
    except FormatError:
        raise
    except (EngineError, ValueError, LookupError, TypeError, ArithmeticError, RecursionError) as error:
        words = " ".join(str(error).split())[:120]
        raise FormatError(
            phrase("no {title}, or a damaged one: {error}", title=title, error=words or type(error).__name__)
        ) from error


def detect(text: str) -> str:
    """The format that a text looks like; ``mat`` where nothing speaks against it."""
    head = text.lstrip()
    if head.startswith("OGXM"):
        return "ogxm"
    if head.startswith("{"):
        return "json"
    if head.startswith("(") or ("(;" in head and "GM[6]" in head):
        return "sgf"
    if head.startswith(textform.TITLE):
        return "text"
    position = "XGID=" in head or len(ids.named(head)) == 1
    return "xgid" if position and not any(map(mat_import.MATCH.match, head.splitlines())) else "mat"
