"""The director's desk: every change of a tournament goes through :meth:`Desk.do`, from a person or from a
table's journal. It is in the database before anybody sees it; then the tables are given their matches.

A table keeps what it was given: an assignment is replaced by the next one, and taken back where its match has
no table any more. A table that the hub does not know may be named all the same: its results are typed.

For the event loop of the hub alone. ::

    desk = Desk(hub)
    await desk.open()
    made = await desk.make(Set("Club evening"), "Ada")
    await desk.do(made.id, Enter(1, "Ben"), "Ada", "")
    await desk.run()                 # takes the results of the tables, until it is cancelled
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace

from engine.messages import joined, phrase
from firmware.errors import BadInput, bounded, describe_fault
from firmware.hub.hub import Hub
from firmware.hub.live import TableNow
from firmware.hub.messages import Assignment
from firmware.hub.office import book
from firmware.hub.office.book import KeptTournament, Question
from firmware.hub.office.checks import called, check_settings, person, reason
from firmware.hub.office.given import MATCH, OURS, assignment, goes_on, reached
from firmware.hub.office.results import EndedMatch, change_for, ended, reason_for
from firmware.hub.office.seating import check_seat, one_each, seated
from firmware.hub.office.under_way import Begun, beginning, disagreement, left_over
from firmware.hub.store import StoreError
from firmware.hub.tournament.changes import Enter, Report, Seat, Set
from firmware.hub.tournament.model import Pairing, Tournament
from firmware.hub.tournament.pairings import find
from firmware.hub.tournament.trail import Act, Done, do
from firmware.record.chain import BrokenChain, Entry
from firmware.record.signature import BadSignature

MOST_TROUBLES = 50
MOST_ASKED = 5
"""Questions of one table that wait: one that makes matches up hides no other table's."""
AGAIN = 5.0
"""Seconds until a result, or a match for a table, is tried again that the database would not give or
take."""


class Desk:
    """The tournaments of a hub. ``now`` gives seconds since 1970."""

    def __init__(self, hub: Hub, now: Callable[[], float] = time.time) -> None:
        self.hub = hub
        self.troubles: dict[str, str] = {}
        """What did not work by itself and needs the director, by the match or table that it is about."""
        self.listeners: list[Callable[[KeptTournament], None]] = []
        """Called with each tournament that has changed."""
        self._now = now
        self._kept: dict[int, KeptTournament] = {}
        self._lock = asyncio.Lock()
        self._turns: asyncio.Queue[str] = asyncio.Queue()
        """The tables of which something is to be looked at: one match of each, in turn."""
        self._asked: dict[str, OrderedDict[str, None]] = {}
        """The matches that are to be looked at, by table."""
        self._questions: dict[tuple[int, str, str, str], Question] = {}
        """What tables said of results, and whether the director has decided since."""
        self._begun: dict[str, Begun] = {}
        """How the match that is at each table began."""

    async def open(self) -> None:
        """Reads the database, and follows the tables from now on. Raises StoreError."""
        found = await self.hub.in_store(book.load, self.hub.store)
        self._kept = {each.id: each for each in found}
        asked = await self.hub.in_store(book.load_questions, self.hub.store)
        self._questions = {each.where: each for each in asked}
        self.hub.live.listeners.append(self._note_table)
        self.hub.kept_listeners.append(self._note_kept)

    def tournaments(self) -> tuple[KeptTournament, ...]:
        """The tournaments of this event, the newest first."""
        return tuple(each for each in reversed(self._kept.values()) if each.held == self.hub.event)

    def everything(self) -> tuple[KeptTournament, ...]:
        """The tournaments of all events that the database has, the oldest first."""
        return tuple(self._kept.values())

    def tournament(self, number: int) -> KeptTournament | None:
        """The tournament of this id."""
        return self._kept.get(number)

    # -- changes

    async def make(self, first: Set, who: str) -> KeptTournament:
        """A new tournament. Raises BadInput, StoreError."""
        async with self._lock:
            check_settings(self.tournaments(), None, first)
            done = Done(1, self._now(), person(who), "", first)
            event = do((), Tournament(), done)
            made = await self.hub.in_store(book.make, self.hub.store, self.hub.event, done)
            kept = KeptTournament(made, self.hub.event, (done,), event)
            self._put(kept)
            return kept

    async def do(self, tournament: int, act: Act, who: str, why: str) -> KeptTournament:
        """One change, kept, with the tables told; an ``Enter`` of number 0 gets the next. Raises BadInput,
        StoreError: nothing has changed then."""
        async with self._lock:
            return await self._do(tournament, (act,), who, why)

    async def do_all(self, tournament: int, acts: Sequence[Act], who: str, why: str) -> KeptTournament:
        """Changes that belong together: where one of them cannot be made or kept, none is. Raises BadInput,
        StoreError."""
        async with self._lock:
            return await self._do(tournament, acts, who, why)

    async def _do(self, tournament: int, acts: Sequence[Act], who: str, why: str) -> KeptTournament:
        kept = changed = self._existing(tournament)
        settled: list[Question] = []
        for act in acts:
            if isinstance(act, Enter) and not act.number:
                act = replace(act, number=_next_number(changed))
            self._check(changed, act)
            done = Done(len(changed.trail) + 1, self._now(), person(who), reason(why), act)
            event = do(changed.trail, changed.event, done)
            settled += self._settled(changed, act)
            changed = replace(changed, trail=(*changed.trail, done), event=event)
        made = changed.trail[len(kept.trail) :]
        await self.hub.in_store(book.append, self.hub.store, tournament, made, settled)
        self._put(changed)
        for each in settled:
            self._questions[each.where] = each
            self.tell(_about(each), "")
        await self._give_matches()
        return changed

    def _settled(self, kept: KeptTournament, act: Act) -> list[Question]:
        """What an act settles: whatever a table says of this match, the director has decided."""
        if not isinstance(act, Report):
            return []
        about = kept.id, act.pairing
        return [replace(each, settled=True) for each in self._questions.values() if each.where[:2] == about]

    async def _question(self, asked: Question, words: str, kept: KeptTournament) -> None:
        """Asks the director, once for what a table says. Raises StoreError."""
        known = self._questions.get(asked.where)
        if known is not None and known.settled and known.said == asked.said:
            return
        if find(kept.event, asked.pairing) is None:
            self.tell(f"{asked.table} unknown", bounded(words), kept)
            return
        if known != asked:
            own = [each for each in self._questions.values() if each.table == asked.table]
            waiting = [each for each in own if not each.settled and each is not known]
            gone = waiting[: max(0, len(waiting) - MOST_ASKED + 1)]
            await self.hub.in_store(book.keep_question, self.hub.store, asked, gone)
            for each in gone:
                del self._questions[each.where]
                self.tell(_about(each), "")
            self._questions[asked.where] = asked
        self.tell(_about(asked), words, kept)

    def _put(self, kept: KeptTournament) -> None:
        self._kept[kept.id] = kept
        for listener in self.listeners:
            listener(kept)

    def _existing(self, tournament: int) -> KeptTournament:
        kept = self._kept.get(tournament)
        if kept is None:
            raise BadInput(f"there is no tournament {tournament}")
        if kept.held != self.hub.event:
            raise BadInput(
                phrase(
                    "tournament {tournament} belongs to the event {event!r}; it can be looked at",
                    tournament=tournament,
                    event=kept.held,
                )
            )
        return kept

    def _named(self, name: str) -> KeptTournament | None:
        return called(self.tournaments(), name)

    def _check(self, kept: KeptTournament, act: Act) -> None:
        """What a tournament cannot know by itself. Raises BadInput."""
        if isinstance(act, Seat):
            every = [kept if each.id == kept.id else each for each in self.tournaments()]
            check_seat(every, kept, act, [each.name for each in self.hub.live.tables()])
        elif isinstance(act, Set):
            check_settings(self.tournaments(), kept, act)

    def free_tables(self) -> list[str]:
        """The hub's tables that are here and have no match, in the order of their names. One that still plays
        what it should not (:meth:`_compare`) is not free."""
        busy = {each.table for _, each in seated(self.tournaments())}
        return [
            each.name
            for each in self.hub.live.tables()
            if each.online and each.name not in busy and f"{each.name} begun" not in self.troubles
        ]

    # -- tables get their matches

    def wanted(self) -> dict[str, tuple[KeptTournament, Pairing]]:
        """The match that each table should have."""
        given = {table.name: table.assignment for table in self.hub.live.tables()}
        return one_each(self.tournaments(), lambda match: given.get(match[1].table) == assignment(*match))

    async def _give_matches(self) -> None:
        wanted = self.wanted()
        for table in self.hub.live.tables():
            had = table.assignment
            if table.name in wanted:
                given = assignment(*wanted[table.name])
            elif had is not None and had.id.startswith(OURS):
                given = Assignment(id="")
            else:
                continue
            if had == given:
                continue
            try:
                await self.hub.assign(table.name, given)
            except (KeyError, StoreError) as error:
                self.tell(
                    table.name,
                    phrase(
                        "{table} could not be given its match: {error}", table=table.name, error=str(error)
                    ),
                )
                if isinstance(error, StoreError):
                    asyncio.get_running_loop().call_later(AGAIN, self._ask, *GIVE)
            else:
                self.tell(table.name, "")
        for name in self._begun:
            self._compare(name)

    def _compare(self, table: str) -> None:
        """Tells the director where the match at a table began otherwise than it is written down now."""
        begun = self._begun[table]
        kept = self._named(begun.competition)
        pairing = None if kept is None else find(kept.event, begun.place.removeprefix(MATCH))
        words = ""
        now = self.hub.live.table(table)
        if kept is not None and pairing is not None and (pairing.ready or pairing.result is not None):
            if pairing.ready and pairing.table == table:
                entered = [each.name for each in kept.event.entries]
                words = disagreement(table, begun, assignment(kept, pairing), entered)
            elif now is not None and now.match == begun.match and goes_on(now.shows):
                words = left_over(table, pairing)
        self.tell(f"{table} begun", words, kept)

    def tell(self, about: str, words: str, kept: KeptTournament | None = None) -> None:
        """Tells the director what needs a hand (of which tournament), or, with "", that it does not any
        more."""
        self.troubles.pop(about, None)
        if words:
            self.troubles[about] = words if kept is None else joined(": ", (kept.event.name, words))
            while len(self.troubles) > MOST_TROUBLES:
                del self.troubles[next(iter(self.troubles))]

    # -- results come back

    def _note_table(self, before: TableNow, after: TableNow) -> None:
        if after.joined and not before.joined:
            self._ask(*GIVE)  # it may have been given a match before it was there
        if after.match and (after.match != before.match or reached(after.shows)):
            self._ask(after.name, after.match)
        elif after.name in self._begun and goes_on(before.shows) != goes_on(after.shows):
            self._compare(after.name)

    def _note_kept(self, table: str, match: str, _: int) -> None:
        now, begun = self.hub.live.table(table), self._begun.get(table)
        known = begun is not None and begun.match == match and f"{table} begun" not in self.troubles
        if now is not None and (now.match != match or not known or reached(now.shows)):
            self._ask(table, match)

    def _ask(self, table: str, match: str) -> None:
        if table not in self._asked:
            self._asked[table] = OrderedDict()
            self._turns.put_nowait(table)
        self._asked[table][match] = None

    async def run(self) -> None:
        """Takes the results of tables as they come, until it is cancelled. What was told while the hub was
        down is looked at first, and what the director has not decided."""
        for now in self.hub.live.tables():
            if now.match:
                self._ask(now.name, now.match)
        for asked in self._questions.values():
            if not asked.settled:
                self._ask(asked.table, asked.match)
        self._ask(*GIVE)
        while True:
            table = await self._turns.get()
            waiting = self._asked.pop(table)
            match, _ = waiting.popitem(last=False)
            if waiting:
                self._asked[table] = waiting
                self._turns.put_nowait(table)
            try:
                if (table, match) == GIVE:
                    await self._give_matches()
                else:
                    await self.take_result(table, match)
                    self.tell(f"{table} {match}", "")
            except StoreError as error:
                self.tell(
                    f"{table} {match}",
                    phrase("the result of {table} waits: {error}", table=table, error=str(error)),
                )
                asyncio.get_running_loop().call_later(AGAIN, self._ask, table, match)
            except Exception as error:  # one table's journal must not stop the others' results
                self.tell(
                    f"{table} {match}",
                    phrase("the result of {table}: {error}", table=table, error=describe_fault(error)),
                )

    async def take_result(self, table: str, match: str) -> None:
        """Writes down what the journal of a table says, if it is a match of ours that has ended. Raises
        StoreError."""
        entries = await asyncio.to_thread(self._read, table, match)  # entries go first
        begun = beginning(match, entries)
        if begun is None:
            return
        now = self.hub.live.table(table)
        if now is not None and now.match == match:
            self._begun[table] = begun
            self._compare(table)
        kept = self._named(begun.competition)
        if kept is None or not begun.place.startswith(MATCH):
            return
        asked = Question(kept.id, begun.place.removeprefix(MATCH), table, match, "")
        try:
            found = await asyncio.to_thread(ended, begun, entries)
        except (BrokenChain, BadSignature) as error:
            words = phrase(
                "the result of {table} is not taken: its journal is not sound: {error}",
                table=table,
                error=str(error),
            )
            await self._question(asked, words, kept)
            return
        if found is not None:
            await self._write(found, replace(asked, said="{}-{}".format(*found.score)))

    def _read(self, table: str, match: str) -> list[Entry]:
        board = self.hub.store.board(self.hub.event, table)
        return self.hub.store.entries(board.id, match) if board is not None else []

    async def _write(self, found: EndedMatch, asked: Question) -> None:
        async with self._lock:
            kept, table = self._existing(asked.tournament), asked.table
            change = change_for(kept, table, found)
            if isinstance(change, Report):
                try:
                    await self._do(asked.tournament, (change,), f"table {table}", reason_for(change))
                except BadInput as error:
                    change = phrase(
                        "the result of {table} is not taken: {error}", table=table, error=str(error)
                    )
                else:
                    change = None
            if change is None:
                self.tell(_about(asked), "")
            else:
                await self._question(asked, change, kept)


GIVE = ("", "")
"""In the place of a table and its match: matches are to be given to tables."""


def _next_number(kept: KeptTournament) -> int:
    """The number of the next entry: one that nobody ever had."""
    return max((done.act.number for done in kept.trail if isinstance(done.act, Enter)), default=0) + 1


def _about(asked: Question) -> str:
    """The name of the trouble that it is."""
    return f"{OURS}{asked.tournament}-{asked.pairing} {asked.table} {asked.match}"
