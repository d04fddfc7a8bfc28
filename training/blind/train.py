"""Trains the network of ``vision.disc_finder`` from painted boards alone.

pip install torch==2.13.0 onnx
python -m training.blind.train paint FOLDER --first 0 --chunks 40     # in a process for each core
python -m training.blind.train fit FOLDER WEIGHTS.pt --steps 6000 [--from OTHER.pt]
python -m training.blind.train export WEIGHTS.pt vision/disc_finder/disc_finder.onnx
"""

from __future__ import annotations

import argparse
from pathlib import Path

import cv2
import numpy as np

from training.blind.paint import NOWHERE, sample

MOST = 40
"""Rows kept for tops: more than a board has."""


def paint(folder: Path, first: int, chunks: int, size: int) -> None:
    """Write chunks of painted boards; a chunk's number is its seed."""
    cv2.setNumThreads(1)
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(first, first + chunks):
        rng = np.random.default_rng(number)
        pictures, truths = zip(*(sample(rng) for _ in range(size)), strict=True)
        tops = [
            np.pad(t["tops"], ((0, MOST - len(t["tops"])), (0, 0)), constant_values=NOWHERE) for t in truths
        ]
        np.savez(
            folder / f"c{number:04d}.npz",
            im=np.stack(pictures),
            tops=np.stack(tops),
            axes=np.stack([t["axes"] for t in truths]),
            bar=np.stack([t["bar"] for t in truths]),
            hand=np.stack([(t["hand"] * 255).astype(np.uint8) for t in truths]),
        )


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    painting = commands.add_parser("paint")
    painting.add_argument("folder", type=Path)
    painting.add_argument("--first", type=int, default=0)
    painting.add_argument("--chunks", type=int, default=10)
    painting.add_argument("--size", type=int, default=250)
    fitting = commands.add_parser("fit")
    fitting.add_argument("folder", type=Path)
    fitting.add_argument("weights", type=Path)
    fitting.add_argument("--steps", type=int, default=6000)
    fitting.add_argument("--from", dest="start", type=Path)
    fitting.add_argument("--rate", type=float, default=2e-3)
    exporting = commands.add_parser("export")
    exporting.add_argument("weights", type=Path)
    exporting.add_argument("onnx", type=Path)
    given = parser.parse_args()
    if given.command == "paint":
        paint(given.folder, given.first, given.chunks, given.size)
        return
    from training.blind.fit import export, fit  # wants torch: painting and --help do not

    if given.command == "fit":
        fit(given.folder, given.weights, given.steps, given.start, given.rate)
    else:
        export(given.weights, given.onnx)


if __name__ == "__main__":
    main()
