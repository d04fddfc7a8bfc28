"""A board of any game as SVG, drawn from what stands where (:mod:`engine.layout`) by the names of its cells.

Points run as in every book: 1 at the bottom right, 12 at the bottom left, 24 at the top right. Hexes are
pointy-top, axial.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape
from math import cos, pi, sin, sqrt

from engine.layout import (
    POINTS,
    Cell,
    Layout,
    Piece,
    Stack,
    differing,
    hex_of,
    name_parts,
    point_cell,
    point_of,
)
from engine.messages import joined, phrase_number
from engine.names import named
from engine.position import Position
from firmware.languages.choice import local

FILL = {
    "white": "#f4efe4",
    "black": "#2b2b2b",
    "red": "#c0392b",
    "blue": "#2d6cb5",
    "neutral": "#9a917f",
    "border": "#4a443a",
}
LINE = {"black": "#e8e2d4"}
R = 9.0
"""Half a checker, in units of the drawing; a point is one checker wide."""
WIDE, HIGH = 2 * R * 13 + 8, 2 * R * 11.4
"""The board, in the same units."""
FREE = ("free", "#e8e0cc")
"""A hex with nothing on it."""
HIGHEST = 5
"""Checkers that a stack shows; where there are more, their number stands on the last."""


def shared() -> str:
    """What all diagrams of a page share, put into it once: the board, a checker, a hex. It keeps the page of
    a match of a thousand moves small."""
    width, height = WIDE, HIGH
    parts = [f'<rect width="{width:g}" height="{height:g}" rx="4" fill="#7c5a3a"/>']
    for half in (0, 1):
        size = f'width="{12 * R:g}" height="{height - 8:g}"'
        parts.append(f'<rect x="{4 + half * 14 * R:g}" y="4" {size} fill="#d9c7a3"/>')
    for point in POINTS:
        x, top = _place(point), point > 12
        base, tip = (4.0, 4 + 9 * R) if top else (height - 4, height - 4 - 9 * R)
        fill = "#b07f4f" if point % 2 else "#8c5a33"
        parts.append(f'<path d="M{x - R:g} {base:g}L{x + R:g} {base:g}L{x:g} {tip:g}Z" fill="{fill}"/>')
    turns = [pi / 6 + pi / 3 * k for k in range(6)]
    corners = " ".join(f"{R * 1.15 * cos(turn):.1f},{R * 1.15 * sin(turn):.1f}" for turn in turns)
    checkers = "".join(
        f'<circle id="d-{name}" r="{R - 0.6:g}" fill="{fill}" stroke="{LINE.get(name, "#5b5142")}"/>'
        for name, fill in FILL.items()
    )
    hexes = "".join(
        f'<polygon id="h-{name}" points="{corners}" fill="{fill}" stroke="#fff"/>'
        for name, fill in (*FILL.items(), FREE)
    )
    ring = f'<circle id="d-ring" r="{R:g}" fill="none" stroke="#e53935" stroke-width="2.5"/>'
    inside = f'<g id="d-board">{"".join(parts)}</g>{checkers}{hexes}{ring}'
    return f'<svg width="0" height="0" style="position:absolute"><defs>{inside}</defs></svg>'


def whole_layout(position: Position) -> Layout:
    """What stands where, the empty cells too."""
    return {**dict.fromkeys(position.looks(), ()), **position.layout()}


def board(layout: Layout, marked: Collection[Cell] = (), title: str = "board") -> str:
    """An ``<svg>`` element for a page that has :func:`shared`; ``marked`` cells are ringed."""
    hexes = any(map(hex_of, layout))
    box, inside = _hexes(layout, marked) if hexes else _points(layout, marked)
    view = " ".join(f"{value:.1f}" for value in box)
    return f'<svg viewBox="{view}" role="img" aria-label="{escape(title, quote=True)}">{inside}</svg>'


def board_after(before: Position, after: Position, title: str) -> str:
    """The board as it is now, with a ring where it was otherwise ``before``."""
    return board(whole_layout(after), differing(after.looks(), before.looks()), title)


def _points(layout: Layout, marked: Collection[Cell]) -> tuple[tuple[float, float, float, float], str]:
    width, height = WIDE, HIGH
    parts = ['<use href="#d-board"/>']
    for point in POINTS:
        cell = point_cell(point)
        x, top = _place(point), point > 12
        base, down = (4.0, 1) if top else (height - 4, -1)
        cell, y = point_cell(point), base + down * R
        parts.append(_stack(layout.get(cell, ()), x, y, down * 2 * R, cell in marked))
    for cell, stack in layout.items():
        if name_parts(cell)[0] == "bar":
            down = 1 if cell == "bar.white" else -1
            y = height / 2 + down * 1.2 * R
            parts.append(_stack(stack, 4 + 13 * R, y, down * 2 * R, cell in marked and bool(stack)))
    beside = {
        cell: stack
        for cell, stack in layout.items()
        if stack and point_of(cell) is None and name_parts(cell)[0] != "bar"
    }
    for line, (cell, stack) in enumerate(sorted(beside.items())):
        zone, side = name_parts(cell)
        y = height + 6 + R + line * 2.2 * R
        parts.append(_text(_place_name(zone, side), 4, y + 4, 10) + _row(stack, 90, y))
    return (0, 0, width, height + (6 + 2.2 * R * len(beside) if beside else 0)), "".join(parts)


def _place_name(zone: str, side: str) -> str:
    return local(joined(" ", (named(side), named(zone))))


def _place(point: int) -> float:
    """The middle of a point, from the left."""
    column = 12 - point if point <= 12 else point - 13
    return 4 + R + 2 * R * (column + (column >= 6))


def _stack(stack: Stack, x: float, y: float, step: float, marked: bool) -> str:
    pieces = [piece for layer in stack for piece in layer]
    parts = [_piece(piece, x, y + at * step) for at, piece in enumerate(pieces[:HIGHEST])]
    if len(pieces) > HIGHEST:
        fill = LINE.get(name_parts(pieces[HIGHEST - 1])[0], "#222")
        parts.append(_text(str(len(pieces)), x, y + (HIGHEST - 1) * step + 4, 11, fill, middle=True))
    if marked:
        parts.append(f'<use href="#d-ring" x="{x:g}" y="{y:g}"/>')
    return "".join(parts)


def _row(stack: Stack, x: float, y: float) -> str:
    pieces = [piece for layer in stack for piece in layer]
    kinds = sorted(set(pieces))
    parts = []
    for kind in kinds:
        parts.append(_piece(kind, x, y) + _text(f"×{pieces.count(kind)}", x + R + 3, y + 4, 11))
        x += 45
    return "".join(parts)


def _piece(piece: Piece, x: float, y: float) -> str:
    """A checker; a piece that has a size is a square of it, with the number."""
    side, size = name_parts(piece)
    fill, line = FILL.get(side, "#999"), LINE.get(side, "#5b5142")
    if not size.isdigit():
        return f'<use href="#d-{side}" x="{x:g}" y="{y:g}"/>'
    half = R * (0.4 + 0.18 * int(size))
    square = f'<rect x="{x - half:g}" y="{y - half:g}" width="{2 * half:g}" height="{2 * half:g}"'
    number = _text(size, x, y + 3.5, 9, LINE.get(side, "#222"), middle=True)
    return f'{square} fill="{fill}" stroke="{line}"/>{number}'


def _text(text: str, x: float, y: float, size: int, fill: str = "currentColor", middle: bool = False) -> str:
    anchor = ' text-anchor="middle"' if middle else ""
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}"{anchor} fill="{fill}">{escape(text)}</text>'


ARMY = 4
"""Hexes that an army covers; each is a piece of it."""


def _stock_lines(cell: Cell, pieces: Sequence[Piece]) -> list[str]:
    """What lies beside a map, as people count it: armies that are left, not the hexes that they cover."""
    zone, side = name_parts(cell)
    if zone != "supply":
        return [f"{_place_name(zone, side)}: {len(pieces)}"]
    armies = sum(name_parts(piece)[0] == "army" for piece in pieces) // ARMY
    left = phrase_number("{n} army left", "{n} armies left", armies)
    return [] if side == "neutral" else [local(joined(": ", (named(side), left)))]


def _hexes(layout: Layout, marked: Collection[Cell]) -> tuple[tuple[float, float, float, float], str]:
    parts: list[str] = []
    places: list[tuple[float, float]] = []
    beside = []
    for cell, stack in sorted(layout.items()):
        place = hex_of(cell)
        if place is None:
            if stack:
                beside += _stock_lines(cell, [piece for layer in stack for piece in layer])
            continue
        q, r = place
        x, y = sqrt(3) * R * 1.2 * (q + r / 2), 1.5 * R * 1.2 * r
        places.append((x, y))
        pieces = [piece.rpartition(".") for layer in stack for piece in layer]
        ground = next((owner for kind, _, owner in pieces if kind != "fortress"), FREE[0])
        parts.append(f'<use href="#h-{ground}" x="{x:.1f}" y="{y:.1f}"/>')
        towers = (owner for kind, _, owner in pieces if kind == "fortress")
        parts += [f'<use href="#d-{owner}" x="{x:.1f}" y="{y:.1f}"/>' for owner in towers]
        if cell in marked:
            parts.append(f'<use href="#d-ring" x="{x:.1f}" y="{y:.1f}"/>')
    left, top = min(x for x, _ in places) - 2 * R, min(y for _, y in places) - 2 * R
    right, bottom = max(x for x, _ in places) + 2 * R, max(y for _, y in places) + 2 * R
    for line, text in enumerate(beside):
        parts.append(_text(text, left, bottom + 12 * (line + 1), 10))
    return (left, top, right - left, bottom - top + 12 * len(beside) + 4), "".join(parts)
