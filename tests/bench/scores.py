"""How good readings are, and how honest: figures that several benches print."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

Points: TypeAlias = Sequence[tuple[float, bool]]
"""Of each point that was read, the confidence, and whether it was right."""
SURE = 0.9
"""The confidence from which on a reading says that it is sure."""


def share_right(points: Points) -> float:
    """Percent of the points that were read right."""
    return 100 * float(np.mean([hit for _, hit in points]))


def wrong_and_sure(points: Points) -> int:
    """Points that were read wrong by a reading that was sure."""
    return sum(chance >= SURE and not hit for chance, hit in points)


def calibration_error(points: Points) -> float:
    """How far confidences are from how often they are right, over ten bins (the expected calibration
    error)."""
    sure = np.array([chance for chance, _ in points])
    right = np.array([hit for _, hit in points], float)
    bins = np.clip((sure * 10).astype(int), 0, 9)
    return float(
        sum(
            abs(sure[bins == b].mean() - right[bins == b].mean()) * (bins == b).mean()
            for b in range(10)
            if (bins == b).any()
        )
    )
