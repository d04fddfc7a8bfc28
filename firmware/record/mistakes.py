"""The mistakes of a reviewed match, each with the boards that show it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.layout import Side
from engine.position import Position
from engine.record import GameState, MatchRecord, Played, Stood, replay
from firmware.record.ratings import Decision


@dataclass(frozen=True, slots=True)
class Mistake:
    """A decision that cost something. ``state`` is what it was made in; ``left`` is the position that the
    play left, ``better`` what the best one would have left; both are None of a cube decision. ``number``
    counts the mistakes from 0 in the order in which they were given."""

    number: int
    decision: Decision
    state: GameState
    left: Position | None = None
    better: Position | None = None


def find_mistakes(match: MatchRecord, decisions: Sequence[Decision]) -> Iterator[Mistake]:
    """The decisions with their boards, in the order in which they were made."""
    wanted: dict[tuple[object, ...], list[int]] = {}
    for number, each in enumerate(decisions):
        wanted.setdefault((each.game, each.turn, each.kind), []).append(number)
    for game_number, game in enumerate(match.games, 1):
        turn = 1
        for moment in replay(match, game):
            action, state = moment.action, moment.before
            kind = "play" if isinstance(action, Played) else "cube"
            for number in list(wanted.get((game_number, turn, kind), ())):
                each = decisions[number]
                if kind == "cube" and (state.position.dice != () or _decides(state) != each.side):
                    continue
                wanted[game_number, turn, kind].remove(number)
                left = better = None
                if kind == "play":
                    left, better = moment.after.position, state.position.find(each.best).after
                yield Mistake(number, each, state, left, better)
            turn += isinstance(action, Played | Stood)


def _decides(state: GameState) -> Side | None:
    """Who decides about the cube: whoever was offered it, else whoever is on roll."""
    if state.offered is None:
        return state.position.turn
    return state.position.rules.other(state.offered)
