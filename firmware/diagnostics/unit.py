"""The part of the systemd unit that depends on the configuration: a drop-in beside
``systemd/barpoint.service``.

The unit allows one port, and its own places on the disk. The owner chooses which, so ``./install`` asks
``barpoint config --check F --unit`` for this text, and the doctor compares it with the installed one.
"""

from __future__ import annotations

from pathlib import Path

from firmware.settings.config import Config

UNIT = Path("/opt/barpoint/venv/system/barpoint.service")
DROP_IN = UNIT.with_name("configured.conf")
"""Where ./install and the package put the unit and the drop-in; systemd has links to them."""
UNPRIVILEGED = 1024
"""The first port that needs no privilege (ip(7))."""


def drop_in(config: Config) -> str:
    """The drop-in's text: the page's port, the right to a system's port, the owner's own directories,
    the device that RPi.GPIO reads pins by, and the internet where a beacon is asked for its numbers."""
    port = config.page.port
    lines = ["# Written by ./install, from the configuration.", "[Service]"]
    lines += ["SocketBindAllow=", f"SocketBindAllow=tcp:{port}" if port else "SocketBindAllow=tcp"]
    if config.hub.follow:
        lines.append("SocketBindAllow=udp:5353")  # mDNS, by which the table finds its hub
    if 0 < port < UNPRIVILEGED:
        lines += ["CapabilityBoundingSet=CAP_NET_BIND_SERVICE", "AmbientCapabilities=CAP_NET_BIND_SERVICE"]
        lines.append("PrivateUsers=no")  # in a user namespace the right would not reach the network
    # "-": a missing one (a stick that was pulled out) does not keep the table from starting. "%" begins a
    # specifier in a unit, and a backslash escapes what follows it.
    rig = config.camera.rig  # 'Set up' on the page writes it
    own = [
        place.replace("%", "%%").replace("\\", "\\\\").replace('"', '\\"') if place.startswith("/") else ""
        for place in (config.state.directory, config.recording.folder, rig.rpartition("/")[0])
    ]
    lines += [f'ReadWritePaths="-{place}"' for place in own if place]
    if config.buttons.factory == "rpigpio":
        lines.append("DeviceAllow=/dev/gpiomem rw")
    if config.dice.beacon != "none":
        lines.append("IPAddressAllow=any")  # the unit reaches the local network alone
    return "\n".join(lines) + "\n"
