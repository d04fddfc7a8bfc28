"""What can be wrong with one game of a match: its beginning, its cube, its result, its dice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.errors import EngineError
from engine.match import Match
from engine.messages import phrase
from engine.names import named
from engine.outside import LARGEST, shown
from engine.record import Doubled, GameRecord, MatchRecord, Moment, Result, Rolled, Scored
from engine.words import wins
from hardware.dice import DiceMismatch, verify


class Fault(Exception):
    """What is wrong with a log, and where."""


def check_proved(match: MatchRecord) -> None:
    """Checks that a finished match whose dice are committed to proves the dice of every game. A game that
    began from a position set up with dice to play has no commitment. Raises Fault."""
    if all(game.proof is None for game in match.games):
        return
    for number, game in enumerate(match.games, 1):
        if game.proof is not None and not game.proof.secret:
            raise Fault(
                phrase(
                    "game {n}: the match is finished, but the secret of these dice is missing: nothing proves"
                    " them. A table publishes it within a minute of the end, or when the next match begins",
                    n=number,
                )
            )
        if (
            game.proof is None
            and game.start is None
            and any(isinstance(each, Rolled) for each in game.actions)
        ):
            raise Fault(
                phrase(
                    "game {n}: its dice are not committed to, and those of other games are: nothing proves"
                    " them",
                    n=number,
                )
            )


def check_begin(number: int, match: MatchRecord, game: GameRecord, so_far: Match) -> None:
    """Checks a game's score and whether it is the Crawford game, by ``so_far``, the match after the games
    before. Raises Fault."""
    before = match.games[number - 2] if number > 1 else None
    due = f"{so_far.score[0]}-{so_far.score[1]}"
    if so_far.winner is not None:
        raise Fault(
            phrase("game {n}: {side} had won the match before it", n=number, side=named(so_far.winner))
        )
    if before is not None and before.result is None:
        raise Fault(phrase("game {n}: the game before it has no end: its last lines are missing", n=number))
    if game.score != so_far.score:
        begins = f"{game.score[0]}-{game.score[1]}"
        if number > 1:
            raise Fault(
                phrase(
                    "game {n}: begins at {score}, but game {before} leads to {due}",
                    n=number,
                    score=begins,
                    before=number - 1,
                    due=due,
                )
            )
        raise Fault(
            phrase(
                "game {n}: begins at {score}, but the match begins at {due}", n=number, score=begins, due=due
            )
        )
    if game.crawford != so_far.crawford:
        if game.crawford:
            raise Fault(
                phrase(
                    "game {n}: is marked as the Crawford game, but at {due} it is not one", n=number, due=due
                )
            )
        raise Fault(
            phrase("game {n}: is not marked as the Crawford game, but at {due} it is one", n=number, due=due)
        )


def score_after(number: int, game: GameRecord, so_far: Match) -> Match:
    """The match after a game. Raises Fault where a score was set by hand that cannot be."""
    ended = False
    for place, action in enumerate(game.actions, 1):
        if isinstance(action, Scored) and action.by == "time":
            so_far = replace(so_far, score=action.score)
        elif isinstance(action, Scored):
            ended = game.result is not None and place == len(game.actions)
            so_far = _set_by_hand(number, place, action, so_far)
    result = game.result
    if result is None:
        return so_far
    won = so_far if ended else so_far.award(result.winner, result.points)
    return won if won.winner is not None else won.next(tie=result.winner is None)


def check_cube(number: int, game: GameRecord, so_far: Match) -> None:
    """Checks that nobody doubles where the cube is out of play. A score that is set by hand may begin or end
    the Crawford game. Raises Fault."""
    for place, action in enumerate(game.actions, 1):
        if isinstance(action, Doubled) and (so_far.crawford or not so_far.terms.cube):
            what = (
                phrase("a double in the Crawford game")
                if so_far.crawford
                else phrase("a double in a match without the cube")
            )
            raise Fault(of_action(number, place, what))
        if isinstance(action, Scored) and action.by != "time":
            so_far = _set_by_hand(number, place, action, so_far)


def _set_by_hand(number: int, place: int, action: Scored, so_far: Match) -> Match:
    try:
        return so_far.corrected(action.score, action.by == "after")
    except EngineError as error:
        raise Fault(of_action(number, place, str(error))) from error


def check_result(
    number: int, game: GameRecord, moments: Sequence[Moment], found: Result | None, whole: bool
) -> None:
    """Checks a game's result by ``found``, where its moves lead. Raises Fault."""
    if found is not None and game.result is None:
        raise Fault(
            phrase(
                "game {n}: its result is missing; its moves lead to {found}", n=number, found=_describe(found)
            )
        )
    if found is not None and game.result != found:
        assert game.result is not None
        logged = _describe(game.result)
        raise Fault(
            phrase(
                "game {n}: the result is logged as {logged}, but its moves lead to {found}",
                n=number,
                logged=logged,
                found=_describe(found),
            )
        )
    if whole and found is None and game.result is not None and game.result.cause != "time":
        last = phrase("after action {place}", place=len(game.actions)) if moments else phrase("in it")
        raise Fault(
            phrase(
                "game {n}: a result is logged, but {last} nothing ends the game: its last lines are missing"
                " or altered",
                n=number,
                last=last,
            )
        )


def check_bound(number: int, match: MatchRecord, game: GameRecord, log: str | None) -> None:
    """Checks that a commitment is used for the game and the match that it was made for. Raises Fault."""
    proof = game.proof
    if proof is None or proof.form == 1:
        return
    if not 0 <= proof.round <= LARGEST:
        raise Fault(phrase("game {n}: drand has no round {round}", n=number, round=shown(proof.round)))
    if proof.game != number:
        raise Fault(phrase("game {n}: its dice were committed to for game {game}", n=number, game=proof.game))
    others = {each.proof.match for each in match.games if each.proof is not None and each.proof.form != 1}
    if log not in (None, proof.match):
        raise Fault(
            phrase(
                "game {n}: its dice were committed to for another match, {match!r}",
                n=number,
                match=proof.match,
            )
        )
    if len(others) > 1:
        raise Fault(
            phrase(
                "game {n}: dice were committed to for different matches: {matches}",
                n=number,
                matches=", ".join(sorted(others)),
            )
        )


def check_dice(number: int, game: GameRecord, last: bool) -> tuple[int, int, bool]:
    """How many rolls came from the secret, how many were not the device's, and whether the secret is not
    published yet. Raises Fault at a roll that is neither. Only the ``last`` game may lack its secret: it is
    published when the end cannot be taken back."""
    rolls = [(place, action) for place, action in enumerate(game.actions, 1) if isinstance(action, Rolled)]
    drawn = [(place, action.number, action.dice) for place, action in rolls if action.number is not None]
    own = len(rolls) - len(drawn)
    if game.proof is None:
        if drawn:
            place, roll, _ = drawn[0]
            missing = phrase("the device drew roll {roll}, but its commitment is missing", roll=roll)
            raise Fault(of_action(number, place, missing))
        return 0, own, False
    sealed = last and not game.proof.secret
    before = 0
    for place, roll, dice in drawn:
        if roll > before + 1:
            missing = phrase("roll {due} is missing; roll {roll} is in its place", due=before + 1, roll=roll)
            raise Fault(of_action(number, place, missing))
        if not sealed:
            try:
                verify(game.proof, [(roll, dice)])
            except DiceMismatch as error:
                raise Fault(of_action(number, place, str(error))) from error
        if roll <= before:
            twice = phrase(
                "roll {roll} follows roll {before}: used twice, or lines were exchanged",
                roll=roll,
                before=before,
            )
            raise Fault(of_action(number, place, twice))
        before = roll
    return (0 if sealed else len(drawn)), own, sealed


def _describe(result: Result) -> str:
    winner = None if result.winner is None else named(result.winner)
    words = wins(winner, result.kind, result.points)
    return phrase("{result} ({cause})", result=words, cause=named(result.cause))


def of_game(game: int | str, fault: str) -> str:
    """A fault with the game of a match, or the log, that it is in."""
    return phrase("game {log}: {fault}", log=game, fault=fault)


def of_action(number: int, place: int, fault: str) -> str:
    """A fault with its game and its action."""
    return phrase("game {n}, action {place}: {fault}", n=number, place=place, fault=fault)


def of_entry(log: str, number: int, fault: str) -> str:
    """A fault with the entry of a log that it is in."""
    return phrase("game {log}, entry {number}: {fault}", log=log, number=number, fault=fault)
