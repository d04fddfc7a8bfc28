"""Throws dice onto a drawn table, with what is easily taken for dice, and photographs it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from training.dice.body import NUMERALS, Body, odd_body, random_body
from training.dice.clutter import clutter, glare
from training.dice.put import Floats, Thing, put, turned
from training.dice.tables import Table
from training.rendered.lens import develop, project, random_sensor, through_lens
from training.rendered.table import Board, View
from vision.dice.networks import CUBES

FEWEST = 9.0
"""Pixels across a usual die, at least: with fewer nobody tells a five from a six."""
PLACES = ("field", "checker", "rim", "outside", "tray")


@dataclass(frozen=True)
class Throw:
    """What is thrown onto a picture, as it stands for training: how ``many`` (a game has two to four), of how
    many ``sets``; how often to each of PLACES, how often ``beside`` another one; how often it is one of the
    ``cubes``; how many sets are ``odd`` (of 1); whether it is ``clear`` or under ``glare``; from and to how
    many ``pixels`` a usual die has."""

    many: int = 34
    sets: int = 6
    places: tuple[float, ...] = (0.6, 0.16, 0.1, 0.1, 0.04)
    beside: float = 0.22
    cubes: float = 0.13
    odd: float = 0.0
    clear: bool = False
    glare: bool = False
    pixels: tuple[float, float] = (FEWEST, 60.0)


def mixed(rng: np.random.Generator) -> Throw:
    """A throw to train on, that has more of what is hard to read: trays, rims, glare, dice that touch."""
    hard = np.array([0.35, 0.15, 0.2, 0.1, 0.2])
    many, few = float(rng.uniform(0.1, 0.5)), float(rng.uniform(9, 16))
    return Throw(
        many=90,  # a picture takes as long as so many dice
        sets=16,
        odd=0.45,
        places=tuple(hard if rng.random() < 0.5 else Throw.places),
        beside=many,
        clear=bool(rng.random() < 0.15),
        glare=bool(rng.random() < 0.3),
        pixels=(few, 60.0),
    )


@dataclass(frozen=True)
class Lying:
    """What lies in a picture: ``at`` the middle of its top face (pixels), ``size`` its edge (cm), ``value``
    1-6, 7-12 for a doubling cube (2 to 64), -1 for what is read as nothing (hidden for the most part)."""

    at: tuple[float, float]
    place: tuple[float, float, float]
    size: float
    value: int
    cocked: bool


@dataclass(frozen=True)
class Photograph:
    """A picture (BGR) of dice, with truth. ``corners`` as the labels of the shared pictures have them;
    ``pieces`` where checkers lie (N x 2, cm); ``part`` what was rendered (pixels: left, top,
    right, bottom); ``things`` what was thrown, as ``lying`` tells it, seen as ``view`` has it and then made
    ``shrink`` as large."""

    image: NDArray[np.uint8]
    corners: NDArray[np.float64]
    board: Board
    lying: tuple[Lying, ...]
    pieces: NDArray[np.float64]
    part: tuple[float, float, float, float]
    view: View
    things: tuple[Thing, ...]
    shrink: float


def _floor(board: Board, table: Table, x: float, y: float) -> float:
    """How high what carries a die there is, in cm."""
    for piece in sorted(table.setting.pieces, key=lambda piece: -piece.z):
        if not piece.standing and np.hypot(piece.x - x, piece.y - y) < 0.46 * board.checker:
            return piece.z + board.thick
    for left, right in _trays(board):
        if left < x < right and 0 < y < board.height:
            return 0.0
    half = 6 * board.pitch
    if half < x < half + board.bar and 0 < y < board.height:
        return board.ridge
    if 0 <= x <= board.width and 0 <= y <= board.height:
        return 0.0
    f = board.frame
    if -f < x < board.width + f and -f < y < board.height + f:
        return board.rail
    return -1.2


def _trays(board: Board) -> list[tuple[float, float]]:
    """From where to where the floors of trays reach (x, cm)."""
    right = [(board.width + board.wall, board.width + board.wall + board.pocket)]
    left = [(-board.wall - board.pocket, -board.wall)]
    return {"none": [], "right": right, "both": right + left}[board.tray]


def _place(rng: np.random.Generator, table: Table, kind: str) -> tuple[float, float]:
    board = table.board
    w, h, f = board.width, board.height, board.frame
    if kind == "checker" and table.setting.pieces:
        piece = table.setting.pieces[int(rng.integers(len(table.setting.pieces)))]
        off = rng.normal(0, 0.12 * board.checker, 2)
        return piece.x + float(off[0]), piece.y + float(off[1])
    if kind == "tray" and (trays := _trays(board)):
        low, high = trays[int(rng.integers(len(trays)))]
        return float(rng.uniform(low + 1, high - 1)), float(rng.uniform(1, h - 1))
    if kind == "outside":
        x, y = rng.uniform((-f - 3, -f - 3), (w + f + 3, h + f + 3))
        return float(x), float(y)
    if kind == "rim":
        edge = float(rng.uniform(0.6, 1.1))
        return (
            (float(rng.choice([edge, w - edge])), float(rng.uniform(1, h - 1)))
            if rng.random() < 0.5
            else (float(rng.uniform(1, w - 1)), float(rng.choice([edge, h - edge])))
        )
    x, y = rng.uniform((1, 1), (w - 1, h - 1))
    return float(x), float(y)


def throw(rng: np.random.Generator, table: Table, thrown: Throw) -> list[Thing]:
    """Dice and cubes on a table, nowhere in each other."""
    board = table.board
    usual = float(np.clip(rng.normal(1.32, 0.28), 0.8, 2.0))
    sets: list[tuple[Body, float]] = [
        (random_body(rng), float(np.clip(usual * rng.normal(1, 0.1), 0.8, 2.0))) for _ in range(thrown.sets)
    ]
    if thrown.odd:
        sets = [(odd_body(rng, body) if rng.random() < thrown.odd else body, size) for body, size in sets]
    if thrown.clear:
        sets = [(replace(body, clear=float(rng.uniform(0.4, 0.85))), size) for body, size in sets]
    things: list[Thing] = []
    for number in range(thrown.many):
        cube = number >= 3 and rng.random() < thrown.cubes
        body, size = sets[int(rng.integers(len(sets)))]
        if cube:
            body = random_body(rng, cube=True)
            size = float(rng.uniform(2.0, 3.8)) if rng.random() < 0.7 else float(rng.uniform(1.2, 2.4))
        kind = str(rng.choice(PLACES, p=thrown.places))
        for _ in range(12):
            x, y = _place(rng, table, kind)
            if things and rng.random() < thrown.beside:  # beside another one, or touching it
                last = things[-1]
                apart = (last.size + size) / 2 * float(rng.uniform(1.02, 1.6))
                way = float(rng.uniform(0, 2 * np.pi))
                x, y = last.x + apart * np.cos(way), last.y + apart * np.sin(way)
            z = _floor(board, table, x, y)
            ring = [
                _floor(board, table, x + a * size / 2, y + b * size / 2) for a in (-1, 1) for b in (-1, 1)
            ]
            uneven = max(ring) - min(ring) > 0.1
            cocked = uneven or rng.random() < 0.05
            if uneven and (max(ring) - min(ring) > size or kind in ("field", "outside", "tray")):
                continue
            near = [np.hypot(x - other.x, y - other.y) / (size + other.size) for other in things]
            if near and min(near) < (0.51 if rng.random() < 0.5 else 0.7):
                continue
            face = int(rng.integers(6))
            tilt = float(rng.uniform(10, 35)) if cocked else abs(float(rng.normal(0, 0.7)))
            things.append(Thing(body, x, y, max(z, min(ring)), size, turned(rng, face, tilt), face, cocked))
            break
    return things


def photograph(rng: np.random.Generator, table: Table, thrown: Throw = Throw()) -> Photograph:
    """A picture of a table with dice thrown onto it, or with those that it was rendered with."""
    view, board = table.view, table.board
    light = table.light.astype(np.float32)
    things = table.things or _drawn(rng, light, table, thrown)
    if thrown.glare:
        for thing in things:
            glare(rng, light, view, thing)
    light = through_lens(view, light) if view.bend else light
    gain = 0.5 * float(rng.uniform(0.5, 1.35)) / max(float(np.percentile(light[::4, ::4], 90)), 1e-6)
    image = develop(rng, light, gain * np.exp(rng.normal(0, 0.07, 3)), random_sensor(rng))
    corners = project(
        view,
        np.array(
            [[0, 0, 0], [board.width, 0, 0], [board.width, board.height, 0], [0, board.height, 0]], np.float64
        ),
    )
    die = 1.3 * float(np.linalg.norm(corners[1] - corners[0])) / board.width
    few, most = thrown.pixels
    shrink = min(1.0, float(np.exp(rng.uniform(np.log(few), np.log(most)))) / die)
    if shrink < 1:
        how = cv2.INTER_AREA if rng.random() < 0.7 else cv2.INTER_LINEAR
        image = np.asarray(cv2.resize(image, None, fx=shrink, fy=shrink, interpolation=how), np.uint8)
    if rng.random() < 0.3:  # a camera that sharpens
        soft = cv2.GaussianBlur(image, (0, 0), 1.2)
        image = np.asarray(cv2.addWeighted(image, 1.6, soft, -0.6, 0), np.uint8)
    done, code = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(45, 97))])
    image = np.asarray(cv2.imdecode(code, cv2.IMREAD_COLOR), np.uint8) if done else image
    lying = tuple(_label(view, thing, shrink) for thing in things)
    pieces = np.array([(piece.x, piece.y) for piece in table.setting.pieces]).reshape(-1, 2)
    left, top, right, bottom = table.part or (0, 0, *view.size)
    part = (left * shrink, top * shrink, right * shrink, bottom * shrink)
    return Photograph(image, corners * shrink, board, lying, pieces, part, view, things, shrink)


def _drawn(rng: np.random.Generator, light: Floats, table: Table, thrown: Throw) -> tuple[Thing, ...]:
    """Draw dice, and what is easily taken for dice, into linear light (in place)."""
    view = table.view
    if rng.random() < 0.8:
        clutter(rng, light, table)
    eye = np.array(view.eye)
    things = sorted(throw(rng, table, thrown), key=lambda thing: -float(np.linalg.norm(thing.middle - eye)))
    lit = np.float32([1.0 if rng.random() < 0.85 else rng.uniform(0.1, 0.6) for _ in view.lamps])
    for thing in things:
        put(rng, light, view, thing, lit)
    return tuple(things)


def _label(view: View, thing: Thing, shrink: float) -> Lying:
    """What is to be read of a thing. The eye sees the face that is up, or nothing is to be read."""
    top = thing.top
    x, y = project(view, top[None])[0] * shrink
    toward = np.array(view.eye) - top
    up = (top - thing.middle) / (thing.size / 2)
    seen = not thing.hid and float(up @ toward / np.linalg.norm(toward)) > 0.45
    value = thing.body.values[thing.face]
    if thing.body.numerals:
        value = CUBES.start + NUMERALS.index(value)
    return Lying(
        (float(x), float(y)),
        (thing.x, thing.y, thing.z),
        thing.size,
        value if seen else -1,
        thing.cocked,
    )
