"""Outlines of pyramids under a camera."""

from __future__ import annotations

from typing import Any

from vision.pyramids.outlines import Outlines


def test_a_tip_leans_away_from_the_foot_of_the_camera(table: Any) -> None:
    eye = table.eye
    for x, y in ((2.0, 2.0), (47.0, 38.0)):
        shape = Outlines(table.flat, table.measures, table.eye).hull((3, x, y, 0.0)).reshape(-1, 2) / 16
        middle, base = shape.mean(axis=0), table.flat.at([(x, y)])[0]
        away = table.flat.at([(x, y)])[0] - table.flat.at([eye[:2]])[0]
        assert (middle - base) @ away > 0
