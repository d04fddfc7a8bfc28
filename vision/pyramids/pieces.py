"""Pyramids of three sizes and two colours on a 24-point board: a kind of board.

Only the top layer of a point is told; what it pins may show as a rim of the other colour beside it, and is allowed for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from engine.evidence import Evidence
from engine.layout import EMPTY, Cell, Look, Looks, Piece
from vision import appearance, camera, overlay
from vision.appearance import Paint
from vision.board import MEASURES, SIDES, Measures
from vision.boards_file import camera_from, camera_to, picture_from, picture_to
from vision.camera import Camera, Corner, Floats, rectangle
from vision.checkers import Checkers
from vision.discs import Discs
from vision.errors import CalibrationError, RigError
from vision.frame import Frame, Image
from vision.hands import changed, find
from vision.kind import Raw
from vision.learning import setting
from vision.learning.quality import Quality
from vision.learning.setting import Ask, Outline
from vision.pyramids.board import STEEP, Stand
from vision.pyramids.fit import TEMPER, Row, Strip
from vision.pyramids.paint import Dyes, Ground, dye
from vision.pyramids.rows import EACH, Counts, sizes
from vision.read import Reading
from vision.reshape import relaid
from vision.scene import RESOLUTION, Flat, Map

UNITS = 2.0
"""Units of ``RESOLUTION`` map pixels in a large base."""
HALF = 2
"""Hands are looked for on every second map pixel: a large base is then as wide as a checker is for ``hands``."""
RIM = 1.2
"""How much of what lies around the surface is in the map, in large bases: tips lean over the rim."""
DEEP = 5.5
"""How far in from the rim pieces may stand, in large bases."""
ROW = 8
"""How many pieces are looked for side by side on a point."""
RIMS = 0.6
"""What a pixel of the other colour is worth beside the top layer: it may be a piece that is pinned."""
NESTED, SHOWN = 5.0, 1.0
"""Nats against a piece that stands over a larger one of its own colour, which it looks as large as: usually, and where its pips show inside
the larger one's outline. Then the judge forgives it: it may stand there for the rest of the game."""
CROWD, CROWDED = 5, 3.5
"""From how many pieces side by side on a row is crowded, and nats against a piece in it that looks like another size."""
PIPS = 0.006
"""The part of an outline's inside that is dark where the pips of a smaller piece show."""
INSIDE, DARK = 0.6, 0.45
"""How much of an outline is its inside, and how much darker than the piece (log units) pips are."""
WALL = 0.3
"""What a pixel beyond the playing surface is worth beside one on it: its walls mirror the pieces."""
ROUNDS = 3
SHADOW = 15
"""How far around a piece its shadow and its reflections reach, in map pixels."""
NAMES: tuple[Piece, ...] = tuple(f"{side}.{size}" for side in SIDES for size in (1, 2, 3))


@dataclass(frozen=True)
class Pyramids:
    """The kind."""

    name: str = "pyramids"
    measures: tuple[str, ...] = (*MEASURES, "base_side")
    pieces: tuple[Piece, ...] = NAMES
    asks: tuple[Ask, ...] = setting.PYRAMIDS

    @property
    def sample(self) -> Looks:
        """Some pyramids of every size and colour."""
        return setting.PYRAMIDS_SET_OUT

    def outlines(self, geometry: Mapping[str, Any]) -> list[Outline]:
        """Points and bar."""
        return setting.stands(geometry)

    def calibrate(
        self, image: Image, corners: Sequence[Corner], geometry: Mapping[str, Any], looks: Looks | None = None, empty: Image | None = None
    ) -> PyramidTable:
        """Learn a board from a picture in which it looks like ``looks``; with ``empty``, the same board with nothing on it, it is
        learned better. Raises CalibrationError."""
        stand = Stand.of(geometry)
        known = {cell: look for cell, look in (looks or {}).items() if look}
        sides = {piece.partition(".")[0] for look in known.values() for piece in look}
        if sides != set(SIDES):
            raise CalibrationError(
                "pyramids of both colours must stand on the board that is learned: set some up, and say what stands where"
            )
        if empty is not None and empty.shape != image.shape:
            raise CalibrationError("the empty picture has another size; take both with the same camera")
        eye, off = camera.from_corners(corners, stand.board.width, stand.board.height, (image.shape[1], image.shape[0]))
        flat = _flat(eye, stand)
        strips = _strips(flat, stand)
        values = appearance.logs(flat.lay(image))
        if empty is None:
            surface = _under(values, flat, stand, strips, known)
        else:
            bare = appearance.logs(flat.lay(empty))
            gain, _ = appearance.relight(bare, values)
            surface = np.asarray(bare - gain, np.float32)
        dyes, covered = _learn(values, surface, strips, known)
        if empty is not None:
            surface = _refreshed(values, surface, covered)
            dyes, _ = _learn(values, surface, strips, known)
        table = PyramidTable(stand, eye, appearance.levels(surface), dyes, off)
        told = table.read(Frame(image)).looks
        wrong = tuple(cell for cell in told if told[cell] != known.get(cell, EMPTY))
        if len(wrong) > max(3, len(known) // 2):
            raise CalibrationError(
                f"the picture does not show what is said to stand there ({', '.join(wrong[:6])} …); "
                "check the corners, the measures and the position"
            )
        return PyramidTable(stand, eye, table.picture, dyes, off, wrong)

    def open(self, data: Mapping[str, Any]) -> PyramidTable:
        """A table from its file's content. Raises RigError."""
        try:
            small, medium, large = (float(base) for base in data["bases_cm"])
            stand = Stand(Measures.from_json(data["measures_cm"]), (small, medium, large))
            return PyramidTable(
                stand,
                camera_from(data["camera"]),
                picture_from(data["surface_png"]),
                Dyes.from_json(data["dyes"]),
                float(data["corner_error"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError, IndexError, cv2.error) as error:
            raise RigError(f"the rig is damaged ({type(error).__name__}: {error}); calibrate the table again") from error

    def told(self, reading: Reading) -> dict[str, Any]:
        """What ``barpoint read`` says of a reading: owner and sizes of each point's top layer, and the sizes on the bar."""
        looks = reading.looks
        points = {}
        for cell in sorted((cell for cell in looks if cell[1:].isdigit() and looks[cell]), key=lambda cell: int(cell[1:])):
            points[cell[1:]] = [looks[cell][0].partition(".")[0], _sizes(looks[cell])]
        bar = {side: _sizes(looks[f"bar.{side}"]) if f"bar.{side}" in looks else None for side in SIDES}
        return {"points": points, "bar": bar}


@dataclass(frozen=True)
class PyramidTable:
    """One board under one camera, learned. ``picture`` is the empty board laid flat; ``wrong`` the cells of the calibration picture that
    are read otherwise."""

    stand: Stand
    camera: Camera
    picture: NDArray[np.uint8]
    dyes: Dyes
    corner_error: float = 0.0
    wrong: tuple[Cell, ...] = ()
    kind: str = "pyramids"
    flat: Flat = field(init=False, repr=False, compare=False)
    _strips: dict[str, Strip] = field(init=False, repr=False, compare=False)
    _discs: Discs = field(init=False, repr=False, compare=False)
    _ground: Ground = field(init=False, repr=False, compare=False)
    _regions: dict[Cell, NDArray[np.bool_]] = field(init=False, repr=False, compare=False)
    _rim: NDArray[np.bool_] = field(init=False, repr=False, compare=False)
    _beyond: frozenset[Cell] = field(init=False, repr=False, compare=False)
    _weight: Map = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        flat = _flat(self.camera, self.stand)
        if self.picture.shape[:2] != flat.shape:
            raise ValueError("the surface does not fit the board")
        regions = _regions(flat, self.stand)
        seen = flat.in_view()[::HALF, ::HALF]
        object.__setattr__(self, "flat", flat)
        object.__setattr__(self, "_strips", _strips(flat, self.stand))
        object.__setattr__(self, "_regions", regions)
        object.__setattr__(self, "_rim", flat.outside(self.stand.board.width, self.stand.board.height)[::HALF, ::HALF])
        object.__setattr__(self, "_beyond", frozenset(cell for cell, region in regions.items() if seen[region].mean() < 0.9))
        outside = flat.outside(self.stand.board.width, self.stand.board.height)
        object.__setattr__(self, "_weight", np.where(outside, WALL, 1.0).astype(np.float32))
        discs = _discs(appearance.logs(self.picture))
        object.__setattr__(self, "_discs", discs)
        object.__setattr__(self, "_ground", Ground(discs.surface, discs.trust))

    @property
    def quality(self) -> Quality:
        """How good the calibration was."""
        return Quality(corner_error=self.corner_error, wrong=self.wrong)

    @property
    def surface(self) -> Map:
        """The board that pictures are compared with (see ``appearance.logs``)."""
        return self._discs.surface

    def read(self, frame: Frame) -> Reading:
        """Read one frame. Raises ImageError where its shape is not that of the calibration picture."""
        return self.weigh(self.lay(frame)[0])

    def lay(self, frame: Frame) -> tuple[Map, float]:
        """A frame laid flat under the calibration's lamp, and how bright it was (1: as then). Raises ImageError."""
        return relaid(frame.image, self.camera.size, self.flat, self.surface, float(self.picture.mean()))

    def weigh(self, values: Map, frame: Frame | None = None) -> Reading:
        """Read a frame that :meth:`lay` has laid flat."""
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
                for counts, row in _alike(strip, _with_rims(strip, rows[k], speaks[1 - k]), values).items():
                    if sum(counts):
                        raw[name][_look(k, counts)] = row.score
                        best = max(best, row, key=lambda row: row.score)
            stands[name] = strip, best
        explained = np.zeros(self.flat.shape, bool)
        marks: dict[Cell, list[tuple[Piece, float, float, float]]] = {}
        for cell, (strip, row) in stands.items():
            if row.pieces:
                look = max(raw[cell], key=lambda look: (raw[cell][look], look))
                explained |= cv2.dilate(strip.mask(row.pieces).astype(np.uint8), np.ones((7, 7), np.uint8)) > 0
                side = look[0].partition(".")[0] if look else SIDES[0]
                marks[cell] = [self._mark(side, piece) for piece in row.pieces]
        change = changed(self._discs, values)[::HALF, ::HALF]
        hand = find(change, explained[::HALF, ::HALF], self._rim, np.zeros_like(self._rim))
        hidden = hand.covers(self._regions) | self._beyond
        evidence = Evidence.of({cell: scores for cell, scores in raw.items() if cell not in hidden})
        looks = evidence.best()
        return Reading(evidence, hidden, hand.here, {cell: evidence.confidence(cell) for cell in looks}, looks, marks)

    def _mark(self, side: str, piece: tuple[int, float, float, float]) -> tuple[Piece, float, float, float]:
        size, x, y, _ = piece
        column, row = self.flat.at([(x, y)])[0]
        return f"{side}.{size}", float(column), float(row), self.stand.base(size) / 2 * self.flat.scale

    def follow(self, values: Map, reading: Reading) -> None:
        """Nothing is learned from frames at rest: the lamp is measured anew in every one."""

    def found_again(self, values: Map) -> PyramidTable | None:
        """None: after the camera was moved, this kind of board is calibrated again."""
        return None

    def placed(self) -> tuple[Floats, dict[str, Any]]:
        """The surface's corners in pixels, and the measures."""
        measures = self.stand.board
        sides = {str(size): base for size, base in enumerate(self.stand.bases, 1)}
        return self.camera.project(rectangle(measures.width, measures.height)), {**measures.to_json(), "base_side": sides}

    def draw(self, image: Image, reading: Reading | None = None) -> Image:
        """See ``overlay``."""
        return overlay.paint(image, self.flat, (self.stand.board.width, self.stand.board.height), self._regions, reading)

    def around(self, cells: Collection[Cell]) -> tuple[int, int, int, int] | None:
        """See ``overlay``."""
        return overlay.around(self.flat, self._regions, cells)

    def to_json(self) -> dict[str, Any]:
        """The file's content."""
        return {
            "version": 1,
            "kind": self.kind,
            "camera": camera_to(self.camera),
            "measures_cm": self.stand.board.to_json(),
            "bases_cm": list(self.stand.bases),
            "corner_error": round(self.corner_error, 3),
            "dyes": self.dyes.to_json(),
            "surface_png": picture_to(self.picture),
        }


def _flat(eye: Camera, stand: Stand) -> Flat:
    edge = RIM * stand.bases[2]
    return Flat(eye, RESOLUTION * UNITS / stand.bases[2], -edge, stand.board.width + edge, -edge, stand.board.height + edge)


def _strips(flat: Flat, stand: Stand) -> dict[str, Strip]:
    deep = min(DEEP * stand.bases[2], stand.board.height / 2)
    found = {cell: Strip(flat, stand, x, start, way, deep, ROW) for cell, (x, start, way) in stand.columns.items()}
    found["bar"] = Strip(flat, stand, stand.board.width / 2, 0.0, 1.0, stand.board.height, 3 * EACH)
    return found


def _regions(flat: Flat, stand: Stand) -> dict[Cell, NDArray[np.bool_]]:
    rows, columns = flat.shape
    x = flat.left + (np.arange(0, columns, HALF) + 0.5) / flat.scale
    y = flat.high - (np.arange(0, rows, HALF) + 0.5) / flat.scale
    b, deep = stand.board, DEEP * stand.bases[2]
    found: dict[Cell, NDArray[np.bool_]] = {}
    for cell, (middle, start, way) in stand.columns.items():
        inward = (y - start) * way
        found[cell] = ((inward > 0) & (inward < deep))[:, None] & (np.abs(x - middle) < b.pitch / 2)[None, :]
    bar = ((y > 0) & (y < b.height))[:, None] & (np.abs(x - b.width / 2) < max(b.bar, stand.bases[2]) / 2)[None, :]
    return {**found, "bar.white": bar, "bar.black": bar}


def _discs(surface: Map) -> Discs:
    return Discs(surface, np.zeros(surface.shape[:2], np.float32), Paint((), (0.0,) * 5))


def _with_rims(strip: Strip, rows: Mapping[Counts, Row], other: Map) -> dict[Counts, Row]:
    """Rows of a top layer, with what shows of the other colour around the best of them counted in favour of all: it may be pinned."""
    best = max(rows.values(), key=lambda row: row.score)
    if not best.pieces:
        return dict(rows)
    own = strip.mask(best.pieces)[strip.box]
    around = cv2.dilate(own.astype(np.uint8), np.ones((9, 9), np.uint8)) > 0
    rims = float(np.maximum(other[strip.box], 0)[around & ~own].sum()) * TEMPER * RIMS
    return {counts: Row(row.score + rims, row.pieces) for counts, row in rows.items()}


def _alike(strip: Strip, rows: Mapping[Counts, Row], values: Map) -> dict[Counts, Row]:
    """Rows, and what the likeliest may be as well: a smaller piece over a larger one of its own colour looks as large as that one, and in
    a crowded row one piece may pass for the next size."""
    found = dict(rows)
    best, row = max(rows.items(), key=lambda entry: entry[1].score)

    def allow(shown: int, stands: int, price: float) -> None:
        a, b, c = (count + (size == stands) - (size == shown) for size, count in enumerate(best))
        known = found.get((a, b, c))
        if best[shown] and (known is None or known.score < row.score - price):
            found[a, b, c] = Row(row.score - price, row.pieces)

    for large in (1, 2):
        pips = max((_pips(strip, piece, values) for piece in row.pieces if piece[0] == large + 1), default=0.0)
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


def _learn(values: Map, surface: Map, strips: Mapping[str, Strip], known: Looks) -> tuple[Dyes, NDArray[np.bool_]]:
    """Both sides' colours: first from whatever has changed where their pieces stand, then from under the outlines found there; and the
    map pixels under those outlines."""
    covered = np.zeros(values.shape[:2], bool)
    discs = _discs(surface)
    ground = Ground(surface, discs.trust)
    on_points = {cell: look for cell, look in known.items() if not cell.startswith("bar.")}
    both = {look[0].partition(".")[0] for look in on_points.values()} == set(SIDES)
    sampled = on_points if both else dict(known)  # on the wide bar it is less clear where a piece stands
    change = changed(discs, values)
    samples: list[list[NDArray[np.float32]]] = [[], []]
    for cell, look in sampled.items():
        strip = strips["bar" if cell.startswith("bar.") else cell]
        near = _near(strip, cell, len(look), values.shape[:2])
        samples[SIDES.index(look[0].partition(".")[0])].append(values[near & change])
    dyes = dye([np.concatenate(side) for side in samples])
    for _ in range(ROUNDS):
        speaks = dyes.speaks(values, ground)
        samples, covered[:] = [[], []], False
        for cell, look in known.items():
            k = SIDES.index(look[0].partition(".")[0])
            strip = strips["bar" if cell.startswith("bar.") else cell]
            count = Counter(_sizes(look))
            row = strip.rows(speaks[k]).get((count[1], count[2], count[3]))
            if row is not None:
                mask = strip.mask(row.pieces)
                covered |= mask
                mask = cv2.erode(mask.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
                if cell in sampled:
                    samples[k].append(values[mask & (speaks[1 - k] < 1)])
        if all(sum(map(len, side)) > 200 for side in samples):
            dyes = dye([np.concatenate(side) for side in samples])
    return dyes, covered


def _refreshed(values: Map, empty: Map, covered: NDArray[np.bool_]) -> Map:
    """The empty board as it looks under the lamp of the picture with pieces: what shows there between the pieces is taken as it is,
    and under them the photograph of the empty board, corrected by what changed around."""
    near = cv2.dilate(covered.astype(np.uint8), np.ones((SHADOW, SHADOW), np.uint8)) > 0
    free = np.asarray(~near, np.float32)
    wide = (0, 0)
    weight = cv2.GaussianBlur(free, wide, SHADOW) + 1e-3
    off = cv2.GaussianBlur((values - empty) * free[..., None], wide, SHADOW) / weight[..., None]
    return np.asarray(np.where(near[..., None], empty + off, values), np.float32)


def _near(strip: Strip, cell: Cell, count: int, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """Map pixels where the pieces of a known cell must be: the first places of its row, the whole of the bar."""
    large = strip.stand.bases[2]
    length = strip.length if cell.startswith("bar.") else min((0.6 + count) * large, strip.length)
    ends = [(strip.x + dx, strip.start + strip.way * d) for dx in (-0.6 * large, 0.6 * large) for d in (0.0, length)]
    at = strip.flat.at(ends)
    mask = np.zeros(shape, bool)
    low, high = np.maximum(at.min(axis=0).astype(int), 0), at.max(axis=0).astype(int) + 1
    mask[low[1] : high[1], low[0] : high[0]] = True
    return mask


def _under(values: Map, flat: Flat, stand: Stand, strips: Mapping[str, Strip], known: Looks) -> Map:
    """The empty board put together from what shows between the pieces: the points' pattern repeats."""
    hidden = np.zeros(flat.shape, bool)
    for cell, look in known.items():
        strip = strips["bar" if cell.startswith("bar.") else cell]
        near = _near(strip, cell, len(look), flat.shape)
        lean = round(STEEP * 0.12 * stand.bases[2] * flat.scale) + 6
        hidden |= cv2.dilate(near.astype(np.uint8), np.ones((2 * lean + 1, 2 * lean + 1), np.uint8)) > 0
    shifts, allowed = Checkers().repeats(stand.board, flat)
    return appearance.fill_in(values, hidden, np.zeros(flat.shape, np.float32), shifts, allowed)


def _look(side: int, counts: Counts) -> Look:
    return tuple(f"{SIDES[side]}.{size}" for size in sizes(counts))


def _sizes(look: Look) -> list[int]:
    return sorted(int(piece.partition(".")[2]) for piece in look)
