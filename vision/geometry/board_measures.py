"""The 24-point board as a thing of wood: its measures, and where on it a checker can stand.

Points are columns from the two long rims inward. Column 0 is at the left; points 12, 11 ... 1 lie along the
bottom from left to right, 13 ... 24 along the top. All places are centimetres in the camera's board
coordinates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.layout import Cell, Looks, name_parts, point_cell, point_of
from engine.messages import phrase
from vision.errors import CalibrationError, GeometryError
from vision.geometry.camera import Floats
from vision.geometry.flat import Flat
from vision.stored import bounded

SIDES = ("white", "black")
BARS = ("bar.white", "bar.black")
OFFS = ("off.white", "off.black")
ROW = 5
"""Checkers side by side on a point before they are stacked."""
TRAYS = ("right", "left", "both", "none")
"""Where there may be trays for borne-off checkers."""
HOMES = ("right", "left", "top", "bottom")
"""On which side of the picture the home boards may be."""
PITCH = 1.065
"""Usual distance of neighbouring points, in checker diameters."""
THICKNESS = 0.23
"""Usual height of a checker, in diameters."""


@dataclass(frozen=True)
class Measures:
    """A board's measures in cm. ``checker`` is a diameter, ``thickness`` its height; ``tray`` says where
    borne-off checkers stand."""

    pitch: float
    checker: float
    bar: float
    width: float
    height: float
    tray: str
    thickness: float

    def to_json(self) -> dict[str, Any]:
        """Plain numbers, exactly as they are: rounded ones could give the saved surface another size than the
        board."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Measures:
        """The inverse of :meth:`to_json`. Raises KeyError, TypeError or ValueError on another shape."""
        lengths = {
            field.name: bounded(data[field.name], 0.0, 1000.0)
            for field in fields(cls)
            if field.name != "tray"
        }
        return cls(tray=str(data["tray"]), **lengths)


@dataclass(frozen=True)
class Geometry:
    """What a person knows of the board, in cm; None where they do not. ``home``: on which side of the picture
    the home boards are."""

    pitch: float | None = None
    checker: float | None = None
    bar: float | None = None
    width: float | None = None
    height: float | None = None
    tray: str | None = None
    home: str | None = None

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """What a geometry file may tell."""
        return tuple(each.name for each in fields(cls))

    @classmethod
    def from_json(cls, data: object) -> Geometry:
        """A geometry file's content. Raises GeometryError naming the key that is wrong."""
        if not isinstance(data, Mapping):
            raise GeometryError(
                "a geometry file holds one JSON object with pitch, checker, bar, width, height (cm) and tray"
            )
        given = {key: data[key] for key in cls.names() if data.get(key) is not None}
        for key, value in given.items():
            choices = {"tray": TRAYS, "home": HOMES}.get(key)
            if choices is not None:
                if value not in choices:
                    raise GeometryError(
                        phrase(
                            "the geometry's {key} is {value}; it must be one of {choices}",
                            key=key,
                            value=repr(value),
                            choices=", ".join(choices),
                        )
                    )
                continue
            least = 0.0 if key == "bar" else 0.1
            if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value < 1000:
                raise GeometryError(
                    phrase(
                        "the geometry's {key} is {value}; it must be a length in centimetres",
                        key=key,
                        value=repr(value),
                    )
                )
            given[key] = float(value)
        known = cls(**given)
        known._add_up()
        return known

    def _add_up(self) -> None:
        """Whether a board could have the measures that are known. Raises GeometryError."""
        pitch, checker, bar, width, height = self.pitch, self.checker, self.bar, self.width, self.height
        if pitch is not None and width is not None and 12 * pitch + (bar or 0.0) > 1.05 * width:
            raise GeometryError(
                phrase(
                    "the measures do not add up: 12 points of {pitch} cm are wider than a board of "
                    "{width} cm",
                    pitch=f"{pitch:g}",
                    width=f"{width:g}",
                )
            )
        if bar is not None and width is not None and bar > 0.4 * width:
            raise GeometryError(
                phrase(
                    "a bar of {bar} cm leaves no points in a width of {width} cm",
                    bar=f"{bar:g}",
                    width=f"{width:g}",
                )
            )
        if checker is not None:
            _fits(checker, pitch, height)

    def measures(self) -> Measures | None:
        """The full measures if what is known settles them; None if something has to be estimated from a
        picture."""
        pitch, bar, width = self.pitch, self.bar, self.width
        if pitch is None and bar is not None and width is not None:
            pitch = (width - bar) / 12
        if bar is None and pitch is not None and width is not None:
            bar = width - 12 * pitch
        if width is None and pitch is not None and bar is not None:
            width = 12 * pitch + bar
        if pitch is None or bar is None or width is None or self.height is None:
            return None
        if pitch <= 0 or bar < -0.05 * width or abs(12 * pitch + bar - width) > 0.03 * width:
            raise GeometryError(
                phrase(
                    "the measures do not add up: 12 points of {pitch} and a bar of {bar} make no width of "
                    "{width} cm",
                    pitch=f"{pitch:g}",
                    bar=f"{bar:g}",
                    width=f"{width:g}",
                )
            )
        checker = self.checker or pitch / PITCH
        _fits(checker, pitch, self.height)
        return self.completed(pitch, checker, max(bar, 0.0), width, self.height)

    def usual(self, pitch: float, bar: float, height: float) -> Measures:
        """The measures as far as they are known, and the others as usual: ``pitch`` in cm, where nothing
        tells how large the board is, ``bar`` and ``height`` in pitches. Raises GeometryError where they do
        not add up."""
        if self.pitch is not None:
            pitch = self.pitch
        elif self.width is not None:
            pitch = self.width / (12 + bar) if self.bar is None else (self.width - self.bar) / 12
        elif self.height is not None:
            pitch = self.height / height
        left = bar * pitch if self.width is None else self.width - 12 * pitch
        known = replace(self, pitch=pitch, checker=None, height=self.height or height * pitch)
        full = replace(known, bar=left if self.bar is None else self.bar).measures()
        assert full is not None  # pitch, bar and height settle the rest
        return full

    def completed(self, pitch: float, checker: float, bar: float, width: float, height: float) -> Measures:
        """These measures (cm), and checkers as thick as usual. Where nobody says where the tray is, the one
        at the homes is read, whichever side they lie on."""
        return Measures(pitch, checker, bar, width, height, self.tray or "both", THICKNESS * checker)


def _fits(checker: float, pitch: float | None, height: float | None) -> None:
    """Whether a checker has its place on such a board. Raises GeometryError."""
    if pitch is not None and not 0.4 * pitch <= checker <= 1.3 * pitch:
        raise GeometryError(
            phrase(
                "a checker of {checker} cm does not fit points {pitch} cm apart",
                checker=f"{checker:g}",
                pitch=f"{pitch:g}",
            )
        )
    if height is not None and not 5 * checker <= height <= 30 * checker:
        raise GeometryError(
            phrase(
                "a checker of {checker} cm does not fit a board {height} cm high",
                checker=f"{checker:g}",
                height=f"{height:g}",
            )
        )


def column(point: int) -> int:
    """Which column a point stands in, 0 at the left to 11 at the right."""
    return 12 - point if point <= 12 else point - 13


def middle(measures: Measures, point: int) -> float:
    """The x of a point's middle line."""
    place = column(point)
    return measures.pitch * (place + 0.5) + (measures.bar if place >= 6 else 0.0)


def inward(measures: Measures, point: int, distance: float) -> float:
    """The y that lies ``distance`` in from a point's rim."""
    return distance if point <= 12 else measures.height - distance


def opposite(cell: Cell) -> Cell:
    """What the other side calls a cell."""
    number = point_of(cell)
    if number is not None:
        return point_cell(25 - number)
    place, side = name_parts(cell)
    return f"{place}.{SIDES[1 - SIDES.index(side)]}" if side in SIDES else cell


def picture_side(along: Sequence[float] | Floats) -> str:
    """The side of the picture (of :data:`HOMES`) to which something leads (pixels, x and y)."""
    x, y = along
    if abs(x) >= abs(y):
        return "right" if x > 0 else "left"
    return "bottom" if y > 0 else "top"


def other_home() -> CalibrationError:
    """What to say of corners under which the home boards are not where a person says."""
    return CalibrationError(
        phrase(
            "with these corners the home boards cannot be on that side of the picture: check the side, or the"
            " order of the corners"
        )
    )


def start() -> Looks:
    """How backgammon begins; SiegeGammon and others say their own."""
    counts = {24: 2, 13: 5, 8: 3, 6: 5, 1: -2, 12: -5, 17: -3, 19: -5}
    return {
        **{
            f"p{n}": ("white",) * counts.get(n, 0) if counts.get(n, 0) >= 0 else ("black",) * -counts[n]
            for n in range(1, 25)
        },
        **dict.fromkeys((*BARS, *OFFS), ()),
    }


@dataclass(frozen=True)
class Orientation:
    """How a board lies before the camera: ``turned`` by 180 degrees, ``mirrored`` left to right (its home is
    on the left)."""

    turned: bool = False
    mirrored: bool = False

    @property
    def home(self) -> str:
        """The side, ``right`` or ``left``, on which both players' home boards lie; of two trays, the one
        there is borne off to."""
        return "left" if self.turned != self.mirrored else "right"

    def exchanged(self) -> Orientation:
        """How the board lies if White's pieces are Black's: the start position turned round is its mirror
        image with the colours changed."""
        return Orientation(not self.turned, not self.mirrored)

    def place(self, point: int) -> int:
        """The number that a point's place has on a board that lies the usual way."""
        if self.turned:
            point = point + 12 if point <= 12 else point - 12
        if self.mirrored:
            point = 13 - point if point <= 12 else 37 - point
        return point


def renamed(now: Orientation, way: Orientation) -> dict[Cell, Cell]:
    """For every point's name, where the board lies that ``way``, the one that it has ``now``."""
    old = {now.place(number): number for number in range(1, 25)}
    return {f"p{number}": f"p{old[way.place(number)]}" for number in range(1, 25)}


def triangles(measures: Measures) -> list[tuple[tuple[float, float], ...]]:
    """The outlines of the 24 points and the bar, in parts of the surface: a triangle usually reaches in 0.42
    of the board's height."""
    width, height, half = measures.width, measures.height, measures.pitch / 2
    found: list[tuple[tuple[float, float], ...]] = []
    for number in range(1, 25):
        x = middle(measures, number)
        foot, tip = (inward(measures, number, away) / height for away in (0.0, 0.42 * height))
        found.append((((x - half) / width, foot), ((x + half) / width, foot), (x / width, tip)))
    left, right = 6 * measures.pitch / width, 1 - 6 * measures.pitch / width
    return [*found, ((left, 0.0), (right, 0.0), (right, 1.0), (left, 1.0))]


def repeats(measures: Measures, flat: Flat) -> tuple[list[tuple[float, int]], NDArray[np.int64]]:
    """Where the empty board's pattern repeats (see ``empty_board.fill_in``): every two points, and across the
    bar."""
    p, across = measures.pitch, 6 * measures.pitch + measures.bar
    shifts = [(k * p, 0) for k in (-4, -2, 2, 4)]
    shifts += [(hop * across + k * p, hop) for hop in (-1, 1) for k in (-4, -2, 0, 2, 4)]
    x = flat.x
    half = np.full(x.shape, -1, np.int64)
    half[(x > 0) & (x < 6 * p)] = 0
    half[(x > measures.width - 6 * p) & (x < measures.width)] = 1
    return [(shift * flat.scale, hop) for shift, hop in shifts], half


ORIENTATIONS = (Orientation(), Orientation(mirrored=True), Orientation(turned=True), Orientation(True, True))
"""The ways a board may lie. The places of the start position tell only the first two apart: its home is on
either side."""
