"""Reads eight to fifteen checkers on one point, in two and three layers, on drawn tables that nothing was
trained on: calibrated from their start position, and blind. Prints a row for each number.

    python -m tests.bench.tall_rows [--first 0] [--tables 24]

The rest of the side stands on the midpoint, the other side as a game begins. Every second table has the row
in the upper half, and Black's.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

import cv2

from tests.bench.scores import SURE
from tests.vision.drawn_table import DrawnTable
from training.rendered.setting import start
from vision.blind.reader import opinion, read_blind
from vision.checkers.calibration.calibrate import calibrate
from vision.checkers.reader import CheckersReader
from vision.errors import CalibrationError
from vision.geometry.board_measures import Geometry
from vision.geometry.camera import Corner
from vision.picture.frame import Frame
from vision.reading import Reading

WHITE, BLACK = ({point: count for point, count in start().items() if sign * count > 0} for sign in (1, -1))


def position(number: int, count: int) -> tuple[str, dict[int, int]]:
    """The cell with the row, and what stands on every point."""
    if number % 2:
        return "p3", BLACK | {3: count, 13: 15 - count}
    return "p22", WHITE | {22: -count, 12: count - 15}


def outcome(reading: Reading, cell: str, count: int) -> str:
    """How the row was read."""
    look = reading.looks.get(cell)
    if look is None:
        return "withheld"
    if len(look) == count and set(look) == {"white" if cell == "p3" else "black"}:
        return "right"
    return "wrong and sure" if reading.confidence[cell] >= SURE else "wrong"


def _blindly(corners: Sequence[Corner], frame: Frame) -> Reading:
    return read_blind(frame.image, corners)


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--tables", type=int, default=24)
    given = parser.parse_args()
    cv2.setNumThreads(1)
    seen: dict[tuple[str, int], Counter[str]] = {}
    for number in range(given.first, given.first + given.tables):
        table = DrawnTable(number, (1280, 960), tray="none")
        readers: dict[str, Callable[[Frame], Reading]] = {"blind": partial(_blindly, table.corners)}
        try:
            begun = table.picture(start())
            rig = calibrate(begun, table.corners, Geometry(tray="none"))
            readers["calibrated"] = CheckersReader(rig, opinion).examined(begun, start()).read
        except CalibrationError as error:
            print(f"table {number} is not learned: {error}")
        for count in range(8, 16):
            cell, points = position(number, count)
            frame = Frame(table.picture(points))
            for way, read in readers.items():
                seen.setdefault((way, count), Counter())[outcome(read(frame), cell, count)] += 1
    for (way, count), outcomes in sorted(seen.items()):
        told = ", ".join(f"{name} {many}" for name, many in sorted(outcomes.items()))
        print(f"{way:10} {count:2} checkers: {told}")


if __name__ == "__main__":
    main()
