"""A game put together again, action by action, from a file that says less than a record holds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from engine import rules as games
from engine.layout import Side
from engine.match import Terms
from engine.messages import phrase
from engine.names import named
from engine.position import Awaits, Dice, Json
from engine.record import (
    Action,
    Beavered,
    Doubled,
    GameRecord,
    GameState,
    MatchRecord,
    Moment,
    Played,
    Remark,
    Resigned,
    Result,
    Rolled,
    Scored,
    Stood,
    Taken,
    ends,
    opening,
    replay,
    result_of,
    step,
)
from firmware.formats.board import SIDES, BoardCounts, Hop
from firmware.formats.source import FormatError, whole_number


class GameBuilder:
    """One game while it is read. Every action is checked against the rules as it is added; one that cannot be
    is refused with an EngineError or FormatError and changes nothing."""

    def __init__(self, match: MatchRecord, game: GameRecord) -> None:
        self.match = match
        self.game = game
        self.state: GameState = opening(match, game)
        self.moments: list[Moment] = []

    @property
    def over(self) -> bool:
        """Whether the actions so far have ended the game."""
        return any(
            ends(moment)
            for moment in reversed(self.moments)
            if not isinstance(moment.action, Remark | Scored)
        )

    def add(self, action: Action) -> Moment:
        """Do one action."""
        if self.over:
            raise FormatError(phrase("the game was over"))
        moment = step(self.state, action)
        self.moments.append(moment)
        self.state = moment.after
        return moment

    def restart(self, board: BoardCounts, turn: Side) -> None:
        """Begin from another board; only before the first action."""
        start = board.to_json(self.match.rules, turn)
        game = replace(self.game, start=start)
        self.state = opening(self.match, game)
        self.game = game

    def roll(self, side: Side, dice: Dice) -> None:
        """A roll of ``side``, which at the opening is the winner of it with the higher die. A double that was
        beavered is taken by rolling. Equal opening dice cannot be: such a game is taken to begin with
        ``side`` on roll."""
        if self.state.offered is not None and self.state.position.turn == side:
            done = [each.action for each in self.moments if not isinstance(each.action, Remark)]
            if isinstance(done[-1], Beavered):
                self.add(Taken(other(self.state.offered)))
        if self.state.position.awaits is not Awaits.OPENING:
            self.add(Rolled(side, dice))
        elif dice[0] == dice[1]:
            self.restart(BoardCounts.of(self.state.position), side)
            self.add(Rolled(side, dice))
        else:
            high, low = max(dice), min(dice)
            self.add(Rolled(None, (high, low) if side == SIDES[0] else (low, high)))

    def remark(self, text: str) -> None:
        """Words that move nothing; they may follow the end of the game."""
        self.moments.append(step(self.state, Remark(text)))

    def undo(self) -> None:
        """The last action taken back."""
        self.state = self.moments.pop().before

    def stake(self, cube: int) -> None:
        """Begin at another stake; only before the first action."""
        self.game = replace(self.game, cube=cube)
        self.state = replace(self.state, cube=cube)

    def double(self, side: Side) -> None:
        """A double, or a beaver where one is to be answered."""
        self.add(Doubled(side) if self.state.offered is None else Beavered(side))

    def play(self, side: Side, text: str) -> None:
        """A legal play in its notation; the record keeps the engine's own notation of it. Raises
        EngineError."""
        if self.state.position.awaits is not Awaits.PLAY:
            raise FormatError(phrase("no dice have been rolled"))
        self.add(Played(side, self.state.position.find(text).text))

    def stand(self, side: Side, board: BoardCounts, text: str = "") -> None:
        """An illegal play that left this board, the opponent to roll; nobody where it ends the game."""
        over = any(own[0] == board.checkers for own in board.own)
        self.add(Stood(side, board.to_json(self.match.rules, None if over else other(side)), text))

    def force(self, side: Side, hops: Sequence[Hop], text: str) -> None:
        """A play that the rules do not allow, made all the same: it stood."""
        self.stand(side, BoardCounts.of(self.state.position).moved(SIDES.index(side), hops), text)

    @property
    def stuck(self) -> bool:
        """Whether the side on turn has rolled and cannot move."""
        plays = self.state.position.plays()
        return len(plays) == 1 and not plays[0].steps

    def resign(self, side: Side, points: int) -> None:
        """A resignation worth ``points``, with the cube. Raises FormatError where no grade is worth that."""
        if points not in self.worths(side).values():
            raise self._worthless(points)
        self.resign_least(side, points)

    def resign_least(self, side: Side, points: int) -> None:
        """A resignation of the least grade that is worth ``points`` or more. Raises FormatError where none
        is."""
        grade = next((grade for grade, worth in self.worths(side).items() if worth >= points), None)
        if grade is None:
            raise self._worthless(points)
        self.add(Resigned(side, grade))

    def _worthless(self, points: int) -> FormatError:
        return FormatError(
            phrase(
                "no resignation is worth {points} points with the cube at {cube}",
                points=points,
                cube=self.state.cube,
            )
        )

    def worths(self, side: Side) -> dict[str, int]:
        """What each grade of resignation of ``side`` is worth now, the least first."""
        found = {}
        for grade, _ in games.get(self.match.rules).grades:
            worth = result_of(self.match, [step(self.state, Resigned(side, grade))])
            if worth is not None:
                found[grade] = worth.points
        return found

    def needed(self, side: Side) -> int:
        """What the match still needed of this side when the game began; 0 in a money session."""
        length = self.match.terms.length
        return length - self.game.score[SIDES.index(side)] if length else 0

    def denied(self, text: str, winner: Side, points: int) -> str:
        """What is to be said where the game has ended otherwise than a file says with this ``text``; "" where
        it has not. A file may give no more points than the match still needed."""
        ended = result_of(self.match, self.moments)
        if ended is None or ended.winner is None:
            return ""
        if ended.winner == winner and points in (ended.points, self.needed(winner)):
            return ""
        return phrase(
            "{text!r}, but {side} wins {points} by the play and the cube",
            text=text,
            side=named(ended.winner),
            points=ended.points,
        )

    def done(self, result: Result | None = None) -> GameRecord:
        """The game. ``result`` is used only where the actions do not end it."""
        actions = tuple(moment.action for moment in self.moments)
        return replace(self.game, actions=actions, result=result_of(self.match, self.moments) or result)


def kept(record: MatchRecord, *, remarks: bool, time: bool) -> MatchRecord:
    """What formats of other programs can hold of a record. They leave out refused resignations, equal opening
    dice, roll numbers and proofs, and keep of a resignation its points only; without ``remarks`` these too;
    without ``time`` a loss on time is a resignation."""
    kept_games = []
    for game in record.games:
        actions: list[Action] = []
        for moment in replay(record, game):
            match moment.action:
                case Resigned(accepted=False) | Scored():
                    continue
                case Remark() if not remarks:
                    continue
                case Rolled(side=None) if moment.after == moment.before:
                    continue
                case Rolled(side=side, dice=dice):
                    actions.append(Rolled(side, dice))
                case Resigned(side=side) as action:
                    actions.append(Resigned(side, _least(record, moment, action)))
                case action:
                    actions.append(action)
        result = game.result
        if result is not None and result.cause == "time" and not time:
            actions.append(Resigned(other(result.winner or ""), result.kind))
            result = replace(result, cause="resigned")
        elif result is not None and result.cause == "resigned":
            last = actions[-1] if actions else None  # a damaged file has a result without its resignation
            result = replace(result, kind=last.grade) if isinstance(last, Resigned) else result
        kept_games.append(replace(game, actions=tuple(actions), result=result, options=None, proof=None))
    return replace(record, games=tuple(kept_games), options={})


def mover_dice(moment: Moment) -> str:
    """The dice of a roll as the mover's two: a roll's order is kept, an opening roll has the winner's die,
    the higher, first."""
    dice = moment.after.position.dice
    return "".join(map(str, dice if moment.before.position.turn else sorted(dice, reverse=True)))


def _least(record: MatchRecord, moment: Moment, action: Resigned) -> str:
    """The least grade that is worth as much: under the Jacoby rule all are alike."""
    worth = {
        grade: result_of(record, [replace(moment, action=replace(action, grade=grade))])
        for grade, _ in games.get(record.rules).grades
    }
    due = worth[action.grade]
    return next(grade for grade, each in worth.items() if each and due and each.points == due.points)


def other(side: Side) -> Side:
    """The opponent."""
    return SIDES[1 - SIDES.index(side)]


def crawford_games(terms: Terms, scores: Sequence[tuple[int, int]]) -> list[bool]:
    """Which of the games that begin at these scores is the Crawford game."""
    flags = []
    over = terms.crawford_over
    for score in scores:
        due = bool(terms.length and terms.crawford and not over and max(score) == terms.length - 1)
        over = over or due
        flags.append(due)
    return flags


def scored(before: tuple[int, int], after: tuple[int, int]) -> Result | None:
    """What the scores before and after a game say of it: points without a grade; None where nobody has
    gained any, or both have."""
    gains = [points - had for had, points in zip(before, after, strict=True)]
    if min(gains) != 0 or sum(gains) <= 0:
        return None
    return Result(SIDES[0 if gains[0] else 1], "single", sum(gains), "resigned")


def astray(number: int, game: GameRecord, following: tuple[int, int]) -> str:
    """What is to be said where a game does not lead to the score at which the next one begins; "" where it
    does, or has not ended."""
    result = game.result
    if result is None or result.winner is None:
        return ""
    due = tuple(
        points + result.points * (side == result.winner)
        for points, side in zip(game.score, SIDES, strict=True)
    )
    if due == following:
        return ""
    return phrase(
        "game {number} leads to {due}, but the next one begins at {score}",
        number=number,
        due=f"{due[0]}-{due[1]}",
        score=f"{following[0]}-{following[1]}",
    )


_HOP = re.compile(
    r"^(?P<chain>(?:bar|\d+)\*?(?:[/-](?:bar|off|\d+)\*?)+)(?:\((?P<times>[1-4])\))?$", re.IGNORECASE
)


def hops(text: str) -> list[Hop]:
    """The hops that a play's notation mentions, whether the rules allow them or not. Raises FormatError where
    it is no notation."""
    found: list[Hop] = []
    for word in text.replace(",", " ").split():
        match = _HOP.match(word)
        if match is None:
            raise FormatError(phrase("{text!r} is not a move", text=word))
        places = [_place(name) for name in re.split(r"[/-]", match["chain"].replace("*", ""))]
        found += [hop for hop in pairwise(places) if hop != (0, 0)] * whole_number(match["times"] or "1")
    return found


def _place(name: str) -> int:
    number = {"bar": 25, "off": 0}.get(name.lower())
    number = whole_number(name) if number is None else number
    if number > 25:
        raise FormatError(phrase("there is no point {point}", point=number))
    return number


def standard_start(rules: str, game: GameRecord) -> bool:
    """Whether the game begins on the usual board, be it with an opening roll or with a side named to roll."""
    if game.start is None:
        return True
    usual: Json = games.get(rules).start({}).to_json()
    return BoardCounts.from_json(game.start) == BoardCounts.from_json(usual)
