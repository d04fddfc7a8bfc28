"""How far the board under the start position's checkers, as a calibration guesses it, is from the picture of
the empty board.

    python -m tests.bench.surface FOLDER …

Each FOLDER holds boards as ``data/backgammon`` does; those without ``start.jpg`` and ``empty.jpg`` are left
out. Columns: mean distance of luma and of chroma (log units) where the board was guessed; and the worst point
that had checkers in the calibration picture: how much likelier (nats) some checker is there than none, in the
picture of the empty board.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import cv2
import numpy as np

from vision.checkers.calibration.calibrate import calibrate
from vision.checkers.reader import CheckersReader
from vision.errors import CalibrationError
from vision.geometry.board_measures import Geometry, start
from vision.light import colour
from vision.picture.frame import Frame, load

CLICK = 3.0


def measured(folder: Path) -> tuple[float, float, float]:
    """Luma, chroma, nats. Raises CalibrationError."""
    label = json.loads((folder / "labels.json").read_text())["start"]
    rng = np.random.default_rng([*folder.name.encode()])
    corners = [(float(x), float(y)) for x, y in np.array(label["corners_px"]) + rng.normal(0, CLICK, (4, 2))]
    rig = calibrate(load(folder / "start.jpg").image, corners, Geometry.from_json(label["geometry_cm"]))
    reader, empty = CheckersReader(rig), load(folder / "empty.jpg")
    assert rig.guessed is not None
    inside = rig.guessed & ~reader.flat.outside(rig.measures.width, rig.measures.height)
    off = (reader.surface - colour.logs(reader.flat.lay(empty.image)))[inside]
    evidence = reader.read(Frame(empty.image)).evidence
    cells = [evidence.cells[cell] for cell in start() if cell in evidence.cells]
    worst = max(
        max((nats for look, nats in cell.items() if look), default=evidence.floor)
        - cell.get((), evidence.floor)
        for cell in cells
    )
    return float(np.abs(off[:, 0]).mean()), float(np.hypot(off[:, 1], off[:, 2]).mean()), worst


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+")
    cv2.setNumThreads(1)
    rows = []
    for folder in (board for root in parser.parse_args().folders for board in sorted(root.iterdir())):
        if not all((folder / name).exists() for name in ("labels.json", "start.jpg", "empty.jpg")):
            continue
        try:
            rows.append(measured(folder))
        except CalibrationError as error:
            print(f"{folder.name}: refused: {error}")
            continue
        print(
            f"{folder.name:14} luma {rows[-1][0]:.3f}  chroma {rows[-1][1]:.3f}  worst point"
            f" {rows[-1][2]:+5.1f} nats",
            flush=True,
        )
    if rows:
        luma, chroma, nats = np.mean(rows, axis=0)
        print(
            f"{len(rows):3d} boards     luma {luma:.3f}  chroma {chroma:.3f}  worst point {nats:+5.1f} nats"
            " on average"
        )


if __name__ == "__main__":
    main()
