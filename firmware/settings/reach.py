"""How the page is reached: the names that it answers to, its address for people, and who asks.

A web site can make its own name point to our address after its page is loaded (*DNS rebinding*); a visitor's
browser then treats us as a part of that site. So requests for a name that somebody could register are
refused: the page answers to plain addresses, to names without a dot, to names reserved for home networks, and
to the names in the configuration.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

AT_HOME = (".local", ".lan", ".home.arpa", ".internal", ".localhost")
"""Endings of names that nobody can register."""

Invite: TypeAlias = Literal["never", "screen", "tv"]
"""Where ``/tv`` shows the invitation to act: nowhere, on the device's own screen, everywhere."""


@dataclass(frozen=True, slots=True)
class Reach:
    """Where one table's page is found. ``port`` as people type it; ``names`` are additional names that it
    answers to; ``alone``: only this machine can open it."""

    port: int = 80
    secure: bool = False
    names: tuple[str, ...] = ()
    invite: Invite = "screen"
    alone: bool = False

    def answers_to(self, host: str) -> bool:
        """Whether a request with this ``Host`` may be for us; one without it (no browser sends that) is."""
        name = _name(host)
        return name is not None and (
            "." not in name or name.endswith(AT_HOME) or name in self.names or _address(name) is not None
        )

    def address(self, host: str = "") -> str:
        """The page's address: ``host`` as in a request, unless only this machine understands that."""
        name = _name(host) or ""
        known = _address(name)
        here = known is not None and (known.is_loopback or known.is_unspecified)
        if name in ("", "localhost") or here:
            ours = "127.0.0.1" if self.alone else self.names[0] if self.names else lan_address()
            return url(ours, self.port, self.secure)
        return f"{'https' if self.secure else 'http'}://{host}/"

    def may_invite(self, client: str, headers: Mapping[str, str]) -> bool:
        """Whether whoever asks may see the invitation to act. A request through a proxy does not come from
        the device's screen."""
        if self.invite == "tv":
            return True
        passed_on = any(name in headers for name in ("forwarded", "x-forwarded-for", "via"))
        known = _address(client)
        return self.invite == "screen" and known is not None and known.is_loopback and not passed_on


def url(host: str, port: int, secure: bool) -> str:
    """The address of a page."""
    named = f"[{host}]" if ":" in host else host
    usual = port == (443 if secure else 80)
    return f"{'https' if secure else 'http'}://{named}{'' if usual else f':{port}'}/"


def lan_address() -> str:
    """This machine's address in its network; its name where it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: the kernel only chooses one of its addresses
            return str(probe.getsockname()[0])
        except OSError:
            return f"{socket.gethostname()}.local"


def for_itself(host: str) -> bool:
    """Whether only its own machine can reach a server at this address."""
    known = _address(host)
    return host == "localhost" or (known is not None and known.is_loopback)


def neighbour(client: str) -> str:
    """Who asks, for rationing: an IPv4 address, or an IPv6 network, since each host has 2**64 addresses."""
    known = _address(client)
    if isinstance(known, ipaddress.IPv6Address):
        return str(known.ipv4_mapped or ipaddress.ip_network((int(known) >> 64 << 64, 64)))
    return client


def _name(host: str) -> str | None:
    try:
        return urlsplit(f"//{host}").hostname or ("" if not host else None)
    except ValueError:
        return None


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None
