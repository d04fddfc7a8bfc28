"""Boards of IceGammon for tests: made by hand, scattered at random, and met in random games. Positions are in
the JSON form."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

COLOURS = ("white", "black")
STASH = [1] * 5 + [2] * 5 + [3] * 5


def board(
    points: dict[int, list[Any]],
    turn: str | None = "white",
    rest: dict[str, str] | None = None,
    **beside: Any,
) -> dict[str, Any]:
    """A position with these piles (``{20: ["white", [1, 2], "black", [3]]}``); other pieces are where
    ``rest`` says, in hand unless told.

    ``beside`` names the pieces on the bar, in hand or borne off (``bar={"white": [1]}``) and the stage.
    """
    stage = beside.pop("stage", None)
    data: dict[str, Any] = {
        name: {side: list(beside.get(name, {}).get(side, [])) for side in COLOURS}
        for name in ("hand", "bar", "off")
    }
    data["points"] = {
        str(point): [[side, sizes] for side, sizes in zip(pile[::2], pile[1::2], strict=True)]
        for point, pile in points.items()
    }
    for side in COLOURS:
        left = STASH.copy()
        laid = [
            size
            for pile in data["points"].values()
            for owner, sizes in pile
            if owner == side
            for size in sizes
        ]
        for size in (*laid, *data["hand"][side], *data["bar"][side], *data["off"][side]):
            left.remove(size)
        data[(rest or {}).get(side, "hand")][side] += left
    if turn:
        data["turn"] = turn
    if stage:
        data["stage"] = stage
    return data


def scattered(rng: random.Random, home: float = 0.0) -> dict[str, Any]:
    """Any stacks that the pieces allow: crowded or thin, with a share of the pieces borne off, smallest
    first."""
    piles: dict[int, list[tuple[str, int]]] = {}
    beside: dict[str, dict[str, list[int]]] = {
        name: {side: [] for side in COLOURS} for name in ("hand", "bar", "off")
    }
    in_hand, on_bar, spread = rng.random() ** 2, rng.random() ** 3 / 2, rng.randint(3, 24)
    for side in COLOURS:
        gone = rng.choice((0, 0, 3, 6, 10, 12, 14)) if rng.random() >= home else rng.randint(11, 14)
        for number, size in enumerate(STASH):
            fate = rng.random()
            if number < gone:
                beside["off"][side].append(size)
            elif fate < in_hand:
                beside["hand"][side].append(size)
            elif fate > 1 - on_bar:
                beside["bar"][side].append(size)
            else:
                piles.setdefault(rng.randint(1, spread if rng.random() < 0.5 else 24), []).append(
                    (side, size)
                )
    points: dict[int, list[Any]] = {}
    for point, pieces in piles.items():
        rng.shuffle(pieces)
        pile: list[Any] = []
        for side, size in pieces:
            if pile and pile[-2] == side and rng.random() < 0.7:
                pile[-1].append(size)
            else:
                pile += [side, [size]]
        points[point] = pile
    return board(points, rng.choice(COLOURS), **beside)


def walled(rng: random.Random) -> dict[str, Any]:
    """Few pieces of one player against up to seven spaces held by pieces worth four or more together: many a
    roll is lost."""
    side, enemy = rng.sample(COLOURS, 2)
    walls = rng.sample([[1, 3], [1, 3], [1, 3], [1, 3], [1, 3], [2, 2], [2, 2]], rng.randint(4, 7))
    where = range(19, 25) if side == "white" else range(13, 19)
    spaces = [*rng.sample(where, 6), *rng.sample([point for point in range(1, 25) if point not in where], 12)]
    points: dict[int, list[Any]] = {point: [enemy, wall] for point, wall in zip(spaces, walls, strict=False)}
    few = STASH[-rng.randint(1, 4) :]
    beside: dict[str, Any] = {"bar": {side: few[:1] if rng.random() < 0.4 else []}}
    for size, point in zip(few[len(beside["bar"][side]) :], spaces[len(walls) :], strict=False):
        points[point] = [side, [size]]
    return board(points, side, {side: "off", enemy: rng.choice(("off", "hand"))}, **beside)


def games(rng: random.Random, rules: Any, number: int) -> Iterator[tuple[Any, Any, Any]]:
    """Positions that await a play, their plays, and the random one made, from whole games."""
    while True:
        position = rules.start({"first": rng.choice(COLOURS)})
        while position.outcome is None:
            if position.dice_due:
                position = position.roll(tuple(rng.randint(1, 6) for _ in range(3)))
                continue
            plays = position.plays()
            play = rng.choice(plays)
            yield position, plays, play
            number -= 1
            if not number:
                return
            position = play.after
