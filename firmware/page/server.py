"""Serving the page beside the table, in the same process and event loop."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import uvicorn

from firmware.errors import BadInput
from firmware.page.access import Keeper
from firmware.page.acting import Act
from firmware.page.app import Picture, application
from firmware.page.stream import Hub


def listen(host: str, port: int | None, usual: int) -> socket.socket:
    """A listening socket on ``port``; where that is None on the ``usual`` one, or any free one if it is taken. Raises BadInput."""
    for attempt in (usual, 0) if port is None else (port,):
        listening = socket.socket()
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, attempt))
        except OSError as error:
            listening.close()
            reason = error.strerror or str(error)
            continue
        listening.listen(128)
        return listening
    raise BadInput(f"cannot serve the page at {host}:{port}: {reason}; choose another --port")


class _Uvicorn(uvicorn.Server):
    """Uvicorn without its signal handlers: Ctrl-C is the program's, which stops the table first and then the page."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class Server:
    """The page's server: ``async with`` serves it."""

    def __init__(
        self,
        hub: Hub,
        picture: Picture,
        listening: socket.socket,
        keeper: Keeper | None = None,
        act: Act | None = None,
        archive: Path | None = None,
    ) -> None:
        self._hub = hub
        self._socket = listening
        host, port = listening.getsockname()[:2]
        self.address = f"http://{host}:{port}/"
        # Streams never end by themselves: closing the hub ends them, and after a second a client that does not read is left behind.
        config = uvicorn.Config(
            application(hub, picture, keeper, act, archive),
            log_level="warning",
            access_log=False,
            lifespan="off",
            timeout_graceful_shutdown=1,
        )
        self._uvicorn = _Uvicorn(config)
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Server:
        self._task = asyncio.create_task(self._uvicorn.serve(sockets=[self._socket]))
        return self

    async def __aexit__(self, *_: object) -> None:
        self._hub.close()
        self._uvicorn.should_exit = True
        if self._task is not None:
            await self._task
        self._socket.close()

    async def interrupted(self) -> None:
        """Waits for Ctrl-C or a SIGTERM."""
        loop = asyncio.get_running_loop()
        over = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, over.set)
        await over.wait()
