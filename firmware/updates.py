"""What the table's program and root's ``systemd/barpoint-update.sh`` tell each other.

The program leaves one of four words (:data:`WORDS`) in a file of its own, which systemd watches; root's
script tells how it stands in a folder that only root writes. Neither believes the other more than that: a
status that cannot be read says nothing.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.messages import phrase
from engine.position import Json
from firmware.errors import BadInput
from firmware.files import replace_file

WORDS = ("look", "now", "night", "cancel")
"""What can be asked for: to look for a newer version, to install it now or at night, not to."""
TOLD = Path("/var/lib/barpoint-update")
PACKAGE = Path("/usr/lib/barpoint/install")
"""What is there where Barpoint came as a package; a checkout is upgraded by its owner."""
WISH = "update"
"""The file in the unit's own ``RuntimeDirectory``."""
BUSY = ("looking", "installing", "checking", "going-back")
"""The steps at which root's script is at work."""
LONG = 1800.0
"""Seconds after which a step has not gone on: the power failed, or the script was killed."""
SOON = 60.0
"""Seconds within which systemd sees a word that was left."""
MOST = 20_000
"""Letters of the news."""


@dataclass(frozen=True, slots=True)
class Updates:
    """Where this machine's updates are told and asked for; ``wish`` is None where nobody can ask."""

    told: Path = TOLD
    wish: Path | None = None
    package: Path = PACKAGE

    @classmethod
    def here(cls, environment: Mapping[str, str] = os.environ) -> Updates:
        """Those of this machine. systemd tells the program's ``RUNTIME_DIRECTORY``."""
        folder = environment.get("RUNTIME_DIRECTORY", "").partition(":")[0]
        return cls(wish=Path(folder) / WISH if folder else None)

    @property
    def possible(self) -> bool:
        """Whether this table can be updated from its page."""
        return self.wish is not None and self.package.exists()

    def status(self) -> Json:
        """How it stands: ``step``, ``why``, the versions ``installed`` and ``available``, ``at`` (seconds
        since 1970, or null), whether it is to be installed at ``night``, ``news``, whether root is ``busy``
        with it, and whether a word ``waits`` to be read, or lies there ``unheard``. What is not known is
        empty."""
        lines = dict(re.findall(r"^(\w+)=([\w.+~:-]*)$", _text(self.told / "status", 2000), re.MULTILINE))
        at, left = int(lines["at"]) if lines.get("at", "").isdecimal() else None, self._left()
        return {
            "possible": self.possible,
            **{name: lines.get(name, "") for name in ("step", "why", "installed", "available")},
            "at": at,
            "busy": lines.get("step") in BUSY and (at is None or time.time() - at < LONG),
            "night": lines.get("night") == "yes",
            "news": _text(self.told / "status.news", MOST) if lines.get("available") else "",
            "waits": left is not None and left < SOON,
            "unheard": left is not None and left >= SOON,
        }

    def _left(self) -> float | None:
        """How many seconds ago a word was left that still lies there; None where none does."""
        try:
            return None if self.wish is None else time.time() - self.wish.stat().st_mtime
        except OSError:
            return None

    def ask(self, word: str) -> None:
        """Leaves word for root's script. Raises BadInput where it cannot."""
        if word not in WORDS:
            raise BadInput(f"do must be one of {', '.join(WORDS)}")
        if self.wish is None or not self.package.exists():
            raise BadInput(
                phrase("this table was not installed as a package; upgrade it by ./install, as it came")
            )
        try:
            replace_file(self.wish, word)
        except OSError as error:
            raise BadInput(
                phrase("the update cannot be asked for: {reason}", reason=error.strerror or str(error))
            ) from error


def _text(path: Path, most: int) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(most)
    except OSError:
        return ""
