"""A connection to the broker, as both sides make it: MQTT 5 through ``aiomqtt``."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager, suppress
from types import TracebackType
from typing import TypeVar

import aiomqtt

from firmware.hub.broker_place import BrokerPlace

T = TypeVar("T")

KEEPALIVE = 15
"""Seconds between two signs of life; after half as long again the broker says that a table is gone."""
PATIENCE = 10.0
"""Seconds until a broker that does not answer counts as gone."""
UNHEARD = 6.0
"""Seconds until a connection counts as broken on which nothing that was sent arrives. The system alone would
try again for minutes, more and more seldom: long after a network is whole again."""
_quiet = logging.getLogger("barpoint.hub.mqtt")
_quiet.setLevel(logging.CRITICAL)  # what goes wrong is told by whoever uses the connection


def quiet_loop() -> None:
    """Keeps the event loop from writing a traceback whenever a connection breaks while something waits to be
    sent: aiomqtt then asks the loop to watch a socket that is closed already, and leaves a future behind."""

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
        error = context.get("exception")
        closed = isinstance(error, OSError) and error.errno == errno.EBADF
        if not closed and not isinstance(error, aiomqtt.MqttError | asyncio.CancelledError):
            loop.default_exception_handler(context)

    asyncio.get_running_loop().set_exception_handler(handle)


@asynccontextmanager
async def present(client: aiomqtt.Client, will: aiomqtt.Will) -> AsyncIterator[None]:
    """Says what the last will says when the block ends: whoever takes leave has no last will."""
    try:
        yield
    finally:
        with suppress(aiomqtt.MqttError, TimeoutError):
            async with asyncio.timeout(1.0):
                await client.publish(will.topic, will.payload, qos=1, retain=True)


class _Client(aiomqtt.Client):
    """A client whose user can be cancelled at any moment. With aiomqtt's own a cancellation is lost now and
    then, and whoever waits for the end of that task waits for ever."""

    async def _wait_for(self, fut: Awaitable[T], timeout: float | None) -> T:
        """Without asyncio.wait_for: Python 3.11's forgets a cancellation that comes together with the
        answer."""
        try:
            async with asyncio.timeout(self.timeout if timeout is None else timeout):
                return await fut
        except TimeoutError:
            raise aiomqtt.MqttError("Operation timed out") from None

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None
    ) -> None:
        """Raises nothing: that the broker goes just now must not take the place of a cancellation, and who
        has done with it does not care."""
        with suppress(aiomqtt.MqttError, OSError):
            await super().__aexit__(exc_type, exc, tb)


def connect(
    place: BrokerPlace, identifier: str, will: aiomqtt.Will | None = None, tls: ssl.SSLContext | None = None
) -> aiomqtt.Client:
    """A client for ``async with``, which connects; what fails is an ``aiomqtt.MqttError``. Nothing of the
    session is kept by the broker. ``tls`` spares the reading of the certificate."""
    return _Client(
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
        socket_options=_options(place),
        logger=_quiet,
    )


def _options(place: BrokerPlace) -> tuple[tuple[int, int, int], ...]:
    unheard = (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(1000 * UNHEARD))
    return (unheard,) if place.socket is None else ()
