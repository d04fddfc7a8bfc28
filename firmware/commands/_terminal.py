"""Somebody at the terminal who is asked while something else goes on."""

from __future__ import annotations

import os
import select

from firmware.commands._output import tell


class Terminal:
    """Lines typed at file descriptor ``source``, read by the system's own calls: ``select`` would not tell of
    what Python has read ahead."""

    def __init__(self, source: int = 0) -> None:
        self._source = source
        self._typed = b""

    def tell(self, text: str) -> None:
        """Shows a line."""
        if text:
            tell(text)

    def line(self, wait: float) -> str | None:
        """The line that was typed within ``wait`` seconds, without its end; None: none yet. Raises EOFError
        where nobody can type any more."""
        if b"\n" not in self._typed and select.select([self._source], [], [], wait)[0]:
            data = os.read(self._source, 4096)
            if not data:
                raise EOFError
            self._typed += data
        line, end, rest = self._typed.partition(b"\n")
        if not end:
            return None
        self._typed = rest
        return line.decode(errors="replace")
