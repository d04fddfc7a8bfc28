"""A match as an engine sees it: what each decision cost, and how lucky the dice were.

The measures are those that players use. The *performance rating* is 500 times the equity lost for each
decision that was not obvious: a play is obvious where all legal plays end alike, a cube decision where
doubling would be a big mistake (:data:`CLOSE`) and nobody did. *Luck* is how much better the best play of
each roll is than the mean over all rolls. Equities are normalised to the cube.

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

from engine import rules as games
from engine.layout import Side
from engine.position import Awaits, Position
from engine.record import (
    Beavered,
    Doubled,
    Dropped,
    GameRecord,
    GameState,
    MatchRecord,
    Moment,
    Played,
    Rolled,
    Scored,
    Stood,
    Taken,
    replay,
)
from firmware.engines import ROLLS, BeforeRoll, Chances, NoEngine, Ranked, Spot
from firmware.engines.known import MAKERS
from firmware.engines.pool import EnginePool, answer
from firmware.files import replace_file
from firmware.formats import FormatError
from firmware.formats.board import SIDES, STANDARD, BoardCounts

ERROR, BLUNDER = 0.02, 0.08
"""Points of equity from which a decision is an error or a blunder, as players count them."""

CLOSE = 0.16
"""Points of equity: a double that would cost more is obviously none (gnubg's measure)."""

PLIES = (1, 2, 3, 4)
"""How far an engine may look ahead, as most programs count it (gnubg itself begins with 0)."""

FORM = 2
"""Of the files that are kept: another form is reviewed anew."""


@dataclass(frozen=True, slots=True)
class Decision:
    """One choice of a player. ``turn`` counts the plays of the game from 1 (a cube decision has that of the
    play before which it is made); ``kind`` is ``play`` or ``cube``; ``played`` and ``best`` are notation, or
    ``no double``, ``double``, ``take``, ``drop``, ``beaver``. ``loss`` is in points of equity; ``had`` and
    ``missed`` are the player's chances after what was played and after the best, where they differ."""

    game: int
    turn: int
    side: Side
    kind: str
    played: str
    best: str
    loss: float
    obvious: bool = False
    dice: tuple[int, ...] = ()
    had: Chances | None = None
    missed: Chances | None = None

    @property
    def mark(self) -> str:
        """``ok``, ``error`` or ``blunder``."""
        return "blunder" if self.loss >= BLUNDER else "error" if self.loss >= ERROR else "ok"


@dataclass(frozen=True, slots=True)
class Luck:
    """What a roll brought its player, in points of equity, and the player's chance to win before it."""

    game: int
    turn: int
    side: Side
    dice: tuple[int, ...]
    luck: float
    win: float


@dataclass(frozen=True, slots=True)
class GameReview:
    """A game as an engine sees it. ``unjudged`` counts plays that broke the rules and stood, and answers to
    beavers."""

    decisions: tuple[Decision, ...]
    rolls: tuple[Luck, ...]
    unjudged: int = 0
    engine: str = ""
    plies: int = 0


@dataclass(frozen=True, slots=True)
class Rating:
    """One player's figures. ``decisions`` are those that were not obvious, ``lost`` and ``cube_lost`` all the
    equity lost by plays and by the cube; ``plays`` and ``cubes`` what of ``decisions`` are either."""

    plays: int = 0
    cubes: int = 0
    lost: float = 0.0
    cube_lost: float = 0.0
    luck: float = 0.0
    errors: int = 0
    blunders: int = 0

    @property
    def decisions(self) -> int:
        """Plays and cube decisions that were not obvious."""
        return self.plays + self.cubes

    @property
    def pr(self) -> float:
        """The performance rating; the lower, the better (a world champion has some 3)."""
        return 500 * (self.lost + self.cube_lost) / self.decisions if self.decisions else 0.0

    @property
    def play_pr(self) -> float:
        """That of the checker plays alone."""
        return 500 * self.lost / self.plays if self.plays else 0.0

    @property
    def cube_pr(self) -> float:
        """That of the cube decisions alone."""
        return 500 * self.cube_lost / self.cubes if self.cubes else 0.0


def ratings(reviews: Sequence[GameReview]) -> dict[Side, Rating]:
    """Each player's figures over these games, White first."""
    found = {}
    for side in SIDES:
        own = [each for review in reviews for each in review.decisions if each.side == side]
        marks = [each.mark for each in own]
        found[side] = Rating(
            sum(each.kind == "play" and not each.obvious for each in own),
            sum(each.kind == "cube" and not each.obvious for each in own),
            sum(each.loss for each in own if each.kind == "play"),
            sum(each.loss for each in own if each.kind == "cube"),
            sum(roll.luck for review in reviews for roll in review.rolls if roll.side == side),
            marks.count("error"),
            marks.count("blunder"),
        )
    return found


def worst_first(reviews: Sequence[GameReview]) -> list[Decision]:
    """All errors and blunders of these games, the most expensive first."""
    found = (each for review in reviews for each in review.decisions if each.mark != "ok")
    return sorted(found, key=lambda each: -each.loss)


def check_known(match: MatchRecord) -> None:
    """Raises FormatError where no engine knows the game."""
    rules = games.get(match.rules)
    start = BoardCounts.of(rules.start(rules.options)) if "mat" in rules.file_names else None
    if start is None or start.checkers != STANDARD:
        raise FormatError(f"there is no engine for {rules.title}; engines know games of backgammon's moves")


def kept(match: MatchRecord, number: int, engine: str, plies: int, folder: Path) -> GameReview | None:
    """What an earlier review found of a game (numbered from 1); None where nothing is kept."""
    return _read(_file(_digest(match, number), engine, plies, folder))


def _read(file: Path) -> GameReview | None:
    try:
        return _from_json(json.loads(file.read_text("utf-8")))
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None


def best_kept(match: MatchRecord, folder: Path) -> list[GameReview | None]:
    """Of each game what the farthest look found that was taken so far; None where there was none."""
    looks = [(engine, plies) for plies in reversed(PLIES) for engine in MAKERS]
    found = []
    for number in range(1, len(match.games) + 1):
        digest = _digest(match, number)
        games_kept = (_read(_file(digest, engine, plies, folder)) for engine, plies in looks)
        found.append(next((each for each in games_kept if each is not None), None))
    return found


def review(
    match: MatchRecord, engine: str, plies: int, folder: Path, processes: int = 1
) -> Iterator[GameReview | NoEngine]:
    """The games one by one, each kept in ``folder`` when it is done, or why the engine failed at it. Raises
    FormatError where no engine knows the game, NoEngine where nothing can be kept."""
    check_known(match)
    with ExitStack() as pools:
        pool: EnginePool | None = None
        for number in range(1, len(match.games) + 1):
            found = kept(match, number, engine, plies, folder)
            if found is None:
                pool = pool or pools.enter_context(EnginePool(MAKERS[engine], plies, processes))
                try:
                    found = replace(review_game(match, number, pool), engine=engine, plies=plies)
                except NoEngine as error:
                    yield NoEngine(f"game {number}: {error}")
                    pools.close()
                    pool = None
                    continue
                _keep(found, _file(_digest(match, number), engine, plies, folder))
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
                    if self._may_double(state, side, score):
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
        counts, at = BoardCounts.of(state.position).own, SIDES.index(side)
        length = self.match.terms.length
        away = (length - score[at], length - score[1 - at]) if length else (0, 0)
        owner = 0 if state.owner is None else 1 if state.owner == side else -1
        high = (max(dice), min(dice)) if dice else None
        jacoby = self.match.terms.jacoby and not length
        return Spot(counts[at], counts[1 - at], high, state.cube, owner, away, self.game.crawford, jacoby)

    def _may_double(self, state: GameState, side: Side, score: tuple[int, int]) -> bool:
        """Whether a double is allowed and can change anything."""
        terms = self.match.terms
        if not terms.cube or self.game.crawford or state.owner not in (None, side):
            return False
        return not terms.length or score[SIDES.index(side)] + state.cube < terms.length

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
            return Luck(self.number, turn, side, dice, found.rolls[_high(dice)] - mean, found.chances.win)

        return luck

    def _luck(
        self, state: GameState, side: Side, dice: tuple[int, ...], turn: int, score: tuple[int, int]
    ) -> Callable[[], Luck]:
        before = self._before(self._spot(state, side, score))

        def luck() -> Luck:
            found = before()
            return Luck(
                self.number, turn, side, dice, found.rolls[_high(dice)] - _mean(found), found.chances.win
            )

        return luck

    def _cube(
        self, state: GameState, side: Side, turn: int, score: tuple[int, int], played: str
    ) -> Callable[[], Decision]:
        before = self._before(self._spot(state, side, score))

        def decide() -> Decision:
            found = before()
            worth = {"no double": found.no_double, "double": -_best_answer(found, self._beavers(state))[1]}
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
            best, worth = _best_answer(found, self._beavers(state) or played == "beaver")
            loss = max(0.0, worth - _answers(found)[played])
            chances = _turned(found.chances)
            return Decision(
                self.number, turn, side, "cube", played, best if loss else played, loss, False, (), chances
            )

        return decide

    def _beavers(self, state: GameState) -> bool:
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
        at = SIDES.index(side)
        asked = self.pool.plays(spot, _sides(moment.after.position, at))

        def decide() -> Decision:
            ranked: Sequence[Ranked] = answer(asked)
            chosen = _find(ranked, moment.after.position, at)
            best = ranked[0]
            loss = max(0.0, best.equity - chosen.equity)
            texts = {_sides(play.after, at): play.text for play in plays}
            better = text if chosen is best else texts.get((best.own, best.other), "")
            if not better:
                raise NoEngine(f"the engine's best play of {position} is none of the legal ones")
            differ = (chosen.chances, best.chances) if loss else (None, None)
            return Decision(self.number, turn, side, "play", text, better, loss, False, dice, *differ)

        return decide


def _find(ranked: Sequence[Ranked], after: Position, at: int) -> Ranked:
    own, other = _sides(after, at)
    found = next((each for each in ranked if (each.own, each.other) == (own, other)), None)
    if found is None:
        raise NoEngine(f"the engine does not know the play that led to {after}")
    return found


def _sides(position: Position, at: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    counts = BoardCounts.of(position).own
    return counts[at], counts[1 - at]


def _high(dice: Sequence[int]) -> tuple[int, int]:
    return max(dice), min(dice)


def _mean(found: BeforeRoll, doubles: bool = True) -> float:
    ways = {roll: count for roll, count in ROLLS.items() if doubles or count > 1}
    return sum(found.rolls[roll] * count for roll, count in ways.items()) / sum(ways.values())


def _answers(found: BeforeRoll) -> dict[str, float]:
    """What each answer to a double is worth to who answers. A beaver is a take at twice the stake."""
    return {"take": -found.double_take, "drop": -found.double_drop, "beaver": -2 * found.double_take}


def _best_answer(found: BeforeRoll, beavers: bool) -> tuple[str, float]:
    worth = _answers(found)
    if not beavers:
        del worth["beaver"]
    best = max(worth, key=lambda choice: worth[choice])
    return best, worth[best]


def _turned(chances: Chances) -> Chances:
    """The other side's."""
    return Chances(
        1 - chances.win, chances.gammon_lost, chances.backgammon_lost, chances.gammon, chances.backgammon
    )


def _digest(match: MatchRecord, number: int) -> str:
    """What a game's reviews are kept under: all that an engine is asked about it."""
    game = match.games[number - 1]
    said = json.dumps([FORM, match.rules, asdict(match.terms), asdict(game)], default=str)
    return hashlib.sha256(said.encode(errors="replace")).hexdigest()[:32]


def _file(digest: str, engine: str, plies: int, folder: Path) -> Path:
    return folder / f"{digest}-{engine}-{plies}.json"


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
