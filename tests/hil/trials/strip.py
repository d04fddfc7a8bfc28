"""What is on the strip's wire: frames as an APA102 reads them, the current, the rate, the lamps of a foul."""

from __future__ import annotations

import itertools
import statistics
import time
import tomllib
from typing import Any

from trials.bars import Bars
from trials.hands import CONFIG, Page, forget_spi, spi_log


def _places(given: Any, name: str = "") -> dict[int, str]:
    """The place of each LED, from the configuration's map."""
    if isinstance(given, dict):
        found: dict[int, str] = {}
        for key, inner in given.items():
            found |= _places(inner, f"{name}.{key}" if name else key)
        return found
    if isinstance(given, str):
        first, last = (int(part) for part in given.split("-"))
        return dict.fromkeys(range(first, last + 1), name)
    return dict.fromkeys([given] if isinstance(given, int) else given, name)


def lights(bars: Bars) -> None:
    """Three seconds of what the strip is told."""
    strip = tomllib.loads(CONFIG.read_text())["strip"]
    forget_spi()
    time.sleep(3)
    sent, state = spi_log(), Page().state()
    frames = [each.leds for each in sent]
    bars.same("LEDs in every frame", {len(frame) for frame in frames}, {strip["count"]})
    tails = [len(each.data) - 4 - 4 * strip["count"] for each in sent]
    bars.same("clocks after the last LED for all of them", min(tails) * 16 >= strip["count"])
    bars.same("the clock's hertz", {each.hertz for each in sent}, {strip["hz"]})
    currents = [
        sum(strip["idle"] + strip["channel"] * sum(led[1:]) / 255 for led in frame) for frame in frames
    ]
    bars.at_most("current by the data sheet", max(currents), strip["milliamps"], "mA")
    greatest = max(max(led[1:]) for frame in frames for led in frame)
    bars.at_most("the greatest level", greatest, strip["cap"], "")
    gaps = [after.t - before.t for before, after in itertools.pairwise(sent)]
    bars.note("time between frames, median", f"{1000 * statistics.median(gaps):.0f} ms")
    if state["state"] == "foul":
        bars.same("the lamps that blink, as the judge says", _blinking(strip, frames), _wrong(state))


def _blinking(strip: Any, frames: list[list[tuple[int, int, int, int]]]) -> list[str]:
    found = set()
    for led, name in _places(strip["map"]).items():
        levels = [any(frame[led][1:]) for frame in frames]
        if name[0] in "pbo" and not name.startswith("player") and any(levels) and not all(levels):
            found.add(name)
    return sorted(found)


def _wrong(state: Any) -> list[str]:
    words = {"white": "first", "black": "second"}
    return sorted(
        ".".join(words.get(part, part) for part in cell.split(".")) for cell in state["judgement"]["cells"]
    )
