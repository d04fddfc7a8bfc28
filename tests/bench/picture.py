"""How long a calibrated table's picture is read: ``python -m tests.bench.picture [--frames N] [--again N]``.

The recorded game's pictures (1280 x 960) without a hand in them, on one core. The time is told beside that of
``cv2.warpPerspective`` of the same picture, so that another processor, or an emulated one, can be compared
(docs/vision-measurements.md says how it runs for aarch64 under qemu-user).
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import cv2
import numpy as np

from tests.bench.sets import OWN, recorded_table
from vision.blind.reader import opinion
from vision.checkers.calibration.calibrate import calibrate
from vision.checkers.reader import CheckersReader
from vision.picture.frame import Frame, Image, load

REEL: Path = OWN / "tests/data/reel"


def median(work: Callable[[Image], object], pictures: Iterable[Image]) -> float:
    """The median time for one picture, in milliseconds."""
    took = []
    for picture in pictures:
        begun = time.perf_counter()
        work(picture)
        took.append(1000 * (time.perf_counter() - begun))
    return statistics.median(took)


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--frames", type=int, default=20)
    parser.add_argument("--again", type=int, default=3, help="how many times all are read; the best counts")
    given = parser.parse_args()
    cv2.setNumThreads(1)
    table = recorded_table("reel", REEL, REEL)
    first, *shots = table.shots
    corners = [(float(x), float(y)) for x, y in table.corners]
    image = load(first.path).image
    rig = calibrate(image, corners, table.geometry, None)
    reader = CheckersReader(rig, opinion).examined(image, first.looks)
    pictures = [load(shot.path).image for shot in shots if not shot.hand][: given.frames]
    median(lambda picture: reader.read(Frame(picture)), pictures)  # what is made once is not of a picture
    rounds = range(given.again)
    reading = min(median(lambda picture: reader.read(Frame(picture)), pictures) for _ in rounds)
    still = np.eye(3)
    warp = min(
        median(lambda picture: cv2.warpPerspective(picture, still, (1280, 960)), pictures) for _ in rounds
    )
    print(f"{len(pictures)} pictures: {reading:.1f} ms each; cv2.warpPerspective {warp:.1f} ms")
    print(f"ratio {reading / warp:.1f}")


if __name__ == "__main__":
    main()
