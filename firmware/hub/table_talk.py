"""A table's side of the conversation with the hub, whatever its journal is kept in.

Connected, it says that it is here and where its matches end. The hub answers what it has of each, and the
table sends what comes after, one message at a time for each match, until the hub has confirmed everything.
Where no answer comes, it says again where its matches end; where the connection breaks, it starts over. It
keeps nothing: whatever goes wrong, the next hello sets it right.
"""

from __future__ import annotations

import asyncio
import random
import secrets
import time
from collections.abc import Callable
from contextlib import suppress

import aiomqtt

from firmware.hub import messages
from firmware.hub.broker_place import BrokerPlace
from firmware.hub.link import connect, present
from firmware.hub.membership import Membership
from firmware.hub.messages import (
    HUB,
    Assignment,
    BadMessage,
    Call,
    Coming,
    Entries,
    Hello,
    HubStatus,
    Kept,
    Message,
    State,
    Status,
    Word,
    read_topic,
    topic,
)
from firmware.hub.outbox import Outbox
from firmware.record.chain import START, Head, JournalError

AGAIN = (0.5, 5.0)
"""Seconds until a broken connection is tried again: at random in between, so that a hundred tables do not
come at once."""
PATIENCE = 5.0
"""Seconds for which the hub may leave something unconfirmed before it is told again where the matches end."""
LONGEST = 60.0
"""The same, at most, where the hub goes on not confirming."""
NOT_AUTHORIZED = 0x87
"""What MQTT 5 says to a key that is not, or no longer, known."""
SHOWN = 0.2
"""Seconds between two states, at least: what changes meanwhile is told together."""


class TableTalk:
    """The conversation of one table. From the event loop only, but for :meth:`wake`."""

    def __init__(
        self,
        membership: Membership,
        outbox: Outbox,
        shows: Callable[[], State | None],
        *,
        place: Callable[[], BrokerPlace] | None = None,
        status: Callable[[], Status] = lambda: Status(online=True),
        tell: Callable[[str, str], None] = lambda what, words: None,
        assigned: Callable[[Assignment], None] = lambda assignment: None,
        coming: Callable[[str], None] = lambda who: None,
        again: tuple[float, float] = AGAIN,
    ) -> None:
        """``shows`` says how the table stands now; ``place``, asked at each attempt, where the broker is, if
        not where it was when the table joined.
        ``tell`` hears what is wrong with a part of the conversation, "" when it is right again; ``assigned``
        hears of matches that the director gives, ``coming`` of the director who comes after a call, "" of
        nobody."""
        self.event, self.table = membership.event, membership.table
        self.sent = 0
        """Entries that were sent, those included that were sent again."""
        self._place, self._outbox, self._shows, self._status = (
            place or membership.place,
            outbox,
            shows,
            status,
        )
        self._tell, self._assigned, self._coming, self._again = tell, assigned, coming, again
        self._run = secrets.token_hex(8)
        self._loop = asyncio.get_running_loop()
        self._client: aiomqtt.Client | None = None
        self._news = asyncio.Event()
        self._theirs: dict[str, Head] = {}
        """What the hub has, as far as it has said so in this connection."""
        self._open: dict[str, float] = {}
        """Matches that the hub may not have entirely, with the time when it was last sent something of it."""
        self._news_of: set[str] = set()
        """Matches in which something happened since what comes next of them was looked up."""
        self._wrong: set[str] = set()
        """Matches of which the hub has something else."""
        self._from: dict[str, Head] = {}
        """The heads after which something was sent since the last hello: an answer that tells the same head
        asks for nothing new."""
        self._last: dict[str, int] = {}
        """The last entry of each match that was sent or confirmed."""
        self._hub_here = False
        self._patience = PATIENCE
        self._call = Call(called=False)
        self._told_call: Call | None = None
        self._told_status: Status | None = None
        self._state_due = False

    @property
    def connected(self) -> bool:
        """Whether the table is at the broker."""
        return self._client is not None

    @property
    def settled(self) -> bool:
        """Whether the hub has confirmed all that the table knows of."""
        return self._hub_here and not self._open

    def wake(self, match: str = "") -> None:
        """Something happened at the table, in this match."""
        if match:
            self._open.setdefault(match, 0.0)
            self._news_of.add(match)
        self._state_due = True
        self._news.set()

    def call(self, call: Call) -> None:
        """Calls the director, or says that nobody need come any more."""
        self._call = call
        self._news.set()

    async def run(self) -> None:
        """Until it is cancelled."""
        while True:
            place = self._place()
            gone = Status(online=False, at="").text()
            will = aiomqtt.Will(self._topic(Word.STATUS), gone, qos=1, retain=True)
            try:
                tls = await asyncio.to_thread(place.context)
                async with (
                    connect(place, f"barpoint-{self.event}-{self.table}", will, tls) as client,
                    present(client, will),
                ):
                    await self._converse(client)
            except (aiomqtt.MqttError, OSError, ValueError) as error:
                self._tell("hub", f"the hub at {place} cannot be reached: {_reason(error)}")
            finally:
                self._client, self._hub_here = None, False
                self._theirs.clear()
                self._from.clear()
                self._wrong.clear()
            await asyncio.sleep(random.uniform(*self._again))

    async def _converse(self, client: aiomqtt.Client) -> None:
        self._client, self._told_status, self._told_call = client, None, None  # all of it is told anew
        for word in messages.TO_TABLES:
            await client.subscribe(self._topic(word), qos=1)
        await client.subscribe(topic(self.event, HUB, Word.STATUS), qos=1)
        self._state_due = True
        self._tell("hub", "")
        sending = asyncio.create_task(self._send_all())
        try:
            async for message in client.messages:
                if sending.done():
                    sending.result()
                await self._receive(str(message.topic), bytes(message.payload or b""))
        finally:
            sending.cancel()
            await asyncio.wait([sending])  # awaited itself, its cancellation could not be told from our own
            if not sending.cancelled():
                with suppress(aiomqtt.MqttError):
                    sending.result()

    # -- what comes

    async def _receive(self, address: str, payload: bytes) -> None:
        try:
            _, word = read_topic(address)
            match word:
                case Word.KEPT:
                    self._note_kept(Kept.read(payload))
                case Word.ASSIGN:
                    self._assigned(Assignment.read(payload))
                case Word.COMING:
                    self._coming(Coming.read(payload).who)
                case Word.STATUS:
                    status = HubStatus.read(payload)
                    words = "" if status.online else "the hub is away; the table goes on, and tells it later"
                    self._tell("hub away", words)
                    self._hub_here = status.online
                    if status.online:
                        self._state_due, self._told_status = True, None  # how its clock goes is told anew
                        await self._say_hello()
                case _:
                    pass
        except BadMessage as error:
            self._tell("hub message", f"what the hub says cannot be read: {error}")

    def _note_kept(self, kept: Kept) -> None:
        for each in kept.heads:
            head = Head(each.number, bytes.fromhex(each.digest))
            if head != self._theirs.get(each.match):
                self._patience = PATIENCE
            self._theirs[each.match] = head
            self._last[each.match] = max(head.number, self._last.get(each.match, -1))
            if self._from.get(each.match) != head:
                self._open[each.match] = 0.0
        self._news.set()

    # -- what goes

    def _topic(self, word: Word) -> str:
        return topic(self.event, self.table, word)

    async def _publish(self, word: Word, message: Message, retain: bool = False) -> None:
        assert self._client is not None
        await self._client.publish(self._topic(word), message.text(), qos=1 if retain else 0, retain=retain)

    async def _say_hello(self) -> None:
        """Where the matches end; of each the hub says what it has."""
        try:
            ours = await self._outbox.heads()
        except JournalError as error:
            self._tell("hub journal", f"the hub is not told what happens: {error}")
            return
        self._tell("hub journal", "")
        self._open |= dict.fromkeys(ours, time.monotonic())
        self._from.clear()
        self._wrong &= set(ours)
        for hello in Hello.of(ours):
            await self._publish(Word.HELLO, hello)

    async def _send_all(self) -> None:
        """Sends what the hub has not, and how the table stands."""
        while True:
            self._news.clear()
            for match in [each for each, at in self._open.items() if not at and self._hub_here]:
                await self._send(match)
            await self._tell_state()
            late = [at for at in self._open.values() if at and time.monotonic() - at > self._patience]
            if late and self._hub_here:
                self._patience = min(LONGEST, self._patience * 2)
                await self._say_hello()
            with suppress(TimeoutError):
                async with asyncio.timeout(1.0 if self._open else PATIENCE):
                    await self._news.wait()

    async def _send(self, match: str) -> None:
        """Sends what comes after what the hub has of a match."""
        if match in self._wrong:
            self._open.pop(match, None)
            return
        head = self._theirs.setdefault(match, START)  # one that began since the last hello
        self._news_of.discard(match)
        try:
            same, lines = await self._outbox.after(match, head)
        except JournalError as error:
            self._tell("hub journal", f"the hub is not told what happens: {error}")
            self._open[match] = time.monotonic()
            return
        if not same:
            self._wrong.add(match)
            words = f"the hub has another entry {head.number} of match {match} than this table"
            self._tell(f"hub {match}", f"{words}, and neither is changed; call the director")
        if lines:
            self._open[match] = time.monotonic()
            self._from[match], self._last[match] = head, lines[-1].number
            self._state_due = True  # it says which entry it shows
            await self._publish(Word.ENTRIES, Entries(match=match, entries=tuple(lines)))
            self.sent += len(lines)
        elif match not in self._news_of:
            self._open.pop(match, None)

    async def _tell_state(self) -> None:
        status = self._status()
        if self._told_status is None or status.troubles != self._told_status.troubles:
            self._told_status = status
            await self._publish(Word.STATUS, status.model_copy(update={"run": self._run}), retain=True)
        if self._told_call != self._call:
            self._told_call = self._call
            await self._publish(Word.CALL, self._call, retain=True)
        if not self._state_due:
            return
        self._state_due = False
        state = self._shows()
        if state is not None:
            entry = self._last.get(state.match, -1)
            await self._publish(Word.STATE, state.model_copy(update={"entry": entry}), retain=True)
            await asyncio.sleep(SHOWN)


def _reason(error: BaseException) -> str:
    if isinstance(error, aiomqtt.MqttCodeError) and getattr(error.rc, "value", 0) == NOT_AUTHORIZED:
        return (
            "it does not take this table's key. That is so for five minutes after a flood; else the table was"
            " removed, or its key was replaced: 'barpoint hub add-table --again NAME' there gives a code for"
            " 'barpoint hub join' here"
        )
    return " ".join(str(error).split()) or type(error).__name__
