"""On the host: the package in a guest without a network. It is installed, upgraded again and again while the
power is cut at random moments, and removed. Which table runs after each cut; what is left in the end?
Arguments: how many cuts, two packages of different versions."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from power import BOOT, FIGURES, GUEST, match

os.environ["NET"] = "none"
DISK = "package.qcow2"
"""A copy of what ./install made, with Debian's packages; Barpoint is removed from it first."""
KEPT = ("/var/lib/barpoint",)
"""What a purge leaves: the matches."""
LOGS = (
    "/var/backups",
    "/var/log",
    "/var/cache",
    "/var/lib/apt",
    "/var/lib/dpkg",
    "/var/lib/systemd",
    "/tmp",
    "/var/tmp",
    "/root",
)
"""What changes without Barpoint, too."""
PRUNED = " ".join(f"-path {each} -prune -o" for each in LOGS)
FILES = f"find / -xdev {PRUNED} -not -name '*.pyc' -not -name __pycache__ -print"
"""Lists all other files."""
INSTALL = "dpkg --configure -a; apt-get install -y -q --allow-downgrades --reinstall /root/{}"


def inside(command: str) -> str:
    """What a command in the guest says on its standard output. Raises CalledProcessError."""
    return subprocess.run([GUEST, "in", command], capture_output=True, text=True, check=True).stdout.strip()


def write(what: str, found: object, must: str, met: bool) -> bool:
    """Writes a figure down, and returns whether it is met."""
    line = {"trial": "package", "what": what, "found": str(found), "must": must, "met": met}
    with FIGURES.open("a") as figures:
        figures.write(json.dumps(line) + "\n")
    print(f"{'  ' if met else 'NO'} {what}: {found}" + (f"   ({must})" if must else ""), flush=True)
    return met


def boot() -> None:
    """Starts the guest and waits until it answers."""
    subprocess.run([GUEST, "boot", DISK], check=True)
    subprocess.run([GUEST, "wait"], check=True, stdout=subprocess.DEVNULL)


def page() -> tuple[dict[str, Any] | None, float]:
    """The match that the page shows, None where it does not come, and after how many seconds."""
    begin = time.monotonic()
    while (shown := match()) is None and time.monotonic() - begin < BOOT:
        time.sleep(0.5)
    return shown, time.monotonic() - begin


def running() -> str:
    """The release in use, and whether its program is whole."""
    return inside("readlink /opt/barpoint/venv; barpoint --version | tail -1; systemctl is-active barpoint")


def install(name: str) -> float:
    """Installs a package whole; its seconds. Raises CalledProcessError."""
    begin = time.monotonic()
    inside(
        f"({INSTALL.format(name)}) >/root/apt.log 2>&1 </dev/null || {{ tail -20 /root/apt.log; exit 1; }}"
    )
    return time.monotonic() - begin


def cut(name: str, seconds: float, before: dict[str, Any] | None) -> tuple[bool, str]:
    """One upgrade whose power is cut after so many seconds: whether a whole table runs, with the same match,
    and which."""
    old = inside("readlink /opt/barpoint/venv")
    inside(f"(setsid sh -c '{INSTALL.format(name)}' >/root/apt.log 2>&1 </dev/null &)")
    time.sleep(seconds)
    subprocess.run([GUEST, "cut"], check=True)
    boot()
    shown, took = page()
    release, *words = running().splitlines()
    good = shown == before and words[-1:] == ["active"] and len(words) == 2
    which = "the old table" if release == old else "the new table"
    return good, f"{which}, page {took:.0f} s after ssh; {'' if good else 'NOT '}well: {' '.join(words)}"


def main(cuts: int, packages: list[Path]) -> int:
    """0 where all is as it must be."""
    (FIGURES.parent / DISK).unlink(missing_ok=True)
    boot()
    inside("cd /home/pi/barpoint && ./install --uninstall --purge")
    subprocess.run([GUEST, "in", "cat >/root/mark; rm /root/mark"], input=b"", check=True)
    before = set(inside(FILES).splitlines())
    for each in packages:
        with each.open("rb") as data:
            subprocess.run([GUEST, "in", f"cat >/root/{each.name}"], stdin=data, check=True)
    met = [
        write(
            "without a network: packages can be fetched",
            inside("curl -sm 5 http://deb.debian.org >/dev/null && echo yes || echo no"),
            "no",
            True,
        )
    ]
    seconds = install(packages[0].name)
    write("installed", f"{seconds:.0f} s", "", True)
    shown, took = page()
    met.append(write("its page", f"{took:.0f} s later", f"at most {BOOT:.0f} s", shown is not None))
    chance, good = random.Random(22), 0
    for number in range(1, cuts + 1):
        whole, words = cut(packages[number % 2].name, chance.uniform(0, seconds), shown)
        good += whole
        print(f"   cut {number} in mid-upgrade: {words}", flush=True)
    met.append(
        write(
            "cuts in mid-upgrade after which a whole table ran, old or new, with the same match",
            f"{good} of {cuts}",
            f"{cuts} of {cuts}",
            good == cuts,
        )
    )
    if cuts:
        write("then upgraded whole", f"{install(packages[1].name):.0f} s", "", True)
        met.append(write("the same match", page()[0] == shown, "True", True))
    inside("apt-get purge -y -q barpoint >/root/apt.log 2>&1 </dev/null")
    left = sorted(set(inside(FILES).splitlines()) - before)
    strange = [each for each in left if not each.startswith(KEPT)]
    met.append(
        write(
            "left after a purge, beside the matches", ", ".join(strange) or "nothing", "nothing", not strange
        )
    )
    subprocess.run([GUEST, "off"], check=True)
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), [Path(each) for each in sys.argv[2:4]]))
