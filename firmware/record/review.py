"""A match is put to an engine, decision by decision; what it says becomes the figures of
:mod:`firmware.record.ratings`.

Each game is reviewed on its own, and what was found is kept in a file named by what was asked, so that a
review that was stopped goes on from there.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from engine.layout import Side
from engine.messages import phrase
from engine.position import Awaits
from engine.record import (
    Beavered,
    Doubled,
    Dropped,
    GameRecord,
    GameState,
    MatchRecord,
    Moment,
    Played,
    Remark,
    Rolled,
    Scored,
    Stood,
    Taken,
    replay,
)
from firmware.engines import ROLLS, BeforeRoll, Board, Chances, NoEngine, Ranked, Spot
from firmware.engines.known import MAKERS
from firmware.engines.pool import EnginePool, answer
from firmware.files import replace_file
from firmware.formats.analysed_import import PROGRAMS
from firmware.formats.board import SIDES
from firmware.record.ratings import Decision, GameReview, Luck
from firmware.record.spots import Stakes, answers, best_answer, board_of, check_known, high

CLOSE = 0.16
"""Points of equity: a double that would cost more is obviously none (gnubg's measure)."""

PLIES = (1, 2, 3, 4)
"""How far an engine may look ahead, as most programs count it (gnubg itself begins with 0)."""

FORM = 3
"""Of the files that are kept: another form is reviewed anew."""
REVISIONS: Mapping[str, str] = {"gnubg": "2"}
"""Of an engine that answered otherwise before: what it found then is found anew, what others found stays."""


def review_key(match: MatchRecord, number: int) -> str:
    """What the reviews of a game (numbered from 1) are kept under: all that an engine is asked about it. How
    a foul is worded is not."""
    game = match.games[number - 1]
    silent = [replace(each, text="") if isinstance(each, Remark) else each for each in game.actions]
    told = asdict(replace(game, actions=tuple(silent)))
    said = json.dumps([FORM, match.rules, asdict(match.terms), told], default=str)
    return hashlib.sha256(said.encode(errors="replace")).hexdigest()[:32]


def kept(match: MatchRecord, number: int, engine: str, plies: int, folder: Path) -> GameReview | None:
    """What an earlier review found of a game (numbered from 1); None where nothing is kept."""
    return _read(_file(review_key(match, number), engine, plies, folder))


def _read(file: Path) -> GameReview | None:
    try:
        return _from_json(json.loads(file.read_text("utf-8")))
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None


def best_kept(match: MatchRecord, folder: Path) -> list[GameReview | None]:
    """Of each game what :func:`best_under` finds."""
    return [best_under(review_key(match, number), folder) for number in range(1, len(match.games) + 1)]


def best_under(key: str, folder: Path) -> GameReview | None:
    """Of the reviews kept under this key the one that looked farthest, else what came with the match from
    another program; None where there is neither."""
    looks = [(engine, plies) for plies in reversed(PLIES) for engine in MAKERS]
    looks += [(program.name, 0) for program in PROGRAMS]
    found = (_read(_file(key, engine, plies, folder)) for engine, plies in looks)
    return next((each for each in found if each is not None), None)


def keep_foreign(match: MatchRecord, reviews: Sequence[GameReview | None], folder: Path) -> int:
    """Keeps what another program thought of the games; of how many it did. Raises NoEngine where nothing can
    be kept."""
    for number, found in enumerate(reviews, 1):
        if found is not None:
            _keep(found, _file(review_key(match, number), found.engine, 0, folder))
    return sum(each is not None for each in reviews)


def review(
    match: MatchRecord, engine: str, plies: int, folder: Path, processes: int = 1
) -> Iterator[GameReview | NoEngine]:
    """The games one by one, each kept in ``folder`` when it is done, or why the engine failed at it. Raises
    FormatError where no engine knows the game, NoEngine where nothing can be kept."""
    check_known(match.rules)
    with ExitStack() as pools:
        pool: EnginePool | None = None
        for number in range(1, len(match.games) + 1):
            found = kept(match, number, engine, plies, folder)
            if found is None:
                pool = pool or pools.enter_context(EnginePool(MAKERS[engine], plies, processes))
                try:
                    found = replace(review_game(match, number, pool), engine=engine, plies=plies)
                except NoEngine as error:
                    yield NoEngine(phrase("game {number}: {words}", number=number, words=str(error)))
                    pools.close()
                    pool = None
                    continue
                _keep(found, _file(review_key(match, number), engine, plies, folder))
            yield found


def review_game(match: MatchRecord, number: int, pool: EnginePool) -> GameReview:
    """One game, numbered from 1. Raises NoEngine, BadRecord."""
    asking = _Asking(match, match.games[number - 1], number, pool)
    return asking.review()


@dataclass
class _Asking:
    """A game's questions, asked all at once so that every process has something to do; then the answers, in
    the same order. A spot that comes twice is asked once."""

    match: MatchRecord
    game: GameRecord
    number: int
    pool: EnginePool
    _asked: dict[Spot, Future[BeforeRoll]] = field(default_factory=dict)

    def review(self) -> GameReview:
        score, turn, unjudged = self.game.score, 1, 0
        decisions: list[Callable[[], Decision]] = []
        rolls: list[Callable[[], Luck]] = []
        for moment in replay(self.match, self.game):
            state, action = moment.before, moment.action
            match action:
                case Rolled(side=None, dice=dice) if len(set(dice)) > 1:
                    rolls.append(self._opening(moment, turn, score))
                case Rolled(side=side, dice=dice) if side is not None:
                    if self._stakes(state, score).may_double(side):
                        decisions.append(self._cube(state, side, turn, score, "no double"))
                    rolls.append(self._luck(state, side, dice, turn, score))
                case Doubled(side=side):
                    decisions.append(self._cube(state, side, turn, score, "double"))
                case Taken(side=side) | Dropped(side=side) | Beavered(side=side):
                    if state.offered == state.position.turn and state.position.turn != side:
                        words = {Taken: "take", Dropped: "drop", Beavered: "beaver"}
                        decisions.append(self._answer(state, side, turn, score, words[type(action)]))
                    else:
                        unjudged += 1
                case Played(side=side):
                    if made := self._play(moment, turn, score):
                        decisions.append(made)
                    turn += 1
                case Stood():
                    turn, unjudged = turn + 1, unjudged + 1
                case Scored(score=now):
                    score = now
        return GameReview(tuple(each() for each in decisions), tuple(each() for each in rolls), unjudged)

    def _spot(self, state: GameState, side: Side, score: tuple[int, int], dice: tuple[int, ...] = ()) -> Spot:
        return self._stakes(state, score).spot(state.position, side, dice)

    def _stakes(self, state: GameState, score: tuple[int, int]) -> Stakes:
        return Stakes(self.match.terms, score, state.cube, state.owner, self.game.crawford)

    def _before(self, spot: Spot) -> Callable[[], BeforeRoll]:
        asked = self._asked.get(spot) or self.pool.before_roll(spot)
        self._asked[spot] = asked
        return lambda: answer(asked)

    def _opening(self, moment: Moment, turn: int, score: tuple[int, int]) -> Callable[[], Luck]:
        """An opening roll also decides who begins: the mean is over both."""
        state = replace(moment.before, position=moment.after.position)
        side = moment.after.position.turn
        assert side is not None
        other = SIDES[1 - SIDES.index(side)]
        dice = moment.after.position.dice
        own, theirs = (
            self._before(self._spot(state, side, score)),
            self._before(self._spot(state, other, score)),
        )

        def luck() -> Luck:
            found = own()
            mean = (_mean(found, doubles=False) - _mean(theirs(), doubles=False)) / 2
            return Luck(self.number, turn, side, dice, found.rolls[high(dice)] - mean, found.chances.win)

        return luck

    def _luck(
        self, state: GameState, side: Side, dice: tuple[int, ...], turn: int, score: tuple[int, int]
    ) -> Callable[[], Luck]:
        before = self._before(self._spot(state, side, score))

        def luck() -> Luck:
            found = before()
            return Luck(
                self.number, turn, side, dice, found.rolls[high(dice)] - _mean(found), found.chances.win
            )

        return luck

    def _cube(
        self, state: GameState, side: Side, turn: int, score: tuple[int, int], played: str
    ) -> Callable[[], Decision]:
        before = self._before(self._spot(state, side, score))

        def decide() -> Decision:
            found = before()
            worth = {"no double": found.no_double, "double": -best_answer(found, self._beavers)[1]}
            best = max(worth, key=lambda choice: (worth[choice], choice == played))
            obvious = played == "no double" and worth[best] - worth["double"] >= CLOSE
            loss = worth[best] - worth[played]
            return Decision(
                self.number, turn, side, "cube", played, best, loss, obvious, (), found.chances, None
            )

        return decide

    def _answer(
        self, state: GameState, side: Side, turn: int, score: tuple[int, int], played: str
    ) -> Callable[[], Decision]:
        doubler = SIDES[1 - SIDES.index(side)]
        before = self._before(self._spot(replace(state, offered=None), doubler, score))

        def decide() -> Decision:
            found = before()
            best, worth = best_answer(found, self._beavers or played == "beaver")
            loss = max(0.0, worth - answers(found)[played])
            chances = found.chances.turned()
            return Decision(
                self.number, turn, side, "cube", played, best if loss else played, loss, False, (), chances
            )

        return decide

    @property
    def _beavers(self) -> bool:
        return bool(self.match.terms.beavers) and not self.match.terms.length

    def _play(self, moment: Moment, turn: int, score: tuple[int, int]) -> Callable[[], Decision] | None:
        position, side = moment.before.position, moment.before.position.turn
        assert side is not None
        assert isinstance(moment.action, Played)
        plays = position.plays()
        if position.awaits is not Awaits.PLAY or len(plays) < 2:
            return None
        text, dice = moment.action.text, position.dice
        spot = self._spot(moment.before, side, score, dice)
        asked = self.pool.plays(spot, board_of(moment.after.position, side))

        def decide() -> Decision:
            ranked: Sequence[Ranked] = answer(asked)
            chosen = _find(ranked, board_of(moment.after.position, side))
            best = ranked[0]
            loss = max(0.0, best.equity - chosen.equity)
            texts = {board_of(play.after, side): play.text for play in plays}
            better = text if chosen is best else texts.get((best.own, best.other), "")
            if not better:
                raise NoEngine(f"the engine's best play of {position} is none of the legal ones")
            differ = (chosen.chances, best.chances) if loss else (None, None)
            return Decision(self.number, turn, side, "play", text, better, loss, False, dice, *differ)

        return decide


def _find(ranked: Sequence[Ranked], after: Board) -> Ranked:
    found = next((each for each in ranked if (each.own, each.other) == after), None)
    if found is None:
        raise NoEngine(f"the engine does not know the play that led to {after}")
    return found


def _mean(found: BeforeRoll, doubles: bool = True) -> float:
    ways = {roll: count for roll, count in ROLLS.items() if doubles or count > 1}
    return sum(found.rolls[roll] * count for roll, count in ways.items()) / sum(ways.values())


def _file(key: str, engine: str, plies: int, folder: Path) -> Path:
    return folder / f"{key}-{engine}{REVISIONS.get(engine, '')}-{plies}.json"


def _keep(found: GameReview, file: Path) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(file, json.dumps(asdict(found)))
    except OSError as error:
        raise NoEngine(f"cannot keep the review in {file.parent}: {error.strerror or error}") from error


def _from_json(data: Mapping[str, Any]) -> GameReview:
    chances = ("had", "missed")
    decisions = tuple(
        Decision(
            **{
                **each,
                "dice": tuple(each["dice"]),
                **{name: each[name] and Chances(**each[name]) for name in chances},
            }
        )
        for each in data["decisions"]
    )
    rolls = tuple(Luck(**{**each, "dice": tuple(each["dice"])}) for each in data["rolls"])
    return GameReview(decisions, rolls, data["unjudged"], data["engine"], data["plies"])
