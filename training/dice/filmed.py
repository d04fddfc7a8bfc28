"""The table of a match that Blender renders (``pip install bpy``): see ``reels``, ``--traced``."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from training.dice.put import Thing
from training.dice.stage import Stage
from training.dice.traced import light_of, stand
from training.rendered.lens import seen_part
from training.rendered.relief import leaning
from training.rendered.setting import Setting
from training.rendered.shoot import random_hand
from training.rendered.things import build_board, camera, clear, light_up, put

SAMPLES = 8
"""Light paths of a pixel, before Blender takes out the noise."""
FARTHEST = 35.0
"""Degrees from upright, of every other camera at most."""


class TracedStage(Stage):
    """A table with walls, shades and reflections, and hands above it."""

    hands = True

    def _begin(self, rng: np.random.Generator) -> None:
        if self.seed % 2:
            self.view = leaning(self.view, float(rng.uniform(0, FARTHEST)))
        clear()
        self._made = build_board(self.board)
        light_up(self.view, self.board)
        camera(self.view)
        self._part = seen_part(self.view, self.board)
        self._laid: list[Any] = []

    def lay(self, setting: Setting) -> None:
        """The pieces that stay keep their places; each is turned anew."""
        for thing in self._laid:
            bpy.data.objects.remove(thing)
        self._laid = put(self.board, self._made, setting, np.random.default_rng([self.seed, 7]))

    def _light(self, things: list[Thing], hand: bool) -> NDArray[np.float32]:
        stood = stand(np.random.default_rng([self.seed, 8]), things)
        if hand:
            reach = Setting(hand=random_hand(self.rng, self.board))
            stood += put(self.board, self._made, reach, self.rng)
        light = light_of(self.view, self._part, SAMPLES, quiet=True)
        for thing in stood:
            bpy.data.objects.remove(thing)
        return light
