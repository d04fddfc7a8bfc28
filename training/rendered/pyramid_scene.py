"""Path-traces random boards of pyramids as ``data/icegammon`` has them: a folder a board, with pictures and
``labels.json``.

    pip install bpy opencv-python-headless
    python -m training.rendered.pyramid_scene FOLDER --first 0 --boards 2 [--pictures N] [--samples N]
        [--field NAME] [--pieces NAME NAME]

Board number N is the same in every run. The pieces are of translucent plastic, as those of Icehouse are:
their flanks are as dark as what lies behind them. ``--field`` and ``--pieces`` choose what is otherwise drawn
by lot. Nothing is trained on them: they are for measuring (``tests.bench.boards``).
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from training.rendered.film import Film, asking
from training.rendered.lens import seen_part
from training.rendered.plastics import SIDES, choosing, chosen, view_of
from training.rendered.pyramids import (
    Position,
    Standing,
    corners,
    picture_label,
    pips,
    pyramid_board,
    random_position,
    stand,
)


def _put(made: dict[str, Any], ink: Any, piles: Sequence[Sequence[Standing]]) -> None:
    """The pieces, with their pips."""
    from training.rendered import things

    for pile in piles:
        for piece in pile:
            ring, tip = corners(piece)
            faces = [(3, 2, 1, 0), *((n, (n + 1) % 4, 4) for n in range(4))]
            things.solid(
                "pyramid",
                [*(at + np.array([0, 0, 0.02]) for at in ring), tip],
                faces,
                made[SIDES[piece.owner]],
            )
            for dot, out in pips(piece):
                things.solid("pip", list(dot + 0.015 * out), [tuple(range(len(dot)))], ink)


def shoot(folder: Path, number: int, options: argparse.Namespace) -> None:
    """One board: empty, and the pictures."""
    from training.rendered import things  # wants Blender: --help does not

    rng = np.random.default_rng([80, number])
    board, plastic = chosen(rng, pyramid_board(rng, pearl=False), options)
    view = view_of(rng, board, (options.width, int(options.width * 0.75)))
    part = seen_part(view, board)
    things.clear()
    made = things.build_board(board)
    for side in SIDES.values():
        shader = made[side].node_tree.nodes["Principled BSDF"]
        shader.inputs["Transmission Weight"].default_value = plastic.clear
        shader.inputs["Roughness"].default_value = plastic.rough
    ink = things.plain("ink", (0.01, 0.01, 0.01))
    things.light_up(view, board)
    things.camera(view)
    film = Film(rng, folder, view)
    for index in range(options.pictures + 1):
        position = random_position(rng) if index else Position()
        before = set(things.bpy.data.objects)
        _put(made, ink, stand(rng, board, position))
        things.set_up_render(view.size, part, options.samples, options.threads)
        things.see_through()
        light = things.spread(things.render(), part)
        for thing in set(things.bpy.data.objects) - before:
            things.bpy.data.objects.remove(thing)
        film.take(
            f"{index:02d}" if index else "empty", light, picture_label(board, view, position), index < 2
        )


def main() -> None:
    """See the module."""
    parser = asking(__doc__, pictures=7, width=1280)
    choosing(parser)
    parser.add_argument("--samples", type=int, default=16)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    for number in range(options.first, options.first + options.boards):
        shoot(options.folder / "icegammon" / f"traced-{number:03d}", number, options)
        print(number, flush=True)


if __name__ == "__main__":
    main()
