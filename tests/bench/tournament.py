"""A 64-player elimination and an 8-player round robin, run to the end through the director's page in a real
browser, every result typed; the standings that the public sees are compared with a calculation that uses none
of the hub's code.

    python -m tests.bench.tournament [--players 64] [--league 8] [--seed 1]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.firmware.hub import director_browser as director
from tests.firmware.hub.club import Club
from tests.firmware.sitting_browser import CHROMIUM, FLAGS


def main() -> None:
    from playwright.sync_api import sync_playwright

    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--players", type=int, default=64)
    words.add_argument("--league", type=int, default=8)
    words.add_argument("--seed", type=int, default=1)
    given = words.parse_args()
    with TemporaryDirectory() as folder, Club(Path(folder), tables=8) as club, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        for name, kind, count, lengths in (
            ("Cup", "elimination", given.players, [5, 5, 7, 7, 9, 11]),
            ("League", "round-robin", given.league, [7]),
        ):
            began = time.monotonic()
            played = director.run(page, club, Path(folder), name, kind, count, lengths, given.seed)
            took = time.monotonic() - began
            print(f"{name}: {count} players, {played} matches typed in {took:.0f} s; standings agree")
        browser.close()


if __name__ == "__main__":
    main()
