"""A player's figures over months: a rating for each reviewed match, and where in a game the equity is lost.

Only what earlier reviews found is read; nothing is asked of an engine here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from engine.errors import EngineError
from engine.layout import Side
from engine.messages import phrase
from engine.position import Json
from engine.record import MatchRecord, Played, Stood, replay
from firmware.engines import Board
from firmware.formats import FormatError
from firmware.formats.board import BAR, SIDES
from firmware.record.archive import read_match
from firmware.record.chain import JournalError
from firmware.record.journal import Journal
from firmware.record.match_line import LoggedMatch
from firmware.record.ratings import Decision, GameReview, Rating, ratings
from firmware.record.review import best_kept
from firmware.record.spots import board_of

PHASES = {
    "opening": phrase("opening"),
    "middle game": phrase("middle game"),
    "containment": phrase("containment"),
    "race": phrase("race"),
    "cube": phrase("cube"),
}
"""Where in a game a decision is made, and how people call it; :func:`phase_of` says how that is told."""

OPENING = 6
"""The plays of a game that are its opening, both sides' together."""


@dataclass(frozen=True, slots=True)
class PhaseFigures:
    """What a player's decisions of one phase cost, in points of equity."""

    decisions: int = 0
    lost: float = 0.0

    @property
    def pr(self) -> float:
        """The performance rating of these decisions alone."""
        return 500 * self.lost / self.decisions if self.decisions else 0.0


@dataclass(frozen=True, slots=True)
class MatchFigures:
    """A player's figures in one match, the reviewed games of it."""

    log: str
    date: str
    opponent: str
    rating: Rating
    reviewed: int
    games: int
    phases: Mapping[str, PhaseFigures]

    def to_json(self) -> Json:
        """Plain data."""
        rating = self.rating
        return {
            "id": self.log,
            "date": self.date,
            "opponent": self.opponent,
            "pr": round(rating.pr, 2),
            "play_pr": round(rating.play_pr, 2),
            "cube_pr": round(rating.cube_pr, 2),
            "decisions": rating.decisions,
            "errors": rating.errors,
            "blunders": rating.blunders,
            "luck": round(rating.luck, 3),
            "reviewed": self.reviewed,
            "games": self.games,
        }


def player_history(
    journal: Journal,
    matches: Iterable[LoggedMatch],
    player: str,
    folder: Path,
    breathe: Callable[[], None] = lambda: None,
) -> Iterator[MatchFigures]:
    """The figures of ``player`` (the whole name, in upper or lower case) in each of these matches that was
    reviewed, once for each side of that name; ``folder`` has the reviews. Matches that cannot be read are
    left out."""
    for each in matches:
        breathe()
        own = [n for n, name in enumerate(each.players) if name.casefold() == player.casefold()]
        if not own or not each.readable:
            continue
        with suppress(JournalError, EngineError, FormatError):
            match = read_match(journal, each.log)
            reviews = best_kept(match, folder)
            found = [review for review in reviews if review is not None]
            for at in own if found else ():
                side = SIDES[at]
                rating, phases = ratings(found)[side], by_phase(match, reviews, side)
                opponent = each.players[1 - at]
                yield MatchFigures(each.log, each.date, opponent, rating, len(found), len(reviews), phases)


def by_phase(match: MatchRecord, reviews: Sequence[GameReview | None], side: Side) -> dict[str, PhaseFigures]:
    """What the decisions of ``side`` cost in each phase."""
    found = dict.fromkeys(PHASES, PhaseFigures())
    for number, review in enumerate(reviews, 1):
        boards = _boards(match, number) if review is not None else {}
        for each in review.decisions if review is not None else ():
            if each.side == side:
                phase = phase_of(each, boards.get(each.turn))
                before = found[phase]
                found[phase] = PhaseFigures(before.decisions + (not each.obvious), before.lost + each.loss)
    return found


def together(matches: Iterable[MatchFigures]) -> dict[str, PhaseFigures]:
    """The phases of several matches, summed."""
    found = dict.fromkeys(PHASES, PhaseFigures())
    for each in matches:
        for phase, figures in each.phases.items():
            before = found[phase]
            found[phase] = PhaseFigures(before.decisions + figures.decisions, before.lost + figures.lost)
    return found


def phase_of(decision: Decision, board: Board | None) -> str:
    """The phase of a decision made on this board: everything about the cube is *cube*; a *race* where the
    sides have passed each other; *containment* where a checker is on the bar, or one side bears off while
    the other still blocks it; the first plays are the *opening*, all else the *middle game*."""
    if decision.kind == "cube":
        return "cube"
    if board is None:
        return "middle game"
    own, other = board
    last = [max((place for place in range(1, BAR + 1) if side[place]), default=0) for side in board]
    if last[0] + last[1] < BAR:
        return "race"
    if own[BAR] or other[BAR] or own[0] or other[0]:
        return "containment"
    return "opening" if decision.turn <= OPENING else "middle game"


def history_json(player: str, matches: Sequence[MatchFigures]) -> Json:
    """The whole history as plain data."""
    phases = together(matches)
    decisions = sum(each.rating.decisions for each in matches)
    lost = sum(each.rating.lost + each.rating.cube_lost for each in matches)
    return {
        "player": player,
        "pr": round(500 * lost / decisions, 2) if decisions else 0.0,
        "decisions": decisions,
        "matches": [each.to_json() for each in matches],
        "phases": {
            name: {"decisions": each.decisions, "lost": round(each.lost, 3), "pr": round(each.pr, 2)}
            for name, each in phases.items()
        },
    }


def _boards(match: MatchRecord, number: int) -> dict[int, Board]:
    """Of a game (numbered from 1) the board before each play, as its side sees it."""
    boards, turn = {}, 1
    for moment in replay(match, match.games[number - 1]):
        if isinstance(moment.action, Played | Stood):
            if moment.before.position.turn is not None:
                boards[turn] = board_of(moment.before.position, moment.before.position.turn)
            turn += 1
    return boards
