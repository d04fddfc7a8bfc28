"""A table under other colours, as another camera, lamp or board would show it, and what a calibration learns
then."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np

from vision.checkers.calibration import calibrate
from vision.checkers.calibration.hypothesis import Hypothesis
from vision.checkers.calibration.measures import Estimates
from vision.checkers.discs import Discs
from vision.geometry.board_measures import Measures, Orientation, start
from vision.geometry.camera import CLICK
from vision.geometry.flat import Flat
from vision.light import colour, lamp
from vision.picture.frame import Image, load

GREY = 0.12
"""The part of changed copies that have no colour at all."""
Change = Callable[[Image, bool, int], Image]


def change_of(rng: np.random.Generator, grey_part: float = GREY) -> Change:
    """One change of colours, to grey now and then: ``change(image, own, seed)``, where ``own`` adds what
    differs from picture to picture."""
    if rng.random() < grey_part:
        return grey_copy
    order = rng.permutation(3) if rng.random() < 0.6 else np.arange(3)
    inverted, gamma = rng.random() < 0.35, np.exp(rng.normal(0, 0.25))
    contrast = rng.uniform(0.6, 1.0) if rng.random() < 0.5 else 1.0
    grey = rng.uniform(40, 160)
    vivid = np.exp(rng.uniform(-0.7, 1.0)) if rng.random() < 0.6 else 1.0
    dim = rng.uniform(0.3, 1.0) if rng.random() < 0.5 else 1.0
    slant, noise = rng.normal(0, 0.25, 2), rng.uniform(0, 3)

    def change(image: Image, own: bool, seed: int) -> Image:
        now = np.random.default_rng(seed)
        values = image[..., order].astype(np.float32) / 255
        values = 255 * np.clip(1.02 - values if inverted else values, 0, 1) ** gamma
        values = grey + (values - grey) * contrast
        mean = values.mean(axis=-1, keepdims=True)
        y, x = (
            np.linspace(-1, 1, image.shape[0])[:, None, None],
            np.linspace(-1, 1, image.shape[1])[None, :, None],
        )
        lamp = np.exp(now.normal(0, 0.08) + now.normal(0, 0.04, 3)) if own else 1.0
        values = (
            np.clip(mean + vivid * (values - mean), 0, 255) * lamp * dim * np.exp(slant[0] * x + slant[1] * y)
        )
        values = values + now.normal(0, now.uniform(0, 5) if own else noise, values.shape)
        eight = np.clip(values, 0, 255).astype(np.uint8)
        soft = float(now.uniform(0, 1.3))
        return np.asarray(cv2.GaussianBlur(eight, (0, 0), soft), np.uint8) if soft > 0.5 else eight

    return change


def grey_copy(image: Image, own: bool, seed: int) -> Image:
    """No colour, and no other change."""
    return np.ascontiguousarray(
        np.repeat(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)[..., None], 3, axis=2).astype(np.uint8)
    )


def same(image: Image, own: bool, seed: int) -> Image:
    """No change."""
    return image


def relearned(flat: Flat, measures: Measures, first: Path, empty: Path | None, change: Change) -> Discs:
    """What a table's calibration picture (``first``: of the start position), changed, says of it under a
    camera."""
    guess = Hypothesis(start(), (), Estimates(measures), Orientation(), flat.camera, CLICK)
    bare = colour.logs(flat.lay(change(load(empty).image, False, 2))) if empty else None
    values = colour.logs(flat.lay(change(load(first).image, False, 1)))
    paint, surface = calibrate._learn(guess, values, bare)
    return Discs(surface, lamp.spread(flat.shape, paint.light), paint)
