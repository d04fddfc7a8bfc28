"""What a table is given to play, and how it is known again in what the table tells."""

from __future__ import annotations

from typing import Any

from engine.clock import Timing
from engine.match_state import State
from firmware.hub.messages import Assignment
from firmware.hub.office.book import KeptTournament
from firmware.hub.tournament.model import Pairing

OWN_CLOCK = "table"
"""The clock that each table has set for itself."""
OURS = "club-"
"""How the ids of our assignments begin."""
MATCH = "match "
"""How the place of our matches begins, in the first entry of a table's journal."""


def assignment(kept: KeptTournament, pairing: Pairing) -> Assignment:
    """What a table is told of its match. The id is the match's own: whoever has begun it does not begin it
    again, whatever of it changes."""
    event = kept.event
    names = event.name_of(pairing.first), event.name_of(pairing.second)
    clock: dict[str, Any] | None = None
    if event.clock != OWN_CLOCK:
        clock = {"kind": Timing(event.clock).value, "waits": True}  # all that tables of 0.3 and later know
    return Assignment(
        id=f"{OURS}{kept.id}-{pairing.id}-{pairing.first}-{pairing.second}",
        players=names,
        length=pairing.length,
        score=pairing.score,
        rules=event.rules,
        clock=clock,
        competition=event.name,
        place=f"{MATCH}{pairing.id}",
    )


def goes_on(shows: Any) -> bool:
    """Whether a table shows a match in which something has happened, and which is not over: no other one
    begins there by itself."""
    try:
        begun = shows["state"] not in (State.IDLE, State.OPENING) or shows["match"]["game"] > 1
        return begun and not reached(shows)
    except (KeyError, TypeError, ValueError, AttributeError):
        return False


def reached(shows: Any) -> bool:
    """Whether a table shows a match that is over: by its score, or since somebody is out of time."""
    try:
        length = shows["match"]["length"]
        return shows["state"] == State.ENDED or (bool(length) and max(shows["score"].values()) >= length)
    except (KeyError, TypeError, ValueError, AttributeError):
        return False
