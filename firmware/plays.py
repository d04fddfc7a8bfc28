"""JSON lines in, JSON lines out: what may be played. The command is ``barpoint plays``.

A line is ``{"rules", "position", "dice"}``: a game's name, a position in its stable form, and the dice (null
where none are rolled). An XGID or a GNU position ID is a position, too, and may have the dice in it. Before
an opening roll the dice are one of each side. The answer is ``{"plays": [{"move", "after", "outcome"}],
"outcome"}`` with every distinct legal result once, or ``{"error", "line"}`` with the number of a line that
makes no sense; the lines after it are answered all the same. One line is held at a time, so a million of them
need no more memory than one.
"""

from __future__ import annotations

import codecs
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO, TextIO

from engine import rules
from engine.errors import BadDice, EngineError
from engine.position import Awaits, Json, Position
from engine.strict_json import twice
from firmware.formats.ids import of_text
from firmware.formats.source import FormatError

LONGEST = 1 << 23
"""Characters of a line that are looked at. The largest board that can be played on needs a tenth of it."""
TOLD = 1000
"""Characters of an error: it quotes what was given, which may be long."""


def opened(stream: BinaryIO) -> TextIO:
    """Bytes as text: UTF-8, or UTF-16 where the mark says so that Windows begins such a file with."""
    begins = stream.peek(2) if isinstance(stream, io.BufferedReader) else b""
    utf16 = begins.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return io.TextIOWrapper(stream, encoding="utf-16" if utf16 else "utf-8", errors="replace")


def cut(stream: TextIO) -> Iterator[str]:
    """The lines of a text, each without what is beyond ``LONGEST``, and without the mark that some programs
    begin a file with."""
    mark = "\ufeff"
    while line := stream.readline(LONGEST):
        rest = line
        while len(rest) == LONGEST and not rest.endswith("\n"):
            rest = stream.readline(LONGEST)
        yield line.removeprefix(mark)
        mark = ""


def answers(lines: Iterable[str]) -> Iterator[str]:
    """One JSON text for every line that is not blank, in their order."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield json.dumps(answer(_parsed(line)))
            except EngineError as error:
                told = str(error)
                yield json.dumps({"error": told if len(told) <= TOLD else f"{told[:TOLD]} …", "line": number})


def answer(request: Mapping[str, Any]) -> Json:
    """What may be played in the position that ``request`` names. Raises EngineError with what is wrong with
    it."""
    position = _rolled(_position(request), request.get("dice"))
    plays = []
    for play in position.plays():
        after = play.after
        plays.append(
            {
                "move": play.text,
                "after": after.to_json(),
                "outcome": after.outcome and after.outcome.to_json(),
            }
        )
    return {"plays": plays, "outcome": position.outcome and position.outcome.to_json()}


def _parsed(line: str) -> Json:
    if len(line) >= LONGEST:
        raise EngineError(f"the line is longer than {LONGEST} characters; give one position a line")
    try:
        data = json.loads(line, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        early = "; give it whole on one line" if error.pos >= len(line.rstrip()) else ""
        raise EngineError(f"not JSON: {error.msg}, at character {error.pos + 1}{early}") from error
    except EngineError:
        raise
    except (ValueError, RecursionError) as error:
        raise EngineError(f"not JSON: {error}") from error
    if not isinstance(data, dict):
        raise EngineError('a line must be an object: {"rules": …, "position": …, "dice": …}')
    return data


def _object(pairs: list[tuple[str, Any]]) -> Json:
    """An object whose keys stand there once: of two, Python would silently take the last."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise EngineError(f"the key {twice(pairs)!r} stands in an object twice")
    return found


def _position(request: Mapping[str, Any]) -> Position:
    position = request.get("position")
    dice: tuple[int, ...] = ()
    if isinstance(position, str) and (found := _of_text(position)):
        position, dice = found.to_json(), found.dice
    if not isinstance(position, dict):
        raise EngineError('"position" must be an object, an XGID or a GNU position ID')
    name = position.get("rules") if request.get("rules") is None else request["rules"]
    if not isinstance(name, str):
        raise EngineError(f'"rules" must name a game: {", ".join(rules.names())}')
    read = rules.get(name).read(position)
    return read.roll(dice) if dice else read


def _of_text(text: str) -> Position | None:
    """A position as other programs write it; None where the text is none."""
    try:
        found = of_text(text)
    except FormatError as error:
        raise EngineError(str(error)) from error
    return None if found is None else found.position


def _rolled(position: Position, dice: object) -> Position:
    if dice is None or (dice == [] and not position.dice_due):
        if position.dice_due:
            raise BadDice(f"{position.dice_due} dice are due here")
        return position
    if not isinstance(dice, list):
        raise BadDice(f'"dice" must be a list or null, not {dice!r}')
    rolled = position.roll(tuple(dice))
    if rolled.awaits is Awaits.OPENING:
        raise BadDice("equal dice open no game: they are rolled again")
    if rolled.awaits is Awaits.ROLL:
        raise BadDice(
            f"this roll only says that {rolled.turn} begins; give the position with that turn, and"
            f" {rolled.dice_due} dice"
        )
    return rolled
