"""Trains the network of ``vision.checkers.stacks``, which tells no checker from one, two and three, on drawn
and rendered tables alone.

    python -m training.rendered.relief DRAWN --boards 120 --pictures 2 --crowd
    python -m training.stacks.train gather DRAWN EXAMPLES.npz [--changes N] [--of all|asked|left]
    python -m training.stacks.train gather DATA HELD.npz --changes 1
    python -m training.stacks.train painted PAINTED.npz [--boards 22]
    python -m training.stacks.train fit EXAMPLES.npz [--held HELD.npz] [--without BOARD]
        --out vision/checkers/stacks.onnx

``gather`` keeps what the network would be shown of every checker, and of places beside and beyond them, under
changed colours, lamps and noise; ``--of asked`` of those places only about which a reader would ask, where it
takes them to be; ``--of left`` of bare places that were full when the table was learned. Where a set does not
say where each checker is, boards are calibrated from their start position with corners as a person clicks
them, and labelled rows are looked for. ``fit`` wants ``pip install torch==2.13.0 onnx``. Every eighth of the
examples' boards is held out and measured (none with ``--without none``); so is ``--held``, which nothing is
trained on.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.bench.sets import renders
from training.rendered.known import Known, known
from training.stacks.examples import look_asked, look_at, look_known, look_left
from training.stacks.painted import look_painted
from vision.errors import CalibrationError

LOOKS = {"all": look_known, "asked": look_asked, "left": look_left}


def gather(root: Path, out: Path, changes: int, seed: int, most: int, of: str) -> None:
    shown: list[NDArray[np.int8]] = []
    right: list[int] = []
    boards: list[str] = []
    first = next((root / "backgammon").glob("*/labels.json"))
    exact = "tops" in json.loads(first.read_text())["start"]
    rng = np.random.default_rng(seed)
    every = known(root, rng) if exact else renders(root)
    for number, table in enumerate(every):
        if number >= most:
            break
        try:
            one, heights = (
                LOOKS[of](table, changes, rng) if isinstance(table, Known) else look_at(table, changes, rng)
            )
        except CalibrationError as error:
            print(f"{table.name}: left out: {error}", flush=True)
            continue
        shown += one
        right += heights
        boards += [table.name] * len(heights)
        print(f"{table.name}: {len(right)} examples so far", flush=True)
    np.savez(out, shown=np.concatenate(shown), right=np.array(right, np.int8), boards=np.array(boards))


def paint(out: Path, boards: int, pictures: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    found = {f"painted{number}": look_painted(number, pictures, rng) for number in range(boards)}
    names = [name for name, (_, heights) in found.items() for _ in heights]
    right = np.array([height for _, heights in found.values() for height in heights], np.int8)
    np.savez(
        out,
        shown=np.concatenate([each for shown, _ in found.values() for each in shown]),
        right=right,
        boards=np.array(names),
    )
    print(f"{len(right)} examples")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    gathering = commands.add_parser("gather")
    gathering.add_argument("data", type=Path)
    gathering.add_argument("out", type=Path)
    gathering.add_argument("--changes", type=int, default=3)
    gathering.add_argument("--seed", type=int, default=1)
    gathering.add_argument("--boards", type=int, default=1000)
    gathering.add_argument(
        "--of", choices=LOOKS, default="all", help="which places of drawn and rendered tables"
    )
    painting = commands.add_parser("painted")
    painting.add_argument("out", type=Path)
    painting.add_argument("--boards", type=int, default=22)
    painting.add_argument("--pictures", type=int, default=10)
    painting.add_argument("--seed", type=int, default=5)
    fitting = commands.add_parser("fit")
    fitting.add_argument("examples", type=Path, nargs="+")
    fitting.add_argument("--held", type=Path, nargs="*", default=[])
    fitting.add_argument(
        "--without", nargs="*", default=[], help="boards to hold out and measure instead of every eighth"
    )
    fitting.add_argument("--rounds", type=float, default=12)
    fitting.add_argument("--minutes", type=float, default=12)
    fitting.add_argument("--seed", type=int, default=1)
    fitting.add_argument("--out", type=Path, default=Path("vision/checkers/stacks.onnx"))
    given = parser.parse_args()
    cv2.setNumThreads(1)
    if given.command == "painted":
        paint(given.out, given.boards, given.pictures, given.seed)
    elif given.command == "gather":
        gather(given.data, given.out, given.changes, given.seed, given.boards, given.of)
    else:
        from training.stacks.fit import fit  # wants torch: gathering and --help do not

        fit(given.examples, given.held, given.without, given.out, given.rounds, given.minutes, given.seed)


if __name__ == "__main__":
    main()
