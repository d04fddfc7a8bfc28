"""Whether a log is what it says: its chain whole, its dice as committed, its every move as the rules have it."""

from __future__ import annotations

from collections.abc import Sequence

from engine.errors import EngineError
from engine.record import GameRecord, MatchRecord, Rolled, replay, result_of
from firmware.archive import record
from firmware.journal import Entry, JournalError, check_chain
from hardware.dice import DiceMismatch, verify


class Fault(Exception):
    """What is wrong with a log, and where."""


def check_log(game: str, entries: Sequence[Entry]) -> list[str]:
    """Checks a log from the journal; what was found in order, in words. Raises Fault."""
    try:
        check_chain(game, entries)
        match = record(entries)
    except JournalError as error:
        raise Fault(str(error)) from error
    return [f"chain of {len(entries)} entries whole", *check_record(match)]


def check_record(match: MatchRecord) -> list[str]:
    """Checks a match record: its moves, results, scores and dice. Raises Fault."""
    moves = 0
    proved = 0
    for number, game in enumerate(match.games, 1):
        try:
            moments = list(replay(match, game))
        except EngineError as error:
            raise Fault(f"game {number}: {error}") from error
        found = result_of(match, moments)
        if found is not None and game.result is not None and game.result != found:
            raise Fault(f"game {number}: the result is logged as {game.result}, but its moves lead to {found}")
        if found is None and game.result is not None and game.result.cause == "played":
            raise Fault(f"game {number}: a result is logged, but its moves do not end it")
        moves += sum(moment.play is not None for moment in moments)
        proved += _check_dice(number, game)
    told = f"{_counted(moves, 'play')} legal by the rules of {match.rules}, in {_counted(len(match.games), 'game')}"
    return [told, f"{_counted(proved, 'roll')} as committed" if proved else "no dice were committed to"]


def _counted(number: int, name: str) -> str:
    return f"{number} {name}" if number == 1 else f"{number} {name}s"


def _check_dice(number: int, game: GameRecord) -> int:
    rolls = [(action.number, action.dice) for action in game.actions if isinstance(action, Rolled) and action.number is not None]
    if game.proof is None or (game.result is None and not game.proof.secret):
        return 0
    try:
        verify(game.proof, rolls)
    except DiceMismatch as error:
        raise Fault(f"game {number}: {error}") from error
    return len(rolls)
