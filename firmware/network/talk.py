"""Asking the network's program, from the table's."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from engine.messages import phrase
from firmware.errors import BadInput

SOCKET = Path("/run/barpoint-network.socket")
AWAY = phrase(
    "this table does not look after its network: that needs NetworkManager, and ./install or the package"
)


async def ask(request: dict[str, Any], socket: Path = SOCKET) -> dict[str, Any]:
    """The program's answer. Raises BadInput where it refuses, or is not there."""
    try:
        async with asyncio.timeout(5):
            reader, writer = await asyncio.open_unix_connection(str(socket), limit=1 << 20)
            try:
                writer.write(json.dumps(request).encode() + b"\n")
                said = json.loads(await reader.readline())
            finally:
                writer.close()
    except (OSError, TimeoutError, ValueError) as error:
        raise BadInput(AWAY) from error
    if "refused" in said:
        # Its words come in English, and are a message again here: nothing stands in them.
        raise BadInput(phrase(str(said["refused"]).replace("{", "{{").replace("}", "}}")))
    return dict(said)
