"""The round of the public beacon that a commitment named, fetched for the game when it comes out."""

from __future__ import annotations

import asyncio

from engine.events import Beacon
from engine.messages import phrase
from firmware.dice.beacon import Drand, NoBeacon
from firmware.table.watcher import WatchedTable


async def follow_beacon(table: WatchedTable, beacon: Drand) -> None:
    """Fetches the round that the present commitment named, once it has come out. Where it cannot be had,
    the players are told, and the game goes on without it."""
    while True:
        await asyncio.sleep(0.5)
        now = table.session.table
        if now is None or not now.round or now.beacon or now.drawn or now.rolls != (0, 0):
            table.report_trouble("beacon", "")
        elif beacon.due(now.round):
            try:
                signature = await asyncio.to_thread(beacon.fetch, now.round)
            except NoBeacon as error:
                table.report_trouble(
                    "beacon",
                    phrase("drand cannot be had, the game goes on without it: {error}", error=str(error)),
                )
                continue
            await table.act(Beacon(t=0, signature=signature))
            table.report_trouble("beacon", "")
