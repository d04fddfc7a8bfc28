"""Tables that are hard to read: checkers like mirrors or of their points' lightness, varnished boards, one
near lamp in a dark room."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from training.rendered.light import Sheen
from training.rendered.table import Board, Colour, Material, View


def _like(rng: np.random.Generator, colour: Colour, apart: float) -> Colour:
    """A colour as far from this one (in a picture's values, 0-1) as is asked, any way."""
    way = rng.normal(0, 0.5, 3) + rng.normal()
    values = np.clip(np.array(colour) ** 0.45 + apart * way / np.linalg.norm(way), 0.05, 0.97) ** (1 / 0.45)
    return float(values[0]), float(values[1]), float(values[2])


def _polished(rng: np.random.Generator, given: Material) -> Material:
    return replace(
        given,
        rough=float(rng.uniform(0.02, 0.25)),
        metal=float(rng.uniform(0.3, 1)),
        coat=float(rng.uniform(0.5, 1.2)),
    )


def hard_board(rng: np.random.Generator, board: Board) -> Board:
    """The board with some of its materials made so."""
    materials = dict(board.materials)
    for side in ("white", "black"):
        if rng.random() < 0.4:
            part = str(rng.choice(["one", "two", "field"]))
            materials[part] = replace(
                materials[part], colour=_like(rng, materials[side].colour, float(rng.uniform(0.1, 0.3)))
            )
    for names, chance in ((("white", "black"), 0.5), (("field", "one", "two"), 0.5)):
        if rng.random() < chance:
            materials.update({name: _polished(rng, materials[name]) for name in names})
    return replace(board, materials=materials)


def hard_view(rng: np.random.Generator, board: Board, view: View) -> View:
    """The view, every other one by a lamp beside the board that lights its far end by a fraction."""
    if rng.random() < 0.5:
        return view
    x, y = rng.uniform(-25, board.width + 25), float(rng.choice([-25.0, board.height + 25]))
    lamp = (
        float(x),
        y,
        float(rng.uniform(35, 80)),
        float(rng.choice([6, 25])),
        1.0,
        float(rng.normal(0, 0.6)),
    )
    return replace(view, lamps=(lamp,), ambient=float(rng.uniform(0.08, 0.4)))


def hard_sheen(rng: np.random.Generator, board: Board) -> Sheen:
    """A window that always shows."""
    x, y = rng.uniform(0, board.width), rng.uniform(0, board.height)
    return Sheen(
        float(x), float(y), float(rng.uniform(5, 30)), float(rng.uniform(0.3, 2)), float(rng.uniform(0, 1))
    )
