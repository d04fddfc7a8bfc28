"""A club that is not there: simulated tables that play real games with a real hub.

Each table plays at random through the engine's session, keeps a journal with the same chain as a real one (in
memory), and talks to the hub by :class:`firmware.hub.table_talk.TableTalk`, as a real table does. At the end
every table's chain is compared with what the hub has: where the last digests agree, all entries do.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from engine.events import Begin, Button, Choose, Event, Next, Press, Roll
from engine.match import Terms
from engine.match_state import State
from engine.session import Session
from firmware.hub.membership import Membership
from firmware.hub.messages import Assignment, Line, Status
from firmware.hub.messages import State as Shown
from firmware.hub.outbox import fitting
from firmware.hub.table_link import LEAN, assigned_match
from firmware.hub.table_talk import TableTalk
from firmware.page.state import for_spectators, page_state
from firmware.record.chain import START, Entry, Head, canonical, link
from firmware.state import new_log
from firmware.utc import utc_now

LENGTH = 3
"""Points of a simulated match."""
NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gül", "Hugo", "Ida", "Jan", "Kim", "Lea")


class RandomPlayer:
    """Plays match after match at random: the next event of whatever session is at the table."""

    def __init__(self, source: random.Random, length: int = LENGTH) -> None:
        self._random, self._length = source, length

    def begin(self, t: float) -> Begin:
        """A new match."""
        white, black = self._random.sample(NAMES, 2)
        players = {"white": white, "black": black}
        return Begin(t=t, rules="backgammon", players=players, terms=Terms(length=self._length))

    def next(self, session: Session, t: float) -> Event | None:
        """What happens next; None where the match has ended."""
        table = session.table
        if table is None or session.state is State.ENDED:
            return None
        match session.state:
            case State.OPENING | State.ROLL:
                side = session.due or self._random.choice(table.rules.sides)
                return Press(t=t, button=Button.ROLL, side=side)
            case State.ROLLING:
                dice = tuple(self._random.randint(1, 6) for _ in range(table.position.dice_due))
                return Roll(t=t, dice=dice, side=table.position.turn)
            case State.ASKED:
                return Choose(t=t, play=self._random.choice(table.position.plays()).text)
            case State.OVER:
                return Next(t=t)
            case _:
                return Press(t=t, button=Button.DONE, side=session.due)


@dataclass
class MemoryOutbox:
    """A journal that is kept nowhere, as :class:`firmware.hub.outbox.Outbox`."""

    matches: dict[str, list[Entry]] = field(default_factory=dict)

    def append(self, match: str, at: str, event: Event) -> Entry:
        """The next entry of a match."""
        kept = self.matches.setdefault(match, [])
        head = self.head(match)
        body = event.to_json()
        digest = link(head.digest, match, head.number + 1, at, canonical(body))
        kept.append(Entry(match, head.number + 1, at, body, digest))
        return kept[-1]

    def head(self, match: str) -> Head:
        """Where a match ends."""
        kept = self.matches.get(match)
        return Head(kept[-1].number, kept[-1].digest) if kept else START

    async def heads(self) -> dict[str, Head]:
        """As :class:`firmware.hub.outbox.Outbox`."""
        return {match: self.head(match) for match in self.matches}

    async def after(self, match: str, head: Head) -> tuple[bool, Sequence[Line]]:
        """As :class:`firmware.hub.outbox.Outbox`."""
        return fitting(self.matches.get(match, [])[max(0, head.number) :], head)


class SimulatedTable:
    """One table: it plays an event every ``every`` seconds, at random around that."""

    def __init__(
        self, membership: Membership, every: float, seed: int, wrote: Callable[[str, str, int], None]
    ) -> None:
        """``wrote`` hears of each entry: the table, the match, its number."""
        self.name = membership.table
        self.outbox = MemoryOutbox()
        self._random = random.Random(seed)
        self._player = RandomPlayer(self._random)
        self._session = Session()
        self._match = ""
        self._every, self._wrote = every, wrote
        self._given: Assignment | None = None
        self._begun_ids: set[str] = {""}
        self._begun = time.monotonic()
        self.talk = TableTalk(
            membership,
            self.outbox,
            self._shows,
            status=lambda: Status(online=True, at=utc_now(), program="simulated"),
            assigned=self._take_assignment,
        )

    async def run(self, playing: asyncio.Event) -> None:
        """Connects, and plays while ``playing`` is set."""
        talking = asyncio.create_task(self.talk.run())
        try:
            await playing.wait()
            await asyncio.sleep(self._random.uniform(0, self._every))
            while playing.is_set():
                self.play()
                if self._session.state is State.ASKED:
                    self.play()  # a camera would have said which play it was
                await asyncio.sleep(self._random.uniform(0.5, 1.5) * self._every)
            await asyncio.Event().wait()
        finally:
            talking.cancel()
            with suppress(asyncio.CancelledError):
                await talking

    def play(self) -> None:
        """The next event; it is in the journal before anybody is told."""
        t = time.monotonic() - self._begun
        event = self._player.next(self._session, t) if self._match and self._given is None else None
        if event is None:
            self._session, self._match, event = Session(), new_log(), self._next_match(t)
        self._session, _ = self._session.handle(event)
        entry = self.outbox.append(self._match, utc_now(), event)
        self._wrote(self.name, self._match, entry.number)
        self.talk.wake(self._match)

    def _take_assignment(self, assignment: Assignment) -> None:
        """The director's matches come before those that it plays for itself."""
        if assignment.id not in self._begun_ids:
            self._given = assignment

    def _next_match(self, t: float) -> Begin:
        given, self._given = self._given, None
        if given is None:
            return self._player.begin(t)
        self._begun_ids.add(given.id)
        return assigned_match(self._player.begin(t), given)

    def _shows(self) -> Shown | None:
        if not self._match:
            return None
        state = for_spectators(page_state(self._session, time.monotonic() - self._begun, [], strip=False))
        return Shown(
            match=self._match, shows={name: each for name, each in state.items() if name not in LEAN}
        )


@dataclass
class Waits:
    """How long entries took to the wall."""

    written: dict[tuple[str, str], list[tuple[int, float]]] = field(default_factory=dict)
    took: list[float] = field(default_factory=list)
    sent: int = 0

    def wrote(self, table: str, match: str, number: int) -> None:
        """An entry is in the journal now."""
        self.sent += 1
        self.written.setdefault((table, match), []).append((number, time.monotonic()))

    def shown(self, table: str, match: str, entry: int) -> None:
        """The wall shows a match up to this entry now."""
        waiting = self.written.get((table, match))
        while waiting and waiting[0][0] <= entry:
            self.took.append(time.monotonic() - waiting.pop(0)[1])

    def told(self) -> str:
        """How far it is, in words."""
        slowest = self.slowest()
        shown = f", 95 of 100 on the wall within {slowest:.2f} s" if slowest is not None else ""
        return f"{self.sent} events{shown}"

    def slowest(self) -> float | None:
        """Seconds within which 95 of 100 entries were on the wall; None where none was."""
        every = sorted(self.took)
        return round(every[int(0.95 * len(every))], 3) if every else None


@dataclass(frozen=True)
class Compared:
    """What the hub has of what the tables wrote."""

    kept: int
    lost: int
    doubled: int


def compare(
    tables: Sequence[SimulatedTable], heads: dict[str, dict[str, tuple[int, str]]], counted: int
) -> Compared:
    """Compares the tables' chains with the hub's: ``heads`` by table and match, and how many entries it has
    of them, ``counted``. A chain that ends otherwise than the table's counts as lost from its beginning."""
    kept = 0
    written = 0
    chained = 0
    for table in tables:
        theirs = heads.get(table.name, {})
        for match, entries in table.outbox.matches.items():
            written += len(entries)
            number, digest = theirs.get(match, (-1, ""))
            chained += number + 1
            if 0 <= number < len(entries) and entries[number].digest.hex() == digest:
                kept += number + 1
    return Compared(kept, written - kept, counted - chained)


class Page:
    """The hub's page, asked as a browser asks it."""

    def __init__(self, host: str, port: int) -> None:
        self._host, self.port = host, port
        self.address = f"http://{host}:{port}"

    async def lines(self, path: str) -> AsyncIterator[bytes]:
        """The lines of an answer, until it ends. Raises OSError."""
        reader, writer = await asyncio.open_connection(self._host, self.port, limit=1 << 26)
        try:
            writer.write(f"GET {path} HTTP/1.0\r\nHost: {self._host}\r\n\r\n".encode())
            await writer.drain()
            status = await reader.readline()
            if b" 200 " not in status:
                raise OSError(f"the hub's page answers {status.decode(errors='replace').strip()!r}")
            while (await reader.readline()).strip():
                pass
            while line := await reader.readline():
                yield line
        finally:
            writer.close()

    async def get(self, path: str) -> object:
        """A whole answer. Raises OSError, ValueError."""
        return json.loads(b"".join([line async for line in self.lines(path)]))

    async def follow(self, waits: Waits) -> None:
        """Looks at the wall until it is cancelled."""
        while True:
            with suppress(OSError, ValueError):
                async for line in self.lines("/api/live"):
                    if line.startswith(b"data: "):
                        for table in json.loads(line[6:]):
                            waits.shown(table["name"], table["match"], table["entry"])
            await asyncio.sleep(0.2)
