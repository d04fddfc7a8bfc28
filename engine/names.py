"""What people call sides, the table's own players, places and grades, which programs know by a word; and
dice."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from engine.layout import Cell, Piece, Side, cell_text, hex_of, name_parts, point_of
from engine.messages import Message, phrase

NAMES: dict[str, Message] = {
    each.pattern: each
    for each in (
        # sides
        phrase("white"),
        phrase("black"),
        phrase("red"),
        phrase("blue"),
        phrase("neutral"),
        # the table's own players, whose names in a record are these words
        phrase("engine"),
        phrase("engine best"),
        phrase("engine strong"),
        phrase("engine club"),
        phrase("engine casual"),
        phrase("engine beginner"),
        # places
        phrase("bar"),
        phrase("off"),
        phrase("reserve"),
        phrase("locked"),
        phrase("lock"),
        phrase("hand"),
        phrase("supply"),
        phrase("row"),
        # pieces
        phrase("army"),
        phrase("fortress"),
        phrase("border"),
        # sizes of pyramids
        phrase("small"),
        phrase("medium"),
        phrase("large"),
        # grades, and ties
        phrase("win"),
        phrase("single"),
        phrase("gammon"),
        phrase("backgammon"),
        phrase("double backgammon"),
        phrase("standard"),
        phrase("siege"),
        phrase("total siege"),
        phrase("mon"),
        phrase("icegammon"),
        phrase("mons olympus"),
    )
}


NEUTRAL = "neutral"
PIECES: dict[str, Message] = {
    "1": phrase("small pyramid"),
    "2": phrase("medium pyramid"),
    "3": phrase("large pyramid"),
    NEUTRAL: phrase("neutral fortress"),
}
"""Pieces that people call otherwise than programs: pyramids by their size, fortresses that are nobody's."""


def dashed(dice: Iterable[int]) -> str:
    """Dice as players say them, the higher first: ``5-2``."""
    return "-".join(map(str, sorted(dice, reverse=True)))


def named(word: str) -> str:
    """A side, a player of the table's own, a place or a grade for people; a word that is none of these, such
    as a person's name, as it is."""
    return NAMES.get(word, word)


def named_cell(cell: Cell, owner: str = "") -> str:
    """A cell for people, as :func:`engine.layout.cell_text` writes it; ``owner`` is what its side is
    called."""
    place, rest = name_parts(cell)
    if point_of(cell) is not None or not rest:
        return named(cell_text(cell))
    if hex_of(cell):
        return phrase("hex {place}", place=rest)
    return phrase("{player}'s {place}", player=owner or named(rest), place=named(place))


def named_piece(piece: Piece, player: Callable[[Side], str]) -> str:
    """A piece for people: ``white``, ``Anna's large pyramid``, ``neutral fortress``. ``player`` says what a
    side is called."""
    kind, rest = name_parts(piece)
    if not rest or rest == NEUTRAL:
        return PIECES[rest] if rest else player(kind)
    side, what = (kind, PIECES[rest]) if rest in PIECES else (rest, named(kind))
    return phrase("{player}'s {place}", player=player(side), place=what)
