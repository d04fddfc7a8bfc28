"""From the referee to the page: every news becomes a new state for the hub.

The referee works in its own thread; the hub belongs to the event loop. This is the one place where they meet.
"""

from __future__ import annotations

import asyncio
import json

from engine.session import Session
from firmware.page.drawn_strip import draw_strip
from firmware.page.state import for_spectators, page_state
from firmware.page.stream import Hub
from firmware.table.referee import News
from firmware.table.watcher import TableWatcher


class PagePublisher(TableWatcher):
    """A watcher that keeps the page up to date."""

    def __init__(self, hub: Hub, loop: asyncio.AbstractEventLoop) -> None:
        self._hub = hub
        self._loop = loop
        self._pictures = 0
        self._refused: str | None = None
        self._shown: Session | None = None
        self._troubles: tuple[str, ...] = ()

    def show_troubles(self, words: tuple[str, ...], news: News) -> None:
        """Shows from now on what is wrong with the devices."""
        self._troubles = words
        self._shown = None
        self(news)

    def __call__(self, news: News) -> None:
        """Shows what the table is now."""
        if news.frame is not None:
            self._pictures += 1
            self._loop.call_soon_threadsafe(self._hub.picture, self._pictures)
            if self._shown is news.session:
                return  # a mere picture
        if news.event is not None:
            self._refused = news.refused
        self._shown = news.session
        words = "; ".join([*self._troubles, *([self._refused] if self._refused else [])]) or None
        state = page_state(news.session, news.t, draw_strip(news.session, news.t), words)
        text, lean = (json.dumps(each, separators=(",", ":")) for each in (state, for_spectators(state)))
        cells = tuple((state.get("judgement") or {}).get("cells", ()))
        self._loop.call_soon_threadsafe(self._hub.publish, text, lean, cells)
