"""Moves and positions as text.

A play is its steps, in an order that is legal step by step, parted by spaces. A step is the place it starts
from, the size of the piece (``S`` small, ``M`` medium, ``L`` large), a slash, the place it goes to, and a
mark:

========== =======================================================================
handL/20   a large piece is entered from the hand on point 20 (5)
barS/24*   a small piece comes in from the bar and captures (``*``) what holds 24 (11)
20L/14^    a large piece goes from 20 to 14 and pins (``^``) the top layer there, of either colour (12, 13)
20L/14     … and stands there alone, or joins its own layer
3M/off     a medium piece is borne off (15, 16)
3M/22      … goes past the end of the way instead and re-enters (17)
handS/22(2) the same step twice
========== =======================================================================

Points carry the numbers of the board. Which dice were chosen shows in the steps: two different numbers, or
four of one (9). A mark that is left out is understood where only one landing is possible; on a space of one's
own, no mark joins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, permutations

from engine.errors import IllegalPlay
from engine.layout import POINTS, Side, name_parts
from engine.messages import phrase
from engine.names import named
from engine.position import Dice, Outcome, Step
from engine.rules.icegammon.board import BAR, CELL, HAND, OFF, SIDES, STEP, WAY, IceState, finished, top
from engine.rules.icegammon.board import value as worth
from engine.rules.icegammon.setup import WORDS, Stage
from engine.rules.icegammon.steps import CAPTURE, LAST, PIN, Move, landings, make, may_leave, moves
from engine.rules.icegammon.turn import DOUBLED, DiceChoice, orders

ASTRAY = phrase("none of the numbers left leads there")
"""The least that can be wrong with a step: with another number something better may be said of it."""
LETTERS = {"1": "S", "2": "M", "3": "L"}
_SIZES = {letter: size for size, letter in LETTERS.items()}
_STEP = re.compile(
    r"(?P<source>hand|bar|\d{1,2})(?P<size>[SML])/(?P<target>off|\d{1,2})(?P<mark>[*^]?)(?:\((?P<times>[1-4])\))?",
    re.I,
)


def text(moves: Sequence[Move]) -> str:
    """The steps as text, one after the other; a step repeated at once is counted."""
    words = []
    for word, same in groupby(_word(move) for move in moves):
        times = len(list(same))
        words.append(word if times == 1 else f"{word}({times})")
    return " ".join(words)


def _word(move: Move) -> str:
    return f"{_place(move.source)}{LETTERS[move.size]}/{_place(move.target)}{move.mark}"


def _place(place: int) -> str:
    return str(place) if place <= LAST else name_parts(CELL[place])[0]


def steps(state: IceState, side: Side, moves: Sequence[Move]) -> Iterator[Step]:
    """The steps of a play from this state; after each, the pieces that it captured go to the bar."""
    for move in moves:
        yield Step(f"{side}.{move.size}", CELL[move.source], CELL[move.target])
        if move.mark == CAPTURE:
            loser, bag = top(state[move.target])
            for size in bag:
                yield Step(f"{loser}.{size}", CELL[move.target], CELL[BAR[loser]])
        state = make(state, side, move)


def parse(
    text: str, state: IceState, side: Side, ways: Sequence[DiceChoice]
) -> tuple[DiceChoice, tuple[Move, ...], IceState]:
    """The choice, the moves and the resulting state that a text names. Steps may be given in any order; the
    one written is tried first. Raises IllegalPlay: with the fault of the attempt that came farthest and says
    most."""
    words = [word for part in text.split() for word in _words(part, side)]
    reached, fault = (-1, False), "a play needs steps, such as 'handL/20'"
    for given in dict.fromkeys(permutations(words)) if len(words) <= DOUBLED else [tuple(words)]:
        for way in ways:
            for numbers in orders(way.numbers):
                played, end, wrong = _attempt(given, state, side, numbers)
                if wrong is None:
                    return way, played, end
                if (len(played), ASTRAY not in wrong) > reached:
                    reached, fault = (len(played), ASTRAY not in wrong), wrong
    raise IllegalPlay(phrase("{strip!r}: {fault}", strip=text.strip(), fault=fault))


def _words(part: str, side: Side) -> list[Move]:
    match = _STEP.fullmatch(part)
    if not match:
        raise IllegalPlay(
            phrase(
                "{part!r} is not a step; steps are written like 'handL/20', '20M/14*', '20M/14^' or '3S/off'",
                part=part,
            )
        )
    places = {"hand": HAND[side], "bar": BAR[side], "off": OFF[side]}
    source, target = (
        places.get(name) or int(name) for name in (match["source"].lower(), match["target"].lower())
    )
    for place in (source, target):
        if place <= LAST and place not in POINTS:
            raise IllegalPlay(phrase("{part!r}: there is no point {place}", part=part, place=place))
    return [Move(_SIZES[match["size"].upper()], source, target, match["mark"])] * int(match["times"] or 1)


def _attempt(
    given: Sequence[Move], state: IceState, side: Side, numbers: Sequence[int]
) -> tuple[tuple[Move, ...], IceState, str | None]:
    """The moves that can be made of those given, in this order with these numbers; and what is wrong with the
    next."""
    played: tuple[Move, ...] = ()
    for place, move in enumerate(given):
        if place == len(numbers) or finished(state, side):
            return played, state, f"{_word(move)} is one step too many"
        real = _meant(state, side, move, numbers[place])
        if isinstance(real, str):
            return played, state, f"{_word(move)}: {real}"
        played, state = (*played, real), make(state, side, real)
    if len(played) < len(numbers) and not finished(state, side):
        owed = numbers[len(played) :]
        return (
            played,
            state,
            f"a {' and a '.join(map(str, owed))} must still be played: a turn is played in full",
        )
    return played, state, None


def _meant(state: IceState, side: Side, move: Move, number: int) -> Move | str:
    """The legal step that is meant, its mark filled in where only one is possible; or why there is none."""
    alike = [real for real in moves(state, side, number) if real[:3] == move[:3]]
    for real in alike:
        if real.mark == move.mark:
            return real
    if len(alike) == 1 and not move.mark:
        return alike[0]
    if len(alike) > 1 and not move.mark:
        return "say whether it captures (*) or pins (^)"
    return _fault(state, side, move, number)


def _fault(state: IceState, side: Side, move: Move, number: int) -> str:
    """Why a step is not allowed, by the first rule that it breaks."""
    size, source, target, mark = move
    if state[BAR[side]] and source != BAR[side]:
        return phrase("pieces on the bar must re-enter first (11)")
    colour, bag = top(state[source]) if source <= LAST else (side, state[source])
    if colour != side or size not in bag:
        return phrase(
            "no {size} piece of {side} is free to move there", size=named(WORDS[size]), side=named(side)
        )
    reach = (STEP[side][source] if source <= LAST else 0) + number
    if target == OFF[side]:
        if reach <= LAST:
            return phrase("a {number} does not reach past the last point (16)", number=number)
        if not may_leave(state, side, size):
            return phrase("a smaller piece has not been borne off yet (15)")
    elif target != WAY[side][reach if reach <= LAST else reach - LAST]:
        return ASTRAY
    if target > LAST:
        return phrase("nothing is captured or pinned there")
    enemy, top_bag = top(state[target])
    if not landings(state[target], side, size):
        return phrase(
            "the space is blocked: {enemy}'s pieces on it are worth {worth} together (10)",
            enemy=named(enemy),
            worth=worth(top_bag),
        )
    if mark == CAPTURE:
        return phrase("there is nothing to capture")
    if mark == PIN:
        return phrase("there is nothing that this piece can pin")
    return phrase("that is not a step of this game")


def line(state: IceState, turn: Side | None, dice: Dice, stage: Stage | None, outcome: Outcome | None) -> str:
    """A position on one line: who is to do what, the piles from point 24 down (``w12b3``: White's small and
    medium, pinned by Black's large), then hand, bar and borne-off pieces."""
    if outcome:
        head = f"{outcome.winner} won a {outcome.kind}"
    elif turn is None:
        head = "to begin"
    elif stage:
        after = f", then {stage.then}" if stage.then else ""
        head = f"{turn} plays {stage.left} x {stage.number}{after}"
    else:
        head = f"{turn} plays {'-'.join(map(str, dice))}" if dice else f"{turn} to roll"
    piles = " ".join(f"{point}:{state[point]}" for point in reversed(POINTS) if state[point])
    beside = " ".join(
        f"{name}:{'/'.join(state[places[side]] or '-' for side in SIDES)}"
        for name, places in (("hand", HAND), ("bar", BAR), ("off", OFF))
    )
    return f"icegammon {head} | {piles or '-'} | {beside}"
