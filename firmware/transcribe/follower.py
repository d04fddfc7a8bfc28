"""From what was seen to what was played: a sighting after the other, no film, no clock, no file.

Nobody says when a turn is over. A board at rest may show a play, half of one, one that is taken back
afterwards, or a foul; only what follows tells. So several *branches* are followed side by side: each holds
the position that the last turn left and what it costs, in nats, to explain all that was seen so. At each
sighting a branch either stays (the board looks as it did, or somebody is in the midst of a play), or a turn
is added: a play that the judge finds (:mod:`engine.infer`), a dance, a foul, a new game; and as the last
resort the position is taken as it is seen.

How stories are compared, and the likeliest told, stands in :mod:`firmware.transcribe.branches`. Every price
is a probability (a nat is a factor of 2.7), so film and dice add up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice, takewhile
from math import inf
from typing import TypeAlias

from engine.errors import EngineError
from engine.evidence import Evidence
from engine.layout import Looks
from engine.position import Awaits, Position, Rules
from firmware.transcribe import answered, missed_rest, next_turn, plays
from firmware.transcribe.branches import APART, Branch, fewer, merged, story
from firmware.transcribe.given import Given, Misread
from firmware.transcribe.plays import Step
from firmware.transcribe.sighting import FreshThrows, Sighting, Throw
from firmware.transcribe.turns import MARK, Answers, Kind, Turn

MIDST = 8.0
"""Nats for a board at rest in the midst of a play: one rest in ten (2.3), and some three hundred boards that
it may show (5.7)."""
FARTHER = 6.0
"""Nats for each piece that stands then where no half of a play by the side on turn puts one."""
ABANDONED = 6.0
"""Nats for a game that ends in the middle: a cube is dropped, somebody resigns."""
PUT_BACK = 17.0
"""Nats for a board that shows anything between the end of a game and the start of the next, as checkers are
put back: what any board costs. Less, and a game whose thread is lost passes for one that was broken off."""
SHOWN_AGAIN = 3.0
"""Nats for a board that stood two turns ago or earlier: a replay. It cannot come back by play."""
PIECE = 0.4
"""Nats for each piece more that stands elsewhere than it did: a missing part is rather short."""
SIDE = 0.7
"""Nats for not knowing who is on turn."""
PATIENT = 6
"""Sightings that may pass before a film begins with a position of which a part is hidden."""
THROWS = 4
"""Throws since the last turn that are remembered."""
LEFT = 6
"""Positions to which a film may come back."""
REPLAYED = 60
"""Turns that may be shown again."""


Asked: TypeAlias = tuple[Position, str, Misread]
"""From where, in which picture, and what is misread in it."""


@dataclass(frozen=True, slots=True)
class Memory:
    """What could be played, once or once by each side: the same film followed again is followed fast."""

    steps: dict[Asked, tuple[Step, ...]] = field(default_factory=dict)
    pairs: dict[Asked, tuple[tuple[Step, Step], ...]] = field(default_factory=dict)


@dataclass
class Follower:
    """Follows the games of one film. ``answers`` are what players have said about doubts."""

    rules: Rules
    answers: Answers = field(default_factory=Answers)
    branches: list[Branch] = field(default_factory=list)
    memory: Memory = field(default_factory=Memory)

    def __post_init__(self) -> None:
        self._start = self.rules.start(self.rules.options)
        self._looks = self._start.looks()
        self._dice = FreshThrows()
        self._given = Given(self.answers)
        self._waited = 0
        self.spent = 0.0
        """Nats that the best story costs so far."""

    def see(self, seen: Sighting) -> None:
        """One more sighting."""
        throw, seen, said = self._dice.see(seen.faces), self._given.see(seen), self.answers.plays
        grown = self._all_grown(seen, throw) if self.branches else list(self._begin(seen, throw))
        if self._given.position is not None:
            grown = answered.as_given(self.rules, self.branches, grown, seen, throw, self._given.position)
        elif seen.picture in said:
            grown = answered.as_said(self.rules, self.branches, grown, seen, throw, said[seen.picture])
        for number in range(1, answered.SHOWN):
            if (key := seen.picture + MARK * number) in said:
                grown = answered.as_said_after(self.rules, grown, seen, key, said[key])
        self._go_on(grown)

    def _all_grown(self, seen: Sighting, throw: Throw | None) -> list[Branch]:
        """What all branches may become."""
        grown: list[Branch] = []
        for branch in self.branches:
            throws = _thrown_since(branch, seen, throw)
            own = list(self._grown(branch, seen, throws, throw))
            if min(each.cost for each in own) - branch.cost >= ABANDONED:
                own += self._shown_again(branch, seen)
                own += self._come_back(branch, seen, throw)
            grown += own
        best = min(self.branches, key=lambda each: each.cost)
        explained = (each.cost for each in grown if not each.came_unseen(seen.picture))
        if min(explained, default=inf) - best.cost >= MIDST:
            for branch in self._likely():
                grown += self._both_played(branch, seen, throw)
        if min(each.cost for each in grown) - best.cost >= MIDST:
            grown += self._found(best, seen)
            if not best.broken and best.position.awaits is not Awaits.NOTHING:
                broken = best.stays(ABANDONED + self._put_back(seen), ())
                grown.append(replace(broken, broken=True, left=self._likely()))
        return grown

    def _go_on(self, grown: list[Branch]) -> None:
        """With the branches worth following, the best at cost 0."""
        if grown:
            least = min(branch.cost for branch in grown)
            self.spent += least
            self.branches = fewer([replace(each, cost=each.cost - least) for each in merged(grown)])

    def story(self) -> list[Turn]:
        """What was most likely played, in order; a turn that another story tells differently is doubtful."""
        return story(self.branches)

    def _begin(self, seen: Sighting, throw: Throw | None) -> Iterator[Branch]:
        """The film's first sighting: the start of a game, or a position to be taken as it is seen, best when
        nothing lies over it."""
        if self._starts(seen) < next_turn.FITS:
            yield Branch(
                self._start, picture=seen.picture, throws=next_turn.to_play(self.rules, self._start, throw)
            )
            return
        hidden = plays.hides(seen.evidence)
        if hidden and self._waited < PATIENT:
            self._waited += 1
            return
        doubtful = hidden or not plays.adds_up(self._start, seen.evidence.best())
        for after, cost in self._boards(seen.evidence):
            found = Branch(after)
            turn = next_turn.turn(seen, found, Kind.FOUND, after)
            yield found.plus(
                replace(turn, doubtful=doubtful), cost, next_turn.to_play(self.rules, after, throw)
            )

    def _grown(
        self, branch: Branch, seen: Sighting, throws: tuple[Throw, ...], throw: Throw | None
    ) -> Iterator[Branch]:
        """What a branch may become."""
        position, evidence = branch.position, seen.evidence
        if throw is not None and throw.lay:
            throw = None  # nobody was quick: it was thrown before this was played
        fits = -evidence.total(position.looks())
        fresh = -evidence.total(self._looks)
        begun = position == self._start
        if branch.broken or position.awaits is Awaits.NOTHING:
            yield branch.stays(min(fits, self._put_back(seen)), ())
            if fresh < next_turn.FITS + APART:
                yield next_turn.set_up(self.rules, branch, seen, fresh, throw)
            return
        midst = MIDST + FARTHER * plays.astray(position, evidence.best(), self.rules)
        says, said = plays.says_anew(branch.said, evidence, position.looks())
        yield replace(branch.stays(says, throws), said=said) if says < midst else branch.stays(midst, throws)
        if not begun and fresh < next_turn.FITS:
            yield replace(
                next_turn.set_up(self.rules, branch, seen, fresh + ABANDONED, throw), left=(branch,)
            )
        steps = self._steps(position, seen, fits)
        more: Iterable[Step] = ()
        if throws and (fits < next_turn.FITS or not plays.fell(steps, throws)):
            more = plays.unseen(position, evidence, throws, self.rules, fits)
        if throws and fits >= next_turn.FITS:
            more = (*more, *plays.against_dice(position, steps, throws))
        for step in (*steps, *more):
            played = next_turn.played(self.rules, branch, step, seen, throws, throw)
            yield played
            yield from next_turn.danced(self.rules, played, seen)
            if throw is not None and len(throws) == 1 and step.cost and step.kind is Kind.PLAYED:
                # Whose dice these are nobody knows: the next player may have been quick.
                quick = next_turn.played(self.rules, branch, step, seen, (), None)
                yield replace(quick, cost=quick.cost + next_turn.TAKEN_UP, throws=throws)

    def _steps(self, position: Position, seen: Sighting, fits: float) -> tuple[Step, ...]:
        """What the judge makes of it. Remembered."""
        key = (position, seen.picture, self._given.misread)
        if key not in self.memory.steps:
            if fits < next_turn.FITS:
                found = plays.dances(position, self.rules)
            else:
                found = plays.plays(position, seen.evidence, self.rules)
            self.memory.steps[key] = tuple(found)
        return self.memory.steps[key]

    def _both_played(self, branch: Branch, seen: Sighting, throw: Throw | None) -> Iterator[Branch]:
        """Two plays more: a rest between them was missed."""
        if branch.broken or branch.position.awaits is Awaits.NOTHING:
            return
        throws, known = _thrown_since(branch, seen, throw), self.memory.pairs
        key = (branch.position, seen.picture, self._given.misread)
        if key not in known:
            known[key] = tuple(missed_rest.pairs(branch.position, seen.evidence, self.rules))
        for steps in known[key]:
            for played in next_turn.both_played(self.rules, branch, steps, seen, throws):
                yield played
                yield from next_turn.danced(self.rules, played, seen)

    def _found(self, branch: Branch, seen: Sighting, farther: int = 0) -> Iterator[Branch]:
        """The position as it is seen, however it came about: a part of the game is missing. ``farther``: by
        how many pieces it is farther from the branch's than from where the film was last."""
        likely = self._likely()
        left = likely if any(each is branch for each in likely) else (branch,)
        for after, cost in self._boards(seen.evidence):
            if _stands(after) == _stands(branch.position):
                continue
            turn = next_turn.turn(seen, branch, Kind.FOUND, after)
            found = branch.plus(replace(turn, doubtful=True), next_turn.FOUND + PIECE * farther + cost)
            yield replace(found, left=left)

    def _likely(self) -> tuple[Branch, ...]:
        """The likeliest stories so far."""
        return tuple(each for each in self.branches if each.cost < APART)

    def _come_back(self, branch: Branch, seen: Sighting, throw: Throw | None) -> Iterator[Branch]:
        """The game goes on where it stood before a position that came about unseen: what was seen in between
        was another game's (highlights), since nobody comes back to that by play."""
        throws = () if throw is None else (throw,)
        looks, best = seen.evidence.best(), min(each.cost for each in self.branches)
        here = plays.elsewhere(branch.position, looks)
        for left in islice(branch.behind(), LEFT):
            again = replace(left, cost=branch.cost + left.cost, throws=throws)
            begun = _went_on(branch, left) is Kind.BEGUN
            for each in self._grown(again, seen, throws, throw):
                if begun and _went_on(each, left) is Kind.BEGUN:
                    continue  # the game after the one that was played meanwhile: nobody came back
                if each.length == left.length and each.cost - again.cost >= MIDST:
                    continue  # nor is anything seen of that game
                if each.cost - branch.cost < next_turn.FOUND:
                    yield each
            if branch.cost <= best:
                # Both games went on unseen, and one of them is broken off.
                again = replace(again, cost=again.cost + ABANDONED)
                yield from self._found(again, seen, plays.elsewhere(left.position, looks) - here)

    def _shown_again(self, branch: Branch, seen: Sighting) -> Iterator[Branch]:
        """Nothing was played: the film shows an earlier part of the game once more. Its dice are no throw."""
        links = branch.link.back() if branch.link else ()
        game = takewhile(lambda link: link.turn.kind is not Kind.BEGUN, links)
        earlier = {link.turn.before for link in islice(game, 1, REPLAYED)}
        if not earlier:
            return
        best = seen.evidence.best()
        fits, shown = min(
            ((-seen.evidence.total(position.looks()), position) for position in earlier),
            key=lambda each: each[0],
        )
        if fits >= next_turn.FITS and not all(
            plays.astray(position, best, self.rules) for position in earlier
        ):
            fits = MIDST
        elif shown == self._start:  # rather the next game
            fits += ABANDONED
        if fits < next_turn.FITS + ABANDONED:
            yield branch.stays(SHOWN_AGAIN + fits, branch.throws)

    def _starts(self, seen: Sighting) -> float:
        """How many nats less likely the start of a game is than the likeliest board: few, however poorly all
        is read, where a game begins."""
        return seen.evidence.total(self._likeliest(seen.evidence)) - seen.evidence.total(self._looks)

    def _put_back(self, seen: Sighting) -> float:
        """What a board costs that is being set up: the picture's part is what the likeliest board costs."""
        return PUT_BACK - seen.evidence.total(self._likeliest(seen.evidence))

    def _likeliest(self, evidence: Evidence) -> Looks:
        """The likeliest board, whether a position can be that or not."""
        return plays.likeliest_looks(self._start, evidence, self.rules.homes)

    def _boards(self, evidence: Evidence) -> Iterator[tuple[Position, float]]:
        """The likeliest board, each side on turn, with what it costs."""
        looks = self._likeliest(evidence)
        if not plays.adds_up(self._start, looks):
            return  # too much is hidden, or misread
        for side in self.rules.sides:
            try:
                after = plays.stood(self._start, self.rules.other(side), looks)
            except EngineError:
                continue
            if after.awaits is not Awaits.NOTHING:
                yield after, SIDE - evidence.total(looks)


def _thrown_since(branch: Branch, seen: Sighting, throw: Throw | None) -> tuple[Throw, ...]:
    """The throws since a branch's last turn, with another look at those that still lie there; ``throw`` is
    new."""
    throws = tuple(each.again(seen.faces) for each in branch.throws)
    return throws if throw is None else (*throws, throw)[-THROWS:]


def _went_on(branch: Branch, left: Branch) -> Kind | None:
    """What the branch tells right after what it has in common with one that was left; None for nothing."""
    links = branch.link.back() if branch.link else ()
    return next((link.turn.kind for link in links if link.number == left.length + 1), None)


def _stands(position: Position) -> Mapping[str, object]:
    """What stands where and who is on turn, as plain data: positions that differ in nothing else are one."""
    return {key: value for key, value in position.to_json().items() if key != "outcome"}


def follow(
    rules: Rules, seen: Iterable[Sighting], answers: Answers, memory: Memory | None = None
) -> list[Turn]:
    """The turns of a film, from its sightings in order. ``memory`` makes a second time fast."""
    follower = Follower(rules, answers, memory=memory or Memory())
    for each in seen:
        follower.see(each)
    return follower.story()
