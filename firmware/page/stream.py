"""The feed: one table's present state, for any number of browsers.

The table publishes whole states, and a browser always gets the newest one: whoever comes late, reads slowly
or was away sees the present state at once, and nothing queues up. The table never waits here: publishing
replaces a reference and wakes those who wait.

A state is sent with its ``age``, the seconds since it was made, and clocks run on from there: so no browser
shows a wrong time because it came late or because its own clock is wrong. New pictures are announced apart
from states.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing

from firmware.languages.catalogue import ENGLISH

HEAD_START = 0.03
"""Seconds that spectators wait for news, so that the players get it before two hundred of them."""
AGAIN = 3000
"""Milliseconds after which a browser asks again for which there is no place."""
SPREAD = 0.001
"""Seconds between two spectators, on average: telling two hundred in one go would hold up the players."""


HERE = "event: here\ndata: still\n\n"
"""What a browser hears without news: a line that is silent is dead."""


def never() -> bool:
    """Of a stream for spectators."""
    return False


def always() -> bool:
    """Of a stream for players, who stay players."""
    return True


class Feed:
    """The newest state, ready to send; for the event loop only. ``now`` is in seconds, never set back."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._text = "{}"
        self._say: Callable[[str, bool], str] | None = None
        self._said: dict[tuple[str, bool], str] = {}
        self.cells: tuple[str, ...] = ()
        self.names: Mapping[str, str] = {}
        """Who plays on which side."""
        self.roller: str | None = None
        """Whose dice can fall now; None at the opening, and between games."""
        self._since = 0.0
        self._number = 0
        self._picture = 0
        self._wake = {True: asyncio.Event(), False: asyncio.Event()}
        self._soon: asyncio.TimerHandle | None = None
        self._open = True
        self._followers = 0
        self.players = 0
        """How many of those who follow may act."""
        self.echo: Callable[[str], None] | None = None
        """Hears what spectators get, when they do."""
        self.overlay: Feed | None = None
        """What the overlay follows instead, where it comes later."""

    @property
    def number(self) -> int:
        """How many states were published."""
        return self._number

    @property
    def followers(self) -> int:
        """How many streams are open."""
        return self._followers

    def text(self, player: bool = True, language: str = ENGLISH) -> str:
        """The newest state, with its age: all of it, or what spectators need, in this language."""
        text = self._written(player, language)
        return f'{{"age": {self._now() - self._since:.2f}, {text[1:]}' if self._number else text

    def _written(self, player: bool, language: str) -> str:
        if self._say is None or (player and language == ENGLISH):
            return self._text
        if (language, player) not in self._said:
            self._said[language, player] = self._say(language, player)
        return self._said[language, player]

    def publish(
        self,
        text: str,
        say: Callable[[str, bool], str] | None = None,
        cells: tuple[str, ...] = (),
        names: Mapping[str, str] | None = None,
        roller: str | None = None,
    ) -> None:
        """Makes ``text`` the newest state (a JSON object that is not empty). ``say`` gives it in a language,
        to players or what spectators need of it, once somebody asks (None: it is ``text`` for all);
        ``cells`` are those that the last judgement is about, ``names`` who plays on which side, and
        ``roller`` whose dice can fall."""
        self.names, self.roller = names or {}, roller
        self._say = say
        self._said.clear()
        self._text = text
        self.cells = cells
        self._since = self._now()
        self._number += 1
        self._rouse()
        if self.echo is not None:
            self.echo(self._written(False, ENGLISH))

    def picture(self, number: int) -> None:
        """There is a new picture from the camera."""
        self._picture = number
        self._rouse()

    def close(self) -> None:
        """Ends every follower after what it is sending."""
        self._open = False
        self._rouse()
        self._wake_up(False)
        if self.overlay is not None:
            self.overlay.close()

    def _rouse(self) -> None:
        self._wake_up(True)
        if self._followers and self._soon is None:
            self._soon = asyncio.get_running_loop().call_later(HEAD_START, self._wake_up, False)

    def _wake_up(self, player: bool) -> None:
        if not player and self._soon is not None:
            self._soon.cancel()
            self._soon = None
        wake, self._wake[player] = self._wake[player], asyncio.Event()
        wake.set()

    async def follow(
        self,
        player: Callable[[], bool] = always,
        beat: float = 15.0,
        look: float = 1.0,
        language: str = ENGLISH,
    ) -> AsyncGenerator[str, None]:
        """News as server-sent events, first the present state. Without news :data:`HERE` comes every
        ``beat`` seconds. Who is no ``player`` any more, asked at least every ``look`` seconds, gets the state
        that spectators get, and the stream ends: the browser comes again as a spectator."""
        state = picture = 0
        plays = player()
        quiet = 0.0
        self._followers += 1
        self.players += plays
        try:
            while self._open:
                if plays and not player():
                    yield f"id: {self._number}\ndata: {self.text(False, language)}\n\n"
                    return
                if self._number != state:
                    state, quiet = self._number, 0.0
                    yield f"id: {state}\ndata: {self.text(plays, language)}\n\n"
                elif self._picture != picture:
                    picture, quiet = self._picture, 0.0
                    yield f"event: picture\ndata: {picture}\n\n"
                else:
                    wake, patience = self._wake[plays], min(beat, look) if plays else beat
                    try:
                        async with asyncio.timeout(patience):  # wait_for may swallow a cancellation
                            await wake.wait()
                    except TimeoutError:
                        quiet += patience
                        if quiet >= beat:
                            quiet = 0.0
                            yield HERE
                    if not plays:
                        await asyncio.sleep(random.uniform(0, SPREAD * self._followers))
        finally:
            self._followers -= 1
            self.players -= plays


async def events(
    feed: Feed, version: str, player: Callable[[], bool] = lambda: True, language: str = ENGLISH
) -> AsyncGenerator[str, None]:
    """A whole stream: first the ``version`` of the page's files, then the feed's news."""
    yield f"retry: 1000\nevent: version\ndata: {version}\n\n"
    async with aclosing(feed.follow(player, language=language)) as following:
        async for news in following:
            yield news


async def glance(feed: Feed, version: str, language: str = ENGLISH) -> AsyncGenerator[str, None]:
    """What somebody gets for whom there is no place: the present state, and when to come again."""
    yield f"retry: {AGAIN}\nevent: version\ndata: {version}\n\n"
    yield f"event: crowded\ndata: {AGAIN}\n\n"
    yield f"id: {feed.number}\ndata: {feed.text(False, language)}\n\n"
