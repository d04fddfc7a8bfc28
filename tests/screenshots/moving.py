"""The README's moving picture: ``python -m tests.screenshots.moving [FILE]``, docs/img/demo.webp by default.

Runs the demo, follows its page in a browser until the first foul of the recorded game, and keeps what was
seen from the turn before it until the foul is fixed, as an animated WebP.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import time
from collections import deque
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from playwright.sync_api import sync_playwright

from tests.firmware.conftest import REPOSITORY
from tests.firmware.sitting_browser import CHROMIUM, FLAGS

SIZE = (1280, 800)
SCALE = 0.6
"""How large the pictures are kept, of the page's size."""
STEP = 0.5
"""Seconds between two pictures, here and when they are played."""
BEFORE, AFTER = 8, 18
"""How many pictures are kept from before the foul is told, and from then on."""
SPEED = 3.0


def main() -> None:
    """Writes the moving picture."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", nargs="?", type=Path, default=REPOSITORY / "docs/img/demo.webp")
    target: Path = parser.parse_args().file
    command = [sys.executable, "-m", "firmware", "demo", "--port", "0", "--speed", str(SPEED)]
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True) as demo:
        try:
            assert demo.stdout is not None
            address = next(found[0] for line in demo.stdout if (found := re.search(r"http://\S+", line)))
            with sync_playwright() as driver:
                browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
                page = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]}, color_scheme="dark")
                page.goto(address)
                page.locator("#moves li").nth(1).wait_for(timeout=60_000)
                frames = _around_a_foul(page)
                browser.close()
        finally:
            demo.terminate()
    moving = cv2.Animation()
    moving.frames, moving.durations = frames, [round(STEP * 1000)] * len(frames)
    cv2.imwriteanimation(str(target), moving, [cv2.IMWRITE_WEBP_QUALITY, 60])
    print(f"{target}: {len(frames)} pictures, {target.stat().st_size // 1000} kB")


def _around_a_foul(page: Any) -> list[np.ndarray]:
    kept: deque[np.ndarray] = deque(maxlen=BEFORE)
    left = None
    frames: list[np.ndarray] = []
    while left is None or left > 0:
        began = time.monotonic()
        image = cv2.imdecode(np.frombuffer(page.screenshot(), np.uint8), cv2.IMREAD_COLOR)
        small = cv2.resize(image, None, fx=SCALE, fy=SCALE, interpolation=cv2.INTER_AREA)
        if left is None:
            kept.append(small)
            if page.locator("#judgement").inner_text().lower().find("legal play") >= 0:
                frames, left = list(kept), AFTER
        else:
            frames.append(small)
            left -= 1
        time.sleep(max(0.0, STEP - (time.monotonic() - began)))
    return frames


if __name__ == "__main__":
    main()
