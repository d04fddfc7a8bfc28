"""What a referee tells those who watch: what happened, and how the table stands now."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from engine.effects import Effect
from engine.events import Event
from engine.evidence import Evidence
from engine.position import Json
from engine.session import Session
from firmware.record.chain import canonical
from hardware.protocols import Frame


@dataclass(frozen=True, slots=True)
class News:
    """Something happened: the event (None for a picture only), its effects, and the session now. ``refused``
    says why an event was not done."""

    t: float
    session: Session
    event: Event | None = None
    effects: tuple[Effect, ...] = ()
    refused: str | None = None
    frame: Frame | None = None
    evidence: Evidence | None = None
    """What stands where in the ``frame``; None while something moves."""
    moving: bool = False
    """Something moves over the board, so the picture says nothing; or the camera sees nothing at all."""
    unwritten: bool = False
    """Whether it was refused because the journal cannot be written."""
    waits: str = ""
    """What a *done* waits for, in words for the players."""
    number: int = 0
    """The number of the state, :attr:`firmware.table.referee.Referee.number`."""
    seen: Json | None = None
    """The engine's view of the session, where it was made to prove that it can be shown."""


Watcher: TypeAlias = Callable[[News], None]


def prove_view(news: News) -> None:
    """That the engine's view can be written: the proof where no page makes a fuller one."""
    canonical(news.seen or {})
