"""The pictures of docs/vision.md: what each stage of reading a frame makes of one of the bundled game's.

python -m docs.drawings.stages      writes docs/img/stage-*.webp
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np

from vision import boards
from vision.checkers.reader import CheckersReader
from vision.checkers.stacks import Top, patches
from vision.light import colour
from vision.picture.frame import Frame, Image, load
from vision.stack_network import SIDE

ROOT = Path(__file__).parents[2]
REEL = ROOT / "tests/data/reel"
HIGH = 360
"""Height of every picture, in pixels."""
RESTING, STACKED = "010.jpg", "010.jpg"
"""Frames of the bundled game without a hand, and with a row that wants a closer look."""


def _beside(*images: Image) -> Image:
    """Pictures of one height, side by side, with a white gap."""
    scaled = [
        cv2.resize(image, (round(image.shape[1] * HIGH / image.shape[0]), HIGH), interpolation=cv2.INTER_AREA)
        for image in images
    ]
    gap = np.full((HIGH, 8, 3), 255, np.uint8)
    parts = [part for image in scaled for part in (gap, np.asarray(image, np.uint8))][1:]
    return np.hstack(parts)


def _heat(gains: np.ndarray) -> Image:
    """Nats as a picture: dark where a disc is unlikely, bright where it is likely."""
    level = np.clip((gains + 6) * 255 / 14, 0, 255).astype(np.uint8)
    return np.asarray(cv2.applyColorMap(level, cv2.COLORMAP_VIRIDIS), np.uint8)


def _levels(values: np.ndarray) -> Image:
    return colour.levels(np.asarray(values, np.float32))


def _warm_and_dim(image: Image) -> Image:
    return np.clip(image * np.array([0.55, 0.7, 0.85]), 0, 255).astype(np.uint8)


def _closer(reader: CheckersReader, frame: Frame) -> Image:
    """The squares that the network is shown of the fullest row, in a line."""
    laid = reader.lay_flat(frame)
    found = reader._plan.read(reader._discs, laid.values)
    cell, marks = max(found.marks.items(), key=lambda entry: len(entry[1]))
    upper = int(cell.removeprefix("p")) > 12
    tops = [Top(u, v, ("white", "black").index(piece), upper) for piece, u, v, _ in marks]
    seen = patches(reader.flat, reader._discs, frame.image, laid.values, tops, reader.rig.measures)
    tints = np.array([reader._discs.paint.tints[top.kind].colour for top in tops])
    squares = [
        _levels(np.moveaxis(each[:3] * np.array([0.3, 0.1, 0.1])[:, None, None], 0, -1) + tint)
        for each, tint in zip(seen, tints, strict=True)
    ]
    return np.hstack([cv2.resize(each, (SIDE * 4, SIDE * 4)) for each in squares])


def _hand_over(reader: CheckersReader, names: Sequence[str]) -> Frame:
    """The first frame with a hand that hides some of the board, but not all."""
    for name in names:
        frame = load(REEL / name)
        reading = reader.read(frame)
        if reading.hand and 2 < len(reading.occluded) < 14:
            return frame
    raise LookupError("no frame with a hand over a part of the board")


def main() -> None:
    """Writes all pictures."""
    reel = json.loads((REEL / "reel.json").read_text(encoding="utf-8"))
    start, frame = load(REEL / "000.jpg"), load(REEL / RESTING)
    learned = boards.learn(
        start, [tuple(corner) for corner in reel["corners_px"]], geometry=reel["geometry_cm"]
    )
    reader = learned.table
    assert isinstance(reader, CheckersReader)
    laid = reader.lay_flat(frame)
    warm = Frame(_warm_and_dim(frame.image))
    rows, columns = reader.flat.shape
    u, v = np.meshgrid(np.arange(columns, dtype=np.float32), np.arange(rows, dtype=np.float32))
    discs = reader._discs
    gains = discs.gains(discs.moments(laid.values), u, v)
    names = sorted(path.name for path in REEL.glob("*.jpg"))
    hand = _hand_over(reader, names)
    pictures = {
        "flat": _beside(frame.image, reader.flat.lay(frame.image)),
        "light": _beside(reader.flat.lay(warm.image), _levels(reader.lay_flat(warm).values)),
        "discs": _beside(reader.flat.lay(frame.image), *(_heat(side) for side in gains)),
        "hand": _beside(hand.image, reader.draw(hand.image, reader.read(hand))),
        "stacks": _closer(reader, load(REEL / STACKED)),
        "reading": _beside(reader.draw(frame.image, reader.read(frame))),
    }
    for name, image in pictures.items():
        cv2.imwrite(str(ROOT / f"docs/img/stage-{name}.webp"), image, [cv2.IMWRITE_WEBP_QUALITY, 80])


if __name__ == "__main__":
    main()
