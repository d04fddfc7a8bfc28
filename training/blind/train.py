"""Trains the network of ``vision.disc_finder`` from painted boards alone.

pip install torch==2.13.0 onnx
python -m training.blind.train paint FOLDER --first 0 --chunks 40 [--part 2/7]    # a process for each core
python -m training.blind.train fit FOLDER WEIGHTS.pt --steps 6000 [--start SHIPPED.onnx]
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


def paint(folder: Path, first: int, chunks: int, size: int, part: tuple[int, int] = (1, 1)) -> None:
    """Write chunks of painted boards; a chunk's number is its seed. ``part`` (K, N): only every N-th of them,
    from the K-th on."""
    cv2.setNumThreads(1)
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(first + part[0] - 1, first + chunks, part[1]):
        rng = np.random.default_rng(number)
        pictures, truths = zip(*(sample(rng) for _ in range(size)), strict=True)
        tops = [
            np.pad(t["tops"], ((0, MOST - len(t["tops"])), (0, 0)), constant_values=NOWHERE) for t in truths
        ]
        begun = folder / f"begun-{number:04d}.npz"
        np.savez(
            begun,
            im=np.stack(pictures),
            tops=np.stack(tops),
            axes=np.stack([t["axes"] for t in truths]),
            bar=np.stack([t["bar"] for t in truths]),
            hand=np.stack([(t["hand"] * 255).astype(np.uint8) for t in truths]),
        )
        begun.replace(folder / f"c{number:04d}.npz")  # who follows sees it whole


def _part(text: str) -> tuple[int, int]:
    """K/N as two numbers."""
    number, parts = (int(each) for each in text.split("/"))
    if not 1 <= number <= parts:
        raise argparse.ArgumentTypeError("K/N, with K from 1 to N")
    return number, parts


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
    painting.add_argument(
        "--part", type=_part, default=(1, 1), metavar="K/N", help="every N-th, from the K-th"
    )
    fitting = commands.add_parser("fit")
    fitting.add_argument("folder", type=Path)
    fitting.add_argument("weights", type=Path)
    fitting.add_argument("--steps", type=int, default=6000)
    fitting.add_argument(
        "--minutes", type=float, default=1e9, help="of processor time, on a GPU by the clock"
    )
    fitting.add_argument("--start", type=Path, help="weights to begin with (.pt, or the .onnx that ships)")
    fitting.add_argument("--rate", type=float, default=2e-3)
    fitting.add_argument("--batch", type=int, default=8)
    fitting.add_argument("--follow", action="store_true", help="take up chunks that are painted meanwhile")
    exporting = commands.add_parser("export")
    exporting.add_argument("weights", type=Path)
    exporting.add_argument("onnx", type=Path)
    given = parser.parse_args()
    if given.command == "paint":
        paint(given.folder, given.first, given.chunks, given.size, given.part)
        return
    from training.blind.fit import Limits, export, fit  # wants torch: painting and --help do not

    if given.command == "fit":
        limits = Limits(given.steps, given.minutes, given.rate)
        try:
            fit(given.folder, given.weights, limits, given.start, given.batch, given.follow)
        except ValueError as error:
            parser.error(str(error))
    else:
        export(given.weights, given.onnx)


if __name__ == "__main__":
    main()
