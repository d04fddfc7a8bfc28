"""The ``--config`` that the commands about this table share."""

from __future__ import annotations

from pathlib import Path

import click

from firmware.commands._options import PATH
from firmware.settings.config import Config, load

SYSTEM = Path("/etc/barpoint/barpoint.toml")

config_option = click.option(
    "--config",
    "path",
    type=PATH,
    help="The configuration (default: /etc/barpoint/barpoint.toml if there is one).",
)


def read_config(path: Path | None) -> Config:
    """The configuration in this file, else the machine's own, else the defaults. Raises BadInput."""
    return load(path) if path is not None else load(SYSTEM) if SYSTEM.exists() else Config()
