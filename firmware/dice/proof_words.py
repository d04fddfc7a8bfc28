"""To whom a game's dice are proved, in plain words: on the page and by ``barpoint verify``."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from engine.layout import Side
from engine.messages import all_of, phrase
from engine.record import Proof
from firmware.dice.beacon import time_of


def describe_proof(proof: Proof, players: Mapping[Side, str]) -> str:
    """To whom dice of form 2 are proved; ``players`` are the names of the sides. Goes on from "the dice
    are"."""
    public = phrase("drand's round {number}", number=proof.round) if proof.beacon else ""
    if proof.withheld:
        return phrase(
            "not proved: words of {players} were pledged and never told, so somebody could choose between the"
            " dice with them and those without",
            players=all_of([name for side, name in players.items() if side in proof.withheld]),
        )
    if not proof.proved_to and public:
        at = datetime.fromtimestamp(time_of(proof.round), UTC)
        return phrase(
            "proved by a public number alone, {public}: nobody could choose them, if you saw the commitment"
            " before {time} UTC",
            public=public,
            time=f"{at:%Y-%m-%d %H:%M:%S}",
        )
    if not proof.proved_to:
        return phrase(
            "not proved: no player's browser gave words, so whoever owns the table could choose them"
        )
    names = all_of([name for side, name in players.items() if side in proof.proved_to])
    others = [name for side, name in players.items() if side not in proof.proved_to]
    words = (
        phrase(
            "proved to {players} alone: {others} gave no words, and must trust the table",
            players=names,
            others=all_of(others),
        )
        if others
        else phrase("proved to {players}: nobody could choose them, not even the table", players=names)
    )
    return phrase("{words}; {public} is in them, too", words=words, public=public) if public else words


def describe_wait(proof: Proof, players: Mapping[Side, str]) -> str:
    """The same before the first roll, while words may still come."""
    sides = {each.side for each in proof.given if each.pledge}
    pledged = [name for side, name in players.items() if side in sides]
    words = (
        phrase("bound before anybody gave words; words so far from {players}", players=all_of(pledged))
        if pledged
        else phrase("bound before anybody gave words; no words yet")
    )
    if not proof.round:
        return words
    return phrase("{words}; drand's round {number} will be mixed in", words=words, number=proof.round)
