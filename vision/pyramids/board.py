"""Pyramids of three sizes and two colours on a 24-point board: a kind of board.

Only the top layer of a point is told; what it pins may show as a rim of the other colour beside it, and is
allowed for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.layout import EMPTY, Cell, Look, Looks, Piece
from vision.errors import CalibrationError, RigError
from vision.geometry import board_measures, camera
from vision.geometry.board_measures import MEASURES, SIDES, Measures
from vision.geometry.camera import Camera, Corner, Floats
from vision.geometry.flat import Flat, Map
from vision.light import colour
from vision.light.normalise import LaidFrame
from vision.picture.frame import Frame, Image
from vision.picture.png_text import picture_from, picture_to
from vision.planar import HALF, Guise, PlanarReader, Plane
from vision.pyramids.cover import Row
from vision.pyramids.fit import Strip
from vision.pyramids.learn import DEEP, flattened, laid_out, learn, sizes_of
from vision.pyramids.outlines import Eye, Stand
from vision.pyramids.paint import Dyes, Ground
from vision.pyramids.rows import Counts, sizes
from vision.pyramids.stack import with_rims
from vision.reading import AskedMeasure, Outline, Raw, Reading

NESTED, SHOWN = 5.0, 1.0
"""Nats against a piece that stands over a larger one of its own colour, which it looks as large as: usually,
and where its pips show inside the larger one's outline. Then the judge forgives it: it may stand there for
the rest of the game."""

CROWD, CROWDED = 5, 3.5
"""From how many pieces side by side on a row is crowded, and nats against a piece in it that looks like
another size."""

PIPS = 0.006
"""The part of an outline's inside that is dark where the pips of a smaller piece show."""

INSIDE, DARK = 0.6, 0.45
"""How much of an outline is its inside, and how much darker than the piece (log units) pips are."""

WALL = 0.3
"""What a pixel beyond the playing surface is worth beside one on it: its walls mirror the pieces."""

NAMES: tuple[Piece, ...] = tuple(f"{side}.{size}" for side in SIDES for size in (1, 2, 3))


ASKS = (AskedMeasure("width"), AskedMeasure("height"), AskedMeasure("bar", least=0.0), AskedMeasure("pitch"))

SET_OUT: Looks = {
    **{f"p{point}": (f"white.{n % 3 + 1}",) for n, point in enumerate((1, 3, 5, 8, 14, 20))},
    **{f"p{point}": (f"black.{n % 3 + 1}",) for n, point in enumerate((2, 6, 10, 16, 19, 23))},
}
"""Two pyramids of each size and colour, well apart and all over the board."""


@dataclass(frozen=True)
class Pyramids:
    """The kind."""

    name: str = "pyramids"
    geometry_keys: tuple[str, ...] = (*MEASURES, "base_side")
    pieces: tuple[Piece, ...] = NAMES
    asked_measures: tuple[AskedMeasure, ...] = ASKS
    finds_corners: bool = False

    @property
    def set_out(self) -> Looks:
        """Some pyramids of every size and colour."""
        return SET_OUT

    def outlines(self, geometry: Mapping[str, Any]) -> list[Outline]:
        """Points and bar."""
        return outlines(geometry)

    def find_corners(
        self,
        image: Image,
        geometry: Mapping[str, Any],
        looks: Looks | None,
        progress: Callable[[float, str], None],
    ) -> tuple[Sequence[Corner], float]:
        """Raises CalibrationError: nothing about a board of pyramids is alike enough on all boards to be
        found."""
        raise CalibrationError(
            "the corners of pyramids' boards are not found by themselves: show all four, by --corners or the"
            " page's handles"
        )

    def calibrate(
        self,
        image: Image,
        corners: Sequence[Corner],
        geometry: Mapping[str, Any],
        looks: Looks | None = None,
        empty: Image | None = None,
    ) -> PyramidReader:
        """Learn a board from a picture in which it looks like ``looks``; with ``empty``, the same board with
        nothing on it, it is learned better. Raises CalibrationError."""
        stand = Stand.of(geometry)
        known = {cell: look for cell, look in (looks or {}).items() if look}
        sides = {piece.partition(".")[0] for look in known.values() for piece in look}
        if sides != set(SIDES):
            raise CalibrationError(
                "pyramids of both colours must stand on the board that is learned: set some up, and say what"
                " stands where"
            )
        if empty is not None and empty.shape != image.shape:
            raise CalibrationError("the empty picture has another size; take both with the same camera")
        lens, off = camera.from_corners(
            corners, stand.board.width, stand.board.height, (image.shape[1], image.shape[0])
        )
        seen = learn(stand, flattened(lens, stand), image, known, empty)
        table = PyramidReader(stand, lens, seen.eye, colour.levels(seen.surface), seen.dyes, seen.guise, off)
        told = table.read(Frame(image)).looks
        wrong = tuple(cell for cell in told if told[cell] != known.get(cell, EMPTY))
        if len(wrong) > max(3, len(known) // 2):
            raise CalibrationError(
                f"the picture does not show what is said to stand there ({', '.join(wrong[:6])} …); "
                "check the corners, the measures and the position"
            )
        return replace(table, wrong=wrong)

    def open(self, data: Mapping[str, Any]) -> PyramidReader:
        """A table from its file's content. Raises RigError."""
        try:
            small, medium, large = (float(base) for base in data["bases_cm"])
            stand = Stand(Measures.from_json(data["measures_cm"]), (small, medium, large))
            lens = Camera.from_json(data["camera"])
            x, y, height = (float(value) for value in data.get("eye_cm", lens.eye()))
            return PyramidReader(
                stand,
                lens,
                (x, y, height),
                picture_from(data["surface_png"]),
                Dyes.from_json(data["dyes"]),
                Guise.from_json(data["guise"]) if data.get("guise") else None,
                float(data["corner_error"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError, IndexError, cv2.error) as error:
            raise RigError(
                f"the rig is damaged ({type(error).__name__}: {error}); calibrate the table again"
            ) from error

    def describe(self, reading: Reading) -> dict[str, Any]:
        """What ``barpoint read`` says of a reading: owner and sizes of each point's top layer, and the sizes
        on the bar."""
        looks = reading.looks
        points = {}
        for cell in sorted(
            (cell for cell in looks if cell[1:].isdigit() and looks[cell]), key=lambda cell: int(cell[1:])
        ):
            points[cell[1:]] = [looks[cell][0].partition(".")[0], sizes_of(looks[cell])]
        bar = {side: sizes_of(looks[f"bar.{side}"]) if f"bar.{side}" in looks else None for side in SIDES}
        return {"points": points, "bar": bar}


@dataclass(frozen=True)
class PyramidReader(PlanarReader):
    """One board under one camera, learned. ``eye`` is where the camera is by what stands up; ``picture`` the
    empty board laid flat, ``guise`` what else it was seen to look like; ``wrong`` the cells of the
    calibration picture that are read otherwise."""

    stand: Stand
    camera: Camera
    eye: Eye
    picture: NDArray[np.uint8]
    dyes: Dyes
    guise: Guise | None = None
    corner_error: float = 0.0
    wrong: tuple[Cell, ...] = ()
    kind: str = "pyramids"
    laid: Plane = field(init=False, repr=False, compare=False)
    _strips: dict[str, Strip] = field(init=False, repr=False, compare=False)
    _ground: Ground = field(init=False, repr=False, compare=False)
    _weight: Map = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        flat, size = flattened(self.camera, self.stand), (self.stand.board.width, self.stand.board.height)
        plane = Plane(flat, size, self.picture, _regions(flat, self.stand), self.guise)
        other = (
            None
            if self.guise is None or plane.disguised is None
            else (self.guise.part, plane.disguised.values)
        )
        object.__setattr__(self, "plane", plane)
        object.__setattr__(self, "_strips", laid_out(flat, self.stand, self.eye))
        object.__setattr__(self, "_weight", np.where(flat.outside(*size), WALL, 1.0).astype(np.float32))
        object.__setattr__(self, "_ground", Ground(plane.bare.values, plane.bare.trust, other))

    def read_laid(self, laid: LaidFrame) -> Reading:
        """Read a frame that was laid flat."""
        values = laid.values
        speaks = tuple(side * self._weight for side in self.dyes.speaks(values, self._ground))
        raw: Raw = {}
        stands: dict[Cell, tuple[Strip, Row]] = {}
        for name, strip in self._strips.items():
            rows = [strip.rows(side) for side in speaks]
            if name == "bar":
                for k, cell in enumerate(("bar.white", "bar.black")):
                    standing = _alike(strip, rows[k], values)
                    raw[cell] = {_look(k, counts): row.score for counts, row in standing.items()}
                    stands[cell] = strip, max(rows[k].values(), key=lambda row: row.score)
                continue
            raw[name] = {EMPTY: 0.0}
            best = Row(0.0, ())
            for k in (0, 1):
                for counts, row in _alike(
                    strip, with_rims(strip, rows[k], speaks[k], speaks[1 - k]), values
                ).items():
                    if sum(counts):
                        raw[name][_look(k, counts)] = row.score
                        best = max(best, row, key=lambda row: row.score)
            stands[name] = strip, best
        explained = np.zeros(self.flat.shape, bool)
        marks: dict[Cell, list[tuple[Piece, float, float, float]]] = {}
        for cell, (strip, row) in stands.items():
            if row.pieces:
                look = max(raw[cell], key=lambda look: (raw[cell][look], look))
                explained |= (
                    cv2.dilate(strip.mask(row.pieces).astype(np.uint8), np.ones((7, 7), np.uint8)) > 0
                )
                side = look[0].partition(".")[0] if look else SIDES[0]
                marks[cell] = [self._mark(side, piece) for piece in row.pieces]
        return self.plane.reading(raw, values, explained, marks)

    def _mark(self, side: str, piece: tuple[int, float, float, float]) -> tuple[Piece, float, float, float]:
        size, x, y, _ = piece
        column, row = self.flat.at([(x, y)])[0]
        return f"{side}.{size}", float(column), float(row), self.stand.base(size) / 2 * self.flat.scale

    def find_again(self, laid: LaidFrame) -> PyramidReader | None:
        """The same table after the camera was moved a little, itself where it was not; None where it is not
        found in this frame."""
        lens = self.plane.again(laid)
        if lens is None or lens is self.camera:
            return None if lens is None else self
        x, y, height = (float(value) for value in self.eye + lens.eye() - self.camera.eye())
        return replace(self, camera=lens, eye=(x, y, height), picture=self.plane.seen_by(lens, laid.image))

    def placement(self) -> tuple[Floats, dict[str, Any]]:
        """The surface's corners in pixels, and the measures."""
        measures = self.stand.board
        sides = {str(size): base for size, base in enumerate(self.stand.bases, 1)}
        return self.corners(), {**measures.to_json(), "base_side": sides}

    def to_json(self) -> dict[str, Any]:
        """The file's content."""
        return {
            "version": 1,
            "kind": self.kind,
            "camera": self.camera.to_json(),
            "eye_cm": [round(value, 2) for value in self.eye],
            "measures_cm": self.stand.board.to_json(),
            "bases_cm": list(self.stand.bases),
            "corner_error": round(self.corner_error, 3),
            "dyes": self.dyes.to_json(),
            "surface_png": picture_to(self.picture),
            "guise": None if self.guise is None else self.guise.to_json(),
        }


def _regions(flat: Flat, stand: Stand) -> dict[Cell, NDArray[np.bool_]]:
    x, y = flat.x[::HALF], flat.y[::HALF]
    b, deep = stand.board, DEEP * stand.bases[2]
    found: dict[Cell, NDArray[np.bool_]] = {}
    for cell, (middle, start, way) in stand.columns.items():
        inward = (y - start) * way
        found[cell] = ((inward > 0) & (inward < deep))[:, None] & (np.abs(x - middle) < b.pitch / 2)[None, :]
    bar = ((y > 0) & (y < b.height))[:, None] & (np.abs(x - b.width / 2) < max(b.bar, stand.bases[2]) / 2)[
        None, :
    ]
    return {**found, "bar.white": bar, "bar.black": bar}


def _alike(strip: Strip, rows: Mapping[Counts, Row], values: Map) -> dict[Counts, Row]:
    """Rows, and what the likeliest may be as well: a smaller piece over a larger one of its own colour looks
    as large as that one, and in a crowded row one piece may pass for the next size."""
    found = dict(rows)
    best, row = max(rows.items(), key=lambda entry: entry[1].score)

    def allow(shown: int, stands: int, price: float) -> None:
        a, b, c = (count + (size == stands) - (size == shown) for size, count in enumerate(best))
        known = found.get((a, b, c))
        if best[shown] and (known is None or known.score < row.score - price):
            found[a, b, c] = Row(row.score - price, row.pieces)

    for large in (1, 2):
        pips = max(
            (_pips(strip, piece, values) for piece in row.pieces if piece[0] == large + 1), default=0.0
        )
        for small in range(large):
            allow(large, small, SHOWN if pips > PIPS else NESTED)
    if len(row.pieces) >= CROWD:
        for one, other in ((0, 1), (1, 0), (1, 2), (2, 1)):
            allow(one, other, CROWDED)
    return found


def _pips(strip: Strip, piece: tuple[int, float, float, float], values: Map) -> float:
    """The part of a piece's inside that is dark: its own pips are at its edges."""
    hull = strip.outlines.hull(piece).reshape(-1, 2).astype(np.float64)
    inner = hull.mean(axis=0) + (hull - hull.mean(axis=0)) * INSIDE
    low, high = hull.min(axis=0).astype(int) // 16, hull.max(axis=0).astype(int) // 16 + 2
    left, top = np.maximum(low, 0)
    luma = values[top : high[1], left : high[0], 0]
    if not luma.size:
        return 0.0
    masks = []
    for shape in (hull, inner):
        mask = np.zeros(luma.shape, np.uint8)
        cv2.fillConvexPoly(mask, np.round(shape - (16 * left, 16 * top)).astype(np.int32), 1, cv2.LINE_8, 4)
        masks.append(mask > 0)
    usual = np.median(luma[masks[0]]) if masks[0].any() else 0.0
    return float((luma[masks[1]] < usual - DARK).mean()) if masks[1].any() else 0.0


def _look(side: int, counts: Counts) -> Look:
    return tuple(f"{SIDES[side]}.{size}" for size in sizes(counts))


def outlines(geometry: Mapping[str, Any]) -> list[Outline]:
    """The same of a board for pyramids. Raises CalibrationError."""
    return board_measures.triangles(Stand.of(geometry).board)
