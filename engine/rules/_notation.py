"""Plays of the checker games as text, and back.

A play is a list of moves, ``from/to``, by falling distance from home, in the mover's own numbering: ``24/18
13/10*``. What one checker does is one move, its points on the way left out unless it hits there
(``24/18*/13``); equal moves are counted (``8/5*(2)``); ``*`` marks the move that hits. This is how gnubg
writes. Where nothing can be moved the text is ``pass``.

Reading is more generous: any case, dashes or arrows for the slash, spaces and commas, ``25`` and ``0`` for
the places off the points, points on the way written out or not, hits marked or not, the moves in any order,
the dice in front (``31: 8/5 6/5``). But nothing false: a star where nothing is hit, or a way that the dice
cannot go, is refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from engine.errors import IllegalPlay
from engine.messages import one_of, phrase, phrase_number
from engine.names import dashed, named
from engine.position import Dice
from engine.rules._generator import Way, Ways, steps
from engine.rules._packed import ENTRY, EXIT, HALF, PLACES, count_first, count_second, first

PASS = "pass"
_PASSES = {
    "",
    PASS,
    "-",
    "no move",
    "cannot move",
    "can't move",
    "no play",
    "dance",
    "dances",
    "(no move)",
    "(pass)",
}

_OWN = (1 << HALF) - 1


@dataclass(frozen=True, slots=True)
class Words:
    """How a game writes the mover's places."""

    entry: str
    """Where checkers enter from, in text and as the name of cells: ``bar``."""
    exit: str
    """Where they end: ``off``."""
    exit_short: str
    """The same in the text of a play: ``off``, ``lock``."""
    rising: bool = False
    """Whether own points are counted from the entry (1 is the first to enter on) and not from the exit."""
    zone: int = 0
    """The highest place of a mover's board on which a checker ends its way."""

    def name(self, place: int) -> str:
        """What a player calls this place of a mover's board."""
        if place == ENTRY:
            return self.entry
        if place == EXIT:
            return self.exit_short
        return str(ENTRY - place if self.rising else place)

    def place(self, name: str) -> int | None:
        """The inverse of :meth:`name`; None where there is no such place."""
        if name.isdecimal():
            number = int(name[:4])  # no board has as many places
            place = ENTRY - number if self.rising else number
            return place if EXIT <= place <= ENTRY else None
        if name == self.entry:
            return ENTRY
        return EXIT if name in (self.exit_short, self.exit) else None


class _Move(NamedTuple):
    """One checker's (or several's) way: every place that the text mentions, and which of them are starred."""

    places: tuple[int, ...]
    stars: frozenset[int]
    times: int


def write(board: int, result: int, dice: Dice, ways: Ways, words: Words) -> str:
    """The text of the play that turns one mover's board into the other."""
    chains: list[tuple[Way, ...]] = []
    for way in steps(board, result, dice, ways):
        place = next((place for place, chain in enumerate(chains) if chain[-1].target == way.source), None)
        if place is None:
            chains.append((way,))
        else:
            chains[place] += (way,)
    alike: dict[str, list[tuple[Way, ...]]] = {}
    for chain in chains:
        alike.setdefault(_write_chain(board, chain, words), []).append(chain)
    texts = []
    for group in alike.values():  # what an earlier move has hit, a later one does not hit again
        texts.append(_write_chain(board, group[0], words) + (f"({len(group)})" if len(group) > 1 else ""))
        board += sum(way.hit for way in group[0] if board & way.blot)
    return " ".join(texts) or PASS


def _write_chain(board: int, chain: Sequence[Way], words: Words) -> str:
    parts = [words.name(chain[0].source)]
    for way in chain:
        if board & way.blot:
            parts.append(words.name(way.landing) + "*")
        if way is chain[-1] and (way.target == EXIT or not board & way.blot):
            parts.append(words.name(way.target))
    return "/".join(parts)


def find(text: str, board: int, boards: Sequence[int], dice: Dice, ways: Ways, words: Words) -> int:
    """The one of ``boards``, the results of ``board`` and ``dice``, that ``text`` names. Raises
    IllegalPlay."""
    rolled = dashed(dice)
    plain = re.sub(r"\s+", " ", text.strip().lower())
    prefix = re.match(r"\(?([1-6])[-/, ]?([1-6])\)? ?: ?", plain)
    if prefix:
        if sorted(map(int, prefix.groups())) != sorted(dice):
            raise IllegalPlay(
                phrase(
                    "{text!r} is a play of {other}, but the dice are {rolled}",
                    text=text,
                    other=f"{prefix[1]}-{prefix[2]}",
                    rolled=rolled,
                )
            )
        plain = plain[prefix.end() :]
    if plain in _PASSES:
        if boards[0] != board:
            raise IllegalPlay(
                phrase("{rolled} can be played here, so the turn cannot be passed", rolled=rolled)
            )
        return board
    moves = _parse(plain, words)
    wanted = _moved(moves, board, words)
    hits = _hits(moves, board, dice, words)
    fitting = {result: _hit_places(board, result) for result in boards if result & _OWN == wanted}
    if not fitting:
        most = max(len(steps(board, result, dice, ways)) for result in boards)
        raise IllegalPlay(
            phrase_number(
                "{text!r} is not a legal play of {rolled} here: {n} die must be played, legally",
                "{text!r} is not a legal play of {rolled} here: {n} dice must be played, each legally",
                most,
                text=text,
                rolled=rolled,
            )
        )
    fitting = {result: places - hits for result, places in fitting.items() if places >= hits}
    if not fitting:
        raise IllegalPlay(
            phrase(
                "{text!r}: no legal play of {rolled} makes these moves and hits so", text=text, rolled=rolled
            )
        )
    fewest = min(map(len, fitting.values()))
    chosen = [result for result, more in fitting.items() if len(more) == fewest]
    if len(chosen) > 1:
        names = sorted(words.name(place) for result in chosen for place in fitting[result])
        raise IllegalPlay(
            phrase(
                "{text!r} is not clear: it may hit on {names}; write the points on the way",
                text=text,
                names=one_of(names),
            )
        )
    return chosen[0]


def _parse(plain: str, words: Words) -> list[_Move]:
    spaced = re.sub(r" ?(?:->|[-/–—−→>]) ?", "/", re.sub(r"[,;]", " ", plain))
    parts = re.sub(r" +(?=[*(])", "", spaced).split()
    moves = []
    for part in parts:
        shape = re.fullmatch(r"(\w+\*?(?:/\w+\*?)+)(?:\(([1-4])\))?", part)
        if not shape:
            example = one_of(
                [
                    f"{words.name(20)}/{words.name(14)}",
                    f"{words.entry}/{words.name(22)}",
                    f"{words.name(words.zone + 4)}/{words.exit_short}",
                ]
            )
            raise IllegalPlay(
                phrase("{part!r} is not a move; write one as {example}", part=part, example=example)
            )
        names = shape[1].split("/")
        places = [words.place(name.rstrip("*")) for name in names]
        known = tuple(place for place in places if place is not None)
        if len(known) < len(places):
            raise IllegalPlay(
                phrase(
                    "{place!r} in {part!r} is not a place of this game",
                    place=names[places.index(None)],
                    part=part,
                )
            )
        if any(one <= other for one, other in pairwise(known)):
            raise IllegalPlay(phrase("{part!r} does not move forward", part=part))
        stars = frozenset(place for place, name in zip(known, names, strict=True) if name.endswith("*"))
        moves.append(_Move(known, stars, int(shape[2] or 1)))
    return moves


def _moved(moves: Sequence[_Move], board: int, words: Words) -> int:
    """The mover's half after the moves, whatever the dice."""
    own = [count_first(board, place) for place in range(PLACES)]
    for move in moves:
        own[move.places[0]] -= move.times
        own[EXIT if move.places[-1] <= words.zone else move.places[-1]] += move.times
    for place, number in enumerate(own):
        if number < 0:
            raise IllegalPlay(
                phrase(
                    "there are not that many checkers to move from {place}", place=named(words.name(place))
                )
            )
    return sum(number * first(place) for place, number in enumerate(own))


def _hits(moves: Sequence[_Move], board: int, dice: Dice, words: Words) -> set[int]:
    """Where the moves hit by their own account: every point that they mention and a blot stands on."""
    reach = {dice[0], dice[1], sum(dice)} | {dice[0] * times for times in range(1, 5) if dice[0] == dice[1]}
    hits = set()
    for move in moves:
        for place, following in pairwise(move.places):
            if following != EXIT and place - following not in reach:
                raise IllegalPlay(
                    phrase(
                        "{move} cannot be made with {dice}",
                        move=f"{words.name(place)}/{words.name(following)}",
                        dice=dashed(dice),
                    )
                )
            enemies = count_second(board, following) if following != EXIT else 0
            if enemies > 1:
                raise IllegalPlay(
                    phrase(
                        "{point} is held by {number} enemy checkers",
                        point=words.name(following),
                        number=enemies,
                    )
                )
            if enemies:
                hits.add(following)
            elif following in move.stars:
                raise IllegalPlay(
                    phrase(
                        "nothing is hit on {point}: no enemy checker stands there",
                        point=words.name(following),
                    )
                )
    return hits


def _hit_places(board: int, result: int) -> set[int]:
    """The points whose enemy checker is gone."""
    return {place for place in range(1, ENTRY) if count_second(board, place) > count_second(result, place)}
