"""The seal of an exported match: a digest for each of its lines, chained to the one before, so that it shows
which line was altered, removed or added.

The seal stands in the JSON file as ``"seal": ["…", …]``: one digest for the head of the match, then, for each
game, one for its head and one for each of its actions. A digest is the first 16 hex digits of the SHA-256 of
the whole digest before it and the line's canonical JSON. Whoever rewrites a file can seal it again, but then
its last digest is another: ``barpoint verify`` prints it, and two players can note it down.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator

from engine import strict_json
from engine.position import Json
from engine.record import MatchRecord
from firmware import formats
from firmware.formats import jsonform
from firmware.formats.source import FormatError
from firmware.record.journal import canonical

KEY = "seal"
DIGITS = 16


class BrokenSeal(Exception):
    """A line of an exported match is not what was sealed; the message names it."""


def write(record: MatchRecord) -> str:
    """The match as sealed JSON, in the form of :mod:`firmware.formats.jsonform` with one key more."""
    text = jsonform.write(record)
    return f'{text.rstrip().removesuffix("}").rstrip()},\n "{KEY}": {json.dumps(digests(record))}\n}}\n'


def export_text(match: MatchRecord, form: str) -> str:
    """The match in this format, JSON with its seal. Raises FormatError and EngineError."""
    return write(match) if form == "json" else formats.write(match, form)


def digests(record: MatchRecord) -> list[str]:
    """The digest of each line, in order."""
    before, found = b"", []
    for _, line in _lines(record):
        before = hashlib.sha256(before + canonical(line).encode()).digest()
        found.append(before.hex()[:DIGITS])
    return found


def read(text: str) -> tuple[MatchRecord, list[str] | None]:
    """A match and its seal, None where it has none. Raises FormatError."""
    try:
        data = strict_json.loads_object(text)
    except strict_json.BadJson as error:
        raise FormatError(str(error)) from error
    seal = data.pop(KEY, None)
    if seal is not None and not (isinstance(seal, list) and all(isinstance(each, str) for each in seal)):
        raise FormatError(f"{KEY}: must be a list of digests")
    return jsonform.from_json(data), seal


def check(record: MatchRecord, seal: list[str]) -> None:
    """Raises BrokenSeal at the first line that is not what was sealed."""
    found = digests(record)
    places = [place for place, _ in _lines(record)]
    for number, (place, one) in enumerate(zip(places, found, strict=True)):
        if number >= len(seal):
            lines = f"{len(seal)} lines were sealed, here are {len(found)}"
            raise BrokenSeal(f"{place}: was added after the match was sealed ({lines})")
        if one != seal[number]:
            reason, missing = "altered", len(seal) - len(found)
            if missing > 0:
                reason = f"missing or altered: {missing} of the sealed lines are gone"
            elif missing < 0:
                reason = (
                    f"not the line that was sealed here: there are {-missing} more lines than were sealed"
                )
            raise BrokenSeal(f"{place}: {reason}")
    if len(found) < len(seal):
        raise BrokenSeal(f"after {places[-1]}: {len(seal) - len(found)} sealed lines are missing")


def _lines(record: MatchRecord) -> Iterator[tuple[str, Json]]:
    """Every line that is sealed, with its name."""
    head = jsonform.to_json(record)
    games = head.pop("games", [])
    yield "the match's head", head
    for number, game in enumerate(games, 1):
        actions = game.pop("actions", [])
        yield f"game {number}, its score, result and dice commitment", game
        for place, action in enumerate(actions, 1):
            told = " ".join(str(action[key]) for key in action if key in ("do", "side", "dice", "text"))
            yield f"game {number}, action {place} ({told})", action
