"""Parts of a running program that fail."""

from __future__ import annotations

import asyncio

import pytest

from firmware import parts
from firmware.parts import Parts


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "TOLD", 0.2)
    monkeypatch.setattr(parts, "AGAIN", 0.05)


def test_a_part_that_goes_on_failing_does_not_seem_to_work_again() -> None:
    told: list[str] = []
    failures = 0

    async def work() -> None:
        nonlocal failures
        failures += 1
        if failures < 10:
            raise ZeroDivisionError("by zero")

    async def evening() -> None:
        await Parts(lambda name, words: told.append(words)).keep_going("wall", work)
        assert "" not in told
        await asyncio.sleep(0.3)
        assert told.pop() == ""
        words = "a fault in the program (wall), it goes on: ZeroDivisionError: by zero"
        assert all(each.startswith(words) for each in told)

    asyncio.run(evening())


def test_what_ends_the_program_is_no_fault() -> None:
    async def work() -> None:
        raise KeyError("two")

    with pytest.raises(KeyError):
        asyncio.run(Parts(lambda name, words: pytest.fail(words), KeyError).keep_going("hub", work))
