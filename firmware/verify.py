"""Whether a log is what it says: its chain whole, its dice as committed, its every move as the rules have it."""

from __future__ import annotations

from collections.abc import Sequence

from engine.errors import EngineError
from engine.record import GameRecord, MatchRecord, Moment, Result, Rolled, replay, result_of
from firmware.archive import record
from firmware.journal import Entry, Journal, JournalError, check_chain
from firmware.seal import BrokenSeal, check
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
    head = f", the last {entries[-1].digest.hex()[:16]}" if entries else ""
    return [f"chain of {_counted(len(entries), 'entry', 'entries')} whole{head}", *check_record(match)]


def check_journal(journal: Journal) -> list[str]:
    """Checks a journal, the file itself and every log in it. Raises Fault, with each log that is not in order."""
    faults = []
    try:
        journal.check_file()
        names = journal.names()
    except JournalError as error:
        raise Fault(str(error)) from error
    for name in names:
        try:
            check_log(name, journal.entries(name))
        except JournalError as error:
            faults.append(f"game {name}: {error}")
        except Fault as fault:
            faults.append(str(fault) if name in str(fault) else f"game {name}: {fault}")
    if faults:
        raise Fault("; ".join(faults))
    return ["the file sound", f"{_counted(len(names), 'log')} in order"]


def check_sealed(match: MatchRecord, seal: list[str] | None) -> list[str]:
    """Checks a match out of a file, its seal too where it has one. Raises Fault."""
    if seal is None:
        return check_record(match)
    try:
        check(match, seal)
    except BrokenSeal as error:
        raise Fault(str(error)) from error
    return [f"seal of {_counted(len(seal), 'line')} whole, the last {seal[-1]}", *check_record(match)]


def check_record(match: MatchRecord) -> list[str]:
    """Checks a match record: its moves, results, Crawford game and dice. Raises Fault."""
    plays = proved = foreign = 0
    for number, game in enumerate(match.games, 1):
        try:
            moments = list(replay(match, game))
        except EngineError as error:
            raise Fault(f"game {number}: {error}") from error
        _check_result(number, game, moments, result_of(match, moments))
        plays += sum(moment.play is not None for moment in moments)
        drawn, own = _check_dice(number, game)
        proved += drawn
        foreign += own
    told = f"{_counted(plays, 'play')} legal by the rules of {match.rules}, in {_counted(len(match.games), 'game')}"
    dice = f"{_counted(proved, 'roll')} as committed" if proved else "no dice were committed to"
    return [told, dice, *([f"{_counted(foreign, 'roll')} not drawn by the device"] if foreign and proved else [])]


def _check_result(number: int, game: GameRecord, moments: Sequence[Moment], found: Result | None) -> None:
    if found is not None and game.result is None:
        raise Fault(f"game {number}: its result is missing; its moves lead to {_result(found)}")
    if found is not None and game.result != found:
        assert game.result is not None
        raise Fault(f"game {number}: the result is logged as {_result(game.result)}, but its moves lead to {_result(found)}")
    if found is None and game.result is not None and game.result.cause != "time":
        last = f"after action {len(game.actions)}" if moments else "in it"
        raise Fault(f"game {number}: a result is logged, but {last} nothing ends it: its last lines are missing or altered")


def _check_dice(number: int, game: GameRecord) -> tuple[int, int]:
    """How many rolls the secret gave, and how many were not the device's. Raises Fault at one that is neither."""
    rolls = [(place, action) for place, action in enumerate(game.actions, 1) if isinstance(action, Rolled)]
    drawn = [(place, action.number, action.dice) for place, action in rolls if action.number is not None]
    if game.proof is None:
        if drawn:
            raise Fault(f"game {number}, action {drawn[0][0]}: roll {drawn[0][1]} was drawn by the device, but its commitment is missing")
        return 0, len(rolls)
    if game.result is None and not game.proof.secret:
        return 0, len(rolls)  # still being played: the secret is due at its end
    last = 0
    for place, roll, dice in drawn:
        if roll > last + 1:
            raise Fault(f"game {number}, action {place}: roll {last + 1} is missing; roll {roll} stands in its place")
        try:
            verify(game.proof, [(roll, dice)])
        except DiceMismatch as error:
            raise Fault(f"game {number}, action {place}: {error}") from error
        if roll <= last:
            raise Fault(f"game {number}, action {place}: roll {roll} follows roll {last}: a number was used twice, or lines were exchanged")
        last = roll
    return len(drawn), len(rolls) - len(drawn)


def _result(result: Result) -> str:
    return f"{result.winner or 'nobody'} wins, {result.kind}, {_counted(result.points, 'point')} ({result.cause})"


def _counted(number: int, name: str, names: str = "") -> str:
    return f"{number} {name}" if number == 1 else f"{number} {names or name + 's'}"
