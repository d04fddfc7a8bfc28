"""The part of a report that says what an engine thinks of the games."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from engine import rules as games
from engine.messages import all_of, joined, phrase
from engine.names import dashed
from engine.record import MatchRecord
from firmware.languages.choice import local, written
from firmware.record.ratings import (
    Decision,
    GameReview,
    describe_choice,
    describe_engine,
    ratings,
    worst_first,
)
from firmware.record.report_html import html_table, said, signed

WORST = 10
"""Errors in the list of the most expensive ones."""


def review_part(match: MatchRecord, reviews: Sequence[GameReview | None]) -> str:
    """What an engine thinks of the games, where one has looked."""
    done = [each for each in reviews if each is not None]
    if not done:
        return ""
    rows = []
    for name, rating in zip(match.players, ratings(done).values(), strict=True):
        rates = (written(value, 1) for value in (rating.pr, rating.play_pr, rating.cube_pr))
        luck = f"{'−' if rating.luck < 0 else '+'}{written(abs(rating.luck), 3)}"
        rows.append((name, *rates, rating.decisions, rating.errors, rating.blunders, luck))
    head = (
        *(phrase("player"), phrase("performance rating"), phrase("plays"), phrase("cube")),
        *(phrase("decisions"), phrase("errors"), phrase("blunders"), phrase("luck")),
    )
    lines = []
    for each in worst_first(done)[:WORST]:
        who = phrase("{player} {play}", player=match.player(each.side), play=dashed(each.dice))
        lines.append(
            (
                f"{each.game}.{each.turn}",
                who,
                describe_choice(each.played),
                describe_choice(each.best),
                _lost(each),
                _why(each),
            )
        )
    title = (
        phrase("Review")
        if len(done) == len(match.games)
        else phrase("Review, {done} of {all} games", done=len(done), all=len(match.games))
    )
    by = all_of(sorted({describe_engine(each) for each in done}))
    note = phrase(
        "By {engines}. The performance rating is 500 times the equity lost for each decision that was not"
        " obvious: the lower, the better. Luck is in points of equity. An error costs {error} or more, a"
        " blunder {blunder} or more.",
        engines=by,
        error=written(0.02, 3),
        blunder=written(0.08, 3),
    )
    graphs = "".join(_chances(match, each) for each in done)
    found = f"<h2>{said(title)}</h2>{html_table(head, rows)}<p>{said(note)}</p>{graphs}"
    if lines:
        names = (
            *(phrase("move"), phrase("who"), phrase("played")),
            *(phrase("better"), phrase("lost"), phrase("why")),
        )
        found += f"<h3>{said(phrase('The worst errors'))}</h3>{html_table(names, lines)}"
    return found


def _lost(each: Decision) -> str:
    loss = written(each.loss, 3)
    return phrase("{loss} blunder", loss=loss) if each.mark == "blunder" else loss


def _why(each: Decision) -> str:
    """What the better play wins and loses more, in percent."""
    if each.had is None or each.missed is None:
        return ""
    had, best = each.had, each.missed
    parts = (
        (phrase("wins"), best.win - had.win),
        (phrase("gammons won"), best.gammon - had.gammon),
        (phrase("gammons lost"), best.gammon_lost - had.gammon_lost),
    )
    told = [
        phrase("{more} % {what}", more=signed(100 * more), what=name)
        for name, more in parts
        if abs(more) >= 0.005
    ]
    return joined(phrase(", "), told) if told else ""


def _chances(match: MatchRecord, found: GameReview) -> str:
    """White's chance to win before each roll of a game, as a line."""
    sides = games.get(match.rules).sides
    points = [each.win if each.side == sides[0] else 1 - each.win for each in found.rolls]
    if len(points) < 2:
        return ""
    step = 600 / (len(points) - 1)
    line = " ".join(f"{number * step:.0f},{100 - 100 * value:.0f}" for number, value in enumerate(points))
    title = local(
        phrase(
            "Game {number}: {player}'s chance to win before each roll",
            number=found.rolls[0].game,
            player=match.players[0],
        )
    )
    return (
        f"<figure><figcaption>{escape(title)}</figcaption>"
        f'<svg viewBox="-2 -2 604 104" role="img" aria-label="{escape(title)}">'
        '<path d="M0 0H600M0 50H600M0 100H600" stroke="#8886"/>'
        f'<polyline points="{line}" fill="none" stroke="#c62828" stroke-width="2"/></svg></figure>'
    )
