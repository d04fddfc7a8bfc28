"""Engines in processes of their own, at the lowest priority: whatever they do, the table does not wait, and
one that crashes takes nobody along."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Sequence
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from types import TracebackType
from typing import Any, Self, TypeVar

from engine.messages import phrase
from firmware.engines import BeforeRoll, Board, Engine, Maker, NoEngine, Ranked, Spot

Answer = TypeVar("Answer")

PATIENCE = 300.0
"""Seconds that one answer may take; the slowest of 3 plies take some ten on a Pi 4."""

PROMPT = 5.0
"""Seconds that processes which were killed may take to end; in fact some 0.01."""

ENDED = phrase("the engine's process ended by itself; is there memory enough?")


class EnginePool:
    """So many processes that each make an engine by ``make`` (a function or class that pickles) and answer
    for it. A context manager: its end stops them."""

    def __init__(self, make: Maker, plies: int, processes: int = 1, limit: float | None = None) -> None:
        self._pool = ProcessPoolExecutor(
            processes, multiprocessing.get_context("spawn"), _begin, (make, plies, limit)
        )
        self._pool.submit(os.getpid)  # the first process starts now, not at the first question

    def plays(self, spot: Spot, played: Board | None = None) -> Future[Sequence[Ranked]]:
        """Asks for :meth:`firmware.engines.Engine.plays`. Raises NoEngine, as all questions do."""
        return self._asked("plays", spot, played)

    def before_roll(self, spot: Spot, rolls: bool = True) -> Future[BeforeRoll]:
        """Asks for :meth:`firmware.engines.Engine.before_roll`."""
        return self._asked("before_roll", spot, rolls)

    def rollout(self, spot: Spot, board: Board, trials: int, seed: int) -> Future[float]:
        """Asks an engine that can for a rollout (:class:`firmware.engines.sage.Sage`)."""
        return self._asked("rollout", spot, board, trials, seed)

    def close(self) -> None:
        """Ends the processes, whatever they were asked."""
        for process in list((self._pool._processes or {}).values()):  # nobody waits for what is asked still
            process.kill()
        manager: Any = self._pool._executor_manager_thread  # a thread, though its stub says otherwise
        self._pool.shutdown(wait=False, cancel_futures=True)
        if manager is not None:  # at Python's end it is woken by a pipe that it may just be closing
            manager.join(PROMPT)

    def _asked(self, what: str, *values: object) -> Future[Any]:
        try:
            return self._pool.submit(_ask, what, *values)
        except RuntimeError as error:  # its process has ended, or it was closed
            raise NoEngine(ENDED) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def answer(asked: Future[Answer]) -> Answer:
    """What was asked for. Raises NoEngine where the engine failed, ended or takes too long."""
    try:
        return asked.result(PATIENCE)
    except TimeoutError:
        raise NoEngine(
            phrase("the engine has not answered for {seconds} s; try fewer --plies", seconds=round(PATIENCE))
        ) from None
    except (BrokenProcessPool, CancelledError) as error:
        raise NoEngine(ENDED) from error


_engine: Engine | NoEngine = NoEngine("not begun")
"""In a process of the pool: its engine, or why there is none."""


def _begin(make: Maker, plies: int, limit: float | None) -> None:
    global _engine
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for who asks
    with suppress(OSError):  # a sandbox may refuse it; the engine works all the same
        os.nice(19)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        _engine = make(plies, limit)
    except NoEngine as error:
        _engine = error
    except Exception as error:  # weights that are torn, a library of another version: whatever it is
        _engine = NoEngine(
            phrase("the engine does not start: {error}; install it again, or take the other one", error=error)
        )


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _ask(what: str, *values: object) -> Any:
    if isinstance(_engine, NoEngine):
        raise _engine
    if not hasattr(_engine, what):
        raise NoEngine(f"{type(_engine).__name__.lower()} does not do this here ({what}); install bgsage")
    try:
        return getattr(_engine, what)(*values)
    except NoEngine:
        raise
    except Exception as error:  # what an engine may raise is its own business: here it is one line
        raise NoEngine(f"the engine failed: {type(error).__name__}: {error} ({values[0]})") from None
