"""What the tests of this room share."""

from __future__ import annotations

from engine.layout import Cell, Layout, Look
from hardware.painter import Painter
from vision import boards
from vision.picture.frame import Frame
from vision.reading import BoardReader

KNOWN: Layout = {
    **{f"p{point}": ((f"white.{n % 3 + 1}",),) for n, point in enumerate((1, 3, 5, 8, 14, 20))},
    **{f"p{point}": ((f"black.{n % 3 + 1}",),) for n, point in enumerate((2, 6, 10, 16, 19, 23))},
}


def learned(painter: Painter, empty: bool) -> BoardReader:
    looks = {cell: stack[-1] for cell, stack in KNOWN.items()}
    bare = painter.paint({}) if empty else None
    return boards.get("pyramids").calibrate(
        painter.paint(KNOWN), painter.corners, painter.geometry, looks, bare
    )


def read(table: BoardReader, painter: Painter, layout: Layout, shot: int = 1) -> dict[Cell, Look]:
    return {cell: look for cell, look in table.read(Frame(painter.paint(layout, shot))).looks.items() if look}


def tops(layout: Layout) -> dict[Cell, Look]:
    return {cell: tuple(sorted(stack[-1])) for cell, stack in layout.items()}


LAYOUT: Layout = {
    "p1": (("white.1",),),
    "p4": (("black.3", "black.1"),),
    "p12": (("white.2",),),
    "p13": (("black.3",),),
    "p18": (("white.1", "white.1"),),
    "p24": (("white.3", "white.2"),),
    "bar.white": (("white.3",),),
    "bar.black": (("black.2", "black.1"),),
}
