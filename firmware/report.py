"""A match as one HTML file: score by game, a diagram for each move, what the dice were like, how long the players thought, what went wrong.

Nothing in it is fetched from anywhere, and everything in it is computed from the log: positions by replaying the record under the
rules, times from the events.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from engine import rules as games
from engine.layout import Side, differing
from engine.record import Action, GameRecord, MatchRecord, Moment, Played, Remark, Resigned, Rolled, Stood, replay
from engine.recorder import Recorder
from firmware.archive import history
from firmware.catalogue import in_words
from firmware.diagram import board
from firmware.fairness import fairness
from firmware.journal import Entry

STYLE = """
:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;margin:1rem 0}th,td{padding:.3rem .8rem;border-bottom:1px solid #8886;text-align:left}td.n{text-align:right}
.moves{display:grid;grid-template-columns:repeat(auto-fill,minmax(15rem,1fr));gap:1rem}figure{margin:0;break-inside:avoid}
svg{width:100%;height:auto;background:#fff;color:#222;border-radius:4px}figcaption{font-size:.9rem}.foul{color:#c62828;font-weight:600}
"""


@dataclass(frozen=True, slots=True)
class Turn:
    """A play as it was made: the action, and how many seconds after the dice (or the turn before) it was done; None where not known."""

    game: int
    side: Side
    seconds: float | None


def turns(entries: Iterable[Entry]) -> list[Turn]:
    """Every play of a log that stands, with the time it took. An imported match has none."""
    found: list[Turn] = []
    counts: list[int] = []
    since = 0.0
    for entry, taken in history(entries):
        if not isinstance(taken, Recorder):
            return []
        t = float(entry.body.get("t", since))
        record = taken.record
        plays = [_plays(game) for game in record.games]
        if plays != counts:
            for number, now in enumerate(plays):
                before = counts[number] if number < len(counts) else 0
                if now < before:  # taken back
                    own = [at for at, turn in enumerate(found) if turn.game == number + 1]
                    for at in reversed(own[now - before :]):
                        del found[at]
                elif now > before:
                    last = [action for action in record.games[number].actions if isinstance(action, Played | Stood)][-1]
                    found.append(Turn(number + 1, last.side, max(0.0, t - since)))
            counts, since = plays, t
        elif entry.body.get("event") in ("roll", "next", "begin"):
            since = t
    return found


def _plays(game: GameRecord) -> int:
    return sum(isinstance(action, Played | Stood) for action in game.actions)


def page(match: MatchRecord, times: Sequence[Turn] = ()) -> str:
    """The report. Raises BadRecord where the record breaks its rules."""
    title = f"{match.players[0]} – {match.players[1]}"
    facts = (games.get(match.rules).title, match.event, match.round, match.place, match.date)
    length = f"match to {match.terms.length}" if match.terms.length else "money session"
    parts = [
        f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{escape(title)}</title><style>{STYLE}</style>",
        f"<h1>{escape(title)}</h1><p>{escape(' · '.join(fact for fact in (*facts, length) if fact))}</p>",
        _scores(match),
        _dice(match),
        _thinking(match, times),
        _fouls(match),
    ]
    for number, game in enumerate(match.games, 1):
        parts.append(_game(match, number, game, [turn for turn in times if turn.game == number]))
    return "\n".join(part for part in parts if part) + "</html>\n"


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    top = "".join(f"<th>{escape(name)}</th>" for name in head)
    lines = ("".join(f"<td{' class=n' if isinstance(cell, (int, float)) else ''}>{escape(str(cell))}</td>" for cell in row) for row in rows)
    return f"<table><tr>{top}</tr>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def _scores(match: MatchRecord) -> str:
    rows = []
    for number, game in enumerate(match.games, 1):
        note = ", Crawford game" if game.crawford else ""
        rows.append((number, f"{game.score[0]}–{game.score[1]}", in_words(game.result) + note, game.result.cause if game.result else ""))
    final = f"<p>Score: <strong>{match.score[0]}–{match.score[1]}</strong></p>"
    return f"<h2>Score by game</h2>{_table(('game', 'score before', 'result', 'by'), rows)}{final}"


def _dice(match: MatchRecord) -> str:
    """Luck of the raw dice: totals and doubles by player; an opening die is its player's."""
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
    rows = []
    for side, name in zip(sides, match.players, strict=True):
        rolls = rolled[side]
        dice = [die for roll in rolls for die in roll]
        pairs = [roll for roll in rolls if len(roll) > 1]
        doubles = sum(len(set(roll)) == 1 for roll in pairs)
        expected = sum((1 / 6) ** (len(roll) - 1) for roll in pairs)
        faces = fairness([(die,) for die in dice]).tests[0]
        mean = f"{sum(dice) / len(dice):.2f}" if dice else "–"
        spread = " ".join(str(dice.count(face)) for face in range(1, 7))
        luck = f"{faces.statistic:.1f} (p = {faces.p:.2f})"
        rows.append((name, len(rolls), sum(dice), mean, f"{doubles} ({expected:.1f} expected)", spread, luck))
    head = ("player", "rolls", "total", "mean (3.50)", "doubles", "of each face, 1 to 6", "chi-square, 5 df")
    return f"<h2>The dice</h2>{_table(head, rows)}<p>A p under 0.01 happens to fair dice once in a hundred matches.</p>"


def _thinking(match: MatchRecord, times: Sequence[Turn]) -> str:
    rows = []
    for side, name in zip(games.get(match.rules).sides, match.players, strict=True):
        own = sorted(turn.seconds for turn in times if turn.side == side and turn.seconds is not None)
        if own:
            rows.append((name, len(own), f"{sum(own) / len(own):.1f} s", f"{own[len(own) // 2]:.1f} s", f"{own[-1]:.1f} s"))
    return f"<h2>Time for a move</h2>{_table(('player', 'moves', 'mean', 'median', 'longest'), rows)}" if rows else ""


def _fouls(match: MatchRecord) -> str:
    rows: list[tuple[object, ...]] = []
    for number, game in enumerate(match.games, 1):
        for action in game.actions:
            if isinstance(action, Stood):
                rows.append((number, action.side, action.text or "an illegal play", "stood"))
            elif isinstance(action, Remark):
                rows.append((number, "", action.text, "noted"))
    return f"<h2>Fouls and remarks</h2>{_table(('game', 'side', 'what', ''), rows)}" if rows else ""


def _game(match: MatchRecord, number: int, game: GameRecord, times: Sequence[Turn]) -> str:
    figures = []
    moments = list(replay(match, game))
    if moments:
        figures.append(_figure(board(moments[0].before.position.layout()), "The start"))
    took = itertools.chain(times, itertools.repeat(None))
    for place, moment in enumerate(moments, 1):
        told = _told(moment)
        if isinstance(moment.action, Played | Stood):
            turn = next(took)
            told += f" · {turn.seconds:.1f} s" if turn is not None and turn.seconds is not None else ""
            before, after = moment.before.position, moment.after.position
            marked = differing(after.looks(), before.looks())
            figures.append(_figure(board(after.layout(), marked, f"after {told}"), f"{place}. {told}", isinstance(moment.action, Stood)))
        elif not isinstance(moment.action, Rolled):
            figures.append(_figure("", f"{place}. {told}"))
    result = f"<p>{escape(in_words(game.result))}</p>"
    return f'<h2 id="game{number}">Game {number}</h2><div class="moves">{"".join(figures)}</div>{result}'


def _figure(drawing: str, caption: str, foul: bool = False) -> str:
    return f"<figure>{drawing}<figcaption{' class=foul' if foul else ''}>{escape(caption)}</figcaption></figure>"


def _told(moment: Moment) -> str:
    action: Action = moment.action
    match action:
        case Played(side=side, text=text):
            dice = "-".join(str(die) for die in moment.before.position.dice)
            return f"{side} {dice}: {text}"
        case Stood(side=side, text=text):
            return f"{side}: illegal, but stood{': ' + text if text else ''}"
        case Remark(text=text):
            return text
        case Resigned(side=side, grade=grade, accepted=accepted):
            return f"{side} offers to resign ({grade}), {'accepted' if accepted else 'refused'}"
        case _:
            return f"{getattr(action, 'side', None) or ''} {type(action).__name__.lower()}".strip()
