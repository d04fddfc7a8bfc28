"""What stands on a rendered backgammon table: checkers where a game, or nobody's game, has them, each as
people put it, with dice, a cube and lights. Lengths are centimetres."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from training.rendered.table import ROW, Board, Colour


@dataclass(frozen=True)
class Piece:
    """One checker: middle of its underside, its side; ``standing`` on its rim."""

    x: float
    y: float
    z: float
    side: str
    standing: bool = False


@dataclass
class Setting:
    """What stands on the table in one picture."""

    points: dict[int, int] = field(default_factory=dict)
    bar: tuple[int, int] = (0, 0)
    off: tuple[int, int] = (0, 0)
    pieces: list[Piece] = field(default_factory=list)
    dice: list[tuple[float, float, float, str, int]] = field(default_factory=list)
    cube: tuple[float, float, int] | None = None
    lights: list[tuple[float, float, Colour]] = field(default_factory=list)
    hand: tuple[float, float, float, Colour] | None = None
    things: list[Any] = field(default_factory=list)


def start() -> dict[int, int]:
    return {24: 2, 13: 5, 8: 3, 6: 5, 1: -2, 12: -5, 17: -3, 19: -5}


def game(rng: np.random.Generator, tray: bool) -> Setting:
    """A position of fifteen a side: some stacks, some on the bar, some borne off where there is a tray."""
    setting = Setting()
    taken: set[int] = set()
    for side, sign in ((0, 1), (1, -1)):
        left = 15
        late = rng.random() < 0.35
        if tray and late and rng.random() < 0.6:
            gone = int(rng.integers(1, 16))
            setting.off = (gone, setting.off[1]) if side == 0 else (setting.off[0], gone)
            left -= gone
        elif rng.random() < 0.35:
            waiting = min(int(rng.choice([1, 1, 2, 3])), left)
            setting.bar = (waiting, setting.bar[1]) if side == 0 else (setting.bar[0], waiting)
            left -= waiting
        home = [n if side == 0 else 25 - n for n in range(1, 7)]
        while left:
            number = int(rng.choice(home)) if late else int(rng.integers(1, 25))
            if number in taken and np.sign(setting.points.get(number, 0)) != sign:
                if late and all(n in taken and np.sign(setting.points[n]) != sign for n in home):
                    late = False
                continue
            most = int(rng.choice([1, 2, 3, 5, 8], p=[0.3, 0.3, 0.2, 0.1, 0.1]))
            many = min(int(rng.integers(1, most + 1)), left)
            setting.points[number] = setting.points.get(number, 0) + sign * many
            taken.add(number)
            left -= many
    return setting


def crowd(rng: np.random.Generator, tray: bool) -> Setting:
    """Full points everywhere: no game's position, but a second layer on many a row."""
    setting = Setting()
    for number in range(1, 25):
        if rng.random() < 0.75:
            count = int(
                rng.choice(
                    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
                    p=[0.0, 0.05, 0.05, 0.06, 0.08, 0.3, 0.15, 0.1, 0.08, 0.06, 0.04, 0.03],
                )
            )
            setting.points[number] = count * int(rng.choice([-1, 1]))
    setting.bar = (int(rng.choice([0, 1, 2])), int(rng.choice([0, 1, 2])))
    if tray:
        setting.off = (int(rng.integers(0, 16)), int(rng.integers(0, 16)))
    return setting


def row_of(board: Board, points: dict[int, int], number: int) -> int:
    """How many checkers lie flat on a point: as many as there is room for beside what stands opposite."""
    free = int(board.height / board.checker / 1.02 - 0.1) - min(abs(points.get(25 - number, 0)), ROW)
    return max(ROW, min(board.row, free))


def _row(rng: np.random.Generator, board: Board, setting: Setting, number: int, signed: int) -> None:
    """The checkers of a point, from the rim inwards, those of a second layer upon them."""
    d, t = board.checker, board.thick
    side = "white" if signed > 0 else "black"
    row = row_of(board, setting.points, number)
    column = 12 - number if number <= 12 else number - 13
    axis = board.pitch * (column + 0.5) + (board.bar if column >= 6 else 0.0)
    y, careless = d * (0.5 + abs(rng.normal(0, 0.02))), rng.uniform(0.01, 0.06)
    ground: list[tuple[float, float]] = []
    for index in range(abs(signed)):
        layer, place = divmod(index, row)
        if layer == 0:
            x = float(
                np.clip(
                    axis + rng.normal(0, careless) * d,
                    axis - board.pitch / 2 + d / 2 - 0.1,
                    axis + board.pitch / 2 - d / 2 + 0.1,
                )
            )
            ground.append((x, float(y)))
            y += d * (
                1 + abs(rng.normal(0, 0.012)) + (abs(rng.normal(0, 0.05)) if rng.random() < 0.2 else 0.0)
            )
        else:
            loose = careless + 0.01
            dx, dy = rng.normal(0, loose * d, 2) * (1.6 if rng.random() < 0.3 else 1.0)
            x, inward = ground[place][0] + float(dx), max(ground[place][1] + float(dy), d / 2)
            ground[place] = (x, inward)
        x, inward = ground[place]
        setting.pieces.append(Piece(x, inward if number <= 12 else board.height - inward, layer * t, side))


def set_up(rng: np.random.Generator, board: Board, setting: Setting, bare: bool) -> None:
    """Give every checker its place, as people put them, and (unless ``bare``) strew dice, a cube and
    lights."""
    d, t = board.checker, board.thick
    for number, signed in setting.points.items():
        _row(rng, board, setting, number, signed)
    for side, many, sign in (("white", setting.bar[0], -1), ("black", setting.bar[1], 1)):
        for index in range(many):
            y = board.height / 2 + sign * d * (0.55 + 1.04 * index)
            setting.pieces.append(
                Piece(board.width / 2 + float(rng.normal(0, 0.05) * d), float(y), board.ridge, side)
            )
    for side, many in (("white", setting.off[0]), ("black", setting.off[1])):
        x = board.width + board.wall + board.pocket / 2 + float(rng.normal(0, 0.03) * d)
        y = t * 0.5 + 0.05
        for _ in range(many):
            setting.pieces.append(
                Piece(
                    x + float(rng.normal(0, 0.02) * d),
                    y if side == "white" else board.height - y,
                    0.0,
                    side,
                    True,
                )
            )
            y += t * (1 + abs(float(rng.normal(0, 0.01))))
    if not bare:
        _strew(rng, board, setting)


def _beside_bar(x: float, board: Board) -> float:
    """Where a die lies that would lie in the bar, which is raised: beside it (cm)."""
    least = board.bar / 2 + 1.3
    aside = x - board.width / 2
    return x if abs(aside) >= least else board.width / 2 + float(np.copysign(least, aside))


def _strew(rng: np.random.Generator, board: Board, setting: Setting) -> None:
    """Dice, a cube and lights."""
    if rng.random() < 0.75:
        colour = str(rng.choice(["white", "black", "red"]))
        for _ in range(2):
            for _ in range(30):
                x, y = float(rng.uniform(2, board.width - 2)), float(rng.uniform(0.38, 0.62) * board.height)
                x = _beside_bar(x, board)
                if all(
                    np.hypot(x - p.x, y - p.y) > 0.5 * board.checker + 1.3
                    for p in setting.pieces
                    if not p.standing
                ) and all(np.hypot(x - a, y - b) > 2.2 for a, b, *_ in setting.dice):
                    setting.dice.append((x, y, float(rng.uniform(0, 1.57)), colour, int(rng.integers(6))))
                    break
    if rng.random() < 0.7:
        setting.cube = (
            board.width / 2,
            float(rng.choice([1.6, board.height - 1.6])),
            int(rng.choice([2, 4, 8, 16, 32, 64])),
        )
    for _ in range(int(rng.choice([0, 0, 1, 2, 3]))):
        column, upper = int(rng.integers(12)), bool(rng.random() < 0.5)
        x = board.pitch * (column + 0.5) + (board.bar if column >= 6 else 0.0)
        glow = [(1.0, 1.0, 1.0), (0.1, 0.5, 1.0), (1.0, 0.05, 0.02), (0.1, 1.0, 0.2)][int(rng.integers(4))]
        setting.lights.append((x, board.height + 0.5 * board.frame if upper else -0.5 * board.frame, glow))
