"""When the next game or match may begin: nothing that ends a game is one press away from beginning the next.

Who presses *done* as a game ends may have meant that game, and two thumbs press at once. So a button must be
pressed twice, some time apart; the page has a button of its own, which comes to where *done* was and so does
not count at first. Who types ``next`` means it.
"""

from __future__ import annotations

from engine.events import Button, Next
from engine.match_state import State
from engine.messages import phrase
from engine.session import Session
from firmware.table.referee import Stimulus
from hardware.protocols import Pressed

CALM = 2.0
"""Seconds after a game's end in which nobody can begin the next by the page: its button has just come to
where *done* was."""
APART = 1.0
"""Seconds that must lie between the two *done* that begin the next game: a bounce, or both players at once,
is one."""
TOGETHER = 60.0
"""Seconds after which the first of them is forgotten."""
GAME_OVER = phrase(
    "the game is over; press done again to begin the next one, or undo to take the last play back"
)
MATCH_OVER = phrase(
    "the match is over; press done again to begin another one, or undo to take the last play back"
)
TOO_SOON = phrase("the game has only just ended; look at the result, then press once more")


def begins_next(session: Session, stimulus: Stimulus) -> bool:
    """Whether this would begin the next game, or another match."""
    if isinstance(stimulus, Next):
        return session.state is State.OVER
    if not isinstance(stimulus, Pressed):
        return False
    if session.state is State.OVER:
        return stimulus.button is Button.DONE
    return session.state is State.ENDED and stimulus.button in (Button.DONE, Button.ROLL)


class NextGame:
    """What happened since the game at the table was over. Times are table time, in seconds."""

    def __init__(self) -> None:
        self._over: float | None = None
        """Since when it has been over; None while it is not."""
        self._once: float | None = None
        """When *done* was pressed for the first of two times."""

    def note(self, session: Session, t: float) -> None:
        """The table is now so."""
        if session.state not in (State.OVER, State.ENDED):
            self._over = self._once = None
        elif self._over is None:
            self._over = t

    def refusal(self, session: Session, stimulus: Stimulus, *, on_page: bool) -> str | None:
        """Why this, which would begin the next game or match, may not do so now; None where it may.
        ``on_page``: somebody pressed the page's button for it, for the state that it showed."""
        t = stimulus.t
        if isinstance(stimulus, Next):
            calm = not on_page or self._over is None or t - self._over >= CALM
            return None if calm else TOO_SOON
        first = self._once
        if first is not None and APART <= t - first <= TOGETHER:
            self._once = None
            return None
        if first is None or t - first > TOGETHER:
            self._once = t
        return MATCH_OVER if session.state is State.ENDED else GAME_OVER
