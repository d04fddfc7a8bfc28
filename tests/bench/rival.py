"""The table's own player plays games through the judge: against itself, weaker levels, or at random.

    python -m tests.bench.rival [--games 1000] [--white best] [--black random] [--plies 1] [--seed 1]

Every game is played as at a table: what a player does goes through the session, each play is shown to the
judge as a board, and the terms change from match to match (lengths, scores, Crawford, Holland, Jacoby,
beavers, automatic doubles, dice that the device does not roll). ``random`` plays any legal play and presses
any button. Counts what was refused (illegal plays, cube decisions that are no legal action) and games that
came to a stand; and for each level its points a game, and its performance rating (with its 95 % interval) by
the equities that the noise was added to. Exit 1 where anything was refused or stood still.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.errors import EngineError
from engine.events import Begin, Button, DiceFrom, Event, Intend, Next, Press, Roll
from engine.evidence import Evidence
from engine.match import Terms
from engine.match_state import MatchState, State
from engine.position import Awaits
from engine.session import Session
from firmware.engines import BeforeRoll, Board, Engine, Ranked, Spot
from firmware.engines.known import MAKERS, find
from firmware.levels import LEVELS
from firmware.record.ratings import BLUNDER
from firmware.record.review import CLOSE
from firmware.record.spots import board_of
from firmware.table.mind import Mind

SIDES = ("white", "black")
MOST = 5000
"""Events of a game after which it stands still."""


@dataclass
class Noted:
    """An engine whose last answers are kept."""

    engine: Engine
    ranked: Sequence[Ranked] = ()
    before: BeforeRoll | None = None

    def plays(self, spot: Spot, played: Board | None = None) -> Sequence[Ranked]:
        self.ranked = self.engine.plays(spot, played)
        return self.ranked

    def before_roll(self, spot: Spot, rolls: bool = True) -> BeforeRoll:
        self.before = self.engine.before_roll(spot, rolls)
        return self.before


@dataclass
class Figures:
    """What a level's decisions cost."""

    decisions: int = 0
    lost: float = 0.0
    squares: float = 0.0
    blunders: int = 0

    @property
    def rating(self) -> float:
        """500 times the loss of a decision."""
        return 500 * self.lost / self.decisions

    @property
    def error(self) -> float:
        """Half the width of its 95 % confidence interval."""
        mean = self.lost / self.decisions
        return 500 * 1.96 * ((self.squares / self.decisions - mean**2) / self.decisions) ** 0.5

    def add(self, loss: float) -> None:
        self.decisions += 1
        self.lost += loss
        self.squares += loss**2
        self.blunders += loss >= BLUNDER


class Random:
    """Anything legal."""

    def __init__(self, source: random.Random) -> None:
        self._source = source

    def act(self, table: MatchState, side: str) -> Event | None:
        draw = self._source.random
        match table.state:
            case State.ROLL:
                double = Press(t=0, button=Button.DOUBLE, side=side)
                if draw() < 0.02:
                    grade = self._source.choice([name for name, _ in table.rules.grades])
                    return Press(t=0, button=Button.RESIGN, side=side, grade=grade)
                if draw() < 0.1 and Session(table).refusal(double) is None:
                    return double
                if table.begin.dice is DiceFrom.INFERRED:
                    return Roll(t=0, dice=(self._source.randint(1, 6), self._source.randint(1, 6)), side=side)
                return Press(t=0, button=Button.ROLL, side=side)
            case State.PLAY:
                return Intend(t=0, play=self._source.choice(table.position.plays()).text, side=side)
            case State.OFFERED:
                beaver = Press(t=0, button=Button.DOUBLE, side=side)
                if draw() < 0.3 and Session(table).refusal(beaver) is None:
                    return beaver
                return Press(t=0, button=Button.TAKE if draw() < 0.6 else Button.DROP, side=side)
            case State.RESIGNED:
                return Press(t=0, button=Button.TAKE if draw() < 0.5 else Button.DROP, side=side)
        return None


@dataclass
class Bench:
    """Two players, by side, at one table after another."""

    source: random.Random
    players: dict[str, Mind | Random]
    noted: Noted
    figures: dict[str, Figures] = field(default_factory=lambda: {side: Figures() for side in SIDES})
    points: Counter[str] = field(default_factory=Counter)
    found: list[str] = field(default_factory=list)
    did: Counter[str] = field(default_factory=Counter)
    games: int = 0

    def match(self, most: int) -> None:
        """One match, or so many games of it."""
        session = Session().handle(self.begin())[0]
        for _ in range(most):
            session = self.game(session)
            self.games += 1
            if session.state is not State.OVER:
                return
            session = session.handle(Next(t=0))[0]

    def begin(self) -> Begin:
        source = self.source
        length = source.choice((0, 0, 1, 3, 5, 7))
        if length:
            score = (source.randrange(length), source.randrange(length))
            terms = Terms(length=length, score=score, holland=source.random() < 0.3)
        else:
            jacoby, beavers = source.random() < 0.5, source.randrange(3)
            terms = Terms(jacoby=jacoby, beavers=beavers, automatic=source.randrange(2))
        own = DiceFrom.INFERRED if source.random() < 0.2 else DiceFrom.ROLLED
        game = "nackgammon" if source.random() < 0.1 else "backgammon"
        return Begin(t=0, rules=game, terms=terms, dice=own)

    def game(self, session: Session) -> Session:
        """One game to its end, or to where it came to a stand."""
        for _ in range(MOST):
            table = session.table
            assert table is not None
            if table.state in (State.OVER, State.ENDED):
                assert table.result is not None
                winner = table.result.outcome.winner
                if winner is not None:
                    self.points[winner] += table.result.points
                self.did[table.result.cause] += 1
                return session
            side, event = self.next(table)
            if event is None:
                self.found.append(f"stands still: {table.state}")
                return session
            try:
                after, _ = session.handle(event)
            except EngineError as error:
                self.found.append(f"{side} {event}: {error}")
                return session
            if after.state in (State.FOUL, State.ASKED):
                assert after.table is not None
                assert after.table.pending is not None
                self.found.append(f"{side}: {after.table.pending.words}")
            self.count(table, side, event)
            session = after
        self.found.append(f"no end after {MOST} events")
        return session

    def next(self, table: MatchState) -> tuple[str, Event | None]:
        """Who does what next: a player, the dice, or the hands that move what was said."""
        dice = tuple(self.source.randint(1, 6) for _ in range(table.position.dice_due))
        if table.state is State.ROLLING or table.state is State.OPENING:
            return "dice", Roll(t=0, dice=dice, side=table.position.turn)
        side = table.due
        if side is None:
            return "", None
        if table.state is State.PLAY and table.intention is not None:
            board = Evidence.certain(table.intention.after.looks())
            return side, Press(t=0, button=Button.DONE, side=side, evidence=board)
        return side, self.players[side].act(table, side)

    def count(self, table: MatchState, side: str, event: Event) -> None:
        """What the choice of a level cost, by the equities that it chose from."""
        if side not in SIDES or not isinstance(self.players[side], Mind):
            return
        figures, before, ranked = self.figures[side], self.noted.before, self.noted.ranked
        if isinstance(event, Press):
            self.did[event.button.value] += 1
        if isinstance(event, Intend) and len(table.position.plays()) > 1:
            chosen = board_of(table.position.find(event.play).after, side)
            equity = next(each.equity for each in ranked if (each.own, each.other) == chosen)
            figures.add(max(each.equity for each in ranked) - equity)
        elif table.state is State.ROLL and before is not None and isinstance(event, (Press, Roll)):
            doubled = min(before.double_take, before.double_drop)
            may = Session(table).refusal(Press(t=0, button=Button.DOUBLE, side=side)) is None
            double = isinstance(event, Press) and event.button is Button.DOUBLE
            if may and (double or before.no_double - doubled < CLOSE):
                worth = doubled if double else before.no_double
                figures.add(max(doubled, before.no_double) - worth)
        elif table.state is State.OFFERED and before is not None and isinstance(event, Press):
            assert table.position.awaits is Awaits.ROLL
            if event.button is not Button.DOUBLE and not table.match.terms.beavers:
                take, drop = -before.double_take, -before.double_drop
                figures.add(max(take, drop) - (take if event.button is Button.TAKE else drop))


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--games", type=int, default=1000)
    for side, usual in zip(SIDES, ("best", "random"), strict=True):
        parser.add_argument(f"--{side}", choices=[*LEVELS, "random"], default=usual)
    parser.add_argument("--plies", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    source, noted = random.Random(given.seed), Noted(MAKERS[find()](given.plies))

    def player(name: str) -> Mind | Random:
        return Random(source) if name == "random" else Mind(noted, LEVELS[name], source)

    bench = Bench(source, {side: player(getattr(given, side)) for side in SIDES}, noted)
    while bench.games < given.games:
        bench.match(given.games - bench.games)
    for fault in bench.found[:10]:
        print(fault)
    for side, figures in bench.figures.items():
        name, points = getattr(given, side), (bench.points[side] - sum(bench.points.values()) / 2) * 2
        told = f"{side} ({name}): {points / bench.games:+.3f} points a game"
        if figures.decisions:
            told += f", rating {figures.rating:.1f} ± {figures.error:.1f} ({figures.decisions} decisions,"
            told += f" {figures.blunders} blunders)"
        print(told)
    print(f"{bench.games} games, {len(bench.found)} refused or at a stand; {dict(bench.did.most_common())}")
    return int(bool(bench.found))


if __name__ == "__main__":
    sys.exit(main())
