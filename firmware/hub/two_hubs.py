"""Whether a hub is alone at its broker: two would both confirm what tables send, and each have half."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import aiomqtt

from firmware.hub.broker_place import BrokerPlace
from firmware.hub.messages import HUB, BadMessage, HubStatus, Word, topic

ANSWER = 0.5
"""Seconds that the broker has to say which hub it knows."""


class TwoHubs(Exception):
    """Another hub speaks for this event at this broker."""


async def check_alone(client: aiomqtt.Client, event: str, own: str, place: BrokerPlace) -> None:
    """Raises TwoHubs where another hub than ``own`` says that it is here."""
    address = topic(event, HUB, Word.STATUS)
    await client.subscribe(address, qos=1)
    found: HubStatus | None = None
    with suppress(TimeoutError, BadMessage):
        async with asyncio.timeout(ANSWER):
            async for message in client.messages:
                found = HubStatus.read(bytes(message.payload or b""))
                break
    await client.unsubscribe(address)
    if found is not None and found.online and found.hub != own:
        raise TwoHubs(
            f"another hub ({found.hub}, since {found.at}) runs the event {event!r} at {place};"
            " stop that one, or give this one another event in [hub]"
        )
