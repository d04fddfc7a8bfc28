"""To whom a game's dice are proved, in plain words: on the page and by ``barpoint verify``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engine.layout import Side
from engine.record import Proof


def describe_proof(proof: Proof, players: Mapping[Side, str]) -> str:
    """To whom dice of form 2 are proved; ``players`` are the names of the sides. Goes on from "the dice
    are"."""
    if proof.withheld:
        names = _names(name for side, name in players.items() if side in proof.withheld)
        return (
            f"not proved: words of {names} were pledged and never told, so somebody could choose between the"
            " dice with them and those without"
        )
    if not proof.proved_to:
        return "not proved: no player's browser gave words, so whoever owns the table could choose them"
    names = _names(name for side, name in players.items() if side in proof.proved_to)
    others = [name for side, name in players.items() if side not in proof.proved_to]
    if not others:
        return f"proved to {names}: nobody could choose them, not even the table"
    return f"proved to {names} alone: {_names(others)} gave no words, and must trust the table"


def describe_wait(proof: Proof, players: Mapping[Side, str]) -> str:
    """The same before the first roll, while words may still come."""
    sides = {each.side for each in proof.given if each.pledge}
    pledged = [name for side, name in players.items() if side in sides]
    so_far = f"words so far from {_names(pledged)}" if pledged else "no words yet"
    return f"bound before anybody gave words; {so_far}"


def _names(names: Iterable[str]) -> str:
    return " and ".join(names)
