"""From the referee to the page: every news becomes a new state for the feed.

The referee works in its own thread; the feed belongs to the event loop. This is the one place where they
meet.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from engine.events import Event
from engine.messages import joined, phrase, translated
from engine.position import Json, Rules
from engine.rolls import roller
from engine.session import Session
from firmware.errors import describe_fault
from firmware.languages.catalogue import ENGLISH, catalogue
from firmware.page.drawn_strip import draw_strip
from firmware.page.state import for_spectators, page_state
from firmware.page.stream import Feed
from firmware.table.news import News
from firmware.table.watcher import TableWatcher


@dataclass(frozen=True, slots=True)
class Drawn:
    """A state as the page gets it, and what is wrong in ``words``."""

    session: Session
    number: int
    words: str | None
    state: Json

    def shows(self, news: News, words: str | None) -> bool:
        """Whether this is what ``news`` would be drawn as."""
        return self.session is news.session and self.number == news.number and self.words == words


def written(state: Json, language: str = ENGLISH, player: bool = True) -> str:
    """A state as text: in a language, and all of it or what spectators need."""
    lean, reader = state if player else for_spectators(state), catalogue(language)
    names = lean.get("players", {}).values()
    plain = language == ENGLISH and all(reader.set_in(name) == name for name in names)  # a Text is English
    told = lean if plain else translated(lean, reader)
    return json.dumps(told, separators=(",", ":"), allow_nan=False, check_circular=False)


class PagePublisher(TableWatcher):
    """A watcher that keeps the page up to date, of a table with a ``strip`` of lamps or without one, on which
    a turn ends by a button or, ``hands_free``, when its dice are picked up."""

    def __init__(
        self, feed: Feed, loop: asyncio.AbstractEventLoop, strip: bool = True, hands_free: bool = False
    ) -> None:
        self._feed = feed
        self._strip, self._hands_free = strip, hands_free
        self._loop = loop
        self._pictures = 0
        self._refused: str | None = None
        self._shown: Session | None = None
        self._troubles: tuple[str, ...] = ()
        self._moving = False
        self._made: Drawn | None = None
        """What was drawn for an event that is about to happen."""

    def begin_match(self, log: str, game: Rules, events: Sequence[Event]) -> None:
        """Keeps :class:`firmware.table.watcher.TableWatcher`."""
        self._moving = False

    def show_troubles(self, words: tuple[str, ...], news: News) -> None:
        """Shows from now on what is wrong with the devices."""
        self._troubles = words
        self._shown = None
        self(news)

    def seated(self) -> bool:
        """Whether the page is open at somebody who may act."""
        return self._feed.players > 0

    def prove(self, news: News) -> None:
        """Makes what would be shown, once. It becomes text when it has happened: nobody waits for that. All
        that text could not hold are numbers that are none, and only the clock's are measured."""
        self._made = self._draw(news, self._words(None))
        written({"clock": self._made.state.get("clock")})

    def __call__(self, news: News) -> None:
        """Shows what the table is now."""
        if news.frame is not None:
            self._pictures += 1
            self._loop.call_soon_threadsafe(self._feed.picture, self._pictures)
            if self._shown is news.session and self._moving == news.moving:
                return  # a mere picture
        if news.frame is not None or news.moving:
            self._moving = news.moving
        if news.event is not None:  # who acted on a page has been told there
            self._refused = None if news.event.actor else news.refused
        self._shown = news.session
        words = self._words(self._refused)
        made, self._made = self._made, None
        drawn = made if made is not None and made.shows(news, words) else self._draw(news, words)
        self._publish(drawn)

    def _words(self, refused: str | None) -> str | None:
        return joined(phrase("; "), [*self._troubles, *([refused] if refused else [])]) or None

    def _draw(self, news: News, words: str | None) -> Drawn:
        try:
            leds = draw_strip(news.session, news.t)
            told = (words, news.number, self._strip, news.seen, self._hands_free, self._moving)
            state = page_state(news.session, news.t, leds, *told)
        except Exception as error:
            if news.event is not None and news.refused is None:
                raise
            state = _unshown(error, words)
        return Drawn(news.session, news.number, words, state)

    def _publish(self, drawn: Drawn) -> None:
        state = drawn.state
        try:
            text = written(state)
        except Exception as error:
            state = _unshown(error, drawn.words)
            text = written(state)
        cells = tuple((state.get("judgement") or {}).get("cells", ()))
        names, table = state.get("players") or {}, drawn.session.table
        tell = partial(written, state)
        whose = None if table is None else roller(table)
        self._loop.call_soon_threadsafe(self._feed.publish, text, tell, cells, names, whose)


def _unshown(error: Exception, words: str | None) -> Json:
    """What is at the table cannot be shown: the page still says so, and why."""
    fault = phrase("The match at the table cannot be shown: {fault}", fault=describe_fault(error))
    return {"phase": fault, "refused": words}
