"""A player's figures over months: a rating for each reviewed match, and where in a game the equity is lost.

Only what earlier reviews found is read; nothing is asked of an engine here, and no match is replayed: what is
told of one besides its reviews (:mod:`firmware.record.outline`) the list keeps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.layout import Side
from engine.messages import phrase
from engine.position import Json
from firmware.formats.board import SIDES
from firmware.record.catalogue import Catalogue, Progress
from firmware.record.chain import JournalError
from firmware.record.match_line import LoggedMatch
from firmware.record.outline import PHASES, GameOutline
from firmware.record.ratings import GameReview, Rating, ratings
from firmware.record.review import best_under


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
        return {
            "id": self.log,
            "date": self.date,
            "opponent": self.opponent,
            **self.rating.to_json(),
            "reviewed": self.reviewed,
            "games": self.games,
        }


def player_history(
    catalogue: Catalogue,
    matches: Sequence[LoggedMatch],
    player: str,
    folder: Path,
    tell: Progress,
) -> Iterator[MatchFigures]:
    """The figures of ``player`` (the whole name, in upper or lower case) in each of these matches that was
    reviewed, once for each side of that name; ``folder`` has the reviews. Matches that were not looked at, or
    cannot be read, are left out. ``tell`` hears before each match what part is done; it may rest, or
    raise."""
    for number, each in enumerate(matches):
        tell(number / len(matches), phrase("reading the reviews of {n} matches", n=len(matches)))
        own = [n for n, name in enumerate(each.players) if name.casefold() == player.casefold()]
        if not own or not each.known or not each.readable:
            continue
        try:
            outlines = catalogue.outline(each.log)
        except JournalError:
            continue
        reviews = [best_under(game.key, folder) for game in outlines]
        found = [review for review in reviews if review is not None]
        for at in own if found else ():
            side = SIDES[at]
            rating, phases = ratings(found)[side], by_phase(outlines, reviews, side)
            opponent = each.players[1 - at]
            yield MatchFigures(each.log, each.date, opponent, rating, len(found), len(reviews), phases)


def by_phase(
    outlines: Sequence[GameOutline], reviews: Sequence[GameReview | None], side: Side
) -> dict[str, PhaseFigures]:
    """What the decisions of ``side`` cost in each phase."""
    found = dict.fromkeys(PHASES, PhaseFigures())
    for outline, review in zip(outlines, reviews, strict=True):
        for each in review.decisions if review is not None else ():
            if each.side == side:
                phase = outline.phase_of(each)
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
