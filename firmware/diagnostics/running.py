"""Asks the table that runs on this machine how it is, and whatever else answers here."""

from __future__ import annotations

import json
import ssl
import urllib.request
from typing import Any

from firmware.settings.config import Config
from firmware.settings.reach import from_here, url


def running(config: Config) -> str | None:
    """The troubles of the table that runs on this machine ("": none); None where no table runs."""
    said = _ask(config, "api/state")
    return str(said.get("refused") or "") if "phase" in said else None


def resting(config: Config) -> bool | None:
    """Whether no match is under way at the table that runs on this machine; None where none runs."""
    said = _ask(config, "api/resting").get("resting")
    return said if isinstance(said, bool) else None


def _ask(config: Config, what: str) -> dict[str, object]:
    """What this machine's table answers; nothing where none does, or somebody else."""
    here = url(from_here(config.page.host), config.page.port, config.page.tls() is not None)
    try:
        said = ask_directly(f"{here}{what}", 2)
    except (OSError, ValueError):
        return {}
    return said if isinstance(said, dict) else {}


def ask_directly(address: str, seconds: float) -> Any:
    """The JSON that an address of this machine answers within so many seconds, past the environment's proxy,
    which does not know this machine. Raises OSError or ValueError."""
    nameless = ssl.create_default_context()  # its certificate names another address than 127.0.0.1
    nameless.check_hostname = False
    nameless.verify_mode = ssl.CERT_NONE
    handlers = urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=nameless)
    with urllib.request.build_opener(*handlers).open(address, timeout=seconds) as answer:
        return json.load(answer)
