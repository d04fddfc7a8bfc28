"""What of the systemd unit follows from the configuration."""

import os
import subprocess
from pathlib import Path

import pytest

from firmware.diagnostics.unit import drop_in
from firmware.settings.config import parse
from tests.firmware.conftest import REPOSITORY

USUAL = "SocketBindAllow=tcp:8080"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [USUAL]),
        ("[page]\nport = 0", ["SocketBindAllow=tcp"]),
        (
            "[page]\nport = 443",
            [
                "SocketBindAllow=tcp:443",
                "CapabilityBoundingSet=CAP_NET_BIND_SERVICE",
                "AmbientCapabilities=CAP_NET_BIND_SERVICE",
                "PrivateUsers=no",
            ],
        ),
        (
            "[state]\ndirectory = '/srv/bar 100%'",
            [USUAL, 'ReadWritePaths="-/srv/bar 100%%"'],
        ),
        ("[recording]\nfolder = '/srv/a\"b\\c'", [USUAL, 'ReadWritePaths="-/srv/a\\"b\\\\c"']),
        ("[recording]\nfolder = '/media/reels'", [USUAL, 'ReadWritePaths="-/media/reels"']),
        ("[camera]\nrig = '/srv/rigs/1.rig'", [USUAL, 'ReadWritePaths="-/srv/rigs"']),
        ("[camera]\nrig = '/table.rig'", [USUAL]),
        ("[buttons]\nfactory = 'rpigpio'", [USUAL, "DeviceAllow=/dev/gpiomem rw"]),
        ("[dice]\nbeacon = 'drand'", [USUAL, "IPAddressAllow=any"]),
    ],
)
def test_the_unit_allows_what_is_configured_and_no_more(text: str, lines: list[str]) -> None:
    port, *more = lines
    wanted = ["[Service]", "SocketBindAllow=", port, "SocketBindAllow=udp:5353", *more]
    assert drop_in(parse(text)).splitlines()[1:] == wanted


def test_a_table_that_follows_no_hub_need_not_find_one() -> None:
    assert "udp" not in drop_in(parse("[hub]\nfollow = false"))


@pytest.mark.parametrize("user", ["root", "barpoint"])
@pytest.mark.parametrize("folder", ["", '/srv/bar "100%'])
def test_with_sudo_the_tables_own_state_directory_is_meant(folder: str, user: str, tmp_path: Path) -> None:
    system, tools = tmp_path / "venv" / "system", tmp_path / "tools"
    for path in (system, tools, tmp_path / "venv" / "bin"):
        path.mkdir(parents=True)
    if folder:
        (system / "state").symlink_to(folder)
    script = (REPOSITORY / "systemd" / "barpoint.sh").read_text().replace("/opt/barpoint", str(tmp_path))
    for path, text in (
        (tools / "id", f"case $1 in -un) echo {user} ;; *) echo {0 if user == 'root' else 998} ;; esac"),
        (tools / "setpriv", 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"'),
        (tmp_path / "venv" / "bin" / "barpoint", 'printf %s "$XDG_STATE_HOME ${BARPOINT_STATE-}"'),
    ):
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
    told = subprocess.run(
        ["sh", "-c", script], env={"PATH": f"{tools}:{os.environ['PATH']}"}, capture_output=True, check=True
    )
    assert told.stdout.decode() == f"/var/lib {folder}"
