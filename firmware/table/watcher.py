"""What the daemon tells those who follow a table: the page, the strip, the recorder, a publisher.

The daemon is given its watchers and knows none of them; :mod:`firmware.assemble` makes them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Protocol

from engine.events import Begin, Event
from engine.position import Rules
from engine.session import Session
from firmware.table.news import News
from firmware.table.referee import Stimulus
from firmware.table.trial import Trial
from hardware.protocols import Clock


class WatchedTable(Protocol):
    """What a watcher may ask of the table, and tell it."""

    now: Clock

    @property
    def session(self) -> Session:
        """The session now."""

    @property
    def trial(self) -> Trial | None:
        """The trial of buttons and lamps that goes on, if one does."""

    def report_trouble(self, what: str, words: str) -> None:
        """Tells the players what is wrong with a part, "" when it works again; from any thread."""

    def hand_over(self, stimulus: Stimulus) -> None:
        """Puts what a device reports in the queue; from any thread."""

    async def act(self, event: Event, seen: int | None = None) -> str | None:
        """Does what a player of the state number ``seen`` asks for; why it was refused, None where it was
        done."""


class TableWatcher:
    """Follows a table while the daemon runs. A watcher overrides the methods that it needs."""

    def attach(self, table: WatchedTable) -> None:
        """The watcher belongs to this table; called once, in the event loop."""

    def objection(self, begin: Begin) -> str | None:
        """Why this match cannot be played here; None where it can."""
        return None

    def begin_match(self, log: str, game: Rules, events: Sequence[Event]) -> None:
        """A match comes to the table, after these ``events``; ``log`` is "" until it has begun."""

    def prove(self, news: News) -> None:
        """This is about to happen: raise what would keep it from being shown, and it does not. Called in the
        referee's thread, before the journal is written."""

    def __call__(self, news: News) -> None:
        """Something happened; called in the referee's thread."""

    def seated(self) -> bool:
        """Whether somebody who may act follows the table here, and may give words for the dice. From any
        thread."""
        return False

    def show_troubles(self, words: tuple[str, ...], news: News) -> None:
        """These are the troubles now, and this is how the table stands."""

    async def run(self) -> None:
        """What the watcher does by itself, in the event loop, until it is cancelled."""
        await asyncio.Event().wait()

    def close(self) -> None:
        """The table ends."""
