"""The state of commands that may keep none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from firmware.record.journal import Journal
from firmware.state import hold, journal


@contextmanager
def kept_or_temporary(state: Path | None, command: str) -> Iterator[tuple[Path, Journal]]:
    """The folder ``state``, held for ``command``, with its journal; None: a temporary one, deleted
    afterwards. Raises BadInput."""
    if state is None:
        with TemporaryDirectory(prefix="barpoint-") as name, kept_or_temporary(Path(name), command) as found:
            yield found
        return
    with hold(state, command), journal(state) as logs:
        yield state, logs
