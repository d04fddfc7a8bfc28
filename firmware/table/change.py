"""Another match at the table: what the players ask for, and whether a match would be left for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.events import Begin
from engine.layout import Side
from engine.match_state import State
from engine.messages import phrase
from engine.session import Session

SET_UP = phrase("set up the board first; 'Set up' on the page begins the next match")
"""The answer to whoever wants another match whose map nobody can know."""


@dataclass(frozen=True, slots=True)
class MatchChange:
    """Another match must come to the table: a new one with the players' words for its dice, or an open one,
    ``log``. ``leave`` allows to leave an unfinished match for it."""

    begin: Begin | None = None
    words: Mapping[Side, str] = field(default_factory=dict)
    log: str = ""
    leave: bool = False

    def refusal(self) -> str | None:
        """Why no such match can begin, whatever is at the table."""
        reason = Session().refusal(self.begin) if self.begin is not None else None
        return phrase("the match cannot begin: {reason}", reason=reason) if reason is not None else None


def under_way(session: Session) -> bool:
    """Whether the match at the table is unfinished: something has happened in it, and it has not ended."""
    table = session.table
    if table is None or table.state is State.ENDED:
        return False
    return bool(
        table.moves
        or table.pending
        or table.rolls != (0, 0)
        or table.match.game > 1
        or table.match.score != table.match.terms.score
    )
