"""Rendered tables as training sees them: the camera, the measures and every checker's place are known, and
made wrong by a little."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from training.changes import Change, relearned
from vision.checkers.discs import Discs
from vision.checkers.places import flatten
from vision.checkers.plan import Plan
from vision.geometry.board_measures import THICKNESS, Measures, Orientation
from vision.geometry.camera import Camera
from vision.geometry.flat import RESOLUTION, Flat

ASTRAY = 0.03
"""How far off a calibrated camera may be, in checkers (one standard deviation)."""


@dataclass(frozen=True)
class Top:
    """A checker that lies uppermost: where the map shows it (column, row), whose it is (0 White's), how many
    lie there, whether it is nearer the upper rim, and whether it is on the bar."""

    column: float
    row: float
    kind: int
    count: int
    upper: bool
    bar: bool


@dataclass(frozen=True)
class Known:
    """One board laid out as if it had been calibrated."""

    name: str
    folder: Path
    labels: dict[str, dict]
    measures: Measures
    flat: Flat
    plan: Plan

    @property
    def pictures(self) -> list[tuple[Path, dict]]:
        """The pictures without hands, the start position first."""
        names = ["start", *sorted(name for name in self.labels if name not in ("start", "empty"))]
        return [
            (self.folder / f"{name}.jpg", self.labels[name])
            for name in names
            if not self.labels[name]["hand"]
        ]

    def learned(self, change: Change) -> Discs:
        """What the changed start picture says of colours and surface."""
        return relearned(self.flat, self.measures, self.folder / "start.jpg", None, change)

    def tops(self, label: dict) -> list[Top]:
        found = []
        for x, y, z, kind, count in label["tops"]:
            column, row = self.flat.at([(x, y)], z)[0]
            found.append(
                Top(
                    float(column),
                    float(row),
                    int(kind),
                    int(count),
                    y > self.measures.height / 2,
                    abs(z - count * label["thick"]) > 0.01,
                )
            )
        return found


def known(root: Path, rng: np.random.Generator) -> Iterator[Known]:
    """Every board of a folder of renders, each under a slightly wrong camera."""
    for path in sorted((root / "backgammon").glob("*/labels.json")):
        labels = json.loads(path.read_text())
        given = labels["start"]["geometry_cm"]
        d = given["checker"]
        measures = Measures(
            given["pitch"], d, given["bar"], given["width"], given["height"], given["tray"], THICKNESS * d
        )
        eye = labels["start"]["camera"]
        axes, width = np.array(eye["axes"]), labels["start"]["size"]
        turn = cv2.Rodrigues(axes)[0].ravel() + rng.normal(0, ASTRAY * d / given["width"], 3)
        shift = -axes @ np.array(eye["eye"]) + rng.normal(0, ASTRAY * d, 3) * (1, 1, 3)
        lens = Camera(
            (width[0], width[1]), eye["focal"], eye["k1"], tuple(map(float, turn)), tuple(map(float, shift))
        )
        flat = flatten(lens, measures)
        yield Known(
            path.parent.name,
            path.parent,
            labels,
            measures,
            flat,
            Plan(measures, flat, Orientation(), 15),
        )


def answers(
    known: Known, tops: list[Top], places: tuple[NDArray[np.float32], NDArray[np.float32]]
) -> NDArray[np.int64]:
    """The right answer of ``vision.checkers.discs`` at every place (map columns and rows): 0 bare, 1
    and 2 a disc, 3 anything else, -1 unsure."""
    u, v = places
    label = np.full(u.shape, -1)
    nearest = np.full(u.shape, 99.0)
    for top in tops:
        away = np.hypot(u - top.column, v - top.row)
        label = np.where((away <= 0.09 * RESOLUTION) & (away < nearest), 1 + top.kind, label)
        nearest = np.minimum(nearest, away)
    label[(nearest > 0.22 * RESOLUTION) & (nearest < 0.85 * RESOLUTION)] = 3
    label[nearest > RESOLUTION] = 0
    return label
