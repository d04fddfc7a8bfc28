"""A match as one HTML file: score by game, a diagram for each move, the dice, the time for each move, fouls.

It fetches nothing, and everything in it is computed from the log: positions by replaying the record under the
rules, times from the events.
"""

from __future__ import annotations

import itertools
import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from engine import rules as games
from engine.layout import Layout, Side, differing
from engine.position import Position
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
from engine.recorder import Recorder
from engine.words import scored
from firmware.dice.fairness import fairness
from firmware.record.archive import history
from firmware.record.catalogue import describe_result
from firmware.record.diagram import board, shared
from firmware.record.journal import Entry
from firmware.record.ratings import Decision, GameReview, describe_engine, ratings, worst_first
from firmware.wording import dashed

STYLE = """
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;
overflow-wrap:anywhere}
.wide{overflow-x:auto}table{border-collapse:collapse;margin:.3rem 0;overflow-wrap:normal}
th,td{padding:.3rem .8rem .3rem 0;border-bottom:1px solid #8886;text-align:left;vertical-align:top}
td.n{text-align:right}
.moves{display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:1rem}
figure{margin:0;break-inside:avoid;content-visibility:auto;contain-intrinsic-size:15rem 15rem}
.told{grid-column:1/-1}svg{width:100%;height:auto}figcaption{font-size:.9rem}
.foul,.error{color:#c62828;font-weight:600}@media(prefers-color-scheme:dark){.foul,.error{color:#ff8a80}}
"""
WORST = 10
"""Errors in the list of the most expensive ones."""
CAUSES = {"dropped": ", by a drop", "resigned": ", by resignation", "time": ", on time"}


@dataclass(frozen=True, slots=True)
class TimedTurn:
    """A play, and how many seconds after the dice (or the turn before) it was done; None where not known.
    ``t`` is the table time at which it was done."""

    game: int
    side: Side
    seconds: float | None
    t: float = 0.0


def timed_turns(entries: Iterable[Entry]) -> list[TimedTurn]:
    """Every play of a log that stands, with the time it took. An imported match has none."""
    found: list[TimedTurn] = []
    counts: list[int] = []
    since = 0.0
    for entry, taken in history(entries):
        if not isinstance(taken, Recorder):
            return []
        t = float(entry.body.get("t", since))
        record = taken.record
        plays = [len(_plays(game)) for game in record.games]
        if plays != counts:
            for number, now in enumerate(plays):
                before = counts[number] if number < len(counts) else 0
                if now < before:  # taken back
                    own = [at for at, turn in enumerate(found) if turn.game == number + 1]
                    for at in reversed(own[now - before :]):
                        del found[at]
                elif now > before:
                    last = _plays(record.games[number])[-1]
                    found.append(TimedTurn(number + 1, last.side, max(0.0, t - since), t))
            counts, since = plays, t
        elif entry.body.get("event") in ("roll", "next", "begin"):
            since = t
    return found


def _plays(game: GameRecord) -> list[Played | Stood]:
    return [action for action in game.actions if isinstance(action, Played | Stood)]


def report_page(
    match: MatchRecord, times: Sequence[TimedTurn] = (), reviews: Sequence[GameReview | None] = ()
) -> str:
    """The report; ``reviews`` are those of the games, where there are any. Raises BadRecord where the record
    breaks its rules."""
    return "".join(report_parts(match, times, reviews))


def report_parts(
    match: MatchRecord, times: Sequence[TimedTurn] = (), reviews: Sequence[GameReview | None] = ()
) -> Iterator[str]:
    """The same in small pieces."""
    title = f"{match.players[0]} – {match.players[1]}"
    rules = games.get(match.rules)
    facts = (rules.title, match.event, match.round, match.place, match.date)
    length = f"match to {match.terms.length}" if match.terms.length else "money session"
    who = ", ".join(
        f"{name} has {side}" for side, name in zip(rules.sides, match.players, strict=True) if name != side
    )
    errors = worst_first([each for each in reviews if each is not None])
    parts = [
        (
            '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport"'
            f' content="width=device-width"><title>{escape(title)}</title><style>{STYLE}</style>{shared()}'
        ),
        f"<h1>{escape(title)}</h1>",
        f"<p>{escape(' · '.join(fact for fact in (*facts, length, who) if fact))}</p>",
        _scores(match),
        _dice(match),
        _thinking(match, times),
        _review(match, reviews),
        _fouls(match),
    ]
    yield "\n".join(part for part in parts if part)
    for number, game in enumerate(match.games, 1):
        own = {each.turn: each for each in errors if each.game == number and each.kind == "play"}
        yield from _game(match, number, game, [turn for turn in times if turn.game == number], own)
    yield "</html>\n"


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    top = "".join(f"<th>{escape(name)}</th>" for name in head)
    lines = "".join(f"<tr>{''.join(map(_table_cell, row))}</tr>" for row in rows)
    return f'<div class="wide"><table><tr>{top}</tr>{lines}</table></div>'


def _table_cell(value: object) -> str:
    mark = " class=n" if isinstance(value, (int, float)) else ""
    return f"<td{mark}>{escape(str(value))}</td>"


def _player(match: MatchRecord, side: Side | None) -> str:
    """The player on this side."""
    sides = games.get(match.rules).sides
    return match.players[sides.index(side)] or side if side in sides else "nobody"


def _ending(match: MatchRecord, result: Result | None) -> str:
    if result is None or result.winner is None:
        return describe_result(result)
    points, cause = scored(result.kind, result.points), CAUSES.get(result.cause, "")
    return f"{_player(match, result.winner)} wins, {points}{cause}"


def _scores(match: MatchRecord) -> str:
    rows = []
    for number, game in enumerate(match.games, 1):
        note = ", Crawford game" if game.crawford else ""
        rows.append((number, f"{game.score[0]}–{game.score[1]}", _ending(match, game.result) + note))
    final = f"<p>Score: <strong>{match.score[0]}–{match.score[1]}</strong></p>"
    return f"<h2>Score by game</h2>{_table(('game', 'before', 'result'), rows)}{final}"


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
        "rolls",
        "total",
        "over the mean of 3.5 a die",
        "doubles",
        "of each face, 1 to 6",
        "chi-square, 5 df",
    )
    columns = [_dice_figures(rolled[side]) for side in sides]
    rows = [(name, *(column[place] for column in columns)) for place, name in enumerate(names)]
    note = "<p>Fair dice have a p under 0.01 in one of a hundred columns.</p>"
    return f"<h2>The dice</h2>{_table(('', *match.players), rows)}{note}"


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
        f"{_signed(over)} pips ({_signed(over / sigma)} σ)" if dice else "–",
        f"{doubles} ({expected:.1f} expected)",
        " ".join(str(count) for count in faces.counts),
        f"{faces.statistic:.1f} (p = {faces.p:.2f})",
    )


def _signed(value: float) -> str:
    """One decimal, with its sign; 0.0 has none."""
    text = f"{value:+.1f}"
    return "0.0" if float(text) == 0 else text.replace("-", "−")


def _thinking(match: MatchRecord, times: Sequence[TimedTurn]) -> str:
    rows = []
    for side, name in zip(games.get(match.rules).sides, match.players, strict=True):
        own = sorted(turn.seconds for turn in times if turn.side == side and turn.seconds is not None)
        if own:
            times_s = (sum(own) / len(own), statistics.median(own), own[-1])
            rows.append((name, len(own), *(f"{seconds:.1f} s" for seconds in times_s)))
    head = ("player", "moves", "mean", "median", "longest")
    return f"<h2>Time for a move</h2>{_table(head, rows)}" if rows else ""


def _review(match: MatchRecord, reviews: Sequence[GameReview | None]) -> str:
    """What an engine thinks of the games, where one has looked."""
    done = [each for each in reviews if each is not None]
    if not done:
        return ""
    rows = []
    for name, rating in zip(match.players, ratings(done).values(), strict=True):
        rates = (f"{value:.1f}" for value in (rating.pr, rating.play_pr, rating.cube_pr))
        luck = f"{rating.luck:+.3f}".replace("-", "−")
        rows.append((name, *rates, rating.decisions, rating.errors, rating.blunders, luck))
    head = ("player", "performance rating", "plays", "cube", "decisions", "errors", "blunders", "luck")
    lines = []
    for each in worst_first(done)[:WORST]:
        who = f"{_player(match, each.side)} {dashed(each.dice)}"
        lines.append((f"{each.game}.{each.turn}", who, each.played, each.best, _lost(each), _why(each)))
    part = "" if len(done) == len(match.games) else f", {len(done)} of {len(match.games)} games"
    by = " and ".join(sorted({describe_engine(each) for each in done}))
    note = (
        "The performance rating is 500 times the equity lost for each decision that was not obvious: the"
        " lower, the better. Luck is in points of equity. An error costs 0.020 or more, a blunder 0.080 or"
        " more."
    )
    graphs = "".join(_chances(match, each) for each in done)
    found = f"<h2>Review{part}</h2>{_table(head, rows)}<p>By {escape(by)}. {note}</p>{graphs}"
    if lines:
        names = ("move", "who", "played", "better", "lost", "why")
        found += f"<h3>The worst errors</h3>{_table(names, lines)}"
    return found


def _lost(each: Decision) -> str:
    return f"{each.loss:.3f}{' blunder' if each.mark == 'blunder' else ''}"


def _why(each: Decision) -> str:
    """What the better play wins and loses more, in percent."""
    if each.had is None or each.missed is None:
        return ""
    had, best = each.had, each.missed
    parts = (
        ("wins", best.win - had.win),
        ("gammons won", best.gammon - had.gammon),
        ("gammons lost", best.gammon_lost - had.gammon_lost),
    )
    told = (f"{100 * more:+.1f} % {name}".replace("-", "−") for name, more in parts if abs(more) >= 0.005)
    return ", ".join(told)


def _chances(match: MatchRecord, found: GameReview) -> str:
    """White's chance to win before each roll of a game, as a line."""
    sides = games.get(match.rules).sides
    points = [each.win if each.side == sides[0] else 1 - each.win for each in found.rolls]
    if len(points) < 2:
        return ""
    step = 600 / (len(points) - 1)
    line = " ".join(f"{number * step:.0f},{100 - 100 * value:.0f}" for number, value in enumerate(points))
    title = f"Game {found.rolls[0].game}: {match.players[0]}'s chance to win before each roll"
    return (
        f"<figure><figcaption>{escape(title)}</figcaption>"
        f'<svg viewBox="-2 -2 604 104" role="img" aria-label="{escape(title)}">'
        '<path d="M0 0H600M0 50H600M0 100H600" stroke="#8886"/>'
        f'<polyline points="{line}" fill="none" stroke="#c62828" stroke-width="2"/></svg></figure>'
    )


def _fouls(match: MatchRecord) -> str:
    rows: list[tuple[object, ...]] = []
    for number, game in enumerate(match.games, 1):
        move = 1
        for place, action in enumerate(game.actions):
            if isinstance(action, Stood):
                what = f"{_player(match, action.side)}: {action.text or 'an illegal play'}"
                rows.append((f"{number}.{move}", what, "stood"))
            elif isinstance(action, Remark):
                rows.append((f"{number}.{move}", action.text, _sequel(action, game.actions[place:])))
            move += isinstance(action, Played | Stood)
    return f"<h2>Fouls and remarks</h2>{_table(('move', 'what', ''), rows)}" if rows else ""


def _sequel(remark: Remark, actions: Sequence[Action]) -> str:
    """What came of it: a foul was fixed where the same side then played by the rules."""
    played = next((action for action in actions if isinstance(action, Played | Stood)), None)
    fixed = isinstance(played, Played) and remark.text.startswith(f"foul by {played.side}:")
    return "fixed" if fixed else "noted"


def _game(
    match: MatchRecord,
    number: int,
    game: GameRecord,
    times: Sequence[TimedTurn],
    errors: Mapping[int, Decision],
) -> Iterator[str]:
    yield f'\n<h2 id="game{number}">Game {number}</h2><div class="moves">'
    moments = list(replay(match, game))
    if moments:
        yield _figure(board(_layout(moments[0].before.position)), "The start")
    took = itertools.chain(times, itertools.repeat(None))
    move = 0
    for moment in moments:
        told = _describe(match, moment)
        if isinstance(moment.action, Played | Stood):
            move += 1
            turn = next(took)
            told += f" · {turn.seconds:.1f} s" if turn is not None and turn.seconds is not None else ""
            before, after = moment.before.position, moment.after.position
            drawing = board(_layout(after), differing(after.looks(), before.looks()), f"after {told}")
            foul = isinstance(moment.action, Stood)
            yield _figure(drawing, f"{move}. {told}", foul, None if foul else errors.get(move))
        elif not isinstance(moment.action, Rolled):
            yield f'<p class="told">{escape(told)}</p>'
    yield f"</div><p>{escape(_ending(match, game.result))}</p>"


def _layout(position: Position) -> Layout:
    """What stands where, with the empty cells."""
    return {**dict.fromkeys(position.looks(), ()), **position.layout()}


def _figure(drawing: str, caption: str, foul: bool = False, error: Decision | None = None) -> str:
    better, mark = "", " class=foul" if foul else ""
    if error is not None:
        better = f'<br><span class="error">−{error.loss:.3f}</span> better {escape(error.best)}'
    return f"<figure>{drawing}<figcaption{mark}>{escape(caption)}{better}</figcaption></figure>"


def _describe(record: MatchRecord, moment: Moment) -> str:
    action: Action = moment.action
    match action:
        case Played(side=side, text=text):
            dice = dashed(moment.before.position.dice)
            return f"{side} {dice}: {text}" if dice else f"{side}: {text}"
        case Stood(side=side, text=text):
            return f"{side}: an illegal play that stood{': ' + text if text else ''}"
        case Remark(text=text):
            return text
        case Resigned(side=side, grade=grade, accepted=accepted):
            answer = "accepted" if accepted else "refused"
            return f"{_player(record, side)} offers to resign ({grade}), {answer}"
        case Scored(score=score):
            return f"The score is now {score[0]}–{score[1]}"
        case Corrected():
            return "The position was set by hand"
        case Doubled(side=side) | Beavered(side=side):
            does = "doubles" if isinstance(action, Doubled) else "beavers"
            return f"{_player(record, side)} {does} to {moment.after.cube * 2}"
        case Taken(side=side):
            return f"{_player(record, side)} takes"
        case Dropped(side=side):
            return f"{_player(record, side)} drops"
        case Rolled():
            return ""
