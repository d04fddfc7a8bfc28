"""Masks: which pixels, yes or no. They are grown, tidied and taken apart here."""

from __future__ import annotations

from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

Mask: TypeAlias = NDArray[np.bool_]
"""Rows x columns (x 3, of channels)."""


def grow(mask: Mask, wide: int) -> Mask:
    """With the square of ``wide`` (odd) pixels around each of its own."""
    return cv2.dilate(mask.astype(np.uint8), np.ones((wide, wide), np.uint8)) > 0


def without_specks(mask: Mask, wide: int) -> Mask:
    """Without what is narrower than ``wide`` pixels."""
    return cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, np.ones((wide, wide), np.uint8)) > 0


def without_gaps(mask: Mask, wide: int) -> Mask:
    """With its gaps closed that are narrower than ``wide`` pixels."""
    return cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((wide, wide), np.uint8)) > 0


def parts(mask: Mask, area: float) -> list[Mask]:
    """Its connected parts of more than ``area`` pixels."""
    if np.count_nonzero(mask) <= area:
        return []
    labels, sizes = _labels(mask)
    return [labels == index for index in np.flatnonzero(sizes > area) if index]


def touching(mask: Mask, seeds: Mask) -> Mask:
    """Its connected parts that touch any of the ``seeds``."""
    labels, sizes = _labels(mask)
    kept = np.zeros(len(sizes), bool)
    kept[labels[seeds]] = True
    kept[0] = False
    return kept[labels]


def _labels(mask: Mask) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The number of the part that each pixel belongs to (0: none), and how large the parts are."""
    _, labels = cv2.connectedComponents(mask.astype(np.uint8))
    return np.asarray(labels, np.int32), np.bincount(labels.ravel())
