"""A connection to the broker, as both sides make it: MQTT 5 through ``aiomqtt``."""

from __future__ import annotations

import logging
import ssl
from dataclasses import dataclass, field
from pathlib import Path

import aiomqtt

KEEPALIVE = 15
"""Seconds between two signs of life; after half as long again the broker says that a table is gone."""
PATIENCE = 10.0
"""Seconds until a broker that does not answer counts as gone."""
_quiet = logging.getLogger("barpoint.hub.mqtt")
_quiet.setLevel(logging.CRITICAL)  # what goes wrong is told by whoever uses the connection


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


def connect(
    place: BrokerPlace, identifier: str, will: aiomqtt.Will | None = None, tls: ssl.SSLContext | None = None
) -> aiomqtt.Client:
    """A client for ``async with``, which connects; what fails is an ``aiomqtt.MqttError``. Nothing of the
    session is kept by the broker. ``tls`` spares the reading of the certificate."""
    return aiomqtt.Client(
        str(place.socket) if place.socket is not None else place.host,
        place.port,
        username=place.username or None,
        password=place.password or None,
        identifier=identifier,
        protocol=aiomqtt.ProtocolVersion.V5,
        clean_start=True,
        transport="tcp" if place.socket is None else "unix",
        tls_context=tls or place.context(),
        will=will,
        keepalive=KEEPALIVE,
        timeout=PATIENCE,
        logger=_quiet,
    )
