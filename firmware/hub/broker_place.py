"""Where a broker is, and who one is to it."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class BrokerPlace:
    """Where the broker is, and who we are to it. ``socket`` is a path of this machine, in the place of host
    and port. ``trust`` is the certificate (PEM) that the broker must have, or one that vouches for it; "" is
    no encryption."""

    host: str = "127.0.0.1"
    port: int = 8883
    socket: Path | None = None
    username: str = ""
    password: str = field(default="", repr=False)
    trust: str = ""

    def context(self) -> ssl.SSLContext | None:
        """What TLS goes by: the certificate counts, not the name, since a hub's address is given anew each
        evening. Raises ValueError where ``trust`` is no certificate."""
        if not self.trust or self.socket is not None:
            return None
        try:
            context = ssl.create_default_context(cadata=self.trust)
        except ssl.SSLError as error:
            raise ValueError(f"no certificate: {error.reason}") from error
        context.check_hostname = False
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        return context

    def __str__(self) -> str:
        return str(self.socket) if self.socket is not None else f"{self.host}:{self.port}"
