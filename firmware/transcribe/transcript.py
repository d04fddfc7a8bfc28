"""From turns to a match: games, their ends and the score, and what is not sure of all that."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.errors import EngineError
from engine.layout import Side, name_parts
from engine.match import Match, Terms
from engine.messages import phrase
from engine.names import named
from engine.position import Awaits, Rules
from engine.record import (
    Action,
    Corrected,
    Doubled,
    Dropped,
    GameRecord,
    MatchRecord,
    Played,
    Remark,
    Resigned,
    Result,
    Rolled,
    Stood,
    Taken,
    result_of,
    step,
)
from firmware.formats.build import GameBuilder, other
from firmware.transcribe.cube_track import CubeTrack
from firmware.transcribe.doubles import Answer, CubeStory, Double, Part, cube_story, doubles_before, words
from firmware.transcribe.turns import Answers, Kind, Turn
from firmware.transcribe.watch import clock

STANDING_AGAIN = 2
"""Checkers that are not borne off any more where another game is found: a tray may seem to hold one more than
it does."""
TAKE = {Answer.TAKEN: True, Answer.DROPPED: False, Answer.NOTHING: None}
"""What a program is told of an answer."""


@dataclass(frozen=True)
class FilmedGame:
    """One game: its ``turns``, and the number that it has in the record. ``unknown``: nobody saw how it
    ended; ``last``: no other game began after it. ``doubles``: what was done with the cube, or perhaps
    was."""

    number: int
    turns: tuple[Turn, ...]
    record: GameRecord
    unknown: bool = False
    last: bool = False
    doubles: tuple[Double, ...] = ()

    def doubled(self, before: int) -> list[Double]:
        """What was done with the cube before the roll of this turn (counted from 0)."""
        return doubles_before(self.doubles, before)


@dataclass(frozen=True)
class Transcript:
    """A film's match; ``notes`` are lines for people."""

    match: MatchRecord
    games: tuple[FilmedGame, ...]
    notes: tuple[str, ...] = ()

    @property
    def turns(self) -> list[tuple[FilmedGame, Turn]]:
        """The turns of all games."""
        return [(game, turn) for game in self.games for turn in game.turns]

    @property
    def doubts(self) -> list[tuple[FilmedGame, Turn]]:
        """The turns that are not sure."""
        return [(game, turn) for game, turn in self.turns if not turn.sure]

    @property
    def unknown(self) -> list[FilmedGame]:
        """The games whose end nobody saw."""
        return [game for game in self.games if game.unknown]

    @property
    def cubes(self) -> list[tuple[FilmedGame, Double]]:
        """The doubles that are not sure."""
        return [(game, double) for game in self.games for double in game.doubles if not double.sure]

    @property
    def open(self) -> int:
        """How many questions there are."""
        return len(self.doubts) + len(self.cubes) + len(self.unknown)

    def lines(self) -> list[dict[str, Any]]:
        """A JSON object for each turn, and for each double after which nothing was rolled."""
        return [line for game in self.games for line in game_json(game)]


def game_json(game: FilmedGame) -> Iterator[dict[str, Any]]:
    """The turns of one game, with what was done with the cube before them."""
    for number, turn in enumerate(game.turns):
        told = [cube_json(double) for double in game.doubled(number)]
        yield {**turn_json(game, turn), **({"cube": told[-1]} if told else {})}
    for double in game.doubled(len(game.turns)):
        yield {
            "t": round(double.t, 2),
            "side": double.side,
            "dice": None,
            "move": "",
            "sure": double.sure,
            "candidates": [],
            "position": game.turns[-1].after.to_json(),
            "kind": "double",
            "game": game.number,
            "score": list(game.record.score),
            "cube": cube_json(double),
        }


def cube_json(double: Double) -> dict[str, Any]:
    """One double. ``take`` is None where none is written; ``before`` counts the game's turns from 0."""
    ways = [{"take": TAKE[way.answer], "before": way.before} for way in double.ways]
    return {
        "double": double.side,
        "take": TAKE[double.answer],
        "value": double.stake,
        "t": round(double.t, 2),
        "sure": double.sure,
        "candidates": [] if double.sure else ways,
    }


def turn_json(game: FilmedGame, turn: Turn) -> dict[str, Any]:
    """One turn. ``dice`` are None where nothing tells them."""
    told = turn.kind is Kind.PLAYED or turn.dice_sure
    data: dict[str, Any] = {
        "t": round(turn.t, 2),
        "side": turn.side,
        "dice": list(turn.dice) if told and turn.dice else None,
        "move": turn.move,
        "sure": turn.sure,
        "candidates": [] if turn.sure else [each.to_json() for each in turn.candidates],
        "position": turn.after.to_json(),
        "kind": str(turn.kind),
        "game": game.number,
        "score": list(game.record.score),
    }
    if turn.after.outcome is not None:
        data["outcome"] = turn.after.outcome.to_json()
    return data


def transcribed(
    rules: Rules,
    turns: Sequence[Turn],
    terms: Terms,
    players: tuple[str, str],
    answers: Answers,
    track: CubeTrack | None = None,
) -> Transcript:
    """The match that these turns are; ``track``: the way of the cube between them."""
    blank = MatchRecord(rules.name, players, terms)
    match = Match.begin(terms, rules.sides)
    games: list[FilmedGame] = []
    notes: list[str] = []
    seen, parts = 0.0, deque(_parted(turns))
    while parts:
        part = parts.popleft()
        if match.winner is not None:
            notes.append(
                phrase(
                    "{player} had won the match; the games after that are left out (--length)",
                    player=named(match.winner),
                )
            )
            break
        number = len(games) + 1
        cube = cube_story(part, track or CubeTrack(), match, rules, answers.cubes)
        if (halves := _halves(part, cube)) is not None:
            parts.extendleft(reversed(halves))
            continue
        said_of = [*_missing(part, seen), *cube.notes]
        notes += [phrase("game {number}: {words}", number=number, words=note) for note in said_of]
        seen = part.turns[-1].t
        blanked = GameRecord(match.score, crawford=match.crawford, cube=cube.stake, start=_start(part))
        record = _game(blank, blanked, part.turns, cube)
        said, last = answers.results.get(number), not part.broken
        if record.result is None and said is not None:
            record = _with_result(blank, record, *said)
        unknown = record.result is None and not (last and number in answers.results)
        games.append(FilmedGame(number, tuple(part.turns), record, unknown, last, cube.doubles))
        if record.result is not None:
            match = match.award(record.result.winner, record.result.points)
            match = match.next(tie=record.result.winner is None)
    records = tuple(game.record for game in games)
    found = Transcript(replace(blank, games=records), tuple(games), tuple(notes))
    return replace(found, match=replace(found.match, comment="\n".join(_doubtful(found))))


def _parted(turns: Sequence[Turn]) -> list[Part]:
    """The turns of each game, with what it was opened by where that was no usual start; a board that was set
    up and not played on is no game."""
    begun = [0]
    begun += [place for place, turn in enumerate(turns) if place and _fresh(turn)]
    parts = []
    for place, until in zip(begun, [*begun[1:], len(turns)], strict=True):
        first = turns[place] if place < until else None
        fresh = first is not None and _fresh(first)
        opened = first if first is not None and fresh and first.kind is Kind.FOUND else None
        played = turns[place + (fresh and opened is None) : until]
        begin = first.t if first is not None and place else -math.inf
        end = turns[until].t if until < len(turns) else math.inf
        parts.append(Part(played, begin, end, opened, broken=until < len(turns)))
    return [part for part in parts if any(turn.kind is not Kind.FOUND for turn in part.turns)]


def _halves(part: Part, cube: CubeStory) -> tuple[Part, Part] | None:
    """The two games that a part of the film shows, where the cube that a player had lies in the middle again
    after a position that was found; None where that is not so."""
    turns, again = part.turns, -math.inf if cube.again is None else cube.again
    found = [place for place, turn in enumerate(turns) if turn.kind is Kind.FOUND and turn.t <= again]
    if not found or not any(turn.kind is not Kind.FOUND for turn in turns[: found[-1]]):
        return None
    place, opened = found[-1], turns[found[-1]]
    before = replace(part, turns=turns[:place], end=opened.t, broken=True)
    return before, replace(part, turns=turns[place:], begin=opened.t, opened=opened)


def _missing(part: Part, since: float) -> Iterator[str]:
    """What is to say of the parts of a game that nobody saw; the game before was seen until ``since``."""
    since = max(0.0, part.begin) if part.opened is None else since
    for turn in part.turns:
        if turn.kind is Kind.FOUND and turn.before is not turn.after:
            yield phrase(
                "what was played from {start} to {end} was not seen; the game goes on from the position that"
                " was found then",
                start=clock(since),
                end=clock(turn.t),
            )
        since = turn.t


def _fresh(turn: Turn) -> bool:
    """Whether a game begins there: what is found after a game's end is another one, and so is what has fewer
    checkers borne off."""
    found = turn.before is turn.after or turn.before.awaits is Awaits.NOTHING or _put_back(turn)
    return turn.kind is Kind.BEGUN or (turn.kind is Kind.FOUND and found)


def _put_back(turn: Turn) -> bool:
    """Whether checkers that had been borne off stand on the board again."""
    before, after = turn.before.looks(), turn.after.looks()
    offs = [cell for cell in before if name_parts(cell)[0] == "off"]
    return any(len(before[cell]) - len(after[cell]) >= STANDING_AGAIN for cell in offs)


def _start(part: Part) -> dict[str, Any] | None:
    if part.opened is not None:
        return part.opened.after.to_json()
    before = part.turns[0].before
    return None if before.awaits is Awaits.OPENING else before.to_json()


def _game(match: MatchRecord, game: GameRecord, turns: Sequence[Turn], cube: CubeStory) -> GameRecord:
    """The game with what was done in it."""
    builder = GameBuilder(match, game)
    for number, turn in enumerate(turns):
        _double(builder, doubles_before(cube.doubles, number))
        for action in _actions(turn, builder):
            builder.add(action)
    _double(builder, doubles_before(cube.doubles, len(turns)))
    return builder.done()


def _double(builder: GameBuilder, doubles: Sequence[Double]) -> None:
    """What was done with the cube before the roll of a turn."""
    for double in doubles:
        if double.answer is Answer.NOTHING:
            continue
        taker, state, taken = other(double.side), builder.state, double.answer is Answer.TAKEN
        may = state.position.awaits is Awaits.ROLL and state.position.turn == double.side
        if may and state.owner in (None, double.side):
            builder.add(Doubled(double.side))
            builder.add(Taken(taker) if taken else Dropped(taker))
        elif taken:  # as players say, or in a part that is missing
            builder.add(Corrected(state.position.to_json(), double.stake, taker))


def _actions(turn: Turn, builder: GameBuilder) -> list[Action]:
    side = turn.side or ""
    rolled = Rolled(None if turn.before.awaits is Awaits.OPENING else side, turn.dice)
    match turn.kind:
        case Kind.PLAYED:
            return [rolled, Played(side, turn.move)]
        case Kind.ILLEGAL:
            return [rolled, Stood(side, turn.after.to_json(), turn.move)]
        case Kind.FOUND if turn.before is not turn.after:
            state = builder.state
            return [
                Remark(f"at {clock(turn.t)} a part of the game is missing"),
                Corrected(turn.after.to_json(), state.cube, state.owner),
            ]
        case _:
            return []


def _with_result(match: MatchRecord, game: GameRecord, winner: Side, points: int) -> GameRecord:
    """The game as players say that it ended: a resignation, where one is worth as much."""
    builder = GameBuilder(match, replace(game, actions=()))
    for action in game.actions:
        builder.add(action)
    loser = next(side for side in builder.state.position.rules.sides if side != winner)
    kind = next((grade for grade, worth in builder.worths(loser).items() if worth == points), None)
    if kind is not None:
        try:
            resigned = Resigned(loser, kind)
            moment = step(builder.state, resigned)
            done = result_of(match, [*builder.moments, moment])
            return replace(game, actions=(*game.actions, resigned), result=done)
        except EngineError:
            pass
    return replace(game, result=Result(winner, "single", points, "resigned"))


def _doubtful(found: Transcript) -> list[str]:
    """What is not sure, in words, for files that have no other place for it."""
    lines = []
    for game, turn in found.doubts:
        played = " or ".join(map(str, turn.candidates[:4])) or turn.move
        what = f"{turn.side} {played}" if turn.side else "the position, as it was found"
        lines.append(f"Not sure, at {clock(turn.t)} of the film, game {game.number}: {what}")
    for game, double in found.cubes:
        lines.append(f"Not sure, at {clock(double.t)} of the film, game {game.number}: {words(double)}")
    for game in found.unknown:
        lines.append(f"Not seen: how game {game.number} {'went on' if game.last else 'ended'}")
    return lines
