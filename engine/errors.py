"""What can go wrong in the rules. Every message is for people: what, where, and what to do about it."""

from __future__ import annotations

from engine.messages import joined, phrase


class EngineError(ValueError):
    """The base of every error that the engine raises on purpose; nothing has changed when it is raised."""


class UnknownRules(EngineError):
    """No rule set has that name."""


class BadDice(EngineError):
    """Dice that this position cannot take: a wrong number of them, or a face outside 1-6."""


class IllegalPlay(EngineError):
    """A play, named by text, steps or result, that the rules do not allow here."""


class IllegalEvent(EngineError):
    """An event that makes no sense in the session's present state; the message says why."""


class ImpossibleSetup(EngineError):
    """Pieces that cannot stand so. ``reasons`` names every fault found, not only the first."""

    def __init__(self, reasons: tuple[str, ...]) -> None:
        super().__init__(joined(phrase("; "), reasons))
        self.reasons = reasons
