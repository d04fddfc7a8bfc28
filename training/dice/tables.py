"""Drawn tables without dice, kept as linear light: dice are put onto the same table again and again.

python -m training.dice.tables FOLDER --first 0 --boards 120
"""

from __future__ import annotations

import argparse
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from training.dice.put import Thing
from training.rendered.hard import hard_board, hard_sheen, hard_view
from training.rendered.lens import SHAPES
from training.rendered.light import random_sheen
from training.rendered.relief import empty_board, ground_of, leaning, photograph, pile
from training.rendered.setting import Setting, crowd, game, set_up
from training.rendered.table import Board, View, random_board, random_view

PICTURES = 3
"""Positions of a table."""
LEAST, STEEPEST = 25.0, 52.0
"""Degrees from upright, where the camera is put aside on purpose: from none on, or from the first of these on
every table whose number is STEEP or more."""
STEEP = 3000


@dataclass(frozen=True)
class Table:
    """One position: ``light`` is the pinhole's picture (height x width x 3, linear, float16). ``things``: the
    dice and cubes that were rendered with it (``traced``); ``part`` what of the picture was rendered (left,
    top, right, bottom)."""

    board: Board
    view: View
    setting: Setting
    light: NDArray[np.float16]
    things: tuple[Thing, ...] = ()
    part: tuple[int, int, int, int] | None = None


def board_and_view(rng: np.random.Generator, steep: bool = False) -> tuple[Board, View, bool]:
    """A board, its camera and lamps; and whether they are hard to read (``rendered.hard``)."""
    board, hard = random_board(rng), rng.random() < 0.25
    width = int(rng.choice([960, 1280, 1600, 1920]))
    view = random_view(rng, board, (width, int(width * SHAPES[int(rng.integers(3))])))
    if hard:
        board = hard_board(rng, board)
        view = hard_view(rng, board, view)
    if rng.random() < 0.5 or steep:
        view = leaning(view, float(rng.uniform(LEAST if steep else 0, STEEPEST)))
    return board, view, hard


def draw(number: int) -> list[Table]:
    """The positions of a table. Every number is another board, camera, lamp and set of checkers."""
    rng = np.random.default_rng([4711, number])
    board, view, hard = board_and_view(rng, steep=number >= STEEP)
    ground = ground_of(board)
    bare = empty_board(rng, board, ground)
    sheen = (hard_sheen if hard else random_sheen)(rng, board)
    tables = []
    for _ in range(PICTURES):
        setting = (crowd if rng.random() < 0.2 else game)(rng, board.tray in ("right", "both"))
        set_up(rng, board, setting, bare=True)
        every = sorted([*bare, *pile(rng, board, ground, setting)], key=lambda sheet: sheet.z)
        light = photograph(rng, every, ground, view, board.thick / 2, sheen)
        tables.append(Table(board, view, setting, light.astype(np.float16)))
    return tables


class _Kept(pickle.Unpickler):
    """Opens what was kept when this module was the program."""

    def find_class(self, module: str, name: str) -> Any:
        return Table if name == "Table" else super().find_class(module, name)


def kept(path: Path) -> list[Table]:
    """The tables of a file that :func:`keep` wrote."""
    with path.open("rb") as file:
        found: list[Table] = _Kept(file).load()
    return found


def keep(doc: str | None, make: Callable[[int], list[Table]]) -> None:
    """The program of a module that makes tables: a file each; those that are there already are left."""
    parser = argparse.ArgumentParser(description=(doc or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--boards", type=int, default=120)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    options.folder.mkdir(parents=True, exist_ok=True)
    for number in range(options.first, options.first + options.boards):
        path = options.folder / f"table-{number:04d}.pickle"
        if not path.exists():
            path.write_bytes(pickle.dumps(make(number)))
            print(number, flush=True)


def main() -> None:
    """See the module."""
    keep(__doc__, draw)


if __name__ == "__main__":
    main()
