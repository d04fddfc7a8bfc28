"""Tells each table to Home Assistant, on the topics by which it finds devices (MQTT discovery): whether the
table is there, and what its page's heading says.

https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery
"""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress

import aiomqtt

from firmware.hub.hub import Hub
from firmware.hub.messages import Word, topic

ROOT = "homeassistant"
PAUSE = 5.0
"""Seconds between two looks for new tables."""


class HomeAssistant:
    """Follows a hub's tables."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._told: dict[str, str] = {}

    async def run(self) -> None:
        """Until it is cancelled."""
        while True:
            await self._hub.connected.wait()
            wanted: dict[str, str] = {}
            for table in self._hub.live.tables():
                wanted |= discovery(self._hub.id, self._hub.event, table.name)
            for address, text in {**dict.fromkeys(self._told, ""), **wanted}.items():
                if self._told.get(address) != text:
                    with suppress(aiomqtt.MqttError):
                        await self._hub.publish(address, text)
                        self._told[address] = text
            self._told = {address: text for address, text in self._told.items() if text}
            await asyncio.sleep(PAUSE)


def discovery(hub: str, event: str, table: str) -> dict[str, str]:
    """What Home Assistant reads of one table: texts by topic."""
    own = f"barpoint_{hub}_{table.encode().hex()}"
    device = {"identifiers": [own], "name": f"Barpoint {table}", "manufacturer": "Barpoint"}
    status, state = topic(event, table, Word.STATUS), topic(event, table, Word.STATE)
    there = {
        "name": "Connected",
        "unique_id": f"{own}_there",
        "state_topic": status,
        "value_template": "{{ 'ON' if value_json.online else 'OFF' }}",
        "device_class": "connectivity",
        "device": device,
    }
    shown = {
        "name": "Game",
        "unique_id": f"{own}_game",
        "state_topic": state,
        "value_template": "{{ value_json.shows.phase | default('') | truncate(250) }}",
        "icon": "mdi:dice-multiple",
        "availability": [
            {
                "topic": status,
                "value_template": "{{ 'online' if value_json.online else 'offline' }}",
            }
        ],
        "device": device,
    }
    return {
        f"{ROOT}/binary_sensor/{own}_there/config": json.dumps(there),
        f"{ROOT}/sensor/{own}_game/config": json.dumps(shown),
    }
