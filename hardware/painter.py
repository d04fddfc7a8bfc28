"""A simulated table's camera: pictures of any layout, read by the same eyes as a real table's.

A pinhole camera hangs over the table, a little tilted. Everything is drawn by its outline from there:
checkers are short cylinders, pyramids have four faces in different light, armies are bars. Noise, blur and
uneven lamp light are added; the same seed always draws the same. Boards are drawn by their kind
(``Rules.board``), whatever the game.

Positions are in cm: the origin is the bottom-left corner of the playing surface, x runs right, y away from
the bottom player, z up.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.layout import Cell, Hex, Layout, Stack, hex_of, name_parts, point_of

Pixels: TypeAlias = NDArray[np.uint8]
Places: TypeAlias = NDArray[np.float64]
Colour: TypeAlias = tuple[int, int, int]

SIZE = (1280, 960)
"""Width and height of the pictures."""
PITCH, BAR, HEIGHT = 3.8, 4.0, 40.0
"""A 24-point board, in cm."""
CHECKER, THICKNESS = 3.5, 0.8
BASES = {1: 1.43, 2: 1.98, 3: 2.54}
STEEP = 1.75
"""A pyramid's height, in base sides."""
LIFT = 0.2
"""How much higher a pinning pyramid stands than what it pins, in cm."""
HEX = 3.0
"""The width of a hex in cm."""
ASIDE = 0.55
"""How far a stacked checker is beside the one under it, in cm."""
SHADOW = 0.35
"""How much darker the board is in a piece's shadow."""
GRAIN = 64
"""The sensor's noise is cut from one of so many places across and down, so that pictures differ."""
TABLE: Colour = (70, 88, 110)
COLOURS: Mapping[str, Colour] = {
    "white": (205, 222, 228),
    "black": (46, 38, 36),
    "red": (45, 50, 200),
    "blue": (190, 90, 45),
}
TOKENS: Mapping[str, Colour] = {
    "border": (42, 42, 44),
    "neutral": (140, 142, 140),
    "red": COLOURS["red"],
    "blue": COLOURS["blue"],
}
PYRAMIDS: Mapping[str, Colour] = {"white": (60, 190, 215), "black": (170, 70, 60)}


@dataclass(eq=False)
class Painter:
    """Paints pictures of one table. ``board`` is the kind; ``cols`` and ``rows`` are those of a sheet of
    hexes.

    Raises ValueError for a kind that it cannot paint."""

    board: str = "checkers"
    seed: int = 0
    cols: int = 19
    rows: int = 15
    noise: float = 3.0
    width: float = field(init=False)
    height: float = field(init=False)
    _canvas: Pixels = field(init=False, repr=False)
    _shade: Pixels = field(init=False, repr=False)
    _pieces: list[tuple[NDArray[np.int32], Sequence[float]]] = field(init=False, repr=False)
    _rng: np.random.Generator = field(init=False, repr=False)

    def __post_init__(self) -> None:
        kinds: dict[str, tuple[float, float]] = {
            "checkers": (12 * PITCH + BAR, HEIGHT),
            "pyramids": (12 * PITCH + BAR, HEIGHT),
            "hexes": ((self.cols - 0.5 + 1.4) * HEX, ((self.rows - 1) * math.sqrt(0.75) + 1.4) * HEX),
        }
        if self.board not in kinds:
            raise ValueError(f"no board of {self.board!r} can be painted; there are {', '.join(kinds)}")
        self.width, self.height = kinds[self.board]
        rng = np.random.default_rng(self.seed)
        away = 1.45 * max(self.width, self.height * 4 / 3)
        tilt, roll, focal = rng.uniform(-0.08, 0.08, 2), rng.uniform(-0.02, 0.02), 1.18 * SIZE[0]
        turn, _ = cv2.Rodrigues(np.array([math.pi + tilt[0], tilt[1], roll]))
        self._turn: Places = np.asarray(turn, np.float64)
        self._focal = focal
        self._shift: Places = np.array([0, 0, away]) - self._turn @ np.array(
            [self.width / 2, self.height / 2, 0]
        )
        self._eye: Places = -self._turn.T @ self._shift
        self._canvas = np.full((SIZE[1], SIZE[0], 3), TABLE, np.uint8)
        if self.board == "hexes":
            self._sheet()
        else:
            self._points()
        self._bare = self._canvas
        yy, xx = np.mgrid[0 : SIZE[1], 0 : SIZE[0]]
        lamp = 1.05 - 0.25 * (((xx / SIZE[0] - 0.45) ** 2) + ((yy / SIZE[1] - 0.4) ** 2))
        self._lamp: NDArray[np.float32] = np.repeat(lamp[..., None], 3, axis=2).astype(np.float32)
        grain = rng.standard_normal((SIZE[1] + GRAIN, SIZE[0] + GRAIN, 3), np.float32)
        self._grain: NDArray[np.float32] = np.asarray(grain * np.float32(self.noise), np.float32)

    @property
    def corners(self) -> list[tuple[float, float]]:
        """The surface's corners in pixels: bottom-left, bottom-right, top-right, top-left."""
        at = self._seen([(0, 0, 0), (self.width, 0, 0), (self.width, self.height, 0), (0, self.height, 0)])
        return [(float(x), float(y)) for x, y in at]

    @property
    def geometry(self) -> dict[str, Any]:
        """What a person would measure."""
        if self.board == "hexes":
            return {"cols": self.cols, "rows": self.rows, "pitch": HEX}
        known: dict[str, Any] = {"pitch": PITCH, "bar": BAR, "width": self.width, "height": self.height}
        if self.board == "pyramids":
            known["base_side"] = {str(size): base for size, base in BASES.items()}
        else:
            known["checker"] = CHECKER
        return known | {"tray": "none"}

    def paint(self, layout: Layout, shot: int = 0) -> Pixels:
        """A picture (960 x 1280 x 3, BGR) of what stands in ``layout``. Pieces stand a little carelessly,
        each always in the same way; ``shot`` changes the noise."""
        self._canvas, self._pieces = self._bare.copy(), []
        self._shade = np.zeros(self._bare.shape[:2], np.uint8)
        draw = {"checkers": self._checkers, "pyramids": self._pyramids, "hexes": self._token}
        board = [
            (cell, stack)
            for cell, stack in layout.items()
            if stack and (point_of(cell) or hex_of(cell) or name_parts(cell)[0] == "bar")
        ]
        order = sorted(board, key=lambda entry: (-math.dist(self._where(entry[0]), self._eye[:2]), entry[0]))
        for cell, stack in order:
            self._rng = np.random.default_rng([self.seed, *cell.encode()])
            draw[self.board](cell, stack)
        if self.board == "hexes":
            self._armies(dict(board))
        dark = 1 - cv2.GaussianBlur(self._shade, (0, 0), 4).astype(np.float32) * np.float32(SHADOW / 255)
        self._canvas = np.asarray(self._canvas * dark[..., None], np.uint8)
        for shape, colour in self._pieces:
            cv2.fillPoly(self._canvas, [shape], [float(c) for c in colour], cv2.LINE_AA, 4)
        return self._exposed(shot)

    def _exposed(self, shot: int) -> Pixels:
        """The canvas under a lamp, through a lens."""
        rng = np.random.default_rng([self.seed, shot, 7])
        soft = cv2.GaussianBlur(self._canvas, (0, 0), 0.8)
        x, y = rng.integers(0, GRAIN, 2)
        grain = self._grain[y : y + SIZE[1], x : x + SIZE[0]]
        lit = cv2.multiply(soft, self._lamp, scale=float(rng.uniform(0.94, 1.06)), dtype=cv2.CV_32F)
        return np.asarray(cv2.add(lit, grain, dtype=cv2.CV_8U), np.uint8)

    def _seen(self, places: Sequence[Sequence[float]] | Places) -> Places:
        """Where places (N x 3, cm) are in the picture (N x 2, pixels)."""
        points = np.asarray(places, np.float64).reshape(-1, 3) @ self._turn.T + self._shift
        return np.asarray(points[:, :2] / points[:, 2:] * self._focal + np.array(SIZE) / 2, np.float64)

    def _fill(self, places: Sequence[Sequence[float]] | Places, colour: Sequence[float]) -> None:
        """A part of the bare board."""
        shape = np.round(self._seen(places) * 16).astype(np.int32)
        cv2.fillPoly(self._canvas, [shape], [float(c) for c in colour], cv2.LINE_AA, 4)

    def _face(self, places: Places, colour: Sequence[float]) -> None:
        """A part of a piece. What is drawn later lies over it."""
        self._pieces.append((np.round(self._seen(places) * 16).astype(np.int32), colour))

    def _hull(self, places: Places, colour: Sequence[float]) -> None:
        """A part of a piece: the outline of all places together."""
        shape = cv2.convexHull(self._seen(places).astype(np.float32))
        self._pieces.append((np.round(shape * 16).astype(np.int32), colour))

    def _cast(self, places: Places) -> None:
        """A shadow on the board: the outline of all places together."""
        shape = cv2.convexHull(self._seen(places).astype(np.float32))
        cv2.fillPoly(self._shade, [np.round(shape * 16).astype(np.int32)], 255.0, cv2.LINE_AA, 4)

    def _points(self) -> None:
        """Rims, field, bar and the 24 triangles."""
        rim = 2.0
        self._fill(_box(-rim, -rim, self.width + rim, self.height + rim), (52, 70, 96))
        self._fill(_box(0, 0, self.width, self.height), (92, 130, 150))
        self._fill(_box(6 * PITCH, 0, 6 * PITCH + BAR, self.height), (52, 66, 88))
        for number in range(1, 25):
            x, y, way = _column(number, self.height)
            colour = (58, 70, 110) if number % 2 else (125, 158, 174)
            self._fill(
                [(x - PITCH / 2, y, 0), (x + PITCH / 2, y, 0), (x, y + way * 0.42 * self.height, 0)], colour
            )

    def _where(self, cell: Cell) -> tuple[float, float]:
        """About where a cell lies, to draw far pieces first."""
        place, point = hex_of(cell), point_of(cell)
        if place is not None:
            return self._hex(place)
        if point is not None:
            x, y, _ = _column(point, self.height)
            return x, y
        return self.width / 2, self.height / 2

    def _checkers(self, cell: Cell, stack: Stack) -> None:
        """Up to five checkers in a row, further ones on top of them, a little aside so that they can be
        counted. On the bar white stands below the middle, black above."""
        pieces, point = [piece for layer in stack for piece in layer], point_of(cell)
        aside = self._rng.uniform(0, 2 * math.pi, 5)
        for index, piece in enumerate(pieces):
            level, place = divmod(index, 5)
            away = CHECKER * (0.52 + 1.03 * place)
            dx, dy = self._rng.normal(0, 0.08, 2) + ASIDE * level * np.array(
                [math.cos(aside[place]), math.sin(aside[place])]
            )
            if point is None:
                way = -1 if piece == "white" else 1
                x, y = self.width / 2 + dx, self.height / 2 + way * away + dy
            else:
                x, start, way_ = _column(point, self.height)
                x, y = x + dx, start + way_ * away + dy
            self._disc(x, y, CHECKER / 2, level * THICKNESS, THICKNESS, COLOURS[piece])

    def _disc(self, x: float, y: float, radius: float, low: float, thick: float, colour: Colour) -> None:
        ring = np.array([x, y, low]) + _ring(radius, 32)
        top = ring + np.array([0, 0, thick])
        if low == 0.0:
            self._cast(np.vstack([ring, ring + np.array([0.3, -0.2, 0])]))
        self._hull(np.vstack([ring, top]), [c * 0.72 for c in colour])
        self._face(top, colour)
        middle = np.array([x, y, low + thick])
        self._face(middle + 0.72 * (top - middle), [c * 0.86 for c in colour])
        self._face(middle + 0.62 * (top - middle), colour)

    def _pyramids(self, cell: Cell, stack: Stack) -> None:
        """The top layer side by side from the rim inward; pinned pyramids are nested under the first."""
        away, point = 0.3, point_of(cell)
        for index, piece in enumerate(sorted(stack[-1], reverse=True)):
            side, size = name_parts(piece)
            base = BASES[int(size)]
            dx, dy = self._rng.normal(0, 0.1, 2)
            turn = self._rng.uniform(-0.3, 0.3)
            if point is None:
                way = -1 if side == "white" else 1
                x, y = self.width / 2 + dx, self.height / 2 + way * (away + base / 2 + 0.4)
            else:
                x, start, inward = _column(point, self.height)
                x, y = x + dx, start + inward * (away + base / 2 + abs(dy))
            pinned = [under for layer in stack[:-1] for under in layer] if index == 0 else []
            for level, under in enumerate(pinned):
                owner, below = name_parts(under)
                dx, dy = self._rng.normal(0, 0.08, 2)
                under_turn = turn + self._rng.normal(0, 0.1)
                self._pyramid(x + dx, y + dy, level * LIFT, BASES[int(below)], under_turn, PYRAMIDS[owner])
            self._pyramid(x, y, len(pinned) * LIFT, base, turn, PYRAMIDS[side])
            away += 1.1 * base + 0.1

    def _pyramid(self, x: float, y: float, low: float, base: float, turn: float, colour: Colour) -> None:
        ring = np.array([x, y, low]) + _ring(base * math.sqrt(0.5), 4, turn + math.pi / 4)
        tip = np.array([x, y, low + STEEP * base])
        shadow = ring * np.array([1, 1, 0])
        self._cast(np.vstack([shadow, shadow + np.array([0.35, -0.2, 0])]))
        eye = self._eye
        faces = [(ring[n], ring[(n + 1) % 4]) for n in range(4)]
        for a, b in sorted(faces, key=lambda face: -float(np.linalg.norm((face[0] + face[1]) / 2 - eye))):
            out = (a + b) / 2 - np.array([x, y, low])
            far = max(float(np.linalg.norm(out)), 1e-6)
            shade = 0.82 + 0.22 * float(out @ np.array([-0.6, 0.8, 0])) / far
            if float(np.cross(a - tip, b - tip) @ (tip - eye)) < 0:
                self._face(np.stack([a, b, tip]), [min(c * shade, 255) for c in colour])
                pips = round(base / 0.7)
                for n in range(pips):
                    part = (n + 1) / (pips + 1)
                    spot = (a + (b - a) * part) * 0.88 + tip * 0.12
                    self._face(spot + _ring(0.11, 8), (25, 25, 25))

    def _sheet(self) -> None:
        """Paper with the grid printed on it."""
        self._fill(_box(0, 0, self.width, self.height), (196, 208, 214))
        outline = _ring(HEX / math.sqrt(3), 6, math.pi / 6)
        for row in range(self.rows):
            for col in range(self.cols):
                x, y = self._hex((col - row // 2, row))
                shape = np.round(self._seen(outline + np.array([x, y, 0])) * 16).astype(np.int32)
                cv2.polylines(self._canvas, [shape], True, (95, 95, 95), 1, cv2.LINE_AA, 4)

    def _hex(self, place: Hex) -> tuple[float, float]:
        q, r = place
        return (0.7 + q + r // 2 + 0.5 * (r % 2)) * HEX, self.height - (0.7 + r * math.sqrt(0.75)) * HEX

    def _token(self, cell: Cell, stack: Stack) -> None:
        kind, owner = name_parts(stack[0][0])
        place = hex_of(cell)
        if kind != "army" and place is not None:
            x, y = np.array(self._hex(place)) + self._rng.normal(0, 0.06 * HEX / 2, 2)
            self._disc(float(x), float(y), 0.34 * HEX, 0.0, 0.4, TOKENS[owner or kind])

    def _armies(self, layout: Layout) -> None:
        """Bars over four hexes in a row, split as armies are placed: the first hex in reading order begins
        one. What lies on something else lies higher."""
        for level in range(max((len(stack) for stack in layout.values()), default=0)):
            for side in ("red", "blue"):
                covered = {
                    place
                    for cell, stack in layout.items()
                    if len(stack) > level and stack[level][0] == f"army.{side}" and (place := hex_of(cell))
                }
                for row in _bars(covered):
                    ends = [np.array([*self._hex(place), 0.4 * level]) for place in (row[0], row[-1])]
                    low = np.vstack([end + _ring(0.31 * HEX, 24) for end in ends])
                    self._cast((low + np.array([0.15, -0.1, 0])) * np.array([1, 1, 0]))
                    self._hull(
                        np.vstack([low, low + np.array([0, 0, 0.4])]), [c * 0.75 for c in COLOURS[side]]
                    )
                    self._hull(low + np.array([0, 0, 0.5]), COLOURS[side])


def _bars(covered: set[Hex]) -> list[list[Hex]]:
    """Covered hexes as armies; where no armies lie so, as straight rows of any length."""
    try:
        return rows_of_four(covered)
    except ValueError:
        left, rows = set(covered), []
        while left:
            q, r = min(left, key=lambda place: (place[1], place[0]))
            runs = []
            for dq, dr in ((1, 0), (0, 1), (-1, 1)):
                run = [(q, r)]
                while (run[-1][0] + dq, run[-1][1] + dr) in left:
                    run.append((run[-1][0] + dq, run[-1][1] + dr))
                runs.append(run)
            rows.append(max(runs, key=len))
            left -= set(rows[-1])
        return rows


def rows_of_four(covered: set[Hex]) -> list[list[Hex]]:
    """Hexes split into straight rows of four. Raises ValueError where that cannot be done."""
    if not covered:
        return []
    q, r = min(covered, key=lambda place: (place[1], place[0]))
    for dq, dr in ((1, 0), (0, 1), (-1, 1)):
        row = [(q + n * dq, r + n * dr) for n in range(4)]
        if covered.issuperset(row):
            try:
                return [row, *rows_of_four(covered.difference(row))]
            except ValueError:
                continue
    raise ValueError(f"no army covers {q},{r}: armies are rows of four hexes")


def _ring(radius: float, corners: int, turn: float = 0.0) -> Places:
    """A regular polygon around the origin (corners x 3), its first corner at ``turn`` radians."""
    angles = turn + np.arange(corners) * (2 * math.pi / corners)
    return np.stack([radius * np.cos(angles), radius * np.sin(angles), np.zeros(corners)], axis=1)


def _box(left: float, low: float, right: float, high: float) -> list[tuple[float, float, float]]:
    return [(left, low, 0), (right, low, 0), (right, high, 0), (left, high, 0)]


def _column(number: int, height: float) -> tuple[float, float, float]:
    """A point's middle line, the y of its rim, and which way it runs."""
    place = 12 - number if number <= 12 else number - 13
    x = PITCH * (place + 0.5) + (BAR if place >= 6 else 0.0)
    return (x, 0.0, 1.0) if number <= 12 else (x, height, -1.0)
