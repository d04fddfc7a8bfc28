"""Which of the entries that came follow from those that are kept: pure, no database, no network.

Each entry's digest is that of the one before it and of all that is in the entry
(:func:`firmware.record.chain.link`). So an entry that came twice, late, or out of order is told from one
that is new by its number and digest alone, and one that was changed on the way, or at the table, does not
fit. So is one whose text a journal cannot have: what is kept can be read, by every database and everybody.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine import strict_json
from firmware.hub.messages import Line
from firmware.record.chain import Head, canonical, link


@dataclass(frozen=True, slots=True)
class Fitted:
    """What becomes of entries that came: those that are ``new``, the ``head`` after them, and what is wrong
    ("" where nothing is)."""

    new: tuple[Line, ...]
    head: Head
    trouble: str = ""


def fit(match: str, head: Head, lines: Sequence[Line]) -> Fitted:
    """Puts ``lines`` after ``head``. Those that are kept already, and those after a gap, are left out in
    silence: the table is told the head, and goes on from there."""
    new: list[Line] = []
    for line in lines:
        if line.number < head.number:
            continue
        if line.number == head.number:
            if line.digest != head.digest.hex():
                return Fitted(tuple(new), head, differs(match, line.number))
            continue
        if line.number > head.number + 1:
            break
        if link(head.digest, match, line.number, line.at, line.body).hex() != line.digest:
            return Fitted(tuple(new), head, differs(match, line.number))
        if odd := _odd(line.body):
            return Fitted(tuple(new), head, f"match {match}: entry {line.number} is not taken: {odd}")
        new.append(line)
        head = Head(line.number, bytes.fromhex(line.digest))
    return Fitted(tuple(new), head)


def _odd(body: str) -> str:
    """Why this is no entry's text, "" where it is one."""
    try:
        found = strict_json.loads_object(body)
    except strict_json.BadJson as error:
        return str(error)
    return "" if canonical(found) == body else "its keys are not in order, or it is not plain ASCII"


def differs(match: str, number: int) -> str:
    """What is told of a match that is not the one that is kept."""
    return (
        f"match {match}: entry {number} is not the one that the hub has, or was changed; nothing of it was"
        f" taken. 'barpoint verify {match}' at the table says more"
    )
