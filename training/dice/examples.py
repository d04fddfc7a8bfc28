"""What the two networks of ``vision.dice`` are trained on: maps of tables with where dice lie, and squares
with what they show."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from training.dice.strew import Photograph, mixed, photograph
from training.dice.tables import kept
from training.dice.targets import Shown
from vision.dice.look import corners_of, map_of, squares
from vision.dice.networks import find_spots
from vision.geometry.camera import Camera, from_corners
from vision.geometry.flat import Flat
from vision.picture.frame import Image

NOTHING = 0
"""What a square may show, besides 1 to 6, and a doubling cube's numbers."""
CLICK = 2.0
"""Pixels by which corners are given wrongly, in a picture 1280 wide."""
JITTERS = 4
"""Squares that are cut of each die: the finder is not exact."""
WIDE = 0.3
"""How many of them are as far off as the finder is at steep cameras."""
MINED = -3.0
"""Log-odds from which the finder's places are taken."""
WINDOW = 160
"""Pixels to the side of the part of a map that is shown to the finder at once: a smaller map is left out."""
BARE = 20
"""Squares of a picture in which nothing is to be read."""


@dataclass
class Examples:
    """Maps (rows x columns x 3) with their dice (N x 4: column, row, edge in map pixels, 1 for a die or cube
    that is to be found); squares with what they show, whether it is cocked, and what each of their places
    shows (``targets``)."""

    maps: list[NDArray[np.uint8]]
    dice: list[NDArray[np.float32]]
    squares: list[NDArray[np.uint8]]
    shown: list[int]
    cocked: list[bool]
    faces: list[NDArray[np.uint8]]


def camera_of(rng: np.random.Generator, photo: Photograph) -> Camera:
    """The camera as a person's corners tell it."""
    height, width = photo.image.shape[:2]
    corners = photo.corners + rng.normal(0, CLICK * width / 1280, (4, 2))
    return from_corners(
        [(float(x), float(y)) for x, y in corners], photo.board.width, photo.board.height, (width, height)
    )[0]


def _inside(camera: Camera, flat: Flat, photo: Photograph, laid: Image) -> tuple[int, int, int, int]:
    """The part of the ``laid`` map that shows what was rendered (left, top, right, bottom)."""
    left, top, right, bottom = photo.part
    seen = flat.at(camera.place([(left, top), (right, top), (right, bottom), (left, bottom)]))
    low, high = np.sort(seen, axis=0)[1:3]  # of the four corners' columns and rows, the inner ones
    low = np.ceil(np.maximum(low, 0)).astype(int)
    high = np.floor(np.minimum(high, laid.shape[1::-1])).astype(int)
    return int(low[0]), int(low[1]), int(high[0]), int(high[1])


def _seen(camera: Camera, photo: Photograph, place: NDArray[np.float64]) -> bool:
    """Whether a place of the surface (cm) was rendered."""
    u, v = camera.project([[*place, 0.0]])[0]
    left, top, right, bottom = photo.part
    return bool(left < u < right and top < v < bottom)


def describe(rng: np.random.Generator, photo: Photograph, into: Examples) -> None:
    """Take one picture's examples."""
    camera = camera_of(rng, photo)
    flat = map_of(camera, (photo.board.width, photo.board.height))
    shown = Shown(photo.view, photo.shrink, photo.things)
    describe_found(rng, photo, camera, flat, shown, into)
    places = camera.place([lying.at for lying in photo.lying])
    at = np.column_stack([(places[:, 0] - flat.left) * flat.scale, (flat.high - places[:, 1]) * flat.scale])
    edges = np.array([lying.size for lying in photo.lying])
    found = np.array([lying.value >= 0 for lying in photo.lying], np.float64)
    laid = flat.lay(photo.image)
    left, top, right, bottom = _inside(camera, flat, photo, laid)
    if right - left >= WINDOW and bottom - top >= WINDOW:
        into.maps.append(laid[top:bottom, left:right])
        there = at - 0.5 - (left, top)
        into.dice.append(np.column_stack([there, edges * flat.scale, found]).astype(np.float32))

    def take(place: NDArray[np.float64], edge: float, own: int | None) -> None:
        cut(photo, camera, shown, place, edge, float(rng.normal(0, 0.08)), own, into)

    for number, (lying, place) in enumerate(zip(photo.lying, places, strict=True)):
        if lying.value < 0:
            continue
        for _ in range(JITTERS):
            off, bent = (0.12, 0.25) if rng.random() < WIDE else (0.07, 0.1)
            aside = rng.normal(0, off * lying.size, 2)
            take(place + aside, lying.size * float(np.exp(rng.normal(0.02, bent))), number)
    for _ in range(BARE):
        edge, kind = float(np.exp(rng.uniform(np.log(0.8), np.log(3.8)))), rng.random()
        if kind < 0.3 and len(places):  # beside a die
            k = int(rng.integers(len(places)))
            way = rng.uniform(0, 2 * np.pi)
            place = places[k] + edges[k] * rng.uniform(0.75, 1.2) * np.array([np.cos(way), np.sin(way)])
        elif kind < 0.7 and len(photo.pieces):  # on a checker, or at its rim
            place = photo.pieces[int(rng.integers(len(photo.pieces)))] + rng.normal(0, 0.9, 2)
        else:
            place = rng.uniform((-3, -3), (photo.board.width + 3, photo.board.height + 3))
        if _seen(camera, photo, place) and (np.linalg.norm(places - place, axis=1) > 0.65 * edges).all():
            take(np.asarray(place, np.float64), edge, None)


def cut(
    photo: Photograph,
    camera: Camera,
    shown: Shown,
    place: NDArray[np.float64],
    edge: float,
    spin: float,
    own: int | None,
    into: Examples,
) -> None:
    """Keep a square of a thing, or of none."""
    lying = None if own is None else photo.lying[own]
    into.squares.extend(squares(photo.image, camera, place, [edge], spin))
    into.shown.append(NOTHING if lying is None else lying.value)
    into.cocked.append(lying is not None and lying.cocked)
    into.faces.append(shown.square(corners_of(camera, place, [edge], spin)[0], own))


def describe_found(
    rng: np.random.Generator, photo: Photograph, camera: Camera, flat: Flat, shown: Shown, into: Examples
) -> None:
    """The squares that the present finder asks about: what it takes for dice, the reader must tell from
    them."""
    spots = find_spots(flat.lay(photo.image), MINED, 2 * len(photo.lying))
    known = camera.place([lying.at for lying in photo.lying])
    for place, edge in zip(flat.board(spots.at), spots.edge / flat.scale, strict=True):
        if not _seen(camera, photo, place):
            continue
        away = np.linalg.norm(known - place, axis=1)
        nearest = int(away.argmin())
        lying = photo.lying[nearest]
        if 0.3 * lying.size <= away[nearest] <= 0.6 * lying.size:
            continue  # between two, it is nobody's
        own = nearest if away[nearest] < 0.3 * lying.size else None
        if own is None or lying.value >= 0:
            cut(photo, camera, shown, place, float(edge), float(rng.normal(0, 0.05)), own, into)


def gather(path: Path, throws: int, seed: int) -> Examples:
    """The examples of one file of tables."""
    rng = np.random.default_rng([seed, int(path.stem.rpartition("-")[2])])
    into = Examples([], [], [], [], [], [])
    for _ in range(throws):
        for table in kept(path):
            straight = replace(table, view=replace(table.view, bend=0.0))  # a bend costs a third of the time
            describe(rng, photograph(rng, straight, mixed(rng)), into)
    return into


def save(into: Examples, path: Path) -> None:
    """Keep them in one file, that is there when it is whole."""
    shapes = np.array([m.shape[:2] for m in into.maps], np.int64).reshape(-1, 2)
    high, wide = shapes.max(axis=0, initial=0)
    maps = np.zeros((len(into.maps), high, wide, 3), np.uint8)
    for k, one in enumerate(into.maps):
        maps[k, : one.shape[0], : one.shape[1]] = one
    most = max((len(dice) for dice in into.dice), default=0)
    dice = np.full((len(into.dice), most, 4), -1, np.float32)
    for k, some in enumerate(into.dice):
        dice[k, : len(some)] = some
    part = path.with_suffix(".part")
    with part.open("wb") as file:
        np.savez(
            file,
            maps=maps,
            shapes=shapes,
            dice=dice,
            squares=np.array(into.squares),
            shown=np.array(into.shown, np.int64),
            cocked=np.array(into.cocked),
            faces=np.array(into.faces),
        )
    part.rename(path)
