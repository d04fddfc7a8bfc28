"""How long setting up holds up the table's event loop: ``python -m tests.bench.setup_loop``.

A table runs with the bundled recording's first picture before its camera; meanwhile something asks the loop
every 2 ms whether it is free. What is printed is the longest it was not, for each thing that the page asks
for. Run it on an idle machine: others count in.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from unittest import mock

from tests.bench.arguments import arguments
from tests.firmware.conftest import REEL
from tests.firmware.table_browser import SetTable
from vision.picture.frame import load

BEAT = 0.002


def main() -> None:
    """Does everything once, and prints a line for each."""
    arguments(__doc__)
    image = load(REEL / "000.jpg").image
    corners = [tuple(corner) for corner in json.loads((REEL / "reel.json").read_text())["corners_px"]]
    with tempfile.TemporaryDirectory() as folder:
        table = SetTable(Path(folder))
        mock.patch.object(
            table.eyes, "still", return_value=image
        ).start()  # a real picture before the simulated camera
        desk, gaps, going = table.setup, [0.0], True

        async def beat() -> None:
            last = time.monotonic()
            while going:
                await asyncio.sleep(BEAT)
                now = time.monotonic()
                gaps.append(now - last - BEAT)
                last = now

        async def call(does: Callable[[], object]) -> None:
            does()

        def work(begin: Callable[[], object]) -> None:
            table.run(call(begin))
            while desk.work is not None and not desk.work.over:
                time.sleep(0.01)

        async def looks() -> None:
            for _ in range(3):
                await asyncio.to_thread(desk.differs, "backgammon", {})

        async def views() -> None:
            for _ in range(10):
                await asyncio.to_thread(desk.view)

        table.call(lambda: asyncio.ensure_future(beat()))
        steps: dict[str, Callable[[], object]] = {
            "idle": lambda: time.sleep(3),
            "learn": lambda: work(lambda: desk.learn("backgammon", corners, {})),
            "keep": lambda: table.run(desk.keep()),
            "find": lambda: work(lambda: desk.find("backgammon", {})),
            "live picture": lambda: table.run(views()),
            "board as it should be": lambda: table.run(looks()),
        }
        for name, does in steps.items():
            gaps[:] = [0.0]
            does()
            print(f"{name:22} held up for at most {1000 * max(gaps):.0f} ms", flush=True)
        going = False
        table.close()


if __name__ == "__main__":
    main()
