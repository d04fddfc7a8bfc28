"""Python's garbage collector at a table."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import sys
from pathlib import Path

from firmware.table.gc_tuning import YOUNG, collect_seldom
from tests.firmware.desk import backgammon, running


class Ring:
    """Refers to itself, so that only the collector can free it."""

    def __init__(self) -> None:
        self.own = self


def rings() -> int:
    return sum(isinstance(each, Ring) for each in gc.get_objects())


def test_cycles_are_still_collected_meanwhile() -> None:
    """A table may run for weeks: seldom is not never."""
    gc.collect()
    with collect_seldom():
        for _ in range(3 * YOUNG):
            Ring()
        assert rings() <= 2 * YOUNG


def test_all_is_as_before_when_it_ends_badly() -> None:
    before = gc.get_threshold(), gc.get_freeze_count(), sys.getswitchinterval()
    within = 0
    with contextlib.suppress(KeyError), collect_seldom():
        within = gc.get_threshold()[0]
        assert sys.getswitchinterval() < before[2]
        raise KeyError
    assert within == YOUNG
    assert (gc.get_threshold(), gc.get_freeze_count(), sys.getswitchinterval()) == before


def test_a_table_collects_seldom(tmp_path: Path) -> None:
    before = gc.get_threshold()

    async def table() -> int:
        async with running(tmp_path, lambda t: backgammon(t, 0)):
            return gc.get_threshold()[0]

    assert asyncio.run(table()) == YOUNG
    assert gc.get_threshold() == before
