"""A match with what an engine thinks of its mistakes, as remarks that file formats write as comments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.layout import Side
from engine.messages import joined, phrase
from engine.record import (
    Action,
    Beavered,
    Doubled,
    Dropped,
    MatchRecord,
    Played,
    Remark,
    Rolled,
    Stood,
    Taken,
    replay,
)
from firmware.languages.choice import local, written
from firmware.record.ratings import Decision, GameReview, describe_choice, ratings

Key = tuple[int, str, Side | None, str]
"""A decision in its game: turn, kind, side, what was done."""

ANSWERS: dict[type[Action], str] = {
    Rolled: "no double",
    Doubled: "double",
    Taken: "take",
    Dropped: "drop",
    Beavered: "beaver",
}


def annotated(match: MatchRecord, reviews: Sequence[GameReview | None]) -> MatchRecord:
    """The match with a remark behind each error and blunder, and the ratings at the end of each reviewed
    game."""
    games = []
    for number, (game, review) in enumerate(zip(match.games, reviews, strict=True), 1):
        if review is None:
            games.append(game)
            continue
        mistakes: dict[Key | None, Decision] = {
            (each.turn, each.kind, each.side, each.played): each
            for each in review.decisions
            if each.mark != "ok"
        }
        actions, turn = list[Action](), 1
        for moment in replay(match, match.games[number - 1]):
            actions.append(moment.action)
            mistake = mistakes.pop(_key(moment.action, turn), None)
            if mistake is not None:
                actions.append(Remark(_words(mistake)))
            turn += isinstance(moment.action, Played | Stood)
        actions.append(Remark(_rated(match, review)))
        games.append(replace(game, actions=tuple(actions)))
    return replace(match, games=tuple(games))


def _key(action: Action, turn: int) -> Key | None:
    if isinstance(action, Played):
        return turn, "play", action.side, action.text
    if isinstance(action, Rolled | Doubled | Taken | Dropped | Beavered):
        return turn, "cube", action.side, ANSWERS[type(action)]
    return None


def _words(each: Decision) -> str:
    words = phrase(
        "{mark}: {played} costs {loss}; better {best}",
        mark=describe_choice(each.mark),
        played=describe_choice(each.played),
        loss=written(each.loss, 3),
        best=describe_choice(each.best),
    )
    if each.had is not None and each.missed is not None:
        words = phrase(
            "{words}; wins {better} % instead of {had} %",
            words=words,
            better=written(100 * each.missed.win, 1),
            had=written(100 * each.had.win, 1),
        )
    return local(words)


def _rated(match: MatchRecord, review: GameReview) -> str:
    told = [
        f"{name} {written(rating.pr, 1)}"
        for name, rating in zip(match.players, ratings([review]).values(), strict=True)
    ]
    return local(
        phrase(
            "performance ratings of this game, by {engine}: {ratings}",
            engine=review.engine or phrase("an engine"),
            ratings=joined(phrase(", "), told),
        )
    )
