"""The table's own player, who sits where a player is called ``engine``: it rolls, doubles, answers, resigns,
and says what it plays; people move its pieces, and the camera watches that they move them so.

A match against it is training: so its thinking may be shown. In a match of people it does nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress

from engine.events import Begin, Event
from engine.layout import Side
from engine.match_state import MatchState, State
from engine.messages import phrase
from engine.session import Session
from firmware.engines import NoEngine
from firmware.engines.thinker import Thinker, first_thinker
from firmware.errors import describe_fault
from firmware.formats import FormatError
from firmware.levels import LEVELS, level_of
from firmware.record.spots import check_known
from firmware.table.mind import Mind, must_act, own_players
from firmware.table.news import News
from firmware.table.watcher import TableWatcher, WatchedTable

AGAIN = 2.0
"""Seconds until an engine that has failed is asked again."""

LIMIT = 1.5
"""Seconds that its engine may think about one answer: it replies within two."""


def quick_thinker() -> Thinker:
    """The first engine that is here, with that limit. Raises NoEngine."""
    return first_thinker(limit=LIMIT)


class Rival(TableWatcher):
    """Plays for the sides that are the table's own."""

    def __init__(self, think: Callable[[], Thinker] = quick_thinker) -> None:
        """``think`` gives the engine; NoEngine where there is none."""
        self._think = think
        self._newest: News | None = None
        self._wake = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._thinker: Thinker | None = None
        self._minds: dict[Side, Mind] = {}
        self._failed = False

    def attach(self, table: WatchedTable) -> None:
        """Keeps :class:`firmware.table.watcher.TableWatcher`."""
        self._table = table

    def objection(self, begin: Begin) -> str | None:
        """Why the table cannot play this match itself; None where it can, or need not."""
        if not any(level_of(name) for name in begin.players.values()):
            return None
        try:
            check_known(begin.rules)
            self._thinker = self._thinker or self._think()
        except (FormatError, NoEngine) as error:
            return str(error)
        return None

    def begin_match(self, log: str, game: object, events: Sequence[Event]) -> None:
        """Another match: what was thought for the last one is forgotten."""
        self._newest, self._minds = None, {}

    def __call__(self, news: News) -> None:
        """Looks whether it must do something."""
        if self._newest is None or news.session is not self._newest.session:
            self._newest = news
            with suppress(RuntimeError):  # the loop is closed: the program has ended
                self._loop.call_soon_threadsafe(self._wake.set)

    def show_troubles(self, words: tuple[str, ...], news: News) -> None:
        """The table has come up, perhaps in the middle of a thought."""
        self(news)

    async def settled(self) -> None:
        """Returns when it has nothing to do, or cannot do it, as when the table ends."""

        def busy() -> bool:
            session = self._table.session
            return session.state is State.ROLLING or self._due(session) is not None

        while not self._failed and busy():
            await asyncio.sleep(0.01)

    async def run(self) -> None:
        """Thinks and acts."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            news = self._newest
            table = None if news is None else news.session.table
            if news is None or table is None or not own_players(table):
                self._rest()
                continue
            side = self._due(news.session)
            if side is not None and not await self._act(table, side, news.number):
                await asyncio.sleep(AGAIN)
                self._wake.set()

    def close(self) -> None:
        """Ends its engine, whatever it thinks about."""
        self._failed = True
        self._rest()

    def _due(self, session: Session) -> Side | None:
        return None if session.table is None else must_act(session.table)

    async def _act(self, table: MatchState, side: Side, number: int) -> bool:
        """Does what ``side`` does now; False where that must be tried again."""
        try:
            event = await asyncio.to_thread(self._mind(table, side).act, table, side)
        except Exception as error:
            words = str(error) if isinstance(error, NoEngine) else describe_fault(error)
            self._failed = True
            self._rest()
            self._table.report_trouble(
                "rival",
                phrase("the table's own player cannot think, you may play for it: {reason}", reason=words),
            )
            return False
        self._failed = False
        self._table.report_trouble("rival", "")
        newest = self._newest
        if event is None or newest is None or newest.number != number:
            self._wake.set()  # the table has changed meanwhile
            return True
        return await self._table.act(event, number) is None or self._newest is not newest

    def _mind(self, table: MatchState, side: Side) -> Mind:
        if self._thinker is None:
            self._thinker = self._think()
            self._minds = {}
        if side not in self._minds:
            self._minds[side] = Mind(self._thinker, LEVELS[own_players(table)[side]])
        return self._minds[side]

    def _rest(self) -> None:
        thinker, self._thinker = self._thinker, None
        if thinker is not None:
            thinker.close()
