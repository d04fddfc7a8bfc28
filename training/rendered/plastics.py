"""What boards of pyramids are made of, and their pieces: fields on which white or black ones hardly stand
out, and translucent plastic, as that of Icehouse is."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from training.rendered.table import Board, Colour, View, random_view

SIDES = {1: "white", -1: "black"}
FIELDS: dict[str, tuple[Colour, Colour, Colour, Colour]] = {
    "pearl": ((0.78, 0.77, 0.76), (0.92, 0.92, 0.90), (0.52, 0.53, 0.55), (0.55, 0.54, 0.54)),
    "cream": ((0.90, 0.86, 0.76), (0.97, 0.95, 0.90), (0.62, 0.50, 0.38), (0.45, 0.30, 0.20)),
    "marble": ((0.93, 0.93, 0.93), (0.75, 0.75, 0.77), (0.50, 0.50, 0.52), (0.85, 0.85, 0.86)),
    "leather": ((0.13, 0.12, 0.12), (0.80, 0.78, 0.72), (0.36, 0.34, 0.33), (0.20, 0.16, 0.14)),
    "burgundy": ((0.42, 0.10, 0.15), (0.88, 0.82, 0.68), (0.20, 0.13, 0.12), (0.30, 0.17, 0.10)),
    "slate": ((0.42, 0.45, 0.48), (0.80, 0.82, 0.84), (0.22, 0.24, 0.28), (0.25, 0.25, 0.27)),
}
"""What a picture shows (RGB, 0-1) of field, light points, dark points, and frame."""
PLASTICS: dict[str, Colour] = {
    "red": (0.80, 0.12, 0.12),
    "blue": (0.15, 0.25, 0.80),
    "green": (0.10, 0.60, 0.25),
    "yellow": (0.90, 0.80, 0.12),
    "orange": (0.92, 0.45, 0.08),
    "purple": (0.45, 0.15, 0.60),
    "cyan": (0.25, 0.72, 0.78),
    "white": (0.93, 0.93, 0.92),
    "grey": (0.60, 0.60, 0.60),
    "black": (0.08, 0.08, 0.08),
}
"""What a picture shows (RGB, 0-1) of the pieces' plastics."""


@dataclass(frozen=True)
class Plastic:
    """How much light passes through the pieces, and how rough they are."""

    clear: float
    rough: float


def _linear(rng: np.random.Generator, colour: Colour) -> Colour:
    red, green, blue = (np.clip(np.array(colour) + rng.normal(0, 0.02, 3), 0.02, 0.97) ** 2.2).tolist()
    return red, green, blue


def coloured(rng: np.random.Generator, board: Board, field: str, pieces: Sequence[str]) -> Board:
    """The board in these colours."""
    shown = dict(zip(("field", "one", "two", "frame"), FIELDS[field], strict=True))
    shown |= {side: PLASTICS[name] for side, name in zip(SIDES.values(), pieces, strict=True)}
    materials = dict(board.materials)
    for name, colour in shown.items():
        light = _linear(rng, colour)
        second = (
            _linear(rng, colour) if name in SIDES.values() else _linear(rng, tuple(0.9 * c for c in colour))
        )
        materials[name] = replace(materials[name], colour=light, second=second)
    return replace(board, materials=materials | {"ridge": materials["frame"]})


def choosing(parser: argparse.ArgumentParser) -> None:
    """Lets field and pieces be chosen that are otherwise drawn by lot."""
    parser.add_argument("--field", choices=FIELDS)
    parser.add_argument("--pieces", nargs=2, choices=PLASTICS, metavar="NAME")


def chosen(rng: np.random.Generator, board: Board, options: argparse.Namespace) -> tuple[Board, Plastic]:
    """The board in the colours that are asked for, and what its pieces are made of."""
    field = options.field or str(rng.choice(list(FIELDS)))
    pieces = options.pieces or rng.choice(list(PLASTICS), 2, replace=False).tolist()
    plastic = Plastic(float(rng.uniform(0.0, 0.7)), float(rng.uniform(0.1, 0.4)))
    return coloured(rng, board, field, pieces), plastic


def view_of(rng: np.random.Generator, board: Board, size: tuple[int, int]) -> View:
    """A camera up to 30 degrees aside."""
    while True:
        view = random_view(rng, board, size)
        aside = np.hypot(view.eye[0] - view.target[0], view.eye[1] - view.target[1]) / view.eye[2]
        if aside < np.tan(np.deg2rad(30)):
            return view
