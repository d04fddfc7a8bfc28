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
        ("[recording]\nfolder = '/media/reels'", [USUAL, 'ReadWritePaths="-/media/reels"']),
        ("[buttons]\nfactory = 'rpigpio'", [USUAL, "DeviceAllow=/dev/gpiomem rw"]),
        ("[dice]\nbeacon = 'drand'", [USUAL, "IPAddressAllow=any"]),
    ],
)
def test_the_unit_allows_what_is_configured_and_no_more(text: str, lines: list[str]) -> None:
    assert drop_in(parse(text)).splitlines()[1:] == ["[Service]", "SocketBindAllow=", *lines]
