"""Stories of one film, side by side: what each tells, which are worth following, and what to tell in the end.

Branches that come to the same position are one: the cheaper. What they told differently on the way is sure
only where the other cost :data:`APART` more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from engine.position import Position
from firmware.transcribe import plays
from firmware.transcribe.plays import Said
from firmware.transcribe.sighting import Throw
from firmware.transcribe.turns import Choice, Kind, Link, Turn

APART = 5.0
"""Nats by which another story must be less likely for nobody to be asked (99.3 to 0.7)."""
BEHIND = 30.0
"""Nats behind the best from which on a branch is given up."""
WIDEST, MOST = 6, 24
"""Branches that are followed at once, and where more are about as likely."""


@dataclass(frozen=True, slots=True)
class Rival:
    """Another story: it tells the turns after ``since`` up to its own end otherwise."""

    link: Link
    since: int
    until: int


@dataclass(frozen=True, slots=True)
class Branch:
    """One story. ``throws`` were seen since its last turn; ``broken``: its game was broken off, and the next
    has not begun; ``said``: what the board has cost as it stands, cell by cell; ``left``: the likeliest
    stories as they stood before a position that came about unseen, or a game was broken off."""

    position: Position
    cost: float = 0.0
    link: Link | None = None
    throws: tuple[Throw, ...] = ()
    rivals: tuple[Rival, ...] = ()
    picture: str = ""
    broken: bool = False
    said: Said = field(default_factory=dict, compare=False)
    left: tuple[Branch, ...] = ()

    @property
    def length(self) -> int:
        """How many turns it tells."""
        return 0 if self.link is None else self.link.number

    @property
    def turn(self) -> Turn | None:
        """The last one that it tells."""
        return None if self.link is None else self.link.turn

    def told_by(self, picture: str) -> Turn | None:
        """Its last turn, if it was that picture that showed it."""
        return self.turn if self.turn is not None and self.turn.picture == picture else None

    @property
    def key(self) -> str:
        """That of its last turn."""
        return "" if self.turn is None else self.turn.key

    def came_unseen(self, picture: str) -> bool:
        """Whether nobody saw what led to that picture."""
        turn = self.told_by(picture)
        return turn is not None and turn.kind is Kind.FOUND

    @property
    def ends_by_dice(self) -> bool:
        """Whether the dice of its last turn were seen: dice that fell and cannot be played are a turn, though
        the film ends."""
        return self.turn is not None and self.turn.dice_sure

    def ends(self, other: Branch) -> bool:
        """Whether ``other`` tells the same, and only leaves out the last turn, whose dice were seen."""
        return self.ends_by_dice and self.link is not None and self.link.parent is other.link

    def stays(self, cost: float, throws: tuple[Throw, ...]) -> Branch:
        """Nothing was played."""
        return replace(self, cost=self.cost + cost, throws=throws)

    def undone(self) -> Branch:
        """Without its last turn."""
        assert self.link is not None
        return replace(self, position=self.link.turn.before, link=self.link.parent)

    def behind(self) -> Iterator[Branch]:
        """What was left for positions that came about unseen, the newest first."""
        left = self.left
        while left:
            yield from left
            left = left[0].left

    def plus(self, turn: Turn, cost: float, throws: tuple[Throw, ...] = ()) -> Branch:
        """With one turn more."""
        link = Link(turn, self.link, self.length + 1)
        done = replace(self, position=turn.after, cost=self.cost + cost, link=link, throws=throws)
        return replace(done, picture=turn.picture, broken=False)


def merged(branches: Iterable[Branch]) -> list[Branch]:
    """Of branches that stand alike the cheapest, which remembers what nearly was."""
    kept: dict[object, Branch] = {}
    for branch in sorted(branches, key=lambda each: each.cost):
        key = (branch.position, branch.throws, branch.broken)
        best = kept.get(key)
        if best is None:
            kept[key] = branch
        elif branch.cost - best.cost < APART and branch.link is not None:
            kept[key] = replace(best, rivals=(*best.rivals, _rival(best, branch)))
    return list(kept.values())


def fewer(branches: list[Branch]) -> list[Branch]:
    """Those worth following; the best costs 0. What others tell that are about as likely is remembered."""
    branches.sort(key=lambda each: each.cost)
    likely = sum(branch.cost < APART for branch in branches)
    kept = [branch for branch in branches[: min(max(WIDEST, likely), MOST)] if branch.cost < BEHIND]
    left_out = [branch for branch in branches[len(kept) : len(kept) + MOST] if branch.cost < APART]
    if not left_out:
        return kept
    return [
        replace(each, rivals=(*each.rivals, *(_rival(each, other) for other in left_out if other.link)))
        for each in kept
    ]


def story(branches: Sequence[Branch]) -> list[Turn]:
    """What was most likely played, in order; a turn that another story tells differently is doubtful."""
    if not branches:
        return []
    ranked = sorted(branches, key=lambda each: (round(each.cost, 1), -each.length * each.ends_by_dice))
    likely = [each for each in ranked if each.cost - ranked[0].cost < APART]
    # A film may end in the midst of a play whose dice were seen: that is asked about, not left out.
    best = next((each for each in likely[1:] if each.ends(likely[0])), likely[0])
    rivals = list(best.rivals)
    for other in likely:
        if other is not best and other.link is not None and (other is likely[0] or not best.ends(other)):
            rivals.append(_rival(best, other))
    told = [link.turn for link in best.link.back()][::-1] if best.link else []
    return [_spelled(turn) for turn in _doubted(told, rivals)]


def _rival(best: Branch, other: Branch) -> Rival:
    """What ``other`` tells differently: the turns after the last that both tell."""
    assert other.link is not None
    own = {id(link): link.number for link in best.link.back()} if best.link else {}
    since = next((link.number for link in other.link.back() if id(link) in own), 0)
    return Rival(other.link, since, best.length)


def _doubted(told: list[Turn], rivals: Iterable[Rival]) -> list[Turn]:
    """The turns, with what the rivals tell instead."""
    found = list(told)
    for rival in rivals:
        others = {link.number: link.turn for link in rival.link.back() if link.number > rival.since}
        for number in range(rival.since + 1, rival.until + 1):
            if number > len(found):
                break
            turn, other = found[number - 1], others.get(number)
            if other is not None and turn.same(other):
                continue
            if turn.settled:
                continue
            more = () if other is None or other.side != turn.side else _choices(other)
            found[number - 1] = replace(turn, doubtful=True, others=(*turn.others, *more))
    return found


def _choices(turn: Turn) -> tuple[Choice, ...]:
    if turn.kind is not Kind.PLAYED or turn.side is None:
        return ()
    return tuple(
        Choice(dice, plays.spelled(turn.before, turn.side, dice, turn.after)) for dice, _ in turn.rolls
    )


def _spelled(turn: Turn) -> Turn:
    """The turn with its play as it reads by each roll."""
    own = _choices(turn)
    return replace(turn, own=own, move=own[0].move if own else turn.move)
