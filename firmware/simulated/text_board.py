"""A board and its lamps as text, for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from engine.lamp_signals import SUPPLIES, Pattern, signals
from engine.layout import Cell, Look, Piece, hex_of, name_parts, point_cell, point_of
from engine.session import Session


def lamps(session: Session, t: float) -> str:
    """The lamps that are on, in words, points as whoever is to act counts them; those that count pieces, as
    the board shows them, and the dice's spots, as the row says them, are left out."""
    words = {Pattern.STEADY: "", Pattern.PULSE: " pulses", Pattern.BLINK: " blinks"}
    table = session.table

    def name(place: str) -> str:
        if table is None or point_of(place) is None:
            return place
        side = table.due or (table.pending.side if table.pending else table.rules.sides[0])
        return f"point {table.position.called(place, side)}"

    shining = {
        place: light
        for place, light in signals(session, t).items()
        if not place.startswith((*SUPPLIES, "die."))
    }
    return ", ".join(f"{name(place)}{words[light.pattern]}" for place, light in shining.items())


def board(looks: Mapping[Cell, Look], number: Callable[[Cell], object] = point_of) -> str:
    """A board in letters: 24 points in two rows, each with its ``number``, any other board as a sheet of
    hexes."""
    if "p24" not in looks:
        return _hexes(looks)
    upper, lower = [point_cell(n) for n in range(13, 25)], [point_cell(n) for n in range(12, 0, -1)]
    wide = max(5, 1 + max(len(_stack(looks[cell])) for cell in (*upper, *lower)))
    lines = []
    for row in (upper, lower):
        names = [f"{number(cell)!s:>{wide}}" for cell in row]
        stacks = [f"{_stack(looks[cell]):>{wide}}" for cell in row]
        for each in (names, stacks) if row is upper else (stacks, names):
            lines.append("".join(each[:6]) + " |" + "".join(each[6:]))
    rest = [f"{cell} {_stack(look)}" for cell, look in looks.items() if cell not in (*upper, *lower) and look]
    return "\n".join([*lines, *([", ".join(rest)] if rest else [])])


MARKS: Mapping[Piece, str] = {
    "border": "#",
    "fortress.neutral": "o",
    "fortress.red": "R",
    "fortress.blue": "B",
    "army.red": "r",
    "army.blue": "b",
}


def _hexes(looks: Mapping[Cell, Look]) -> str:
    """A sheet of hexes: each row begins with the name of its first hex; odd rows lie half a hex to the
    right."""
    rows: dict[int, dict[int, str]] = {}
    for cell, look in looks.items():
        hexagon = hex_of(cell)
        if hexagon is None:
            continue
        q, r = hexagon
        rows.setdefault(r, {})[q] = "".join(MARKS.get(piece, "?") for piece in look) or "·"
    left = min((2 * q + r for r, row in rows.items() for q in row), default=0)
    lines = []
    for r, row in sorted(rows.items()):
        first = min(row)
        marks = " ".join(row.get(q, " ") for q in range(first, max(row) + 1))
        lines.append(f"{f'{first},{r}':>7}  {' ' * (2 * first + r - left)}{marks}")
    return "\n".join([*lines, "# border, o fortress, R B captured, r b army"])


def _stack(look: Look) -> str:
    kinds: dict[Piece, int] = {}
    for piece in look:
        kinds[piece] = kinds.get(piece, 0) + 1
    return "+".join(f"{count}{_letter(piece)}" for piece, count in kinds.items()) or "·"


def _letter(piece: Piece) -> str:
    colour, size = name_parts(piece)
    return colour[:1] + size
