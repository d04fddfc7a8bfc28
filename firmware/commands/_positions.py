"""A position that somebody names: a file with it, or the text itself."""

from __future__ import annotations

from pathlib import Path

from engine import rules as games
from engine import strict_json
from engine.errors import EngineError
from engine.messages import phrase
from engine.position import Position
from firmware.files import is_file, read_whole
from firmware.formats.ids import GAME, Situation, of_text
from firmware.formats.source import FormatError, decode


def read_position(source: str | Path) -> Position:
    """A position that somebody names: a file with the JSON form, an XGID or a GNU ID in it, or one of these
    texts itself.

    Raises FormatError, saying what was tried.
    """
    return read_situation(source).position


def read_situation(source: str | Path) -> Situation:
    """The same with cube, dice and score, where the text says them."""
    text = str(source).strip()
    tried = phrase(
        "{text!r} is neither a file nor a position: give a file with a JSON position, an XGID, or a GNU"
        " position ID",
        text=text[:60],
    )
    if isinstance(source, Path) or (
        len(text) < 4096 and "\n" not in text and not text.startswith("{") and is_file(Path(text))
    ):
        try:
            text = decode(read_whole(Path(source))).strip()
        except OSError as error:
            raise FormatError(
                phrase("{path} cannot be read: {error}", path=source, error=error.strerror or error)
            ) from error
        tried = phrase(
            "{path} holds no position: there has to be nothing but a JSON position, an XGID, or a GNU"
            " position ID",
            path=source,
        )
    if text.startswith("{"):
        return Situation(_of_json(text))
    found = of_text(text)
    if found is not None:
        return found
    raise FormatError(tried)


def _of_json(text: str) -> Position:
    try:
        data = strict_json.loads_object(text)
        return games.get(str(data.get("rules", GAME))).read({"rules": GAME, **data})
    except strict_json.BadJson as error:
        raise FormatError(str(error)) from error
    except EngineError as error:
        raise FormatError(phrase("no possible position: {error}", error=str(error))) from error
