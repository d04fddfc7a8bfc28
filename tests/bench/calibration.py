"""Calibrates every table as it is and altered in many ways, and reads its other pictures, altered likewise,
with what was learned.

    python -m tests.bench.calibration [--data DIR] [--ways find find+ click click+]
                                      [--alter NAME …] [--sets renders webcam reel] [--frames N] [--from K]
                                      [--empty] [-v]

A way is ``find`` (no corners given), or ``click`` (corners up to 5 pixels off, evenly); ``+`` gives the
board's measures too. Columns: calibrations that were not refused; the corners' greatest error in checkers
(median over tables, worst); points right in the other pictures (none with a hand), whole boards right, points
wrong with a confidence of 0.9 or more; CPU seconds for a calibration (median, worst). ``-v`` tells every
refusal and every table that is read badly. ``--from K`` learns each table from its K-th picture (0: the
start) and what its label says of it, ``--empty`` with its empty picture too.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, field, replace

import cv2
import numpy as np

from tests.bench.altered import ALTERED, Alter
from tests.bench.arguments import data_option
from tests.bench.scores import share_right, wrong_and_sure
from tests.bench.sets import Table, reel, renders, webcam
from vision.blind.reader import opinion
from vision.checkers.calibration.calibrate import calibrate
from vision.checkers.calibration.corners import find
from vision.checkers.reader import CheckersReader
from vision.checkers.rig import Rig
from vision.errors import VisionError
from vision.geometry.board_measures import Geometry
from vision.geometry.camera import rectangle
from vision.picture.frame import Frame, load

SETS = {"renders": renders, "webcam": webcam, "reel": reel}
WAYS = ("find", "find+", "click", "click+")


@dataclass
class Tally:
    """One row."""

    tried: int = 0
    done: int = 0
    off: list[float] = field(default_factory=list)
    points: list[tuple[float, bool]] = field(default_factory=list)
    boards: list[bool] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    told: list[str] = field(default_factory=list)

    def row(self, name: str) -> str:
        """As a line of the table."""
        if not self.done:
            return f"{name:26} {self.done:3d}/{self.tried:<3d}"
        return (
            f"{name:26} {self.done:3d}/{self.tried:<3d} {np.median(self.off):5.2f} /{max(self.off):5.2f}"
            f" {share_right(self.points):7.2f}% {sum(self.boards):4d}/{len(self.boards):<4d}"
            f" {wrong_and_sure(self.points):4d}  "
            f" {np.median(self.seconds):4.1f} /{max(self.seconds):4.1f}"
        )


HEAD = f"{'':26} {'learned':>7} {'corners off':>12} {'points':>8} {'boards':>9} {'sure*':>5}   seconds"


def one(table: Table, way: str, alter: Alter, tally: Tally, frames: int, start: int, bare: bool) -> None:
    """One table in one way."""
    first = table.shots[start]
    image, truth = alter(load(first.path).image, np.asarray(table.corners, np.float64))
    geometry = replace(table.geometry, tray=None) if way.endswith("+") else Geometry()
    known = None if table.start and not start else first.looks
    empty = alter(load(table.empty).image, truth)[0] if bare and table.empty else None
    tally.tried += 1
    clock = time.process_time()
    try:
        if way.startswith("find"):
            found = find(image, geometry, known)
            rig = calibrate(image, found.corners, geometry, known, empty)
        else:
            rng = np.random.default_rng([*table.name.encode()])
            clicked = truth + rng.uniform(-5, 5, truth.shape)
            rig = calibrate(image, [(float(x), float(y)) for x, y in clicked], geometry, known, empty)
    except VisionError as error:
        tally.told.append(f"    {table.name}: refused: {error}")
        tally.seconds.append(time.process_time() - clock)
        return
    tally.seconds.append(time.process_time() - clock)
    tally.done += 1
    tally.off.append(_off(rig, truth))
    reader = CheckersReader(rig, opinion).examined(image, first.looks)
    _read(reader, table, alter, tally, frames, start)


def _off(rig: Rig, truth: np.ndarray) -> float:
    """The greatest distance of a corner from where it is, in checkers, whichever corner is called the
    first."""
    measures = rig.measures
    seen = rig.camera.project(rectangle(measures.width, measures.height))
    wide = float(np.linalg.norm(seen[1] - seen[0])) / measures.width * measures.checker
    return min(float(np.linalg.norm(np.roll(seen, k, axis=0) - truth, axis=1).max()) for k in range(4)) / wide


def _read(reader: CheckersReader, table: Table, alter: Alter, tally: Tally, frames: int, first: int) -> None:
    """The table's other pictures, points and bar."""
    bad = []
    shots = [shot for shot in table.shots if not shot.hand and shot is not table.shots[first]]
    for shot in shots[:: max(1, len(shots) // frames)][:frames]:
        image, _ = alter(load(shot.path).image, np.asarray(table.corners, np.float64))
        reading = reader.read(Frame(image))
        looks = {cell: look for cell, look in shot.looks.items() if not cell.startswith("off")}
        hits = {cell: reading.looks.get(cell) == look for cell, look in looks.items()}
        tally.points += [
            (reading.confidence.get(cell, 0.0), hit) for cell, hit in hits.items() if cell.startswith("p")
        ]
        tally.boards.append(all(hits.values()))
        wrong = sum(not hit for hit in hits.values())
        if wrong > 2:
            bad.append(f"{shot.path.stem}: {wrong}")
    if bad:
        tally.told.append(f"    {table.name}: read badly: {', '.join(bad)}")


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    data_option(parser)
    parser.add_argument("--sets", nargs="+", default=[*SETS], choices=SETS)
    parser.add_argument("--ways", nargs="+", default=[*WAYS], choices=WAYS)
    parser.add_argument("--alter", nargs="+", default=list(ALTERED), choices=ALTERED, metavar="NAME")
    parser.add_argument("--frames", type=int, default=8)
    parser.add_argument("--from", dest="start", type=int, default=0)
    parser.add_argument("--empty", action="store_true")
    parser.add_argument("-v", action="store_true")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    tables = [table for name in SETS if name in options.sets for table in SETS[name](options.data)]
    print(HEAD)
    for way in options.ways:
        for name in options.alter:
            tally = Tally()
            for table in tables:
                if options.start < len(table.shots) and not table.shots[options.start].hand:
                    one(table, way, ALTERED[name], tally, options.frames, options.start, options.empty)
            print(tally.row(f"{way} · {name}"), *(tally.told if options.v else []), sep="\n", flush=True)
    print("* points read wrong with a confidence of 0.9 or more")


if __name__ == "__main__":
    main()
