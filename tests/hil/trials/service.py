"""The table as a service: what systemd lets it do, and that its tools work from anywhere."""

from __future__ import annotations

import re
from pathlib import Path

from trials.bars import Bars
from trials.hands import FINE, Page, entries, shell, status, unit, wait

PYTHON = "/opt/barpoint/venv/bin/python"
EXPOSED = 1.5
"""What ``systemd-analyze security`` may say, of 10."""


def sandbox(bars: Bars) -> None:
    """The unit's exposure, the devices in spite of it, and the commands for root."""
    page = Page()
    wait(lambda: page.match() is not None, 60)
    words = shell("systemd-analyze security barpoint --no-pager | tail -1")
    found = re.search(r"\d+\.\d", words)
    bars.at_most("systemd-analyze security", float(found[0]) if found else None, EXPOSED, "of 10")
    words = shell("systemd-analyze security barpoint-stick@sda1 --no-pager | tail -1")
    bars.note("the same of the stick's unit", words.lstrip("→ "))
    wait(lambda: status() in FINE or "calibrate" in status(), 60)
    bars.note("systemctl status", status())
    bars.same("PrivateUsers", unit("PrivateUsers") not in ("no", ""))
    lines = Path(unit("FragmentPath")).read_text().splitlines()
    filters = " ".join(f"-p '{line}'" for line in lines if line.startswith("SystemCall"))
    nice = f"{PYTHON} -c 'import os; print(os.nice(19))'"
    words = shell(f"systemd-run -q --wait --pipe -p User=barpoint {filters} {nice}")
    bars.same("engines may step back behind the table: their nice", words, "19")
    bars.same("entries in the journal", len(entries()) > 0)
    # A home directory of mode 0700 is nowhere that the table's user may look.
    words = shell("chmod 700 /home/pi; cd /home/pi && sudo -u pi sudo barpoint verify last 2>&1 | tail -1")
    bars.note("sudo barpoint verify last, in a home of mode 0700", words)
    bars.same("without an error of access", "ermission" in words, False)
