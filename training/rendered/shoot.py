"""Renders random backgammon tables as ``data/backgammon`` has them: a folder a board, with pictures and
``labels.json``.

    pip install bpy opencv-python-headless
    python -m training.rendered.shoot FOLDER --first 0 --boards 10 [--crowd] [--club | --deep]
        [--pictures N] [--hands PART] [--empty] [--samples N]

Board number N is the same in every run. With ``--crowd`` the positions are no game's: full points everywhere,
for training on second layers. With ``--club`` colours, lamps and camera are such as clubs have (``club``);
with ``--deep`` walls are high, one lamp stands at the side, rows are long, and things lie there (``deep``).
Each picture is path-traced in linear light, then seen through a lens with a bend, a sensor with noise, and
JPEG.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from training.rendered.club import club_board, club_view
from training.rendered.deep import DEEP, deep_board, deep_view, leave
from training.rendered.film import Film, asking
from training.rendered.lens import SHAPES, label, seen_part
from training.rendered.setting import Setting, crowd, game, set_up, start
from training.rendered.table import Board, random_board, random_view


def random_hand(
    rng: np.random.Generator, board: Board
) -> tuple[float, float, float, tuple[float, float, float]]:
    tone = np.array([0.75, 0.5, 0.38]) * rng.uniform(0.15, 1)
    turn = float(rng.choice([-np.pi / 2, np.pi / 2], p=[0.7, 0.3]) + rng.normal(0, 0.4))
    x, y = rng.uniform(5, board.width - 5), rng.uniform(0.15, 0.85) * board.height
    return float(x), float(y), turn, (float(tone[0]), float(tone[1]), float(tone[2]))


def shoot(folder: Path, number: int, options: argparse.Namespace) -> None:
    """One board: empty, start, and the pictures."""
    from training.rendered import things  # wants Blender: --help does not

    rng = np.random.default_rng([77, number])
    board = random_board(rng)
    size = (options.width, int(options.width * SHAPES[int(rng.integers(3))]))
    if options.club:
        board = club_board(rng, board)
    view = (club_view if options.club else random_view)(rng, board, size)
    if options.deep:
        board = deep_board(rng, board)
        view = deep_view(rng, board, view)
    part = seen_part(view, board)
    things.clear()
    made = things.build_board(board)
    things.light_up(view, board)
    things.camera(view)
    film = Film(rng, folder, view)
    names = [
        *(["empty"] if options.empty else []),
        "start",
        *(f"{index + 1:02d}" for index in range(options.pictures)),
    ]
    for name in names:
        if name == "empty":
            setting = Setting()
        elif name == "start":
            setting = Setting(points=start())
        else:
            setting = (crowd if options.crowd else game)(rng, board.tray in ("right", "both"))
        special = name in ("empty", "start")
        set_up(rng, board, setting, bare=special)
        if not special and rng.random() < options.hands:
            setting.hand = random_hand(rng, board)
        unknown = leave(rng, board, view, setting) if options.deep and not special else ()
        stood = things.put(board, made, setting, rng)
        things.set_up_render(view.size, part, options.samples, options.threads)
        light = things.spread(things.render(), part)
        for thing in stood:
            things.bpy.data.objects.remove(thing)
        film.take(name, light, label(board, view, setting) | {"unknown": sorted(unknown)}, special)


def main() -> None:
    parser = asking(__doc__, pictures=8, width=1280)
    parser.add_argument(
        "--hands", type=float, default=0.0, help="the part of the pictures that a hand reaches into"
    )
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--club", action="store_true", help="tables such as clubs own")
    kind.add_argument("--deep", action="store_true", help=DEEP)
    parser.add_argument("--samples", type=int, default=10)
    parser.add_argument("--empty", action="store_true", help="render the empty board as well")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    for number in range(options.first, options.first + options.boards):
        shoot(options.folder / "backgammon" / f"board-{number:03d}", number, options)
        print(number, flush=True)


if __name__ == "__main__":
    main()
