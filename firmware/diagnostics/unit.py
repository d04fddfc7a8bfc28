"""What of the systemd unit follows from the configuration: a drop-in beside ``systemd/barpoint.service``.

The unit forbids every port but one, and every place on the disk but its own. Which those are is the owner's
choice, so ``./install`` asks ``barpoint config --check F --unit`` for this text, and the doctor compares it
with what is there.
"""

from __future__ import annotations

from pathlib import Path

from firmware.settings.config import Config

UNIT = Path("/etc/systemd/system/barpoint.service")
DROP_IN = Path("/etc/systemd/system/barpoint.service.d/configured.conf")
"""Where ./install lays the unit, and writes the drop-in."""
UNPRIVILEGED = 1024
"""The first port that needs no privilege (ip(7))."""


def drop_in(config: Config) -> str:
    """The drop-in's text: the page's port, the right to a system's port, the owner's own directories, and
    what RPi.GPIO reads pins by."""
    port = config.page.port
    lines = ["# Written by ./install, from the configuration.", "[Service]"]
    lines += ["SocketBindAllow=", f"SocketBindAllow=tcp:{port}" if port else "SocketBindAllow=tcp"]
    if 0 < port < UNPRIVILEGED:
        lines += ["CapabilityBoundingSet=CAP_NET_BIND_SERVICE", "AmbientCapabilities=CAP_NET_BIND_SERVICE"]
    # "-": one that is not there (a stick that was pulled out) does not keep the table from starting. "%"
    # begins a specifier in a unit.
    places = (config.state.directory, config.recording.folder)
    lines += [f'ReadWritePaths="-{place.replace("%", "%%")}"' for place in places if place.startswith("/")]
    if config.buttons.factory == "rpigpio":
        lines.append("DeviceAllow=/dev/gpiomem rw")
    return "\n".join(lines) + "\n"
