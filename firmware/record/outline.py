"""What a player's history asks of a match beside its reviews, told once from its record: what each game's
reviews are kept under, and the phase in which each play was made.

:class:`firmware.record.catalogue.Catalogue` keeps it, so that no match is replayed for its figures again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from engine.errors import EngineError
from engine.messages import phrase
from engine.record import MatchRecord, Played, Stood, replay
from firmware.engines import Board
from firmware.formats import FormatError
from firmware.formats.board import BAR
from firmware.record.ratings import Decision
from firmware.record.review import review_key
from firmware.record.spots import board_of, is_known

PHASES = {
    "opening": phrase("opening"),
    "middle game": phrase("middle game"),
    "containment": phrase("containment"),
    "race": phrase("race"),
    "cube": phrase("cube"),
}
"""Where in a game a decision is made, and how people call it; :func:`phase_of_play` says how that is told."""

OPENING = 6
"""The plays of a game that are its opening, both sides' together."""

_PLAYS = {phase[0]: phase for phase in PHASES if phase != "cube"}
"""The phases of plays, by the letter that is kept."""


@dataclass(frozen=True, slots=True)
class GameOutline:
    """Of a game, what its reviews are kept under, and a letter for the phase of each of its plays."""

    key: str
    phases: str

    def phase_of(self, decision: Decision) -> str:
        """The phase of a decision of this game: everything about the cube is *cube*."""
        if decision.kind == "cube":
            return "cube"
        return _PLAYS.get(self.phases[decision.turn - 1 : decision.turn], "middle game")


def outline_of(match: MatchRecord) -> tuple[GameOutline, ...]:
    """Each game's outline; none where no engine knows the game: then nothing was reviewed."""
    if not is_known(match.rules):
        return ()
    return tuple(
        GameOutline(review_key(match, number), "".join(phase[0] for phase in _phases(match, number)))
        for number in range(1, len(match.games) + 1)
    )


def phase_of_play(turn: int, board: Board | None) -> str:
    """The phase of a play made on this board, the ``turn``-th of its game: a *race* where the sides have
    passed each other; *containment* where a checker is on the bar, or one side bears off while the other
    still blocks it; the first plays are the *opening*, all else the *middle game*."""
    if board is None:
        return "middle game"
    own, other = board
    last = [max((place for place in range(1, BAR + 1) if side[place]), default=0) for side in board]
    if last[0] + last[1] < BAR:
        return "race"
    if own[BAR] or other[BAR] or own[0] or other[0]:
        return "containment"
    return "opening" if turn <= OPENING else "middle game"


def _phases(match: MatchRecord, number: int) -> Iterator[str]:
    """Of a game (numbered from 1) the phase of each play, as far as its record keeps the rules."""
    turn = 0
    with suppress(EngineError, FormatError):
        for moment in replay(match, match.games[number - 1]):
            if isinstance(moment.action, Played | Stood):
                turn += 1
                position = moment.before.position
                board = board_of(position, position.turn) if position.turn is not None else None
                yield phase_of_play(turn, board)
