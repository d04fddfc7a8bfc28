"""Asks the table that runs on this machine how it is."""

from __future__ import annotations

import json
import ssl
import urllib.request

from firmware.settings.config import Config
from firmware.settings.reach import url


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
    directly = urllib.request.ProxyHandler({})  # a proxy of the environment's does not know this machine
    nameless = ssl.create_default_context()  # its certificate names another address than 127.0.0.1
    nameless.check_hostname = False
    nameless.verify_mode = ssl.CERT_NONE
    here = url("127.0.0.1", config.page.port, config.page.tls() is not None)
    try:
        opener = urllib.request.build_opener(directly, urllib.request.HTTPSHandler(context=nameless))
        with opener.open(f"{here}{what}", timeout=2) as answer:
            said = json.load(answer)
    except (OSError, ValueError):
        return {}
    return said if isinstance(said, dict) else {}
