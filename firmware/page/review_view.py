"""A review as the page shows it: ratings, the chances to win, and each mistake with its boards."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine import rules as games
from engine.names import named
from engine.position import Json
from engine.record import MatchRecord
from firmware.formats.board import SIDES
from firmware.page.state import labels_json
from firmware.record.mistakes import Mistake, find_mistakes
from firmware.record.ratings import GameReview, describe_engine, ratings, worst_first
from firmware.setup.games import layout_json

Picture = Callable[[int, int], str | None]
"""The name of the picture of the board after so many turns (0: before the first) of a game; None where there
is none."""


def review_json(
    match: MatchRecord, reviews: Sequence[GameReview | None], picture: Picture = lambda game, turn: None
) -> Json:
    """``called``: each player's name, or the side's; ``players``: the figures of each; ``graphs``: the first
    side's chance to win before each roll of a game; ``mistakes``: the errors and blunders in the order of
    play, each with the layouts ``before``, ``left`` (what was played) and ``better`` of the board, and the
    chances ``had`` and ``missed``."""
    done = [each for each in reviews if each is not None]
    rules = games.get(match.rules)
    rated = ratings(done)
    names = list(zip(rules.sides, match.players, strict=True))
    return {
        "title": rules.title,
        "sides": list(rules.sides),
        "names": list(match.players),
        "called": [named(name or side) for side, name in names],
        "length": match.terms.length,
        "date": match.date,
        "event": match.event,
        "games": len(match.games),
        "reviewed": len(done),
        "engines": sorted({describe_engine(each) for each in done}),
        "unjudged": sum(each.unjudged for each in done),
        "labels": labels_json(rules.start(match.options or rules.options)),
        "players": [
            {"side": side, "name": named(name or side)} | rated[side].to_json()
            for side, name in names
            if done
        ],
        "graphs": [graph for each in done if (graph := _graph(each))],
        "mistakes": [_mistake(match, each, picture) for each in find_mistakes(match, worst_first(done))],
    }


def _graph(review: GameReview) -> Json | None:
    points = [round(each.win if each.side == SIDES[0] else 1 - each.win, 4) for each in review.rolls]
    turns = [each.turn for each in review.rolls]
    return {"game": review.rolls[0].game, "wins": points, "turns": turns} if len(points) > 1 else None


def _mistake(match: MatchRecord, found: Mistake, picture: Picture) -> Json:
    each, state = found.decision, found.state
    boards = {"before": state.position, "left": found.left, "better": found.better}
    offered = None if state.offered is None else 2 * state.cube
    return {
        **each.to_json(),
        "rank": found.number,
        "score": list(match.games[each.game - 1].score),
        "crawford": match.games[each.game - 1].crawford,
        "cube": {"value": state.cube, "owner": state.owner, "offered": offered},
        "boards": {name: layout_json(position) for name, position in boards.items() if position is not None},
        "picture": picture(each.game, each.turn if each.kind == "play" else each.turn - 1),
    }
