"""Matches at tables: which are there, and why one cannot be given a table. A table has one match at a time,
and so has a player, over all tournaments of the event; one name is one player."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace

from engine.messages import phrase
from firmware.errors import BadInput
from firmware.hub.office.book import KeptTournament
from firmware.hub.tournament.changes import Seat
from firmware.hub.tournament.model import Pairing
from firmware.hub.tournament.pairings import pairings
from firmware.wording import spelt

Seated = tuple[KeptTournament, Pairing]


def seated(every: Iterable[KeptTournament]) -> list[Seated]:
    """The matches that have a table and no result."""
    return [
        (kept, each) for kept in every for each in pairings(kept.event) if each.table and each.result is None
    ]


def one_each(every: Iterable[KeptTournament], is_given: Callable[[Seated], bool]) -> dict[str, Seated]:
    """The match that each table should have, by table. A player has one at a time: of two, the one that the
    table has been given already, or else the earlier."""
    ready = [(kept, each) for kept, each in seated(every) if each.ready]
    found: dict[str, Seated] = {}
    busy: dict[str, Seated] = {}
    for kept, each in sorted(ready, key=lambda match: not is_given(match)):
        if each.table not in found and not plays_elsewhere(kept, each, busy):
            found[each.table] = kept, each
            busy |= players([(kept, each)])
    return found


def players(matches: Iterable[Seated]) -> dict[str, Seated]:
    """The match that each player may play now, by the name without capitals."""
    return {
        kept.event.name_of(side).casefold(): (kept, each)
        for kept, each in matches
        if each.ready
        for side in each.sides
    }


def plays_elsewhere(kept: KeptTournament, pairing: Pairing, busy: dict[str, Seated]) -> str:
    """Which of the players has another match at a table, and which; "" where none has."""
    for name in map(kept.event.name_of, pairing.sides):
        if name.casefold() in busy:
            other, each = busy[name.casefold()]
            return phrase(
                "{player} plays match {other} of {tournament} at {table}; end it, or take its table away, "
                "before match {match}",
                player=name,
                other=each.id,
                tournament=other.event.name,
                table=each.table,
                match=pairing.id,
            )
    return ""


def check_seat(
    every: Iterable[KeptTournament], tournament: KeptTournament, act: Seat, tables: Collection[str]
) -> None:
    """What a tournament cannot know by itself of matches that get their tables; ``tables`` are the hub's.
    Another name may be any table's, but not one of theirs in another spelling. Raises BadInput."""
    rightly = {_folded(name): name for name in tables}
    given = dict(act.tables)
    left = [(kept, each) for kept, each in seated(every) if kept.id != tournament.id or each.id not in given]
    elsewhere = {each.table: kept.event.name for kept, each in left if kept.id != tournament.id}
    busy = players(left)
    known = {each.id: each for each in pairings(tournament.event)}
    for match, written in act.tables:
        table = spelt(written)  # as a tournament keeps it
        if table not in tables and (right := rightly.get(_folded(table))):
            raise BadInput(
                phrase("{given!r} is called {table!r} here: write it so", given=table, table=right)
            )
        if table in elsewhere:
            raise BadInput(
                phrase(
                    "{table} has a match of {other}; free it before match {match}",
                    table=table,
                    other=elsewhere[table],
                    match=match,
                )
            )
        each = known.get(match)
        if table and each is not None and each.ready:
            if words := plays_elsewhere(tournament, each, busy):
                raise BadInput(words)
            busy |= players([(tournament, replace(each, table=table))])


def _folded(table: str) -> str:
    return "".join(table.split()).casefold()
