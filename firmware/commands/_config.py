"""The ``--config`` that the commands about this table share."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import click

from engine.messages import phrase
from firmware.commands._options import PATH
from firmware.diagnostics.unit import UNIT
from firmware.errors import BadInput
from firmware.settings.config import Config, load
from firmware.state import state_directory

SYSTEM = Path("/etc/barpoint/barpoint.toml")
INSTALLED = UNIT.with_name("state")
"""The link that ./install makes to where the installed table keeps everything."""

config_option = click.option(
    "--config",
    "path",
    type=PATH,
    help="The configuration (default: /etc/barpoint/barpoint.toml if there is one).",
)


def read_config(path: Path | None) -> Config:
    """The configuration in this file, else the machine's own, else the defaults. Raises BadInput."""
    return load(path) if path is not None else load(SYSTEM) if SYSTEM.exists() else Config()


def table_folder(config: Config, path: Path | None, state: Path | None) -> Path:
    """Where this table keeps everything: as chosen, else the installed table's folder where there is one. A
    folder of this user's own would be another table's, with a PIN that opens nothing. Raises BadInput."""
    if path is None and state is None and "BARPOINT_STATE" not in os.environ:
        with suppress(OSError):
            installed = INSTALLED.readlink()
            if not os.access(installed, os.R_OK | os.X_OK):
                raise BadInput(
                    phrase(
                        "the table in {folder} has a user of its own; run this with sudo", folder=installed
                    )
                )
            return installed
    return state_directory(config, state)
