"""A legal play from what somebody has of it: its steps, its result, or the board as it looks afterwards.

From text a game finds its plays itself (``Position.find``), since the notation is its own. These three hold
for every game.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from engine.errors import IllegalPlay
from engine.evidence import Evidence
from engine.layout import Cell, Layout, Looks, Piece, differing
from engine.position import Awaits, Play, Position, Step


def by_result(position: Position, after: Position) -> Play:
    """The legal play that leads to ``after``. Raises IllegalPlay."""
    for play in _awaited(position).plays():
        if play.after == after:
            return play
    raise IllegalPlay(f"no legal play leads from {position} to {after}")


def by_looks(position: Position, looks: Looks) -> Play:
    """The legal play after which the cells of ``looks`` look so; cells left out are not compared. Raises
    IllegalPlay where there is none, or more than one."""
    ranked = _awaited(position).nearest(Evidence.certain(looks), 2)
    fitting = [play for _, play in ranked if not differing(looks, play.after.looks())]
    if not fitting:
        wrong = differing(looks, ranked[0][1].after.looks())
        raise IllegalPlay(
            f"no legal play looks so; the nearest, {ranked[0][1].text}, differs on {', '.join(wrong)}"
        )
    return _one(fitting)


def by_steps(position: Position, steps: Iterable[Step]) -> Play:
    """The legal play that puts the pieces where these steps do, each step finding its piece there. What is
    hit or captured may be left out where the other steps leave no doubt. Raises IllegalPlay where no play
    does, or more than one (pyramids may join or pin)."""
    board = _pieces(_awaited(position).layout())
    moved: set[Piece] = set()
    for step in steps:
        if not board[step.source, step.piece]:
            raise IllegalPlay(f"there is no {step.piece} on {step.source} to move to {step.target}")
        board[step.source, step.piece] -= 1
        board[step.target, step.piece] += 1
        moved.add(step.piece)
    board = +board
    exact, fitting = [], []
    for play in position.plays():
        result = _pieces(play.after.layout())
        if result == board:
            exact.append(play)
        elif moved and all(
            result[place] == board[place] for place in result.keys() | board.keys() if place[1] in moved
        ):
            fitting.append(play)
    if not exact and not fitting:
        raise IllegalPlay("no legal play has the result of these steps")
    return _one(exact or fitting)


def _awaited(position: Position) -> Position:
    if position.awaits is not Awaits.PLAY:
        raise IllegalPlay(f"no play is awaited here, but {position.awaits}")
    return position


def _one(fitting: list[Play]) -> Play:
    if len(fitting) > 1:
        raise IllegalPlay(f"that may be {' or '.join(play.text for play in fitting)}")
    return fitting[0]


def _pieces(layout: Layout) -> Counter[tuple[Cell, Piece]]:
    return Counter((cell, piece) for cell, stack in layout.items() for layer in stack for piece in layer)
