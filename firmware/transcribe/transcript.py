"""From turns to a match: games, their ends and the score, and what is not sure of all that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.errors import EngineError
from engine.layout import Side
from engine.match import Match, Terms
from engine.position import Awaits, Rules
from engine.record import (
    Action,
    Corrected,
    GameRecord,
    MatchRecord,
    Played,
    Remark,
    Resigned,
    Result,
    Rolled,
    Stood,
    result_of,
    step,
)
from firmware.formats.build import GameBuilder
from firmware.transcribe.turns import Answers, Kind, Turn
from firmware.transcribe.watch import clock


@dataclass(frozen=True)
class FilmedGame:
    """One game: its ``turns``, and the number that it has in the record. ``unknown``: another game began, and
    nobody saw how this one ended."""

    number: int
    turns: tuple[Turn, ...]
    record: GameRecord
    unknown: bool = False


@dataclass(frozen=True)
class Transcript:
    """A film's match; ``notes`` are lines for people."""

    match: MatchRecord
    games: tuple[FilmedGame, ...]
    notes: tuple[str, ...] = ()

    @property
    def doubts(self) -> list[tuple[FilmedGame, Turn]]:
        """The turns that are not sure."""
        return [(game, turn) for game in self.games for turn in game.turns if not turn.sure]

    @property
    def unknown(self) -> list[FilmedGame]:
        """The games whose end nobody saw."""
        return [game for game in self.games if game.unknown]

    def lines(self) -> list[dict[str, Any]]:
        """A JSON object for each turn."""
        return [turn_json(game, turn) for game in self.games for turn in game.turns]


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
    rules: Rules, turns: Sequence[Turn], terms: Terms, players: tuple[str, str], answers: Answers
) -> Transcript:
    """The match that these turns are."""
    blank = MatchRecord(rules.name, players, terms)
    match = Match.begin(terms, rules.sides)
    games: list[FilmedGame] = []
    notes: list[str] = []
    parts = _parted(turns)
    for place, (opened, part) in enumerate(parts):
        if match.winner is not None:
            notes.append(f"{match.winner} had won the match; the games after that are left out (--length)")
            break
        number = len(games) + 1
        blanked = GameRecord(match.score, crawford=match.crawford, start=_start(opened, part))
        record = _game(blank, blanked, part)
        if record.result is None and number in answers.results:
            record = _with_result(blank, record, *answers.results[number])
        unknown = record.result is None and place + 1 < len(parts)
        games.append(FilmedGame(number, tuple(part), record, unknown))
        if record.result is not None:
            match = match.award(record.result.winner, record.result.points)
            match = match.next(tie=record.result.winner is None)
    records = tuple(game.record for game in games)
    found = Transcript(replace(blank, games=records), tuple(games), tuple(notes))
    return replace(found, match=replace(found.match, comment="\n".join(_doubtful(found))))


def _parted(turns: Sequence[Turn]) -> list[tuple[Turn | None, list[Turn]]]:
    """The turns of each game, with what it was opened by where that was no usual start; a board that was set
    up and not played on is no game."""
    parts: list[tuple[Turn | None, list[Turn]]] = [(None, [])]
    for turn in turns:
        fresh = turn.kind is Kind.BEGUN or (turn.kind is Kind.FOUND and turn.before is turn.after)
        if fresh:
            parts.append(
                (turn if turn.kind is Kind.FOUND else None, [turn] if turn.kind is Kind.FOUND else [])
            )
        else:
            parts[-1][1].append(turn)
    return [part for part in parts if any(turn.kind is not Kind.FOUND for turn in part[1])]


def _start(opened: Turn | None, part: Sequence[Turn]) -> dict[str, Any] | None:
    if opened is not None:
        return opened.after.to_json()
    before = part[0].before
    return None if before.awaits is Awaits.OPENING else before.to_json()


def _game(match: MatchRecord, game: GameRecord, part: Sequence[Turn]) -> GameRecord:
    """The game with what was done in it."""
    builder = GameBuilder(match, game)
    for turn in part:
        for action in _actions(turn):
            builder.add(action)
    return builder.done()


def _actions(turn: Turn) -> list[Action]:
    side = turn.side or ""
    rolled = Rolled(None if turn.before.awaits is Awaits.OPENING else side, turn.dice)
    match turn.kind:
        case Kind.PLAYED:
            return [rolled, Played(side, turn.move)]
        case Kind.ILLEGAL:
            return [rolled, Stood(side, turn.after.to_json(), turn.move)]
        case Kind.FOUND if turn.before is not turn.after:
            return [
                Remark(f"at {clock(turn.t)} a part of the game is missing"),
                Corrected(turn.after.to_json()),
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
        what = " or ".join(map(str, turn.candidates[:4])) or turn.move or "the position"
        lines.append(
            f"Not sure, at {clock(turn.t)} of the film, game {game.number}: {turn.side or 'nobody'} {what}"
        )
    for game in found.unknown:
        lines.append(f"Not seen: how game {game.number} ended")
    return lines
