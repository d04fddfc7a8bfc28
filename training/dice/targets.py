"""What a square shows, place by place: the face that is up, its pips, and the pips of everything else.

A class alone says little of what of a square it is told by; this says which pips are to be counted. It is for
training only: what ships is asked for the class."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from training.dice.body import FACES, pips
from training.dice.put import Thing
from training.rendered.lens import project
from training.rendered.table import View
from vision.dice.look import CORNERS, SIDE

GRID = 24
"""Cells to the side of a square."""
KINDS = 3
"""What is told of a cell: that the face that is up is there, one of its pips, another pip."""
ROUND = np.linspace(0, 2 * np.pi, 12, endpoint=False)
PART = 4
"""Bits of a cell's fraction, as OpenCV fills polygons."""


def faces_seen(view: View, thing: Thing) -> list[int]:
    """Its faces that look to the camera."""
    toward = (np.array(view.eye) - thing.middle) @ thing.turn / thing.size
    return [number for number in range(6) if float(FACES[number] @ toward) > 0.5]


def on_face(thing: Thing, number: int, places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Places of a face (N x 2, in edges from its middle) on the board (N x 3, cm)."""
    whole = np.repeat(FACES[number][None] / 2, len(places), axis=0)
    whole[:, [k for k in range(3) if k != number // 2]] = places
    return np.asarray(whole @ thing.turn.T * thing.size + thing.middle, np.float64)


def _outlines(thing: Thing, number: int) -> list[NDArray[np.float64]]:
    """The pips of a face as polygons on the board; a cube's numeral is none."""
    body = thing.body
    if body.numerals:
        return []
    ring = body.pip * np.column_stack([np.cos(ROUND), np.sin(ROUND)])
    middles = pips(body.values[number], body.apart, body.turned[number])
    return [on_face(thing, number, middle + ring) for middle in middles]


class Shown:
    """The things of a picture, as polygons in its pixels: once for all of its squares."""

    def __init__(self, view: View, shrink: float, things: tuple[Thing, ...]) -> None:
        def flat(places: NDArray[np.float64]) -> NDArray[np.float64]:
            return np.asarray(project(view, places) * shrink - 0.5, np.float64)  # a pixel's middle is whole

        eye = np.array(view.eye)
        self.order = sorted(range(len(things)), key=lambda k: -float(np.linalg.norm(things[k].middle - eye)))
        self.hulls = [flat(thing.corners) for thing in things]
        self.middles = np.array([hull.mean(axis=0) for hull in self.hulls]).reshape(-1, 2)
        self.tops, self.up, self.beside = list[NDArray[np.float64]](), [], []
        for thing in things:
            half = 0.5 - 0.5 * min(thing.body.round, 0.2)
            frame = half * np.array([[-1.0, -1], [1, -1], [1, 1], [-1, 1]])
            seen = faces_seen(view, thing)
            self.tops.append(flat(on_face(thing, thing.face, frame)))
            self.up.append([flat(each) for each in _outlines(thing, thing.face)])
            self.beside.append(
                [flat(each) for face in seen if face != thing.face for each in _outlines(thing, face)]
            )

    def square(self, corners: NDArray[np.float64], own: int | None) -> NDArray[np.uint8]:
        """What the square with these corners (pixels, as ``look.corners_of`` has them) shows, GRID x GRID x
        KINDS, 0-255; ``own``: which thing it is of."""
        warp = cv2.getPerspectiveTransform(np.float32(corners), CORNERS)
        planes = [np.zeros((GRID, GRID), np.uint8) for _ in range(KINDS)]
        middle, reach = corners.mean(axis=0), 1.2 * float(np.ptp(corners, axis=0).max())

        def fill(plane: int, outline: NDArray[np.float64], value: int) -> None:
            there = cv2.perspectiveTransform(np.float32(outline[None]), warp)[0]
            cells = (there + 0.5) * (GRID / SIDE) - 0.5
            if np.abs(cells).max() < 4 * GRID:
                whole = np.int32(np.round(cv2.convexHull(cells) * 2**PART))
                cv2.fillConvexPoly(planes[plane], whole, value, cv2.LINE_AA, PART)

        near = np.abs(self.middles - middle).max(axis=1) < reach
        for k in self.order:
            if not near[k]:
                continue
            for plane in range(KINDS):
                fill(plane, self.hulls[k], 0)  # what lies behind it is not seen
            if k == own:
                fill(0, self.tops[k], 255)
            for outline in self.up[k]:
                fill(1 if k == own else 2, outline, 255)
            for outline in self.beside[k]:
                fill(2, outline, 255)
        return np.stack(planes, axis=-1)
