"""A recorded session as a camera would have filmed it whose arm gives way over the whole of it.

    python -m tests.bench.drifting ../shared/data/reel OUT --way sinks
    barpoint replay OUT
    python -m tests.bench.transcribe OUT

The first picture is as it was, and the last one farthest from it; the same files lie beside them.
"""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path

import cv2
import numpy as np

from vision.picture.frame import load

WAYS: dict[str, tuple[float, float, float, float, float]] = {
    "shifts": (90, -50, 0, 0, 0),
    "turns": (0, 0, 5, 0, 0),
    "comes nearer": (0, 0, 0, 0.08, 0),
    "goes away": (0, 0, 0, -0.08, 0),
    "leans": (0, 0, 0, 0, 0.1),
    "sinks": (0, 40, 2, 0.03, 0.05),
}
"""In the end: pixels to the right and down, degrees, how much nearer, and how much nearer the lower edge is
than the middle."""


def warp(way: tuple[float, float, float, float, float], part: float, size: tuple[int, int]) -> np.ndarray:
    """The homography (3 x 3) of a picture of ``size`` (width, height) when ``part`` (0-1) of the way is
    gone."""
    right, down, degrees, nearer, leans = (part * each for each in way)
    turn, grown = np.deg2rad(degrees), 1 + nearer
    middle = np.array([[1, 0, -size[0] / 2], [0, 1, -size[1] / 2], [0, 0, 1]])
    turned = np.array(
        [
            [grown * np.cos(turn), -grown * np.sin(turn), 0],
            [grown * np.sin(turn), grown * np.cos(turn), 0],
            [0, 0, 1],
        ]
    )
    leant = np.array([[1, 0, 0], [0, 1, 0], [0, 2 * leans / size[1], 1]])
    shifted = np.array([[1, 0, right], [0, 1, down], [0, 0, 1]])
    return np.asarray(shifted @ np.linalg.inv(middle) @ leant @ turned @ middle)


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("session", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--way", choices=WAYS, default="sinks")
    options = parser.parse_args()
    shutil.copytree(options.session, options.out)
    timeline = json.loads((options.session / "reel.json").read_text())["timeline"]
    names = [each["frame"] for each in timeline if "frame" in each]
    for number, name in enumerate(names):
        image = load(options.session / name).image
        size = image.shape[1], image.shape[0]
        matrix = warp(WAYS[options.way], number / max(1, len(names) - 1), size)
        moved = cv2.warpPerspective(
            image, matrix, size, flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
        )
        cv2.imwrite(str(options.out / name), moved, [cv2.IMWRITE_JPEG_QUALITY, 93])


if __name__ == "__main__":
    main()
