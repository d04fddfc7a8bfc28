"""From the features of each hex to how likely every piece is there."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from engine.layout import EMPTY, Look
from vision.geometry.camera import Floats
from vision.geometry.flat import Map
from vision.hexes.model import BARE, HUES, VIVID, SheetModel, side_colour, wide_tail
from vision.hexes.sampling import HexSampler
from vision.reading import Raw

SHADE = 0.35
"""How much darker (log units) paper may be in the shadow of a neighbour: half of the time it is less."""
NEWCOMER = 3.0
"""Nats against border tokens and fortresses where there were none, and against armies on what was one: maps
do not change during a game."""


@dataclass(frozen=True)
class Coloured:
    """What red and blue things are like. ``usual``: their distance from grey (natural log), and luma and ring
    beside those of the paper; ``varies``: how much they differ in these and in hue (radians)."""

    usual: tuple[float, float, float] = (math.log(0.6), -0.5, -0.5)
    varies: float = 0.5


COLOURED = Coloured()
ALONG = 1.5
"""What a nat of ``HexSampler.armies`` is worth."""


def likelihoods(sampler: HexSampler, model: SheetModel, values: Map) -> Raw:
    """Log-likelihoods of every cell's looks in a relit picture."""
    features = sampler.features(values)
    seen = features[:, 1:3], *sampler.around(values)
    looks: dict[Look, Floats] = {EMPTY: _paper(features - model.bare)}
    # A piece that has not moved differs from how it looked when the table was learned: the lamp's reflection
    # wanders.
    sheet, same = sampler.sheet, 2.5 * BARE
    for piece, (middle, spread) in model.tokens.items():
        fresh = wide_tail((features - model.bare - middle) / spread, spread) - NEWCOMER
        kept = wide_tail((features - model.was) / same, same)
        looks[piece,] = np.where(model.where(sheet, piece), np.maximum(fresh + NEWCOMER, kept), fresh)
    fortress = model.where(sheet, "fortress")
    for side in HUES:
        colour, between, beside = (side_colour(part, model.grey, side) for part in seen)
        army = ALONG * sampler.armies(colour, between, beside)
        own = _coloured(features, model, side)
        looks[f"army.{side}",] = own + np.minimum(army, 0) - NEWCOMER * fortress
        looks[f"fortress.{side}",] = own - np.maximum(army, 0) - NEWCOMER * ~fortress
    return {
        cell: {look: float(scores[index]) for look, scores in looks.items()}
        for index, cell in enumerate(sheet.cells)
    }


def _paper(off: Floats) -> Floats:
    """Bare paper, or bare paper in a shadow (a tenth of the time): darker, of the same hue."""
    paper = 1.5 * BARE  # what it differs by from how it looked when the table was learned
    plain = wide_tail(off / paper, paper)
    wide = np.array([SHADE / 2, *paper[1:3], SHADE / 2])
    shadow = wide_tail((off + np.array([SHADE / 2, 0, 0, SHADE / 2])) / wide, wide)
    return np.asarray(np.logaddexp(plain + np.log(0.9), shadow + np.log(0.1)), np.float64)


def _coloured(features: Floats, model: SheetModel, side: str) -> Floats:
    """A red or a blue thing of any make."""
    away = features[:, 1:3] - np.array(model.grey)
    strength = np.maximum(np.hypot(away[:, 0], away[:, 1]), 1e-3)
    turn = np.angle(np.exp(1j * (np.arctan2(away[:, 1], away[:, 0]) - HUES[side])))
    dark = features[:, [0, 3]] - model.bare[:, [0, 3]]
    varies, spread = COLOURED.varies, np.full(3, COLOURED.varies)
    z = (np.column_stack([np.log(strength), dark]) - COLOURED.usual) / spread
    hue = -((turn / varies) ** 2) / 2 - math.log(varies) - 0.92
    plane = 2 * np.log(strength)  # from polar coordinates back to the plane of the chromas
    faint = -40 * np.maximum(VIVID - strength, 0) / VIVID
    return np.asarray(wide_tail(z, spread) + hue - plane + faint, np.float64)
