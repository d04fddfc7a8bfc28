"""Checks the public numbers in a match's dice: that they are those of the rounds which the commitments named,
and that these rounds came out after the commitments."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from engine.messages import phrase, phrase_number
from engine.record import MatchRecord, Proof
from firmware.dice.beacon import signed, time_of
from firmware.record.chain import Entry


class BadBeacon(Exception):
    """A public number that is not what it must be; the message names the game, or the entry."""


def check_times(game: str, entries: Sequence[Entry]) -> None:
    """Checks that no commitment names a round that was known already, by the machine's own clock. Raises
    BadBeacon."""
    for entry in entries:
        number = entry.body.get("round") if entry.body.get("event") == "commit" else 0
        if not isinstance(number, int) or not number:
            continue
        try:
            at = datetime.fromisoformat(entry.at)
        except ValueError:
            continue  # which the check of the clock names
        if at.replace(tzinfo=at.tzinfo or UTC).timestamp() >= time_of(number):
            raise BadBeacon(
                phrase(
                    "game {log}, entry {number}: drand's round {round} was known before the commitment that"
                    " names it",
                    log=game,
                    number=entry.number,
                    round=number,
                )
            )


def check_beacons(match: MatchRecord) -> list[str]:
    """Checks the public numbers, and says in words what was checked and what was not. Raises BadBeacon."""
    named = [(number, game.proof) for number, game in enumerate(match.games, 1) if game.proof is not None]
    named = [(number, proof) for number, proof in named if proof.round]
    missing = [number for number, proof in named if not proof.beacon]
    found = [_check(number, proof) for number, proof in named if proof.beacon]
    told: list[str] = []
    if found and all(found):
        told.append(
            phrase_number(
                "{n} public number of drand, signatures checked",
                "{n} public numbers of drand, signatures checked",
                len(found),
            )
        )
    elif found:
        told.append(
            phrase_number(
                "{n} public number of drand, signatures not checked (pip install py_ecc on the"
                " machine that checks)",
                "{n} public numbers of drand, signatures not checked (pip install py_ecc on the"
                " machine that checks)",
                len(found),
            )
        )
    if missing:
        games = ", ".join(map(str, missing))
        told.append(
            phrase("drand's number never came for the dice of game {games}: it is not in them", games=games)
        )
    return told


def _check(number: int, proof: Proof) -> bool:
    """Whether the signature was checked. Raises BadBeacon where it is wrong."""
    found = signed(proof.round, proof.beacon)
    if found is False:
        raise BadBeacon(
            phrase(
                "game {n}: the number in its dice is not that of drand's round {round}",
                n=number,
                round=proof.round,
            )
        )
    return found is True
