"""Tables drawn in layers, several times faster than path tracing: for training, where many boards count for
more than true light.

    python -m training.rendered.relief FOLDER --first 0 --boards 200 [--crowd] [--hard | --deep]
        [--pictures N] [--width PIXELS] [--tilt DEGREES] [--thick PART]

Everything on a table is flat or upright, so it is drawn as a pile of sheets, each at its own height: the
field, the rims' and checkers' sides in a few slices, tops. A camera sees every sheet through its own
homography, so that parallax, sides and what hides what come out right. A lamp casts every sheet's outline
onto the sheets below; several samples of the lamp make shadows soft. What is near something higher gets less
light from all round. Light that bounces between things is left out. Files are laid out as ``shoot`` writes
them.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from training.blind.materials import noise
from training.rendered.deep import DEEP, deep_board, deep_view, leave
from training.rendered.film import Film, asking
from training.rendered.hard import hard_board, hard_sheen, hard_view
from training.rendered.lens import SHAPES, label, pose
from training.rendered.light import Ground, Sheen, Sheet, lit, random_sheen
from training.rendered.setting import Piece, Setting, crowd, game, set_up, start
from training.rendered.table import Board, Material, View, random_board, random_view

Floats = NDArray[np.float32]
FINE = 30
"""Pixels of a sheet to a checker's diameter."""
AROUND = 2.0
"""What is drawn around the frame, in cm."""
SIDES = (0.12, 0.37, 0.62, 0.87)
"""Where a checker's side is sliced, in thicknesses."""


def ground_of(board: Board) -> Ground:
    beside = board.wall + board.pocket if board.tray != "none" else 0.0
    left = (beside if board.tray == "both" else 0.0) + board.frame + AROUND
    right, over = beside + board.frame + AROUND, board.frame + AROUND
    scale = FINE / board.checker
    return Ground(
        -left,
        board.height + over,
        scale,
        (round((board.height + 2 * over) * scale), round((board.width + left + right) * scale)),
    )


def stuff(rng: np.random.Generator, given: Material, shape: tuple[int, int], scale: float) -> Floats:
    """A piece of material (rows x columns x 3)."""
    cell = max(scale / max(given.scale, 0.05) * 0.7, 1.0)
    grain = (
        noise(rng, shape[0], shape[1], cell, (given.stretch, 1.0)) * 0.6
        + noise(rng, shape[0], shape[1], max(cell / 3, 1.0)) * 0.4
    )
    part = (np.clip(grain * 0.5 + 0.5, 0, 1) * given.mix)[..., None]
    return np.asarray(np.float32(given.colour) * (1 - part) + np.float32(given.second) * part, np.float32)


def _cover(sheet: Sheet, where: tuple[slice, slice], colour: Floats, gloss: float) -> None:
    height, width = sheet.cover[where].shape
    sheet.colour[where], sheet.cover[where], sheet.gloss[where] = colour[:height, :width], 1.0, gloss


def empty_board(rng: np.random.Generator, board: Board, ground: Ground) -> list[Sheet]:
    """Field and rails, as sheets from the bottom up."""
    rows, columns = ground.shape
    w, h, f = board.width, board.height, board.frame
    made = {
        name: stuff(rng, given, (rows, columns), ground.scale)
        for name, given in board.materials.items()
        if name not in ("white", "black")
    }
    gloss = {name: (1 - given.rough) * 0.8 + 0.5 * given.coat for name, given in board.materials.items()}
    table = ground.sheet(-1.2)
    table.colour[:], table.cover[:] = made["table"], 1.0
    field = ground.sheet(0.0)
    _cover(field, ground.box(0, 0, w, h), made["field"][ground.box(0, 0, w, h)], gloss["field"])
    for name in ("one", "two"):
        mask = np.zeros((rows, columns), np.uint8)
        for top in (False, True):
            for column in range(12):
                if (name == "one") != bool((column + top + board.swap) % 2):
                    continue
                x = board.pitch * (column + 0.5) + (board.bar if column >= 6 else 0)
                half, end = board.pitch / 2 * board.foot, board.tip * h
                corners = [
                    ground.at(x + dx, h - y if top else y)
                    for dx, y in ((-half, 0.0), (half, 0.0), (0.0, end))
                ]
                cv2.fillPoly(mask, [np.int32(np.round(np.array(corners) * 16))], 255, cv2.LINE_AA, 4)
        part = (mask / np.float32(255))[..., None]
        field.colour = field.colour * (1 - part) + made[name] * part
    beside = board.wall + board.pocket
    left, right = beside if board.tray == "both" else 0.0, beside if board.tray in ("both", "right") else 0.0
    rail = ground.sheet(board.rail)
    for x0, y0, x1, y1 in ((-f - left, -f, w + f + right, 0), (-f - left, h, w + f + right, h + f)):
        _cover(rail, ground.box(x0, y0, x1, y1), made["frame"][ground.box(x0, y0, x1, y1)], gloss["frame"])
    for there, edge, sign in ((left, 0.0, -1), (right, w, 1)):
        for a, b in ((0.0, board.wall if there else f), (there, there + f)):
            x0, x1 = sorted((edge + sign * a, edge + sign * b))
            _cover(rail, ground.box(x0, 0, x1, h), made["frame"][ground.box(x0, 0, x1, h)], gloss["frame"])
        if there:
            x0, x1 = sorted((edge + sign * board.wall, edge + sign * there))
            _cover(field, ground.box(x0, 0, x1, h), made["floor"][ground.box(x0, 0, x1, h)], gloss["floor"])
    ridge = ground.sheet(board.ridge)
    half = 6 * board.pitch
    _cover(
        ridge,
        ground.box(half, 0, half + board.bar, h),
        made["ridge"][ground.box(half, 0, half + board.bar, h)],
        gloss["ridge"],
    )
    sheets = [table, field]
    for top in sorted((rail, ridge), key=lambda sheet: sheet.z):
        for part in (0.0, 0.35, 0.7):
            sheets.append(
                Sheet(top.z * part + 0.01, top.colour * np.float32(0.8), top.cover, top.slant, top.gloss * 0)
            )
        sheets.append(top)
    return sorted(sheets, key=lambda sheet: sheet.z)


class Faces:
    """How one side's checkers look from above: drawn once, put down many times."""

    def __init__(self, rng: np.random.Generator, board: Board, side: str, scale: float) -> None:
        self.given = board.materials[side]
        edge, groove, depth, dish = board.profile
        self.radius = board.checker / 2 * scale
        k = int(np.ceil(self.radius)) + 2
        self.reach = k
        yy, xx = np.mgrid[-k : k + 1, -k : k + 1].astype(np.float32)
        self._xx, self._yy = xx, yy
        away = np.hypot(xx, yy) / self.radius
        fall = np.where(away > 1 - edge, np.clip((away - 1 + edge) / edge, 0, 1), 0.0)
        ring = np.exp(-(((away - groove) / 0.05) ** 2)) * np.sign(away - groove) * np.clip(depth * 4, -1, 1)
        bowl = np.where(away < groove, away * dish * 3, 0.0)
        steep = np.asarray(fall * 0.9 + ring + bowl, np.float32)
        unit = np.stack([xx, -yy], axis=-1) / np.maximum(np.hypot(xx, yy), 1e-3)[..., None]
        self.slant = steep[..., None] * unit
        self.gloss = (1 - self.given.rough) * 0.8 + 0.5 * self.given.coat
        self._rng, self._scale = rng, scale

    def disc(self, radius: float, middle: tuple[float, float]) -> tuple[Floats, tuple[slice, slice]]:
        """The cover of a disc (a part of the full radius) at a middle, and where it lies."""
        u, v = middle
        column, row = int(np.floor(u)), int(np.floor(v))
        k = self.reach
        away = np.hypot(self._xx - (u - column), self._yy - (v - row))
        return np.asarray(np.clip(radius * self.radius - away + 0.5, 0, 1), np.float32), np.s_[
            row - k : row + k + 1, column - k : column + k + 1
        ]

    def colour(self) -> Floats:
        side = 2 * self.reach + 1
        return stuff(self._rng, self.given, (side, side), self._scale) * np.float32(self._rng.normal(1, 0.03))


def pile(rng: np.random.Generator, board: Board, ground: Ground, setting: Setting) -> list[Sheet]:
    """Everything that stands on the board, as sheets from the bottom up."""
    sheets: dict[float, Sheet] = {}

    def sheet(z: float) -> Sheet:
        return sheets.setdefault(round(z, 3), ground.sheet(round(z, 3)))

    faces = {side: Faces(rng, board, side, ground.scale) for side in ("white", "black")}
    edge = board.profile[0]
    for piece in setting.pieces:
        if piece.standing:
            _stand(board, ground, sheet, faces[piece.side], piece)
            continue
        face, middle = faces[piece.side], ground.at(piece.x, piece.y)
        colour = face.colour()
        for part in (*SIDES, 1.0):
            end = min(part, 1 - part) * board.thick / (board.checker / 2)
            shrink = (
                1 - edge * (1 - np.sqrt(max(1 - (1 - min(end / edge, 1)) ** 2, 0)))
                if part < 1
                else 1 - 0.3 * edge
            )
            cover, where = face.disc(float(shrink), middle)
            at = sheet(piece.z + part * board.thick)
            if at.cover[where].shape != cover.shape:
                continue
            some = cover[..., None]
            at.colour[where] = at.colour[where] * (1 - some) + colour * some
            at.cover[where] = np.maximum(at.cover[where], cover)
            if part == 1.0:
                at.slant[where] = at.slant[where] * (1 - some) + face.slant * some
            else:  # a side looks outward
                out = (
                    np.stack([face._xx, -face._yy], axis=-1)
                    / np.maximum(np.hypot(face._xx, face._yy), 1)[..., None]
                )
                at.slant[where] = at.slant[where] * (1 - some) + 2.5 * out * some
            at.gloss[where] = np.maximum(at.gloss[where], face.gloss * cover)
    for x, y, turn, colour_name, spots in setting.dice:
        _block(
            ground,
            sheet,
            (x, y),
            0.3 * board.checker,
            0.0,
            turn,
            {"white": 0.7, "black": 0.03, "red": (0.4, 0.02, 0.02)}[colour_name],
            spots,
        )
    if setting.cube:
        _block(ground, sheet, setting.cube[:2], 2.6, board.ridge, 0.0, 0.75, 2)
    for part in setting.things:
        at, mask = sheet(part.z), np.zeros(ground.shape, np.uint8)
        shape = [np.int32(np.round(np.array([ground.at(x, y) for x, y in part.outline]) * 16))]
        cv2.fillPoly(mask, shape, 255, cv2.LINE_AA, 4)
        some = mask > 127
        at.colour[some], at.cover[some], at.gloss[some] = np.float32(part.colour), 1.0, part.gloss
    return [sheets[z] for z in sorted(sheets)]


def _stand(board: Board, ground: Ground, sheet, face: Faces, piece: Piece) -> None:
    """A checker on its rim: its outline gets narrower with height on both sides of the middle."""
    r, half = board.checker / 2, board.thick / 2 * 0.97
    for part in (0.2, 0.5, 0.8, 0.92, 1.0):
        z = part * board.checker
        wide = np.sqrt(max(r * r - (z - r) ** 2, 0.0)) + 0.12 * r
        at, where = sheet(z), ground.box(piece.x - wide, piece.y - half, piece.x + wide, piece.y + half)
        at.colour[where], at.cover[where] = np.float32(face.given.colour), 1.0
        rows = at.slant[where].shape[0]
        at.slant[where] = 0.0
        at.slant[where][..., 1] = np.linspace(0.8, -0.8, rows, dtype=np.float32)[:, None] ** 3


def _block(
    ground: Ground,
    sheet,
    middle: tuple[float, float],
    size: float,
    low: float,
    turn: float,
    colour,
    spots: int,
) -> None:
    u, v = ground.at(*middle)
    corners = cv2.boxPoints(((u, v), (size * ground.scale, size * ground.scale), np.rad2deg(turn)))
    for part in (0.3, 0.65, 1.0):
        at = sheet(low + part * size)
        mask = np.zeros(ground.shape, np.uint8)
        cv2.fillPoly(mask, [np.int32(np.round(corners * 16))], 255, cv2.LINE_AA, 4)
        some = mask > 127
        at.colour[some], at.cover[some] = np.float32(colour) * (0.8 if part < 1 else 1.0), 1.0
        if part == 1.0:
            for index in range(spots + 1):
                angle = turn + index * 2.4
                x, y = (
                    u + 0.3 * size * ground.scale * np.cos(angle) * (index > 0),
                    v + 0.3 * size * ground.scale * np.sin(angle) * (index > 0),
                )
                ink = 0.02 if np.mean(colour) > 0.3 else 0.8
                cv2.circle(
                    at.colour,
                    (round(x), round(y)),
                    max(1, round(0.1 * size * ground.scale)),
                    (ink,) * 3,
                    -1,
                    cv2.LINE_AA,
                )


def photograph(
    rng: np.random.Generator,
    sheets: list[Sheet],
    ground: Ground,
    view: View,
    step: float,
    sheen: Sheen | None = None,
) -> Floats:
    """Linear light in the camera's pinhole picture."""
    axes, eye = pose(view)
    width, height = view.size
    lens = np.array(
        [[view.focal * width, 0, width / 2 - 0.5], [0, view.focal * width, height / 2 - 0.5], [0, 0, 1]]
    )
    picture = np.zeros((height, width, 3), np.float32)
    to_cm = np.array(
        [
            [1 / ground.scale, 0, ground.left + 0.5 / ground.scale],
            [0, -1 / ground.scale, ground.high - 0.5 / ground.scale],
            [0, 0, 1],
        ]
    )
    for sheet, light in zip(sheets, lit(rng, sheets, ground, view, step, sheen), strict=True):
        plane = np.stack(
            [np.array([1.0, 0, 0]), np.array([0, 1.0, 0]), np.array([0, 0, sheet.z]) - eye], axis=1
        )
        warp = lens @ axes @ plane @ to_cm
        if sheet.z < -1:
            picture = cv2.warpPerspective(
                light, warp, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
            )
            continue
        both = cv2.merge([*cv2.split(light * sheet.cover[..., None]), sheet.cover])
        seen = cv2.warpPerspective(
            both, warp, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT
        )
        picture = picture * (1 - seen[..., 3:]) + seen[..., :3]
    return picture


def leaning(view: View, degrees: float) -> View:
    """The camera as far away, on the same side of the board, but so many degrees from upright."""
    off = np.array(view.eye) - (*view.target, 0.0)
    away, aside = float(np.linalg.norm(off)), off[:2] / max(float(np.linalg.norm(off[:2])), 1e-6)
    flat = np.array(view.target) + aside * away * np.sin(np.deg2rad(degrees))
    return replace(view, eye=(float(flat[0]), float(flat[1]), away * float(np.cos(np.deg2rad(degrees)))))


def draw(folder: Path, number: int, options: argparse.Namespace) -> None:
    """One board: start, and the pictures."""
    rng = np.random.default_rng([99, number])
    board = random_board(rng)
    view = random_view(rng, board, (options.width, int(options.width * SHAPES[int(rng.integers(3))])))
    if options.hard:
        board = hard_board(rng, board)
        view = hard_view(rng, board, view)
    if options.deep:
        board = deep_board(rng, board)
        view = deep_view(rng, board, view)
    board = board if options.thick is None else replace(board, thick=options.thick * board.checker)
    view = view if options.tilt is None else leaning(view, options.tilt)
    ground = ground_of(board)
    bare, sheen = empty_board(rng, board, ground), (hard_sheen if options.hard else random_sheen)(rng, board)
    film = Film(rng, folder, view)
    for name in ("start", *(f"{index + 1:02d}" for index in range(options.pictures))):
        special = name == "start"
        setting = (
            Setting(points=start())
            if special
            else (crowd if options.crowd else game)(rng, board.tray in ("right", "both"))
        )
        set_up(rng, board, setting, bare=special)
        unknown = leave(rng, board, view, setting) if options.deep and not special else ()
        every = sorted([*bare, *pile(rng, board, ground, setting)], key=lambda sheet: sheet.z)
        light = photograph(rng, every, ground, view, board.thick / 2, sheen)
        known = label(board, view, setting) | {"unknown": sorted(unknown)}
        film.take(name, light, known, steady=special)


def main() -> None:
    parser = asking(__doc__, pictures=3, width=900)
    parser.add_argument(
        "--hard", action="store_true", help="mirroring checkers, checkers like their points, near lamps"
    )
    parser.add_argument("--deep", action="store_true", help=DEEP)
    parser.add_argument(
        "--tilt", type=float, help="the camera's, in degrees from upright, instead of a random one"
    )
    parser.add_argument(
        "--thick", type=float, help="how thick the checkers are, in diameters, instead of at random"
    )
    options = parser.parse_args()
    cv2.setNumThreads(1)
    for number in range(options.first, options.first + options.boards):
        draw(options.folder / "backgammon" / f"drawn-{number:04d}", number, options)
        print(number, flush=True)


if __name__ == "__main__":
    main()
