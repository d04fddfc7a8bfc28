"""``barpoint hub simulate``: a club that is not there."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import click

from engine.messages import phrase
from firmware.commands._config import config_option
from firmware.commands._options import json_option
from firmware.commands._output import tell
from firmware.commands.hub._place import hub_place, hub_state_option
from firmware.errors import BadInput
from firmware.hub.simulated_club import simulate


@click.command(name="simulate")
@click.option("--tables", "count", type=click.IntRange(1, 5000), default=3, show_default=True)
@click.option(
    "--seconds", type=click.FloatRange(1), default=60.0, show_default=True, help="How long they play."
)
@click.option(
    "--every", type=click.FloatRange(0.1), default=5.0, show_default=True, help="Seconds between events."
)
@click.option(
    "--here", is_flag=True, help="With the hub that runs here; else one is started for the purpose."
)
@click.option(
    "--broker",
    metavar="URL",
    default="",
    help="With a hub of its own at a broker that runs already, as mqtt://USER:PASSWORD@HOST:1883.",
)
@config_option
@hub_state_option
@json_option(help="Only the last line, the count.")
def command(
    count: int,
    seconds: float,
    every: float,
    here: bool,
    broker: str,
    path: Path | None,
    state: Path | None,
    as_json: bool,
) -> None:
    """Simulates tables that play at random with a real hub, and counts at the end: {tables, sent, kept, lost,
    doubled, p95_s}, and what it cost. With --here they join the hub that runs on this machine as "Sim 1",
    "Sim 2" and so on: for a demonstration, or to learn a director's work. Exit status 1: something was lost
    or doubled.

    \b
    Example: barpoint hub simulate --tables 1000 --seconds 60 --json
    Example: barpoint hub simulate --tables 12 --seconds 3600 --here
    """

    def say(words: str) -> None:
        if not as_json:
            tell(words)

    place = hub_place(path, state) if here or state is not None else None
    if place is not None and broker:
        raise BadInput(phrase("--broker is for a hub of its own; leave out --here and --state"))
    found = asyncio.run(simulate(count, seconds, every, place, say, broker))
    click.echo(json.dumps(found))
    if found["lost"] or found["doubled"]:
        raise SystemExit(1)
