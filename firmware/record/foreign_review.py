"""What another program thought of a match that was imported with its analysis, as reviews of our own form.

The analysis (:mod:`firmware.formats.analysed_import`) has a ply for each play, double, take and drop, and so
has the record; both are gone through side by side. A game in which they part is left without a
review. Which decisions count is what that program says, so a rating is the one that its users know.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from engine.layout import Side
from engine.position import Json, Position
from engine.record import Doubled, Dropped, MatchRecord, Played, Stood, Taken, replay
from firmware.engines import Chances, moved
from firmware.formats.analysed_import import PLIES, own_hops, stood
from firmware.record.ratings import Decision, GameReview, Luck
from firmware.record.spots import board_of

CUBE = {Doubled: (21, "double", "no double"), Taken: (22, "take", "drop"), Dropped: (23, "drop", "take")}
"""The ply of each act on the cube, what it is called, and what it would have been otherwise."""


class _Parted(Exception):
    """The analysis is not one of this game."""


def foreign_reviews(match: MatchRecord, analysis: Json) -> list[GameReview | None]:
    """The reviews of the games, None where the file has no analysis of one."""
    found: list[GameReview | None] = []
    for number in range(1, len(match.games) + 1):
        plies = analysis["games"][number - 1]["plies"] if number <= len(analysis["games"]) else []
        try:
            review = _Reading(match, number, plies).review(str(analysis["program"]))
        except (_Parted, LookupError, TypeError, ValueError, ArithmeticError):
            review = None
        found.append(review)
    return found


class _Reading:
    def __init__(self, match: MatchRecord, number: int, plies: list[Json]) -> None:
        self._match, self._number = match, number
        self._plies = iter([each for each in plies if each["action_id"] in PLIES or stood(each)])
        self._analysed = any(each.get("analysis") for each in plies)
        self._decisions: list[Decision] = []
        self._rolls: list[Luck] = []
        self._unjudged = 0

    def review(self, program: str) -> GameReview | None:
        """The game's review. Raises _Parted."""
        turn = 1
        for moment in replay(self._match, self._match.games[self._number - 1]):
            action = moment.action
            if isinstance(action, Doubled | Taken | Dropped):
                self._cube(self._next(CUBE[type(action)][0]), action, turn)
            elif isinstance(action, Played | Stood):
                position = moment.before.position
                ply = self._next(None)
                if sorted((ply["d1"], ply["d2"])) != sorted(position.dice):
                    raise _Parted
                self._turn(ply, action, position, turn)
                turn += 1
        if not self._analysed:
            return None
        if not all(map(isfinite, (each.loss for each in self._decisions))):
            raise _Parted
        if not all(isfinite(each.luck) and 0 <= each.win <= 1 for each in self._rolls):
            raise _Parted
        return GameReview(tuple(self._decisions), tuple(self._rolls), self._unjudged, program)

    def _next(self, action: int | None) -> Json:
        ply = next(self._plies, None)
        if ply is None or ("d1" not in ply if action is None else ply["action_id"] != action):
            raise _Parted
        return ply

    def _cube(self, ply: Json, action: Doubled | Taken | Dropped, turn: int) -> None:
        said = ply.get("analysis")
        if not said:
            return
        _, played, other = CUBE[type(action)]
        chances = _chances(said.get("eval"))  # those of the side that doubles
        if chances is not None and not isinstance(action, Doubled):
            chances = chances.turned()
        self._add(action.side, turn, said, played, other, chances)

    def _add(
        self, side: Side, turn: int, said: Json, played: str, other: str, chances: Chances | None
    ) -> None:
        loss = float(said.get("equity_loss") or 0.0)
        best = other if loss > 0 else played
        obvious = not said.get("decision", loss > 0)
        had = chances if loss > 0 else None
        self._decisions.append(
            Decision(self._number, turn, side, "cube", played, best, max(0.0, loss), obvious, (), had)
        )

    def _turn(self, ply: Json, action: Played | Stood, position: Position, turn: int) -> None:
        """A roll: the cube that was left alone before it, its luck, and the play."""
        said, side = ply.get("analysis") or {}, action.side
        before = said.get("missed_double") or said.get("cube_decision")
        if before:
            self._add(side, turn, before, "no double", "double", _chances(before.get("eval")))
        chances = _chances((before or said).get("eval"))
        if chances is not None and "luck" in said:
            self._rolls.append(
                Luck(self._number, turn, side, tuple(position.dice), float(said["luck"]), chances.win)
            )
        options = list(said.get("alternatives") or ())
        if isinstance(action, Stood) or not options:
            self._unjudged += isinstance(action, Stood)
            return
        plays = position.plays()
        if len(plays) < 2:
            return
        best, chosen = options[0], next((each for each in options if each.get("is_played")), None)
        loss = max(0.0, float(said.get("equity_loss") or 0.0))
        after = moved(board_of(position, side), own_hops(best.get("move") or (), ply["color"]))
        text = next((play.text for play in plays if board_of(play.after, side) == after), "")
        if chosen is best or not text:
            text = action.text
        pair = (_chances((chosen or {}).get("eval")), _chances(best.get("eval"))) if loss else (None, None)
        obvious, dice = not said.get("decision"), tuple(position.dice)
        self._decisions.append(
            Decision(self._number, turn, side, "play", action.text, text, loss, obvious, dice, *pair)
        )


def _chances(said: Mapping[str, Any] | None) -> Chances | None:
    if not said:
        return None
    names = ("win", "gammon_win", "bg_win", "gammon_loss", "bg_loss")
    return Chances(*(float(said.get(name) or 0.0) for name in names))
