"""Squares of printed boards: words and emblems on what squares without dice show, for the eye to read as
nothing. Wants ``pip install pillow``, and TrueType fonts of the system.

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
    there = cv2.warpAffine(np.array(page, np.float32), turn, (wide, wide))
    there = cv2.GaussianBlur(there, (0, 0), FINE * float(rng.uniform(0.2, 1.2)))
    return np.asarray(cv2.resize(there, (SIDE, SIDE), interpolation=cv2.INTER_AREA) / 255, np.float32)


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
            ink = printed(rng, fonts)[..., None] * np.float32(rng.uniform(0.5, 1))
            paint = np.float32(rng.uniform(0, 255, 3) if rng.random() < 0.4 else rng.uniform(0, 255))
            into.squares.append(np.uint8(np.clip(square * (1 - ink) + paint * ink, 0, 255)))
            into.shown.append(NOTHING)
            into.cocked.append(False)
            into.faces.append(np.zeros((GRID, GRID, KINDS), np.uint8))
        save(into, options.words / f"words-{number:04d}-1.npz")


if __name__ == "__main__":
    main()
