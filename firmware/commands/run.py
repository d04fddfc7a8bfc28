"""``barpoint run``: the device program."""

from __future__ import annotations

import asyncio
import json
import signal
from pathlib import Path

import click

from firmware.assemble import dice_watchers, hub_link, make_device, make_server, match_recorder, table_key
from firmware.commands._config import config_option, read_config
from firmware.commands._options import json_option, state_option
from firmware.commands._output import tell
from firmware.errors import BadInput
from firmware.page.delayed import delay_overlay
from firmware.page.server import listen
from firmware.page.stream import Feed
from firmware.record.chain import JournalError
from firmware.record.journal import Journal
from firmware.settings.config import Config
from firmware.state import hold, journal, state_directory
from firmware.table.board_watcher import BoardWatcher
from firmware.table.devices import TableClock
from firmware.table.drivers import make_devices, rig_path
from firmware.table.learner import TableLearner
from firmware.table.reviewer import MatchReviewer
from firmware.table.rival import Rival
from firmware.table.watcher import TableWatcher


@click.command(name="run")
@config_option
@state_option(help="Where log, calibration and secrets are kept.")
@click.option(
    "--port", type=click.IntRange(0, 65535), help="Where the page is served (default: the configuration's)."
)
@click.option("--new", "fresh", is_flag=True, help="Begin a new match even where one was left unfinished.")
@json_option(help="The page's address, and what goes wrong, as JSON lines.")
def command(path: Path | None, state: Path | None, port: int | None, fresh: bool, as_json: bool) -> None:
    """Runs the table: camera, buttons, lights, dice and page, until Ctrl-C or SIGTERM. Started again, it
    continues the match.

    Exit status 2: something in the configuration is wrong. 1: something else is in the way, a port that is
    taken for example.

    \b
    Example: barpoint run --config barpoint.toml
    """
    config = read_config(path)
    if port is not None:
        config = config.model_copy(update={"page": config.page.model_copy(update={"port": port})})
    table(config, state, fresh, as_json, "run")


def table(config: Config, state: Path | None, fresh: bool, as_json: bool, command: str) -> None:
    """The table until it is stopped; ``command`` is its name."""
    place = state_directory(config, state)
    tls = config.page.tls()
    if tls is not None:
        tls.context()  # a faulty certificate is final, so it is found before the rest
    try:
        with hold(place, command), journal(place, damaged=True) as kept:
            asyncio.run(_serve(config, place, kept, fresh, as_json))
    except (BadInput, JournalError) as error:
        # The configuration is in order, so this may pass (a full disk, a taken port): systemd tries again
        # after exit status 1, and gives up after 2.
        tell(f"barpoint: {error}", err=True)
        raise SystemExit(1) from error


async def _serve(config: Config, state: Path, kept: Journal, fresh: bool, as_json: bool) -> None:
    """The table and its page, until SIGINT or SIGTERM."""

    def say(words: str) -> None:
        tell(json.dumps({"said": words}) if as_json else f"barpoint: {words}", err=not as_json)

    feed, clock = Feed(), TableClock()
    devices = make_devices(config, state, clock, say)
    recorder = match_recorder(config, state, devices)
    link = hub_link(config, state, kept, feed, say)
    key = table_key(state, say)
    reviewer = MatchReviewer(state, say)
    board = BoardWatcher(reads_dice=config.match.dice == "camera")
    beside: list[TableWatcher] = [reviewer, Rival(), board, *dice_watchers(config, devices, state)]
    if config.page.overlay_delay:
        beside.append(delay_overlay(feed, config.page.overlay_delay, say))
    if config.camera.learns:
        beside.append(TableLearner(devices.eyes, lambda board: rig_path(config, state, board), state, say))
    if link is not None:
        beside.append(link)
    device = make_device(devices, state, kept, feed, say, clock, recorder, key, beside)
    if link is not None:
        link.change = device.change
    socket = listen(config.page.host, config.page.port, config.page.port)
    server, _ = make_server(
        device, config, state, feed, socket, page=config.page, calls=link, reviewer=reviewer
    )
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, device.stop)
    async with server:
        click.echo(json.dumps({"page": server.address}) if as_json else f"the page is at {server.address}")
        await device.run(fresh)
