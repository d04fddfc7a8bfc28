"""Why a board cannot have come about: one sentence for the players, with the section of the rules that it
breaks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from engine.errors import IllegalPlay
from engine.layout import Cell, Hex, Looks, differing, hex_of, name_parts
from engine.rules.siege_master import notation
from engine.rules.siege_master.hexmap import in_order, name
from engine.rules.siege_master.setup import ARMY, straight

if TYPE_CHECKING:
    from engine.rules.siege_master.position import SiegePosition


def why(position: SiegePosition, looks: Looks) -> str | None:
    """Why no play of ``position`` gives these looks; None where nothing is found against them. Cells left out
    are not looked at."""
    before = position.looks()
    changed = differing(before, looks)
    for cell in changed:
        kind = name_parts(before[cell][0])[0] if before[cell] else ""
        seen = name_parts(looks[cell][0])[0] if looks[cell] else ""
        if "border" in (kind, seen) or (kind != seen and "fortress" in (kind, seen)):
            what = "border" if "border" in (kind, seen) else "fortress"
            return f"the {what} at {_told([cell])} has changed: it stays as the players set it up (SET-UP)"
        if kind == "army" and not position.may_swap:
            return (
                f"the army at {_told([cell])} has changed: an army stays where it was placed (PLAYER ACTIONS)"
            )
    if position.may_swap and any(before[cell] == ("army.red",) for cell in changed):
        if not differing(looks, position.find(notation.SWAP).after.looks()):
            return None
        return "a swap replaces all of Red's tokens with blue ones, and nothing else (GAME PLAY)"
    return _against_army(position, looks, [cell for cell in changed if not before[cell]])


def _against_army(position: SiegePosition, looks: Looks, new: list[Cell]) -> str | None:
    """What is against an army on these cells, which were empty, and the captures seen with it."""
    if not new:
        return "no army has been placed, and players may not pass (GAME PLAY)"
    if any(looks[cell] != (f"army.{position.turn}",) for cell in new):
        return f"it is {position.turn}'s turn: only a {position.turn} army may be placed (GAME PLAY)"
    row = tuple(_hexes(new))
    if not straight(row):
        return f"an army covers {ARMY} hexes in a row, not {' '.join(map(name, row))} (COMPONENTS)"
    try:
        play = position.find(notation.write(row, ()))
    except IllegalPlay as illegal:
        return f"{illegal} (PLAYER ACTIONS)"
    captured = {
        cell
        for cell in play.after.looks()
        if play.after.looks()[cell] != position.looks()[cell] and cell not in new
    }
    shown = {cell for cell in differing(position.looks(), looks) if cell not in new}
    if missing := [cell for cell in captured if cell in looks and cell not in shown]:
        return (
            f"the army captures the fortress at {_told(missing)}: put a {position.turn} one there (Fortress"
            " Siege)"
        )
    if extra := shown - captured:
        return (
            f"the fortress at {_told(extra)} is not captured: an army still fits into its area (Siege area)"
        )
    if wrong := [cell for cell in shown if looks[cell] != play.after.looks()[cell]]:
        return (
            f"the fortress at {_told(wrong)} is captured by {position.turn}: put a {position.turn} one there"
            " (Fortress Siege)"
        )
    return None


def _hexes(cells: Iterable[Cell]) -> list[Hex]:
    return in_order(place for cell in cells if (place := hex_of(cell)) is not None)


def _told(cells: Iterable[Cell]) -> str:
    return " and ".join(map(name, _hexes(cells)))
