"""Long work for those who look on: in turns, in slices, and only while somebody waits for it."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable

import pytest

from firmware.page.refusal import Refused
from firmware.page.work_queue import LINE, REST, SLICE, Breath, WorkQueue
from tests.firmware.sitting_browser import PATIENCE


async def stays() -> None:
    await asyncio.sleep(3600)


def busy(seconds: float, breath: Breath) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        breath()


def run(test: Callable[[WorkQueue], Awaitable[None]]) -> None:
    async def bounded() -> None:
        await asyncio.wait_for(test(WorkQueue()), PATIENCE)

    asyncio.run(bounded())


def test_work_that_nobody_waits_for_any_more_is_not_done() -> None:
    async def test(queue: WorkQueue) -> None:
        done: list[int] = []
        goes = asyncio.Event()
        first = asyncio.create_task(queue.do("a", "first", lambda breath: busy(3600, breath), goes.wait))
        others = [
            asyncio.create_task(queue.do("a", f"{n}", lambda _, n=n: done.append(n), goes.wait))
            for n in range(5)
        ]
        await asyncio.sleep(0.05)
        goes.set()
        for task in (first, *others):
            with pytest.raises(Refused):
                await task
        assert await queue.do("b", "mine", lambda _: 7, stays) == 7
        assert done == []

    run(test)


def test_addresses_take_turns() -> None:
    async def test(queue: WorkQueue) -> None:
        done: list[str] = []
        go = threading.Event()
        tasks = [asyncio.create_task(queue.do("a", "block", lambda _: go.wait(PATIENCE), stays))]
        for name in ("a1", "a2", "a3", "b1"):
            work = queue.do(name[0], name, lambda _, name=name: done.append(name), stays)
            tasks.append(asyncio.create_task(work))
        await asyncio.sleep(0.05)
        go.set()
        await asyncio.gather(*tasks)
        assert done.index("b1") <= 1
        assert [each for each in done if each[0] == "a"] == ["a1", "a2", "a3"]

    run(test)


def test_who_asks_for_the_same_shares_it_and_one_may_go() -> None:
    async def test(queue: WorkQueue) -> None:
        count = 0
        goes = asyncio.Event()

        def work(breath: Breath) -> int:
            nonlocal count
            count += 1
            busy(0.05, breath)
            return count

        gone = asyncio.create_task(queue.do("a", "same", work, goes.wait))
        stay = [asyncio.create_task(queue.do(who, "same", work, stays)) for who in "bcd"]
        await asyncio.sleep(0.02)
        goes.set()
        assert await asyncio.gather(*stay) == [1, 1, 1]
        with pytest.raises(Refused):
            await gone

    run(test)


def test_one_address_cannot_wait_for_more_than_a_few() -> None:
    async def test(queue: WorkQueue) -> None:
        goes = asyncio.Event()
        tasks = [
            asyncio.create_task(queue.do("a", f"{n}", lambda breath: busy(3600, breath), goes.wait))
            for n in range(LINE + 5)
        ]
        await asyncio.sleep(0.05)
        assert sum(task.done() for task in tasks) in (4, 5)  # one may be at work already
        goes.set()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert not queue.busy

    run(test)


def test_work_rests_twice_as_long_as_it_worked() -> None:
    begun, cpu = time.perf_counter(), time.thread_time()
    busy(10 * SLICE, Breath())
    worked = time.thread_time() - cpu
    assert time.perf_counter() - begun >= 0.8 * (1 + REST) * worked


def test_a_fault_in_the_work_is_told_and_the_next_is_done() -> None:
    async def test(queue: WorkQueue) -> None:
        with pytest.raises(ZeroDivisionError):
            await queue.do("a", "bad", lambda _: 1 // 0, stays)
        assert await queue.do("a", "bad", lambda _: 2, stays) == 2

    run(test)
