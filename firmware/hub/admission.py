"""Which tables may come to the hub: those that were added, those that have just taken their code, and for a
while not those that flood it. What the broker's accounts are follows from that.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from typing import Protocol

import aiomqtt

from firmware.hub.live import Live
from firmware.hub.messages import Join
from firmware.hub.rations import MOST_MESSAGES
from firmware.hub.store import Board
from firmware.troubles import Troubles

BARRED = 300.0
"""Seconds until a table that has flooded the hub may come again."""
COPIED = 60.0
"""Seconds for which it is told that two devices have one key."""
MOST_RUNS = 8
"""Starts of a table's program that are remembered."""


class Access(Protocol):
    """Who keeps the broker's accounts."""

    async def agree(self, client: aiomqtt.Client, boards: Sequence[Board], remove: bool = True) -> None:
        """Makes the broker's accounts those of these boards; without ``remove`` none ends."""

    async def bar(self, client: aiomqtt.Client, board: Board, barred: bool) -> None:
        """Ends the connection of a table and lets it in no more, or lets it in again."""

    def proof(self, board: int, key: str) -> str:
        """What is written down of a table's key."""

    def joining(self, board: Board) -> str:
        """The account by which a table takes its code."""

    def account(self, board: Board) -> str:
        """The account of a table that has joined."""


class Admission:
    """The tables of one event. ``access`` keeps the broker's accounts, None where others do."""

    def __init__(self, access: Access | None, live: Live, troubles: Troubles) -> None:
        self.boards: dict[str, Board] = {}
        """The event's tables, by name."""
        self._access, self._live, self._troubles = access, live, troubles
        self._client: aiomqtt.Client | None = None
        self._barred: dict[str, float] = {}
        """Tables that flooded the hub, and when they may come again."""
        self._runs: dict[str, list[str]] = {}
        """The last starts of each table's program that said that they are here, the newest last."""
        self._copied: dict[str, float] = {}
        """Tables whose key two devices have, and until when that is told."""
        self._agreeing = asyncio.Lock()

    def renew(self, boards: Iterable[Board]) -> None:
        """These are the tables now: those that were removed are among them."""
        self.boards = {each.name: each for each in boards if each.removed_at is None}
        for name, board in self.boards.items():
            known = self._live.table(name)
            if known is None or known.joined != (board.joined_at is not None):
                self._live.change(name, joined=board.joined_at is not None)
        for known in self._live.tables():
            if known.name not in self.boards:
                self._live.remove(known.name)

    async def connect(self, client: aiomqtt.Client) -> None:
        """The hub is at the broker."""
        self._client = client
        await self.agree()
        for name in list(self._barred):  # a broker that has begun anew lets everybody in
            await self.bar(name)

    def disconnect(self) -> None:
        """It is there no more."""
        self._client = None

    async def agree(self, remove: bool = True) -> None:
        """Makes the broker's accounts those of the tables; without ``remove`` none ends."""
        async with self._agreeing:  # two at once would each go by what the other has changed meanwhile
            if self._access is not None and self._client is not None:
                with suppress(aiomqtt.MqttError):  # tried again
                    await self._access.agree(self._client, list(self.boards.values()), remove)

    def expects(self, name: str) -> bool:
        """Whether a table of this name may come now."""
        return name in self.boards and name not in self._barred

    async def bar(self, name: str) -> None:
        """Ends the connection of a table that floods the hub, for a while."""
        if self._access is None:
            return
        words = (
            f"table {name} sent more than {MOST_MESSAGES} messages at once: a fault, or somebody has its"
            f" key; its connection is ended for {BARRED / 60:.0f} minutes."
            f" 'barpoint hub add-table --again {name!r}' gives it a new key"
        )
        self._barred.setdefault(name, time.monotonic() + BARRED)
        self._troubles.set(f"flood {name}", words, quietly=True)
        self._live.change(name, online=False)
        await self._tell_barred(name, True)

    async def unbar(self, name: str) -> None:
        """Lets a table come again, as soon as the broker hears it."""
        if await self._tell_barred(name, False):
            self._barred.pop(name, None)
            self._troubles.set(f"flood {name}", "", quietly=True)

    def note_run(self, name: str, run: str) -> None:
        """This start of a table's program is here. One that comes back after another one is another device:
        the broker lets only the newer in, and each puts the other out."""
        runs = self._runs.setdefault(name, [])
        if not run or runs[-1:] == [run]:
            return
        if run in runs:
            runs.remove(run)
            words = (
                f"two devices come with the key of table {name}, and each puts the other out: a copied card,"
                " or a stolen key. Give the copy a name of its own ('barpoint hub add-table'), or the"
                f" table a new key ('barpoint hub add-table --again {name!r}')"
            )
            self._copied[name] = time.monotonic() + COPIED
            self._troubles.set(f"key {name}", words)
        runs.append(run)
        del runs[:-MOST_RUNS]

    async def end_bars(self) -> None:
        """Lets those come again whose time is over, and tells no more what is over."""
        for name in [name for name, until in self._copied.items() if until < time.monotonic()]:
            del self._copied[name]
            self._troubles.set(f"key {name}", "", quietly=True)
        for name in [name for name, until in self._barred.items() if until < time.monotonic()]:
            await self.unbar(name)

    async def _tell_barred(self, name: str, barred: bool) -> bool:
        """Whether the broker knows it now."""
        if self._access is None or name not in self.boards:
            return True
        if self._client is None:
            return False
        try:
            await self._access.bar(self._client, self.boards[name], barred)
        except aiomqtt.MqttError:
            return False
        return True

    async def let_join(
        self, account: str, wish: Join, note: Callable[[Board, str], Awaitable[Board | None]]
    ) -> tuple[str, str] | None:
        """A table has taken its code: whoever says so has the code, the broker has seen to that. ``note``
        writes it down. The table's name and its new account, which is there already; None where no table
        waits for that, or the broker is gone."""
        if self._access is None:
            return None
        waiting = [each for each in self.boards.values() if each.joined_at is None]
        board = next((each for each in waiting if self._access.joining(each) == account), None)
        if board is None:
            return None
        joined = await note(board, self._access.proof(board.id, wish.key))
        if joined is None or self._client is None:
            return None
        self.boards[board.name] = joined
        self._live.change(board.name, joined=True)
        if board.name in self._barred:
            await self.unbar(board.name)
        await self.agree(remove=False)
        return board.name, self._access.account(joined)
