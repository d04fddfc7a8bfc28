"""A random backgammon table to be rendered: its measures, materials, lamp and camera. Lengths are
centimetres."""

from __future__ import annotations

from dataclasses import dataclass

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
