"""A match that a table has told, played through again: for so long and no longer, since whoever has a table's
key may send one that takes days."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from engine.match_state import MatchState
from engine.record import MatchRecord
from firmware.record.archive import breathing, replayed
from firmware.record.chain import BrokenChain, Entry, check_chain

LONGEST = 20.0
"""Seconds of the processor that a match may take; one to 25 points takes some tenths."""


def replay(
    match: str, entries: Sequence[Entry], breathe: Callable[[], None] = lambda: None
) -> tuple[MatchRecord, MatchState | None]:
    """What was played, its chain checked, and how the table stood at the end; None where no table played it.
    ``breathe`` is called before each entry: it may rest, or raise. Raises BrokenChain."""
    check_chain(match, breathing(entries, breathe))
    return replayed(_in_time(match, breathing(entries, breathe)))


def _in_time(match: str, entries: Iterable[Entry]) -> Iterator[Entry]:
    end = time.thread_time() + LONGEST
    for entry in entries:
        if time.thread_time() > end:
            raise BrokenChain(match, entry.number, f"it takes more than {LONGEST:.0f} s to come to here")
        yield entry
