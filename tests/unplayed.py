"""What stood before: positions and dice from which a board of backgammon is the result of a legal play, or of
a foul as people make them. So every labelled picture gives many judgements.

A board here is counted in the mover's numbers: 1-24 are the points, 25 is the mover's bar, 0 is off. The
fouls are those of real tables: a checker or two moved a few wrong pips, dice read wrongly, a die forgotten,
a third checker played, a checker moved backward, one of the opponent's moved, checkers played from elsewhere
while some wait on the bar.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from engine import rules
from engine.errors import EngineError
from engine.layout import Looks, point_cell
from engine.position import Dice, Position

OFF, BAR, CHECKERS = 0, 25, 15
TRIES = 60
"""Attempts at one play before a board is given up: some have nothing that can be taken back."""


@dataclass
class Sides:
    """``own`` and ``their``: checkers by place (0-25), both in the mover's numbers, but ``their[25]`` is the
    opponent's bar and ``their[0]`` what the opponent has borne off."""

    own: list[int]
    their: list[int]

    @classmethod
    def of(cls, looks: Looks, side: str, other: str) -> Sides:
        """A board as ``side`` counts it. What is seen nowhere has been borne off."""
        found = cls([0] * 26, [0] * 26)
        for counts, owner in ((found.own, side), (found.their, other)):
            for place in range(1, 25):
                cell = point_cell(place if side == "white" else 25 - place)
                counts[place] = looks[cell].count(owner)
            counts[BAR] = len(looks[f"bar.{owner}"])
            counts[OFF] = CHECKERS - sum(counts)
        return found

    def to_json(self, side: str) -> dict[str, object]:
        """The stable form of a position in which ``side`` is on turn."""
        sign = 1 if side == "white" else -1
        points = {
            str(place if side == "white" else 25 - place): sign * (self.own[place] - self.their[place])
            for place in range(1, 25)
            if self.own[place] or self.their[place]
        }
        pair = slice(None, None, sign)
        bar, off = [self.own[BAR], self.their[BAR]], [self.own[OFF], self.their[OFF]]
        return {"rules": "backgammon", "turn": side, "points": points, "bar": bar[pair], "off": off[pair]}

    def take_back(self, pips: int, rng: random.Random, backward: bool = False) -> bool:
        """Moves one of the mover's checkers back by so many pips (with ``backward``: onward), and gives back
        what it may have hit. False where none can go."""
        ways = []
        for target in range(OFF, 25):
            source = target - pips if backward else target + pips
            if target == OFF:
                source = pips if backward else rng.randint(1, pips)
            free = 1 <= source <= 24 and not self.their[source]
            if self.own[target] and (free or source == BAR):
                ways.append((source, target))
        if not ways:
            return False
        source, target = rng.choice(ways)
        self.own[target] -= 1
        self.own[source] += 1
        if target and not self.own[target] and self.their[BAR] and rng.random() < 0.7:
            self.their[BAR] -= 1
            self.their[target] += 1
        return True


Unplay: TypeAlias = Callable[[Sides, random.Random], Dice | None]
"""Takes a play or a foul back from a board: the dice that it was made with, None where it cannot be."""


def _dice(rng: random.Random) -> Dice:
    return rng.randint(1, 6), rng.randint(1, 6)


def _pips(dice: Dice) -> list[int]:
    return list(dice) * (2 if dice[0] == dice[1] else 1)


def _legally(board: Sides, rng: random.Random) -> Dice | None:
    dice = _dice(rng)
    return dice if all(board.take_back(die, rng) for die in _pips(dice)) else None


def _wrong_pips(board: Sides, rng: random.Random) -> Dice | None:
    """One checker moved a few pips too far, or too few."""
    dice = _dice(rng)
    pips = _pips(dice)
    pips[rng.randrange(len(pips))] += rng.choice((-2, -1, 1, 2))
    return dice if all(die > 0 and board.take_back(die, rng) for die in pips) else None


def _other_dice(board: Sides, rng: random.Random) -> Dice | None:
    """Dice read wrongly."""
    return _dice(rng) if _legally(board, rng) else None


def _forgotten_die(board: Sides, rng: random.Random) -> Dice | None:
    dice = _dice(rng)
    pips = _pips(dice)
    del pips[rng.randrange(len(pips))]
    return dice if all(board.take_back(die, rng) for die in pips) else None


def _one_more(board: Sides, rng: random.Random) -> Dice | None:
    """A third checker played."""
    dice = _legally(board, rng)
    return dice if dice and board.take_back(rng.choice(dice), rng) else None


def _backward(board: Sides, rng: random.Random) -> Dice | None:
    dice = _dice(rng)
    one, *rest = _pips(dice)
    return (
        dice if board.take_back(one, rng, True) and all(board.take_back(die, rng) for die in rest) else None
    )


def _opponents(board: Sides, rng: random.Random) -> Dice | None:
    """One of the opponent's checkers moved besides, or instead."""
    dice = _dice(rng)
    moved = Sides(
        [board.their[OFF], *board.their[24:0:-1], board.their[BAR]],
        [*board.own[:1], *board.own[24:0:-1], board.own[BAR]],
    )
    if not moved.take_back(rng.choice(dice), rng):
        return None
    board.their[:] = [moved.own[OFF], *moved.own[24:0:-1], moved.own[BAR]]
    board.own[:] = [moved.their[OFF], *moved.their[24:0:-1], moved.their[BAR]]
    return dice if rng.random() < 0.5 or board.take_back(rng.choice(dice), rng) else None


def _nothing(board: Sides, rng: random.Random) -> Dice | None:
    """Nothing was moved at all."""
    return _dice(rng)


FOULS: dict[str, Unplay] = {
    "a few wrong pips": _wrong_pips,
    "dice read wrongly": _other_dice,
    "a die forgotten": _forgotten_die,
    "a checker too many": _one_more,
    "a checker backward": _backward,
    "the opponent's checker": _opponents,
    "nothing moved": _nothing,
}
"""What people do wrong; each about as often."""


def before(looks: Looks, sort: str | None, rng: random.Random) -> Position | None:
    """A position with its dice rolled, from which ``looks`` come about by a legal play (``sort`` None), or by
    a foul of this sort and by no legal play. None where none was found."""
    game = rules.get("backgammon")
    for _ in range(TRIES):
        side, other = rng.choice((("white", "black"), ("black", "white")))
        board = Sides.of(looks, side, other)
        if not any(board.own[1:]) or not any(board.their[1:]):
            continue  # the game is over
        dice = (FOULS[sort] if sort else _legally)(board, rng)
        if dice is None:
            continue
        try:
            position = game.read(board.to_json(side)).roll(dice)
        except EngineError:
            continue
        legal = any(all(after[cell] == look for cell, look in looks.items()) for after in _results(position))
        if legal == (sort is None) and position.plays():
            return position
    return None


def _results(position: Position) -> Iterator[Looks]:
    return (play.after.looks() for play in position.plays())
