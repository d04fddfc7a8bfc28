"""The running hub: from the broker to the database, and from there to whoever looks.

    broker ─> _converse ─┬─> entries, hellos ─> one database thread ─> kept ─> broker
                         └─> states, calls, last wills ─> :class:`firmware.hub.live.Live` ─> pages

An entry is confirmed to its table when it is on the disk, and not before; what could not be written is not
confirmed, and comes again. The pages use a hub so::

    hub.event                              # the event's name
    hub.live.tables(), hub.live.follow()   # how the tables stand, now and from now on
    hub.store                              # the database; await hub.in_store(function, ...) in the event loop
    await hub.assign("Table 3", Assignment(id=..., players=("Ada", "Ben"), length=7))
    hub.kept_listeners.append(function)    # called with (table, match, last number) when entries were kept
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, ParamSpec, TypeVar

import aiomqtt

from firmware.hub.admission import Access, Admission
from firmware.hub.broker_place import BrokerPlace
from firmware.hub.ledger import Ledger, Outcome
from firmware.hub.link import connect, present
from firmware.hub.live import Live
from firmware.hub.messages import (
    FROM_TABLES,
    HUB,
    JOINING,
    Assignment,
    BadMessage,
    Call,
    Coming,
    Entries,
    Hello,
    HubStatus,
    Join,
    Joined,
    Kept,
    Message,
    State,
    Status,
    Word,
    read_topic,
    topic,
)
from firmware.hub.rations import Conflicts, Rations, Waiting
from firmware.hub.store import Board, Store, StoreError
from firmware.hub.table_states import TableStates
from firmware.hub.two_hubs import TwoHubs, check_alone
from firmware.parts import Parts
from firmware.troubles import Troubles
from firmware.utc import utc_now

P = ParamSpec("P")
T = TypeVar("T")

AGAIN = 1.0
"""Seconds until what has failed is tried again."""
STARTING = 5.0
"""Seconds that a broker may take that starts together with the hub."""
SAVED = 5.0
"""Seconds between two times that the tables' states are written down, and that new tables are looked for."""
LOOK = 2.0
"""Seconds between two looks for tables that were added or removed."""


class Hub:
    """One event's hub. :meth:`run` it in the event loop that made it; :meth:`close` it afterwards."""

    def __init__(
        self,
        store: Store,
        event: str,
        place: BrokerPlace,
        say: Callable[[str], None],
        access: Access | None = None,
    ) -> None:
        """``say`` takes a line for the log. ``access`` keeps the broker's accounts, None where others do."""
        self.store, self.event, self.live = store, event, Live()
        self.id = store.fact("hub") or ""
        self.run_id = secrets.token_hex(8)
        self.kept_listeners: list[Callable[[str, str, int], None]] = []
        self.connected = asyncio.Event()
        """Set while the hub is at the broker."""
        self.received = self.kept = 0
        """Messages that came, and entries that were written, since the start."""
        self._place, self._say = place, say
        self._client: aiomqtt.Client | None = None
        self._troubles = Troubles(say)
        self._parts = Parts(self._troubles.set, TwoHubs)
        self._admission = Admission(access, self.live, self._troubles)
        self._ledger = Ledger(store)
        self._conflicts = Conflicts(say)
        self._rations = Rations()
        self._waiting = Waiting()
        self._posted = asyncio.Event()
        self._states = TableStates(self.live, self._refuse)
        self._begun = time.monotonic()
        self._database = ThreadPoolExecutor(1, thread_name_prefix="store")

    @property
    def troubles(self) -> tuple[str, ...]:
        """What is wrong with the hub itself, in words."""
        return self._troubles.words

    async def in_store(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Runs ``function`` in the database's thread. Raises what it raises: StoreError, BadInput."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._database, lambda: function(*args, **kwargs))

    async def run(self) -> None:
        """Until it is cancelled. Raises TwoHubs."""
        await self._load()
        works = (self._converse, self._keep, self._save_states, self._look_for_boards)
        async with asyncio.TaskGroup() as tasks:
            for work in works:
                tasks.create_task(self.keep_going(work.__name__.strip("_"), work))

    def close(self) -> None:
        """Ends the database's thread, and all who follow."""
        self.live.close()
        self._database.shutdown()

    async def assign(self, table: str, assignment: Assignment) -> None:
        """Gives a match to a table: it begins there as soon as none is being played. Kept, and told again to
        a table that was away. Raises StoreError, KeyError where there is no such table."""
        board = self._admission.boards[table]
        await self.in_store(self.store.keep_assignment, board.id, assignment.text())
        self.live.change(table, assignment=assignment)
        with suppress(aiomqtt.MqttError):  # said again at the next connection
            await self._publish(table, Word.ASSIGN, assignment, retain=True)

    async def come(self, table: str, who: str) -> None:
        """Tells a table that calls who comes; "" nobody. Kept, and told again to a table that was away."""
        self.live.change(table, coming=who)
        if table in self._admission.boards:
            with suppress(StoreError):  # no reason to let the players wait
                await self.in_store(self.store.keep_coming, self._admission.boards[table].id, who)
        await self._tell_coming(table, who)

    async def _tell_coming(self, table: str, who: str) -> None:
        with suppress(aiomqtt.MqttError):  # said again at the next connection
            await self._publish(table, Word.COMING, Coming(who=who), retain=True)

    async def publish(self, address: str, text: str) -> None:
        """Leaves a text with the broker under any address, "" to take it away. Raises aiomqtt.MqttError."""
        if self._client is not None:
            await self._client.publish(address, text, qos=1, retain=True)

    # -- keeping going

    async def keep_going(self, name: str, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Runs a part of the hub; where it fails, that is told and it starts again. Raises TwoHubs."""
        await self._parts.keep_going(name, work)

    # -- tables

    async def _load(self) -> None:
        """What was known when the hub ended."""
        await self._refresh_boards()
        names = {board.id: board.name for board in self._admission.boards.values()}

        async def known(ask: Callable[[], dict[int, str]]) -> list[tuple[str, str]]:
            found = await self.in_store(ask)
            return [(names[board], text) for board, text in found.items() if board in names]

        for name, text in await known(self.store.last_states):
            with suppress(BadMessage):
                self._states.show(name, State.read(text))
        for name, text in await known(self.store.assignments):
            with suppress(BadMessage):
                self.live.change(name, assignment=Assignment.read(text))
        for name, who in await known(self.store.comings):
            self.live.change(name, coming=who)

    async def _refresh_boards(self) -> None:
        self._admission.renew(await self.in_store(self.store.boards, self.event))

    async def _look_for_boards(self) -> None:
        """Tables that a command has added or removed come and go within seconds."""
        while True:
            await asyncio.sleep(LOOK)
            try:
                await self._refresh_boards()
                await self._admission.agree()
                await self._admission.end_bars()
            except StoreError as error:
                self._troubles.set("tables", f"cannot look for new tables: {error}")
            else:
                self._troubles.set("tables", "")

    # -- the broker

    async def _converse(self) -> None:
        while True:
            gone = HubStatus(online=False, hub=self.id, run=self.run_id).text()
            will = aiomqtt.Will(topic(self.event, HUB, Word.STATUS), gone, qos=1, retain=True)
            try:
                async with connect(self._place, f"barpoint-hub-{self.id}", will) as client:
                    await check_alone(client, self.event, self.id, self._place)
                    async with present(client, will):
                        await self._attend(client)
            except aiomqtt.MqttError as error:
                if time.monotonic() - self._begun > STARTING:
                    self._troubles.set("broker", f"the broker at {self._place} cannot be reached: {error}")
            finally:
                self.connected.clear()
                self._client = None
                self._admission.disconnect()
                for table in self.live.tables():
                    if table.online:
                        self.live.change(table.name, online=False)
            await asyncio.sleep(AGAIN if self._troubles.words else 0.2)

    async def _attend(self, client: aiomqtt.Client) -> None:
        self._client = client
        for word in FROM_TABLES:
            await client.subscribe(topic(self.event, "+", word), qos=1)
        await client.subscribe(topic(JOINING, "+", Word.JOIN), qos=1)
        here = HubStatus(online=True, hub=self.id, run=self.run_id, at=utc_now())
        await client.publish(topic(self.event, HUB, Word.STATUS), here.text(), qos=1, retain=True)
        self.connected.set()
        self._troubles.set("broker", "")
        await self._admission.connect(client)
        for table in self.live.tables():
            if table.assignment is not None:
                await self._publish(table.name, Word.ASSIGN, table.assignment, retain=True)
            if table.coming:
                await self._tell_coming(table.name, table.coming)
        async for message in client.messages:
            self.received += 1
            await self._receive(str(message.topic), bytes(message.payload or b""), not message.retain)

    async def _publish(self, table: str, word: Word, message: Message, retain: bool = False) -> None:
        if self._client is not None:
            address = topic(self.event, table, word)
            await self._client.publish(address, message.text(), qos=1 if retain else 0, retain=retain)

    async def _receive(self, address: str, payload: bytes, fresh: bool = True) -> None:
        """A message that comes now, or (not ``fresh``) that was left with the broker."""
        try:
            name, word = read_topic(address)
            if word is Word.JOIN:
                await self._let_join(name, Join.read(payload))
                return
            if not self._admission.expects(name):
                return  # something of it was left with the broker
            if self._rations.floods(name, payload):
                await self._admission.bar(name)
            match word:
                case Word.STATE:
                    self._states.take(name, payload)
                case Word.ENTRIES | Word.HELLO if self._rations.is_too_much(name, payload):
                    pass  # it is asked for, and comes again
                case Word.ENTRIES:
                    self._post(name, Entries.read(payload))
                case Word.HELLO:
                    self._post(name, Hello.read(payload))
                case Word.STATUS:
                    self._note_status(name, Status.read(payload), fresh)
                case Word.CALL:
                    await self._note_call(name, Call.read(payload))
        except BadMessage as error:
            self._refuse(name, error)

    def _refuse(self, name: str, error: BadMessage) -> None:
        self._conflict(name, "message", f"what it sends cannot be read: {error}")

    def _post(self, name: str, message: Hello | Entries) -> None:
        self._waiting.add(name, message)
        self._posted.set()

    async def _note_call(self, name: str, call: Call) -> None:
        self.live.change(name, call=call if call.called else None)
        table = self.live.table(name)
        if table is not None and table.coming and not call.called:
            await self.come(name, "")

    def _note_status(self, name: str, status: Status, fresh: bool) -> None:
        told: dict[str, object] = {"online": status.online}
        if status.online:
            told |= {"program": status.program, "troubles": status.troubles}
            self._admission.note_run(name, status.run)
        if status.online and fresh:
            told["skew"] = status.ahead()
        self.live.change(name, **told)

    async def _let_join(self, account: str, wish: Join) -> None:
        def note(board: Board, proof: str) -> Coroutine[Any, Any, Board | None]:
            return self.in_store(self.store.note_joined, board, proof)

        joined = await self._admission.let_join(account, wish, note)
        if joined is not None and self._client is not None:
            table, name = joined
            answer = Joined(account=name, event=self.event, table=table, hub=self.id)
            await self._client.publish(topic(JOINING, account, Word.JOINED), answer.text(), qos=1)
            self._say(f"table {table} has joined")

    # -- entries

    async def _keep(self) -> None:
        """Writes what came, as much at once as there is, and confirms it."""
        while True:
            await self._posted.wait()
            posts = self._waiting.take()
            if not self._waiting:
                self._posted.clear()
            known = {
                name: self._admission.boards[name].id for name, _ in posts if name in self._admission.boards
            }
            try:
                outcome = await self.in_store(self._ledger.put, posts, known)
            except StoreError as error:
                words = f"the database cannot be written: {error}; nothing is lost, the tables send it again"
                self._troubles.set("database", words)
                self._ledger.forget()
                await asyncio.sleep(AGAIN)
                continue
            self._troubles.set("database", "")
            self.kept += outcome.count
            await self._confirm(outcome)

    async def _confirm(self, outcome: Outcome) -> None:
        for (name, match), words in outcome.wrong.items():
            self._conflict(name, match, words)
        for name, heads in outcome.heads.items():
            for some in Kept.of(heads):
                with suppress(aiomqtt.MqttError):  # asked for again
                    await self._publish(name, Word.KEPT, some)
        for (name, match), number in outcome.new.items():
            for listener in self.kept_listeners:
                listener(name, match, number)

    def _conflict(self, name: str, match: str, words: str) -> None:
        if self._conflicts.set(name, match, words) and name in self._admission.boards:
            self.live.change(name, conflict="; ".join(self._conflicts.words(name))[:1000])

    # -- states

    async def _save_states(self) -> None:
        while True:
            await asyncio.sleep(SAVED)
            unsaved, self._states.unsaved = self._states.unsaved, {}
            newest = [
                (self._admission.boards[name].id, text)
                for name, text in unsaved.items()
                if name in self._admission.boards
            ]
            try:
                await self.in_store(self.store.keep_states, newest)
            except StoreError:
                self._states.unsaved = unsaved | self._states.unsaved  # the entries' trouble says why
