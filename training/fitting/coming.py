"""The files of examples that are there, and those that come while a network is trained."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol


class Examples(Protocol):
    """Examples of files, where they are trained on or measured."""

    def __len__(self) -> int: ...

    def take(self, paths: list[Path]) -> None:
        """Keep those of these files, too."""


@dataclass
class Coming:
    """The files (``pattern``) of some folders, those apart for which ``held_out`` is true."""

    folders: list[Path]
    pattern: str
    held_out: Callable[[Path], bool]
    seen: set[Path] = field(default_factory=set)

    def take(self, mine: Examples, others: Examples) -> bool:
        """Take what is new; whether something new is held out."""
        new = sorted({path for folder in self.folders for path in folder.glob(self.pattern)} - self.seen)
        self.seen |= set(new)
        mine.take([path for path in new if not self.held_out(path)])
        others.take(apart := [path for path in new if self.held_out(path)])
        return bool(apart)

    def wait(self, mine: Examples, others: Examples, follow: bool) -> Callable[[], bool]:
        """Take what is there, with ``follow`` as soon as there are some of both; returns how more is taken.
        Raises ValueError where there are none to train on, or none that are held out."""
        self.take(mine, others)
        while not (len(mine) and len(others)):
            if not follow:
                raise ValueError("there must be examples to train on, and some that are held out")
            time.sleep(1)
            self.take(mine, others)
        print(f"{len(mine)} examples, {len(others)} held out", flush=True)
        return (lambda: self.take(mine, others)) if follow else (lambda: False)
