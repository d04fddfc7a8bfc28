"""Python's garbage collector and its threads: while the table runs, the collector comes seldom and skips the
objects from before, and threads take turns often.

By default it looks for cycles after every 700 new containers. A judgement makes thousands, among those of two
hundred spectators' messages, and a tenth of its time went into that search; yet reference counts alone free
nearly all of them. ``python -m tests.bench.spectators`` measures it.

A thread that works (a report for a spectator) gives the interpreter up after 5 ms by default, and the
referee's asks for it several times in an act: ``python -m tests.bench.crowd`` measures that.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

YOUNG = 20_000
"""New containers after which the youngest are searched: about 2 MB."""
OLDER = (20, 100)
"""After so many searches the next older generation is searched too: full searches are rare."""

TURN = 0.0005
"""Seconds that a thread may keep the interpreter while another waits for it."""


@contextmanager
def collect_seldom() -> Iterator[None]:
    """Collects seldom meanwhile, and skips what exists already; afterwards as before."""
    before, turn = gc.get_threshold(), sys.getswitchinterval()
    sys.setswitchinterval(TURN)
    gc.freeze()
    gc.set_threshold(YOUNG, *OLDER)
    try:
        yield
    finally:
        sys.setswitchinterval(turn)
        gc.set_threshold(*before)
        gc.unfreeze()
