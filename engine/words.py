"""Judgements in plain words, for any game: what differs, where, and what would have been legal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from engine.judge import Verdict
from engine.layout import Cell, Looks, Piece, cell_text, differing
from engine.position import Dice, Play, Position

LEGAL = ": legal"
"""Ends what is said of a play that the camera saw as it is."""
NO_MOVE = ": no move is possible"
"""Ends what is said where nothing could be moved."""


def roll(dice: Dice) -> str:
    """Dice as notation writes them: ``52``, the order kept."""
    return "".join(str(die) for die in dice)


def cells(names: Iterable[Cell], called: Callable[[Cell], str] = cell_text) -> str:
    """Several cells: ``7, 8 and 11``; a cell that is named twice reads ``8 twice``. ``called`` names one."""
    times = Counter(names)
    listed = [
        called(name) + {1: "", 2: " twice"}.get(count, f" {count} times") for name, count in times.items()
    ]
    return (
        listed[0]
        if len(listed) == 1
        else f"{', '.join(listed[:-1])} and {listed[-1]}"
        if listed
        else "nothing"
    )


def legal(play: Play, other_rolls: tuple[Dice, ...] = ()) -> str:
    """``24/18 13/10*: legal``."""
    told = f"{play.text}{LEGAL if play.steps else NO_MOVE}"
    return told + (
        f" ({', '.join(roll(dice) for dice in other_rolls)} explain it too)" if other_rolls else ""
    )


MISFIT = (
    "the picture fits no legal play, and no mistake that people make: light the board evenly, take away what"
    " covers or shades it, and press done again (if it goes on: calibrate again)"
)
"""What to say, and how to fix it, where a picture does not fit the board."""


def misfit(candidates: tuple[str, ...]) -> str:
    """The question to the players where not even a foul explains the picture."""
    return f"{MISFIT}. Was it {', or '.join(candidates)}?" if candidates else MISFIT


def unsure(candidates: tuple[str, ...]) -> str:
    """The question to the players."""
    if len(candidates) > 1:
        return f"the picture does not show which play it was: {', or '.join(candidates)}?"
    return (
        f"the picture does not show whether it was {candidates[0]}"
        if candidates
        else "the picture does not show what was played"
    )


def disputed(dice: Dice, candidates: tuple[str, ...]) -> str:
    """The question where the dice that the camera read do not allow a play that others do."""
    return (
        f"the dice were read as {'-'.join(map(str, dice))}, which do not allow this play: look at the dice."
        f" Was it {', or '.join(candidates)}? Otherwise fix the play, and press done again"
    )


def foul(before: Position, verdict: Verdict, dice: Dice, player: Callable[[str], str] = str) -> str:
    """What was seen, that the dice do not allow it, and the nearest play that they do. ``player`` says what a
    side is called."""
    called = _names(before, player)
    rolled = f" with {'-'.join(map(str, dice))}" if dice else ""
    reason = before.why(verdict.seen) or f"no legal play{rolled} does that"
    nearest = verdict.play.text if verdict.play.steps else "leave everything where it was"
    seen = moved(before.looks(), verdict.seen, called, player)
    return (
        f"{seen}. {reason[0].upper()}{reason[1:].removesuffix('.')}."
        f" Nearest legal play: {nearest} (look at {cells(verdict.cells, called)})"
    )


def other_play(before: Position, verdict: Verdict, player: Callable[[str], str] = str) -> str:
    """What was seen where another play was said. ``player`` says what a side is called."""
    called = _names(before, player)
    return (
        f"{moved(before.looks(), verdict.seen, called, player)}. The play is {verdict.play.text}"
        f" (look at {cells(verdict.cells, called)})"
    )


def scored(kind: str, points: int) -> str:
    """A grade and its points: ``gammon, 2 points``. A game that knows but one way to win has no grade to
    tell."""
    counted = f"{points} point{'' if points == 1 else 's'}"
    return counted if kind == "win" else f"{kind}, {counted}"


def _names(position: Position, player: Callable[[str], str]) -> Callable[[Cell], str]:
    """The names of cells as the side on turn uses them in its plays; the other side's places are its
    player's."""
    turn = position.turn
    if turn is None:
        return cell_text

    def named(cell: Cell) -> str:
        owner, theirs, place = position.called(cell, turn).partition("'s ")
        return f"{player(owner)}{theirs}{place}" if theirs else owner

    return named


def moved(
    before: Looks,
    seen: Looks,
    called: Callable[[Cell], str] = cell_text,
    player: Callable[[str], str] = str,
) -> str:
    """What left where and came where, piece by piece: ``Ann left 8, came to 7``."""
    left: dict[Piece, list[Cell]] = {}
    came: dict[Piece, list[Cell]] = {}
    for name in differing(before, seen):
        had, has = Counter(before[name]), Counter(seen[name])
        for piece in (had - has).elements():
            left.setdefault(piece, []).append(name)
        for piece in (has - had).elements():
            came.setdefault(piece, []).append(name)
    told = []
    for piece in sorted(left.keys() | came.keys()):
        gone = [f"left {cells(left[piece], called)}"] if piece in left else []
        told.append(
            f"{'.'.join(map(player, piece.split('.')))}"
            f" {', '.join([*gone, f'came to {cells(came[piece], called)}'] if piece in came else gone)}"
        )
    return "; ".join(told) if told else "nothing moved"
