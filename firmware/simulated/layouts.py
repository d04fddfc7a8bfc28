"""What stands on a simulated board, and what hands do to it, whatever the rules say."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from engine.layout import Cell, Layout, Look, Looks, Piece, Stack

NEVER_BESIDE = ("army", "fortress", "border")
"""Pieces that fill their cell: what is put there too lies on top."""


def stacks(looks: Looks) -> dict[Cell, Stack]:
    """The layout that shows nothing but these looks."""
    return {cell: (look,) for cell, look in looks.items() if look}


def seen(layout: Layout, cells: Collection[Cell], whole: bool) -> dict[Cell, Look]:
    """What a camera that is never wrong would see in these cells: the top layer, or with ``whole``
    everything."""
    found: dict[Cell, Look] = {}
    for cell in cells:
        layers = layout.get(cell, ()) if whole else layout.get(cell, ())[-1:]
        found[cell] = tuple(sorted(piece for layer in layers for piece in layer))
    return found


def moved(
    layout: Mapping[Cell, Stack], source: Cell, target: Cell, piece: Piece | None = None
) -> dict[Cell, Stack]:
    """The layout after one piece was taken from a cell's top layer (``piece``, or the last) and put down on
    another. Raises KeyError where no such piece can be taken."""
    *below, top = layout[source]
    taken = top[-1] if piece is None else piece
    if taken not in top:
        raise KeyError(taken)
    left = list(top)
    left.remove(taken)
    changed = {**layout, source: (*below, *([tuple(left)] if left else []))}
    return {cell: stack for cell, stack in put(changed, target, taken).items() if stack}


def put(layout: Mapping[Cell, Stack], cell: Cell, piece: Piece) -> dict[Cell, Stack]:
    """The layout after a piece was put down on a cell: beside its own side's, on top of anything else."""
    stack, kind = layout.get(cell, ()), piece.partition(".")[0]
    beside = bool(stack) and stack[-1][0].partition(".")[0] == kind and kind not in NEVER_BESIDE
    new = (*stack[:-1], tuple(sorted((*stack[-1], piece)))) if beside else (*stack, (piece,))
    return {**layout, cell: new}


def lifted(layout: Mapping[Cell, Stack], cell: Cell) -> dict[Cell, Stack]:
    """The layout after the top layer of a cell was taken off. Raises KeyError where nothing lies there."""
    return {place: stack for place, stack in {**layout, cell: layout[cell][:-1]}.items() if stack}
