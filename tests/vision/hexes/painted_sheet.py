"""What the tests of this room share."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

from engine.layout import Layout
from hardware.painter import Painter
from vision.picture.frame import Frame, Image
from vision.reading import BoardReader

COLS = 12


ROWS = 10


BORDER = [
    f"hex.{c - r // 2},{r}"
    for r in range(ROWS)
    for c in range(COLS)
    if c in (0, COLS - 1) or r in (0, ROWS - 1)
]


FORTRESSES = ["hex.1,2", "hex.6,2", "hex.2,5", "hex.6,6"]


SETUP: Layout = {
    **dict.fromkeys(BORDER, (("border",),)),
    **dict.fromkeys(FORTRESSES, (("fortress.neutral",),)),
}


def army(side: str, *cells: str) -> Layout:
    return {f"hex.{cell}": ((f"army.{side}",),) for cell in cells}


def wrong(table: BoardReader, painter: Painter, layout: Layout, shot: int = 1) -> dict[str, Any]:
    looks = table.read(Frame(painter.paint(layout, shot))).looks
    due = {cell: stack[-1] for cell, stack in layout.items()}
    return {cell: look for cell, look in looks.items() if look != due.get(cell, ())}


FULL: Layout = {
    **SETUP,
    **army("red", "2,1", "3,1", "4,1", "5,1"),
    **army("blue", "4,2", "4,3", "4,4", "4,5"),
    **army("red", "7,1", "7,2", "7,3", "7,4"),
    **army("blue", "0,6", "1,6", "2,6", "3,6"),
    **army("red", "-1,7", "0,7", "1,7", "2,7"),
    **army("blue", "5,3", "5,4", "5,5", "5,6"),
}
"""A map on which little is as it was when it was learned."""


def pushed(picture: Image, degrees: float, right: float, down: float) -> Image:
    turn = cv2.getRotationMatrix2D((640, 480), degrees, 1.0)
    turn[:, 2] += (right, down)
    return np.asarray(cv2.warpAffine(picture, turn, (1280, 960), borderMode=cv2.BORDER_REPLICATE), np.uint8)
