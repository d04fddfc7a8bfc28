"""Draws random boards of pyramids as ``data/icegammon`` has them: a folder a board, with pictures and
``labels.json``.

    python -m training.rendered.pyramids FOLDER --first 0 --boards 4 [--pearl | --clear] [--pictures N]
        [--field NAME] [--pieces NAME NAME]

With ``--pearl`` the boards are pale and grey, and the pieces dull. With ``--clear`` the pieces are
translucent, on boards of the kinds in ``plastics`` (``--field`` and ``--pieces`` choose what is otherwise
drawn by lot), and the camera may hang up to 30 degrees aside: what is hardest to tell apart. Board N is
the same in every run. Nothing is trained on them: they are for measuring (``tests.bench.boards``).

The board is drawn in layers (``relief``). A pyramid is four flat faces: each gets the light of the lamps, of
the room and of the board around it, and mirrors some; its shadow falls on the board.
"""

from __future__ import annotations

import argparse
import colorsys
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from training.rendered.club import club_board, club_view
from training.rendered.film import Film, asking
from training.rendered.lens import label, project
from training.rendered.light import lamps
from training.rendered.plastics import SIDES, choosing, chosen, view_of
from training.rendered.relief import empty_board, ground_of, photograph
from training.rendered.setting import Setting
from training.rendered.table import Board, Colour, Material, View, random_board
from vision.pyramids.measures import BASES, STEEP

Floats = NDArray[np.float32]
Places = NDArray[np.float64]
STASH = 5
"""Pieces of one size that a side has."""
PINS = 0.15
"""The part of the points on which something is pinned."""
ROWS = 0.25
"""The part of the points on which two or three stand side by side."""
LIFT = 0.2
"""How much higher a piece stands on one of its own size, in cm."""


@dataclass(frozen=True)
class Standing:
    """A pyramid: size, the middle of its base (cm), how high it stands (cm), turn (radians),
    owner (1, -1)."""

    size: int
    x: float
    y: float
    low: float
    turn: float
    owner: int


@dataclass
class Position:
    """What stands on a board: of each point its layers from the bottom up (owner, sizes), and both sides' on
    the bar."""

    layers: dict[int, list[tuple[int, list[int]]]] = field(default_factory=dict)
    bar: tuple[list[int], list[int]] = field(default_factory=lambda: ([], []))


def _colour(hue: float, vivid: float, light: float) -> Colour:
    """Linear light of a hue (0-1), saturation and value as a picture shows them."""
    red, green, blue = (part**2.2 for part in colorsys.hsv_to_rgb(hue % 1, vivid, light))
    return red, green, blue


def _plastic(rng: np.random.Generator, colour: Colour) -> Material:
    rough, coat = float(rng.uniform(0.2, 0.6)), float(rng.uniform(0, 0.4))
    return Material(colour, colour, 0.0, 1.0, 1.0, rough, 0.0, coat, 0.0)


def pyramid_board(rng: np.random.Generator, pearl: bool) -> Board:
    """A board for true Icehouse pieces, and both sides' plastic."""
    board = club_board(rng, random_board(rng))
    pitch, thick = float(rng.uniform(3.5, 4.1)), 0.8
    hue, apart = float(rng.random()), float(rng.uniform(0.25, 0.75))
    vivid, light = ((0.3, 0.6), (0.45, 0.8)) if pearl else ((0.6, 0.9), (0.6, 0.95))
    sides = [
        _plastic(rng, _colour(hue + off, float(rng.uniform(*vivid)), float(rng.uniform(*light))))
        for off in (0.0, apart)
    ]
    materials = {**board.materials, "white": sides[0], "black": sides[1]}
    if pearl:
        greys = {"field": (0.68, 0.84), "one": (0.78, 0.92), "two": (0.45, 0.62)}
        for name, (low, high) in greys.items():
            grey = _colour(float(rng.random()), float(rng.uniform(0, 0.06)), float(rng.uniform(low, high)))
            materials[name] = replace(materials[name], colour=grey, second=grey, mix=0.1, rough=0.6)
    return replace(
        board,
        pitch=pitch,
        checker=BASES[2],
        bar=float(rng.uniform(3.8, 4.6)),
        height=float(rng.uniform(37, 42)),
        thick=thick,
        rail=float(rng.uniform(0.8, 2.0)),
        ridge=0.1,
        tray="none",
        materials=materials,
    )


def random_position(rng: np.random.Generator) -> Position:
    """Some of both stashes on the points: alone, side by side, one upon another of its size or smaller."""
    found, left = Position(), {(owner, size): STASH for owner in SIDES for size in (1, 2, 3)}

    def take(owner: int, least: int = 1) -> int | None:
        sizes = [size for size in range(least, 4) if left[owner, size]]
        if not sizes:
            return None
        size = int(rng.choice(sizes))
        left[owner, size] -= 1
        return size

    for point in rng.choice(np.arange(1, 25), int(rng.integers(11, 16)), replace=False).tolist():
        owner = int(rng.choice([1, -1]))
        many = 1 + int(rng.random() < ROWS) + int(rng.random() < ROWS / 4)
        sizes = [size for size in (take(owner) for _ in range(many)) if size is not None]
        if not sizes:
            continue
        found.layers[point] = [(owner, sizes)]
        while len(sizes) == 1 and rng.random() < PINS and len(found.layers[point]) < 3:
            owner = -owner
            above = take(owner, sizes[0])
            if above is None:
                break
            sizes = [above]
            found.layers[point].append((owner, sizes))
    for index, owner in enumerate(SIDES):
        many = int(rng.choice([0, 1, 2], p=[0.4, 0.3, 0.3]))
        found.bar[index].extend(size for size in (take(owner) for _ in range(many)) if size is not None)
    return found


def stand(rng: np.random.Generator, board: Board, position: Position) -> list[list[Standing]]:
    """Gives every piece its place, as people put them: from the rim inward, a little askew. Pieces that hold
    each other down stand together, the lowest first."""
    piles: list[list[Standing]] = []
    for point, layers in position.layers.items():
        column = 12 - point if point <= 12 else point - 13
        x = board.pitch * (column + 0.5) + (board.bar if column >= 6 else 0.0)
        largest = max(size for _, sizes in layers for size in sizes)
        away, low, pile = 0.2, 0.0, list[Standing]()
        turn = float(rng.normal(0, 0.25))
        for owner, sizes in layers:
            if pile:
                low += LIFT * (sizes[0] == pile[-1].size)
            for place, size in enumerate(sizes):
                base, (aside, off) = BASES[size - 1], rng.normal(0, 0.12 if not pile else 0.08, 2)
                if len(sizes) == 1:  # one upon another fits over it
                    inward, facing = (
                        away + BASES[largest - 1] / 2 + float(off),
                        turn + float(rng.normal(0, 0.08)),
                    )
                else:
                    inward, facing = away + base / 2 + abs(float(off)), float(rng.normal(0, 0.25))
                    away = inward + base * 0.58
                y = inward if point <= 12 else board.height - inward
                piece = Standing(size, x + float(aside), y, low, facing, owner)
                if place:
                    piles.append([piece])
                else:
                    pile.append(piece)
        piles.append(pile)
    for index, owner in enumerate(SIDES):
        y, way = board.height / 2, -1 if index == 0 else 1
        for size in position.bar[index]:
            base = BASES[size - 1]
            y += way * base * 0.65
            x, turn = board.width / 2 + float(rng.normal(0, 0.15)), float(rng.normal(0, 0.4))
            piles.append([Standing(size, x, y, board.ridge, turn, owner)])
            y += way * base * 0.65
    return piles


class Studio:
    """A board under its lamps, drawn once; pyramids are put on it as flat faces, each in its own light, and
    in that of what shows through it."""

    def __init__(self, rng: np.random.Generator, board: Board, view: View, clear: float = 0.0) -> None:
        self._board, self._view, self._clear = board, view, clear
        ground = ground_of(board)
        self.empty = photograph(rng, empty_board(rng, board, ground), ground, view, 0.4)[..., ::-1]
        places, powers = lamps(rng, ground, view)
        self._lamps = [(place, power) for place, (power, _) in zip(places, powers, strict=True)]

    def _seen(self, places: Floats) -> NDArray[np.int32]:
        """Where a pinhole sees places (N x 3), in sixteenths of a pixel of a picture twice as large."""
        at = project(replace(self._view, bend=0.0), np.asarray(places, np.float64))
        return np.asarray(np.round((2 * at - 0.5) * 16), np.int32)

    def light(self, piles: Sequence[Sequence[Standing]]) -> Floats:
        """The picture in linear light."""
        picture = self.empty * self._shadows([piece for pile in piles for piece in pile])[..., None]
        height, width = picture.shape[:2]
        canvas = cv2.resize(picture, (2 * width, 2 * height), interpolation=cv2.INTER_LINEAR)
        foot = np.array(self._view.eye[:2])
        for pile in sorted(piles, key=lambda pile: -float(np.hypot(*(foot - (pile[0].x, pile[0].y))))):
            for piece in pile:  # tips lean away from the camera's foot: near ones hide far ones
                self._pyramid(canvas, piece)
        return np.asarray(cv2.resize(canvas, (width, height), interpolation=cv2.INTER_AREA), np.float32)

    def _shadows(self, pieces: Sequence[Standing]) -> Floats:
        """The part of the board's light that the pieces leave at each pixel."""
        width, height = self._view.size
        middle = np.array([self._board.width / 2, self._board.height / 2, 0])
        shares = [float(power.mean()) / float(((place - middle) ** 2).sum()) for place, power in self._lamps]
        whole = sum(shares) + self._view.ambient * 1.2
        left = np.ones((height, width), np.float32)
        near = np.zeros((height, width), np.uint8)
        for (place, _), share in zip(self._lamps, shares, strict=True):
            dark = np.zeros((height, width), np.uint8)
            for piece in pieces:
                ring, tip = corners(piece)
                reach = place[2] / (place[2] - tip[2])
                cast = place[:2] + (tip[:2] - place[:2]) * reach
                places = np.array([*(np.array([x, y, 0.0]) for x, y, _ in ring), [*cast, 0.0]])
                shape = cv2.convexHull(self._seen(places) // 2)
                cv2.fillConvexPoly(dark, shape, 255, cv2.LINE_AA, 4)
            left -= cv2.GaussianBlur(dark, (0, 0), 1.5) / np.float32(255) * np.float32(share / whole)
        for piece in pieces:
            ring, _ = corners(piece)
            cv2.fillConvexPoly(near, cv2.convexHull(self._seen(np.array(ring)) // 2), 255, cv2.LINE_AA, 4)
        around = cv2.GaussianBlur(near, (0, 0), 5) / np.float32(255)
        return np.asarray(left - around * np.float32(0.7 * self._view.ambient * 1.2 / whole), np.float32)

    def _pyramid(self, canvas: Floats, piece: Standing) -> None:
        given = self._board.materials[SIDES[piece.owner]]
        ring, tip = corners(piece)
        eye, tint = np.array(self._view.eye), np.sqrt(np.float32(given.colour))
        behind = self._behind(canvas, ring) * tint * np.float32(self._clear)
        for a, b, out in faces(ring, tip):
            middle = (a + b + tip) / 3
            if float(out @ (eye - middle)) <= 0:
                continue
            light, shine = self._on(middle, out, given)
            shape = self._seen(np.array([a, b, tip])).reshape(-1, 1, 2)
            shade = light * np.float32(given.colour) * np.float32(1 - self._clear) + behind + shine
            cv2.fillConvexPoly(canvas, shape, shade[::-1].tolist(), cv2.LINE_AA, 4)
        for dot, out in pips(piece):
            if float(out @ (eye - dot[0])) > 0:
                light, shine = self._on(dot[0], out, given)
                ink = light * 0.02 + shine * 0.5
                cv2.fillConvexPoly(
                    canvas, self._seen(dot).reshape(-1, 1, 2), ink[::-1].tolist(), cv2.LINE_AA, 4
                )

    def _behind(self, canvas: Floats, ring: list[Places]) -> Floats:
        """What lies under a base, on the average (RGB)."""
        shape = self._seen(np.array(ring)).reshape(-1, 1, 2) // 16
        left, top, wide, high = cv2.boundingRect(shape)
        part = canvas[max(top, 0) : top + high, max(left, 0) : left + wide]
        return np.asarray(part.reshape(-1, 3).mean(axis=0)[::-1], np.float32)

    def _on(self, at: Places, out: Places, given: Material) -> tuple[Floats, Floats]:
        """What light (RGB) falls on a face, and what of the lamps it mirrors to the camera."""
        field_ = np.float32(self._board.materials["field"].colour)
        light = np.full(3, self._view.ambient * 1.2 * (1 + out[2]) / 2, np.float32)
        shine, below = np.zeros(3, np.float32), np.full(3, self._view.ambient * 1.2, np.float32)
        seen = np.array(self._view.eye) - at
        gloss, tight = (1 - given.rough) * 0.8 + 0.5 * given.coat, 10 / given.rough
        for place, power in self._lamps:
            away = place - at
            some = power / np.float32(away @ away)
            way = away / np.linalg.norm(away)
            light += np.float32(max(float(out @ way), 0.0)) * some
            below += np.float32(max(float(way[2]), 0.0)) * some
            half = way + seen / np.linalg.norm(seen)
            shine += (
                np.float32(0.6 * gloss * max(float(out @ half) / float(np.linalg.norm(half)), 0) ** tight)
                * some
            )
        return light + below * field_ * np.float32((1 - out[2]) / 2 * 0.7), shine


def corners(piece: Standing) -> tuple[list[Places], Places]:
    """The base's corners, and the tip (cm)."""
    base = BASES[piece.size - 1]
    turns = [piece.turn + math.pi / 4 + n * math.pi / 2 for n in range(4)]
    far = base / math.sqrt(2)
    ring = [np.array([piece.x + far * math.cos(t), piece.y + far * math.sin(t), piece.low]) for t in turns]
    return ring, np.array([piece.x, piece.y, piece.low + STEEP * base])


def faces(ring: list[Places], tip: Places) -> Iterator[tuple[Places, Places, Places]]:
    """The flanks: both lower corners, and the way that it faces."""
    for n in range(4):
        a, b = ring[n], ring[(n + 1) % 4]
        out = np.cross(b - a, tip - a)
        yield a, b, out / np.linalg.norm(out)


def pips(piece: Standing) -> Iterator[tuple[Places, Places]]:
    """The pips along the flanks' lower edges: their corners, and the way that the flank faces."""
    ring, tip = corners(piece)
    many = round(BASES[piece.size - 1] / 0.7)
    turns = np.linspace(0, 2 * math.pi, 10, endpoint=False)
    for a, b, out in faces(ring, tip):
        along = (b - a) / np.linalg.norm(b - a)
        up = np.cross(out, along)
        for pip in range(many):
            at = (a + (b - a) * (pip + 1) / (many + 1)) * 0.88 + tip * 0.12
            yield at + 0.11 * (np.outer(np.cos(turns), along) + np.outer(np.sin(turns), up)), out


def picture_label(board: Board, view: Any, position: Position) -> dict[str, object]:
    """As ``data/icegammon`` labels a picture."""
    known = label(board, view, Setting())
    layers = {
        str(point): [[owner, sizes] for owner, sizes in held] for point, held in position.layers.items()
    }
    geometry = {
        "pitch": board.pitch,
        "bar": board.bar,
        "width": board.width,
        "height": board.height,
        "base_side": {str(size): base for size, base in enumerate(BASES, 1)},
    }
    return {
        "top": {point: held[-1] for point, held in layers.items()},
        "layers": layers,
        "bar": [sorted(sizes) for sizes in position.bar],
        "corners_px": known["corners_px"],
        "hand": False,
        "size": known["size"],
        "geometry_cm": geometry,
    }


def shoot(folder: Path, number: int, options: argparse.Namespace) -> None:
    """One board: empty, and the pictures."""
    rng = np.random.default_rng([79, number, 2 if options.clear else options.pearl])
    board, size = pyramid_board(rng, options.pearl), (options.width, int(options.width * 0.75))
    clear = 0.0
    if options.clear:
        board, plastic = chosen(rng, board, options)
        clear = plastic.clear
    view = (view_of if options.clear else club_view)(rng, board, size)
    studio, film = Studio(rng, board, view, clear), Film(rng, folder, view)
    for index in range(options.pictures + 1):
        position = random_position(rng) if index else Position()
        light = studio.light(stand(rng, board, position))
        film.take(
            f"{index:02d}" if index else "empty", light, picture_label(board, view, position), index < 2
        )


def main() -> None:
    """See the module."""
    parser = asking(__doc__, pictures=7, width=1280)
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--pearl", action="store_true", help="pale grey boards, dull pieces")
    kind.add_argument("--clear", action="store_true", help="translucent pieces, fields like them")
    choosing(parser)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    for number in range(options.first, options.first + options.boards):
        look = "clear" if options.clear else "pearl" if options.pearl else "board"
        name = f"{look}-{number:03d}"
        shoot(options.folder / "icegammon" / name, number, options)
        print(number, flush=True)


if __name__ == "__main__":
    main()
