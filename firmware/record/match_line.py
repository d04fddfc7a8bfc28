"""One line of the list of matches: what it says, how it is made, and which lines are asked for.

A line is told from a match's record (:func:`match_line`), from its first entry alone (:func:`first_line`), or
of a log that cannot be replayed (:func:`damaged_line`). The list itself is
:class:`firmware.record.catalogue.Catalogue`.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

from engine import rules as games
from engine.clock import Penalty
from engine.errors import EngineError
from engine.messages import phrase
from engine.names import named
from engine.outside import writable
from engine.position import Json
from engine.record import MatchRecord, Result
from engine.words import wins
from firmware.formats.source import day_of
from firmware.record.archive import IMPORT
from firmware.record.chain import Entry

UNREADABLE = phrase("damaged: unreadable")
HALF = phrase(
    "damaged: a text in it has half of a character; export it, which replaces such text, or put it away on"
    " the page"
)
DAMAGE = "damaged: "

UNKNOWN = "?"
"""A player, or a game, that cannot be read."""

NOT_YET = phrase("not looked at yet")
"""The result of a match whose line must still be made."""


@dataclass(frozen=True, slots=True)
class LoggedMatch:
    """One line of the list. ``date`` is UTC in ISO 8601, ``score`` in the order of the sides, ``result`` in
    words. ``over``: somebody has won the match; in money play, the last game has ended. ``winner`` then names
    the player who is ahead, "" where nobody is; ``outcome`` is the result for people of any language, of a
    match with its score; ``imported``: it was played elsewhere, and only its record is here. Of a match that
    is not ``known`` yet there is what its first entry says."""

    log: str
    date: str
    rules: str
    players: tuple[str, str]
    score: tuple[int, int]
    games: int
    over: bool
    result: str
    event: str = ""
    winner: str = ""
    known: bool = True
    outcome: str = ""
    imported: bool = False

    @property
    def readable(self) -> bool:
        """Whether its record can be exported."""
        return not self.result.startswith(DAMAGE) or self.result == HALF

    def to_json(self) -> Json:
        """The stable line of ``barpoint games --json``."""
        data = asdict(self)
        del data["winner"], data["known"], data["outcome"], data["imported"]
        return {"id": data.pop("log")} | data | {"players": [*self.players], "score": [*self.score]}


@dataclass(frozen=True, slots=True)
class MatchFilter:
    """Which matches: of a player, of an event, with a result or a winner (parts of the names, in upper or
    lower case), from a day and until a day (``2026-03-01``, its beginning, or a time in UTC; both included).
    Empty: any."""

    player: str = ""
    event: str = ""
    result: str = ""
    since: str = ""
    until: str = ""

    def __call__(self, logged: LoggedMatch) -> bool:
        """Whether this match is one of them."""
        return (
            any(self.player.casefold() in name.casefold() for name in logged.players)
            and self.event.casefold() in logged.event.casefold()
            and any(
                self.result.casefold() in text.casefold()
                for text in (logged.result, logged.outcome, logged.winner)
            )
            and (not self.since or logged.date[: len(self.since)] >= self.since)
            and (not self.until or logged.date[: len(self.until)] <= self.until)
        )


def first_line(first: Entry) -> LoggedMatch:
    """What the first entry alone says of a match."""
    body: Json = first.body
    try:
        if body.get("event") == IMPORT:
            body = body["match"]
        rules, told = str(body["rules"]), body.get("players") or {}
        sides = games.get(rules).sides
        names = told if isinstance(told, list) else [told.get(side) or side for side in sides]
        one, two = (str(name) for name in names)
    except (EngineError, TypeError, KeyError, ValueError, AttributeError):
        rules = one = two = UNKNOWN
    one, two, rules = (text if writable(text) else UNKNOWN for text in (one, two, rules))
    return _without_result(first.game, first.at, rules, (one, two), NOT_YET, known=False)


def unread_line(log: str) -> LoggedMatch:
    """The line of a match of which nothing is known yet."""
    return _without_result(log, "", UNKNOWN, (UNKNOWN, UNKNOWN), NOT_YET, known=False)


def match_line(first: Entry, match: MatchRecord) -> LoggedMatch:
    """The line of a match whose log begins with this entry."""
    last = match.games[-1].result if match.games else None
    place, (one, two) = _winner(first, match), match.score
    ahead = (None if one == two else int(one < two)) if place is None else place
    over = place is not None or (last is not None and not match.terms.length)
    imported = first.body.get("event") == IMPORT
    date = (imported and day_of(match.date)) or first.at
    line = (first.game, date, match.rules, match.players, match.score, len(match.games), over)
    winner = match.players[ahead] if over and ahead is not None else ""
    if place is not None:
        outcome = describe_match(match, place)
    else:
        outcome = describe_standing(match) if match.terms.length else describe_game(match, last)
    result = describe_result(last if over else None)
    if place is not None and last is None:  # points that time has cost won the match: no game has ended
        result = describe_match(replace(match, players=games.get(match.rules).sides), place)
    found = (*line, result, match.event, winner)
    return LoggedMatch(*found, outcome=outcome, imported=imported)


def damaged_line(log: str, entries: list[Entry], found: str) -> LoggedMatch:
    """The line of a log that cannot be replayed."""
    date, rules = (entries[0].at, str(entries[0].body.get("rules", UNKNOWN))) if entries else ("", UNKNOWN)
    rules = rules if writable(rules) else UNKNOWN
    return _without_result(log, date, rules, (UNKNOWN, UNKNOWN), found)


def _without_result(
    log: str, date: str, rules: str, players: tuple[str, str], why: str, known: bool = True
) -> LoggedMatch:
    return LoggedMatch(log, date, rules, players, (0, 0), 0, False, why, known=known, outcome=why)


def _winner(first: Entry, match: MatchRecord) -> int | None:
    """Which player has won the match; None where it has no end. Whoever is out of time has lost it, unless
    its log says that this costs less."""
    last = match.games[-1].result if match.games else None
    if not match.terms.length:
        return None
    penalty = (first.body.get("clock") or {}).get("penalty", Penalty.MATCH)
    if last is not None and last.cause == "time" and last.winner is not None and penalty == Penalty.MATCH:
        return games.get(match.rules).sides.index(last.winner)
    return int(match.score[0] < match.score[1]) if max(match.score) >= match.terms.length else None


def describe_match(match: MatchRecord, winner: int) -> str:
    """How a match ended, for people: ``Björn won 5–0``. ``winner``: the first or the second player."""
    score = f"{match.score[winner]}–{match.score[1 - winner]}"
    won = phrase("{player} won {score}", player=named(match.players[winner]), score=score)
    result = match.games[-1].result
    if result is None or result.cause != "time":
        return won
    loser = named(match.players[1 - winner])
    return phrase("{words}: {player} is out of time", words=won, player=loser)


def describe_standing(match: MatchRecord) -> str:
    """How a match stands that nobody has won yet, for people: ``unfinished: 2–3 (match to 7)``."""
    terms = phrase("match to {length}", length=match.terms.length)
    return phrase("unfinished: {score} ({match})", score="–".join(map(str, match.score)), match=terms)


def describe_game(match: MatchRecord, result: Result | None) -> str:
    """How a game of a match ended, for people: with the player's name."""
    if result is None or result.winner is None:
        return describe_result(result)
    return wins(match.player(result.winner), result.kind, result.points)


def describe_result(result: Result | None) -> str:
    """How a game ended, as ``barpoint games --json`` tells it: by sides."""
    if result is None:
        return phrase("unfinished")
    if result.winner is None:
        return phrase("tie, {kind}", kind=named(result.kind))
    return wins(named(result.winner), result.kind, result.points)
