"""The entries that tables send, put beside those in the database, and kept if they follow.

It blocks: for the hub's database thread alone. Where each match ends is remembered, so an entry that
follows costs no look into the database.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from firmware.hub.inbox import differs, fit
from firmware.hub.messages import Entries, Hello
from firmware.hub.store import NewEntry, Store
from firmware.record.chain import START, Head

Post: TypeAlias = tuple[str, Hello | Entries]
"""A table's name, and what it sends for the database."""
Heads: TypeAlias = dict[tuple[int, str], Head]
"""Where matches end, by the table's id and the match."""
REMEMBERED = 10_000
"""Matches whose heads are remembered."""


@dataclass
class Outcome:
    """What became of what was sent. ``heads`` to confirm, by table; ``new``, the last entry that was kept of
    each match; ``wrong``, what does not fit, in words, "" where nothing is wrong."""

    heads: dict[str, dict[str, Head]] = field(default_factory=dict)
    new: dict[tuple[str, str], int] = field(default_factory=dict)
    wrong: dict[tuple[str, str], str] = field(default_factory=dict)
    count: int = 0
    """Entries that were kept."""


class Ledger:
    """Writes entries into ``store``."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._heads: Heads = {}

    def forget(self) -> None:
        """After a fault: where the matches end is read anew."""
        self._heads = {}

    def put(self, posts: Sequence[Post], boards: Mapping[str, int]) -> Outcome:
        """Keeps what follows, in one transaction; ``boards`` are the ids of the tables that may send.
        Raises StoreError, and nothing is kept."""
        outcome, heads, rows = Outcome(), Heads(), list[NewEntry]()
        for name, message in posts:
            board = boards.get(name)
            if board is None:
                continue
            if isinstance(message, Hello):
                self._compare(name, board, message, heads, outcome)
                continue
            match = message.match
            fitted = fit(match, self._find(board, (match,), heads)[match], message.entries)
            heads[board, match] = fitted.head
            rows += [NewEntry(board, match, line) for line in fitted.new]
            if fitted.new:
                outcome.new[name, match] = fitted.head.number
            outcome.heads.setdefault(name, {})[match] = fitted.head
            outcome.wrong[name, match] = fitted.trouble
        if rows:
            self._store.keep(rows)
        outcome.count = len(rows)
        # A match of which nothing is kept may be made up.
        self._heads |= {place: head for place, head in heads.items() if head != START}
        for place in list(self._heads)[:-REMEMBERED]:
            del self._heads[place]
        return outcome

    def _find(self, board: int, matches: Sequence[str], heads: Heads) -> dict[str, Head]:
        """Where these matches end, with what ``heads`` adds to what is remembered."""
        unknown = [
            each for each in matches if (board, each) not in heads and (board, each) not in self._heads
        ]
        if unknown:
            heads |= {(board, match): head for match, head in self._store.heads(board, unknown).items()}
        return {each: heads.get((board, each)) or self._heads[board, each] for each in matches}

    def _compare(self, name: str, board: int, hello: Hello, heads: Heads, outcome: Outcome) -> None:
        """Where the table's matches end, beside where ours do."""
        ours = self._find(board, [each.match for each in hello.heads], heads)
        behind = [
            (each.match, each.number) for each in hello.heads if 0 <= each.number < ours[each.match].number
        ]
        digests = self._store.digests(board, behind) if behind else {}
        for theirs in hello.heads:
            mine = ours[theirs.match]
            outcome.heads.setdefault(name, {})[theirs.match] = mine
            wrong = ""
            if 0 <= theirs.number <= mine.number:
                same = digests.get((theirs.match, theirs.number), mine.digest)
                if same.hex() != theirs.digest:
                    wrong = differs(theirs.match, theirs.number)
                elif theirs.number < mine.number:
                    wrong = (
                        f"match {theirs.match}: the table has lost entries {theirs.number + 1} to"
                        f" {mine.number}, which the hub has"
                    )
            outcome.wrong[name, theirs.match] = wrong
