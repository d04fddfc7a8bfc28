"""The house that signs: it names the table's key at a match's beginning, and signs the match at its end.

Like the dice, a signature is *owed*: asked for after every event and at a restart, so one that a power cut
prevented is made at the next start. What is owed, the session says alone:

    a match goes on, not under our key       Key
    it has ended, and cannot be taken back   Sign, once it is worked out
    something was changed after that         Sign, at the new end

Working it out means to replay the log and to close the recording; a thread does that, so that nobody at the
table waits. Only who leaves the match does (:meth:`Notary.hurry`). What fails is tried again: a disk that did
not answer leaves no match unsigned. A match that had ended before the table had a key stays unsigned.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from engine.events import Event, Key, Sign
from engine.match_state import State
from engine.messages import phrase
from engine.session import Session
from firmware.dice.sealed import SealedHouse
from firmware.errors import describe_fault
from firmware.record.journal import Journal
from firmware.record.signature import Signature
from firmware.record.signed import sign
from firmware.record.table_key import TableKey

PAUSE = 10.0
"""Seconds after a failure until the same is tried again."""


class Notary:
    """Keeps :class:`firmware.table.referee.House` beside ``house``, which goes first in all but the key.
    ``recording`` closes the recording of a match and gives its digest. ``tell`` hears what is wrong, "" when
    another match goes on, from any thread."""

    def __init__(
        self,
        house: SealedHouse,
        key: TableKey,
        journal: Path,
        recording: Callable[[str], str],
        tell: Callable[[str], None],
    ) -> None:
        self.log = ""
        """The id of the match at the table."""
        self._house = house
        self._key = key
        self._journal = journal
        self._recording = recording
        self._tell = tell
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="signature")
        self._work: tuple[Session, Future[Signature]] | None = None
        """What is being signed: it counts as long as the session is still this one."""
        self._again = float("-inf")
        """When, in table time, what failed is tried again."""
        self._hurry = False

    def hurry(self) -> None:
        """The players leave: the signature of a finished match is due now, and waited for."""
        self._hurry = True

    def owed(self, session: Session, t: float) -> Event | None:
        """Keeps the protocol."""
        table = session.table
        if table is not None and table.state is not State.ENDED and table.key != self._key.public:
            self._tell("")
            return Key(t=t, key=self._key.public)
        event = self._house.owed(session, t)
        if event is not None or table is None:
            return event
        if table.state is not State.ENDED or table.signed:
            self._work, self._hurry = None, False
            return None
        if table.key != self._key.public or not self._house.is_final(session, t):
            return None
        return self._sign(session, t)

    def close(self) -> None:
        """The table ends; what is not signed yet is signed at the next start."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _sign(self, session: Session, t: float) -> Sign | None:
        if self._work is None or self._work[0] is not session:
            if t < self._again and not self._hurry:
                return None
            self._work = session, self._thread.submit(self._signature, self.log)
        work = self._work[1]
        if not (work.done() or self._hurry):
            return None
        try:
            found = work.result()
        except Exception as error:
            self._work, self._again, self._hurry = None, t + PAUSE, False
            self._tell(
                phrase(
                    "the match cannot be signed: {reason}; the match is kept; 'barpoint verify last' says how"
                    " it stands",
                    reason=describe_fault(error),
                )
            )
            return None
        return Sign(
            t=t,
            record=found.record,
            moves=found.moves,
            recording=found.recording,
            signature=found.signature,
        )

    def _signature(self, log: str) -> Signature:
        trouble = ""
        try:
            recording = self._recording(log)
        except Exception as error:  # the log must be signed all the same
            recording = ""
            trouble = phrase(
                "the match is signed without its pictures: {reason}", reason=describe_fault(error)
            )
        with Journal.open_readonly(self._journal) as journal:
            found = sign(log, journal.entries(log), self._key, recording)
        self._tell(trouble)
        return found
