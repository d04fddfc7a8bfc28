"""Tables that are drawn for a test: what stands on them, no shared picture shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from training.rendered.lens import develop, project, random_sensor, through_lens
from training.rendered.light import Sheen, Sheet, random_sheen
from training.rendered.relief import empty_board, ground_of, photograph, pile
from training.rendered.setting import Setting, set_up
from training.rendered.table import random_board, random_view
from vision.geometry.camera import Floats
from vision.picture.frame import Image


def columns_off(outline: Floats, corners: Floats) -> float:
    """How far an outline is from a board's corners (4 x 2 pixels), whichever it begins with, in columns."""
    turned = (np.roll(outline, turn, axis=0) for turn in range(4))
    far = min(float(np.linalg.norm(each - corners, axis=1).max()) for each in turned)
    return far / float(np.linalg.norm(corners[1] - corners[0])) * 12.6


class DrawnTable:
    """A table of random measures, colours and lamps, the same for each ``number``; ``other`` than random are
    these of its board's fields."""

    def __init__(self, number: int, size: tuple[int, int] = (960, 720), **other: Any) -> None:
        self._rng = np.random.default_rng([5, number])
        self._board = replace(random_board(self._rng), **other)
        self._view = random_view(self._rng, self._board, size)
        self._ground = ground_of(self._board)

    @cached_property
    def _bare(self) -> list[Sheet]:
        return empty_board(self._rng, self._board, self._ground)

    @cached_property
    def _sheen(self) -> Sheen | None:
        return random_sheen(self._rng, self._board)

    @cached_property
    def _sensor(self) -> dict[str, float]:
        return random_sensor(self._rng)

    @property
    def corners(self) -> list[tuple[float, float]]:
        """The surface's corners (pixels)."""
        wide, high = self._board.width, self._board.height
        ends = np.array([(0, 0, 0), (wide, 0, 0), (wide, high, 0), (0, high, 0)], np.float64)
        return [(float(x), float(y)) for x, y in project(self._view, ends)]

    def picture(self, points: Mapping[int, int]) -> Image:
        """The table with so many checkers on its points (White's positive)."""
        setting = Setting(points=dict(points))
        set_up(self._rng, self._board, setting, bare=True)
        sheets = [*self._bare, *pile(self._rng, self._board, self._ground, setting)]
        every = sorted(sheets, key=lambda sheet: sheet.z)
        bright = photograph(self._rng, every, self._ground, self._view, self._board.thick / 2, self._sheen)
        light = through_lens(self._view, bright)
        gain = np.full(3, 0.5 / float(np.percentile(light, 90)))
        return develop(self._rng, light, gain, self._sensor)
