"""What ``/overlay`` shows where a delay is chosen: the table as it was some seconds ago, with the chances to
win.

Players may look at a stream, too. So a chance is shown only of a decision that is over: of the position
before a roll, once the dice have fallen, and then the delay later. Nothing of it is in any other answer of
the table. The engine thinks in a process of its own, at the lowest priority; a chance that comes too late is
left out.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor

from engine.effects import DiceFell, Ended, Started
from engine.layout import Side
from engine.match_state import MatchState
from engine.position import Awaits
from engine.session import Session
from firmware.engines import Engine, NoEngine
from firmware.engines.thinker import Thinker, first_thinker
from firmware.errors import describe_fault
from firmware.formats import FormatError
from firmware.page.stream import Feed
from firmware.record.spots import Stakes, check_known
from firmware.table.news import News
from firmware.table.watcher import TableWatcher

Chance = Mapping[Side, float]
"""The chance of each side to win, 0-1."""


class ChanceWatcher(TableWatcher):
    """Asks an engine after every roll: ``newest`` is the chance before the last roll, or will
    be. ``say`` hears once that there is no engine."""

    def __init__(self, say: Callable[[str], None], think: Callable[[], Thinker] = first_thinker) -> None:
        self._say, self._think = say, think
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="chances")
        self._engine: Thinker | None = None
        self._gone = False
        self._before = Session()
        self.newest: Future[Chance | None] | None = None

    def __call__(self, news: News) -> None:
        """Asks where dice have fallen. From the referee's thread."""
        before, self._before = self._before, news.session
        for effect in news.effects:
            if isinstance(effect, Started | Ended):
                self.newest = None
            elif isinstance(effect, DiceFell) and before.table is not None and not self._gone:
                asked = before.table.position.awaits is Awaits.ROLL
                self.newest = self._thread.submit(self._ask, before.table) if asked else None

    def close(self) -> None:
        """Ends the engine's process."""
        self._gone = True
        self._thread.shutdown(wait=False, cancel_futures=True)
        if self._engine is not None:
            self._engine.close()

    def _ask(self, table: MatchState) -> Chance | None:
        try:
            if self._engine is None:
                self._engine = self._think()
            return chance(table, self._engine)
        except FormatError:  # a game that no engine knows
            return None
        except NoEngine as error:
            if not self._gone:
                self._say(f"the overlay shows no chances: {error}")
            self._gone = True
            return None
        except Exception as error:  # the table is shown all the same
            self._say(f"the overlay shows no chances of this roll: {describe_fault(error)}")
            return None


def chance(table: MatchState, engine: Engine) -> Chance | None:
    """The chances before the roll that is due at this table. Raises NoEngine, and FormatError for a game that
    no engine knows."""
    side = table.position.turn
    check_known(table.rules.name)
    if side is None:
        return None
    win = engine.before_roll(Stakes.at(table).spot(table.position, side), rolls=False).chances.win
    return {side: round(win, 3), table.rules.other(side): round(1 - win, 3)}


class DelayedStates:
    """Gives ``feed`` every state ``delay`` seconds after it was shown at the table. For the event loop."""

    def __init__(self, feed: Feed, delay: float, chances: ChanceWatcher) -> None:
        self._feed, self._delay, self._chances = feed, delay, chances

    def __call__(self, text: str) -> None:
        """This state (a JSON object) is shown at the table now."""
        asyncio.get_running_loop().call_later(self._delay, self._show, text, self._chances.newest)

    def _show(self, text: str, asked: Future[Chance | None] | None) -> None:
        known = asked.result() if asked is not None and asked.done() and not asked.cancelled() else None
        self._feed.publish(text if known is None else f'{text[:-1]}, "chances": {json.dumps(known)}}}')


def delay_overlay(feed: Feed, delay: float, say: Callable[[str], None]) -> ChanceWatcher:
    """From now on, who follows ``feed`` for the overlay sees the table as it was ``delay`` seconds ago. Gives
    who must watch the table for it."""
    watcher, feed.overlay = ChanceWatcher(say), Feed()
    feed.echo = DelayedStates(feed.overlay, delay, watcher)
    return watcher
