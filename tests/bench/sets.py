"""The labelled sets of boards of checkers, as benches and training take them.

Their folder is named with ``--data``, else by ``$BARPOINT_DATA``, else ``../shared/data``. In it are
``backgammon`` (six path-traced boards), ``photos`` (a paper board under a webcam, and others), ``reel`` (a
recorded game) and ``hard`` (deep boards, rows of six, cups; three recorded games).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engine.layout import Looks
from vision.geometry.board_measures import Geometry

OWN = Path(__file__).parents[2]
"""The project's root."""


@dataclass(frozen=True)
class Shot:
    """One labelled picture."""

    path: Path
    looks: Looks
    hand: bool


@dataclass(frozen=True)
class Table:
    """One board under one camera: the first shot (and ``empty``) calibrate it."""

    name: str
    corners: np.ndarray
    geometry: Geometry
    shots: list[Shot]
    empty: Path | None
    trayed: bool
    start: bool


def looks_of(label: dict[str, Any], trayed: bool) -> Looks:
    """A label's signed counts as looks."""
    found: dict[str, tuple[str, ...]] = {f"p{number}": () for number in range(1, 25)}
    for number, count in label["points"].items():
        found[f"p{number}"] = (("white",) if count > 0 else ("black",)) * abs(count)
    for place in ("bar", "off") if trayed else ("bar",):
        for side, count in zip(("white", "black"), label[place], strict=True):
            found[f"{place}.{side}"] = (side,) * count
    return found


def renders(root: Path) -> Iterator[Table]:
    """The six path-traced boards."""
    for folder in sorted(path for path in (root / "backgammon").iterdir() if path.is_dir()):
        labels = json.loads((folder / "labels.json").read_text())
        first = labels["start"]
        trayed = first["geometry_cm"]["tray"] != "none"
        names = ["start", *(name for name in labels if name not in ("start", "empty"))]
        shots = [
            Shot(folder / f"{name}.jpg", looks_of(labels[name], trayed), labels[name]["hand"])
            for name in names
        ]
        geometry = Geometry.from_json(first["geometry_cm"])
        yield Table(
            folder.name, np.array(first["corners_px"]), geometry, shots, folder / "empty.jpg", trayed, True
        )


def reel(data: Path) -> Iterator[Table]:
    """The recorded game, the tests' own where the data folder has none."""
    given = data / "reel"
    root = given if given.exists() else OWN / "tests/data/reel"
    yield recorded_table("reel", root, root)


def recorded_table(name: str, root: Path, labels: Path) -> Table:
    """The table of a recorded game, whose first picture shows the start; ``labels`` has its truth."""
    recorded = json.loads((root / "reel.json").read_text())
    truth = json.loads((labels / "truth.json").read_text())["frames"]
    shots = [
        Shot(root / frame, looks_of(label, True), label["hand"])
        for frame, label in sorted(truth.items())
        if (root / frame).exists()
    ]
    return Table(
        name,
        np.array(recorded["corners_px"]),
        Geometry.from_json(recorded["geometry_cm"]),
        shots,
        None,
        True,
        True,
    )


def _in_picture_order(label: dict[str, Any]) -> dict[int, int]:
    """A label's counts by point, where the label has them from left to right."""
    return {12 - i: count for i, count in enumerate(label["bottom"])} | {
        13 + i: count for i, count in enumerate(label["top"])
    }


def hard(data: Path) -> Iterator[Table]:
    """Three tables that are hard to read, and three recorded games on such ones. What a label calls unknown
    may be covered: it is there all the same."""
    root = data / "hard"
    labels = json.loads((root / "labels.json").read_text()) if root.exists() else {}
    for folder in sorted({name.partition("/")[0] for name in labels}):
        own = {name: label for name, label in labels.items() if name.startswith(f"{folder}/")}
        first = own[f"{folder}/start.jpg"]
        shots = [
            Shot(
                root / name,
                looks_of(
                    {
                        "points": _in_picture_order(label),
                        "bar": [label["bar_light"], label["bar_dark"]],
                        "off": label["off"],
                    },
                    True,
                ),
                False,
            )
            for name, label in sorted(own.items(), key=lambda entry: (entry[1] is not first, entry[0]))
        ]
        tl, tr, br, bl = first["tl_tr_br_bl"]
        corners = np.array([bl, br, tr, tl], float)
        yield Table(folder, corners, Geometry.from_json(first["geometry_cm"]), shots, None, True, True)
    for folder in sorted(root.glob("reel-*")) if root.exists() else ():
        yield recorded_table(folder.name, folder, folder)


def webcam(root: Path) -> Iterator[Table]:
    """A paper board under a dim webcam: only the bar's width in checkers is known."""
    labels = json.loads((root / "photos" / "labels.json").read_text())
    shots, first = [], None
    for name, label in sorted(labels.items()):
        if name.startswith("webcam"):
            points = _in_picture_order(label)
            shots.append(
                Shot(root / "photos" / name, looks_of({"points": points, "bar": label["bar"]}, False), False)
            )
            first = first or label
    if first:
        tl, tr, br, bl = first["tl_tr_br_bl"]
        geometry = Geometry(checker=4.0, bar=4.0 * first["bar_width_to_checker_width"], tray="none")
        yield Table("webcam", np.array([bl, br, tr, tl], float), geometry, shots, None, False, False)
