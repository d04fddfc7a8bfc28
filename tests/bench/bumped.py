"""Bumped cameras over boards of pyramids and maps of hexes: ``python -m tests.bench.bumped --help``.

Every picture without a hand is turned, moved and tilted in several ways, and given to a settler that knows
the table as it was. Printed for each way: how often the board was found again, how often it was said that the
camera was moved, how many pictures were taken for good, and how many cells were read wrong in those (and how
many of them with a confidence of 0.9). ``-`` is no movement at all. The last rows are of pictures that do not
show the board so.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from engine.layout import Cell, Look
from tests.bench.arguments import data_option
from tests.bench.boards import SIZE, Same, Varied, due_looks, turned_over
from vision.hexes.board import Hexes
from vision.picture.frame import Frame, Image, load
from vision.pyramids.board import Pyramids
from vision.reading import BoardReader
from vision.settle import Rest, Settler

WAYS: dict[str, tuple[float, float, float, float]] = {
    "-": (0, 0, 0, 0),
    "2 px": (0, 2, -1, 0),
    "4 px": (0, 4, 2, 0),
    "7 px": (0, -6, 4, 0),
    "half a degree": (0.5, 0, 0, 0),
    "1 degree, 29 px": (1, 25, -15, 0),
    "2 degrees, 42 px": (-2, -30, 30, 0),
    "4 degrees, 41 px": (4, 40, 10, 0),
    "a hex aside": (0, 47, 0, 0),
    "100 px": (0, -80, 60, 0),
    "looks 2 degrees aside": (0, 0, 0, 2.0),
    "10 degrees": (10, 0, 0, 0),
}
"""Degrees about the line of sight, pixels right and down, and degrees that the camera looks aside and
down."""
FOCAL = 1300.0
"""Of the camera that looks aside, in pixels: about that of the pictures."""


def bumped(image: Image, way: tuple[float, float, float, float]) -> Image:
    """A picture as a camera takes it that was moved."""
    turn, right, down, aside = way
    width, height = SIZE
    warp = np.vstack([cv2.getRotationMatrix2D((width / 2, height / 2), turn, 1.0), [0, 0, 1]])
    warp[:2, 2] += (right, down)
    lens = np.array([[FOCAL, 0, width / 2], [0, FOCAL, height / 2], [0, 0, 1]])
    turned, _ = cv2.Rodrigues(np.radians([aside / 2, aside, 0.0]))
    warp = lens @ turned @ np.linalg.inv(lens) @ warp
    return np.asarray(cv2.warpPerspective(image, warp, SIZE, borderMode=cv2.BORDER_REPLICATE), np.uint8)


def hexes(folder: Path, seed: int) -> tuple[BoardReader, list[tuple[Image, dict[Cell, Look]]]]:
    """A map, and its pictures without hands, each with what is on it."""
    labels: dict[str, Any] = json.loads((folder / "labels.json").read_text())
    change = Varied(seed, upright=True) if seed else Same()
    table = Hexes().calibrate(
        change(load(folder / "start.jpg").image), change.corners(labels["start"]["corners_px"]), labels["map"]
    )
    last, shown = labels["map"]["rows"] - 1, []
    for name, truth in labels.items():
        if name == "map" or truth["hand"]:
            continue
        looks = [(c, "border") for c in truth["border"]] + [
            (c, f"fortress.{owner}") for c, owner in truth["fortresses"].items()
        ]
        looks += [(c, f"army.{side}") for side, covered in truth["armies"] for c in covered]
        due = {f"hex.{turned_over(c, last) if change.mirrored else c}": (piece,) for c, piece in looks}
        shown.append(
            (
                change(load(folder / f"{name}.jpg").image),
                {cell: due.get(cell, ()) for cell in table.sheet.cells},
            )
        )
    return table, shown


def pyramids(folder: Path, seed: int) -> tuple[BoardReader, list[tuple[Image, dict[Cell, Look]]]]:
    """The same of a board of pyramids."""
    labels: dict[str, Any] = json.loads((folder / "labels.json").read_text())
    change = Varied(seed, upright=False) if seed else Same()
    first, bare = (change(load(folder / f"{name}.jpg").image) for name in ("01", "empty"))
    corners, measures = change.corners(labels["empty"]["corners_px"]), labels["01"]["geometry_cm"]
    table = Pyramids().calibrate(first, corners, measures, due_looks(labels["01"], change.mirrored), bare)
    pictures = [
        (change(load(folder / f"{name}.jpg").image), truth)
        for name, truth in labels.items()
        if not truth["hand"]
    ]
    return table, [(image, due_looks(truth, change.mirrored)) for image, truth in pictures]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    data_option(parser, "data")
    parser.add_argument("--only", choices=("icegammon", "siege-master"), help="one kind of board")
    parser.add_argument(
        "--vary",
        type=int,
        default=0,
        metavar="N",
        help="N tables more of each, altered as by tests.bench.boards",
    )
    asked = parser.parse_args()
    for kind, reader in (("icegammon", pyramids), ("siege-master", hexes)):
        if asked.only not in (None, kind):
            continue
        tables = [
            reader(folder, turn)
            for folder in sorted((asked.data / kind).iterdir())
            for turn in range(asked.vary + 1)
        ]
        for name in WAYS:
            _row(
                kind,
                name,
                [(table, bumped(image, WAYS[name]), due) for table, shown in tables for image, due in shown],
            )
        noise = np.asarray(
            cv2.resize(np.random.default_rng(0).integers(60, 200, (96, 128, 3)).astype(np.uint8), SIZE),
            np.uint8,
        )
        others = [(table, image[::-1, ::-1].copy(), {}) for table, shown in tables for image, _ in shown[:2]]
        _row(kind, "upside down", others)
        _row(kind, "something else", [(table, noise, {}) for table, _ in tables])


def _row(kind: str, name: str, cases: list[tuple[BoardReader, Image, dict[Cell, Look]]]) -> None:
    found = said = good = wrong = sure = 0
    for table, image, due in cases:
        settler = Settler(table)
        status = settler.push(Frame(image), 0.0)
        found += settler.moved
        said += "moved" in status.words
        if status.rest is Rest.AT_REST and status.reading is not None:
            good += 1
            off = [cell for cell, look in status.reading.looks.items() if look != due.get(cell, ())]
            wrong += len(off) if due else 1
            sure += sum(status.reading.confidence[cell] > 0.9 for cell in off)
    row = (
        f"found {found:3d}  said {said:3d}  read {good:3d}  of {len(cases):3d}  wrong cells {wrong:4d}, sure"
        f" {sure:4d}"
    )
    print(f"{kind:13s} {name:21s} {row}", flush=True)


if __name__ == "__main__":
    main()
