"""The table's link to its hub: a watcher of the daemon, which never waits for it.

What happens at the table only sets a flag here. The journal is read by a connection and a thread of its own,
and what the table shows is the text that was made for its own page. Without a hub the table is the same
table.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib import metadata
from itertools import cycle
from pathlib import Path

from engine import rules
from engine.clock import NOW, Control
from engine.errors import EngineError
from engine.events import Begin, Event
from engine.position import Rules
from firmware.files import replace_file
from firmware.hub.broker_place import BrokerPlace
from firmware.hub.discovery import Finder
from firmware.hub.link import quiet_loop
from firmware.hub.membership import Membership, read_where
from firmware.hub.messages import Assignment, Call, State, Status
from firmware.hub.outbox import JournalOutbox
from firmware.hub.table_talk import TableTalk
from firmware.table.change import MatchChange, under_way
from firmware.table.news import News
from firmware.table.watcher import TableWatcher, WatchedTable
from firmware.utc import utc_now

LEAN = ("moves", "story", "leds", "strip", "proof", "actions", "candidates")
"""What a hub's wall does not need of a table's page: it has the journal."""
BEGUN = "hub-begun"
"""The file that names the last assignment that was begun."""
AWAY = 10.0
"""Seconds between two looks for a hub that cannot be reached, and how long each takes."""
LOOK = 1.0
"""Seconds between two looks whether a match that was given can begin."""
AGAIN = 5.0
"""Seconds until one is tried again that the table would not take now: for its disk, or for one of those who
follow it."""


class TableLink(TableWatcher):
    """Tells the hub what happens, and begins the matches that the director gives.

    ``shows`` is the page's newest state for spectators as JSON, ``begin`` the configured match at a time,
    ``change`` brings another match to the table.
    """

    def __init__(
        self,
        membership: Membership,
        address: str,
        state: Path,
        journal: Path,
        shows: Callable[[], str],
        begin: Callable[[float], Begin],
    ) -> None:
        self.change: Callable[[MatchChange], Awaitable[str | None]] | None = None
        """Set by whoever makes the device, which is made after its watchers."""
        self._membership, self._state = membership, state
        self._shows, self._begin = shows, begin
        self._outbox = JournalOutbox(journal, membership.hidden)
        self._finder = Finder(membership.hub)
        self._turns = cycle((True, False))
        self._address = read_where(address) if address else None
        self.called = False
        """Whether the players call the director."""
        self.coming = ""
        """Who comes."""
        self._log = ""
        self._troubles: tuple[str, ...] = ()
        self._given: Assignment | None = None
        self._begun = ""
        with suppress(OSError, UnicodeDecodeError):
            self._begun = (state / BEGUN).read_text(encoding="utf-8").strip()

    def attach(self, table: WatchedTable) -> None:
        """As :class:`firmware.table.watcher.TableWatcher`."""
        self._table = table
        self._loop = asyncio.get_running_loop()
        self.talk = TableTalk(
            self._membership,
            self._outbox,
            self._make_state,
            place=self._place,
            status=self._make_status,
            tell=self._report,
            assigned=self._take_assignment,
            coming=self._note_coming,
        )

    def begin_match(self, log: str, game: Rules, events: Sequence[Event]) -> None:
        """Another match is at the table."""
        self._log = log
        self._wake()

    def __call__(self, news: News) -> None:
        """Something happened. In the referee's thread: it sets a flag."""
        if news.event is not None and news.refused is None:
            self._wake()

    def show_troubles(self, words: tuple[str, ...], news: News) -> None:
        """What the table tells its players."""
        self._troubles = words
        self._wake()

    def call_director(self, called: bool, why: str) -> None:
        """The players call the director, or say that nobody need come. In the event loop."""
        self.called, self.coming = called, ""
        self.talk.call(Call(called=called, why=why))

    def _note_coming(self, who: str) -> None:
        self.coming = who if self.called else ""

    async def run(self) -> None:
        """Talks to the hub, and begins what was given, until it is cancelled."""
        quiet_loop()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self.talk.run())
            tasks.create_task(self._begin_given())
            tasks.create_task(self._look_for_hub())

    def close(self) -> None:
        """Ends the thread that reads the journal."""
        self._outbox.close()

    async def _look_for_hub(self) -> None:
        """While the hub cannot be reached where it was: it may have another address this evening."""
        while True:
            await asyncio.sleep(AWAY)
            if not self.talk.connected and self._address is None:
                await self._finder.look(AWAY)

    def _wake(self) -> None:
        with suppress(RuntimeError):  # the loop is closed: the program has ended
            self._loop.call_soon_threadsafe(self.talk.wake, self._log)

    def _place(self) -> BrokerPlace:
        """Where the configuration says that the broker is; else in turns where it was, and where it is
        announced, which anybody in the network may do."""
        found = next(self._turns) and self._finder.found
        host, port = self._address or found or ("", 0)
        return self._membership.place(host, port)

    def _report(self, what: str, words: str) -> None:
        self._table.report_trouble(what, words)

    # -- what is told

    def _make_state(self) -> State | None:
        try:
            shown = json.loads(self._shows())
        except ValueError:
            return None
        age = shown.pop("age", 0.0)
        lean = {name: value for name, value in shown.items() if name not in LEAN}
        return State(match=self._log, age=float(age), shows=lean)

    def _make_status(self) -> Status:
        own = tuple(words[:500] for words in self._troubles if not words.startswith("the hub "))[:20]
        return Status(online=True, at=utc_now(), program=_version(), troubles=own)

    # -- what is given

    def _take_assignment(self, assignment: Assignment) -> None:
        self._given = assignment if assignment.id not in ("", self._begun) else None
        if self._given is None:
            self._report("assignment", "")

    async def _begin_given(self) -> None:
        while True:
            await asyncio.sleep(LOOK)
            given = self._given
            if given is None or self.change is None or under_way(self._table.session):
                continue
            words = await self._begin_now(given, self.change)
            self._report("assignment", words and f"the match that the director gave cannot begin: {words}")
            if words:
                await asyncio.sleep(AGAIN)

    def _forget(self, given: Assignment) -> None:
        """Nothing is left to do about it; another one may have come meanwhile."""
        if self._given == given:
            self._given = None

    async def _begin_now(
        self, given: Assignment, change: Callable[[MatchChange], Awaitable[str | None]]
    ) -> str:
        """Begins it; why it cannot begin, "" where it has. One that makes no sense is forgotten; one that the
        table refuses now is tried again."""
        try:
            wanted = assigned_match(self._begin(self._table.now()), given)
        except (EngineError, ValueError, TypeError) as error:
            self._forget(given)
            return str(error)
        table = self._table.session.table
        if table is None or replace(table.begin, t=wanted.t) != wanted:  # begun before the power went
            refused = await change(MatchChange(wanted))
            if refused is not None:
                return refused
        self._begun = given.id
        self._forget(given)
        try:
            await asyncio.to_thread(replace_file, self._state / BEGUN, given.id + "\n")
        except OSError as error:
            return f"it began, but {self._state / BEGUN} cannot be written: {error.strerror or error}"
        return ""


def assigned_match(usual: Begin, given: Assignment) -> Begin:
    """The match that the director gave: everything else as the table is configured. Raises EngineError or
    ValueError where it makes no sense."""
    game = rules.get(given.rules)
    names = {side: name for side, name in zip(game.sides, given.players, strict=False) if name}
    terms = usual.terms
    if given.length:  # what is for money play alone
        terms = replace(terms, jacoby=False, beavers=0, automatic=0)
    return replace(
        usual,
        rules=given.rules,
        options=usual.options if usual.rules == given.rules else {},
        players=names,
        terms=replace(terms, length=given.length, score=given.score, crawford_over=False),
        clock=usual.clock if given.clock is None else Control.from_json({**NOW, **given.clock}),
        competition=given.competition,
        place=given.place,
    )


def _version() -> str:
    try:
        return metadata.version("barpoint")
    except metadata.PackageNotFoundError:
        return ""
