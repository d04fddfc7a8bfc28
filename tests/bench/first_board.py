"""How soon a browser shows the board, and what it fetches for that: ``python -m tests.bench.first_board [RUNS]``.

A fresh browser profile each time (nothing cached) opens the page of a backgammon match from the same machine. Prints the median and the
worst time from the start of loading until the board was drawn and painted, the bytes and requests, and any request that left the table.
"""

from __future__ import annotations

import statistics
import sys

from playwright.sync_api import Request, sync_playwright

from engine.events import Begin, Roll
from tests.bench.told import told
from tests.firmware.sitting_browser import CHROMIUM, FLAGS, Sitting

WATCH = """() => new Promise((done) => {
  const look = () => document.querySelector("#board.drawn circle.disc")
    ? requestAnimationFrame(() => setTimeout(() => done(performance.now()))) : requestAnimationFrame(look);
  look();
})"""


def main(runs: int) -> None:
    """Measures."""
    table = Sitting(Begin(t=0, rules="backgammon", players={"white": "Ann", "black": "Bob"}))
    table.tell(Roll(t=0, dice=(6, 1), side="white"))
    took: list[float] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for _ in range(runs):
            context = browser.new_context(viewport={"width": 390, "height": 844})
            page = context.new_page()
            asked: list[Request] = []
            page.on("request", lambda request, asked=asked: asked.append(request))  # type: ignore[misc]  # bound while the loop turns
            page.goto(table.address, wait_until="commit")
            took.append(page.evaluate(WATCH))
            streams = [each for each in asked if "/api/events" in each.url]
            size = sum(each.sizes()["responseBodySize"] + each.sizes()["responseHeadersSize"] for each in asked if each not in streams)
            outside = [each.url for each in asked if not each.url.startswith(table.address)]
            context.close()
        browser.close()
    table.close()
    print(f"board after {statistics.median(took):.0f} ms (worst {max(took):.0f}) in {runs} runs")
    print(f"{size / 1000:.1f} kB in {len(asked)} requests, beside the stream; outside the table: {outside or 'none'}")
    sys.exit(1 if outside else 0)


if __name__ == "__main__":
    main(**told(__doc__, runs=15))
