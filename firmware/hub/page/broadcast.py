"""How the tables and tournaments stand, as server-sent events that are made once and shared by all who look.

One task follows the hub. Whatever has changed within :data:`PAUSE` becomes one piece of bytes, and every
spectator is handed the same piece. Who comes, or has fallen behind by more than :data:`KEPT` pieces, gets the
whole, which is made at most once for each piece.

The tables come first: pieces are handed out to :data:`SLICE` spectators at a time, between which the hub does
what else there is to do, and the next piece waits :data:`REST` times as long as that took. So ten thousand
spectators get their news a little later instead of taking the hub's whole time.

Browsers take the stream packed, a tenth of its size. Each piece is packed alone and refers to nothing before
it, so that it fits into anybody's stream.

A table is told with only what a wall shows (:func:`table_json`); clocks run on in the browser from ``age``.
"""

from __future__ import annotations

import asyncio
import json
import time
import zlib
from collections import deque
from collections.abc import AsyncGenerator, Iterable, Mapping
from functools import cached_property
from typing import Any

from firmware.hub.hub import Hub
from firmware.hub.live import TableNow
from firmware.hub.office.desk import Desk
from firmware.page.stream import HERE

PAUSE = 0.5
"""Seconds between two pieces."""
KEPT = 20
"""Pieces that are kept for those who read slowly."""
SLICE = 200
"""Spectators who are handed a piece at once."""
REST = 2.0
"""How often the time that handing out took, until the next piece."""

GZIP = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"
"""How a packed stream begins (RFC 1952): without a name, a time and a system."""

SHOWN = (
    "phase", "sides", "players", "state", "waits", "due", "turn", "dice", "cells", "cube", "labels", "counts",
    "ghosts", "touched", "match", "score", "pips", "clock", "judgement", "title",
)  # fmt: skip
"""What of a table's state is shown."""


def table_json(table: TableNow) -> dict[str, Any]:
    """A table as everybody may see it."""
    given = table.assignment
    return {
        "name": table.name,
        "here": table.joined,
        "online": table.online,
        "age": round(table.age(), 1),
        "call": None if table.call is None else table.call.why,
        "troubles": [*table.troubles, *([table.conflict] if table.conflict else [])],
        "given": {"players": given.players, "place": given.place, "competition": given.competition}
        if given is not None and given.id
        else None,
        "shows": {name: table.shows[name] for name in SHOWN if name in table.shows},
    }


class Piece:
    """A part of the stream, as it is and packed."""

    def __init__(self, plain: bytes) -> None:
        self.plain = plain

    @cached_property
    def packed(self) -> bytes:
        """Ends at a whole byte, and the next one needs to know nothing of it."""
        packer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
        return packer.compress(self.plain) + packer.flush(zlib.Z_FULL_FLUSH)


ALIVE = Piece(HERE.encode())


class Broadcast:
    """One hub's news for any number of spectators. :meth:`run` it in the hub's event loop."""

    def __init__(self, hub: Hub, desk: Desk, version: str) -> None:
        """``version`` is that of the pages' files: a page of an older one loads itself again."""
        self._hub = hub
        self._desk = desk
        self._version = version
        self._pieces: deque[Piece] = deque(maxlen=KEPT)
        self._number = 0
        self._whole: tuple[int, Piece] | None = None
        self._changed: dict[int, int] = {}
        self._waiting: list[asyncio.Future[None]] = []
        self._waking: set[asyncio.Task[None]] = set()
        self._followers = 0
        self._open = True
        desk.listeners.append(lambda kept: self._note(kept.id, len(kept.trail)))

    @property
    def followers(self) -> int:
        """How many look on."""
        return self._followers

    def _note(self, tournament: int, number: int) -> None:
        self._changed[tournament] = number  # a director must not wait for a table to stir; there may be none
        self._publish(())
        task = asyncio.get_running_loop().create_task(self._hand_out())
        self._waking.add(task)
        task.add_done_callback(self._waking.discard)

    async def run(self) -> None:
        """Until the hub closes, or it is cancelled."""
        async for tables in self._hub.live.follow(PAUSE):
            begun = time.monotonic()
            if tables:
                self._publish(tables)
            await self._hand_out()  # without news, a sign of life
            await asyncio.sleep(REST * (time.monotonic() - begun))
        self.close()

    def close(self) -> None:
        """Ends every stream."""
        self._open = False
        self._wake(self._waiting)

    def _publish(self, tables: Iterable[TableNow]) -> None:
        changed, self._changed = self._changed, {}
        self._pieces.append(_piece([table_json(each) for each in tables], changed))
        self._number += 1

    async def _hand_out(self) -> None:
        waiting, self._waiting = self._waiting, []
        for begin in range(0, len(waiting), SLICE):
            self._wake(waiting[begin : begin + SLICE])
            await asyncio.sleep(0)

    @staticmethod
    def _wake(waiting: Iterable[asyncio.Future[None]]) -> None:
        for each in waiting:
            if not each.done():
                each.set_result(None)

    def whole(self) -> Piece:
        """Everything as it stands, for whoever comes."""
        if self._whole is None or self._whole[0] != self._number:
            every = {each.id: len(each.trail) for each in self._desk.tournaments()}
            tables = [table_json(each) for each in self._hub.live.tables()]
            head = f"retry: 2000\nevent: version\ndata: {self._version}\n\n"
            self._whole = (self._number, _piece(tables, every, head))
        return self._whole[1]

    async def follow(self, packed: bool = False) -> AsyncGenerator[bytes, None]:
        """The stream of one spectator, ``packed`` by gzip or as it is."""
        self._followers += 1
        try:
            seen, pieces, head = self._number, [self.whole()], GZIP if packed else b""
            while self._open:
                yield head + b"".join(each.packed if packed else each.plain for each in pieces)
                head = b""
                if seen == self._number:
                    woken = asyncio.get_running_loop().create_future()
                    self._waiting.append(woken)
                    await woken
                pieces, seen = self._since(seen), self._number
        finally:
            self._followers -= 1

    def _since(self, seen: int) -> list[Piece]:
        """What somebody lacks who has seen so many pieces."""
        behind = self._number - seen
        if not behind:
            return [ALIVE]
        return [self.whole()] if behind > len(self._pieces) else list(self._pieces)[-behind:]


def _piece(tables: list[dict[str, Any]], tournaments: Mapping[int, int], head: str = "") -> Piece:
    """``head`` is of one that tells everything."""
    whole = bool(head)
    made: list[tuple[str, object]] = []
    if tables or whole:
        made.append(("all" if whole else "tables", tables))
    if tournaments or whole:
        made.append(("tournaments", dict(tournaments)))
    events = (
        f"event: {name}\ndata: {json.dumps(data, separators=(',', ':'), allow_nan=False)}\n\n"
        for name, data in made
    )
    return Piece("".join([head, *events]).encode())
