"""A picture as cameras, telephones and streams show boards: near or far, turned, leaned, beside and under
other things, in any light, sharp or not; and the marks that the finder of surfaces is to make on it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from training.surfaces.examples import Places, Shots
from training.surfaces.surroundings import Picture, any_colour, arm, cloth, clutter, pockets
from vision.disc_finder.flat_map import STEP
from vision.geometry.camera import rectangle
from vision.surface_finder.network import GRID, SIDE, evened

FINE = 1.5
"""Pictures are put together at so many times the network's pixels."""
ASPECTS = ((4 / 3, 0.4), (16 / 9, 0.22), (3 / 4, 0.1), (9 / 16, 0.06), (1.0, 0.08), (0.0, 0.14))
"""Width to height (0: any), and how often."""
QUARTERS = (0.64, 0.11, 0.14, 0.11)
"""How often a board lies turned by so many quarters."""
POCKETS = 0.45
"""How often a frame with trays is drawn around a board."""
SHARP = 0.8
"""How far a corner's mark reaches (one standard deviation), in cells of the grid."""
Array = NDArray[np.float32]


@dataclass(frozen=True)
class Example:
    """What the network sees (3 x SIDE x SIDE), and what it should mark, 0 to 1 (3 x GRID x GRID): corners of
    the surface, the surface, the bar."""

    seen: Array
    marks: Array


def example(rng: np.random.Generator, shots: Shots) -> Example:
    """One at random."""
    shape = float(rng.choice([each for each, _ in ASPECTS], p=[often for _, often in ASPECTS]))
    shape = shape or float(rng.uniform(0.6, 1.9))
    wide, high = (SIDE, round(SIDE / shape)) if shape >= 1 else (round(SIDE * shape), SIDE)
    size = int(wide * FINE), int(high * FINE)
    picture, places = _behind(rng, shots, size), None
    if rng.random() >= 0.06:
        picture, places = _with_board(rng, shots, picture)
    if rng.random() < 0.3:
        for _ in range(int(rng.integers(1, 4))):
            arm(rng, picture)
    if rng.random() < 0.25:
        clutter(rng, picture, int(rng.integers(1, 4)))
    if rng.random() < 0.12:
        _caption(rng, picture)
    if rng.random() < 0.3:
        picture = _blurred(picture, rng.uniform(0.5, 2.5))
    small = _spoiled(rng, cv2.resize(picture, (wide, high), interpolation=cv2.INTER_AREA))
    seen, begins = evened(small)
    if places is not None:
        places = (places + 0.5) / FINE - 0.5 + begins
    return Example(seen, marks(places, begins, (wide, high)))


def _behind(rng: np.random.Generator, shots: Shots, size: tuple[int, int]) -> Picture:
    """A room without a board: a piece of another picture, far too large, or cloths, and things."""
    if rng.random() < 0.3:
        other, piece = shots[int(rng.integers(len(shots)))].picture, int(rng.integers(12, 60))
        row, column = (int(rng.integers(0, side // 2)) * int(rng.random() < 0.5) for side in other.shape[:2])
        part = other[row : row + piece, column : column + piece]
        picture = cv2.resize(part, size, interpolation=cv2.INTER_CUBIC).astype(np.float32)
    else:
        picture = cloth(rng, size[1], size[0])
    clutter(rng, picture, int(rng.choice([0, 2, 5, 12], p=[0.3, 0.3, 0.25, 0.15])))
    return _blurred(picture, rng.uniform(1, 6)) if rng.random() < 0.2 else picture


def _with_board(rng: np.random.Generator, shots: Shots, behind: Picture) -> tuple[Picture, Places]:
    """A board laid onto it, and where its places are then."""
    shot = shots[int(rng.integers(len(shots)))]
    wide, high = behind.shape[1], behind.shape[0]
    warp = _laid(rng, shot.places, (wide, high))
    around = np.ones(shot.picture.shape[:2], np.float32)
    if rng.random() < 0.5:  # what is around the board ends softly
        edge = int(rng.integers(1, 14))
        around[:edge] = around[-edge:] = 0
        around[:, :edge] = around[:, -edge:] = 0
        surface = np.zeros_like(around)
        cv2.fillPoly(surface, [np.round(shot.places[:4]).astype(int)], 1.0)
        surface = cv2.GaussianBlur(cv2.dilate(surface, np.ones((9, 9))), (0, 0), 2)
        around = np.maximum(cv2.GaussianBlur(around, (0, 0), edge / 2.5), surface)
    mode = cv2.BORDER_REPLICATE if rng.random() < 0.3 else cv2.BORDER_CONSTANT
    seen = cv2.warpPerspective(shot.picture.astype(np.float32), warp, (wide, high), borderMode=mode)
    part = cv2.warpPerspective(around, warp, (wide, high), borderMode=mode)[..., None]
    places = np.asarray(cv2.perspectiveTransform(shot.places[None], warp)[0], np.float64)
    picture = np.asarray(seen * part + behind * (1 - part), np.float32)
    if rng.random() < POCKETS:
        unit = rectangle(1, 1)[:, :2].astype(np.float32)
        pockets(rng, picture, cv2.getPerspectiveTransform(unit, places[:4].astype(np.float32)))
    return picture, places


def _laid(rng: np.random.Generator, places: Places, size: tuple[int, int]) -> Places:
    """The way (3 x 3) of a board's picture into one of this size: turned, perhaps mirrored (as another
    board), as large as may be and leaning."""
    middle, turn = places[:4].mean(axis=0), np.radians(rng.normal(0, 5) + 90 * rng.choice(4, p=QUARTERS))
    spin = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    spin = spin @ np.diag([-1 if rng.random() < 0.5 else 1, 1])
    there = (places[:4] - middle) @ spin.T
    part = rng.uniform(0.6, 1.0) if rng.random() < 0.6 else rng.uniform(0.24, 0.7)
    scale = part * float(np.min(size / np.ptp(there, axis=0))) * (1.06 if rng.random() < 0.1 else 1)
    low, high = there.min(axis=0) * scale, there.max(axis=0) * scale
    room = np.maximum(0, size - (high - low)) / 2
    aim = np.array(size) / 2 + rng.uniform(-1, 1, 2) * room - (high + low) / 2
    flat = np.eye(3)
    flat[:2, :2] = scale * spin
    flat[:2, 2] = aim - flat[:2, :2] @ middle
    lean = np.radians(abs(rng.normal(0, 20))) if rng.random() < 0.6 else 0.0
    to = rng.uniform(0, 2 * np.pi) if rng.random() < 0.3 else np.pi / 2
    way, away = np.array([np.cos(to), np.sin(to)]), 1.1 * max(size)
    leaned = np.eye(3)
    leaned[2, :2] = way * np.sin(lean) / away
    leaned[:2, :2] -= (1 - np.cos(lean)) * np.outer(way, way)
    to_middle = np.array([[1, 0, -size[0] / 2], [0, 1, -size[1] / 2], [0, 0, 1.0]])
    return np.asarray(np.linalg.inv(to_middle) @ leaned @ to_middle @ flat, np.float64)


def _caption(rng: np.random.Generator, picture: Picture) -> None:
    """A plain bar near the upper or the lower edge."""
    high, wide = picture.shape[:2]
    top = int((rng.uniform(0.75, 1) if rng.random() < 0.6 else rng.uniform(0, 0.2)) * high)
    left, right = sorted(rng.uniform(0, wide, 2).astype(int))
    picture[top : top + int(rng.uniform(0.04, 0.15) * high), left:right] = any_colour(rng)


def _blurred(picture: Picture, by: float) -> Picture:
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), by), np.float32)


def _spoiled(rng: np.random.Generator, picture: Picture) -> NDArray[np.uint8]:
    """Through a camera: exposure, casts, grey or negative colours, noise, a JPEG."""
    gain = rng.uniform(0.7, 1.35) * rng.normal(1, 0.06, 3)
    picture = 255 * np.clip(picture / 255 * gain, 0, 1) ** np.exp(rng.normal(0, 0.22))
    if rng.random() < 0.12:
        picture = np.repeat(picture.mean(axis=2, keepdims=True), 3, axis=2)
    if rng.random() < 0.06:
        picture = 255 - picture
    picture = picture + rng.normal(0, rng.uniform(0, 9), picture.shape)
    out = np.clip(picture, 0, 255).astype(np.uint8)
    if rng.random() < 0.3:
        quality = [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(25, 90))]
        out = np.asarray(cv2.imdecode(cv2.imencode(".jpg", out, quality)[1], cv2.IMREAD_COLOR), np.uint8)
    return out


def marks(places: Places | None, begins: NDArray[np.int64], size: tuple[int, int]) -> Array:
    """What should be marked where these are the places (pixels of the square) and the picture of this size
    begins there in it: no corner far outside of it."""
    out = np.zeros((3, GRID, GRID), np.float32)
    if places is None:
        return out
    rows, columns = np.mgrid[0:GRID, 0:GRID].astype(np.float32)
    for corner in places[:4]:
        if (np.abs(corner - begins - np.array(size) / 2) <= np.array(size) / 2 + 3).all():
            x, y = (corner + 0.5) / STEP - 0.5
            glow = np.exp(-((columns - x) ** 2 + (rows - y) ** 2) / (2 * SHARP**2))
            out[0] = np.maximum(out[0], glow)
    for number, outline in ((1, places[:4]), (2, _wide_enough(places))):
        fine = np.zeros((SIDE, SIDE), np.uint8)
        cv2.fillPoly(fine, [np.round(outline * 16).astype(np.int32)], 255, shift=4)
        out[number] = cv2.resize(fine.astype(np.float32) / 255, (GRID, GRID), interpolation=cv2.INTER_AREA)
    return out


def _wide_enough(places: Places) -> Places:
    """The bar's corners, a cell apart where it has no width."""
    lower, upper = places[4:6], places[[7, 6]]
    along = (places[1] - places[0]) / max(1e-6, float(np.linalg.norm(places[1] - places[0])))
    ends = []
    for left, right in (lower, upper):
        across = right - left if np.linalg.norm(right - left) > STEP else along * STEP
        middle = (left + right) / 2
        ends += [middle - across / 2, middle + across / 2]
    return np.array([ends[0], ends[1], ends[3], ends[2]])
