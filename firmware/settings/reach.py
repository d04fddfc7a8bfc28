"""How the page is reached: the names that it answers to, the address to tell people, and whose a request is.

A web site may let its own name point at our address once its page is loaded (*DNS rebinding*); a visitor's
browser then takes us for a part of that site. So a request for a name that somebody could have registered is
turned away: the page answers to plain addresses, to names without a dot, to those that are kept for networks
at home, and to the names in the configuration.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

AT_HOME = (".local", ".lan", ".home.arpa", ".internal", ".localhost")
"""The ends of names that nobody can register."""

Invite: TypeAlias = Literal["never", "screen", "tv"]
"""Where ``/tv`` shows what lets people act: nowhere, on the device's own screen, wherever it is opened."""


@dataclass(frozen=True, slots=True)
class Reach:
    """Where one table's page is found. ``port`` as people type it; ``names`` are those it answers to beside
    its own; ``alone`` is a page that only this machine can open."""

    port: int = 80
    secure: bool = False
    names: tuple[str, ...] = ()
    invite: Invite = "screen"
    alone: bool = False

    def answers_to(self, host: str) -> bool:
        """Whether a request with this ``Host`` may be for us; one without any (no browser sends that) is."""
        name = _name(host)
        if name is None:
            return False
        return (
            not name
            or "." not in name
            or name.endswith(AT_HOME)
            or name in self.names
            or _address(name) is not None
        )

    def address(self, host: str = "") -> str:
        """The page's address, for other machines where they can open it: as ``host`` (a request's) has it,
        unless only this machine understands that."""
        name = _name(host) or ""
        known = _address(name)
        if (
            not name
            or name == "localhost"
            or (known is not None and (known.is_loopback or known.is_unspecified))
        ):
            return url(
                "127.0.0.1" if self.alone else self.names[0] if self.names else lan_address(),
                self.port,
                self.secure,
            )
        return f"{'https' if self.secure else 'http'}://{host}/"

    def may_invite(self, client: str, headers: Mapping[str, str]) -> bool:
        """Whether whoever asks may be shown how to act. A request that was passed on by a proxy does not come
        from the device's screen."""
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
    """This machine's address for its neighbours; its name where it has no network that leads anywhere."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(
                ("192.0.2.1", 9)
            )  # sends nothing: the kernel only chooses by which of its addresses it would
            return str(probe.getsockname()[0])
        except OSError:
            return f"{socket.gethostname()}.local"


def for_itself(host: str) -> bool:
    """Whether a server at this address is there for its own machine only."""
    known = _address(host)
    return host == "localhost" or (known is not None and known.is_loopback)


def neighbour(client: str) -> str:
    """Whose request this is, for rationing: an IPv4 address, or the network of an IPv6 one, since each host
    has 2**64 of those."""
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
