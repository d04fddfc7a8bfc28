"""How the tables say that they stand, some of them many times a second: looked at no oftener than there is
time for, shown, and kept to be written down."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from firmware.hub.live import Live
from firmware.hub.messages import BadMessage, State
from firmware.hub.rations import PIECE

SHOWN = 0.1
"""Seconds until the next state of a table is looked at, for each PIECE of the last one."""


class TableStates:
    """The newest state of each table. ``refuse`` hears of one that cannot be read. For the event loop."""

    def __init__(self, live: Live, refuse: Callable[[str, BadMessage], None]) -> None:
        self._live, self._refuse = live, refuse
        self._next: dict[str, bytes] = {}
        """What each table that told a state just now has told since; empty where that is nothing."""
        self.unsaved: dict[str, str] = {}
        """What is not written down yet."""

    def take(self, name: str, payload: bytes) -> None:
        """Looks at a state now, and at the newest of those that come too soon after it. Raises BadMessage."""
        if name in self._next:
            self._next[name] = payload
            return
        self._next[name] = b""
        wait = SHOWN * (1 + len(payload) // PIECE)
        asyncio.get_running_loop().call_later(wait, self._look_again, name)
        state = State.read(payload)
        self.show(name, state)
        self.unsaved[name] = state.text()

    def show(self, name: str, state: State) -> None:
        """The table stands so."""
        made = time.monotonic() - state.age
        self._live.change(name, match=state.match, entry=state.entry, shows=state.shows, made=made)

    def _look_again(self, name: str) -> None:
        payload = self._next.pop(name)
        if payload and self._live.table(name) is not None:
            try:
                self.take(name, payload)
            except BadMessage as error:
                self._refuse(name, error)
