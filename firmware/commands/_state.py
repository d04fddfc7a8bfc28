"""The state of commands that may keep none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from firmware.record.journal import Journal
from firmware.state import journal


@contextmanager
def kept_or_temporary(state: Path | None) -> Iterator[tuple[Path, Journal]]:
    """The folder ``state`` with its journal; None: a temporary one, deleted afterwards. Raises BadInput."""
    if state is None:
        with TemporaryDirectory(prefix="barpoint-") as name, kept_or_temporary(Path(name)) as found:
            yield found
        return
    with journal(state) as logs:
        yield state, logs
