"""A random backgammon table to be rendered: its measures, materials, lamp and camera, and what stands on it.
Lengths are centimetres."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from vision.light.colour import lightness

Colour = tuple[float, float, float]
ROW = 5
GENTLE = 0.65
"""The part of tables that are lit well."""


@dataclass(frozen=True)
class Material:
    """``colour`` and ``second`` (RGB, linear) mixed by a noise of ``scale`` (1/cm), ``stretch`` times longer
    along x; ``bump`` 0-1."""

    colour: Colour
    second: Colour
    mix: float
    scale: float
    stretch: float
    rough: float
    metal: float
    coat: float
    bump: float


@dataclass(frozen=True)
class Board:
    """Measures as in a geometry file, and how high rails and bar are, how wide the rails, the trays' walls
    and the trays; ``row``: how many checkers its players lay flat."""

    pitch: float
    checker: float
    bar: float
    height: float
    tray: str
    thick: float
    rail: float
    ridge: float
    frame: float
    wall: float
    pocket: float
    tip: float
    foot: float
    swap: bool
    materials: dict[str, Material]
    profile: tuple[float, ...]
    row: int = ROW

    @property
    def width(self) -> float:
        return 12 * self.pitch + self.bar


@dataclass(frozen=True)
class View:
    """A camera (``eye``, looking at ``target``, ``roll`` radians; ``focal`` in picture widths) and lamps
    (x, y, z, size, strength, warmth)."""

    size: tuple[int, int]
    eye: tuple[float, float, float]
    target: tuple[float, float]
    roll: float
    focal: float
    bend: float
    lamps: tuple[tuple[float, float, float, float, float, float], ...]
    ambient: float


@dataclass(frozen=True)
class Piece:
    """One checker: middle of its underside, its side; ``standing`` on its rim."""

    x: float
    y: float
    z: float
    side: str
    standing: bool = False


@dataclass
class Setting:
    """What stands on the table in one picture."""

    points: dict[int, int] = field(default_factory=dict)
    bar: tuple[int, int] = (0, 0)
    off: tuple[int, int] = (0, 0)
    pieces: list[Piece] = field(default_factory=list)
    dice: list[tuple[float, float, float, str, int]] = field(default_factory=list)
    cube: tuple[float, float, int] | None = None
    lights: list[tuple[float, float, Colour]] = field(default_factory=list)
    hand: tuple[float, float, float, Colour] | None = None
    things: list[Any] = field(default_factory=list)


def _colour(
    rng: np.random.Generator, light: tuple[float, float], vivid: tuple[float, float], hue: float | None = None
) -> Colour:
    """A colour of this lightness and saturation, linear."""
    hue = float(rng.random()) if hue is None else hue
    value, much = rng.uniform(*light), rng.uniform(*vivid)
    wheel = np.clip(np.abs((hue * 6 + np.array([0, 4, 2])) % 6 - 3) - 1, 0, 1)
    red, green, blue = (value * (1 - much * (1 - wheel))) ** 2.2
    return float(red), float(green), float(blue)


def _material(rng: np.random.Generator, colour: Colour, kind: str = "") -> Material:
    kind = kind or str(rng.choice(["plain", "felt", "leather", "wood", "cork"]))
    other = (
        np.array(colour) * rng.uniform(0.5, 1.3)
        if kind != "cork"
        else np.array(_colour(rng, (0.2, 0.9), (0.1, 0.7)))
    )
    second = (float(other[0]), float(other[1]), float(other[2]))
    mix, scale, stretch, bump = {
        "plain": (0.05, 1.0, 1.0, 0.05),
        "felt": (0.3, float(rng.uniform(3, 8)), 1.0, 0.25),
        "leather": (0.25, float(rng.uniform(2, 5)), 1.0, 0.3),
        "wood": (float(rng.uniform(0.3, 1)), float(rng.uniform(0.5, 2)), float(rng.uniform(4, 15)), 0.05),
        "cork": (float(rng.uniform(0.1, 0.3)), float(rng.uniform(2, 6)), 1.0, 0.1),
    }[kind]
    rough = float(rng.uniform(0.7, 1)) if kind in ("felt", "cork") else float(rng.uniform(0.25, 0.8))
    return Material(colour, second, mix, scale, stretch, rough, 0.0, float(rng.random() < 0.2), bump)


def _checker_material(rng: np.random.Generator, colour: Colour) -> Material:
    swirl = rng.random() < 0.35
    other = np.clip(np.array(colour) * rng.uniform(0.4, 1.8, 3), 0, 0.95) if swirl else np.array(colour) * 0.9
    second = (float(other[0]), float(other[1]), float(other[2]))
    mix = float(rng.uniform(0.2, 0.8)) if swirl else 0.1
    metal = float(rng.uniform(0.3, 1)) if rng.random() < 0.12 else 0.0
    coat = float(rng.uniform(0.2, 1)) if rng.random() < 0.3 else 0.0
    return Material(
        colour,
        second,
        mix,
        float(rng.uniform(0.6, 4)),
        1.0,
        float(rng.uniform(0.15, 0.8)),
        metal,
        coat,
        float(rng.uniform(0, 0.15)),
    )


def _two_colours(rng: np.random.Generator) -> tuple[Colour, Colour]:
    """White's and Black's, White's the lighter to the eye."""
    light = rng.random() < 0.75
    white = _colour(rng, (0.75, 0.95), (0, 0.3), 0.12) if light else _colour(rng, (0.6, 0.95), (0.2, 0.9))
    while True:
        black = _colour(
            rng,
            *[((0.1, 0.35), (0, 0.5)), ((0.4, 0.75), (0.6, 0.95)), ((0.25, 0.5), (0.3, 0.7))][
                int(rng.integers(3))
            ],
        )
        if (
            np.sum(white) > 1.5 * np.sum(black)
            and np.linalg.norm(np.array(white) ** 0.45 - np.array(black) ** 0.45) > 0.3
        ):
            break
    light_white, light_black = lightness(
        [[255 * value**0.45 for value in reversed(colour)] for colour in (white, black)]
    )
    if (
        light_black > light_white
    ):  # a vivid red has more of all channels than a green that people call lighter
        white, black = black, white
    return white, black


def _materials(rng: np.random.Generator, white: Colour, black: Colour) -> dict[str, Material]:
    """What each part of the table is made of."""

    def any_colour() -> Colour:
        return _colour(rng, (0.15, 0.9), (0.0, 0.85))

    field_ = any_colour()
    points = [any_colour(), any_colour()]
    for index in range(2):
        while np.linalg.norm(np.array(points[index]) ** 0.45 - np.array(field_) ** 0.45) < 0.2:
            points[index] = any_colour()
    frame = any_colour() if rng.random() < 0.5 else _colour(rng, (0.15, 0.6), (0.1, 0.7), 0.07)
    kind = str(rng.choice(["plain", "felt", "leather", "wood", "cork"]))
    same = _material(rng, frame)
    return {
        "field": _material(rng, field_, kind),
        "one": _material(rng, points[0], kind if rng.random() < 0.7 else ""),
        "two": _material(rng, points[1], kind if rng.random() < 0.7 else ""),
        "frame": same,
        "ridge": same if rng.random() < 0.7 else _material(rng, any_colour()),
        "floor": _material(rng, frame if rng.random() < 0.6 else any_colour(), kind),
        "table": _material(
            rng, _colour(rng, (0.2, 0.8), (0.0, 0.6), 0.08), "wood" if rng.random() < 0.7 else ""
        ),
        "white": _checker_material(rng, white),
        "black": _checker_material(rng, black),
    }


def random_board(rng: np.random.Generator) -> Board:
    """A board and two sets of checkers that a player can tell apart, White the lighter to the eye."""
    pitch = float(rng.uniform(4.0, 5.3))
    checker = pitch * float(rng.uniform(0.88, 0.965))
    height = checker * float(rng.uniform(10.4, 12.2))
    white, black = _two_colours(rng)
    materials = _materials(rng, white, black)
    shape = (
        float(rng.uniform(0.03, 0.14)),
        float(rng.uniform(0.5, 0.85)),
        float(rng.uniform(-0.25, 0.2)),
        float(rng.uniform(-0.08, 0.1)),
    )
    rail = float(rng.uniform(0.5, 2.0))
    return Board(
        pitch,
        checker,
        float(rng.uniform(0.65, 1.4)) * pitch,
        height,
        str(rng.choice(["right", "both", "none"], p=[0.55, 0.25, 0.2])),
        checker * float(rng.normal(0.235, 0.012)),
        rail,
        rail * float(rng.choice([1.0, rng.uniform(0.1, 1.0)])),
        float(rng.uniform(1.5, 3.5)),
        float(rng.uniform(1.0, 3.0)),
        checker + float(rng.uniform(0.4, 1.8)),
        float(rng.uniform(0.37, 0.47)),
        float(rng.uniform(0.8, 1.0)),
        bool(rng.random() < 0.5),
        materials,
        shape,
    )


def random_view(rng: np.random.Generator, board: Board, size: tuple[int, int]) -> View:
    """A camera over the middle, more or less, that sees all of the board, and one or two lamps."""
    focal = float(np.exp(rng.normal(np.log(1.05), 0.2)))
    middle = (board.width / 2 + float(rng.normal(0, 2)), board.height / 2 + float(rng.normal(0, 2)))
    beside = board.wall + board.pocket if board.tray != "none" else 0.0
    span = max(
        (board.width + (2 if board.tray == "both" else 1.2) * beside + 2 * board.frame),
        (board.height + 4 * board.frame) * size[0] / size[1],
    )
    away = focal * span * float(rng.uniform(1.05, 1.35))
    tilt, turn = (
        np.deg2rad(abs(rng.normal(0, 9))),
        float(rng.choice([-np.pi / 2, np.pi / 2, 0, np.pi], p=[0.6, 0.1, 0.15, 0.15]) + rng.normal(0, 0.4)),
    )
    eye = (
        middle[0] + away * np.sin(tilt) * np.cos(turn),
        middle[1] + away * np.sin(tilt) * np.sin(turn),
        away * np.cos(tilt),
    )
    lamps = []
    gentle = rng.random() < GENTLE  # a room's lights; otherwise one small lamp, near and from the side
    for index in range(int(rng.choice([1, 2, 3], p=[0.5, 0.35, 0.15]))):
        low, beyond = (110, 20) if gentle else (50, 60)
        place = rng.uniform([-beyond, -beyond, low], [board.width + beyond, board.height + beyond, low + 110])
        across = float(rng.choice([15, 40, 80] if gentle else [4, 15, 60]))
        x, y, z = map(float, place)
        lamps.append(
            (x, y, z, across, 1.0 if index == 0 else float(rng.uniform(0.2, 1)), float(rng.normal(0, 0.6)))
        )
    ambient = float(rng.uniform(0.3, 0.9) if gentle else rng.uniform(0.1, 0.7))
    bend = float(rng.normal(-0.02, 0.03))
    return View(
        size,
        (float(eye[0]), float(eye[1]), float(eye[2])),
        middle,
        float(rng.normal(0, 0.035)),
        focal,
        bend,
        tuple(lamps),
        ambient,
    )


def start() -> dict[int, int]:
    return {24: 2, 13: 5, 8: 3, 6: 5, 1: -2, 12: -5, 17: -3, 19: -5}


def game(rng: np.random.Generator, tray: bool) -> Setting:
    """A position of fifteen a side: some stacks, some on the bar, some borne off where there is a tray."""
    setting = Setting()
    taken: set[int] = set()
    for side, sign in ((0, 1), (1, -1)):
        left = 15
        late = rng.random() < 0.35
        if tray and late and rng.random() < 0.6:
            gone = int(rng.integers(1, 16))
            setting.off = (gone, setting.off[1]) if side == 0 else (setting.off[0], gone)
            left -= gone
        elif rng.random() < 0.35:
            waiting = min(int(rng.choice([1, 1, 2, 3])), left)
            setting.bar = (waiting, setting.bar[1]) if side == 0 else (setting.bar[0], waiting)
            left -= waiting
        home = [n if side == 0 else 25 - n for n in range(1, 7)]
        while left:
            number = int(rng.choice(home)) if late else int(rng.integers(1, 25))
            if number in taken and np.sign(setting.points.get(number, 0)) != sign:
                if late and all(n in taken and np.sign(setting.points[n]) != sign for n in home):
                    late = False
                continue
            most = int(rng.choice([1, 2, 3, 5, 8], p=[0.3, 0.3, 0.2, 0.1, 0.1]))
            many = min(int(rng.integers(1, most + 1)), left)
            setting.points[number] = setting.points.get(number, 0) + sign * many
            taken.add(number)
            left -= many
    return setting


def crowd(rng: np.random.Generator, tray: bool) -> Setting:
    """Full points everywhere: no game's position, but a second layer on many a row."""
    setting = Setting()
    for number in range(1, 25):
        if rng.random() < 0.75:
            count = int(
                rng.choice(
                    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
                    p=[0.0, 0.05, 0.05, 0.06, 0.08, 0.3, 0.15, 0.1, 0.08, 0.06, 0.04, 0.03],
                )
            )
            setting.points[number] = count * int(rng.choice([-1, 1]))
    setting.bar = (int(rng.choice([0, 1, 2])), int(rng.choice([0, 1, 2])))
    if tray:
        setting.off = (int(rng.integers(0, 16)), int(rng.integers(0, 16)))
    return setting


def row_of(board: Board, points: dict[int, int], number: int) -> int:
    """How many checkers lie flat on a point: as many as there is room for beside what stands opposite."""
    free = int(board.height / board.checker / 1.02 - 0.1) - min(abs(points.get(25 - number, 0)), ROW)
    return max(ROW, min(board.row, free))


def _row(rng: np.random.Generator, board: Board, setting: Setting, number: int, signed: int) -> None:
    """The checkers of a point, from the rim inwards, those of a second layer upon them."""
    d, t = board.checker, board.thick
    side = "white" if signed > 0 else "black"
    row = row_of(board, setting.points, number)
    column = 12 - number if number <= 12 else number - 13
    axis = board.pitch * (column + 0.5) + (board.bar if column >= 6 else 0.0)
    y, careless = d * (0.5 + abs(rng.normal(0, 0.02))), rng.uniform(0.01, 0.06)
    ground: list[tuple[float, float]] = []
    for index in range(abs(signed)):
        layer, place = divmod(index, row)
        if layer == 0:
            x = float(
                np.clip(
                    axis + rng.normal(0, careless) * d,
                    axis - board.pitch / 2 + d / 2 - 0.1,
                    axis + board.pitch / 2 - d / 2 + 0.1,
                )
            )
            ground.append((x, float(y)))
            y += d * (
                1 + abs(rng.normal(0, 0.012)) + (abs(rng.normal(0, 0.05)) if rng.random() < 0.2 else 0.0)
            )
        else:
            loose = careless + 0.01
            dx, dy = rng.normal(0, loose * d, 2) * (1.6 if rng.random() < 0.3 else 1.0)
            x, inward = ground[place][0] + float(dx), max(ground[place][1] + float(dy), d / 2)
            ground[place] = (x, inward)
        x, inward = ground[place]
        setting.pieces.append(Piece(x, inward if number <= 12 else board.height - inward, layer * t, side))


def set_up(rng: np.random.Generator, board: Board, setting: Setting, bare: bool) -> None:
    """Give every checker its place, as people put them, and (unless ``bare``) strew dice, a cube and
    lights."""
    d, t = board.checker, board.thick
    for number, signed in setting.points.items():
        _row(rng, board, setting, number, signed)
    for side, many, sign in (("white", setting.bar[0], -1), ("black", setting.bar[1], 1)):
        for index in range(many):
            y = board.height / 2 + sign * d * (0.55 + 1.04 * index)
            setting.pieces.append(
                Piece(board.width / 2 + float(rng.normal(0, 0.05) * d), float(y), board.ridge, side)
            )
    for side, many in (("white", setting.off[0]), ("black", setting.off[1])):
        x = board.width + board.wall + board.pocket / 2 + float(rng.normal(0, 0.03) * d)
        y = t * 0.5 + 0.05
        for _ in range(many):
            setting.pieces.append(
                Piece(
                    x + float(rng.normal(0, 0.02) * d),
                    y if side == "white" else board.height - y,
                    0.0,
                    side,
                    True,
                )
            )
            y += t * (1 + abs(float(rng.normal(0, 0.01))))
    if not bare:
        _strew(rng, board, setting)


def _strew(rng: np.random.Generator, board: Board, setting: Setting) -> None:
    """Dice, a cube and lights."""
    if rng.random() < 0.75:
        colour = str(rng.choice(["white", "black", "red"]))
        for _ in range(2):
            for _ in range(30):
                x, y = float(rng.uniform(2, board.width - 2)), float(rng.uniform(0.38, 0.62) * board.height)
                if all(
                    np.hypot(x - p.x, y - p.y) > 0.5 * board.checker + 1.3
                    for p in setting.pieces
                    if not p.standing
                ) and all(np.hypot(x - a, y - b) > 2.2 for a, b, *_ in setting.dice):
                    setting.dice.append((x, y, float(rng.uniform(0, 1.57)), colour, int(rng.integers(6))))
                    break
    if rng.random() < 0.7:
        setting.cube = (
            board.width / 2,
            float(rng.choice([1.6, board.height - 1.6])),
            int(rng.choice([2, 4, 8, 16, 32, 64])),
        )
    for _ in range(int(rng.choice([0, 0, 1, 2, 3]))):
        column, upper = int(rng.integers(12)), bool(rng.random() < 0.5)
        x = board.pitch * (column + 0.5) + (board.bar if column >= 6 else 0.0)
        colour = [(1.0, 1.0, 1.0), (0.1, 0.5, 1.0), (1.0, 0.05, 0.02), (0.1, 1.0, 0.2)][int(rng.integers(4))]
        setting.lights.append((x, board.height + 0.5 * board.frame if upper else -0.5 * board.frame, colour))
