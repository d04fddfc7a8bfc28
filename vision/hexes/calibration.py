"""Learning a sheet of hexes from the picture of its set-up: border tokens, fortresses, and mostly bare paper.

Where nobody says what stands where, it is found: most hexes are bare and alike under the lamp; what differs
is a piece (see ``setup``). The tokens' middles then correct the camera.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.layout import EMPTY, Looks, Piece
from engine.messages import phrase
from vision.errors import CalibrationError
from vision.geometry import camera
from vision.geometry.camera import Corner, Floats
from vision.geometry.flat import Map
from vision.geometry.refine import Sights, refine
from vision.hexes.grid import Sheet
from vision.hexes.model import BARE, BORDER, NEUTRAL, PIECES, SheetModel
from vision.hexes.reader import HexReader
from vision.hexes.sampling import THICKNESS, HexSampler
from vision.hexes.setup import find_pieces, weighted_fit
from vision.light import colour
from vision.light.lamp import bend
from vision.picture.frame import Image

USUAL = {BORDER: np.array([0.25, 0.03, 0.03, 0.2]), NEUTRAL: np.array([0.08, 0.015, 0.015, 0.08])}
"""How much tokens of a sort usually differ from one another."""
BELIEF = 6.0
"""How many tokens the usual values are worth against those seen."""


def calibrate(image: Image, corners: Sequence[Corner], sheet: Sheet, looks: Looks | None) -> HexReader:
    """Learn a sheet. ``looks`` is what stands there, None: read the set-up from the picture. Raises
    CalibrationError."""
    known = looks if looks and any(looks.values()) else None
    lens, off = camera.from_corners(corners, *sheet.size, (image.shape[1], image.shape[0]))
    sampler = HexSampler(sheet, lens)
    for _ in range(2):
        values = colour.logs(sampler.flat.lay(image))
        lens = _corrected(sampler, values, _learn(sampler, values, known), corners)
        sampler = HexSampler(sheet, lens)
    picture = sampler.flat.lay(image)
    model = _learn(sampler, colour.logs(picture), known)
    reader = HexReader(lens, picture, off, sheet, model)
    return reader.checked(image, model.looks, 3, phrase("cols and rows, and the position"))


def _corrected(
    sampler: HexSampler, values: Map, model: SheetModel, corners: Sequence[Corner]
) -> camera.Camera:
    """The camera corrected by where the tokens really are: their middles, each as what differs from bare
    paper."""
    sheet, flat, p = sampler.sheet, sampler.flat, sampler.pitch
    tokens = np.flatnonzero(model.where(sheet, "border", "fortress"))
    reach = round(0.5 * p)
    yy, xx = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    near = np.hypot(xx, yy) <= 0.5 * p
    found, trust = [], []
    for index, (u, v) in zip(tokens, sampler.tops[tokens], strict=True):
        patch = cv2.getRectSubPix(values, (2 * reach + 1, 2 * reach + 1), (float(u), float(v)))
        token = np.abs(patch - model.bare[index, :3]).sum(axis=-1)
        weight = np.clip(token - 0.35 * np.percentile(token[near], 70), 0, 0.3) * near
        total = max(float(weight.sum()), 1e-6)
        column, row = u + float((weight * xx).sum()) / total, v + float((weight * yy).sum()) / total
        found.append((column, row))
        trust.append(1.0 if np.hypot(column - u, row - v) < 0.25 * p else 0.1)
    seen = flat.camera.project(np.column_stack([flat.board(found), np.zeros(len(tokens))]))
    places = np.column_stack([sheet.centres[tokens], np.full(len(tokens), THICKNESS * sheet.pitch)])
    x, y = sheet.width / 2, sheet.height / 2
    ends = flat.camera.project([[x, y, 0], [x + sheet.pitch, y, 0]])
    across = float(np.linalg.norm(ends[1] - ends[0]))
    sights = Sights(lambda _: places, seen, np.array(trust))
    lens, _, _ = refine(flat.camera, corners, lambda _: sheet.size, sights, np.zeros(0), np.ones(0), across)
    return lens


def _learn(sampler: HexSampler, values: Map, looks: Looks | None) -> SheetModel:
    """The model of a sheet. ``looks`` is what stands there; None: find out. Raises CalibrationError where the
    picture shows no set-up."""
    sheet = sampler.sheet
    features = sampler.features(values)
    bends = bend(sampler.flat.shape, sampler.flat.at(sheet.centres))
    taken = None if looks is None else np.array([bool(looks.get(cell)) for cell in sheet.cells])
    light, dark = sampler.rings(values)
    paper, noise, empty = _paper(
        np.column_stack([features[:, :3], light]), sampler.relief(values), bends, taken
    )
    if looks is None:
        differ = np.column_stack([features[:, :3], dark]) - paper
        known = find_pieces(sampler, values, differ, bends, empty)
    else:
        known = {cell: tuple(looks.get(cell, EMPTY)) for cell in sheet.cells}
        strange = {piece for look in known.values() for piece in look} - set(PIECES)
        if strange:
            raise CalibrationError(
                phrase(
                    "{strange}: no such piece stands on hexes; there are {pieces}",
                    strange=", ".join(sorted(strange)),
                    pieces=", ".join(PIECES),
                )
            )
    bare = np.where(empty[:, None], features, paper)
    stands = {piece: np.array([known[cell] == (piece,) for cell in sheet.cells]) for piece in USUAL}
    greys = stands[BORDER] | stands[NEUTRAL]
    if greys.sum() < 3:
        raise CalibrationError(
            phrase(
                "no border and no neutral fortresses are known in this picture; show the board as it is "
                "set up"
            )
        )
    grey = np.median(features[greys, 1:3], axis=0)
    off = features - bare
    tokens: dict[Piece, tuple[Floats, Floats]] = {}
    for piece, usual in USUAL.items():
        # A sort of which none was seen is taken to be halfway between paper and the other sort.
        own = off[stands[piece]] if stands[piece].any() else np.median(off[greys], axis=0, keepdims=True) / 2
        middle = np.median(own, axis=0)
        spread = np.sqrt((((own - middle) ** 2).sum(axis=0) + BELIEF * usual**2) / (len(own) + BELIEF))
        tokens[piece] = (middle, np.maximum(spread, noise))
    return SheetModel(bare, features, (float(grey[0]), float(grey[1])), tokens, known)


def _paper(
    features: Floats, relief: Floats, bends: Floats, taken: NDArray[np.bool_] | None
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Bare paper at every cell under the lamp, what it varies by, and which cells show it.

    The commonest look is sought first (the densest cell among all), then a lamp of second order is fitted,
    harder and harder."""
    design = np.column_stack([np.ones(len(features)), bends])
    if taken is None:
        scaled = features / (4 * BARE)
        density = np.exp(-0.5 * ((scaled[:, None, :] - scaled[None]) ** 2).sum(axis=2)).sum(axis=1)
        weights = np.exp(-0.5 * ((scaled - scaled[int(np.argmax(density))]) ** 2).sum(axis=1) / 9)
    else:
        weights = np.where(taken, 0.0, 1.0)
        if weights.sum() < 8:
            raise CalibrationError(
                phrase("fewer than 8 bare hexes are known in this picture: nothing to learn the paper from")
            )
    rough = relief - float(np.median(relief))  # by at least as much as bare paper varies, at most ten times
    rough = np.clip(rough / max(1.48 * float(np.median(np.abs(rough))), 0.003), 0, 10.0) ** 2
    ridge = np.diag([1e-6, 0.1, 0.1, 0.3, 0.3, 0.3])
    fit = np.zeros((6, 4))
    for _ in range(8):
        fit = weighted_fit(design, features, weights, ridge)
        off = (((features - design @ fit) / BARE) ** 2).sum(axis=1) + rough
        if taken is None:
            weights = 1 / (1 + off / 12) ** 2
    paper = design @ fit
    empty = ~taken if taken is not None else np.asarray(off < _limit(off))
    noise = np.maximum(np.sqrt(np.mean((features - paper)[empty] ** 2, axis=0)), BARE / 2)
    return paper, noise, empty


def _limit(off: Floats) -> float:
    """How far from the paper (squared, of all features together) a cell is no longer bare: usually 40; where
    a clear gap shows, in it, since some pieces mirror the lamp until they are nearly as bright as the
    paper."""
    low, high = 10.0, 60.0
    steps = np.log(np.sort(np.concatenate([[low, high], off[(off > low) & (off < high)]])))
    widest = int(np.argmax(np.diff(steps)))
    if steps[widest + 1] - steps[widest] < math.log(2):
        return 40.0
    return float(np.exp((steps[widest] + steps[widest + 1]) / 2))
