"""What the network of ``vision.blind.full_rows`` is trained on: tops of painted and drawn tables as a blind
reader would look at them, and how many checkers each one is.

    python -m training.stacks.blind painted EXAMPLES.npz [--first N] [--tables N]
    python -m training.stacks.blind drawn FOLDER EXAMPLES.npz [--changes N]
    python -m training.stacks.train fit EXAMPLES.npz ... --out vision/blind/full_rows.onnx

Folders are those of ``training.rendered.relief``. Every picture is read by the reader itself up to where
it looks closely, with corners as a person clicks them: what it guesses wrong there, the network learns to
live with."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from training.blind.paint import painted
from training.stacks.examples import QUANTA
from vision import stack_network
from vision.blind import full_rows
from vision.blind.columns import BAR, POOR, find_columns
from vision.blind.even_light import even_light
from vision.blind.sides import tell_sides
from vision.blind.tops import place_tops
from vision.disc_finder.flat_map import lay_flat
from vision.disc_finder.network import find_marks
from vision.errors import CalibrationError
from vision.geometry.board_measures import ROW
from vision.geometry.camera import Camera
from vision.picture.frame import Image, load

Floats = NDArray[np.float64]

FAINT = -2.0
"""Log-odds of the fainter tops that are looked at."""
ON, BESIDE = 5.0, 11.0
"""Distances (map pixels) from a checker's middle up to which a top is this checker, and from which on it is
none."""
SHORT = 0.25
"""The part of the tops of rows that are not full which are looked at, too."""
ASTRAY = 0.25
"""How far beside it each one is looked at (map pixels, one standard deviation)."""
OTHER = 0.1
"""The part of the checkers that are looked at as if they were the other side's."""
CLICKS = 2.5


@dataclass(frozen=True)
class Table:
    """One picture. ``corners``: bottom-left, bottom-right, top-right, top-left; ``tops``: rows (x, y, how
    many lie there), all in its pixels."""

    name: str
    image: Image
    corners: Floats
    tops: Floats


def of_painted(first: int, tables: int, crowded: float) -> Iterator[Table]:
    """Painted tables without hands."""
    for seed in range(first, first + tables):
        table = painted(np.random.default_rng(seed), crowded)
        tops = table.tops()
        if table.hand is None and tops:
            counts = [[1.0 + top.layer] for top in tops]
            yield Table(
                f"painted{seed // 10}",
                table.photo,
                table.corners[::-1],
                np.hstack([table.seen(tops), counts]),
            )


def of_drawn(root: Path) -> Iterator[Table]:
    """Drawn tables, whose labels say where camera and checkers are."""
    for path in sorted((root / "backgammon").glob("*/labels.json")):
        for name, label in json.loads(path.read_text()).items():
            if name == "empty" or label["hand"]:
                continue
            at, size = label["camera"], label["size"]
            axes = np.array(at["axes"])
            turn, shift = cv2.Rodrigues(axes)[0].ravel(), -axes @ np.array(at["eye"])
            camera = Camera(
                (size[0], size[1]), at["focal"], at["k1"], tuple(map(float, turn)), tuple(map(float, shift))
            )
            tops = np.array(label["tops"]).reshape(-1, 5)
            seen = np.hstack([camera.project(tops[:, :3]), tops[:, 4:]])
            yield Table(
                f"{root.name}/{path.parent.name}",
                load(path.parent / f"{name}.jpg").image,
                np.array(label["corners_px"]),
                seen,
            )


def spoilt(rng: np.random.Generator, table: Table) -> Table:
    """The same as another camera would show it: smaller, softer, noisier, in other light, grey, through
    JPEG."""
    image, scale = table.image, 1.0
    if rng.random() < 0.4:
        scale = float(rng.uniform(0.5, 1.0))
        image = cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    values = image.astype(np.float32)
    if rng.random() < 0.5:
        values = 255 * np.clip(values / 255, 0, 1) ** np.float32(np.exp(rng.normal(0, 0.2)))
        values = (values * np.exp(rng.normal(0, 0.1, 3)) * rng.uniform(0.5, 1.2)).astype(np.float32)
    if rng.random() < 0.4:
        values = cv2.GaussianBlur(values, (0, 0), float(rng.uniform(0.4, 1.2)))
    if rng.random() < 0.5:
        values = values + rng.uniform(0, 7) * rng.standard_normal(values.shape, dtype=np.float32)
    eight = np.clip(values, 0, 255).astype(np.uint8)
    if rng.random() < 0.12:
        eight = cv2.cvtColor(cv2.cvtColor(eight, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    if rng.random() < 0.5:
        _, code = cv2.imencode(".jpg", eight, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(10, 90))])
        eight = cv2.imdecode(code, cv2.IMREAD_COLOR)
    moved = (
        np.hstack([table.tops[:, :2] * scale + (scale - 1) / 2, table.tops[:, 2:]]),
        table.corners * scale + (scale - 1) / 2,
    )
    return replace(table, image=np.asarray(eight, np.uint8), tops=moved[0], corners=moved[1])


def examples(table: Table, rng: np.random.Generator) -> tuple[NDArray[np.int8], list[int]]:
    """What the reader would show of every top of a table, as whole numbers, and how many checkers each one
    is."""
    nothing = np.zeros((0, stack_network.CHANNELS, stack_network.SIDE, stack_network.SIDE), np.int8), []
    corners = [(float(x), float(y)) for x, y in table.corners + rng.normal(0, CLICKS, (4, 2))]
    try:
        flat = lay_flat(table.image, corners)
    except CalibrationError:
        return nothing
    marks = find_marks(flat.image)
    board = find_columns(marks.axis, marks.bar)
    if board.sure < POOR:
        return nothing
    tops = place_tops(marks, board, flat.image)
    light = even_light(flat.image, marks.hand, board, tops)
    white = tell_sides(flat.image, tops, board.pitch, light.light).white
    inverse = np.linalg.inv(flat.to_picture)
    true = cv2.perspectiveTransform(table.tops[:, :2].reshape(-1, 1, 2), inverse).reshape(-1, 2)
    asked, right = [], []
    rows = Counter((top.column, top.upper) for top in tops if top.odds > 0)
    for index, top in enumerate(tops):
        away = np.hypot(true[:, 0] - top.x, true[:, 1] - top.y)
        nearest = int(away.argmin())
        usual = rows[top.column, top.upper] >= ROW - 1 or rng.random() < SHORT
        if usual and top.odds > FAINT and top.column != BAR and not ON < away[nearest] < BESIDE:
            asked.append(index)
            right.append(int(table.tops[nearest, 2]) if away[nearest] <= ON else 0)
    if not asked:
        return nothing
    taken = np.where(rng.random(len(white)) < OTHER, -white, white)
    moved = [replace(top, x=top.x + rng.normal(0, ASTRAY), y=top.y + rng.normal(0, ASTRAY)) for top in tops]
    seen = full_rows.show_tops(table.image, flat, light, board, asked, moved, white, taken)
    return np.clip(np.round(seen * QUANTA), -127, 127).astype(np.int8), right


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    painting = commands.add_parser("painted")
    painting.add_argument("out", type=Path)
    painting.add_argument("--first", type=int, default=20000)
    painting.add_argument("--tables", type=int, default=1500)
    drawing = commands.add_parser("drawn")
    drawing.add_argument("folder", type=Path)
    drawing.add_argument("out", type=Path)
    painting.add_argument(
        "--crowded", type=float, default=0.6, help="how often there are five and more on a point"
    )
    for each in (painting, drawing):
        each.add_argument(
            "--changes",
            type=int,
            default=1,
            help="how often each picture is looked at, but for the first time spoilt",
        )
        each.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    cv2.setNumThreads(1)
    rng = np.random.default_rng(given.seed)
    shown: list[NDArray[np.int8]] = []
    right: list[int] = []
    names: list[str] = []
    for table in (
        of_painted(given.first, given.tables, given.crowded)
        if given.command == "painted"
        else of_drawn(given.folder)
    ):
        for turn in range(given.changes):
            one, heights = examples(table if not turn and rng.random() < 0.6 else spoilt(rng, table), rng)
            shown.append(one)
            right += heights
            names += [table.name] * len(heights)
    np.savez(given.out, shown=np.concatenate(shown), right=np.array(right, np.int8), boards=np.array(names))
    print(f"{len(right)} examples, {np.bincount(right).tolist()} of none, one, two ...")


if __name__ == "__main__":
    main()
