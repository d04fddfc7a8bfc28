"""Judgements in plain words, for any game: what differs, where, and what would have been legal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from engine.judge import Verdict
from engine.layout import Cell, Looks, Piece, Side, cell_text, differing, name_parts, point_of
from engine.messages import Message, all_of, joined, one_of, phrase, phrase_number, sentence
from engine.names import dashed, named, named_cell, named_piece
from engine.position import Dice, Play, Position

LEGAL = phrase("{play}: legal", play="")
"""What is said of a play that the camera saw as it is."""
NO_MOVE = phrase("{play}: no move is possible", play="")
"""What is said where nothing could be moved."""
UNKNOWN = phrase("{legal}; the roll is not known", legal="")
"""The same where the players did not say what they had rolled."""
TIE = phrase("a tie")
"""What is said of a game that nobody wins."""


def roll(dice: Dice) -> str:
    """Dice as notation writes them: ``52``, the order kept."""
    return "".join(str(die) for die in dice)


def cells(names: Iterable[Cell], called: Callable[[Cell], str] = named_cell) -> str:
    """Several cells: ``7, 8 and 11``; a cell that is named twice reads ``8 twice``. ``called`` names one."""
    listed = [_often(called(name), count) for name, count in Counter(names).items()]
    return all_of(listed) if listed else phrase("nothing")


def _look_at(before: Position, verdict: Verdict, called: Callable[[Cell], str]) -> str:
    """The cells that differ from the nearest legal play, in the order in which what was moved is told."""
    return cells((cell for cell in before.looks() if cell in verdict.cells), called)


def _often(cell: str, times: int) -> str:
    if times == 1:
        return cell
    if times == 2:
        return phrase("{cell} twice", cell=cell)
    return phrase("{cell} ({n} times)", cell=cell, n=times)


def legal(play: Play, other_rolls: tuple[Dice, ...] = ()) -> str:
    """``24/18 13/10*: legal``."""
    told = phrase((LEGAL if play.steps else NO_MOVE).pattern, play=play.text)
    if not other_rolls:
        return told
    if not play.steps:
        return phrase(UNKNOWN.pattern, legal=told)
    return phrase(
        "{legal} ({rolls} explain it too)", legal=told, rolls=joined(phrase(", "), map(roll, other_rolls))
    )


def made_of(text: str, message: Message) -> bool:
    """Whether a text is ``message`` about something."""
    return isinstance(text, Message) and text.pattern == message.pattern


MISFIT = phrase(
    "the picture fits no legal play, and not surely a mistake that people make: light the board evenly, take"
    " away what covers or shades it, and press done again (if it goes on: calibrate again)"
)
"""What to say, and how to fix it, where a picture does not fit the board."""


def misfit(candidates: tuple[str, ...]) -> str:
    """The question to the players where not even a foul explains the picture."""
    return (
        phrase("{misfit}. Was it {plays}?", misfit=MISFIT, plays=one_of(candidates)) if candidates else MISFIT
    )


def unsure(candidates: tuple[str, ...]) -> str:
    """The question to the players."""
    if len(candidates) > 1:
        return phrase("the picture does not show which play it was: {plays}?", plays=one_of(candidates))
    if candidates:
        return phrase("the picture does not show whether it was {play}", play=candidates[0])
    return phrase("the picture does not show what was played")


def disputed(dice: Dice, candidates: tuple[str, ...]) -> str:
    """The question where the dice that the camera read do not allow a play that others do."""
    return phrase(
        "the dice were read as {dice}, which do not allow this play: look at the dice."
        " Was it {plays}? Otherwise fix the play, and press done again",
        dice=dashed(dice),
        plays=one_of(candidates),
    )


def foul(
    before: Position,
    verdict: Verdict,
    dice: Dice,
    player: Callable[[str], str] = named,
    side: Side | None = None,
) -> str:
    """What was seen, that the dice do not allow it, and the nearest play that they do. ``player`` says what a
    side is called, ``side`` who has played where nobody is on turn: before an opening roll that is found."""
    called = _names(before, player, before.turn or side)
    if before.dice_due:
        no_play = phrase("no roll explains this")
    elif differing(before.looks(), verdict.seen):
        no_play = phrase("no legal play does that")
        if dice:
            no_play = phrase("no legal play with {dice} does that", dice=dashed(dice))
    else:
        turn = player(before.turn or "")
        no_play = phrase("{player} must play and press done", player=turn)
        if dice:
            no_play = phrase("{player} must play; the dice are {dice}", player=turn, dice=dashed(dice))
    return phrase(
        "{seen}. {reason}. Nearest legal play: {play} (look at {cells})",
        seen=moved(before.looks(), verdict.seen, called, player),
        reason=sentence(before.why(verdict.seen, player) or no_play),
        play=verdict.play.text if verdict.play.steps else phrase("leave everything where it was"),
        cells=_look_at(before, verdict, called),
    )


def other_play(before: Position, verdict: Verdict, player: Callable[[str], str]) -> str:
    """What was seen where another play was said. ``player`` says what a side is called."""
    called = _names(before, player, before.turn)
    return phrase(
        "{seen}. The play is {play} (look at {cells})",
        seen=moved(before.looks(), verdict.seen, called, player),
        play=verdict.play.text,
        cells=_look_at(before, verdict, called),
    )


def astray(position: Position, seen: Looks, player: Callable[[str], str] = named) -> str:
    """Where the board is not as the game has it, before anybody plays. ``player`` says what a side is
    called."""
    called, before = _names(position, player, position.turn), position.looks()
    return phrase(
        "the board is not as the game has it: {seen} (look at {cells}). Put it right, or correct the position"
        " on the page",
        seen=moved(before, seen, called, player),
        cells=_as_counted(position, differing(before, seen), called, player),
    )


def not_set_up(start: Position, seen: Looks, player: Callable[[str], str]) -> str:
    """Where the board is not as the next game begins. ``player`` says what a side is called."""
    called, before = _names(start, player, start.turn), start.looks()
    return phrase(
        "the next game begins when the board is set up as at its start: {seen} (look at {cells})",
        seen=moved(before, seen, called, player),
        cells=_as_counted(start, differing(before, seen), called, player),
    )


def _as_counted(
    position: Position, where: tuple[Cell, ...], called: Callable[[Cell], str], player: Callable[[str], str]
) -> str:
    """Several cells; where nobody is on turn and the sides count the points each in its own way, also who
    counts so."""
    first, second = position.rules.sides
    points = [cell for cell in where if point_of(cell)]
    alike = all(position.called(cell, first) == position.called(cell, second) for cell in points)
    if position.turn is not None or alike:
        return cells(where, called)
    return phrase("{cells}, as {player} counts", cells=cells(where, called), player=player(first))


def points(number: int) -> str:
    """``2 points``."""
    return phrase_number("{n} point", "{n} points", number)


def scored(kind: str, number: int) -> str:
    """A grade and its points: ``gammon, 2 points``. A game that knows but one way to win has no grade to
    tell."""
    if kind == "win":
        return points(number)
    return phrase("{grade}, {points}", grade=named(kind), points=points(number))


def wins(player: str | None, kind: str, number: int) -> str:
    """How a game ends: ``Anna wins, gammon, 2 points``; ``player`` is None where nobody wins."""
    if player is None:
        return TIE
    return phrase("{player} wins, {points}", player=player, points=scored(kind, number))


def _names(position: Position, player: Callable[[str], str], side: Side | None) -> Callable[[Cell], str]:
    """The names of cells as this side uses them in its plays; the other side's places are its player's. Where
    it is nobody's turn, the first side counts the points."""
    counts = side or position.rules.sides[0]

    def called(cell: Cell) -> str:
        text = cell_text(cell) if side is None and not point_of(cell) else position.called(cell, counts)
        return named_cell(cell, player(name_parts(cell)[1])) if text == cell_text(cell) else named(text)

    return called


def moved(
    before: Looks,
    seen: Looks,
    called: Callable[[Cell], str] = named_cell,
    player: Callable[[str], str] = named,
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
    told = [
        _way(piece, left.get(piece, []), came.get(piece, []), called, player) for piece in sorted(left | came)
    ]
    return joined(phrase("; "), told) if told else phrase("nothing moved")


def _way(
    piece: Piece,
    left: list[Cell],
    came: list[Cell],
    called: Callable[[Cell], str],
    player: Callable[[str], str],
) -> str:
    """What pieces of a kind did; ``came off`` where all that left, or one from nowhere, is in its tray."""
    off = len(came) == (len(left) or 1) and set(came) == {f"off.{name_parts(piece)[0]}"}
    what, away, here = named_piece(piece, player), cells(left, called), cells(came, called)
    if off and not left:
        return phrase("{piece} came off", piece=what)
    if off:
        return phrase("{piece} left {left}, came off", piece=what, left=away)
    if not came:
        return phrase("{piece} left {left}", piece=what, left=away)
    if not left:
        return phrase("{piece} came to {came}", piece=what, came=here)
    return phrase("{piece} left {left}, came to {came}", piece=what, left=away, came=here)
