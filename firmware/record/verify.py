"""Whether a log is what it says: its chain whole, its dice as committed, its every move and score as the
rules have it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from engine import rules
from engine.errors import EngineError
from engine.events import Button
from engine.match import Match
from engine.record import Doubled, GameRecord, MatchRecord, Moment, Result, Rolled, Scored, replay, result_of
from engine.words import scored
from firmware.record.archive import IMPORT, record
from firmware.record.journal import Entry, Journal, JournalError, check_chain
from firmware.record.seal import BrokenSeal, check
from hardware.dice import DiceMismatch, verify

BACK = 5.0
"""Seconds by which table time may go back from one entry to the next: a picture is read before it counts. A
*done* may be older still: it waits for hands to leave, and is written down then."""


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
    clock = _check_clock(game, entries)
    foreign = bool(entries) and entries[0].body.get("event") == IMPORT
    found = _check_imported(match) if foreign else check_record(match)
    return [f"chain of {_counted(len(entries), 'entry', 'entries')} whole{head}", *found, *clock]


def _check_imported(match: MatchRecord) -> list[str]:
    """Checks what another program's file was read as. Raises Fault, which says that it is the file's."""
    try:
        return check_record(match)
    except Fault as fault:
        raise Fault(f"as the imported file has it, {fault}; the log itself is whole") from fault


def check_journal(journal: Journal) -> list[str]:
    """Checks a journal, the file itself and every log in it. Raises Fault, with each log that is not in
    order."""
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


def check_record(match: MatchRecord, *, whole: bool = True) -> list[str]:
    """Checks a match record: its moves, results, scores, Crawford game and dice. Raises Fault. Where it is
    not ``whole`` (a file of another program, of which some was left out), games need not follow one from the
    other."""
    plays = proved = foreign = 0
    course = Match.begin(match.terms, rules.get(match.rules).sides)
    sealed = False
    for number, game in enumerate(match.games, 1):
        if whole:
            _check_begin(number, match, game, course)
        try:
            moments = list(replay(match, game))
        except EngineError as error:
            raise Fault(f"game {number}: {error}") from error
        _check_cube(
            number, game, course if whole else replace(course, score=game.score, crawford=game.crawford)
        )
        _check_result(number, game, moments, result_of(match, moments), whole)
        plays += sum(moment.play is not None for moment in moments)
        drawn, own, sealed = _check_dice(number, game, last=number == len(match.games))
        proved += drawn
        foreign += own
        course = _after(number, game, course) if whole else course
    bound = any(game.proof is not None for game in match.games)
    games = _counted(len(match.games), "game")
    told = [f"{_counted(plays, 'play')} legal by the rules of {match.rules}, in {games}"]
    if whole:
        told.append(
            f"score {match.score[0]}-{match.score[1]}, "
            + ("the match won" if course.winner else "not at its end")
        )
    if sealed:
        told.append("the dice of the last game are committed to, and their secret is not published yet")
    elif not proved and bound:
        told.append(
            "dice were committed to, and no roll is said to be one of them: nothing proves these dice"
        )
    elif not proved:
        told.append("no dice were committed to")
    if proved:
        told.append(f"{_counted(proved, 'roll')} as committed")
    return [
        *told,
        *(
            [f"{_counted(foreign, 'roll')} not drawn by the device"]
            if foreign and (proved or sealed or bound)
            else []
        ),
    ]


def _check_begin(number: int, match: MatchRecord, game: GameRecord, course: Match) -> None:
    """The score and the Crawford game, as the games before have it."""
    before = match.games[number - 2] if number > 1 else None
    if course.winner is not None:
        raise Fault(f"game {number}: the match had been won by {course.winner} before it")
    if before is not None and before.result is None:
        raise Fault(f"game {number}: the game before it has no end: its last lines are missing")
    if game.score != course.score:
        due = f"game {number - 1} leads to" if number > 1 else "the match begins at"
        raise Fault(
            f"game {number}: begins at {game.score[0]}-{game.score[1]}, but {due}"
            f" {course.score[0]}-{course.score[1]}"
        )
    if game.crawford != course.crawford:
        told = (
            "is marked as the Crawford game, and is not by"
            if game.crawford
            else "is not marked as the Crawford game, and is by"
        )
        raise Fault(f"game {number}: {told} the score of {course.score[0]}-{course.score[1]}")


def _after(number: int, game: GameRecord, course: Match) -> Match:
    """The match after a game. Raises Fault where it cannot have been set to a score by hand."""
    ended = False
    for place, action in enumerate(game.actions, 1):
        if isinstance(action, Scored) and action.by == "time":
            course = replace(course, score=action.score)
        elif isinstance(action, Scored):
            ended = game.result is not None and place == len(game.actions)
            course = _set(number, place, action, course)
    result = game.result
    if result is None:
        return course
    won = course if ended else course.award(result.winner, result.points)
    return won if won.winner is not None else won.next(tie=result.winner is None)


def _check_cube(number: int, game: GameRecord, course: Match) -> None:
    """No double where the cube is out of play; a score that is set by hand may end the Crawford game, or make
    one."""
    for place, action in enumerate(game.actions, 1):
        if isinstance(action, Doubled) and (course.crawford or not course.terms.cube):
            what = "in the Crawford game" if course.crawford else "in a match without the cube"
            raise Fault(f"game {number}, action {place}: a double {what}")
        if isinstance(action, Scored) and action.by != "time":
            course = _set(number, place, action, course)


def _set(number: int, place: int, action: Scored, course: Match) -> Match:
    try:
        return course.corrected(action.score)
    except EngineError as error:
        raise Fault(f"game {number}, action {place}: {error}") from error


def _check_result(
    number: int, game: GameRecord, moments: Sequence[Moment], found: Result | None, whole: bool
) -> None:
    if found is not None and game.result is None:
        raise Fault(f"game {number}: its result is missing; its moves lead to {_result(found)}")
    if found is not None and game.result != found:
        assert game.result is not None
        raise Fault(
            f"game {number}: the result is logged as {_result(game.result)}, but its moves lead to"
            f" {_result(found)}"
        )
    if whole and found is None and game.result is not None and game.result.cause != "time":
        last = f"after action {len(game.actions)}" if moments else "in it"
        raise Fault(
            f"game {number}: a result is logged, but {last} nothing ends it: its last lines are missing or"
            " altered"
        )


def _check_dice(number: int, game: GameRecord, last: bool) -> tuple[int, int, bool]:
    """How many rolls the secret gave, how many were not the device's, and whether the secret is still to
    come. Raises Fault at a roll that is neither. Only of the ``last`` game may the secret be missing: it is
    published when the end cannot be taken back."""
    rolls = [(place, action) for place, action in enumerate(game.actions, 1) if isinstance(action, Rolled)]
    drawn = [(place, action.number, action.dice) for place, action in rolls if action.number is not None]
    own = len(rolls) - len(drawn)
    if game.proof is None:
        if drawn:
            raise Fault(
                f"game {number}, action {drawn[0][0]}: roll {drawn[0][1]} was drawn by the device, but its"
                " commitment is missing"
            )
        return 0, own, False
    sealed = last and not game.proof.secret
    before = 0
    for place, roll, dice in drawn:
        if roll > before + 1:
            raise Fault(
                f"game {number}, action {place}: roll {before + 1} is missing; roll {roll} stands in its"
                " place"
            )
        if not sealed:
            try:
                verify(game.proof, [(roll, dice)])
            except DiceMismatch as error:
                raise Fault(f"game {number}, action {place}: {error}") from error
        if roll <= before:
            raise Fault(
                f"game {number}, action {place}: roll {roll} follows roll {before}: used twice, or lines were"
                " exchanged"
            )
        before = roll
    return (0 if sealed else len(drawn)), own, sealed


def _check_clock(game: str, entries: Sequence[Entry]) -> list[str]:
    """Table time goes forward. The machine's clock may have been set back, which is told. Raises Fault."""
    told = []
    time = float("-inf")
    before: datetime | None = None
    for entry in entries:
        t = entry.body.get("t")
        if isinstance(t, (int, float)):
            waited = entry.body.get("button") == Button.DONE
            if t < time - BACK and not waited:
                raise Fault(
                    f"game {game}, entry {entry.number}: table time goes back, from {time:g} s to {t:g} s"
                )
            time = max(time, t)
        try:
            at = datetime.fromisoformat(entry.at)
        except ValueError:
            raise Fault(f"game {game}, entry {entry.number}: {entry.at!r} is no time") from None
        if before is not None and at < before:
            told.append(
                f"the machine's clock was set back by {(before - at).total_seconds():g} s before entry"
                f" {entry.number}"
            )
        before = at
    return told


def _result(result: Result) -> str:
    return f"{result.winner or 'nobody'} wins, {scored(result.kind, result.points)} ({result.cause})"


def _counted(number: int, name: str, names: str = "") -> str:
    return f"{number} {name}" if number == 1 else f"{number} {names or name + 's'}"
