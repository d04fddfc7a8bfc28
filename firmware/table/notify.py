"""Tells systemd how the program is: a datagram to the socket in ``NOTIFY_SOCKET`` (sd_notify(3))."""

from __future__ import annotations

import os
import socket
from contextlib import suppress


def notify(state: str) -> bool:
    """Sends ``state`` (``READY=1``, ``WATCHDOG=1``, ``STATUS=…``); returns whether systemd listened."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return False
    # "@" stands for the zero byte that begins an abstract address.
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sender:
        sender.sendto(state.encode(), "\0" + address[1:] if address[0] == "@" else address)
        return True
    return False
