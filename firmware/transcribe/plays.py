"""What could have been played: the judge's opinion of one sighting (:mod:`engine.infer`), and what the dice
say."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from engine.accusation import misplaced, price
from engine.errors import EngineError
from engine.evidence import HAIR, Evidence
from engine.infer import infer, rolls
from engine.judge import Kind as Verdict
from engine.judge import likeliest
from engine.layout import POINT_CELLS, Cell, Look, Looks, Side, apart, name_parts
from engine.messages import phrase
from engine.position import Dice, Play, Position, Rules
from firmware.transcribe.sighting import Throw
from firmware.transcribe.turns import Kind

PLAY = 2.5
"""Nats for one play of the dozen that a roll allows."""
POOR = 8.0
"""Nats that a sighting may cost under a play that is believed without asking."""
MISREAD = 10.0
"""Nats for dice that show another roll than was played: one throw in a thousand (7), and one of twenty rolls
(3)."""
OTHER_ROLL = 7.6
"""Nats for a player who played another roll than fell: one play in a hundred (4.6), and one of twenty rolls
(3)."""
ANOTHER = 1.0
"""Nats that the board as it was may cost before a play that hardly shows is thought of."""
THROWN_AGAIN = 3.0
"""Nats for a throw that was not played: cocked, thrown again, or the other side's."""
MOST_UNSEEN = 8
"""Plays of one roll that nothing was seen of, at most."""
OPEN = 0.4
"""Probability under which nobody knows what stands on a point."""
OTHER_HALF = 2.3
"""Nats for a throw into the half at the opponent's right: one in ten, though the rules forbid it."""


Said: TypeAlias = Mapping[Cell, tuple[Look, float]]
"""Of each cell how it is thought to look, and how many nats have spoken against that."""


@dataclass(frozen=True, slots=True)
class Step:
    """One way for a turn to have gone. ``cost`` is without the dice and the picture."""

    kind: Kind
    side: Side
    rolls: tuple[Dice, ...]
    text: str
    after: Position
    cost: float


def movers(position: Position, rules: Rules) -> tuple[Side, ...]:
    """Who may play now: at the opening, either."""
    return (position.turn,) if position.turn is not None else rules.sides


def plays(position: Position, evidence: Evidence, rules: Rules) -> Iterator[Step]:
    """The plays that may have led to what is seen, and the fouls. They need not explain it well: what is seen
    decides."""
    for side in movers(position, rules):
        try:
            found = infer(position, evidence, side)
        except EngineError:
            continue
        verdict = found.verdict
        if verdict.kind is Verdict.ILLEGAL:
            step = _foul(position, side, evidence, verdict.play, verdict.seen)
            if step is not None:
                yield step
            continue
        for play in verdict.candidates or (verdict.play,):
            yield Step(Kind.PLAYED, side, explaining(position, side, play.after), play.text, play.after, PLAY)


def explaining(position: Position, side: Side, after: Position) -> tuple[Dice, ...]:
    """Every roll by which ``side`` can play to this position."""
    wanted = Evidence.certain(after.looks())
    found = []
    for dice, rolled in rolls(position, side).items():
        near = rolled.nearest(wanted, 1)
        if near and near[0][1].after == after:
            found.append(dice)
    return tuple(found)


def dances(position: Position, rules: Rules) -> Iterator[Step]:
    """The board is as it was: perhaps nothing could be played."""
    for side in movers(position, rules):
        stuck: dict[Position, list[tuple[Dice, Play]]] = {}
        for dice, rolled in rolls(position, side).items():
            possible = rolled.plays()
            if len(possible) == 1 and not possible[0].steps:
                stuck.setdefault(possible[0].after, []).append((dice, possible[0]))
        for after, ways in stuck.items():
            yield Step(Kind.PLAYED, side, tuple(dice for dice, _ in ways), ways[0][1].text, after, 0.0)


def _foul(position: Position, side: Side, evidence: Evidence, play: Play, seen: Looks) -> Step | None:
    """An illegal play that stood; None where no game goes on from there, or pieces of both sides moved: that
    came about unseen."""
    looks = {**play.after.looks(), **seen}
    try:
        after = stood(position, side, looks)
    except EngineError:
        return None
    if both_moved(position, side, after):
        return None
    number = misplaced(position, looks, play.after.looks())
    words = phrase("illegal; nearest by the rules: {play}", play=play.text)
    every = tuple(rolls(position, side))
    return Step(Kind.ILLEGAL, side, every, words, after, price(number, evidence.caution) + PLAY)


def fell(steps: Iterable[Step], throws: Sequence[Throw]) -> bool:
    """Whether a roll of one of these was seen to fall."""
    return any(throw.fits(dice) for step in steps for throw in throws for dice in step.rolls)


def against_dice(position: Position, steps: Sequence[Step], throws: Sequence[Throw]) -> Iterator[Step]:
    """Plays that another roll would allow than the one that was seen to fall: fouls, unless that was
    misread."""
    for step in steps:
        if step.kind is not Kind.PLAYED or fell([step], throws):
            continue
        for dice, rolled in rolls(position, step.side).items():
            if None in throws[-1].values or not throws[-1].fits(dice):
                continue
            words = phrase("illegal: {play}, with another roll", play=step.text)
            try:
                after = rolled.stand(step.after.looks())
            except EngineError:
                continue
            yield Step(Kind.ILLEGAL, step.side, (dice,), words, after, OTHER_ROLL + PLAY)


def unseen(
    position: Position, evidence: Evidence, throws: Sequence[Throw], rules: Rules, fits: float
) -> Iterator[Step]:
    """Plays of a roll that was seen to fall, of which nothing needs to be seen: something stands over the
    places, or another board is plainly likelier than that nothing moved, which costs ``fits`` nats. A first
    checker in a tray may hardly show."""
    if not hides(evidence) and fits < ANOTHER:
        return
    for side in movers(position, rules):
        found: dict[Position, tuple[list[Dice], Play]] = {}
        for dice, rolled in rolls(position, side).items():
            if any(throw.fits(dice) and None not in throw.values for throw in throws):
                for score, play in rolled.nearest(evidence, MOST_UNSEEN, enough=-POOR):
                    if score > -POOR and play.steps:
                        found.setdefault(play.after, ([], play))[0].append(dice)
        for after, (every, play) in found.items():
            yield Step(Kind.PLAYED, side, tuple(every), play.text, after, PLAY)


def says_anew(said: Said, evidence: Evidence, looks: Looks) -> tuple[float, Said]:
    """What a sighting costs, in nats, if the board looks like this, beyond what was ``said`` before of pieces
    that still stand there, and what has been said then: the same pieces under the same lamp are misread in
    the same way, so that many looks at them are no more witnesses than the worst."""
    anew, now = 0.0, dict(said)
    for cell, look in looks.items():
        cost = -evidence.score(cell, look)
        known, before = said.get(cell, (look, 0.0))
        before = before if known == look else 0.0
        worst = max(cost, before)
        now[cell] = look, worst
        anew += worst - before
    return anew, now


def hides(evidence: Evidence) -> bool:
    """Whether what stands on some point cannot be seen, give or take a piece: of a tall row in poor light the
    rest of the board tells how many there are."""
    return any(_roughly(evidence.cells.get(cell, {})) < OPEN for cell in POINT_CELLS)


def _roughly(looks: Mapping[Look, float]) -> float:
    """How probable the likeliest look is, or one that a piece more or less makes of it."""
    if not looks:
        return 0.0
    likeliest = max(looks, key=looks.__getitem__)
    near = sum(math.exp(value) for look, value in looks.items() if apart(look, likeliest) <= 1)
    return near / sum(map(math.exp, looks.values()))


def likeliest_looks(position: Position, evidence: Evidence, homes: Mapping[Side, Collection[Cell]]) -> Looks:
    """The likeliest board, legal or not. Where borne-off pieces lie out of view, what is nowhere else is
    borne off: at no price from a side whose pieces are all in its home, which nobody else may bear off from
    (``homes``, by side); of another one the picture is misread, or a piece is away."""
    best, cells, stock = evidence.best(), dict(evidence.cells), position.stock()
    named = ((cell, *name_parts(cell)) for cell in position.looks())
    offs = {cell: side or "" for cell, kind, side in named if kind == "off"}
    unseen = {cell: side for cell, side in offs.items() if cell not in cells}
    for cell, side in unseen.items():
        outside = best.keys() - {*offs, *homes.get(side, ())}
        gone = 0 if any(side in best[other] for other in outside) else stock.get(side, 0)
        cells[cell] = {(side,) * number: -HAIR * number for number in range(gone + 1)}  # rather none
    found = likeliest(position, replace(evidence, cells=cells))
    looks = {**position.looks(), **found.looks}
    for cell, side in unseen.items():
        elsewhere = sum(look.count(side) for other, look in looks.items() if other != cell)
        looks[cell] = (side,) * max(0, stock.get(side, 0) - elsewhere)
    return looks


def adds_up(position: Position, looks: Looks) -> bool:
    """Whether no piece is shown more often than it exists."""
    shown = Counter(piece for look in looks.values() for piece in look)
    return all(shown[piece] <= there for piece, there in position.stock().items())


def stood(start: Position, mover: Side, looks: Looks) -> Position:
    """The position with this board, ``mover``'s opponent to roll. Raises EngineError."""
    first = next(iter(rolls(start, mover).values()))
    return first.stand(looks)


def spelled(position: Position, side: Side, dice: Dice, after: Position) -> str:
    """The play by which ``side`` comes to a position with this roll, in the game's notation."""
    near = rolls(position, side)[dice].nearest(Evidence.certain(after.looks()), 1)
    return near[0][1].text


def named(position: Position, dice: Dice, move: str, rules: Rules) -> Iterator[tuple[Side, Dice, Position]]:
    """Who can have played a play that somebody names, with the roll in the game's order, and where it
    leads."""
    for side in movers(position, rules):
        for rolled_dice, rolled in rolls(position, side).items():
            if sorted(rolled_dice) == sorted(dice):
                try:
                    yield side, rolled_dice, rolled.find(move).after
                except EngineError:
                    continue


def weigh(
    every: Sequence[Dice], throws: Sequence[Throw], newest: Throw | None, white: bool
) -> tuple[tuple[tuple[Dice, float], ...], float]:
    """How likely each of the rolls is (together 1, the likeliest first), and what it costs in nats that one
    of them fell; by the ``throws`` seen since the last turn, of which ``newest`` (if any) may be the
    opponent's. ``white``: White threw. That dice fell as they were seen to fall costs nothing: they did,
    whatever was played."""
    against = {dice: _mismatch(dice, throws, newest, white) for dice in every}
    weights = {dice: _chance(dice) * math.exp(-each) for dice, each in against.items()}
    whole = sum(weights.values())
    ranked = sorted(weights.items(), key=lambda each: (-each[1], each[0]))
    cost = min(against.values()) if throws else -math.log(whole)
    return tuple((dice, weight / whole) for dice, weight in ranked), cost


def _chance(dice: Dice) -> float:
    """That this roll falls."""
    return (1 if len(set(dice)) == 1 else 2) / 36


def _mismatch(dice: Dice, throws: Sequence[Throw], newest: Throw | None, white: bool) -> float:
    """Nats by which the throws speak against a roll of this side."""
    if not throws:
        return 0.0
    costs = []
    for place, throw in enumerate(throws):
        if throw.fits(dice):
            later = len(throws) - place - 1
            if newest is not None and later:
                later -= 1  # the last is on the board as the turn is over: the opponent's
            half = OTHER_HALF if throw.ahead not in (None, white) else 0.0
            costs.append(throw.against(dice) + half + THROWN_AGAIN * (place + later))
    own = len(throws) - 1 if newest is not None and len(throws) > 1 else len(throws)
    return min([*costs, MISREAD + THROWN_AGAIN * (own - 1)])


def left_over(dice: Dice, throws: Sequence[Throw]) -> bool:
    """Whether the newest throw is the opponent's: an earlier one was played."""
    return any(throw.fits(dice) for throw in throws[:-1])


def both_moved(before: Position, mover: Side, after: Position) -> bool:
    """Whether a piece of the other side stands elsewhere, though none of the mover's is where it was."""
    now = after.looks()

    def others(look: Sequence[str]) -> int:
        return len(look) - look.count(mover)

    return any(
        others(now[cell]) != others(look) and mover not in now[cell]
        for cell, look in before.looks().items()
        if cell in now and name_parts(cell)[0] != "bar"
    )


MOST = 4
"""Pieces that a play moves at most."""


def astray(position: Position, seen: Looks, rules: Rules) -> int:
    """How many pieces stand where no half of a play puts them: the mover's beyond :data:`MOST`, and all of
    the other side's, but for the bar, where a hit puts them."""
    stands = position.looks()

    def arrived(side: Side) -> int:
        return _arrived(stands, seen, side)

    return min(max(0, arrived(side) - MOST) + arrived(rules.other(side)) for side in movers(position, rules))


def elsewhere(position: Position, seen: Looks) -> int:
    """How many pieces are seen where none of their side's stands."""
    stands = position.looks()
    return sum(_arrived(stands, seen, side) for side in position.rules.sides)


def _arrived(stands: Looks, seen: Looks, side: Side) -> int:
    return sum(
        max(0, look.count(side) - stands[cell].count(side))
        for cell, look in seen.items()
        if cell in stands and name_parts(cell)[0] != "bar"
    )
