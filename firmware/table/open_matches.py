"""Which match is at the table, and which were left unfinished: two files that survive a power cut."""

from __future__ import annotations

from pathlib import Path

from engine.messages import phrase
from firmware.files import replace_file
from firmware.record.chain import JournalAway, JournalError

CURRENT = "table"
"""The file that names the match at the table."""
LEFT = "left"
"""The file that names the open matches, one a line, the newest last."""
MOST = 50
"""So many open matches are remembered; older ones are in the archive only."""


class OpenMatches:
    """The files in the state directory ``folder``."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def current(self) -> str:
        """The id of the match at the table, "" where there is none. Raises JournalAway where the disk does
        not say; so does all that follows."""
        return self._read(CURRENT).strip()

    def make_current(self, log: str) -> None:
        """This match is at the table now. Raises JournalError."""
        self._write(CURRENT, log + "\n")
        if log in self.unfinished():
            self._write(LEFT, "".join(f"{each}\n" for each in self.unfinished() if each != log))

    def leave(self, log: str) -> None:
        """This match is left unfinished. Raises JournalError."""
        kept = [each for each in self.unfinished() if each != log]
        self._write(LEFT, "".join(f"{each}\n" for each in [*kept, log][-MOST:]))

    def unfinished(self) -> list[str]:
        """The open matches."""
        return self._read(LEFT).split()

    def _read(self, name: str) -> str:
        path = self._folder / name
        try:
            return path.read_text(encoding="utf-8")
        except (FileNotFoundError, UnicodeDecodeError):
            return ""
        except OSError as error:
            words = phrase("cannot read {path}: {error}", path=str(path), error=str(error.strerror or error))
            raise JournalAway(words) from error

    def _write(self, name: str, text: str) -> None:
        try:
            replace_file(self._folder / name, text)
        except OSError as error:
            raise JournalError(
                f"cannot write to {self._folder}: {error.strerror or error}; is the disk full or read-only?"
            ) from error
