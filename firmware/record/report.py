"""A match as one HTML file: score by game, a diagram for each move, the dice, the time for each move, fouls.

It fetches nothing, and everything in it is computed from the log: positions by replaying the record under the
rules, times from the events.
"""

from __future__ import annotations

import itertools
import statistics
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from html import escape

from engine import rules as games
from engine.layout import Side
from engine.messages import joined, phrase
from engine.names import dashed, named
from engine.record import (
    Action,
    Beavered,
    Corrected,
    Doubled,
    Dropped,
    GameRecord,
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
    replay,
)
from firmware.dice.fairness import fairness
from firmware.languages.choice import local, written
from firmware.record.diagram import board, board_after, shared, whole_layout
from firmware.record.match_line import describe_game
from firmware.record.ratings import Decision, GameReview, worst_first
from firmware.record.report_html import html_table, page_head, said, signed
from firmware.record.report_review import review_part
from firmware.record.turn_times import TimedTurn

STYLE = """
:root{color-scheme:light dark}
body{background:Canvas;font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;
overflow-wrap:anywhere}
.wide{overflow-x:auto}table{border-collapse:collapse;margin:.3rem 0;overflow-wrap:normal}
th,td{padding:.3rem .8rem .3rem 0;border-bottom:1px solid #8886;text-align:start;vertical-align:top}
td.n{text-align:end}
[dir=rtl] :is(th,td,h1,figcaption){unicode-bidi:plaintext;text-align:right}
[dir=rtl] strong{unicode-bidi:isolate;direction:ltr}
.moves{display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:1rem}
figure{margin:0;break-inside:avoid;content-visibility:auto;contain-intrinsic-size:15rem 15rem}
.told{grid-column:1/-1}svg{width:100%;height:auto;direction:ltr}figcaption{font-size:.9rem}
.foul,.error{color:#c62828;font-weight:600}@media(prefers-color-scheme:dark){.foul,.error{color:#ff8a80}}
"""
CAUSES = {
    "dropped": phrase("by a drop"),
    "resigned": phrase("by resignation"),
    "time": phrase("on time"),
}


def report_page(
    match: MatchRecord, times: Sequence[TimedTurn] = (), reviews: Sequence[GameReview | None] = ()
) -> str:
    """The report; ``reviews`` are those of the games, where there are any. Raises BadRecord where the record
    breaks its rules."""
    return "".join(report_parts(match, times, reviews))


def report_parts(
    match: MatchRecord, times: Sequence[TimedTurn], reviews: Sequence[GameReview | None]
) -> Iterator[str]:
    """The same in small pieces."""
    one, two = match.players
    match = replace(match, players=(named(one), named(two)))
    title = joined(" – ", match.players)
    rules = games.get(match.rules)
    facts = (rules.title, match.event, match.round, match.place, match.date)
    length = match.terms.length
    played = phrase("match to {length}", length=length) if length else phrase("money session")
    who = joined(
        phrase(", "),
        [
            phrase("{player} has {side}", player=name, side=named(side))
            for side, name in zip(rules.sides, match.players, strict=True)
            if name != side
        ],
    )
    errors = worst_first([each for each in reviews if each is not None])
    parts = [
        f"{page_head(title, STYLE)}{shared()}",
        f"<main><h1>{said(title)}</h1>",
        f"<p>{escape(' · '.join(fact for fact in (*facts, local(played), local(who)) if fact))}</p>",
        _scores(match),
        _dice(match),
        _thinking(match, times),
        review_part(match, reviews),
        _fouls(match),
    ]
    yield "\n".join(part for part in parts if part)
    for number, game in enumerate(match.games, 1):
        own = {each.turn: each for each in errors if each.game == number and each.kind == "play"}
        yield from _game(match, number, game, [turn for turn in times if turn.game == number], own)
    yield "</main></html>\n"


def _ending(match: MatchRecord, result: Result | None) -> str:
    words = describe_game(match, result)
    cause = None if result is None or result.winner is None else CAUSES.get(result.cause)
    return words if cause is None else joined(phrase(", "), (words, cause))


def _scores(match: MatchRecord) -> str:
    rows = []
    for number, game in enumerate(match.games, 1):
        ending = _ending(match, game.result)
        told = joined(phrase(", "), (ending, phrase("Crawford game"))) if game.crawford else ending
        rows.append((number, f"{game.score[0]}–{game.score[1]}", told))
    score = f"<strong>{match.score[0]}–{match.score[1]}</strong>"
    final = f"<p>{said(phrase('Score'))}: {score}</p>"
    head = (phrase("game"), phrase("before"), phrase("result"))
    return f"<h2>{said(phrase('Score by game'))}</h2>{html_table(head, rows)}{final}"


def _dice(match: MatchRecord) -> str:
    """The dice of each player: totals, doubles, faces. An opening die counts for its player."""
    rolled: dict[Side, list[tuple[int, ...]]] = defaultdict(list)
    sides = games.get(match.rules).sides
    for game in match.games:
        for action in game.actions:
            if isinstance(action, Rolled) and action.side is None:
                for side, die in zip(sides, action.dice, strict=False):
                    rolled[side].append((die,))
            elif isinstance(action, Rolled) and action.side is not None:
                rolled[action.side].append(action.dice)
    if not rolled:
        return ""
    names = (
        phrase("rolls"),
        phrase("total"),
        phrase("over the mean of {mean} a die", mean=written(3.5, 1)),
        phrase("doubles"),
        phrase("of each face, 1 to 6"),
        phrase("chi-square, 5 df"),
    )
    columns = [_dice_figures(rolled[side]) for side in sides]
    rows = [(name, *(column[place] for column in columns)) for place, name in enumerate(names)]
    note = phrase("Fair dice have a p under {p} in one of a hundred columns.", p=written(0.01, 2))
    table = html_table(("", *match.players), rows)
    return f"<h2>{said(phrase('The dice'))}</h2>{table}<p>{said(note)}</p>"


def _dice_figures(rolls: Sequence[tuple[int, ...]]) -> tuple[str, ...]:
    dice = [die for roll in rolls for die in roll]
    pairs = [roll for roll in rolls if len(roll) > 1]
    doubles = sum(len(set(roll)) == 1 for roll in pairs)
    expected = sum((1 / 6) ** (len(roll) - 1) for roll in pairs)
    faces = fairness([(die,) for die in dice]).faces
    over = sum(dice) - 3.5 * len(dice)
    sigma = (len(dice) * 35 / 12) ** 0.5
    return (
        str(len(rolls)),
        str(sum(dice)),
        phrase("{over} pips ({sigma} σ)", over=signed(over), sigma=signed(over / sigma)) if dice else "–",
        phrase("{doubles} ({expected} expected)", doubles=doubles, expected=written(expected, 1)),
        " ".join(str(count) for count in faces.counts),
        f"{written(faces.statistic, 1)} (p = {written(faces.p, 2)})",
    )


def _thinking(match: MatchRecord, times: Sequence[TimedTurn]) -> str:
    rows = []
    for side, name in zip(games.get(match.rules).sides, match.players, strict=True):
        own = sorted(turn.seconds for turn in times if turn.side == side and turn.seconds is not None)
        if own:
            times_s = (sum(own) / len(own), statistics.median(own), own[-1])
            rows.append((name, len(own), *(_seconds(seconds) for seconds in times_s)))
    head = (phrase("player"), phrase("moves"), phrase("mean"), phrase("median"), phrase("longest"))
    return f"<h2>{said(phrase('Time for a move'))}</h2>{html_table(head, rows)}" if rows else ""


def _seconds(value: float) -> str:
    return phrase("{seconds} s", seconds=written(value, 1))


def _fouls(match: MatchRecord) -> str:
    rows: list[tuple[object, ...]] = []
    for number, game in enumerate(match.games, 1):
        move = 1
        for place, action in enumerate(game.actions):
            if isinstance(action, Stood):
                what = phrase(
                    "{player}: {what}",
                    player=match.player(action.side),
                    what=action.text or phrase("an illegal play"),
                )
                rows.append((f"{number}.{move}", what, phrase("stood")))
            elif isinstance(action, Remark):
                rows.append((f"{number}.{move}", action.text, _sequel(action, game.actions[place:])))
            move += isinstance(action, Played | Stood)
    head = (phrase("move"), phrase("what"), "")
    return f"<h2>{said(phrase('Fouls and remarks'))}</h2>{html_table(head, rows)}" if rows else ""


def _sequel(remark: Remark, actions: Sequence[Action]) -> str:
    """What came of it: a foul was fixed where the same side then played by the rules."""
    played = next((action for action in actions if isinstance(action, Played | Stood)), None)
    fixed = isinstance(played, Played) and remark.text.startswith(f"foul by {played.side}:")
    return phrase("fixed") if fixed else phrase("noted")


def _game(
    match: MatchRecord,
    number: int,
    game: GameRecord,
    times: Sequence[TimedTurn],
    errors: Mapping[int, Decision],
) -> Iterator[str]:
    yield f'\n<h2 id="game{number}">{said(phrase("Game {number}", number=number))}</h2><div class="moves">'
    moments = list(replay(match, game))
    if moments:
        yield _figure(board(whole_layout(moments[0].before.position)), local(phrase("The start")))
    took = itertools.chain(times, itertools.repeat(None))
    move = 0
    for moment in moments:
        told = local(_describe(match, moment))
        if isinstance(moment.action, Played | Stood):
            move += 1
            turn = next(took)
            told += (
                f" · {local(_seconds(turn.seconds))}" if turn is not None and turn.seconds is not None else ""
            )
            title = local(phrase("after {play}", play=told))
            drawing = board_after(moment.before.position, moment.after.position, title)
            foul = isinstance(moment.action, Stood)
            yield _figure(drawing, f"{move}. {told}", foul, None if foul else errors.get(move))
        elif not isinstance(moment.action, Rolled):
            yield f'<p class="told">{escape(told)}</p>'
    yield f"</div><p>{said(_ending(match, game.result))}</p>"


def _figure(drawing: str, caption: str, foul: bool = False, error: Decision | None = None) -> str:
    better, mark = "", " class=foul" if foul else ""
    if error is not None:
        best = said(phrase("better {play}", play=error.best))
        better = f'<br><span class="error">−{written(error.loss, 3)}</span> {best}'
    return f"<figure>{drawing}<figcaption{mark}>{escape(caption)}{better}</figcaption></figure>"


def _describe(record: MatchRecord, moment: Moment) -> str:
    action: Action = moment.action
    match action:
        case Played(side=side, text=text):
            dice = dashed(moment.before.position.dice)
            if text == "pass":
                text = phrase("cannot move")
            if not dice:
                return phrase("{player}: {what}", player=named(side), what=text)
            return phrase("{player} {dice}: {play}", player=named(side), dice=dice, play=text)
        case Stood(side=side, text=text):
            what = phrase("an illegal play that stood")
            what = phrase("{what}: {text}", what=what, text=text) if text else what
            return phrase("{player}: {what}", player=named(side), what=what)
        case Remark(text=text):
            return text
        case Resigned(side=side, grade=grade, accepted=accepted):
            player, kind = record.player(side), named(grade)
            if accepted:
                return phrase("{player} offers to resign ({grade}), accepted", player=player, grade=kind)
            return phrase("{player} offers to resign ({grade}), refused", player=player, grade=kind)
        case Scored(score=score):
            return phrase("The score is now {score}", score=f"{score[0]}–{score[1]}")
        case Corrected():
            return phrase("The position was set by hand")
        case Doubled(side=side):
            stake = moment.after.cube * 2
            return phrase("{player} doubles to {stake}", player=record.player(side), stake=stake)
        case Beavered(side=side):
            stake = moment.after.cube * 2
            return phrase("{player} beavers to {stake}", player=record.player(side), stake=stake)
        case Taken(side=side):
            return phrase("{player} takes", player=record.player(side))
        case Dropped(side=side):
            return phrase("{player} drops", player=record.player(side))
        case Rolled():
            return ""
