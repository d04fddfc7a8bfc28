"""To whom a game's dice are proved, in plain words: on the page and by ``barpoint verify``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from engine.layout import Side
from engine.record import Proof
from firmware.dice.beacon import time_of


def describe_proof(proof: Proof, players: Mapping[Side, str]) -> str:
    """To whom dice of form 2 are proved; ``players`` are the names of the sides. Goes on from "the dice
    are"."""
    public = f"drand's round {proof.round}" if proof.beacon else ""
    if proof.withheld:
        names = _names(name for side, name in players.items() if side in proof.withheld)
        return (
            f"not proved: words of {names} were pledged and never told, so somebody could choose between the"
            " dice with them and those without"
        )
    if not proof.proved_to and public:
        at = datetime.fromtimestamp(time_of(proof.round), UTC)
        return (
            f"proved by a public number alone, {public}: nobody could choose them, if you saw the commitment"
            f" before {at:%Y-%m-%d %H:%M:%S} UTC"
        )
    if not proof.proved_to:
        return "not proved: no player's browser gave words, so whoever owns the table could choose them"
    names = _names(name for side, name in players.items() if side in proof.proved_to)
    others = [name for side, name in players.items() if side not in proof.proved_to]
    more = f"; {public} is in them, too" if public else ""
    if not others:
        return f"proved to {names}: nobody could choose them, not even the table{more}"
    return f"proved to {names} alone: {_names(others)} gave no words, and must trust the table{more}"


def describe_wait(proof: Proof, players: Mapping[Side, str]) -> str:
    """The same before the first roll, while words may still come."""
    sides = {each.side for each in proof.given if each.pledge}
    pledged = [name for side, name in players.items() if side in sides]
    so_far = f"words so far from {_names(pledged)}" if pledged else "no words yet"
    public = f"; drand's round {proof.round} will be mixed in" if proof.round else ""
    return f"bound before anybody gave words; {so_far}{public}"


def _names(names: Iterable[str]) -> str:
    return " and ".join(names)
