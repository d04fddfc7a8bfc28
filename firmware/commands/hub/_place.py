"""The options by which the commands find their hub."""

from __future__ import annotations

from pathlib import Path

from firmware.commands._config import read_config
from firmware.commands._options import state_option
from firmware.hub.service import HubPlace

hub_state_option = state_option(
    help="Where the hub keeps everything (default: $XDG_STATE_HOME/barpoint-hub)."
)
SYSTEM = Path("/var/lib/barpoint-hub")
"""The folder of the hub that ``./install --hub`` sets up."""


def hub_place(path: Path | None, state: Path | None) -> HubPlace:
    """The hub of a configuration. Without any choice of a folder, the installed one where there is one.
    Raises BadInput."""
    settings = read_config(path).hub.run
    if state is None and not settings.directory and SYSTEM.is_dir():
        state = SYSTEM
    return HubPlace.of(settings, state)
