"""Examples for ``training.stacks.train`` from the simulated table's painted pictures: their crescents are
drawn otherwise than a renderer's, and a network that knew only those doubted sixes there."""

from __future__ import annotations

import cv2
import numpy as np

from engine import rules
from engine.layout import Cell, Look
from firmware.simulated.layouts import stacks
from firmware.simulated.painted import learned
from tests.painted import begun, painter
from training.stacks.examples import Examples, rows, seen
from vision.checkers import stacks as checker_stacks
from vision.checkers.reader import CheckersReader
from vision.geometry.board_measures import ROW
from vision.picture.frame import Frame

FIRST = 100
"""The first table: tests and benches play at those before it."""
COUNTS = (1, 2, 3, 4, 5, 6, 7, 8)
CHANCES = (0.1, 0.1, 0.1, 0.1, 0.3, 0.2, 0.06, 0.04)


def crowded(rng: np.random.Generator) -> dict[Cell, Look]:
    """Fifteen checkers a side, in full rows more often than in any game."""
    looks: dict[Cell, Look] = {f"p{number}": () for number in range(1, 25)}
    for side in ("white", "black"):
        left = 15
        while left:
            cell = str(rng.choice([cell for cell, look in looks.items() if not look]))
            count = min(left, int(rng.choice(COUNTS, p=CHANCES)))
            looks[cell], left = (side,) * count, left - count
    return looks


def look_painted(number: int, pictures: int, rng: np.random.Generator) -> Examples:
    """What the network would be shown of one painted table: all labelled rows, and the places that a reader
    asks about."""
    game = rules.get("backgammon")
    camera = painter(game.board, FIRST + number)
    reader = learned(camera, begun(game))
    assert isinstance(reader, CheckersReader)
    shown, right = [], []
    for shot in range(1, pictures + 1):
        looks = crowded(rng)
        image = camera.paint(stacks(looks), shot)
        if rng.random() < 0.3:
            image = np.asarray(cv2.GaussianBlur(image, (0, 0), float(rng.uniform(0.5, 4))), np.uint8)
        tops = rows(reader, image, looks)
        for row in reader._plan.read(reader._discs, reader.lay_flat(Frame(image)).values).rows:
            count = len(looks[row.cell])
            for place, (u, v) in enumerate(row.centres[:ROW]):
                if place >= row.sure:
                    tops.append(
                        (
                            checker_stacks.Top(u, v, row.kind, int(row.cell[1:]) > 12),
                            (count + ROW - 1 - place) // ROW,
                        )
                    )
        shown.append(
            seen(reader.flat, reader.rig.measures, reader._discs, image, [top for top, _ in tops], rng, 0.2)
        )
        right += [height for _, height in tops]
    return shown, right
