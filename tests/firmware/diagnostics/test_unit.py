"""What of the systemd unit follows from the configuration."""

import pytest

from firmware.diagnostics.unit import drop_in
from firmware.settings.config import parse

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
        ("[state]\ndirectory = '/srv/bar 100%'", [USUAL, 'ReadWritePaths="-/srv/bar 100%%"']),
        ("[state]\ndirectory = '/srv/a\"b\\c'", [USUAL, 'ReadWritePaths="-/srv/a\\"b\\\\c"']),
        ("[recording]\nfolder = '/media/reels'", [USUAL, 'ReadWritePaths="-/media/reels"']),
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
