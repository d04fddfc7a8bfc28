"""How soon a browser shows the board, and what it fetches for that: ``python -m tests.bench.first_board
[RUNS]``.

A fresh browser profile each time (nothing cached) opens the page of a backgammon match from the same machine.
Prints the median and the worst time from the start of loading until the board was drawn and painted, the
bytes and requests, and any request that left the table.
"""

from __future__ import annotations

import statistics
import sys
from dataclasses import dataclass

from playwright.sync_api import Browser, Request, sync_playwright

from engine.events import Begin, Roll
from tests.bench.arguments import arguments
from tests.firmware.sitting_browser import CHROMIUM, FLAGS, Sitting

WATCH = """() => new Promise((done) => {
  const look = () => document.querySelector("#board.drawn circle.disc")
    ? requestAnimationFrame(() => setTimeout(() => done(performance.now()))) : requestAnimationFrame(look);
  look();
})"""


@dataclass(frozen=True)
class Visit:
    """``took`` milliseconds until the board was drawn; ``size`` bytes, ``asked`` what was asked for,
    ``outside`` what of it elsewhere."""

    took: float
    size: int
    asked: int
    outside: list[str]


def visit(browser: Browser, address: str) -> Visit:
    """A phone that was never here."""
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    asked: list[Request] = []
    page.on("request", lambda request: asked.append(request))  # a builtin cannot be listened with
    page.goto(address, wait_until="commit")
    took = page.evaluate(WATCH)
    sizes = [each.sizes() for each in asked if "/api/events" not in each.url]
    size = sum(each["responseBodySize"] + each["responseHeadersSize"] for each in sizes)
    outside = [each.url for each in asked if not each.url.startswith(address)]
    context.close()
    return Visit(took, size, len(asked), outside)


def main(runs: int) -> None:
    """Measures."""
    table = Sitting(Begin(t=0, rules="backgammon", players={"white": "Ann", "black": "Bob"}))
    table.tell(Roll(t=0, dice=(6, 1), side="white"))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        visits = [visit(browser, table.address) for _ in range(runs)]
        browser.close()
    table.close()
    took, last = [each.took for each in visits], visits[-1]
    outside = [url for each in visits for url in each.outside]
    print(f"board after {statistics.median(took):.0f} ms (worst {max(took):.0f}) in {runs} runs")
    print(
        f"{last.size / 1000:.1f} kB in {last.asked} requests, beside the stream; outside the table:"
        f" {outside or 'none'}"
    )
    sys.exit(1 if outside else 0)


if __name__ == "__main__":
    main(**arguments(__doc__, runs=15))
