"""A match that a table has begun, beside what the director has written down since then: a table plays on as
it began, so the director is told what does not agree, and what to do about it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from engine import event_json, events, rules
from engine.errors import EngineError
from engine.messages import phrase
from firmware.hub.messages import Assignment
from firmware.hub.office.given import MATCH
from firmware.hub.tournament.model import Pairing
from firmware.record.chain import Entry


@dataclass(frozen=True, slots=True)
class Begun:
    """How a match began. ``score`` is what each player began with, by name without capitals, in this order;
    ``corrected``: the score was set by hand at the table since."""

    match: str
    competition: str
    place: str
    score: tuple[tuple[str, int], ...]
    length: int
    corrected: bool


def beginning(match: str, entries: Sequence[Entry]) -> Begun | None:
    """How a match began; None where no table played it."""
    try:
        begin = event_json.from_json(entries[0].body) if entries else None
        if not isinstance(begin, events.Begin):
            return None
        sides = rules.get(begin.rules).sides
    except EngineError:
        return None
    names = [begin.players.get(side, "").casefold() for side in sides]
    corrected = any(each.body.get("event") == "correct" and each.body.get("score") for each in entries)
    score = tuple(zip(names, begin.terms.score, strict=False))
    return Begun(match, begin.competition, begin.place, score, begin.terms.length, corrected)


def disagreement(table: str, begun: Begun, given: Assignment, entered: Collection[str]) -> str:
    """What of the match at a table is not as the director has it now, and the way out; "" where it is.
    ``entered`` are the names of all who play in the tournament."""
    wanted = dict(zip((name.casefold() for name in given.players), given.score, strict=False))
    names = {name for name, _ in begun.score}
    told = {"table": table, "match": begun.place.removeprefix(MATCH)}
    if not names.isdisjoint({name.casefold() for name in entered} - set(wanted)):
        return phrase(
            "{table} plays match {match} with somebody who is not in it any more: end it there, or set up a "
            "new one on the table's page; then the right one begins there by itself",
            **told,
        )
    if begun.length != given.length:
        return phrase(
            "{table} began match {match} to {begun} points, and plays on so: tell the players that it is to "
            "{length}, and type the result",
            **told,
            begun=begun.length,
            length=given.length,
        )
    if names != set(wanted):
        return phrase(
            "{table} began match {match} with other names, and plays on so: type the result, or write the "
            "names as they were",
            **told,
        )
    if dict(begun.score) != wanted and not begun.corrected:
        return phrase(
            "{table} had begun match {match} before its penalty points were changed, and plays on without"
            " that: set the score at the table (Score, cube, turn; with the director's PIN of that table)",
            **told,
        )
    return ""


def left_over(table: str, pairing: Pairing) -> str:
    """What is to be done about a match that a table plays, and that is over for the director, or was given
    to another table since."""
    if pairing.result is not None:
        return phrase(
            "{table} still plays match {match}, which has a result: end it there, or set up a new one on the "
            "table's page; until then no other match begins there",
            table=table,
            match=pairing.id,
        )
    return phrase(
        "{table} plays match {match}, which is at {where} now: give it back to {table}, or type the result",
        table=table,
        match=pairing.id,
        where=pairing.table or phrase("no table"),
    )
