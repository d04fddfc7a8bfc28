"""Hub, table and broker can be ended at any moment: whoever has cancelled them waits for it."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import aiomqtt
import pytest
from paho.mqtt.enums import MQTTErrorCode

from firmware.hub import broker as broker_module
from firmware.hub.broker import Accounts, Broker
from firmware.hub.identity import Identity
from firmware.hub.link import connect
from firmware.hub.messages import Line, Word, topic
from firmware.hub.simulate import MemoryOutbox
from firmware.hub.simulated_club import free_ports
from firmware.hub.store import Board
from firmware.record.chain import Head
from tests.firmware.hub_club import needs_broker, small_club, until, written

pytestmark = needs_broker
SOON = 20.0
"""Seconds after which it would not have ended at all; a busy machine must not fail a test."""


def test_whoever_sends_can_be_ended_while_the_confirmation_comes(tmp_path: Path) -> None:
    """As a hub that has just written what its tables sent, and tells them."""

    async def evening() -> None:
        async with small_club(tmp_path / "hub") as (_, [member]), connect(member.place(), "x") as client:
            sending = asyncio.create_task(client.publish(topic("club", "Sim 1", Word.CALL), b"", qos=1))

            def end(*told: Any) -> None:
                client._on_publish(*told)
                sending.cancel()

            client._client.on_publish = end
            await asyncio.wait([sending])
            assert sending.cancelled()

    asyncio.run(evening())


def test_whoever_leaves_can_be_ended_while_the_broker_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def evening() -> None:
        async with small_club(tmp_path / "hub") as (_, [member]):
            client = connect(member.place(), "x")
            leave = client._client.disconnect

            def gone() -> MQTTErrorCode:
                client._disconnected.set_exception(aiomqtt.MqttError("the broker has ended"))
                return leave()

            monkeypatch.setattr(client._client, "disconnect", gone)
            with pytest.raises(asyncio.CancelledError):
                async with client:
                    raise asyncio.CancelledError

    asyncio.run(evening())


class SlowOutbox(MemoryOutbox):
    """A journal whose reading takes its time to be given up."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = self.given_up = False

    async def after(self, match: str, head: Head) -> tuple[bool, Sequence[Line]]:
        self.asked = True
        try:
            await asyncio.Event().wait()
        finally:
            self.given_up = True
            await asyncio.sleep(0.3)
        raise AssertionError


def test_a_table_can_be_ended_while_it_gives_up_a_broken_connection(tmp_path: Path) -> None:
    async def evening() -> None:
        async with small_club(tmp_path / "hub") as (club, [member]):
            outbox = SlowOutbox()
            written(outbox, "one", 3)
            table = club.seat(member, outbox)
            await until(lambda: outbox.asked)
            process = club.broker.process_id
            assert process is not None
            os.kill(process, signal.SIGKILL)
            await until(lambda: outbox.given_up)
            assert table.task is not None
            table.task.cancel()
            await asyncio.wait([table.task], timeout=SOON)
            assert table.task.done()

    asyncio.run(evening())


def test_a_broker_that_does_not_hear_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As Mosquitto while it starts."""
    deaf = tmp_path / "mosquitto"
    deaf.write_text("#!/bin/sh\ntrap '' TERM\necho deaf >&2\nwhile :; do sleep 0.1; done\n")
    deaf.chmod(0o700)
    monkeypatch.setattr(broker_module, "find_mosquitto", lambda: (str(deaf), deaf))
    monkeypatch.setattr(broker_module, "ENDING", 0.1)

    async def evening() -> None:
        async def boards() -> Sequence[Board]:
            return []

        identity = Identity.load_or_make(tmp_path)
        (port,) = free_ports(1)
        accounts = Accounts(identity, "club")
        broker = Broker(identity, accounts, tmp_path, tmp_path, "127.0.0.1", port, boards, print)
        running = asyncio.create_task(broker.run())
        await until(lambda: broker.process_id is not None)
        await asyncio.sleep(0.5)  # it is deaf now
        running.cancel()
        await asyncio.wait([running], timeout=SOON)
        assert running.cancelled()

    asyncio.run(evening())
