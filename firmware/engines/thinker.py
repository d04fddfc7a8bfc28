"""An engine in a process of its own, as one that is asked and waited for."""

from __future__ import annotations

from collections.abc import Sequence

from firmware.engines import BeforeRoll, Board, Engine, Maker, Ranked, Spot
from firmware.engines.known import MAKERS, find
from firmware.engines.pool import EnginePool, answer

PLIES = 2
"""How far it looks ahead: some 0.2 s a decision on a PC."""


class Thinker(Engine):
    """An engine in a process of its own, as one that is asked and waited for."""

    def __init__(self, make: Maker, plies: int, limit: float | None = None) -> None:
        self._pool = EnginePool(make, plies, limit=limit)

    def plays(self, spot: Spot, played: Board | None = None) -> Sequence[Ranked]:
        """As :class:`firmware.engines.Engine`."""
        return answer(self._pool.plays(spot, played))

    def before_roll(self, spot: Spot, rolls: bool = True) -> BeforeRoll:
        """As :class:`firmware.engines.Engine`."""
        return answer(self._pool.before_roll(spot, rolls))

    def rollout(self, spot: Spot, board: Board, trials: int, seed: int) -> float:
        """As :class:`firmware.record.advice.Rolls`."""
        return answer(self._pool.rollout(spot, board, trials, seed))

    def close(self) -> None:
        """Ends the process, whatever it was asked; from any thread, and again without harm."""
        self._pool.close()


def first_thinker(name: str | None = None, limit: float | None = None) -> Thinker:
    """The engine of this name, or the first that is here; ``limit`` as of
    :class:`firmware.engines.Maker`. Raises NoEngine."""
    return Thinker(MAKERS[find(name)], PLIES, limit)
