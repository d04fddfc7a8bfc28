"""The doubling cube: the stake, who may double it, and an offer on the table.

The cube starts in the middle at 1. A take doubles the stake and gives the cube to the taker; a drop loses the
stake as it was. Where beavers are played, the answer to a double may be to double again at once and keep the
cube, and so to and fro as often as agreed; whoever drops then loses the stake that was on the table before
the last offer.

The faces end at 64; the stake doubles on past that, and the log reads 128, 256, and so on, up to
:data:`HIGHEST`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from engine.layout import Side
from engine.match import Match
from engine.messages import phrase
from engine.names import named
from engine.position import Json

HIGHEST = 2**20
"""No stake is higher: nobody plays for more, and a stake without end would be a number that no file holds."""
TOO_HIGH = phrase("the cube ends at {highest}", highest=HIGHEST)


@dataclass(frozen=True, slots=True)
class Offer:
    """A double on the table. ``taken`` is the stake if it is taken, ``dropped`` what a drop loses, ``owner``
    who then owns the cube."""

    by: Side
    to: Side
    owner: Side
    taken: int
    dropped: int
    beavers: int = 0
    """How many immediate redoubles led here."""


@dataclass(frozen=True, slots=True)
class Cube:
    """The stake of this game and who owns the cube (None: the middle)."""

    value: int = 1
    owner: Side | None = None
    offer: Offer | None = None
    doubled: bool = False
    """Whether a double was taken in this game (Jacoby)."""
    automatic: int = 0
    """How often equal opening dice doubled the stake."""

    def refusal(
        self, match: Match, side: Side, rolls: tuple[int, int], player: Callable[[Side], str] = named
    ) -> str | None:
        """Why ``side`` may not double, whose roll it is; None where it may. ``rolls`` counts each side's
        rolls in this game, ``player`` says what a side is called."""
        if not match.terms.cube:
            return phrase("this match is played without the cube")
        if match.crawford:
            return phrase("this is the Crawford game: the cube is out of play")
        if self.owner not in (None, side):
            return phrase("the cube is {side}'s", side=player(self.owner or ""))
        away = match.away(side)
        if away is not None and self.value >= away:
            return phrase(
                "the cube is dead: {side} wins the match with the stake as it is", side=player(side)
            )
        if self.value >= HIGHEST:
            return TOO_HIGH
        if match.terms.holland and match.crawford_over and min(rolls) < 2:
            return phrase(
                "after the Crawford game nobody doubles before both sides have rolled twice (Holland rule)"
            )
        return None

    def offered(self, side: Side, other: Side) -> Cube:
        """``side`` doubles."""
        return replace(self, offer=Offer(side, other, other, self.value * 2, self.value))

    def beaver_refusal(self, match: Match) -> str | None:
        """Why the offer on the table may not be answered by doubling again; None where it may."""
        if self.offer is None:
            return phrase("there is no double to answer")
        if not match.terms.beavers:
            return phrase("beavers are not played")
        if self.offer.beavers >= match.terms.beavers:
            return phrase("the stake has been redoubled as often as was agreed")
        return TOO_HIGH if self.offer.taken >= HIGHEST else None

    def beavered(self) -> Cube:
        """The answer to the offer is to double again; whoever would own the cube keeps it."""
        assert self.offer is not None
        old = self.offer
        return replace(
            self, offer=Offer(old.to, old.by, old.owner, old.taken * 2, old.taken, old.beavers + 1)
        )

    def taken(self) -> Cube:
        """The offer is taken."""
        assert self.offer is not None
        return replace(self, value=self.offer.taken, owner=self.offer.owner, offer=None, doubled=True)

    def doubled_by_dice(self, match: Match) -> Cube:
        """Equal opening dice: the stake doubles if that is played and the limit is not reached; the cube
        stays in the middle."""
        if self.automatic >= match.terms.automatic or not match.terms.cube or self.value >= HIGHEST:
            return self
        return replace(self, value=self.value * 2, automatic=self.automatic + 1)

    def points(self, match: Match, points: int) -> int:
        """What a game won by an outcome of ``points`` counts."""
        return self.value * (1 if match.terms.jacoby and not self.doubled else points)

    def to_json(self) -> Json:
        """Plain data for the page."""
        offer = self.offer
        return {
            "value": self.value,
            "owner": self.owner,
            "offer": offer
            and {"by": offer.by, "to": offer.to, "taken": offer.taken, "dropped": offer.dropped},
        }
