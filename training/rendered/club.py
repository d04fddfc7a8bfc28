"""Tables such as clubs own: materials and colours that are made, checkers that differ plainly, a room's
lamps, a camera overhead.

Random tables (``table``) are drawn from all colours and lamps, so that a network learns what holds for all;
these say how well tables are read that somebody would play on, as those of ``data/backgammon`` are.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from training.rendered.table import Board, Colour, Material, View, random_view

FIELDS = (
    (0.55, 0.42, 0.28),
    (0.36, 0.12, 0.13),
    (0.10, 0.17, 0.36),
    (0.33, 0.36, 0.18),
    (0.16, 0.15, 0.15),
    (0.75, 0.70, 0.60),
    (0.12, 0.38, 0.24),
)
"""Tan, burgundy, navy, olive, black, cream, green: as a picture shows them, 0-1."""
LIGHTS = ((0.85, 0.80, 0.70), (0.72, 0.55, 0.33), (0.65, 0.65, 0.67), (0.80, 0.72, 0.30), (0.55, 0.72, 0.80))
"""The lighter points: cream, maple, silver, mustard, sky."""
DARKS = (
    (0.13, 0.12, 0.12),
    (0.32, 0.18, 0.11),
    (0.55, 0.10, 0.12),
    (0.10, 0.30, 0.20),
    (0.13, 0.18, 0.40),
    (0.35, 0.35, 0.37),
)
"""The darker ones: black, brown, red, green, navy, slate."""
WHITES = ((0.90, 0.88, 0.84), (0.86, 0.79, 0.64), (0.80, 0.66, 0.44), (0.93, 0.93, 0.95))
"""White's checkers: white, ivory, maple, snow."""
BLACKS = (
    (0.14, 0.13, 0.14),
    (0.33, 0.19, 0.12),
    (0.62, 0.12, 0.13),
    (0.15, 0.25, 0.50),
    (0.12, 0.33, 0.22),
    (0.40, 0.16, 0.34),
)
"""Black's: black, walnut, red, blue, green, plum."""
FRAMES = ((0.45, 0.27, 0.15), (0.62, 0.45, 0.28), (0.15, 0.14, 0.15), (0.30, 0.15, 0.12), (0.35, 0.36, 0.38))
"""Frame and bar: walnut, oak, black, mahogany, grey."""
APART = 0.25
"""How much points differ from the field at least."""
ASIDE = np.deg2rad(14)
"""How far from upright the camera looks at most."""


def _one(rng: np.random.Generator, colours: tuple[Colour, ...], unlike: Colour | None = None) -> Colour:
    """One of the colours, a little other than it is, in linear light."""
    while True:
        values = np.clip(
            np.array(colours[int(rng.integers(len(colours)))]) + rng.normal(0, 0.03, 3), 0.04, 0.97
        )
        linear = values**2.2
        if unlike is None or np.linalg.norm(values - np.array(unlike) ** (1 / 2.2)) > APART:
            return float(linear[0]), float(linear[1]), float(linear[2])


def club_board(rng: np.random.Generator, board: Board) -> Board:
    """The board in a club's colours, nothing on it like a mirror."""
    field = _one(rng, FIELDS)
    frame = _one(rng, FRAMES)
    colours = {
        "field": field,
        "one": _one(rng, LIGHTS, field),
        "two": _one(rng, DARKS, field),
        "frame": frame,
        "ridge": frame,
        "floor": frame,
    }
    colours |= {"white": _one(rng, WHITES), "black": _one(rng, BLACKS), "table": _one(rng, FRAMES)}

    def made(name: str, given: Material) -> Material:
        other = np.array(colours[name]) * rng.uniform(0.7, 1.2)
        rough = max(given.rough, 0.3 if name in ("white", "black") else 0.45)
        second = (float(other[0]), float(other[1]), float(other[2]))
        return replace(
            given,
            colour=colours[name],
            second=second,
            rough=rough,
            metal=0.0,
            coat=given.coat if name in ("white", "black") else 0.0,
        )

    return replace(board, materials={name: made(name, given) for name, given in board.materials.items()})


def club_view(rng: np.random.Generator, board: Board, size: tuple[int, int]) -> View:
    """A camera over the board, and one to three lamps of a room."""
    while True:
        view = random_view(rng, board, size)
        aside = np.hypot(view.eye[0] - view.target[0], view.eye[1] - view.target[1]) / view.eye[2]
        if aside < np.tan(ASIDE):
            break
    lamps = []
    for index in range(int(rng.choice([1, 2, 3]))):
        x, y, z = rng.uniform([-40, -40, 130], [board.width + 40, board.height + 40, 230])
        warmth = float(rng.normal(0, 0.4))
        lamps.append(
            (
                float(x),
                float(y),
                float(z),
                float(rng.choice([30, 60, 90])),
                1.0 if index == 0 else float(rng.uniform(0.2, 1)),
                warmth,
            )
        )
    return replace(view, lamps=tuple(lamps), ambient=float(rng.uniform(0.4, 0.9)))
