"""Set up by the page, then the recorded game, played at the simulated table: pictures before the camera,
fingers on the buttons, dice typed on the page; each verdict beside the truth."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from trials.bars import Bars
from trials.hands import REEL, Page, look, press, unit, wait

VERDICT = 10.0
"""Seconds from *done* to the verdict, on the emulated processor."""
REST = 1.3
"""Seconds from the last picture of a play to *done*: an emulated machine takes one or two pictures a second,
and one that is a second old may be judged."""
PUSH = 0.3
"""Seconds for which a button is down: where the emulated machine stands still, it may lose an edge."""
PEAK = 300.0
"""Megabytes that the table may ever have had, so that a Pi with 512 MB can be offered."""


def megabytes(field: str) -> float:
    """A line of the table's ``/proc/PID/status``, in MB."""
    lines = Path(f"/proc/{unit('MainPID')}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(field))


class Desk:
    """Whoever sets the table up."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self.token: str = page.call("POST", "/api/setup/desk", {"take": True})[1]["desk"]

    def do(self, step: str, **more: Any) -> None:
        """One step. Raises AssertionError where it is refused."""
        status, said = self._page.call("POST", f"/api/setup/{step}", {"desk": self.token, **more})
        assert status in (200, 204), f"{step}: {said}"

    def state(self) -> Any:
        """How things stand."""
        return self._page.call("GET", f"/api/setup?desk={self.token}")[1]

    def work(self, step: str, **more: Any) -> tuple[float, Any]:
        """A step that takes long: its seconds and its result."""
        self.do(step, game="backgammon", **more)
        done = wait(lambda: (self.state()["work"] or {}).get("over"), 600, 0.5)
        found = self.state()["work"]
        assert done is not None, f"{step}: {found}"
        assert not found.get("refused"), f"{step}: {found}"
        return done, found["result"]


def begin(page: Page, desk: Desk) -> None:
    """A match of typed dice, whatever was at the table."""
    match = {"rules": "backgammon", "players": {"white": "Ada", "black": "Ben"}, "dice": "rolled"}
    desk.do("begin", begin=match, words={}, leave=True)
    desk.do("leave")


def set_up(bars: Bars) -> None:
    """The table, by its page: corners, calibration, a match."""
    about = json.loads((REEL / "reel.json").read_text())
    page = Page()
    look(REEL / "000.jpg")
    time.sleep(3)
    desk = Desk(page)
    seen = desk.state()
    scale = [now / then for now, then in zip(seen["picture"], about["size"], strict=True)]
    bars.same("lamps and buttons", (seen["lamps"]["count"], len(seen["buttons"])), (72, 14))
    seconds, found = desk.work("find", measures={})
    due = [[x * scale[0], y * scale[1]] for x, y in about["corners_px"]]
    bars.note("find the corners", f"{seconds:.0f} s")
    pairs = zip(found["corners"], due, strict=True)
    near = [abs(a - b) for corner, at in pairs for a, b in zip(corner, at, strict=True)]
    bars.at_most("a corner found beside the true one", max(near), 0.02 * seen["picture"][0], "px")
    seconds, found = desk.work("learn", corners=due, measures=about["geometry_cm"])
    bars.note("learn the board", f"{seconds:.0f} s")
    desk.do("keep")
    begin(page, desk)
    bars.same("a match has begun", page.state()["players"], {"white": "Ada", "black": "Ben"})


def _play(bars: Bars, last: int, hand: float, rest: float) -> None:
    line = json.loads((REEL / "reel.json").read_text())["timeline"]
    truth = json.loads((REEL / "truth.json").read_text())
    page, number, right, slowest = Page(), 0, 0, 0.0
    begin(page, Desk(page))
    for moment in line:
        if number > last:
            break
        if "frame" in moment:
            look(REEL / moment["frame"])
            time.sleep(hand if truth["frames"][moment["frame"]]["hand"] else rest)
        elif "roll" in moment:
            first = {"opening": True} if moment.get("opening") else {}
            refused = page.act(event="roll", dice=moment["roll"], **first)
            assert refused is None, f"{moment}: {refused}"
        elif moment["button"] != "done":
            press(f"{_box(moment)}.{moment['button']}", PUSH)
        else:
            seconds, ok = _judge(page, moment, truth["verdicts"][number])
            right, slowest, number = right + ok, max(slowest, seconds), number + 1
    bars.same("verdicts as in truth.json", f"{right} of {number}", f"{number} of {number}")
    bars.at_most("done to the verdict, the slowest", slowest, VERDICT, "s")


def _box(moment: dict[str, Any]) -> str:
    return "first" if moment["side"] == "white" else "second"


def _judge(page: Page, moment: dict[str, Any], due: dict[str, Any]) -> tuple[float, bool]:
    """*Done*; how long the verdict took, and whether it is the one that is due."""
    before = page.state()
    t = press(f"{_box(moment)}.done", PUSH)

    def judged() -> bool:
        now = page.state()
        fresh = now["judgement"] != before["judgement"] or len(now["moves"]) != len(before["moves"])
        return bool(now["judgement"]) and fresh

    wait(judged, 60)
    seconds = time.monotonic() - t
    said = page.state()["judgement"] or {"verdict": None, "text": ""}
    ok = bool(said["verdict"] == due["verdict"])
    if said["verdict"] == "unsure" and due["verdict"] == "legal":
        page.act(event="choose", play=_played(page.state()["candidates"], due["after"]))
    words = "" if ok else f"  <-- due: {due['verdict']}"
    print(f"   {moment['side']}: {said['verdict']} {said['text']} in {seconds:.2f} s{words}", flush=True)
    return seconds, ok


def _played(candidates: Any, after: Any) -> str | None:
    """What the players answer who are asked: of the plays in question the one that was made."""

    def points(cells: Any) -> dict[str, int]:
        pieces = {cell[1:]: [each for layer in layers for each in layer] for cell, layers in cells.items()}
        count = {point: sum(1 if each == "white" else -1 for each in on) for point, on in pieces.items()}
        return {point: number for point, number in count.items() if point.isdigit() and number}

    return next((each["play"] for each in candidates if points(each["cells"]) == after["points"]), None)


def four_turns(bars: Bars) -> None:
    """The first four turns, a foul and its correction among them."""
    _play(bars, 4, 3.0, REST)


def whole_game(bars: Bars) -> None:
    """The whole recorded game, all of its verdicts."""
    _play(bars, 10_000, 2.0, REST)


def another_match(bars: Bars) -> None:
    """A match to be interrupted: after a whole game there is none."""
    page = Page()
    begin(page, Desk(page))
    bars.same("it waits for somebody", page.state()["state"] in ("opening", "roll", "play"))


def memory(bars: Bars) -> None:
    """What the table has needed since it started: run it after setting up and playing."""
    bars.at_most("memory at most, as the kernel counts it (VmHWM)", megabytes("VmHWM"), PEAK, "MB")
    bars.note("memory now (VmRSS)", f"{megabytes('VmRSS'):.0f} MB")
    bars.note("memory at most, as systemd counts it", f"{int(unit('MemoryPeak')) / 2**20:.0f} MB")
    before = int(unit("CPUUsageNSec"))
    time.sleep(20)
    idle = (int(unit("CPUUsageNSec")) - before) / 20e7
    bars.note("processor while nothing happens", f"{idle:.0f}% of an emulated core")
