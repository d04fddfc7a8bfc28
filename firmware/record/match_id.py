"""The id of a match, which also names its files: on a stick, in an export, among the recordings.

The table makes ids itself (:func:`firmware.state.new_log`), but a restored journal is somebody's file. An id
such as ``../../etc/x`` would be written outside the folder that was meant.
"""

from __future__ import annotations

import re

from firmware.record.chain import JournalError
from firmware.wording import clean

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")


def is_match_id(text: str) -> bool:
    """Whether a text can be a match's id: ASCII letters, digits, ``.``, ``_`` and ``-``, 80 at most."""
    return _ID.fullmatch(text) is not None


def match_file(log: str, ending: str = "") -> str:
    """The name of a match's file or folder: its id, then ``ending``. Every name that is made of an id comes
    from here. Raises JournalError where the id is none."""
    if not is_match_id(log):
        raise JournalError(
            f"{clean(log[:80])!r} is no match id (letters, digits, '.', '_' and '-'), so it names no file"
        )
    return log + ending
