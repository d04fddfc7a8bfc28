"""A match as one HTML file: score by game, a diagram for each move, the dice, the time for each move, fouls.

It fetches nothing, and everything in it is computed from the log: positions by replaying the record under the
rules, times from the events.
"""

from __future__ import annotations

import itertools
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
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
from firmware.record.analyse import Analysis, Choice, total, worst_first
from firmware.record.archive import history
from firmware.record.catalogue import describe_result
from firmware.record.diagram import board, shared
from firmware.record.journal import Entry
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
ERROR = 0.02
"""Equity lost by a play that is marked in its caption; hardly a player would see a smaller loss."""
WORST = 10
"""Errors in the list of the most expensive ones."""
CAUSES = {"dropped": ", by a drop", "resigned": ", by resignation", "time": ", on time"}


@dataclass(frozen=True, slots=True)
class TimedTurn:
    """A play, and how many seconds after the dice (or the turn before) it was done; None where not known."""

    game: int
    side: Side
    seconds: float | None


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
                    found.append(TimedTurn(number + 1, last.side, max(0.0, t - since)))
            counts, since = plays, t
        elif entry.body.get("event") in ("roll", "next", "begin"):
            since = t
    return found


def _plays(game: GameRecord) -> list[Played | Stood]:
    return [action for action in game.actions if isinstance(action, Played | Stood)]


def report_page(
    match: MatchRecord, times: Sequence[TimedTurn] = (), analyses: Sequence[Analysis | None] = ()
) -> str:
    """The report; ``analyses`` are those of the games, where there are any. Raises BadRecord where the record
    breaks its rules."""
    title = f"{match.players[0]} – {match.players[1]}"
    rules = games.get(match.rules)
    facts = (rules.title, match.event, match.round, match.place, match.date)
    length = f"match to {match.terms.length}" if match.terms.length else "money session"
    who = ", ".join(
        f"{name} has {side}" for side, name in zip(rules.sides, match.players, strict=True) if name != side
    )
    choices = [choice for each in analyses if each is not None for choice in each.choices]
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
        _analysis(match, analyses),
        _fouls(match),
    ]
    for number, game in enumerate(match.games, 1):
        own = {choice.move: choice for choice in choices if choice.game == number and choice.loss >= ERROR}
        parts.append(_game(match, number, game, [turn for turn in times if turn.game == number], own))
    return "\n".join(part for part in parts if part) + "</html>\n"


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


def _analysis(match: MatchRecord, analyses: Sequence[Analysis | None]) -> str:
    """GNU Backgammon's figures, where it has run."""
    done = [each for each in analyses if each is not None]
    if not done:
        return ""
    skills = total(done)
    rows = []
    for name, skill in zip(match.players, skills.values(), strict=True):
        luck = f"{skill.luck:+.3f}".replace("-", "−")
        errors, cube = f"{skill.errors:.3f}", f"{skill.cube:.3f}"
        rows.append((name, f"{skill.rate:.1f}", skill.unforced, errors, cube, luck))
    head = ("player", "error rate", "unforced plays", "lost by plays", "by the cube", "luck")
    lines = []
    for each in worst_first(done)[:WORST]:
        moves = enumerate(_plays(match.games[each.game - 1]), 1)
        own = [(number, action.text) for number, action in moves if isinstance(action, Played)]
        number, text = own[each.move - 1] if each.move <= len(own) else (each.move, each.played)
        who = f"{_player(match, each.side)} {dashed(each.dice)}"
        lines.append((f"{each.game}.{number}", who, text, each.best, f"{each.loss:.3f}"))
    part = "" if len(done) == len(match.games) else f", {len(done)} of {len(match.games)} games"
    note = "The error rate is the equity lost for each unforced play, in thousandths; the rest is equity."
    found = f"<h2>Errors and luck{part}</h2>{_table(head, rows)}<p>By GNU Backgammon. {note}</p>"
    if lines:
        found += f"<h3>The worst errors</h3>{_table(('move', 'who', 'played', 'better', 'lost'), lines)}"
    return found


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
    errors: Mapping[int, Choice],
) -> str:
    figures = []
    moments = list(replay(match, game))
    if moments:
        figures.append(_figure(board(_layout(moments[0].before.position)), "The start"))
    took = itertools.chain(times, itertools.repeat(None))
    move = legal = 0
    for moment in moments:
        told = _describe(match, moment)
        if isinstance(moment.action, Played | Stood):
            move += 1
            legal += isinstance(moment.action, Played)  # gnubg counts no play that broke the rules
            turn = next(took)
            told += f" · {turn.seconds:.1f} s" if turn is not None and turn.seconds is not None else ""
            before, after = moment.before.position, moment.after.position
            drawing = board(_layout(after), differing(after.looks(), before.looks()), f"after {told}")
            foul = isinstance(moment.action, Stood)
            figures.append(_figure(drawing, f"{move}. {told}", foul, None if foul else errors.get(legal)))
        elif not isinstance(moment.action, Rolled):
            figures.append(f'<p class="told">{escape(told)}</p>')
    result = f"<p>{escape(_ending(match, game.result))}</p>"
    return f'<h2 id="game{number}">Game {number}</h2><div class="moves">{"".join(figures)}</div>{result}'


def _layout(position: Position) -> Layout:
    """What stands where, with the empty cells."""
    return {**dict.fromkeys(position.looks(), ()), **position.layout()}


def _figure(drawing: str, caption: str, foul: bool = False, error: Choice | None = None) -> str:
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
