"""Who sets the table up: one person at a time, who has gone away where nothing is heard of them."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass

from engine.messages import phrase, phrase_number

LEASE = 45.0
"""Seconds without a request after which whoever set up has gone away."""


class SomebodyElse(Exception):
    """Somebody else is setting the table up."""


@dataclass(frozen=True, slots=True)
class Holder:
    """Who sets up: their browser's token, their address, since when."""

    token: str
    who: str
    since: float


class Lease:
    """The right to set up one table. ``now`` is in seconds and only goes forward; ``ended`` is called when
    somebody has left, or gone away."""

    def __init__(self, now: Callable[[], float], ended: Callable[[], None]) -> None:
        self._now = now
        self._ended = ended
        self._holder: Holder | None = None
        self._seen = float("-inf")

    def take(self, who: str, over: bool) -> str:
        """Begins to set up; returns the token for it. ``over`` takes it from somebody else. Raises
        SomebodyElse."""
        holder = self.holder()
        if holder is not None and not over:
            raise SomebodyElse(_since(holder.who, self._now() - holder.since))
        self._end()
        self._holder, self._seen = Holder(secrets.token_urlsafe(12), who, self._now()), self._now()
        return self._holder.token

    def hold(self, token: object) -> None:
        """Raises SomebodyElse unless the token belongs to whoever sets up."""
        if not self.renew(token):
            away = phrase("you were away too long; begin again")
            raise SomebodyElse(
                away if self.holder() is None else phrase("somebody else is setting this table up now")
            )

    def renew(self, token: object) -> bool:
        """Whether the token belongs to whoever sets up: then they are still there."""
        holder = self.holder()
        mine = (
            holder is not None
            and isinstance(token, str)
            and secrets.compare_digest(token.encode(), holder.token.encode())
        )
        if mine:
            self._seen = self._now()
        return mine

    def leave(self, token: object) -> None:
        """Ends the setting up, if the token belongs to whoever sets up."""
        if self.renew(token):
            self._end()

    def holder(self) -> Holder | None:
        """Who sets up now; None where nobody does."""
        if self._now() - self._seen > LEASE:
            self._end()
        return self._holder

    def _end(self) -> None:
        if self._holder is not None:
            self._holder = None
            self._ended()


def _since(who: str, seconds: float) -> str:
    minutes = round(seconds / 60)
    if minutes < 1:
        return phrase("somebody at {who} has been setting this table up for less than a minute", who=who)
    return phrase_number(
        "somebody at {who} has been setting this table up for {n} minute",
        "somebody at {who} has been setting this table up for {n} minutes",
        minutes,
        who=who,
    )
