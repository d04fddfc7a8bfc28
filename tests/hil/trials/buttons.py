"""Fingers: what each button does, how fast, and that no press counts twice or not at all."""

from __future__ import annotations

import random
import statistics
import subprocess
import time
from collections import Counter

from trials.bars import Bars
from trials.hands import Page, Transfer, bounce, entries, forget_spi, press, push, spi_log, status, wait

TO_JOURNAL = 10.0
"""Milliseconds from the edge to the time in the journal's entry, median."""
TO_STRIP = 40.0
"""Milliseconds from the edge to the bytes on the strip's wire, median."""
BOUNCE = 0.02
"""Seconds for which a contact may bounce."""
PLAYER_LAMPS = slice(28, 36)
"""The lamps that turn grey while it is paused, in the first configuration's map."""


def each(bars: Bars) -> None:
    """Each button once, in a match that is being played; what is refused changes nothing."""
    page = Page()
    page.unpause()
    for name in ("pause", "pause"):
        before, state = len(entries()), page.state()["state"]
        press(name)
        wait(lambda before=before: len(entries()) > before, 5)
        time.sleep(1)
        bars.same(f"{name} while {state}", len(entries()) - before, 1)
    before = len(entries())
    press("resign", 0.3)
    time.sleep(1.2)
    bars.same("resign, tapped", len(entries()) - before, 0)
    push("resign")
    time.sleep(2.2)
    push("resign", down=False)
    time.sleep(1)
    bars.same("resign, held", [entry.body.get("button") for entry in entries()[before:]], ["resign"])
    before = len(entries())
    turn = "first" if page.state()["turn"] == "white" else "second"
    press(f"{'second' if turn == 'first' else 'first'}.drop")
    wait(lambda: len(entries()) > before, 5)
    time.sleep(1)
    bars.same("the other refuses it", len(entries()) - before, 1)


def _paused(transfer: Transfer) -> bool:
    lit = [led[1:] for led in transfer.leds[PLAYER_LAMPS] if any(led[1:])]
    return bool(lit) and all(abs(red - blue) <= 2 for red, _, blue in lit)


def _loop() -> float:
    """Milliseconds of processor time for a loop: 5 on a fast processor, 100 and more on an emulated one."""
    begin, total = time.thread_time(), 0
    for number in range(100_000):
        total += number
    return 1000 * (time.thread_time() - begin)


def latency(bars: Bars, presses: int = 30) -> None:
    """From the edge of *pause* to the journal, and to the lamps."""
    Page().unpause()
    journal, strip = [], []
    for number in range(presses):
        before = len(entries())
        forget_spi()
        off = time.time() - time.monotonic()
        t = press("pause")
        time.sleep(1)
        new = entries()[before:]
        if len(new) == 1:
            journal.append(1000 * (new[0].at - off - t))
        shown = next((each for each in spi_log() if each.t > t and _paused(each) == (number % 2 == 0)), None)
        if shown is not None:
            strip.append(1000 * (shown.t - t))
    Page().unpause()
    bars.note("how fast this machine is: a loop of Python, 100,000 rounds", f"{_loop():.0f} ms")
    bars.same("presses in the journal, lamps changed", (len(journal), len(strip)), (presses, presses))
    bars.at_most("edge to the journal's time, median", statistics.median(journal), TO_JOURNAL, "ms")
    bars.note("the same, 9 of 10 within", f"{sorted(journal)[len(journal) * 9 // 10]:.1f} ms")
    bars.at_most("edge to the strip's wire, median", statistics.median(strip), TO_STRIP, "ms")
    bars.note("the same, 9 of 10 within", f"{sorted(strip)[len(strip) * 9 // 10]:.1f} ms")


def _burst(chance: random.Random, last: bool, most: float) -> list[tuple[bool, float]]:
    """Edges within ``most`` milliseconds that end at ``last``."""
    times = sorted(chance.uniform(0.1, 0.95) * most for _ in range(2 * chance.randint(1, 5)))
    edges, level, at = [], last, 0.0
    for t in times:
        edges.append((level, t - at))
        level, at = not level, t
    return [*edges, (last, 0.0)]


def bouncing(bars: Bars, presses: int = 40, most: float = 8.0, seed: int = 5) -> None:
    """Presses whose contact bounces for up to ``most`` milliseconds as it closes and as it opens: each must
    count once."""
    chance, counts, longest, late, slowest = random.Random(seed), Counter[int](), 0.0, 0, 0.0
    while counts.total() < presses and late < presses:
        before = len(entries())
        down, up = _burst(chance, True, most), _burst(chance, False, most)
        down[-1] = (True, chance.choice([60, 120, 200]))
        t = bounce("pause", *down, *up)
        bounced = max(t[len(down) - 1] - t[0], t[-1] - t[len(down)])
        waited = wait(lambda before=before: len(entries()) > before, 10)
        slowest = max(slowest, waited or 0.0)
        time.sleep(0.6)  # a second one would come by then
        new = entries()[before:]
        if bounced > BOUNCE:
            late += 1
        else:
            counts[len(new)] += 1
            longest = max(longest, bounced)
        if len(new) != 1:
            print(f"   bounced for {1000 * bounced:.1f} ms: {len(new)} events", flush=True)
            time.sleep(2)  # else it might be taken for a loose wire
    Page().unpause()
    bars.note("the longest bounce that was driven", f"{1000 * longest:.1f} ms")
    bars.note("the slowest press to be written down", f"{slowest:.1f} s")
    bars.note(f"left out, since a busy machine drew them out beyond {1000 * BOUNCE:.0f} ms", late)
    bars.same(f"events of each of {presses} presses", dict(counts), {1: presses})


def loaded(bars: Bars) -> None:
    """500 bouncing presses while both processors are busy."""
    busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(2)]
    try:
        bouncing(bars, 500, 8.0, seed=11)
    finally:
        for each in busy:
            each.kill()


def loose(bars: Bars) -> None:
    """A loose wire and a jammed button are named, and forgotten when they are well."""
    Page().unpause()
    for _ in range(12):
        press("pause", 0.05)
        time.sleep(0.05)
    time.sleep(0.5)
    bars.same("12 presses in 1.2 s: chattering", "chattering" in status())
    bars.at_most("and well again", wait(lambda: "chattering" not in status(), 10), 5, "s")
    push("second.undo")
    bars.at_most("down for long: stuck", wait(lambda: "stuck" in status(), 40), 25, "s")
    push("second.undo", down=False)
    bars.at_most("let go: well again", wait(lambda: "stuck" not in status(), 10), 3, "s")
    Page().unpause()
