"""What is measured, beside what it must be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FIGURES = Path("/root/hil/figures.jsonl")
"""A line for each thing that was tried: its trial, what, found, must, met."""


class Bars:
    """Writes down what a trial found, and whether that is good enough."""

    def __init__(self, trial: str) -> None:
        self._trial = trial
        self.missed = 0
        """How many bars were not met."""

    def at_most(self, what: str, found: float | None, most: float, unit: str) -> None:
        """``found`` (None: it never came) may be ``most``."""
        met = found is not None and found <= most
        self._write(
            what, "never" if found is None else f"{found:.4g} {unit}", f"at most {most:g} {unit}", met
        )

    def same(self, what: str, found: Any, due: Any = True) -> None:
        """``found`` must be ``due``."""
        self._write(what, str(found), str(due), found == due)

    def note(self, what: str, found: Any) -> None:
        """Without a bar."""
        self._write(what, str(found), "", True)

    def _write(self, what: str, found: str, must: str, met: bool) -> None:
        line = {"trial": self._trial, "what": what, "found": found, "must": must, "met": met}
        self.missed += not met
        with FIGURES.open("a") as figures:
            figures.write(json.dumps(line) + "\n")
        print(f"{'  ' if met else 'NO'} {what}: {found}" + (f"   ({must})" if must else ""), flush=True)
