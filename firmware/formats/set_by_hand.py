"""What a format without positions set by hand can hold of a match in which players set some.

A correction that leads where a legal play leads is that play: the players wrote it down by hand. Another one,
as where a part of a game is missing, is a foul of which nobody told the dice (or two, until it is the right
side's turn), with a double and a take before it where the cube was turned meanwhile. Of a game in which it
cannot be told so (dice that were set, a double that waits for its answer) what came before is kept, and how
it ended. Remarks and refused resignations, of which such formats know nothing, are left out on the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.layout import Side
from engine.position import Awaits, Position
from engine.record import (
    Action,
    Beavered,
    Corrected,
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
    opening,
    step,
)
from firmware.formats.build import GameBuilder, other
from firmware.wording import counted

SET = "the position was set; what was played is not known"
"""What is said of a foul that stands for a position that was set."""


def without_corrections(record: MatchRecord) -> tuple[MatchRecord, list[str]]:
    """The match without positions set by hand, and a note for each game that is cut for it. Raises BadRecord
    for what cannot have been played."""
    games, notes = [], []
    for number, game in enumerate(record.games, 1):
        if any(isinstance(action, Corrected) for action in game.actions):
            game = _as_fouls(record, _from_the_start(_as_played(record, game)))
            game, place = _cut(record, game)
            if place is not None:
                plays = sum(isinstance(action, Played | Stood) for action in game.actions)
                notes.append(
                    f"Game {number}: after {counted(plays, 'play')} the position was set by hand, which this"
                    " format cannot hold; only how the game ended follows. The sgf, json and text files have"
                    " all of it"
                )
        games.append(game)
    return replace(record, games=tuple(games)), notes


def _as_played(record: MatchRecord, game: GameRecord) -> GameRecord:
    """The game with its corrections as plays, where they can be."""
    todo: list[Action] = [
        each for each in game.actions if not isinstance(each, Remark | Scored) and not _refused(each)
    ]
    done: list[Moment] = []
    state = opening(record, game)
    while todo:
        action = todo.pop(0)
        if isinstance(action, Corrected):
            if _corrected_again(state, todo):
                continue
            found = _play_instead(state, done, action, todo)
            if found is not None:
                done, todo = found
                state = done[-1].after if done else opening(record, game)
                continue
        moment = step(state, action)
        done.append(moment)
        state = moment.after
    return replace(game, actions=tuple(moment.action for moment in done))


def _refused(action: Action) -> bool:
    return isinstance(action, Resigned) and not action.accepted


def _kept_dice(state: GameState, todo: Sequence[Action]) -> int:
    """How many of the next actions only put the dice back on the table that a correction left there."""
    dice = state.position.dice
    return int(bool(dice and todo and isinstance(todo[0], Rolled) and todo[0].dice == dice))


def _corrected_again(state: GameState, todo: list[Action]) -> bool:
    """Whether another correction follows at once; then what stands before it is gone."""
    again = _kept_dice(state, todo)
    if not (len(todo) > again and isinstance(todo[again], Corrected)):
        return False
    del todo[:again]
    return True


def _play_instead(
    state: GameState, done: list[Moment], action: Corrected, todo: list[Action]
) -> tuple[list[Moment], list[Action]] | None:
    """What was done and what follows, with a play in the place of a correction; None where none leads
    there."""
    if (action.cube, action.owner) != (state.cube, state.owner) or state.offered is not None:
        return None
    position = state.position
    target = position.rules.read(action.position)
    again = _kept_dice(state, todo)
    if position.awaits is not Awaits.PLAY:
        if target == position:
            return done, todo  # nothing was changed
        replaced = _replaced(done, target)
        return None if replaced is None else (replaced, todo)
    play = _leading_to(position, target)
    if play is not None:
        return done, [play, *todo]
    if not again or not done or not isinstance(done[-1].action, Rolled):
        return None
    if done[-1].before.position == target:
        return done, todo[again:]  # nothing was changed, and the dice lie there still
    replaced = _replaced(done[:-1], target)
    return None if replaced is None else (replaced, todo)


def _replaced(done: list[Moment], target: Position) -> list[Moment] | None:
    """The same with another last play, one that leads to ``target``."""
    if not done or not isinstance(done[-1].action, Played | Stood):
        return None
    play = _leading_to(done[-1].before.position, target)
    return None if play is None else [*done[:-1], step(done[-1].before, play)]


def _leading_to(position: Position, target: Position) -> Played | None:
    """The play from here that leads to ``target``."""
    found = next((play for play in position.plays() if play.after == target), None)
    return None if found is None else Played(position.turn or "", found.text)


def _from_the_start(game: GameRecord) -> GameRecord:
    """A correction before anything has happened says where the game starts."""
    first = game.actions[0] if game.actions else None
    if not isinstance(first, Corrected) or (first.cube, first.owner) != (game.cube, None):
        return game
    return replace(game, start=first.position, actions=game.actions[1:])


def _as_fouls(record: MatchRecord, game: GameRecord) -> GameRecord:
    """The game with its corrections as fouls, where they can be."""
    builder = GameBuilder(record, replace(game, actions=()))
    for action in game.actions:
        fouls = _fouls(builder.state, action) if isinstance(action, Corrected) else None
        for each in fouls or (action,):
            builder.add(each)
    return builder.done(game.result)


def _fouls(state: GameState, action: Corrected) -> list[Action] | None:
    """What leads from here to a position and a cube that were set; None where no fouls do."""
    rules = state.position.rules
    target = rules.read(action.position)
    if target.awaits is not Awaits.ROLL or target.turn is None or state.offered is not None:
        return None
    turn = state.position.turn or other(target.turn)
    found: list[Action] = []

    def stand() -> None:
        nonlocal turn
        after = rules.read({**action.position, "turn": other(turn)})
        found.append(Stood(turn, after.to_json(), SET))
        turn = other(turn)

    if (action.cube, action.owner) != (state.cube, state.owner):
        if action.owner is None or action.cube != 2 * state.cube or state.owner == action.owner:
            return None
        if turn == action.owner or state.position.awaits is not Awaits.ROLL:
            stand()
        if turn == action.owner:
            stand()
        found += [Doubled(turn), Taken(action.owner)]
        stand()
    while turn != target.turn or not found:
        stand()
    return found


def _cut(record: MatchRecord, game: GameRecord) -> tuple[GameRecord, int | None]:
    """The game up to its first correction, and how many actions are left; None where it has none."""
    place = next((at for at, each in enumerate(game.actions) if isinstance(each, Corrected)), None)
    if place is None:
        return game, None
    while place and isinstance(game.actions[place - 1], Rolled | Doubled | Beavered):
        place -= 1  # what is not answered any more
    builder = GameBuilder(record, replace(game, actions=()))
    for action in game.actions[:place]:
        builder.add(action)
    result = game.result
    if result is not None and result.winner is not None:
        result = _resigned(builder, other(result.winner), result)
    return builder.done(result), place


def _resigned(builder: GameBuilder, loser: Side, result: Result) -> Result:
    """The end of a game that is cut: a resignation, where one is worth as much."""
    if result.points in builder.worths(loser).values():
        builder.resign(loser, result.points)
    return Result(result.winner, "single", result.points, "resigned")
