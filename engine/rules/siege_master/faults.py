"""Why a board cannot have come about: one sentence for the players, with the section of the rules that it
breaks."""

from __future__ import annotations

from collections.abc import Iterable

from engine.errors import IllegalPlay
from engine.layout import Cell, Hex, Looks, Piece, differing, hex_of, name_parts
from engine.messages import all_of, phrase
from engine.names import named
from engine.position import Position
from engine.rules.siege_master import notation
from engine.rules.siege_master.hexmap import in_order, name
from engine.rules.siege_master.setup import ARMY, straight


def why(position: Position, looks: Looks, may_swap: bool, swapped: bool) -> str | None:
    """Why no play of ``position``, in which Blue perhaps ``may_swap`` or has just ``swapped``, gives these
    looks; None where nothing is found against them. Cells left out are not looked at."""
    before = position.looks()
    changed = differing(before, looks)
    still_red = [cell for cell in changed if before[cell] == tuple(map(_exchanged, looks[cell]))]
    if swapped and still_red:
        return phrase(
            "blue has swapped, but the tokens at {hexes} are still red: put blue ones there (GAME PLAY)",
            hexes=_told(still_red),
        )
    for cell in changed:
        kind = name_parts(before[cell][0])[0] if before[cell] else ""
        seen = name_parts(looks[cell][0])[0] if looks[cell] else ""
        if seen == "fortress" != kind:
            return phrase(
                "there was no fortress at {hexes}: nothing is captured there (Fortress Siege)",
                hexes=_told([cell]),
            )
        if "border" in (kind, seen) or (kind != seen and "fortress" in (kind, seen)):
            what = "border" if "border" in (kind, seen) else "fortress"
            return phrase(
                "the {what} at {hexes} has changed: it stays as the players set it up (SET-UP)",
                what=named(what),
                hexes=_told([cell]),
            )
        if kind == "army" and not may_swap:
            return phrase(
                "the army at {hexes} has changed: an army stays where it was placed (PLAYER ACTIONS)",
                hexes=_told([cell]),
            )
    if may_swap and any(before[cell] == ("army.red",) for cell in changed):
        if not differing(looks, position.find(notation.SWAP).after.looks()):
            return None
        return phrase("a swap replaces all of Red's tokens with blue ones, and nothing else (GAME PLAY)")
    return _against_army(position, looks, [cell for cell in changed if not before[cell]])


def _against_army(position: Position, looks: Looks, new: list[Cell]) -> str | None:
    """What is against an army on these cells, which were empty, and the captures seen with it."""
    if not new:
        return phrase("no army has been placed, and players may not pass (GAME PLAY)")
    if any(looks[cell] != (f"army.{position.turn}",) for cell in new):
        return phrase(
            "it is {side}'s turn: only a {side} army may be placed (GAME PLAY)",
            side=named(position.turn or ""),
        )
    row = tuple(_hexes(new))
    if not straight(row):
        return phrase(
            "an army covers {number} hexes in a row, not {hexes} (COMPONENTS)",
            number=ARMY,
            hexes=" ".join(map(name, row)),
        )
    try:
        play = position.find(notation.write(row, ()))
    except IllegalPlay as illegal:
        return phrase("{illegal} (PLAYER ACTIONS)", illegal=str(illegal))
    captured = {
        cell
        for cell in play.after.looks()
        if play.after.looks()[cell] != position.looks()[cell] and cell not in new
    }
    shown = {cell for cell in differing(position.looks(), looks) if cell not in new}
    if missing := [cell for cell in captured if cell in looks and cell not in shown]:
        return phrase(
            "the army captures the fortress at {hexes}: put a {side} one there (Fortress Siege)",
            hexes=_told(missing),
            side=named(position.turn or ""),
        )
    if extra := shown - captured:
        return phrase(
            "the fortress at {hexes} is not captured: an army still fits into its area (Siege area)",
            hexes=_told(extra),
        )
    if wrong := [cell for cell in shown if looks[cell] != play.after.looks()[cell]]:
        return phrase(
            "the fortress at {hexes} is captured by {side}: put a {side} one there (Fortress Siege)",
            hexes=_told(wrong),
            side=named(position.turn or ""),
        )
    return None


def _exchanged(piece: Piece) -> Piece:
    """The token that replaces a red one in the swap."""
    return piece.replace(".red", ".blue")


def _hexes(cells: Iterable[Cell]) -> list[Hex]:
    return in_order(place for cell in cells if (place := hex_of(cell)) is not None)


def _told(cells: Iterable[Cell]) -> str:
    return all_of(list(map(name, _hexes(cells))))
