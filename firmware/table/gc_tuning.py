"""Python's garbage collector: it runs seldom while the table runs, and skips the objects from before.

By default it looks for cycles after every 700 new containers. A judgement makes thousands, among those of two
hundred spectators' messages, and a tenth of its time went into that search; yet reference counts alone free
nearly all of them. ``python -m tests.bench.spectators`` measures it.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

YOUNG = 20_000
"""New containers after which the youngest are searched: about 2 MB."""
OLDER = (20, 100)
"""After so many searches the next older generation is searched too: full searches are rare."""


@contextmanager
def collect_seldom() -> Iterator[None]:
    """Collects seldom meanwhile, and skips what exists already; afterwards as before."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(YOUNG, *OLDER)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
