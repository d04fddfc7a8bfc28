"""What each change makes of a tournament, or why it cannot be made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypeAlias

from engine.messages import phrase
from firmware.errors import BadInput
from firmware.hub.tournament import elimination
from firmware.hub.tournament.changes import (
    LONGEST_MATCH,
    LONGEST_NAME,
    METHODS,
    MOST_ENTRIES,
    AddRound,
    Change,
    Close,
    CorrectResult,
    Enter,
    Leave,
    MakeDraw,
    OpenRound,
    Penalise,
    Rename,
    Report,
    Seat,
    Set,
)
from firmware.hub.tournament.lot import by_lot, by_strength
from firmware.hub.tournament.model import (
    BYE,
    KINDS,
    Draw,
    Entrant,
    Pairing,
    Penalty,
    Result,
    Tournament,
)
from firmware.hub.tournament.pairings import find, pairings, round_count
from firmware.hub.tournament.round_robin import schedule
from firmware.wording import spelt, steering


def apply(event: Tournament, change: Change) -> Tournament:
    """The tournament after a change. Raises BadInput where it cannot be made."""
    if event.closed:
        raise BadInput(phrase("the tournament is closed; undo its close first"))
    if not isinstance(change, Set) and not event.name:
        raise BadInput(phrase("set the tournament's name and kind first"))
    return DONE[type(change)](event, change)


def _set(event: Tournament, change: Set) -> Tournament:
    name = _word(change.name, phrase("the tournament's name"))
    if change.kind not in KINDS:
        raise BadInput(f"kind {change.kind!r}: it must be one of {', '.join(KINDS)}")
    if event.draw is not None and change.kind != event.kind:
        raise BadInput(phrase("the draw is made; undo it before you change the kind"))
    if not change.lengths or not all(1 <= each <= LONGEST_MATCH for each in change.lengths):
        raise BadInput(phrase("match lengths are 1 to {most} points, one for each round", most=LONGEST_MATCH))
    for each in pairings(event):
        length = change.lengths[min(each.round, len(change.lengths)) - 1]
        if each.id in event.results and length != each.length:
            raise BadInput(
                phrase(
                    "match {match} was played to {length} points; keep round {round} at that length",
                    match=each.id,
                    length=each.length,
                    round=each.round,
                )
            )
    return replace(
        event,
        name=name,
        kind=change.kind,
        lengths=change.lengths,
        rules=change.rules,
        clock=change.clock,
        rated=change.rated,
    )


def _enter(event: Tournament, change: Enter) -> Tournament:
    if len(event.entries) >= MOST_ENTRIES:
        raise BadInput(phrase("a tournament has at most {most} entries", most=MOST_ENTRIES))
    number = change.number
    if number <= max((each.number for each in event.entries), default=0):
        raise BadInput(f"number {number} is taken")
    entry = _entry(event, Entrant(number, "", late=event.draw is not None), change)
    grown = replace(event, entries=(*event.entries, entry))
    if event.draw is None or event.kind == "imported":
        return grown
    if event.kind == "elimination":
        return replace(grown, draw=elimination.enter_late(event.draw, number, _moved_on(event)))
    tables = {name: table for name, table in event.tables.items() if int(name.split(".")[0]) <= event.opened}
    drawn = replace(grown, draw=_reschedule(grown, event.draw), tables=tables)
    return replace(drawn, penalties=tuple(_penalties_of(drawn, event)))


def _penalties_of(drawn: Tournament, before: Tournament) -> Iterator[Penalty]:
    """The penalties, each in the match of the same two players; of a match that is not drawn any more (one of
    them has left) there is none."""
    met = {each.id: frozenset(each.sides) for each in pairings(before)}
    now = {frozenset(each.sides): each.id for each in pairings(drawn)}
    for penalty in before.penalties:
        pairing = now.get(met[penalty.pairing], "") if penalty.pairing else ""
        if pairing or not penalty.pairing:
            yield replace(penalty, pairing=pairing)


def _moved_on(event: Tournament) -> frozenset[int]:
    """Those whose second match has been told or has a table: their bye is used up."""
    busy = [each for each in pairings(event) if each.round > 1 and (each.id in event.results or each.table)]
    return frozenset(number for each in busy for number in each.sides if number)


def _reschedule(event: Tournament, draw: Draw) -> Draw:
    """The open rounds stay; whoever has not met yet meets in rounds after them."""
    kept = draw.rounds[: event.opened]
    met = {frozenset(pair) for pairs in kept for pair in pairs}
    here = [entry.number for entry in event.entries if not entry.out]
    seen = {number for pairs in kept for pair in pairs for number in pair}
    gone = sorted(seen - set(here))
    numbers = [*by_lot(draw.seed, here), *by_lot(draw.seed, gone)]
    return replace(draw, rounds=kept + schedule(numbers, met))


def _rename(event: Tournament, change: Rename) -> Tournament:
    return _with_entry(event, _entry(event, _entered(event, change.entry), change))


def _entry(event: Tournament, entry: Entrant, change: Enter | Rename) -> Entrant:
    name = _word(change.player, phrase("a player's name"))
    if any(name.casefold() == each.name.casefold() for each in event.entries if each.number != entry.number):
        raise BadInput(
            phrase(
                "{name} is entered already; tell two of the same name apart by a club or a letter", name=name
            )
        )
    if change.seed is not None and not 1 <= change.seed <= MOST_ENTRIES:
        raise BadInput(phrase("seed {seed}: seeds are counted from 1", seed=change.seed))
    if change.rating is not None and not 0 <= change.rating <= 9999:
        raise BadInput(phrase("rating {rating}: ratings are 0 to 9999", rating=change.rating))
    club = change.club and _word(change.club, phrase("a club"))
    return replace(entry, name=name, club=club, rating=change.rating, seed=change.seed)


def _leave(event: Tournament, change: Leave) -> Tournament:
    entry = _entered(event, change.entry)
    if entry.out:
        raise BadInput(phrase("{player} has left already", player=entry.name))
    matches = sum(entry.number in each.sides for each in pairings(event))
    out = "left" if event.draw else "before the draw"
    return _with_entry(event, replace(entry, out=out, matches=matches))


def _with_entry(event: Tournament, entry: Entrant) -> Tournament:
    return replace(
        event, entries=tuple(entry if each.number == entry.number else each for each in event.entries)
    )


def _draw(event: Tournament, change: MakeDraw) -> Tournament:
    if event.draw is not None:
        raise BadInput(phrase("the draw is made; undo it to make another"))
    if change.method not in METHODS:
        raise BadInput(f"method {change.method!r}: it must be one of {', '.join(METHODS)}")
    if event.kind == "imported":
        raise BadInput(phrase("this tournament's pairings are imported, round by round"))
    seed = _word(change.seed, phrase("the lot's seed"))
    here = [entry for entry in event.entries if not entry.out]
    if len(here) < 2:
        raise BadInput(phrase("a draw needs two players or more"))
    numbers = (
        by_lot(seed, [entry.number for entry in here]) if change.method == "lot" else by_strength(seed, here)
    )
    made = Draw(change.method, seed)
    if event.kind == "elimination":
        made = replace(made, slots=elimination.sheet(numbers))
    else:
        made = replace(made, rounds=schedule(numbers))
    return replace(event, draw=made)


def _add_round(event: Tournament, change: AddRound) -> Tournament:
    if event.kind != "imported":
        raise BadInput("only a tournament of the kind imported takes pairings from elsewhere")
    if not change.pairs:
        raise BadInput("a round needs one pairing or more")
    seen: set[int] = set()
    for pair in change.pairs:
        for number in pair:
            if number != BYE:
                _entered(event, number)
            if number in seen and number != BYE:
                raise BadInput(phrase("{player} is paired twice in this round", player=event.name_of(number)))
            seen.add(number)
        if pair[0] == pair[1]:
            raise BadInput(phrase("{player} is paired with nobody else", player=event.name_of(pair[0])))
    draw = event.draw or Draw("imported")
    return replace(event, draw=replace(draw, rounds=(*draw.rounds, change.pairs)))


def _open(event: Tournament, change: OpenRound) -> Tournament:
    if not 0 <= change.round <= round_count(event):
        raise BadInput(f"there is no round {change.round}: the draw has {round_count(event)}")
    played = max((int(name.split(".")[0]) for name in event.results), default=0)
    if change.round < played:
        raise BadInput(phrase("round {played} has results; it stays open", played=played))
    return replace(event, opened=change.round)


def _seat(event: Tournament, change: Seat) -> Tournament:
    tables = dict(event.tables)
    known = {each.id: each for each in pairings(event)}
    for name, table in change.tables:
        if name not in known:
            raise BadInput(f"there is no match {name}")
        if table:
            tables[name] = _word(table, phrase("a table"))
        else:
            tables.pop(name, None)
    busy: dict[str, str] = {}
    for each in known.values():
        table = tables.get(each.id, "")
        if not table or each.result is not None:
            continue
        if table in busy:
            raise BadInput(
                phrase(
                    "{table} has match {other} already; free it before match {match}",
                    table=table,
                    other=busy[table],
                    match=each.id,
                )
            )
        busy[table] = each.id
    return replace(event, tables=tables)


def _report(event: Tournament, change: Report) -> Tournament:
    return _with_result(event, _reported(event, change, change.pairing in event.results), change)


def _correct(event: Tournament, change: CorrectResult) -> Tournament:
    if change.pairing not in event.results:
        raise BadInput(phrase("match {match} has no result to correct", match=change.pairing))
    each = _reported(event, change, False)
    changed = _with_result(event, each, change)
    before, after = ({one.id: one.sides for one in pairings(state)} for state in (event, changed))
    for name in event.results:
        if before[name] != after[name]:
            raise BadInput(
                phrase(
                    "match {match} was played by {first} and {second}, which this would change; undo "
                    "that result first",
                    match=name,
                    first=event.name_of(before[name][0]),
                    second=event.name_of(before[name][1]),
                )
            )
    return changed


def _reported(event: Tournament, change: Report, told: bool) -> Pairing:
    """The match that is meant, checked."""
    each = find(event, change.pairing)
    if each is None:
        raise BadInput(f"there is no match {change.pairing}")
    if told:
        raise BadInput(phrase("match {match} has a result; correct it instead", match=each.id))
    if (change.first, change.second) != each.sides or BYE in each.sides:
        raise BadInput(
            phrase(
                "match {match} is {first} against {second}: this result names others",
                match=each.id,
                first=event.name_of(each.first),
                second=event.name_of(each.second),
            )
        )
    if each.round > event.opened:
        raise BadInput(f"round {each.round} is not open yet")
    if change.winner not in (change.first, change.second):
        raise BadInput(f"the winner of match {each.id} must be one of its players")
    if change.how not in ("played", "decided", "forfeit"):
        raise BadInput(f"how {change.how!r}: it must be played, decided or forfeit")
    _check_score(each, change)
    return each


def _check_score(each: Pairing, change: Report) -> None:
    if change.score is None:
        if change.how == "played":
            raise BadInput(
                phrase(
                    "match {match}: say the score, the winner's at least {length}",
                    match=each.id,
                    length=each.length,
                )
            )
        return
    won, lost = change.score if change.winner == change.first else change.score[::-1]
    if min(won, lost) < 0 or max(won, lost) > 999:
        raise BadInput(f"match {each.id}: a score is 0 to 999")
    if change.how == "played" and not (won >= each.length > lost):
        raise BadInput(
            phrase(
                "match {match} is to {length} points: the winner needs {length} or more, the "
                "other fewer; you said {won} and {lost}",
                match=each.id,
                length=each.length,
                won=won,
                lost=lost,
            )
        )


def _with_result(event: Tournament, each: Pairing, change: Report) -> Tournament:
    result = Result(change.winner, change.score, change.how, change.match, change.digest, change.signed)
    return replace(event, results={**event.results, each.id: result})


def _penalise(event: Tournament, change: Penalise) -> Tournament:
    entry = _entered(event, change.entry)
    if not 1 <= change.points <= LONGEST_MATCH:
        raise BadInput(
            phrase("penalty points are 1 to {most}; to take one back, undo it", most=LONGEST_MATCH)
        )
    if change.pairing:
        each = find(event, change.pairing)
        if each is None or entry.number not in each.sides:
            raise BadInput(
                phrase("{player} does not play match {match}", player=entry.name, match=change.pairing)
            )
        ended = each.id in event.results or max(each.score) < each.length
        if each.result is not None and ended:  # what penalty points ended may get more, which change nothing
            raise BadInput(phrase("match {match} is over; penalty points come before its end", match=each.id))
    elif event.kind == "elimination":
        raise BadInput(phrase("in an elimination, penalty points need a match"))
    penalty = Penalty(entry.number, change.points, change.pairing)
    return replace(event, penalties=(*event.penalties, penalty))


def _close(event: Tournament, change: Close) -> Tournament:
    missing = [each.id for each in pairings(event) if each.result is None]
    if event.draw is None or missing:
        raise BadInput(
            phrase("matches without a result: {matches}", matches=", ".join(missing[:8]))
            if missing
            else phrase("there was no draw")
        )
    return replace(event, closed=True)


def _entered(event: Tournament, number: int) -> Entrant:
    entry = event.entry(number)
    if entry is None:
        raise BadInput(f"there is no entry {number}")
    return entry


def _word(text: str, what: str) -> str:
    """A text in one line, without what would spoil a page or a file. Raises BadInput."""
    clean = spelt(text)
    if not clean or len(clean) > LONGEST_NAME:
        raise BadInput(phrase("{what} must be 1 to {most} letters", what=what, most=LONGEST_NAME))
    if odd := steering(clean):
        code = f"U+{ord(odd):04X}"
        raise BadInput(
            phrase(
                "{what} has a character in it that cannot be seen, {code}; type it anew", what=what, code=code
            )
        )
    return clean


Does: TypeAlias = Callable[[Tournament, Any], Tournament]
DONE: dict[type[Any], Does] = {
    Set: _set,
    Enter: _enter,
    Rename: _rename,
    Leave: _leave,
    MakeDraw: _draw,
    AddRound: _add_round,
    OpenRound: _open,
    Seat: _seat,
    Report: _report,
    CorrectResult: _correct,
    Penalise: _penalise,
    Close: _close,
}
