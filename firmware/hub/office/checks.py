"""What a tournament cannot know by itself of a change: who makes it and why, and whether this program has its
games and clocks. Each function raises BadInput."""

from __future__ import annotations

from collections.abc import Iterable

from engine import rules
from engine.clock import Timing
from engine.messages import phrase
from firmware.errors import BadInput
from firmware.hub.office.book import KeptTournament
from firmware.hub.office.given import OWN_CLOCK
from firmware.hub.tournament.changes import Set
from firmware.wording import spelt, steering

CLOCKS = (OWN_CLOCK, *(each.value for each in Timing))
LONGEST_WHO = 40
"""Letters of a director's name."""
LONGEST_WHY = 400
"""Letters of a reason."""


def person(who: str) -> str:
    """A director's name, as it is written down."""
    name = spelt(who)
    if not name or len(name) > LONGEST_WHO or steering(name):
        raise BadInput(
            phrase("say who you are, in 1 to {most} letters: it stands in the trail", most=LONGEST_WHO)
        )
    return name


def reason(why: str) -> str:
    """A director's reason, as it is written down."""
    words = " ".join(why.split())
    if len(words) > LONGEST_WHY or steering(words):
        raise BadInput(phrase("say why in at most {most} letters: it stands in the trail", most=LONGEST_WHY))
    return words


def check_settings(tournaments: Iterable[KeptTournament], own: KeptTournament | None, act: Set) -> None:
    """Of the tournament ``own``, None of a new one, among the event's."""
    if act.clock not in CLOCKS:
        raise BadInput(f"clock {act.clock!r}: it must be one of {', '.join(CLOCKS)}")
    if act.rules not in rules.names():
        raise BadInput(
            phrase(
                "rules {game!r}: it must be one of {games}",
                game=act.rules,
                games=", ".join(rules.names()),
            )
        )
    known = called(tournaments, act.name)
    if known is not None and (own is None or known.id != own.id):
        raise BadInput(
            phrase(
                "there is a tournament {name!r} already: results are told apart by this name",
                name=act.name,
            )
        )


def called(tournaments: Iterable[KeptTournament], name: str) -> KeptTournament | None:
    """The tournament that is, or was once, called so."""
    return next((each for each in tournaments if spelt(name) in _names(each)), None)


def _names(kept: KeptTournament) -> set[str]:
    return {spelt(done.act.name) for done in kept.trail if isinstance(done.act, Set)}
