"""What is best in one position, as an engine sees it: for somebody who trains, never during a match."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import fmean, stdev
from typing import Any, Protocol

from engine.layout import Side
from engine.match import Terms
from engine.messages import phrase
from engine.names import named
from engine.position import Awaits, Json, Position, Rules
from firmware.engines import BeforeRoll, Board, Chances, Engine, Ranked, Spot
from firmware.formats.board import STANDARD
from firmware.formats.ids import Situation
from firmware.languages.choice import signed, written
from firmware.record.ratings import describe_choice
from firmware.record.spots import Stakes, best_answer, board_of, check_known

MOST = 10
"""Plays that are told, the best first."""
ROLLED = 3
"""Plays that are rolled out."""
TRIALS = 36
"""Games in a batch of a rollout: every first roll once."""


class NoAdvice(Exception):
    """There is nothing to decide in this position; the message says why."""


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that may be done, and what it is worth; ``behind`` is by how much less than the best,
    ``board`` what a play leaves."""

    text: str
    equity: float
    behind: float
    chances: Chances
    board: Board | None = None
    error: float | None = None
    """The standard error of an equity that a rollout found."""


@dataclass(frozen=True, slots=True)
class Advice:
    """What ``side`` may do, the best first. ``kind`` is ``play`` or ``cube``; ``answer`` is what the other
    side does best about a double."""

    side: str
    kind: str
    options: tuple[Option, ...]
    answer: str = ""

    def to_json(self) -> Json:
        """Plain data."""
        options = [
            {
                "text": each.text,
                "equity": round(each.equity, 4),
                "behind": round(each.behind, 4),
                **({} if each.error is None else {"error": round(each.error, 4)}),
                "chances": {name: round(value, 4) for name, value in asdict(each.chances).items()},
            }
            for each in self.options
        ]
        return {"side": self.side, "kind": self.kind, "options": options, "answer": self.answer}


def advise(situation: Situation, engine: Engine) -> Advice:
    """What is best here. Raises NoAdvice, FormatError where no engine knows the game, NoEngine."""
    position = situation.position
    check_known(position.rules.name)
    side = position.turn
    if side is None or position.outcome is not None:
        raise NoAdvice(phrase("the game is over") if position.outcome else phrase("say whose turn it is"))
    stakes = stakes_of(situation)
    if position.awaits is Awaits.PLAY:
        plays = {board_of(play.after, side): play.text for play in position.plays()}
        if len(plays) == 1:
            (only,) = plays.values()
            raise NoAdvice(phrase("there is one legal play: {play}", play=only))
        return _of_plays(side, plays, engine.plays(stakes.spot(position, side, position.dice)))
    return _of_cube(side, engine.before_roll(stakes.spot(position, side), rolls=False), situation)


def stakes_of(situation: Situation) -> Stakes:
    """What is played for."""
    length = situation.length
    terms = Terms(length=length, score=situation.score if length else (0, 0), jacoby=situation.jacoby)
    return Stakes(terms, situation.score, situation.cube, situation.owner, situation.crawford)


def position_seen(rules: Rules, seen: Mapping[str, Any], turn: Side) -> Position:
    """The position that a picture of the board shows (``points``, ``bar``, ``off`` as ``barpoint read``
    prints them); what is nowhere is borne off. Raises NoAdvice where something is hidden, ImpossibleSetup."""
    check_known(rules.name)
    points, bar, off = seen["points"], list(seen["bar"]), seen["off"] or [None, None]
    if None in bar:
        raise NoAdvice(phrase("the bar cannot be seen; take your hands away and ask again"))
    signs = zip((1, -1), bar, strict=True)
    left = [STANDARD - count - sum(max(sign * each, 0) for each in points.values()) for sign, count in signs]
    if min(left) < 0:
        side = rules.sides[0 if left[0] < 0 else 1]
        raise NoAdvice(
            phrase(
                "the camera sees more than {n} checkers of {side}; set them apart and ask again",
                n=STANDARD,
                side=named(side),
            )
        )
    for side, missing, count in zip(rules.sides, left, off, strict=True):
        if count not in (None, missing):
            raise NoAdvice(
                phrase(
                    "{n} checkers of {side} are missing or too many; look at the board",
                    n=f"{missing - count:+d}",
                    side=named(side),
                )
            )
    return rules.read({"rules": rules.name, "points": points, "bar": bar, "off": left, "turn": turn})


ANSWERS = {
    "take": phrase("After a double the other side should take."),
    "drop": phrase("After a double the other side should drop."),
    "beaver": phrase("After a double the other side should beaver."),
}


def told(advice: Advice) -> list[str]:
    """The advice in lines for people."""
    player = named(advice.side)
    plays = advice.kind == "play"
    lines: list[str] = [
        phrase("{player} to play", player=player)
        if plays
        else phrase("{player} to double or roll", player=player)
    ]
    for each in advice.options:
        loss = f" ({signed(-each.behind, 3)})" if each.behind else ""
        loss += "" if each.error is None else f" ±{written(each.error, 3)}"
        chances = each.chances
        lines.append(
            phrase(
                "  {play}: {equity}   wins {won} % ({gammons} % gammons), loses {lost} % gammons",
                play=describe_choice(each.text),
                equity=f"{signed(each.equity, 3)}{loss}",
                won=written(100 * chances.win, 1),
                gammons=written(100 * chances.gammon, 1),
                lost=written(100 * chances.gammon_lost, 1),
            )
        )
    if advice.answer:
        lines.append(ANSWERS[advice.answer])
    return lines


class Rolls(Protocol):
    """Something that rolls a play out."""

    def rollout(self, spot: Spot, board: Board, trials: int, seed: int) -> float:
        """The equity of having left this board, from so many games played out with dice from ``seed``."""
        ...


def roll_out(
    advice: Advice,
    situation: Situation,
    engine: Rolls,
    batches: int = 10,
    tell: Callable[[int, int, Advice], bool] = lambda done, of, so_far: True,
) -> Advice:
    """The first plays of ``advice`` played out on with the same dice for each, batch by batch. ``tell`` hears
    after every batch how many of how many are done and what is found so far; where it returns False, that is
    all. Raises NoAdvice for a cube decision, NoEngine."""
    if advice.kind != "play":
        raise NoAdvice(phrase("a rollout is of plays; give the dice"))
    spot = stakes_of(situation).spot(situation.position, advice.side, situation.position.dice)
    plays = [each for each in advice.options[:ROLLED] if each.board is not None]
    found: list[list[float]] = [[] for _ in plays]
    for batch in range(batches):
        for each, equities in zip(plays, found, strict=True):
            assert each.board is not None
            equities.append(engine.rollout(spot, each.board, TRIALS, batch + 1))
        advice = replace(
            advice, options=_ordered([_rolled(*each) for each in zip(plays, found, strict=True)])
        )
        if not tell(batch + 1, batches, advice):
            break
    return advice


def _rolled(play: Option, equities: Sequence[float]) -> Option:
    error = stdev(equities) / len(equities) ** 0.5 if len(equities) > 1 else None
    return replace(play, equity=fmean(equities), error=error)


def _of_plays(side: str, plays: dict[Board, str], ranked: Sequence[Ranked]) -> Advice:
    options = [
        Option(plays[each.own, each.other], each.equity, 0.0, each.chances, (each.own, each.other))
        for each in ranked
        if (each.own, each.other) in plays
    ]
    return Advice(side, "play", _ordered(options)[:MOST])


def _of_cube(side: str, found: BeforeRoll, situation: Situation) -> Advice:
    answer, worth = best_answer(found, situation.beavers and not situation.length)
    options = [Option("no double", found.no_double, 0.0, found.chances)]
    if stakes_of(situation).may_double(side):
        options.append(Option("double", -worth, 0.0, found.chances))
    return Advice(side, "cube", _ordered(options), answer if len(options) > 1 else "")


def _ordered(options: Sequence[Option]) -> tuple[Option, ...]:
    ordered = sorted(options, key=lambda each: -each.equity)
    best = ordered[0].equity if ordered else 0.0
    return tuple(replace(each, behind=best - each.equity) for each in ordered)
