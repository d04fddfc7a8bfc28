"""What stands on a simulated board, and what hands do to it; the rules are not asked."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from engine.layout import Cell, Layout, Look, Looks, Piece, Stack, name_parts

NEVER_BESIDE = ("army", "fortress", "border")
"""Pieces that fill their cell: whatever is put there lies on top."""


def stacks(looks: Looks) -> dict[Cell, Stack]:
    """The layout that shows nothing but these looks."""
    return {cell: (look,) for cell, look in looks.items() if look}


def seen(layout: Layout, cells: Collection[Cell], whole: bool) -> dict[Cell, Look]:
    """What a camera that is never wrong would see in these cells: the top layer, or with ``whole`` all."""
    layers = {cell: layout.get(cell, ())[0 if whole else -1 :] for cell in cells}
    return {
        cell: tuple(sorted(piece for layer in stack for piece in layer)) for cell, stack in layers.items()
    }


def moved(
    layout: Mapping[Cell, Stack], source: Cell, target: Cell, piece: Piece | None = None
) -> dict[Cell, Stack]:
    """The layout after one piece (``piece``, or the last) went from a cell's top layer to another cell.
    Raises KeyError where no such piece can be taken."""
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
    stack, kind = layout.get(cell, ()), name_parts(piece)[0]
    beside = bool(stack) and name_parts(stack[-1][0])[0] == kind and kind not in NEVER_BESIDE
    new = (*stack[:-1], tuple(sorted((*stack[-1], piece)))) if beside else (*stack, (piece,))
    return {**layout, cell: new}


def lifted(layout: Mapping[Cell, Stack], cell: Cell) -> dict[Cell, Stack]:
    """The layout after the top layer of a cell was taken off. Raises KeyError where nothing lies there."""
    return {place: stack for place, stack in {**layout, cell: layout[cell][:-1]}.items() if stack}
