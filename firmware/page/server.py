"""Serving a page beside a table or a hub, in the same process and event loop."""

from __future__ import annotations

import asyncio
import signal
import socket
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from typing import Any

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from firmware.errors import BadInput
from firmware.page.acting import PATIENCE
from firmware.page.app import application
from firmware.page.connection_limit import LimitedSocket
from firmware.page.table_page import TablePage
from firmware.settings.reach import family, is_elsewhere
from firmware.settings.tls import Tls

WAITING = 64
"""Connections that are accepted in one go, before the program's own work continues."""
HEAD = 16 * 1024
"""Bytes of a request's head."""


def listen(host: str, port: int | None, usual: int, setting: str = "--port") -> LimitedSocket:
    """A socket on ``port``; None is the ``usual`` one, or any free one if that is taken. Raises BadInput,
    which names the ``setting`` to change."""
    for attempt in (usual, 0) if port is None else (port,):
        listening = LimitedSocket(family(host))
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, attempt))
        except OSError as error:
            listening.close()
            cure = "set host to 0.0.0.0, or to an address of this machine"
            words = (
                f"{error.strerror or error}; {cure if is_elsewhere(error) else f'choose another {setting}'}"
            )
            continue
        listening.listen(128)
        return listening
    raise BadInput(f"cannot serve the page at {host}:{usual if port is None else port}: {words}")


class _Uvicorn(uvicorn.Server):
    """Uvicorn without its signal handlers: on Ctrl-C the program stops what it shows first, then the page."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class _Protocol(H11Protocol):
    """Uvicorn's protocol, but it closes a connection that sends no request, or never finishes one."""

    _giving_up: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._await_request()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._giving_up is not None:
            self._giving_up.cancel()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._await_request()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._await_request()

    def _await_request(self) -> None:
        """Limits the time for a request, from the end of the last answer; single bytes do not extend it."""
        asked = self.cycle is not None and not self.cycle.response_complete
        if asked and self._giving_up is not None:
            self._giving_up.cancel()
            self._giving_up = None
        elif not asked and self._giving_up is None:
            self._giving_up = self.loop.call_later(PATIENCE, self.transport.abort)


@asynccontextmanager
async def serving(
    app: FastAPI,
    listening: LimitedSocket,
    context: ssl.SSLContext | None = None,
    at_once: int = WAITING,
) -> AsyncIterator[None]:
    """Serves ``app`` while the block runs; ``at_once`` as :data:`WAITING`. Streams never end by themselves:
    what they follow must have ended. A client that does not read is dropped after a second."""
    config = uvicorn.Config(
        app,
        http=_Protocol,
        ws="none",
        h11_max_incomplete_event_size=HEAD,
        backlog=at_once,
        proxy_headers=False,  # anybody could write them
        server_header=False,
        log_level="error",
        access_log=False,
        lifespan="off",
        timeout_graceful_shutdown=1,
    )
    config.load()
    config.ssl = context
    server = _Uvicorn(config)
    task = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        yield
    finally:
        server.should_exit = True
        await task
        listening.close()


class Server:
    """The page's server: ``async with`` serves the page on a socket."""

    def __init__(self, page: TablePage, listening: LimitedSocket, tls: Tls | None = None) -> None:
        host, port = listening.getsockname()[:2]
        reach = replace(page.reach, port=port, secure=tls is not None, host=host)
        self.address = reach.address()
        self._feed = page.feed
        app = application(replace(page, reach=reach), listening)
        self._serving = serving(app, listening, None if tls is None else tls.context())

    async def __aenter__(self) -> Server:
        await self._serving.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._feed.close()
        await self._serving.__aexit__(None, None, None)

    async def interrupted(self) -> None:
        """Waits for Ctrl-C or SIGTERM."""
        loop = asyncio.get_running_loop()
        over = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, over.set)
        await over.wait()
