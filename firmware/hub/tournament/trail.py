"""What was done to a tournament, by whom, when and why, and how it is taken back.

Nothing in a trail is ever removed: to undo an entry is an entry of its own, which can be undone as well. The
tournament is what the entries that count make of an empty one, in their order; an entry on which a later one
rests cannot be undone before that one.
"""

from __future__ import annotations

import dataclasses
import types
import typing
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from engine.messages import phrase
from firmware.errors import BadInput
from firmware.hub.tournament.apply import DONE, apply
from firmware.hub.tournament.changes import Change, CorrectResult, Leave, Penalise, Set
from firmware.hub.tournament.model import Tournament

NEED_REASON = (CorrectResult, Penalise, Leave)
"""What nobody does without saying why."""
LONGEST_REASON = 300
"""Letters of a reason."""


@dataclass(frozen=True, slots=True)
class Undo:
    """An entry of the trail does not count any more."""

    number: int


Act: TypeAlias = Change | Undo
KINDS: dict[str, type[Any]] = {kind.__name__: kind for kind in (*DONE, Undo)}


@dataclass(frozen=True, slots=True)
class Done:
    """An entry of the trail. ``number`` counts from 1; ``at`` is in seconds since 1970; ``who`` did it."""

    number: int
    at: float
    who: str
    why: str
    act: Act


def undone(trail: Sequence[Done]) -> frozenset[int]:
    """The numbers of the entries that do not count."""
    gone: set[int] = set()
    for done in reversed(trail):
        if isinstance(done.act, Undo) and done.number not in gone:
            gone.add(done.act.number)
    return frozenset(gone)


def fold(trail: Sequence[Done]) -> Tournament:
    """What a trail makes. Raises BadInput, which names the entry that cannot follow on those before it."""
    gone = undone(trail)
    event = Tournament()
    for done in trail:
        if done.number in gone or isinstance(done.act, Undo):
            continue
        try:
            event = apply(event, done.act)
        except BadInput as error:
            raise BadInput(
                phrase(
                    "entry {number} of the trail rests on it: {error}", number=done.number, error=str(error)
                )
            ) from error
    return event


def do(trail: Sequence[Done], event: Tournament, done: Done) -> Tournament:
    """The tournament after one more entry; ``event`` is what ``trail`` has made. Raises BadInput."""
    if isinstance(done.act, NEED_REASON) and not done.why.strip():
        raise BadInput(phrase("say why: others will read it"))
    if len(done.why) > LONGEST_REASON:
        raise BadInput(phrase("the reason has more than {most} letters", most=LONGEST_REASON))
    if not isinstance(done.act, Undo):
        return apply(event, done.act)
    target = done.act.number
    if not 1 <= target <= len(trail):
        raise BadInput(f"the trail has no entry {target}")
    if target in undone(trail):
        raise BadInput(f"entry {target} is undone already")
    if isinstance(trail[target - 1].act, Set) and target == 1:
        raise BadInput("the first entry makes the tournament, and stays")
    try:
        return fold([*trail, done])
    except BadInput as error:
        raise BadInput(
            phrase("entry {target} cannot be undone: {error}", target=target, error=str(error))
        ) from error


def to_json(act: Act) -> dict[str, Any]:
    """An act as plain data."""
    return {"act": type(act).__name__} | dataclasses.asdict(act)


def from_json(data: Any) -> Act:
    """An act from plain data that anybody may have sent. Raises BadInput."""
    if not isinstance(data, dict) or not isinstance(data.get("act"), str) or data["act"] not in KINDS:
        raise BadInput(f"act: it must be one of {', '.join(sorted(KINDS))}")
    kind = KINDS[data["act"]]
    fields = {each.name: each for each in dataclasses.fields(kind)}
    given = {name: value for name, value in data.items() if name != "act"}
    if unknown := sorted(set(given) - set(fields)):
        raise BadInput(f"{kind.__name__} has no {unknown[0]!r}")
    hints = typing.get_type_hints(kind)
    for name, field in fields.items():
        if name not in given and field.default is dataclasses.MISSING:
            raise BadInput(f"{kind.__name__} needs {name!r}")
    made: Act = kind(**{name: _value(value, hints[name], name) for name, value in given.items()})
    return made


def _value(value: Any, hint: Any, name: str) -> Any:
    """A field's value as its annotation says. Raises BadInput."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        inner = next(part for part in parts if part is not type(None))
        return None if value is None else _value(value, inner, name)
    if origin is tuple and isinstance(value, (list, tuple)):
        if parts[-1] is Ellipsis:
            return tuple(_value(each, parts[0], name) for each in value)
        if len(value) == len(parts):
            return tuple(_value(each, part, name) for each, part in zip(value, parts, strict=True))
    if origin is typing.Literal and value in parts:
        return value
    if hint is float and type(value) in (int, float):
        return float(value)
    if hint is str and type(value) is str:
        return unicodedata.normalize("NFC", value)  # a letter with its accent apart is the same name
    if isinstance(hint, type) and origin is None and type(value) is hint:
        return value
    raise BadInput(f"{name}: {str(value)[:40]!r} is not what it needs")
