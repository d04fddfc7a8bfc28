"""Which roll was it? For players who roll their own dice and do not say.

Every roll that the position could take is judged against the same picture. The best explanation of all (legal
or not) does not depend on the roll, so the gaps of these judgements can be compared: a play is believed if it
is legal by some roll and no *other result* of any roll explains the picture about as well. Several rolls may
explain one result; all are named.

A roll that would have ended the game at once (where a player who cannot play loses) leaves no play to see and
cannot be inferred.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations_with_replacement, permutations

from engine.errors import EngineError
from engine.evidence import Evidence
from engine.judge import APART, Kind, Verdict, judge, likeliest
from engine.layout import Side
from engine.position import Awaits, Dice, Play, Position


@dataclass(frozen=True, slots=True)
class Inference:
    """The verdict over all rolls. ``dice`` are the rolls that explain its play, the higher die first (none
    where it is a foul); ``candidates`` the plays that cannot be told apart when unsure, each with its
    roll."""

    verdict: Verdict
    dice: tuple[Dice, ...]
    candidates: tuple[tuple[Dice, Play], ...]


def throws(position: Position) -> list[Dice]:
    """Every roll that may fall."""
    if position.awaits is Awaits.OPENING:
        return list(permutations(range(1, 7), position.dice_due))
    return [
        tuple(sorted(throw, reverse=True))
        for throw in combinations_with_replacement(range(1, 7), position.dice_due)
    ]


def after_throw(position: Position, throw: Dice, side: Side) -> Position | None:
    """The position to play a throw from; None where ``side`` is not to play after it."""
    rolled = position.roll(throw)
    return rolled if rolled.awaits is Awaits.PLAY and rolled.turn == side else None


def rolls(position: Position, side: Side) -> dict[Dice, Position]:
    """Every roll after which ``side`` is to play, with the position to play from."""
    after = {throw: after_throw(position, throw, side) for throw in throws(position)}
    return {throw: rolled for throw, rolled in after.items() if rolled is not None}


def infer(position: Position, evidence: Evidence, side: Side) -> Inference:
    """Judge a play by unknown dice. Raises EngineError where ``side`` could have rolled nothing to play."""
    board = likeliest(position, evidence)  # whatever was rolled
    judged = sorted(
        ((judge(rolled, evidence, board), dice) for dice, rolled in rolls(position, side).items()),
        key=lambda each: each[0].gap,
    )
    if not judged:
        raise EngineError(f"{side} cannot have rolled here")
    best = judged[0][0]
    near = [(verdict, dice) for verdict, dice in judged if verdict.gap - best.gap < APART]
    same = tuple(dice for verdict, dice in near if verdict.play.after == best.play.after)
    if best.kind is Kind.ILLEGAL:
        return Inference(min((verdict for verdict, _ in judged), key=lambda each: len(each.cells)), (), ())
    if best.kind is Kind.LEGAL and len(same) == len(near):
        return Inference(best, same, ())
    candidates: dict[Position, tuple[Dice, Play]] = {}
    for verdict, dice in near:
        for play in verdict.candidates or (verdict.play,):
            candidates.setdefault(play.after, (dice, play))
    plays = tuple(play for _, play in candidates.values())
    return Inference(replace(best, kind=Kind.UNSURE, candidates=plays), same, tuple(candidates.values()))
