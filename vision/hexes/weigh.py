"""From the numbers of each hex to how likely every piece is there.

Tails are wide on purpose: a number that is far from everything (a shadow, a mirrored lamp) must not decide
alone.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from engine.layout import EMPTY, Look
from vision.geometry.flat import Map
from vision.hexes.grid import Sheet
from vision.hexes.learn import BARE, HUES, NEUTRAL, SIDES, VIVID, Model, shows
from vision.hexes.sight import Numbers, Sight
from vision.reading import Raw

SAME = np.array([0.10, 0.02, 0.02, 0.12])
"""What a piece that has not moved differs by from how it looked when the table was learned: the lamp's
reflection wanders."""
PAPER = np.maximum(BARE, np.array([0.06, 0.018, 0.018, 0.09]))
"""What a cell's bare paper differs by from how it looked then."""
SHADE = 0.35
"""How much darker (log units) paper may be in the shadow of a neighbour: half of the time it is less."""
NEWCOMER = 3.0
"""Nats against border tokens and fortresses where there were none, and against armies on what was one: maps
do not change during a game."""
TURN, STRENGTH, LIGHT = 0.5, 0.5, 0.5
"""How much red and blue pieces vary: hue (radians), distance from grey (natural log) and luma."""
OPPOSITE = 14.0
"""Nats against a hue that is far from a side's, at most: red and blue are not taken for one another."""
VIVIDNESS, DEPTH = 0.6, -0.5
"""Usual distance from grey, and usual luma beside that of the paper."""
ALONG = 1.5
"""What a nat of ``Sight.runs`` is worth."""


def weigh(sight: Sight, model: Model, values: Map) -> Raw:
    """Log-likelihoods of every cell's looks in a relit picture."""
    numbers, between, beside = sight.numbers(values), sight.between(values), sight.beside(values)
    looks: dict[Look, Numbers] = {EMPTY: _paper(numbers - model.bare)}
    sheet = sight.sheet
    stood = {piece: _held(sheet, model, piece) for piece in ("border", NEUTRAL)}
    for piece, (middle, spread) in model.sorts.items():
        fresh = _tail((numbers - model.bare - middle) / spread, spread) - NEWCOMER
        kept = _tail((numbers - model.was) / SAME, SAME)
        looks[piece,] = np.where(stood[piece], np.maximum(fresh + NEWCOMER, kept), fresh)
    tower = stood[NEUTRAL] | _held(sheet, model, *(f"fortress.{side}" for side in SIDES))
    for side in SIDES:
        colour = shows(numbers[:, 1:3], model.grey, side)
        runs = ALONG * sight.runs(colour, shows(between, model.grey, side), shows(beside, model.grey, side))
        own = _coloured(numbers, model, side)
        looks[f"army.{side}",] = own + np.minimum(runs, 0) - NEWCOMER * tower
        looks[f"fortress.{side}",] = own - np.maximum(runs, 0) - NEWCOMER * ~tower
    return {
        cell: {look: float(scores[index]) for look, scores in looks.items()}
        for index, cell in enumerate(sheet.cells)
    }


def _held(sheet: Sheet, model: Model, *pieces: str) -> NDArray[np.bool_]:
    return np.array([bool(model.looks.get(cell)) and model.looks[cell][0] in pieces for cell in sheet.cells])


def _tail(z: Numbers, spread: NDArray[np.floating]) -> Numbers:
    """Log-density of independent numbers with wide tails (Student's t with 4 degrees of freedom)."""
    return np.asarray((-2.5 * np.log1p(z * z / 4) - np.log(spread) - 0.98).sum(axis=1), np.float64)


def _paper(off: Numbers) -> Numbers:
    """Bare paper, or bare paper in a shadow (a tenth of the time): darker, of the same hue."""
    plain = _tail(off / PAPER, PAPER)
    wide = np.array([SHADE / 2, *PAPER[1:3], SHADE / 2])
    shadow = _tail((off + np.array([SHADE / 2, 0, 0, SHADE / 2])) / wide, wide)
    return np.asarray(np.logaddexp(plain + np.log(0.9), shadow + np.log(0.1)), np.float64)


def _coloured(numbers: Numbers, model: Model, side: str) -> Numbers:
    """A red or a blue thing of any make."""
    away = numbers[:, 1:3] - np.array(model.grey)
    strength = np.maximum(np.hypot(away[:, 0], away[:, 1]), 1e-3)
    turn = np.angle(np.exp(1j * (np.arctan2(away[:, 1], away[:, 0]) - HUES[side])))
    luma = numbers[:, 0] - model.bare[:, 0] - DEPTH
    spread = np.array([STRENGTH, LIGHT, LIGHT])
    ring = numbers[:, 3] - model.bare[:, 3] - DEPTH
    z = np.column_stack([np.log(strength / VIVIDNESS), luma, ring]) / spread
    hue = -np.minimum((turn / TURN) ** 2 / 2, OPPOSITE) - math.log(TURN) - 0.92
    plane = 2 * np.log(strength)  # from polar coordinates back to the plane of the chromas
    faint = -40 * np.maximum(VIVID - strength, 0) / VIVID
    return np.asarray(_tail(z, spread) + hue - plane + faint, np.float64)
