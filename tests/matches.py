"""Random matches for the tests and benches of formats: everything that can happen in one, from a seed."""

import random
from dataclasses import replace

from engine import rules as games
from engine.errors import EngineError
from engine.match import Match, Terms
from engine.position import Awaits, Position
from engine.record import (
    Action,
    Beavered,
    Doubled,
    Dropped,
    GameRecord,
    GameState,
    MatchRecord,
    Played,
    Remark,
    Resigned,
    Result,
    Rolled,
    Stood,
    Taken,
    ends,
    result_of,
    step,
)
from firmware.formats.board import SIDES, BoardCounts
from firmware.formats.source import FormatError

NAMES = (
    "Ada",
    "Ben: the 2nd",
    "Zoë Ångström",
    "x",
    "A player whose name is longer than a score line",
    'Quote "me"',
    "O'Neill, 3",
)


class Simulator:
    """Plays matches at random. ``fouls`` is the chance of an illegal play that stands, ``loose`` adds what
    only our own forms hold."""

    def __init__(self, seed: int, fouls: float = 0.0, loose: bool = False, rules: str = "backgammon") -> None:
        self.random = random.Random(seed)
        self.fouls = fouls
        self.loose = loose
        self.rules = rules

    def match(self) -> MatchRecord:
        source = self.random
        length = source.choice((0, 0, 1, 2, 3, 5, 7))
        terms = Terms(length=length, crawford=source.random() < 0.8)
        if not length:
            terms = Terms(
                jacoby=source.random() < 0.5,
                beavers=source.choice((0, 0, 1)),
                automatic=source.choice((0, 0, 1)),
            )
        record = MatchRecord(
            self.rules,
            (source.choice(NAMES), source.choice(NAMES)),
            terms,
            event=source.choice(("", "Club night", "Open [A]; round: 2")),
            place=source.choice(("", "Leipzig")),
            round=source.choice(("", "final")),
            date=source.choice(("", "2026-03-01")),
        )
        match = Match.begin(terms, SIDES)
        for _ in range(source.randint(1, 4) if not length else 40):
            game = self.game(record, match)
            record = replace(record, games=(*record.games, game))
            assert game.result is not None
            match = match.award(game.result.winner, game.result.points)
            if match.winner is not None:
                break
            match = match.next(tie=False)
        return record

    def game(self, record: MatchRecord, match: Match) -> GameRecord:
        source, rules = self.random, games.get(record.rules)
        position = rules.start({})
        actions: list[Action] = []
        stake = 1
        while True:
            dice = (source.randint(1, 6), source.randint(1, 6))
            if dice[0] != dice[1]:
                break
            if self.loose:
                actions.append(Rolled(None, dice))
            stake *= 2 if stake <= record.terms.automatic else 1
        state = step(GameState(position, stake), Rolled(None, dice)).after
        actions.append(Rolled(None, dice))
        hurry = source.random() < 0.7
        start = GameState(position, stake)
        while True:
            action = self.action(record, match, state, hurry, started=len(actions) > 1)
            moment = step(state, action)
            actions.append(action)
            if ends(moment):
                break
            state = moment.after
        done = GameRecord(match.score, tuple(actions), crawford=match.crawford, cube=stake)
        assert start.cube == done.cube
        result = result_of(record, [moment])
        assert isinstance(result, Result)
        return replace(done, result=result)

    def action(
        self, record: MatchRecord, match: Match, state: GameState, hurry: bool, started: bool
    ) -> Action:
        source, position = self.random, state.position
        side = position.turn or ""
        other = SIDES[1 - SIDES.index(side)]
        if state.offered is not None:
            answering = SIDES[1 - SIDES.index(state.offered)]
            if record.terms.beavers and state.offered == side and source.random() < 0.4:
                return Beavered(answering)
            return Taken(answering) if source.random() < 0.7 else Dropped(answering)
        if self.loose and source.random() < 0.02:
            return Remark(
                source.choice(("The dice fell off the board.", 'A "quoted" remark\nwith two lines, ] and \\'))
            )
        grade = source.choice(("single", "single", "gammon", "backgammon"))
        if position.awaits is Awaits.ROLL:
            free = state.owner in (None, side) and not match.crawford and state.cube < 64
            dead = match.terms.length and state.cube >= (match.away(side) or 0)
            if free and not dead and source.random() < 0.06:
                return Doubled(side)
            if source.random() < 0.006:
                return Resigned(side, grade, not self.loose or source.random() < 0.5)
            return Rolled(
                side,
                (source.randint(1, 6), source.randint(1, 6)),
                source.randint(1, 99) if self.loose else None,
            )
        plays = position.plays()
        # On an opening roll too, but for Black: gnubg's own .mat export has that roll in the wrong column.
        if len(plays) > 1 and (self.loose or started or side == SIDES[0]) and source.random() < 0.002:
            return Resigned(side, grade)
        if source.random() < self.fouls:
            foul = self.foul(position)
            if foul is not None:
                return Stood(
                    side, foul.to_json(self.rules, other), source.choice(("", "a six played as a five"))
                )
        if not hurry:
            return Played(side, source.choice(plays).text)
        forward = 1 if side == "white" else -1

        def worth(board: BoardCounts) -> int:
            own, foe = board.own if forward == 1 else board.own[::-1]
            return (
                own[0] * 12
                + foe[25] * 8
                - sum(point for point in range(7, 26) if own[point])
                - 3 * own.count(1)
            )

        return Played(
            side,
            max(
                source.sample(list(plays), min(6, len(plays))),
                key=lambda play: worth(BoardCounts.of(play.after)),
            ).text,
        )

    def foul(self, position: Position) -> BoardCounts | None:
        """A board that no legal play gives, made by moving one checker somewhere."""
        side = SIDES.index(position.turn or "")
        board = BoardCounts.of(position)
        legal = {BoardCounts.of(play.after) for play in position.plays()}
        for _ in range(20):
            source = self.random.randint(2, 25)
            target = self.random.randint(1, source - 1)
            try:
                moved = board.moved(side, [(source, target)])
                position.rules.read(moved.to_json(self.rules, SIDES[1 - side]))
            except (FormatError, EngineError):
                continue
            if moved not in legal and moved != board:
                return moved
        return None


def simulate(seed: int, fouls: float = 0.0, loose: bool = False, rules: str = "backgammon") -> MatchRecord:
    """One random match of backgammon or of a variant."""
    return Simulator(seed, fouls, loose, rules).match()
