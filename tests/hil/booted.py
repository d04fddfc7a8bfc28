"""On the host, as root: the packages in a container that systemd has booted, without a network. Installed,
updated by the director's page, gone back from, cut off in mid-upgrade, removed. ``tests/hil/run --booted``.

No pin, no bus, no camera is there, and the processor is this machine's own: it takes minutes where the
emulated machine takes hours. What needs a device is for the trials of that one.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from trials import bars
from trials.bars import Bars

HIL = Path(os.environ["HIL"])
CONTAINER = str(Path(__file__).with_name("container"))
PROJECT = Path(__file__).parents[2]
SHARED = HIL / "booted" / "shared"
KEY = "booted@barpoint.invalid"
UNIT = "usr/lib/barpoint/systemd/barpoint.service"
FALLS_OVER = "ExecStart=/usr/bin/timeout --foreground 12 "
"""The table as it should be, for some seconds."""
INSTALL = "apt-get install -y -q --allow-downgrades --reinstall"
AGAIN = "dpkg --install"
"""What takes up an upgrade that was cut off: apt refuses files where dpkg was unpacking two packages of which
one needs the other."""
ENDS = ("done", "back", "failed", "waiting", "current")
"""Steps after which the updater has nothing more to do."""
STEP = 900.0
"""Seconds that an update may take, on a machine that does other things."""
SERVICES = "barpoint barpoint-network barpoint-hub"
CHANGING = (
    *("/var/log", "/var/cache", "/var/lib/apt", "/var/lib/dpkg", "/var/lib/systemd"),
    *("/tmp", "/var/tmp", "/root", "/shared"),
)
"""Where files change without Barpoint, too."""
FILES = (
    "find / -xdev "
    + "".join(f"-path {each} -prune -o " for each in CHANGING)
    + "-not -name '*.pyc' -not -name __pycache__ -print"
)


def inside(command: str, check: bool = True) -> str:
    """What a command says in there. Raises CalledProcessError."""
    done = subprocess.run([CONTAINER, "in", command], capture_output=True, text=True, check=False)
    if check and done.returncode:
        raise RuntimeError(f"{command}: {done.stdout[-1500:]}{done.stderr[-1500:]}")
    return done.stdout.strip()


def boot(word: str = "boot") -> None:
    """Starts it: ``boot`` afresh, ``again`` as it was."""
    subprocess.run([CONTAINER, word], check=True)
    subprocess.run([CONTAINER, "wait"], check=True)


def page(method: str, path: str, body: Any = None) -> tuple[int, Any]:
    """What the director's browser gets. Status 0 where there is no page."""
    data = "" if body is None else f"-H 'Content-Type: application/json' -d '{json.dumps(body)}'"
    curl = f"curl -s -m 20 -b /root/cookie -c /root/cookie -X {method} {data} -w '\\n%{{http_code}}' http://127.0.0.1:8080{path}"
    text, _, status = inside(curl, check=False).rpartition("\n")
    return int(status or 0), json.loads(text) if text else None


def match() -> dict[str, Any] | None:
    """What must survive, of what the page shows; None while there is none. Waits for it."""
    for _ in range(120):
        status, state = page("GET", "/api/state")
        if status == 200 and "title" in state:
            return {
                key: state[key] for key in ("players", "state", "turn", "dice", "cells", "score", "moves")
            }
        time.sleep(1)
    return None


def failed() -> str:
    """Units that have failed."""
    return inside("systemctl --failed --plain --no-legend | cut -d ' ' -f 1")


def releases() -> set[str]:
    """The releases that programs of Barpoint run from, without the engine's and the page's helpers."""
    return set(inside("ps -eo args | grep -o '^/opt/barpoint/venv-[^/]*' | sort -u").split())


def told() -> dict[str, str]:
    """How the updater says that it stands."""
    lines = inside("cat /var/lib/barpoint-update/status", check=False).splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line)


def update(word: str) -> dict[str, str]:
    """The director asks on the page; how that ended."""
    before = time.time()
    status, said = page("POST", "/api/update", {"do": word})
    if status != 204:
        return {"step": f"refused: {said}"}
    while time.time() - before < STEP:
        time.sleep(2)
        now = told()
        idle = inside("systemctl show -P ActiveState barpoint-update@wish.service") == "inactive"
        if now.get("step") in (*ENDS, "available") and idle and int(now["at"]) >= int(before):
            return now
    return told() | {"step": f"still {told().get('step')}"}


def log_in() -> None:
    """The director enters the PIN."""
    pin = json.loads(inside("barpoint pin --director --json"))["director"]
    page("POST", "/api/pin", {"pin": pin})


# -- packages ------------------------------------------------------------------------------------------------


def make_packages() -> None:
    """Versions 1 to 5, the hub's, too. 3 does not come up, 4 falls over after some seconds."""
    tree = HIL / "booted" / "tree"
    subprocess.run(["rm", "-rf", tree, f"{tree}-hub", SHARED], check=True)
    SHARED.mkdir()
    subprocess.run(
        [PROJECT / "deploy/package", "--version", "0+booted1", "--tree", tree, "amd64"], check=True
    )
    unit = (tree / UNIT).read_text()
    starts = {3: "ExecStart=/bin/false #", 4: FALLS_OVER}
    for number in range(1, 6):
        changed = unit.replace("ExecStart=", starts.get(number, "ExecStart="))
        if number == 4:
            changed = changed.replace("Type=notify", "Type=notify\nNotifyAccess=all")
        (tree / UNIT).write_text(changed)
        for each, name in ((tree, "barpoint"), (Path(f"{tree}-hub"), "barpoint-hub")):
            control = each / "DEBIAN" / "control"
            control.write_text(control.read_text().replace(f"booted{max(number - 1, 1)}", f"booted{number}"))
            to = SHARED / f"{name}_{number}.deb"
            subprocess.run(
                ["dpkg-deb", "--root-owner-group", "-Znone", "--build", each, to],
                check=True,
                stdout=subprocess.DEVNULL,
            )
    subprocess.run(["rm", "-rf", tree, f"{tree}-hub"], check=True)


def both(number: int) -> str:
    """The packages of a version, as they lie in there."""
    return f"/shared/barpoint_{number}.deb /shared/barpoint-hub_{number}.deb"


def offer(number: int) -> None:
    """The repository has this version, too."""
    os.environ["GNUPGHOME"] = str(HIL / "booted" / "keys")
    Path(os.environ["GNUPGHOME"]).mkdir(mode=0o700, exist_ok=True)
    make = ["gpg", "--batch", "--quiet", "--passphrase", "", "--quick-generate-key", KEY]
    subprocess.run(make, check=False, stderr=subprocess.DEVNULL)  # it is there already
    packages = [SHARED / f"{name}_{number}.deb" for name in ("barpoint", "barpoint-hub")]
    subprocess.run([PROJECT / "deploy/apt-repository", SHARED / "repository", KEY, *packages], check=True)


# -- trials --------------------------------------------------------------------------------------------------


def install(bars: Bars) -> None:
    """The package, then the hub's beside it, and what systemd says of their units."""
    bars.same("interfaces beside lo", inside("ls /sys/class/net | grep -vx lo", check=False), "")
    begin = time.monotonic()
    inside("dpkg -i /shared/barpoint_1.deb")
    bars.note("installed", f"{time.monotonic() - begin:.0f} s")
    bars.same("the page", match() is not None)
    begin = time.monotonic()
    inside("dpkg -i /shared/barpoint-hub_1.deb")
    bars.note("the hub beside it", f"{time.monotonic() - begin:.0f} s")
    bars.same(
        "table, network and hub",
        inside(f"systemctl is-active {SERVICES}", check=False).split(),
        ["active"] * 3,
    )
    bars.same("units that have failed", failed(), "")
    words = inside(
        "cd /usr/lib/systemd/system; for each in barpoint*.*; do"
        " [ -d $each ] || systemd-analyze verify $PWD/$each; done 2>&1 | grep -v 'Command .man'",
        check=False,
    )
    bars.same("systemd-analyze verify", words, "")
    words = "-u barpoint -u 'barpoint-*' -t systemd"
    bars.same(
        "warnings in the journal",
        inside(f"journalctl -b -p warning -o cat --no-pager {words} | head -20", check=False),
        "",
    )
    words = inside("cd /root && barpoint doctor 2>&1 | tail -30", check=False)
    bars.same("the doctor", "Traceback" in words, False)


def quiet(bars: Bars) -> None:
    """Where there is no NetworkManager, and no screen, their units rest and nothing fails."""
    inside("mv /usr/bin/nmcli /root && systemctl stop barpoint-network.service barpoint-network.socket")
    inside("systemctl start barpoint-network.socket barpoint-network.service", check=False)
    bars.same(
        "the network's without nmcli",
        inside("systemctl is-active barpoint-network.service", check=False),
        "inactive",
    )
    inside("mv /root/nmcli /usr/bin && systemctl start barpoint-network.service")
    inside(
        "systemd-sysusers --inline 'u barpoint-screen -' && systemctl start barpoint-screen",
        check=False,
    )
    bars.same(
        "the screen's without a console",
        inside("systemctl is-active barpoint-screen", check=False),
        "inactive",
    )
    bars.same("units that have failed", failed(), "")


def hidden(bars: Bars) -> None:
    """A state directory of the owner's own: the program for sticks is kept from its secrets through the link
    that ./install makes, and from nothing else there."""
    inside("mkdir -p /srv/own/secrets; cd /srv/own; touch secrets/pin key.pem log; chown -R barpoint .")
    state = inside("readlink /opt/barpoint/venv/system/state")
    inside("ln -sfn /srv/own /opt/barpoint/venv/system/state")
    unit = "/opt/barpoint/venv/system/barpoint-stick@.service"
    paths = "$(sed -n 's/^InaccessiblePaths=//p' " + unit + ")"
    run = "systemd-run -q --collect --wait --pipe -p User=barpoint -p PrivateUsers=yes -p InaccessiblePaths="
    read = {
        name: inside(f'{run}"{paths}" cat /srv/own/{name} && echo read', check=False)
        for name in ("secrets/pin", "key.pem", "log")
    }
    bars.same("read of it", [name for name, words in read.items() if words == "read"], ["log"])
    inside(f"ln -sfn {state} /opt/barpoint/venv/system/state; rm -r /srv/own")


def updates(bars: Bars) -> None:
    """From the director's page: a good version, one that does not start, one that falls over."""
    inside(
        "systemd-run -q --unit=repository python3 -m http.server -d /shared/repository --bind 127.0.0.1 8099",
        check=False,
    )
    offer(2)
    inside("install -D -m 644 /shared/repository/barpoint.asc /etc/apt/keyrings/barpoint.asc")
    line = "deb [signed-by=/etc/apt/keyrings/barpoint.asc] http://127.0.0.1:8099 stable main"
    inside(f"echo '{line}' >/etc/apt/sources.list.d/barpoint.list")
    log_in()
    found = update("look")
    bars.same("found on asking", (found.get("step"), found.get("available")), ("available", "0+booted2"))
    bars.same("its news", "## [" in (page("GET", "/api/update")[1] or {}).get("news", ""))
    before = releases()
    done = update("now")
    bars.same("installed from the page", (done.get("step"), done.get("installed")), ("done", "0+booted2"))
    time.sleep(20)
    now = releases()
    bars.same("all programs are of the new release", (len(now), bool(now & before)), (1, False))
    bars.same(
        "table, network and hub",
        inside(f"systemctl is-active {SERVICES}", check=False).split(),
        ["active"] * 3,
    )
    for number, why in ((3, "does not start"), (4, "falls over")):
        offer(number)
        done = update("now")
        bars.same(f"a version that {why}", done.get("step"), "back")
        bars.same("the release in use", releases(), now)
        bars.same("the page", match() is not None)
    bars.same("units that have failed", failed(), "")


def in_a_match(bars: Bars) -> None:
    """A match is under way: the page refuses, and so does root, whatever the page's program says."""
    offer(5)
    for side in ("white", "black"):
        page("POST", "/api/act", {"event": "press", "button": "roll", "side": side})
    bars.same("barpoint alive", inside("sudo -u barpoint /opt/barpoint/venv/bin/barpoint alive"), "playing")
    bars.same("the page refuses", update("now")["step"].partition(":")[0], "refused")
    inside("sudo -u barpoint sh -c 'printf now >/run/barpoint/update'")
    for _ in range(60):
        if told().get("step") == "waiting":
            break
        time.sleep(2)
    bars.same("root waits", (told().get("step"), told().get("why")), ("waiting", "match"))


def cut_off(bars: Bars, cuts: int) -> None:
    """Everything is killed at random moments of an upgrade, and booted again."""
    shown, chance, good = match(), random.Random(22), 0
    begin = time.monotonic()
    inside(f"{INSTALL} {both(5)}")
    seconds = time.monotonic() - begin
    bars.same("the match after an upgrade in its midst", match() == shown)
    copies = inside("ls /var/lib/barpoint/before-upgrades | wc -l")
    bars.same("the journal was copied before it", int(copies) > 0)
    for number in range(1, cuts + 1):
        version = (5, 2)[number % 2]
        old = inside("readlink /opt/barpoint/venv")
        inside(f"systemd-run -q --unit=upgrade-{number} {AGAIN} {both(version)}")
        time.sleep(chance.uniform(0, seconds))
        subprocess.run([CONTAINER, "cut"], check=True)
        boot("again")
        whole = match() == shown and inside("systemctl is-active barpoint", check=False) == "active"
        good += whole
        which = "old" if inside("readlink /opt/barpoint/venv") == old else "new"
        print(
            f"   cut {number} in mid-upgrade: the {which} table, {'' if whole else 'NOT '}whole", flush=True
        )
    bars.same(
        "cuts after which a whole table ran, with the same match", f"{good} of {cuts}", f"{cuts} of {cuts}"
    )
    inside(f"{AGAIN} {both(5)}")
    using = inside("readlink /opt/barpoint/venv")
    inside("barpoint rollback")
    bars.same(
        "rolled back by hand: another release, the same match",
        (inside("readlink /opt/barpoint/venv") != using, match() == shown),
        (True, True),
    )


def remove(bars: Bars, before: set[str]) -> None:
    """Purged: nothing is left but the matches."""
    inside("apt-get purge -y -q barpoint barpoint-hub")
    left = sorted(set(inside(FILES).splitlines()) - before)
    kept = ("/var/lib/barpoint/", "/var/lib/barpoint-hub/", "/etc/apt/")
    strange = [each for each in left if not f"{each}/".startswith(kept)]
    bars.same("left beside the matches", " ".join(strange), "")
    bars.same("the matches", "/var/lib/barpoint/journal.db" in left)
    bars.same("programs still running", releases(), set())
    bars.same("units that have failed", failed(), "")


def main(cuts: int) -> int:
    """0 where all is as it must be."""
    bars.FIGURES = HIL / "booted.jsonl"
    bars.FIGURES.unlink(missing_ok=True)
    subprocess.run([CONTAINER, "build"], check=True)
    make_packages()
    boot()
    before = set(inside(FILES).splitlines())
    missed = 0
    try:
        for trial, more in (
            (install, ()),
            (quiet, ()),
            (hidden, ()),
            (updates, ()),
            (in_a_match, ()),
            (cut_off, (cuts,)),
            (remove, (before,)),
        ):
            print(f"== {trial.__name__}", flush=True)
            begin, tried = time.monotonic(), Bars(trial.__name__)
            try:
                trial(tried, *more)
            except RuntimeError as error:  # the next may work
                tried.same("went through", str(error))
            missed += tried.missed
            print(f"   {time.monotonic() - begin:.0f} s", flush=True)
    finally:
        subprocess.run([CONTAINER, "cut"], check=True)
    print(f"== {missed} bars missed" if missed else "== every bar is met")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
