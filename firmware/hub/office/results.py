"""What a table's journal says of a match that has ended: the chain is checked, the match is played through
again, and where the table has a key, its signature must cover the whole. And what that changes in
the draw."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from engine.match_state import State
from engine.messages import phrase
from firmware.hub.office.book import KeptTournament
from firmware.hub.office.given import MATCH
from firmware.hub.office.under_way import Begun
from firmware.hub.replay import replay
from firmware.hub.tournament.changes import CorrectResult, Report
from firmware.hub.tournament.model import Pairing, Tournament
from firmware.hub.tournament.pairings import find
from firmware.record.chain import Entry
from firmware.record.signed import check_signed
from firmware.record.table_key import short


@dataclass(frozen=True, slots=True)
class EndedMatch:
    """A match that has ended. ``players`` and ``score`` are in the order of the game's sides; ``forfeited``
    is the place there of who lost it on time, whatever the score."""

    match: str
    place: str
    players: tuple[str, str]
    score: tuple[int, int]
    digest: str
    signed: str
    forfeited: int | None = None


def ended(begun: Begun, entries: Sequence[Entry]) -> EndedMatch | None:
    """How a match ended; None while it goes on, or can still be taken back. Raises BrokenChain,
    BadSignature."""
    match = begun.match
    record, table = replay(match, entries)
    if table is None or table.state is not State.ENDED:
        return None
    if table.key and not table.signed:
        return None  # a table signs when nothing can be taken back any more
    _, signature = check_signed(match, entries, table, None)
    return EndedMatch(
        match,
        begun.place,
        record.players,
        record.score,
        entries[-1].digest.hex(),
        short(signature.key) if signature else "",
        None if table.match.forfeited is None else table.match.sides.index(table.match.forfeited),
    )


def change_for(kept: KeptTournament, table: str, found: EndedMatch) -> Report | str | None:
    """The change that writes down how a table's match has ended, or why it is the director's business; None
    where it is known."""
    name = found.place.removeprefix(MATCH)
    pairing = find(kept.event, name)
    report = None if pairing is None else _as_report(kept.event, pairing, found)
    before = [each.act for each in kept.trail if isinstance(each.act, Report)]
    taken = [act.score for act in before if (act.pairing, act.match) == (name, found.match)]
    if taken and (report is None or report.score == taken[-1]):
        return None  # what the director has undone or corrected since stays so
    if pairing is None or report is None:
        return phrase(
            "{table} played match {match} with others than the draw; type it in", table=table, match=name
        )
    assert report.score is not None  # a table has one
    told, score = pairing.result, "{}-{}".format(*report.score)
    if told is not None and (told.winner, told.score or report.score) == (report.winner, report.score):
        return None
    if told is not None and told.match != report.match:
        return phrase(
            "match {match} has a result; {table} has another one, {score}: press Correct, and write down the "
            "one that counts",
            match=name,
            table=table,
            score=score,
        )
    if pairing.table != table:
        return phrase(
            "{table} says {score} of match {match}, which is at {where}; type it in",
            table=table,
            score=score,
            match=name,
            where=pairing.table or phrase("no table"),
        )
    if told is None:
        return report
    return CorrectResult(**{each.name: getattr(report, each.name) for each in fields(Report)})


def reason_for(change: Report) -> str:
    """Why it is made, for the trail: a table may say a second time how its own match ended, if something was
    set by hand after its first end."""
    return "the table's journal goes on after its first end" if isinstance(change, CorrectResult) else ""


def _as_report(event: Tournament, pairing: Pairing, found: EndedMatch) -> Report | None:
    """The result of a pairing; None where the match was played by others. Who sits on which side is for the
    players to choose."""
    names = event.name_of(pairing.first), event.name_of(pairing.second)
    said, wanted = (tuple(name.casefold() for name in pair) for pair in (found.players, names))
    if not pairing.first or not pairing.second or sorted(said) != sorted(wanted):
        return None
    score = found.score if said == wanted else found.score[::-1]
    winner = pairing.first if score[0] > score[1] else pairing.second
    if found.forfeited is not None:
        loses = said[found.forfeited] == wanted[0]
        winner = pairing.second if loses else pairing.first
    return Report(
        pairing.id,
        pairing.first,
        pairing.second,
        winner,
        score,
        "played" if found.forfeited is None else "forfeit",
        match=found.match,
        digest=found.digest,
        signed=found.signed,
    )
