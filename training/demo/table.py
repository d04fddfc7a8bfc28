"""The demo's board, lamps and camera, and where on it things lie. Lengths are centimetres, angles radians."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from engine.layout import Cell, Piece, point_of
from training.rendered.lens import project
from training.rendered.table import Board, Colour, Material, View

Box = tuple[int, int, int, int]
"""Left, top, right, bottom, in pixels."""


def _material(
    first: Colour, second: Colour, scale: float, stretch: float, rough: float, coat: float, bump: float
) -> Material:
    return Material(first, second, 0.6, scale, stretch, rough, 0.0, coat, bump)


_FELT = _material((0.034, 0.096, 0.070), (0.017, 0.055, 0.040), 6.0, 1.0, 0.95, 0.0, 0.6)
_WALNUT = _material((0.150, 0.066, 0.030), (0.042, 0.017, 0.009), 2.2, 9.0, 0.38, 0.35, 0.06)
_MATERIALS = {
    "field": _FELT,
    "one": _material((0.56, 0.40, 0.22), (0.42, 0.28, 0.15), 6.0, 1.0, 0.9, 0.0, 0.5),
    "two": _material((0.270, 0.040, 0.030), (0.170, 0.024, 0.020), 6.0, 1.0, 0.9, 0.0, 0.5),
    "frame": _WALNUT,
    "ridge": _WALNUT,
    "floor": _FELT,
    "table": _material((0.30, 0.185, 0.095), (0.165, 0.092, 0.043), 1.1, 14.0, 0.42, 0.25, 0.05),
    "white": _material((0.80, 0.73, 0.58), (0.70, 0.60, 0.44), 1.3, 3.0, 0.33, 0.5, 0.02),
    "black": _material((0.024, 0.018, 0.017), (0.012, 0.010, 0.010), 2.0, 5.0, 0.40, 0.35, 0.02),
}
BOARD = Board(
    pitch=4.7,
    checker=4.35,
    bar=4.9,
    height=51.0,
    tray="right",
    thick=1.05,
    rail=1.7,
    ridge=1.3,
    frame=3.2,
    wall=1.8,
    pocket=4.9,
    tip=0.415,
    foot=0.94,
    swap=False,
    materials=_MATERIALS,
    profile=(0.13, 0.66, -0.16, -0.05),
)
VIEW = View(
    size=(1280, 960),
    eye=(34.4, 14.5, 91.0),
    target=(34.1, 25.2),
    roll=0.006,
    focal=1.04,
    bend=-0.012,
    lamps=((-14.0, 122.0, 128.0, 62.0, 1.0, 0.35), (160.0, 10.0, 150.0, 110.0, 0.30, -0.6)),
    ambient=0.12,
)
"""A wide warm lamp beyond the far rail, whose mirror image falls beside the board, and a cool window."""
ROW = 5
"""Checkers side by side on a point; more lie upon them."""
CLEAR = 2.0
"""How far around a thing its shadow and what it mirrors change the picture."""


@dataclass(frozen=True)
class Lying:
    """A thing on the table: ``kind`` is white or black (a checker), die or cube, ``shows`` its number; ``at``
    the middle of its underside. A checker ``on_edge`` stands in the tray."""

    kind: str
    at: tuple[float, float, float]
    turn: float = 0.0
    shows: int = 0
    on_edge: bool = False


def box(thing: Lying) -> Box:
    """The part of the picture that this thing changes."""
    reach = (BOARD.checker / 2 if thing.kind in ("white", "black") else 1.4) + CLEAR
    x, y, z = thing.at
    corners = np.stack(
        np.meshgrid([x - reach, x + reach], [y - reach, y + reach], [z, z + 3.0]), axis=-1
    ).reshape(-1, 3)
    pixels = project(replace(VIEW, bend=0.0), corners.astype(np.float64))
    low = np.maximum(np.floor(pixels.min(axis=0)), 0).astype(int)
    high = np.minimum(np.ceil(pixels.max(axis=0)), VIEW.size).astype(int)
    return int(low[0]), int(low[1]), int(high[0]), int(high[1])


class Checkers:
    """Thirty checkers, each of which stays where somebody put it until it is moved."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._rows: dict[Cell, list[Lying]] = {}

    def show(self, looks: Mapping[Cell, tuple[Piece, ...]]) -> None:
        """Moves as few checkers as make the board look like this. A cell may hold checkers of both sides:
        those that were there lie nearer to the rim."""
        for cell, row in self._rows.items():
            wanted = list(looks.get(cell, ()))
            while row and (len(row) > len(wanted) or [each.kind for each in row] != wanted[: len(row)]):
                row.pop()
        for cell, pieces in looks.items():
            row = self._rows.setdefault(cell, [])
            for piece in pieces[len(row) :]:
                row.append(self._put(cell, str(piece), row))

    def lying(self) -> tuple[Lying, ...]:
        return tuple(each for row in self._rows.values() for each in row)

    def _put(self, cell: Cell, side: str, row: list[Lying]) -> Lying:
        d, index = BOARD.checker, len(row)
        careless = self._rng.normal(0, 0.017 * d, 2).clip(-0.03 * d, 0.03 * d)
        turn = float(self._rng.uniform(0, 2 * np.pi))
        inward, z, edge = d * 0.52 + careless[1], 0.0, False
        if cell.startswith("off."):
            x = BOARD.width + BOARD.wall + BOARD.pocket / 2 + careless[0]
            inward, edge = 0.7 + 1.01 * BOARD.thick * index, True
            upper = side == "black"
        elif cell.startswith("bar."):
            upper = side == "black"
            x, z = BOARD.width / 2 + careless[0], BOARD.ridge
            inward = BOARD.height / 2 - d * (0.6 + 1.05 * index)
        else:
            number = point_of(cell)
            upper = number > 12
            column = number - 13 if upper else 12 - number
            x = BOARD.pitch * (column + 0.5) + (BOARD.bar if column >= 6 else 0.0) + careless[0]
            layer, place = divmod(index, ROW)
            z = layer * BOARD.thick
            if layer:
                beneath = row[place].at
                x = beneath[0] + 0.5 * careless[0]
                inward = beneath[1] if not upper else BOARD.height - beneath[1]
            elif place:
                last = row[place - 1].at[1]
                inward = (BOARD.height - last if upper else last) + d * 1.012 + abs(careless[1]) * 0.5
        y = BOARD.height - inward if upper else inward
        if edge:
            y -= BOARD.thick / 2
        return Lying(side, (float(x), float(y), z), 0.0 if edge else turn, on_edge=edge)


def dice(rng: np.random.Generator, thrown: Iterable[int], side: str) -> tuple[Lying, ...]:
    """Two dice in the middle of the half that is on the thrower's right."""
    middle = (BOARD.width + BOARD.bar) / 2 if side == "white" else (BOARD.width - BOARD.bar) / 2
    middle += (1 if side == "white" else -1) * 3 * BOARD.pitch
    first = np.array([middle, BOARD.height / 2]) + rng.uniform(-1, 1, 2) * (3.5, 0.7)
    apart = float(rng.uniform(2.5, 4.2)) * np.array([1.0, rng.uniform(-0.25, 0.25)])
    places = (first - apart / 2, first + apart / 2)
    return tuple(
        Lying("die", (float(x), float(y), 0.0), float(rng.uniform(0, 2 * np.pi)), face)
        for (x, y), face in zip(places, thrown, strict=True)
    )


def cube(stake: int, offered: bool = False) -> Lying:
    """The cube on the middle of the left rail, whoever owns it (elsewhere beside the board it could be a hand
    that comes in); offered, on the felt."""
    middle = BOARD.height / 2
    if offered:
        return Lying("cube", (3 * BOARD.pitch, middle, 0.0), 0.15, stake * 2)
    return Lying("cube", (-BOARD.frame / 2 + 0.1, middle, BOARD.rail), 0.04, 64 if stake == 1 else stake)
