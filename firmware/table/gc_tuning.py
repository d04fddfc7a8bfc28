"""Python's garbage collector, at a table: seldom, and not through what stays anyway.

By default it looks for cycles after every 700 new containers. A judgement makes thousands, and what two
hundred spectators were told just before lies among them, so a tenth of a judgement's time went into looking
through that, again and again; nearly all of it is freed by reference counts alone. ``python -m
tests.bench.spectators`` measures it.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

YOUNG = 20_000
"""New containers after which the youngest are looked through: about 2 MB."""
OLDER = (20, 100)
"""Every how many times the next older ones are, too: whole collections are rare, and leave out what was there
at the start."""


@contextmanager
def collect_seldom() -> Iterator[None]:
    """Collects seldom meanwhile, and spares what exists already; then as before."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(YOUNG, *OLDER)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
