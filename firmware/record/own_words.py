"""A player's own words, as a browser kept them, against a match: whether the dice have just those.

A table that lies can show one thing and write another down. So what a browser kept is compared here, on a
machine that the player trusts::

    {"format": "barpoint-words", "version": 1, "given": [
      {"match": "2026-03-01-ad77fc", "game": 1, "side": "white", "commitment": "…", "words": "…",
       "pledges": {"white": "…", "black": "…"}, "spoken": {}}]}

``pledges``, and words ``spoken`` without one, are what the browser saw when it told its words: a table that
asked for them too early could choose the others' afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine import strict_json
from engine.record import MatchRecord, Rolled
from firmware.errors import BadInput
from firmware.wording import counted

FORMAT = "barpoint-words"
VERSION = 1


@dataclass(frozen=True, slots=True)
class OwnWords:
    """The words that a browser gave for one side of one game, the commitment that it saw before, and what
    everybody was bound to when it told them; None where it was not asked to."""

    match: str
    game: int
    side: str
    commitment: str
    words: str
    pledges: dict[str, str] | None = None
    spoken: dict[str, str] | None = None


def read_words(text: str) -> tuple[OwnWords, ...]:
    """The words in a file. Raises BadInput."""
    try:
        data = strict_json.loads_object(text)
        given = data.get("given")
        if data.get("format") != FORMAT or data.get("version") != VERSION or not isinstance(given, list):
            raise BadInput(f'no words for dice: the page saves them with "format": "{FORMAT}"')
        return tuple(_one(place, each) for place, each in enumerate(given))
    except strict_json.BadJson as error:
        raise BadInput(str(error)) from error


def _one(place: int, data: object) -> OwnWords:
    kinds = {"match": str, "game": int, "side": str, "commitment": str, "words": str}
    if not isinstance(data, dict) or any(type(data.get(name)) is not kind for name, kind in kinds.items()):
        raise BadInput(f"given[{place}]: needs {', '.join(kinds)}")
    pledges, spoken = (_texts(f"given[{place}].{name}", data.get(name)) for name in ("pledges", "spoken"))
    return OwnWords(**{name: data[name] for name in kinds}, pledges=pledges, spoken=spoken)


def _texts(where: str, data: object) -> dict[str, str] | None:
    if data is None or (isinstance(data, dict) and all(isinstance(each, str) for each in data.values())):
        return data
    raise BadInput(f"{where}: must be an object of texts")


def find_faults(match: MatchRecord, own: Sequence[OwnWords]) -> list[str]:
    """What is wrong between a match and somebody's own words; nothing where all is in order."""
    names = {game.proof.match for game in match.games if game.proof is not None}
    mine = [each for each in own if each.match in names]
    if not mine:
        return ["none of these words are for this match"]
    faults = [fault for each in mine if (fault := _fault(match, each))]
    sides = {each.side for each in mine}
    for number, game in enumerate(match.games, 1):
        given = () if game.proof is None else game.proof.given
        strange = sides & {each.side for each in given if each.words} - _sides(number, mine)
        faults += [
            f"game {number}: has words for {side} that are not among yours; whoever gave them, it was not you"
            for side in sorted(strange)
        ]
    return faults


def describe(match: MatchRecord, own: Sequence[OwnWords]) -> list[str]:
    """The same in words, where nothing is wrong."""
    names = {game.proof.match for game in match.games if game.proof is not None}
    mine = [each for each in own if each.match in names]
    elsewhere = sorted({each.match for each in own} - names)
    told = [f"your own words are in the dice of {counted(len({each.game for each in mine}), 'game')}"]
    if elsewhere:
        others = counted(len(elsewhere), "other match", "other matches")
        told.append(f"you gave words to {others} as well: {', '.join(elsewhere)}")
    return told


def _sides(number: int, own: Sequence[OwnWords]) -> set[str]:
    return {each.side for each in own if each.game == number}


def _fault(match: MatchRecord, own: OwnWords) -> str | None:
    if not 1 <= own.game <= len(match.games):
        return f"game {own.game}: you gave words for it, and it is not in this match"
    game = match.games[own.game - 1]
    if game.proof is None or game.proof.commitment != own.commitment:
        return (
            f"game {own.game}: your words were for another commitment ({own.commitment[:16]}…): the table has"
            " chosen its secret anew"
        )
    found = next((each.words for each in game.proof.given if each.side == own.side and each.pledge), None)
    if not found and not any(isinstance(each, Rolled) and each.number is not None for each in game.actions):
        return None  # the device has rolled no dice in this game
    if not found:
        return (
            f"game {own.game}: your words are not in these dice: your browser was away when they were"
            " asked for, or the table left them out"
        )
    if found != own.words:
        return f"game {own.game}: other words stand in the place of yours"
    pledges = {each.side: each.pledge for each in game.proof.given if each.pledge}
    spoken = {each.side: each.words for each in game.proof.given if not each.pledge}
    if own.pledges not in (None, pledges) or own.spoken not in (None, spoken):
        return f"game {own.game}: somebody's words were chosen after your browser had told yours"
    return None
