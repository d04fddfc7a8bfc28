"""Deep tables: high rims and bar under one lamp at the side, rows of six and seven laid flat, and what people
leave on a board: dice cups standing and lying, a card, a telephone."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from training.rendered.club import club_board
from training.rendered.lens import pose
from training.rendered.setting import Setting, row_of
from training.rendered.table import Board, Colour, View

Places = NDArray[np.float64]
DEEP = "high walls, a lamp at the side, long rows, things left on the board"
"""What ``--deep`` asks for."""


@dataclass(frozen=True)
class Slice:
    """A part of a thing: its outline (N x 2, cm), at which height, of which colour (linear), how glossy."""

    outline: Places
    z: float
    colour: Colour
    gloss: float


def deep_board(rng: np.random.Generator, board: Board) -> Board:
    """The board in a club's colours, with high walls."""
    rail = float(rng.uniform(2.4, 3.8))
    return replace(
        club_board(rng, board),
        rail=rail,
        ridge=rail * float(rng.uniform(0.85, 1.0)),
        row=int(rng.choice([5, 6, 7])),
    )


def deep_view(rng: np.random.Generator, board: Board, view: View) -> View:
    """The view under one lamp beside the board."""
    x = float(rng.choice([-1, 1])) * float(rng.uniform(0.7, 1.1)) * board.width + board.width / 2
    y, z = float(rng.uniform(0, board.height)), float(rng.uniform(45, 90))
    lamp = (x, y, z, float(rng.choice([6, 25])), 1.0, float(rng.normal(0, 0.5)))
    return replace(view, lamps=(lamp,), ambient=float(rng.uniform(0.12, 0.4)))


def leave(rng: np.random.Generator, board: Board, view: View, setting: Setting) -> frozenset[int]:
    """Puts one or two things down where no checker is hidden by them. Returns the points of which they may
    hide more than what stands there."""
    for _ in range(int(rng.choice([1, 2]))):
        kind = str(rng.choice(["cup", "lying cup", "card", "telephone"]))
        for _ in range(40):
            middle = rng.uniform([3, 0.25 * board.height], [board.width - 3, 0.75 * board.height])
            thing = _thing(rng, kind, middle, float(rng.uniform(0, np.pi)))
            hidden = _hides(view, thing)
            checkers = np.array([(piece.x, piece.y) for piece in setting.pieces if not piece.standing])
            if all(_far(hidden, place) > 0.6 * board.checker for place in checkers):
                setting.things.extend(thing)
                break
    return frozenset(n for n in range(1, 25) if _doubtful(board, view, setting, n))


def _thing(rng: np.random.Generator, kind: str, middle: Places, turn: float) -> list[Slice]:
    """Its parts from the bottom up."""
    tone = rng.uniform(0.02, 0.5, 3)
    colour = (float(tone[0]), float(tone[1]), float(tone[2]))
    inside = (float(tone[0]) * 0.2, float(tone[1]) * 0.2, float(tone[2]) * 0.2)
    heights = np.linspace(0.2, 8.5, 12)
    if kind == "cup":
        round_ = [Slice(_disc(middle, 3.0 + 0.06 * z), float(z), colour, 0.2) for z in heights]
        return [*round_, Slice(_disc(middle, 3.1), 8.6, inside, 0.0)]
    if kind == "lying cup":
        across = [2 * np.sqrt(max(3.3**2 - (z - 3.3) ** 2, 0.1)) for z in heights if z < 6.5]
        return [
            Slice(_box(middle, 9.0, float(wide), turn), float(z), colour, 0.2)
            for z, wide in zip(heights, across, strict=False)
        ]
    if kind == "card":
        lines = [
            Slice(_box(middle, 11.0, 0.15, turn, float(off)), 0.06, (0.1, 0.1, 0.25), 0.0)
            for off in (-2, 0, 2)
        ]
        return [Slice(_box(middle, 14.0, 9.0, turn), 0.05, (0.8, 0.8, 0.75), 0.0), *lines]
    body = [Slice(_box(middle, 15.0, 7.4, turn), z, (0.02, 0.02, 0.02), 0.6) for z in (0.3, 0.6)]
    return [*body, Slice(_box(middle, 13.8, 6.6, turn), 0.62, (0.01, 0.012, 0.02), 1.0)]


def _disc(middle: Places, radius: float) -> Places:
    turns = np.linspace(0, 2 * np.pi, 32, endpoint=False)
    return np.asarray(middle + radius * np.stack([np.cos(turns), np.sin(turns)], axis=1))


def _box(middle: Places, long: float, wide: float, turn: float, off: float = 0.0) -> Places:
    along, across = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    ends = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    return np.array([middle + along * a * long / 2 + across * (b * wide / 2 + off) for a, b in ends])


def _hides(view: View, thing: list[Slice]) -> NDArray[np.float32]:
    """What the camera does not see of the board (an outline, cm)."""
    _, eye = pose(view)
    seen = [eye[:2] + (part.outline - eye[:2]) * eye[2] / (eye[2] - part.z) for part in thing]
    return np.asarray(cv2.convexHull(np.vstack(seen).astype(np.float32)), np.float32)


def _far(outline: NDArray[np.float32], place: Places) -> float:
    """How far (cm) a place is outside an outline."""
    return -cv2.pointPolygonTest(outline, (float(place[0]), float(place[1])), True)


def _doubtful(board: Board, view: View, setting: Setting, number: int) -> bool:
    """Whether a thing hides a part of the place of a point's next checker."""
    column = 12 - number if number <= 12 else number - 13
    x = board.pitch * (column + 0.5) + (board.bar if column >= 6 else 0.0)
    row = row_of(board, setting.points, number)
    inward = board.checker * (min(abs(setting.points.get(number, 0)), row) + 0.5)
    place = np.array([x, inward if number <= 12 else board.height - inward])
    hidden = [_hides(view, [part]) for part in setting.things]
    return any(_far(outline, place) < 0.6 * board.checker for outline in hidden)
