"""From the journal to the record of a match, which every format is written from.

The journal holds events; replaying them (:mod:`engine.recorder`) tells what was played. A match of another
program has no events: its log is one entry with the record itself (:func:`imported`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from engine import event_json
from engine.errors import EngineError
from engine.match_state import MatchState
from engine.messages import phrase
from engine.position import Json
from engine.record import MatchRecord
from engine.recorder import Recorder
from firmware.errors import describe_fault
from firmware.formats import jsonform
from firmware.formats.source import FormatError
from firmware.record.chain import BrokenChain, Entry, JournalError, check_chain
from firmware.record.journal import Journal

T = TypeVar("T")
IMPORT = "import"
"""The name, among those of the events, of an entry that holds a whole match."""


def find(journal: Journal, name: str) -> str:
    """The id that ``name`` means: an id, the beginning of one id only, or ``last``. Raises JournalError."""
    logs = journal.games()
    if name in logs:
        return name
    found = logs[-1:] if name == "last" else [log for log in logs if log.startswith(name)]
    if len(found) != 1:
        raise JournalError(
            phrase("{name}: several ids begin so; 'barpoint games' lists them", name=name)
            if found
            else phrase("{name}: there is no such match; 'barpoint games' lists them", name=name)
        )
    return found[0]


def imported(record: MatchRecord) -> Json:
    """The body of the one entry that keeps a match of another program."""
    return {"event": IMPORT, "match": jsonform.to_json(record)}


def read_match(journal: Journal, log: str) -> MatchRecord:
    """What was played in a match, from its entries alone, their chain checked. Raises JournalError,
    BrokenChain at an entry that is altered, missing, or cannot have happened."""
    return checked_record(log, journal.entries(log))


def checked_record(
    log: str, entries: Sequence[Entry], breathe: Callable[[], None] = lambda: None
) -> MatchRecord:
    """The same of entries that were read already. ``breathe`` is called before each: it may rest, or
    raise."""
    check_chain(log, breathing(entries, breathe))
    return match_record(breathing(entries, breathe))


def breathing(items: Iterable[T], breathe: Callable[[], None]) -> Iterator[T]:
    """The items, with a breath before each."""
    for item in items:
        breathe()
        yield item


def match_record(entries: Iterable[Entry]) -> MatchRecord:
    """What was played, from a log's entries. Raises BrokenChain at an entry that cannot have happened."""
    return replayed(entries)[0]


def replayed(entries: Iterable[Entry]) -> tuple[MatchRecord, MatchState | None]:
    """The same, with how the table stood at the end; None where no table played it."""
    match: MatchRecord | Recorder = MatchRecord("", ("", ""))
    for _, after in history(entries):
        match = after
    return (match.record, match.session.table) if isinstance(match, Recorder) else (match, None)


def history(entries: Iterable[Entry]) -> Iterator[tuple[Entry, MatchRecord | Recorder]]:
    """Each entry with the recorder that has just taken it (of an imported match, with the record). Raises
    BrokenChain at an entry that cannot have happened."""
    recorder: Recorder | None = None
    for entry in entries:
        try:
            if entry.number == 0 and entry.body.get("event") == IMPORT:
                yield entry, jsonform.from_json(entry.body.get("match"))
                continue
            recorder = recorder or Recorder(entry.at[:10])
            recorder.take(event_json.from_json(entry.body))
        except (EngineError, FormatError) as error:
            raise BrokenChain(entry.game, entry.number, str(error)) from error
        except Exception as error:  # one bad match must never hide the others
            raise BrokenChain(entry.game, entry.number, describe_fault(error)) from error
        yield entry, recorder
