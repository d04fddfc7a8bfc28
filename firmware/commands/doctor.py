"""``barpoint doctor``: what is wrong with the table, and how to fix it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click

from engine.messages import phrase
from firmware.commands._config import config_option, read_config, table_folder
from firmware.commands._options import json_option, state_option
from firmware.commands._output import tell
from firmware.commands._terminal import Terminal
from firmware.diagnostics.doctor import Finding, examine
from firmware.diagnostics.hands import try_all
from firmware.diagnostics.running import running
from firmware.errors import BadInput
from firmware.hub.reached import hub_reached
from firmware.settings.config import Config
from firmware.settings.lamp_settings import configured_lamps, load_lamps


@click.command(name="doctor")
@config_option
@state_option(help="Where log and calibration are kept.")
@click.option(
    "--hands",
    is_flag=True,
    help="Asks you to press each button, to look at the lamps, and to wave at the camera.",
)
@json_option(help="One JSON line per part: {part, well, words}; well is null where it was not tried.")
def command(path: Path | None, state: Path | None, hands: bool, as_json: bool) -> None:
    """Tries camera, buttons, lights, disk, clock and page, and says what is wrong and how to fix it.

    A table that runs is asked how it does; camera, buttons and lights can be tried only while it is stopped.
    With --hands it goes through the buttons, the lamps and the camera with you, and writes down nothing: with
    the table stopped, at its own terminal or over SSH. Exit status 1: something is wrong.

    \b
    Example: barpoint doctor --config barpoint.toml
    Example: barpoint doctor --hands
    """
    config = read_config(path)
    kept = table_folder(config, path, state)
    wrong = False
    for finding in _by_hand(config, kept) if hands else _by_itself(config, kept):
        wrong |= finding.well is False
        tell(json.dumps(finding.to_json()) if as_json else str(finding), lines=True)
    if wrong:
        raise SystemExit(1)


def _by_itself(config: Config, state: Path) -> Iterator[Finding]:
    yield from examine(config, state)
    if (hub := hub_reached(config, state)) is not None:
        yield hub


def _by_hand(config: Config, state: Path) -> Iterator[Finding]:
    if running(config) is not None:
        raise BadInput(
            phrase("the table runs and has the devices: sudo systemctl stop barpoint; or Set up on its page")
        )
    try:
        lamps = load_lamps(config, state)
    except BadInput as error:
        yield Finding("lights", False, str(error))
        lamps = configured_lamps(config)
    try:
        yield from try_all(config, lamps, Terminal())
    except EOFError as error:
        raise BadInput(phrase("nobody can type here; run it in a terminal")) from error
