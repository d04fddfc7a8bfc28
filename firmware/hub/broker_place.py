"""Where a broker is, and who one is to it."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from firmware.errors import BadInput

PUBLIC = "public"
"""In the place of a certificate: one that an authority vouches for which this machine trusts."""
PORTS = {"mqtt": 1883, "mqtts": 8883}
"""Where brokers listen, without TLS and with it."""


@dataclass(frozen=True)
class BrokerPlace:
    """Where the broker is, and who we are to it. ``socket`` is a path of this machine, in the place of host
    and port. ``trust`` is the certificate (PEM) that the broker must have, or one that vouches for it;
    :data:`PUBLIC`; or "", no encryption."""

    host: str = "127.0.0.1"
    port: int = 8883
    socket: Path | None = None
    username: str = ""
    password: str = field(default="", repr=False)
    trust: str = ""

    @classmethod
    def of_url(cls, url: str) -> BrokerPlace:
        """``mqtt://[USER[:PASSWORD]@]HOST[:PORT]``; ``mqtts`` is with TLS. Raises BadInput."""
        try:
            parts = urlsplit(url)
            port = parts.port or PORTS[parts.scheme]
        except (ValueError, KeyError):
            parts, port = urlsplit(""), 0
        if not parts.hostname or parts.path not in ("", "/") or parts.query:
            raise BadInput(
                f"{url.rpartition('@')[2][:80]!r} is no broker's address; write it as mqtt://HOST:1883 or"
                " mqtts://USER:PASSWORD@HOST:8883; in a password write / as %2F, ? as %3F, # as %23"
            )
        name, password = (unquote(each or "") for each in (parts.username, parts.password))
        return cls(parts.hostname, port, None, name, password, PUBLIC if parts.scheme == "mqtts" else "")

    def context(self) -> ssl.SSLContext | None:
        """What TLS goes by: the certificate counts, not the name, since a hub's address is given anew each
        evening. Raises ValueError where ``trust`` is no certificate."""
        if not self.trust or self.socket is not None:
            return None
        if self.trust == PUBLIC:
            return ssl.create_default_context()
        try:
            context = ssl.create_default_context(cadata=self.trust)
        except ssl.SSLError as error:
            raise ValueError(f"no certificate: {error.reason}") from error
        context.check_hostname = False
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        return context

    def __str__(self) -> str:
        return str(self.socket) if self.socket is not None else f"{self.host}:{self.port}"
