"""How the page is reached: the names that it answers to, its address for people, and who asks.

A web site can make its own name point to our address after its page is loaded (*DNS rebinding*); a visitor's
browser then treats us as a part of that site. So requests for a name that somebody could register are
refused: the page answers to plain addresses, to names without a dot, to names reserved for home networks, and
to the names in the configuration.
"""

from __future__ import annotations

import errno
import ipaddress
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

AT_HOME = (".local", ".lan", ".home.arpa", ".internal", ".localhost")
"""Endings of names that nobody can register."""

ANYWHERE = ("0.0.0.0", "::")
"""What stands for all addresses of a machine."""

LONGEST_HOST = 253 + len(":65535")
"""Letters of a name in the DNS and its port."""
LONGEST_LABEL = 63
"""Letters between two dots of such a name."""

Invite: TypeAlias = Literal["never", "screen", "tv"]
"""Where ``/tv`` shows the invitation to act: nowhere, on the device's own screen, everywhere."""


@dataclass(frozen=True, slots=True)
class Reach:
    """Where one table's page is found. ``port`` as people type it; ``names`` are additional names that it
    answers to; ``host``: at which of this machine's addresses it is served; ``proxies``: addresses of servers
    that pass requests on, and are believed about whose these are."""

    port: int = 80
    secure: bool = False
    names: tuple[str, ...] = ()
    invite: Invite = "screen"
    host: str = "0.0.0.0"
    proxies: tuple[str, ...] = ()

    @property
    def alone(self) -> bool:
        """Whether only this machine can open it."""
        return for_itself(self.host)

    def asker(self, client: str, forwarded: Sequence[str]) -> str:
        """The address that asks: of a request by one of the ``proxies``, the last one that these say it came
        from (the values of ``X-Forwarded-For``). What anybody else says of that is passed over."""
        names = [name.strip() for value in forwarded for name in value.split(",")]
        while _plain(client) in map(_plain, self.proxies) and names:
            before = names.pop()
            if _address(before) is None:
                break
            client = before
        return client

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
            if self.names and not self.alone:
                ours = self.names[0]
            else:
                ours = lan_address() if self.host in ANYWHERE else self.host
            return url(ours, self.port, self.secure)
        return f"{'https' if self.secure else 'http'}://{host}/"


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


def from_here(host: str) -> str:
    """Where this machine finds a server at this address: one at any of its addresses at 127.0.0.1, too."""
    return "127.0.0.1" if host in ANYWHERE else host


def family(host: str) -> socket.AddressFamily:
    """The kind of socket that serves at this address or name."""
    return socket.AF_INET6 if ":" in host else socket.AF_INET


def is_elsewhere(error: OSError) -> bool:
    """Whether nothing can be served at an address since it is none of this machine, whatever the port."""
    return isinstance(error, socket.gaierror) or error.errno in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)


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


def _plain(client: str) -> str:
    """An address in one spelling; an IPv4 one that came over IPv6 is itself."""
    known = _address(client)
    mapped = known.ipv4_mapped if isinstance(known, ipaddress.IPv6Address) else None
    return str(mapped or known or client)


def _name(host: str) -> str | None:
    """The name in a ``Host``, without its port; None where nothing can have that name."""
    try:
        name = urlsplit(f"//{host}").hostname or ("" if not host else None)
    except ValueError:
        return None
    odd = len(host) > LONGEST_HOST or not {"@", "/", "?", "#"}.isdisjoint(host)
    return None if name is None or odd or max(map(len, name.split("."))) > LONGEST_LABEL else name


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None
