"""On the host: the guest's power is cut the moment that the page shows something new; then it boots. Is the
match the same? Argument: how many times. In mid-game, after the trials."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

GUEST = str(Path(__file__).with_name("guest"))
FIGURES = Path(os.environ["HIL"]) / "figures.jsonl"
PAGE = f"http://127.0.0.1:{os.environ.get('PAGE', '18680')}/api/state"
MATCH = ("players", "state", "due", "turn", "dice", "cells", "cube", "match", "score", "judgement", "moves")
PRESS = "cd /root/hil && python3 -c 'from trials.hands import press; press(\"pause\")'"
BOOT = 300.0
"""Seconds that the emulated machine may take from its power to the page."""


def match() -> dict[str, Any] | None:
    """What the page shows of the match; None while there is none."""
    try:
        with urllib.request.urlopen(PAGE, timeout=2) as answer:
            state = json.load(answer)
    except OSError:
        return None
    return {key: state[key] for key in MATCH} if "title" in state else None


def cut() -> tuple[bool, float]:
    """One cut: whether the match is the same, and how many seconds the page took to come back."""
    before = match()
    none = subprocess.DEVNULL
    with subprocess.Popen([GUEST, "in", PRESS], stdout=none, stderr=none) as presses:
        until = time.monotonic() + 60
        while ((shown := match()) is None or shown == before) and time.monotonic() < until:
            pass
        subprocess.run([GUEST, "cut"], check=True)
        presses.kill()
    if shown is None or shown == before:
        raise SystemExit("the press did nothing")
    begin = time.monotonic()
    subprocess.run([GUEST, "boot"], check=True)
    while (after := match()) is None and time.monotonic() - begin < BOOT:
        time.sleep(0.5)
    return after == shown, time.monotonic() - begin


def main(cuts: int) -> int:
    """0 where every cut left the match as it was shown."""
    same = 0
    for number in range(1, cuts + 1):
        kept, seconds = cut()
        same += kept
        words = "the same match" if kept else "DIFFERENT"
        print(f"   power cut {number}: {words}, page after {seconds:.0f} s", flush=True)
        subprocess.run([GUEST, "wait"], check=True, stdout=subprocess.DEVNULL)
    line = {
        "trial": "power",
        "what": "power cuts after which the match was the same",
        "found": f"{same} of {cuts}",
        "must": f"{cuts} of {cuts}",
        "met": same == cuts,
    }
    with FIGURES.open("a") as figures:
        figures.write(json.dumps(line) + "\n")
    return 0 if same == cuts else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
