"""What breaks in mid-game, one thing after another: how soon it is said, whether the match stands, whether it
comes back by itself. Begun with a match that is being played."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from trials.bars import Bars
from trials.hands import (
    CONFIG,
    FINE,
    REEL,
    SPI,
    STATE,
    UNPLUGGED,
    Page,
    forget_spi,
    look,
    press,
    release_all,
    said,
    shell,
    spi_log,
    status,
    unit,
    wait,
)

BUS = Path("/sys/bus/spi/drivers/spidev")
CHIP = Path("/sys/bus/platform/drivers/gpio-sim")
VIDEO = Path("/sys/bus/platform/drivers/vivid")
LINES = 6
"""A fault may write so many lines into the system's journal."""
FLOOD = 700
"""And where lgpio complains: the unit's limit of 100, times what journald adds on a disk with room."""
BACK = 60.0
"""Seconds until the table is well again after a kill, on the emulated processor; a Pi is several times
faster."""


@contextmanager
def _same_match(bars: Bars, restarts: bool = False, lines: int = LINES) -> Iterator[Page]:
    """The match at the table stands, the program goes on (or is restarted), and the journal is not filled."""
    page = Page()
    page.unpause()
    before, fine = page.match(), (*FINE, status())
    program, since = unit("MainPID"), time.time()
    yield page
    bars.at_most("all is as before", wait(lambda: status() in fine and page.match(), BACK), BACK, "s")
    bars.same("the same match, at the same place", page.match() == before)
    bars.same("the program was restarted", unit("MainPID") != program, restarts)
    told = [line for line in said(since) if "INFO Camera" not in line]
    bars.at_most("lines in the system's journal", len(told), lines * (1 + restarts), "")
    for line in told if len(told) <= 2 * LINES else [*told[:LINES], "…", *told[-LINES:]]:
        print("     ", line[:200], flush=True)


def _pause_works(page: Page) -> bool:
    """Whether a press does something; afterwards as before."""
    press("pause")
    paused = wait(lambda: page.state()["state"] == "paused", 5) is not None
    press("pause")
    return paused and wait(lambda: page.state()["state"] != "paused", 5) is not None


def killed(bars: Bars) -> None:
    """``kill -9``, six times: the pause before the restart stays as it is."""
    with _same_match(bars, restarts=True, lines=4 * LINES) as page:
        pauses = []
        for _ in range(6):
            before = unit("MainPID")
            os.kill(int(before), signal.SIGKILL)
            pause = wait(lambda before=before: unit("MainPID") not in ("0", before), BACK)
            pauses.append(BACK if pause is None else pause)
            wait(lambda: page.match() is not None, BACK)
        bars.note("pauses before the restarts", ", ".join(f"{pause:.1f} s" for pause in pauses))
        bars.at_most("the longest pause before a restart", max(pauses), 5, "s")


def strip_fails(bars: Bars) -> None:
    """The bus refuses every transfer, then the device goes away and comes back."""
    with _same_match(bars):
        (SPI / "fail").write_text("5")
        bars.at_most("transfers fail: said", wait(lambda: "strip" in status(), 20), 5, "s")
        (SPI / "fail").write_text("0")
        bars.at_most("well again", wait(lambda: "strip" not in status(), 20), 12, "s")
        (BUS / "unbind").write_text("spi0.0")
        bars.at_most("the device is gone: said", wait(lambda: "strip" in status(), 20), 5, "s")
        time.sleep(5)
        (BUS / "bind").write_text("spi0.0")
        bars.at_most("well again", wait(lambda: "strip" not in status(), 30), 15, "s")
        _shines(bars)


def strip_fails_at_start(bars: Bars) -> None:
    """The table starts while the bus refuses every transfer, which ends 20 seconds later."""
    with _same_match(bars, restarts=True, lines=2 * LINES) as page:
        (SPI / "fail").write_text("5")
        shell("systemctl restart barpoint")
        bars.at_most("page", wait(lambda: page.match() is not None, BACK), BACK, "s")
        bars.at_most("said", wait(lambda: "strip" in status(), 20), 5, "s")
        bars.note("in these words", status())
        time.sleep(20)
        (SPI / "fail").write_text("0")
        bars.at_most("well again", wait(lambda: "strip" not in status(), 20), 12, "s")
        _shines(bars)


def _shines(bars: Bars) -> None:
    forget_spi()
    time.sleep(3)
    bars.same("frames on the wire again", len(spi_log()) > 0)


def ribbon(bars: Bars) -> None:
    """The ribbon comes loose for 45 seconds while nothing happens."""
    with _same_match(bars):
        UNPLUGGED.touch()
        bars.at_most("said", wait(lambda: "camera" in status(), 60), 8, "s")
        time.sleep(45)
        UNPLUGGED.unlink()


def no_ribbon(bars: Bars) -> None:
    """The table starts without a camera, and gets one after 36 seconds."""
    with _same_match(bars, restarts=True) as page:
        UNPLUGGED.touch()
        since = time.time()
        shell("systemctl restart barpoint")
        bars.at_most("page", wait(lambda: page.match() is not None, BACK), BACK, "s")
        time.sleep(36)
        bars.at_most("lines in the journal of the whole start", len(said(since)), 10, "")
        UNPLUGGED.unlink()


def old_picture(bars: Bars) -> None:
    """The ribbon comes loose, a player plays legally and presses *done*: no verdict by the old picture, and
    the right one once there is a picture. Follows the first four turns, with their foul."""
    page = Page()
    page.unpause()
    if page.state()["state"] == "foul":
        for picture in ("011.jpg", "012.jpg"):
            look(REEL / picture)
            time.sleep(3)
        for _ in range(3):  # a slow machine may ask for another, as it would ask a player
            press("second.done")
            if wait(lambda: page.state()["state"] not in ("foul", "asked"), 15) is not None:
                break
        bars.same("corrected", page.state()["state"] not in ("foul", "asked"))
    refused = page.act(event="roll", dice=[3, 5])
    assert refused is None, refused
    moves, since = len(page.state()["moves"]), time.time()
    UNPLUGGED.touch()
    time.sleep(0.5)  # the table does not know yet
    look(REEL / "014.jpg")
    press("first.done")
    wait(lambda: page.state()["state"] in ("foul", "asked"), 12)
    state = page.state()
    bars.same("a legal play, done at a loose ribbon: accused", state["state"] == "foul", False)
    bars.note("the players are told", f"{state['phase']}; {status()}")
    bars.same("nothing was judged legal, either", len(state["moves"]), moves)
    UNPLUGGED.unlink()
    bars.at_most("the camera is back", wait(lambda: "camera" not in status(), 30), 20, "s")
    time.sleep(3)
    if len(page.state()["moves"]) == moves:
        press("first.done")
    wait(lambda: len(page.state()["moves"]) > moves, 15)
    judged = page.state()["judgement"] or {}
    bars.same("then the verdict", judged.get("verdict"), "legal")
    bars.at_most("lines in the system's journal", len(said(since)), 2 * LINES, "")


def chip(bars: Bars) -> None:
    """The GPIO chip goes away for 12 seconds."""
    with _same_match(bars, lines=FLOOD) as page:
        (CHIP / "unbind").write_text("gpio-sim.0")
        bars.at_most("said", wait(lambda: "button" in status(), 20), 5, "s")
        time.sleep(12)
        (CHIP / "bind").write_text("gpio-sim.0")
        time.sleep(1)
        release_all()
        bars.at_most("the buttons are back", wait(lambda: "button" not in status(), 30), 15, "s")
        time.sleep(1)
        bars.same("a press counts again", _pause_works(page))


def disk(bars: Bars) -> None:
    """The disk is full: nothing is done and it is said, also in ``systemctl status``; a kill does not change
    that; with room again all goes on."""
    fills = Path("/fill"), STATE / "fill"
    with _same_match(bars, restarts=True, lines=2 * LINES) as page:
        shell(f"dd if=/dev/zero of={fills[0]} bs=1M")
        # The blocks that are kept for root are not for the table's user.
        shell(f"setpriv --reuid=barpoint --regid=barpoint --clear-groups dd if=/dev/zero of={fills[1]} bs=1k")
        press("pause")
        told = wait(lambda: "disk" in status(), 10)
        bars.at_most("full: systemctl status says so", told, 5, "s")
        bars.note("in these words", status())
        bars.same("paused", page.state()["state"] == "paused", False)
        os.kill(int(unit("MainPID")), signal.SIGKILL)
        time.sleep(20)
        bars.note("killed on the full disk, page after 20 s", page.match() is not None)
        for path in fills:
            path.unlink(missing_ok=True)
        bars.at_most("room again: the page", wait(lambda: page.match() is not None, BACK), BACK, "s")
        time.sleep(3)
        bars.same("a press counts again", _pause_works(page))


@contextmanager
def _camera_by_v4l2(page: Page) -> Iterator[None]:
    """The kernel's vivid instead of the camera on the ribbon, on a machine that has seen no camera when the
    table starts; afterwards as before."""
    plug_in = "modprobe vivid n_devs=1 node_types=0x1"
    shell(plug_in)
    time.sleep(3)
    names = Path("/sys/class/video4linux").glob("video*/name")
    node = next(name.parent.name for name in names if "vivid" in name.read_text())
    changes = {"kind": '"v4l2"', "device": node.removeprefix("video"), "width": "1280", "height": "720"}
    kept = CONFIG.with_suffix(".kept")
    shutil.copy(CONFIG, kept)
    edit = "; ".join(f"s/^{key} = .*/{key} = {value}/" for key, value in changes.items())
    shell(f"sed -i '/^\\[camera\\]/,/^\\[buttons\\]/ {{ {edit} }}' {CONFIG}")
    try:
        shell("systemctl stop barpoint; modprobe -r vivid; rmmod videodev")
        assert "video4linux" not in Path("/proc/devices").read_text(), "videodev is still loaded"
        shell(f"systemctl start barpoint; {plug_in}")
        yield
    finally:
        shutil.copy(kept, CONFIG)
        kept.unlink()
        shell("systemctl restart barpoint")
        wait(lambda: page.match() is not None, BACK)
        shell("rmmod vivid")


def _sees() -> bool:
    return "/dev/video" not in status() and "no picture" not in status()


def usb_camera(bars: Bars) -> None:
    """A camera by V4L2 is unplugged and plugged in again. What it shows is no board, which is said, too."""
    page = Page()
    with _camera_by_v4l2(page):
        bars.at_most("page", wait(lambda: page.match() is not None, BACK), BACK, "s")
        bars.at_most("its pictures come", wait(_sees, 40), 30, "s")
        since, program = time.time(), unit("MainPID")
        (VIDEO / "unbind").write_text("vivid.0")
        bars.at_most("unplugged: said", wait(lambda: not _sees(), 30), 10, "s")
        bars.note("in these words", status())
        time.sleep(15)
        (VIDEO / "bind").write_text("vivid.0")
        bars.at_most("plugged in: its pictures come", wait(_sees, 60), 20, "s")
        bars.same("the program went on", unit("MainPID"), program)
        bars.at_most("lines in the system's journal", len(said(since)), LINES, "")
