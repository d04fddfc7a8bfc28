"""Trains the network of ``vision.surface_finder`` from painted and drawn boards, put into rooms.

pip install torch==2.13.0 onnx
python -m training.surfaces.train painted FOLDER --first 0 --chunks 34
python -m training.surfaces.train rendered RENDERED FOLDER    # a folder of training.rendered
python -m training.surfaces.train fit FOLDER WEIGHTS.pt --minutes 60
python -m training.surfaces.train export WEIGHTS.pt NETWORK.onnx
python -m training.fitting.packing NETWORK.onnx vision/surface_finder/surface_finder.onnx.xz
"""

from __future__ import annotations

import argparse
from itertools import count, islice
from pathlib import Path

import cv2

from training.surfaces.examples import keep, painted_shot, rendered_shots

SIZE = 200
"""Pictures in a chunk."""


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    painting = commands.add_parser("painted")
    painting.add_argument("folder", type=Path)
    painting.add_argument("--first", type=int, default=0)
    painting.add_argument("--chunks", type=int, default=10)
    painting.add_argument("--size", type=int, default=SIZE)
    gathering = commands.add_parser("rendered")
    gathering.add_argument("rendered", type=Path)
    gathering.add_argument("folder", type=Path)
    fitting = commands.add_parser("fit")
    fitting.add_argument("folder", type=Path)
    fitting.add_argument("weights", type=Path)
    fitting.add_argument("--steps", type=int, default=100000)
    fitting.add_argument("--minutes", type=float, default=60, help="of processor time, on a GPU by the clock")
    fitting.add_argument("--start", type=Path, help="weights to begin with (.pt, or what ships)")
    fitting.add_argument("--rate", type=float, default=2e-3)
    fitting.add_argument("--batch", type=int, default=16)
    exporting = commands.add_parser("export")
    exporting.add_argument("weights", type=Path)
    exporting.add_argument("out", type=Path)
    given = parser.parse_args()
    cv2.setNumThreads(1)
    if given.command in ("painted", "rendered"):
        given.folder.mkdir(parents=True, exist_ok=True)
    if given.command == "painted":
        for number in range(given.first, given.first + given.chunks):
            numbers = range(number * given.size, (number + 1) * given.size)
            keep(given.folder / f"painted-{number:03d}.npz", map(painted_shot, numbers))
    elif given.command == "rendered":
        shots = rendered_shots(given.rendered)
        for number in count():
            if not (some := list(islice(shots, SIZE))):
                break
            keep(given.folder / f"{given.rendered.name}-{number:03d}.npz", some)
    else:
        from training.surfaces.fit import Limits, export, fit  # wants torch: gathering does not

        if given.command == "export":
            export(given.weights, given.out)
            return
        try:
            limits = Limits(given.steps, given.minutes, given.rate)
            fit(given.folder, given.weights, limits, given.start, given.batch)
        except ValueError as error:
            parser.error(str(error))


if __name__ == "__main__":
    main()
