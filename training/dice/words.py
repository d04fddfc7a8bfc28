"""Squares of what is easily taken for a die: words, emblems and blank tiles (keys of a clock, inlaid
diamonds, caps) on what squares without dice show, for the eye to read as nothing. Wants ``pip install
pillow``, and TrueType fonts of the system.

python -m training.dice.words EXAMPLES WORDS --squares 3000
"""

from __future__ import annotations

import argparse
import string
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from training.dice.examples import NOTHING, Examples, save
from training.dice.targets import GRID, KINDS
from vision.dice.look import SIDE

FONTS = "/usr/share/fonts/truetype"
TILES = 0.3
"""The part of the squares that show a tile."""
FINE = 3
"""Pixels that are drawn to one of a square's."""


def printed(rng: np.random.Generator, fonts: list[Path]) -> NDArray[np.float32]:
    """Lines of words in one font, or an emblem, turned anyhow: how much ink (SIDE x SIDE)."""
    wide = FINE * SIDE
    page = Image.new("L", (2 * wide, 2 * wide))
    pen = ImageDraw.Draw(page)
    if rng.random() < 0.2:
        _emblem(rng, pen, wide)
    else:
        letters = string.ascii_uppercase if rng.random() < 0.7 else string.ascii_letters + string.digits
        y = wide * float(rng.uniform(0.2, 0.9))
        while y < 2 * wide:
            high = int(wide * np.exp(rng.uniform(np.log(0.08), np.log(0.9))))
            font = ImageFont.truetype(fonts[int(rng.integers(len(fonts)))], max(high, 9))
            text = "".join(rng.choice(list(letters), int(rng.integers(1, 12))))
            pen.text((float(rng.uniform(0, wide)), y), text, 255, font)
            y += high * float(rng.uniform(1.1, 2.5))
            if rng.random() < 0.3:
                pen.line([(0, y), (2 * wide, y)], 255, int(rng.integers(1, 9)))
            if rng.random() < 0.4:
                break
    turn = cv2.getRotationMatrix2D((wide, wide), float(rng.uniform(0, 360)), 1.0)
    turn[:, 2] += np.array([wide, wide]) / 2 - wide
    return _softened(rng, cv2.warpAffine(np.array(page, np.float32), turn, (wide, wide)))


def _softened(rng: np.random.Generator, drawn: NDArray[np.float32]) -> NDArray[np.float32]:
    """What was drawn (0-255), as blurred as a photograph: the part of it (0-1) that there is of a pixel."""
    there = cv2.GaussianBlur(drawn, (0, 0), FINE * float(rng.uniform(0.2, 1.2)))
    return np.asarray(cv2.resize(there, (SIDE, SIDE), interpolation=cv2.INTER_AREA) / 255, np.float32)


def with_words(
    rng: np.random.Generator, square: NDArray[np.float32], fonts: list[Path]
) -> NDArray[np.float32]:
    """A square (SIDE x SIDE x 3, 0-255) with something printed on it."""
    return _painted(rng, square, printed(rng, fonts), float(rng.uniform(0.5, 1)))


def with_tile(rng: np.random.Generator, square: NDArray[np.float32]) -> NDArray[np.float32]:
    """A square (SIDE x SIDE x 3, 0-255) with a tile of about a die's size, as if it stood on the board or
    were let into it: its shade, its body, a lit edge; no pips, but a letter or a bar on some."""
    middle = rng.normal(0.5, 0.05, 2)
    size, slim = float(rng.uniform(0.3, 0.62)), float(rng.uniform(0.55, 1))
    sides, angle = int(rng.choice([4, 4, 4, 6, 24])), float(rng.uniform(0, 360))
    if sides == 4 and rng.random() < 0.4:  # a diamond, an inlaid point's tip
        slim = float(rng.uniform(0.4, 0.9))
    round_ = float(rng.uniform(0, 0.3)) if sides == 4 else 0.0
    whole = _tile(middle, size, slim, sides, angle, round_)
    shade = np.roll(whole, rng.integers(-6, 7, 2) * FINE // 2, (0, 1))
    square = _painted(rng, square, _softened(rng, shade), float(rng.uniform(0, 0.6)), 0.0)
    square = _painted(rng, square, _softened(rng, whole), float(rng.uniform(0.7, 1)))
    if rng.random() < 0.6:  # a face on top of it, in other light
        top = _tile(middle + rng.normal(0, 0.02, 2), 0.85 * size, slim, sides, angle, round_)
        square = _painted(rng, square, _softened(rng, top), float(rng.uniform(0.1, 0.5)))
    if rng.random() < 0.25:
        bar = _tile(middle + rng.normal(0, 0.03, 2), 0.3 * size, 0.3, 4, angle, 0.0)
        square = _painted(rng, square, _softened(rng, bar), float(rng.uniform(0.3, 1)))
    return square


def _tile(
    middle: NDArray[np.float64], size: float, slim: float, sides: int, angle: float, rounded: float
) -> NDArray[np.float32]:
    """A regular polygon, pressed flat by ``slim``, as wide as ``size`` squares: 255 where it is."""
    wide = FINE * SIDE
    around = (np.arange(sides) + 0.5) * 2 * np.pi / sides
    ring = np.column_stack([np.cos(around), np.sin(around) * slim]) * size / 2 / np.cos(np.pi / sides)
    turn = np.radians(angle)
    ring = ring @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    drawn, radius = np.zeros((wide, wide), np.uint8), max(int(rounded * size * wide / 2), 0)
    corners = np.int32(np.round((middle + ring * (1 - rounded)) * wide))
    cv2.fillPoly(drawn, [corners], 255)
    if radius:
        cv2.polylines(drawn, [corners], True, 255, 2 * radius)
    return drawn.astype(np.float32)


def _painted(
    rng: np.random.Generator,
    square: NDArray[np.float32],
    there: NDArray[np.float32],
    thick: float,
    paint: float | None = None,
) -> NDArray[np.float32]:
    """A square with paint of any colour, or of one grey, ``thick`` (0-1) where ``there`` is 1; a little
    lighter to one side."""
    if paint is None:
        colour = np.float32(rng.uniform(0, 255, 3) if rng.random() < 0.4 else np.full(3, rng.uniform(0, 255)))
    else:
        colour = np.full(3, paint, np.float32)
    slope = rng.normal(0, 12, 2)
    across = np.linspace(-1, 1, SIDE)
    colour = colour + np.float32(slope[0] * across[:, None] + slope[1] * across)[..., None]
    ink = there[..., None] * np.float32(thick)
    return np.asarray(np.clip(square * (1 - ink) + colour * ink, 0, 255), np.float32)


def _emblem(rng: np.random.Generator, pen: ImageDraw.ImageDraw, wide: int) -> None:
    """A star, a ring or a rosette."""
    tips, far = int(rng.integers(3, 13)), wide * float(rng.uniform(0.2, 0.7))
    near = far * float(rng.uniform(0.25, 0.85))
    angles = np.arange(2 * tips) * np.pi / tips
    star = [
        (wide + (far, near)[k % 2] * np.cos(a), wide + (far, near)[k % 2] * np.sin(a))
        for k, a in enumerate(angles)
    ]
    pen.polygon(star, 255 if rng.random() < 0.6 else 0, 255, int(rng.integers(1, 12)))
    if rng.random() < 0.5:
        ring = far * float(rng.uniform(0.2, 1.3))
        pen.ellipse((wide - ring, wide - ring, wide + ring, wide + ring), None, 255, int(rng.integers(1, 16)))


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("examples", type=Path, help="where squares without dice are taken from")
    parser.add_argument("words", type=Path)
    parser.add_argument("--squares", type=int, default=3000, help="of each of eight files")
    options = parser.parse_args()
    fonts = sorted(Path(FONTS).rglob("*.ttf"))
    options.words.mkdir(parents=True, exist_ok=True)
    for number in range(8):
        rng, into = np.random.default_rng([4713, number]), Examples([], [], [], [], [], [])
        paths = sorted(
            path for path in options.examples.glob("*.npz") if int(path.stem.split("-")[1]) % 8 == number
        )
        with np.load(paths[0]) as kept:
            bare = kept["squares"][kept["shown"] == NOTHING]
        for _ in range(options.squares):
            square = bare[int(rng.integers(len(bare)))].astype(np.float32)
            tile = rng.random() < TILES
            made = with_tile(rng, square) if tile else with_words(rng, square, fonts)
            into.squares.append(made.astype(np.uint8))
            into.shown.append(NOTHING)
            into.cocked.append(False)
            into.faces.append(np.zeros((GRID, GRID, KINDS), np.uint8))
        save(into, options.words / f"words-{number:04d}-1.npz")


if __name__ == "__main__":
    main()
