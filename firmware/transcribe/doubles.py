"""Doubles, takes and drops of one game, by where the cube lay between its turns: no film, no clock, no file.

A cube that lies with another player than before, and stays there, was doubled by his opponent and taken. A
cube on the field before a roll is offered: a game that is then broken off was dropped. Whatever else the cube
does, and whatever the rules do not allow (:mod:`engine.cube`), is a question with its answers: the likeliest
is written, and nothing where the rules are against it.
"""

from __future__ import annotations

import enum
import math
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from engine.cube import Cube
from engine.layout import Side
from engine.match import Match
from engine.messages import phrase, phrase_number
from engine.names import named
from engine.position import Awaits, Rules
from firmware.transcribe.cube_track import CubeLook, CubeTrack
from firmware.transcribe.turns import Kind, Turn
from vision.dice.cube_zone import CubeZone

MOVED = 2.0
"""Centimetres from which on a cube that lies on the field in another turn was put there anew."""
UNSEEN = 6
"""Turns in a row without a look at the cube, up to a game's end, of which people are told."""
LEAST = 2
"""What a cube is that lies with a player, where its number is not sure."""


class Answer(enum.StrEnum):
    """What became of a cube that was moved."""

    TAKEN = "taken"
    DROPPED = "dropped"
    NOTHING = "nothing"
    """It was no double."""


@dataclass(frozen=True, slots=True)
class Way:
    """One answer to *was it taken?*; ``before``: the turn (counted from 0 in its game) before whose roll it
    was, as many as there are turns where nothing was rolled after it."""

    answer: Answer
    before: int


@dataclass(frozen=True, slots=True)
class Double:
    """``side`` doubles to ``stake``, or perhaps does. ``t`` and ``picture``: where the cube was first seen
    elsewhere. ``ways``: what may have happened, the first is written; one only where that is ``sure``.
    ``why`` says what is wrong with it."""

    t: float
    side: Side
    stake: int
    ways: tuple[Way, ...]
    picture: str = ""
    sure: bool = True
    why: str = ""

    @property
    def answer(self) -> Answer:
        """What is written."""
        return self.ways[0].answer

    @property
    def before(self) -> int:
        """The turn before whose roll it is written."""
        return self.ways[0].before


@dataclass(frozen=True, slots=True)
class Part:
    """The ``turns`` of one game, seen from ``begin`` to ``end`` (seconds of the film); ``opened``: by what
    position it was opened, where that was no usual start. ``broken``: the board was put away after it, though
    nobody had won."""

    turns: Sequence[Turn]
    begin: float = -math.inf
    end: float = math.inf
    opened: Turn | None = None
    broken: bool = False


@dataclass(frozen=True, slots=True)
class CubeStory:
    """``stake``: what the game begins at, as far as the film shows it. ``again``: when the cube lay in the
    middle, and something was played meanwhile, though a player had it."""

    doubles: tuple[Double, ...] = ()
    notes: tuple[str, ...] = ()
    stake: int = 1
    again: float | None = None


Said = Mapping[str, tuple[str, str]]
"""What players have said: of a picture the answer, and the picture of the turn that was rolled for then."""


def cube_story(part: Part, track: CubeTrack, match: Match, rules: Rules, said: Said) -> CubeStory:
    """What was done with the cube in one game of ``match``."""
    looks = [look for look in track.looks if part.begin <= look.t < part.end]
    if not rules.cube or not track.looks:
        return CubeStory()
    last = max((look.t for look in looks), default=-math.inf)
    unseen = sum(turn.t > last for turn in part.turns)
    words = phrase_number(
        "the cube was not seen in the last {n} turn", "the cube was not seen in the last {n} turns", unseen
    )
    blind = [words] if unseen >= UNSEEN else []
    if not looks:
        return CubeStory(notes=tuple(blind))
    broken = part.broken or (part.end == math.inf and track.put_away)
    story = _Story(part.turns, track.throws, match, rules, said, broken)
    story.follow(looks)
    return CubeStory(tuple(story.found), (*story.notes, *blind), story.begun_at, story.again)


@dataclass
class _Run:
    """Looks at a cube that lies in one zone."""

    zone: CubeZone
    looks: list[CubeLook]


@dataclass
class _Story:
    """One game's cube. ``home``: the zone where it belongs, in which it was last seen ``left`` seconds into
    the film; ``since``: the first turn before which the next double can have been."""

    turns: Sequence[Turn]
    throws: Sequence[float]
    match: Match
    rules: Rules
    said: Said
    broken: bool
    cube: Cube = field(default_factory=Cube)
    home: CubeZone = CubeZone.MIDDLE
    left: float = -math.inf
    since: int = 0
    begun_at: int = 1
    again: float | None = None
    found: list[Double] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.times = [turn.t for turn in self.turns]
        self.finished = self.turns[-1].after.outcome is not None
        self.broken = self.broken and not self.finished

    def follow(self, looks: Sequence[CubeLook]) -> None:
        """The whole game, by its looks in order."""
        runs = self._runs(self._begin([look for look in looks if self._counts(look)]))
        offer: CubeLook | None = None
        for run, following in pairwise([*runs, None]):
            assert run is not None
            first = run.looks[0]
            if run.zone is self.home:
                if offer is not None:
                    self._returned(offer)
                offer, self.left = None, run.looks[-1].t
            elif run.zone is CubeZone.MIDDLE:
                offer = None if self.cube.owner is None else offer
                self._in_the_middle(run, following)
            elif run.zone is CubeZone.FIELD and offer is not None and first.turns > offer.turns:
                self._unanswered(offer)  # and offered anew
                offer = first
            elif run.zone is CubeZone.FIELD or (following is not None and not self._stays(run, following)):
                offer = offer or first
            else:
                self._held(offer or first, run)
                offer = None
        if offer is not None:
            self._unanswered(offer)

    def _counts(self, look: CubeLook) -> bool:
        """Not what is done with the cube once the game is over and the board put away."""
        return look.t <= self.times[-1] or (look.calm and not self.finished)

    def _begin(self, looks: Sequence[CubeLook]) -> Sequence[CubeLook]:
        """Where the cube lies as the game begins; the looks after that."""
        first = self.turns[0]
        fresh = first.before.awaits is Awaits.OPENING
        early = [look for look in looks if look.t <= first.t]
        known = early or ([] if fresh else looks[:1])
        if known:
            self.home, self.left = known[-1].zone, known[-1].t
        self.since = 1 if fresh or first.kind is Kind.FOUND else 0
        rest = looks[len(early) :]
        holder = self._holder(self.home)
        if holder is not None and not fresh:
            read = [look.value for look in looks if look.value and look.zone is self.home]
            self.cube = Cube(read[0] if read else LEAST, holder, doubled=True)
            self.begun_at = self.cube.value
            player = named(holder)
            self.notes.append(
                phrase("as the game was first seen, the cube belonged to: {player}", player=player)
                if read
                else phrase(
                    "as the game was first seen, the cube belonged to: {player}; its number is not to be"
                    " read, and taken for a 2",
                    player=player,
                )
            )
        elif holder is not None and rest and rest[0].zone is self.home:
            self.notes.append(
                phrase(
                    "as the game began, the cube lay with {player}: taken for the middle",
                    player=named(holder),
                )
            )
        return rest

    def _holder(self, zone: CubeZone) -> Side | None:
        return next((side for side in self.rules.sides if self._zone(side) is zone), None)

    def _zone(self, side: Side) -> CubeZone:
        return CubeZone.NEAR if side == self.rules.sides[0] else CubeZone.FAR

    def _runs(self, looks: Sequence[CubeLook]) -> Iterator[_Run]:
        """The looks, as often as it was put elsewhere; on the field, in another turn, also by its place."""
        run: _Run | None = None
        for look in looks:
            last = None if run is None else run.looks[-1]
            moved = last is None or look.zone is not last.zone
            if last is not None and not moved and look.zone is CubeZone.FIELD:
                moved = look.turns != last.turns and math.dist(look.place, last.place) > MOVED
            if run is None or moved:
                if run is not None:
                    yield run
                run = _Run(look.zone, [])
            run.looks.append(look)
        if run is not None:
            yield run

    def _over(self, run: _Run) -> int:
        """How many turns were over as it began."""
        return bisect_right(self.times, run.looks[0].t)

    def _stays(self, run: _Run, following: _Run | None) -> bool:
        """Whether something was played while the cube lay there."""
        return (len(self.turns) if following is None else self._over(following)) > self._over(run)

    def _rolled(self, turn: int) -> float:
        """When its dice were seen, or else the turn itself."""
        if turn == len(self.turns):
            return math.inf
        begun = self.times[turn - 1] if turn else -math.inf
        seen = (t for t in self.throws if begun < t <= self.times[turn])
        return next(seen, self.times[turn])

    def _done(self, turn: int) -> float:
        """From when on the next one could double: after a roll that could not be played, as soon as it was
        seen. That it was passed over is seen at the next roll only."""
        if turn < 0:
            return -math.inf
        passed = self.turns[turn].rolls and self.turns[turn].before.looks() == self.turns[turn].after.looks()
        return self._rolled(turn) if passed else self.times[turn]

    def _mover(self, turn: int) -> Side | None:
        """Who was to roll for it."""
        if turn == len(self.turns):
            last = self.turns[-1].after
            return last.turn if last.awaits is Awaits.ROLL else None
        return self.turns[turn].side or self.turns[turn].before.turn

    def _befores(self, by: Side | None, seen: CubeLook) -> list[int]:
        """The turns before whose roll a cube can have been moved that was last seen at home at ``left`` and
        first elsewhere at this look; without ``by`` those of whoever was to roll last. An offered cube does
        not lie there for long."""
        found = [
            turn
            for turn in range(self.since, len(self.turns) + 1)
            if self._done(turn - 1) <= seen.t
            and self._rolled(turn) > self.left
            and self._mover(turn) is not None
        ]
        if by is None and found:
            by = self._mover(found[-1])
        found = [turn for turn in found if self._mover(turn) == by or self._missing(turn)]
        return found[-1:] if seen.zone is CubeZone.FIELD else found

    def _missing(self, turn: int) -> bool:
        """Whether a part of the game is missing there, in which anybody may have doubled."""
        return turn < len(self.turns) and self.turns[turn].kind is Kind.FOUND

    def _held(self, seen: CubeLook, run: _Run) -> None:
        """It lies with another player than before, and stays there."""
        taker = self._holder(run.zone) or ""
        if taker != self.cube.owner:
            self._taken(seen, taker)
        self.home, self.left = run.zone, run.looks[-1].t

    def _taken(self, seen: CubeLook, taker: Side) -> None:
        by, whole = self.rules.other(taker), len(self.turns)
        turns = self._befores(by, seen)
        if not turns:
            why = phrase("the cube came to {side} when nobody could have doubled", side=named(taker))
            earlier = [k for k in range(self.since, whole + 1) if self._mover(k) == by]
            near = [k for k in earlier if self._done(k - 1) <= seen.t]
            place = near[-1] if near else whole
            ways = [Way(Answer.NOTHING, place), *(Way(Answer.TAKEN, place) for _ in near[-1:])]
            self._add(seen, by, ways, why)
        elif turns == [whole] and self.broken:
            self._add(seen, by, [Way(Answer.DROPPED, whole), Way(Answer.TAKEN, whole)])
        elif turns == [whole]:
            self._add(seen, by, [Way(Answer.TAKEN, whole), Way(Answer.DROPPED, whole)])
        else:
            self._add(seen, by, [Way(Answer.TAKEN, turn) for turn in reversed(turns)])

    def _returned(self, seen: CubeLook) -> None:
        """It was away, and lies where it lay."""
        turns, whole = self._befores(None, seen), len(self.turns)
        if not turns:
            return  # nobody can double there, and nobody did
        by, last = self._mover(turns[-1]) or "", turns[-1]
        if last == whole and self.broken:
            self._add(seen, by, [Way(Answer.DROPPED, whole)])
            return
        if self._refusal(by, last) is not None:
            return
        why = phrase("it was moved, and lay afterwards where it had lain")
        self._add(seen, by, [Way(Answer.NOTHING, last), Way(Answer.TAKEN, last)], why)

    def _unanswered(self, seen: CubeLook) -> None:
        """It was offered, and never seen again elsewhere."""
        turns, whole = self._befores(None, seen), len(self.turns)
        if not turns:
            return
        by, last = self._mover(turns[-1]) or "", turns[-1]
        if last < whole:  # a drop would have ended the game
            why = phrase("nobody saw where the cube went")
            taken = [Way(Answer.TAKEN, turn) for turn in reversed(turns)]
            self._add(seen, by, [*taken, Way(Answer.NOTHING, last)], why)
            if self.found[-1].answer is Answer.TAKEN:
                self.home, self.left = self._zone(self.rules.other(by)), seen.t
        elif self.broken:
            self._add(seen, by, [Way(Answer.DROPPED, last)])
        else:
            why = phrase("the film ends before the answer")
            self._add(seen, by, [Way(each, whole) for each in reversed(Answer)], why)

    def _in_the_middle(self, run: _Run, following: _Run | None) -> None:
        """It lies in the middle, and belonged elsewhere."""
        if self.cube.owner is None:
            self.home, self.left = CubeZone.MIDDLE, run.looks[-1].t  # put there as the game had begun
        elif self._stays(run, following):
            self.again = run.looks[0].t if self.again is None else self.again
            self.notes.append(
                phrase(
                    "the cube lay in the middle again, though it belonged to: {player}",
                    player=named(self.cube.owner),
                )
            )
            self.home, self.left = CubeZone.MIDDLE, run.looks[-1].t

    def _add(self, seen: CubeLook, by: Side, ways: Sequence[Way], why: str = "") -> None:
        """One double more, as players or the rules settle it."""
        stake, settled = self.cube.value * 2, self._settled(seen, ways)
        if settled is not None:
            double = Double(seen.t, by, stake, (settled,), seen.picture)
        else:
            refused = None if ways[0].answer is Answer.NOTHING else self._refusal(by, ways[0].before)
            if refused is not None:
                ways, why = [Way(Answer.NOTHING, ways[0].before), *ways], refused
            unseen = any(self._missing(way.before) for way in ways)
            if unseen and all(way.answer is not Answer.NOTHING for way in ways):
                ways = [*ways, Way(Answer.NOTHING, ways[0].before)]
            double = Double(seen.t, by, stake, tuple(ways), seen.picture, len(ways) == 1, why)
        self.found.append(double)
        if double.answer is Answer.TAKEN:
            self.cube = replace(self.cube, owner=None).offered(by, self.rules.other(by)).taken()
            self.since = double.before + 1

    def _settled(self, seen: CubeLook, ways: Sequence[Way]) -> Way | None:
        """What players have said of it."""
        if seen.picture not in self.said:
            return None
        answer, picture = self.said[seen.picture]
        if answer == Answer.DROPPED:
            return Way(Answer.DROPPED, len(self.turns))
        fits = [way for way in ways if turn_picture(self.turns, way) == picture] or list(ways)
        return Way(Answer(answer), fits[0].before)

    def _refusal(self, side: Side, turn: int) -> str | None:
        """Why the rules do not let ``side`` double before this turn."""
        rolls = [sum(each.side == one for each in self.turns[:turn]) for one in self.rules.sides]
        return self.cube.refusal(self.match, side, (rolls[0], rolls[1]))


def doubles_before(doubles: Sequence[Double], turn: int) -> list[Double]:
    """What was done with the cube before the roll of this turn (counted from 0 in its game)."""
    return [double for double in doubles if double.before == turn]


def turn_picture(turns: Sequence[Turn], way: Way) -> str:
    """What names the turn before whose roll it was; "" for none."""
    return turns[way.before].key if way.before < len(turns) else ""


def words(double: Double) -> str:
    """What may have been done, for files that have no other place for it."""
    answers = " or ".join(dict.fromkeys(str(way.answer) for way in double.ways))
    why = f" ({double.why})" if double.why else ""
    return f"{named(double.side)} doubles to {double.stake}: {answers}{why}"
