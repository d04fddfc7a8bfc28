"""Whether a table's hub answers, for the doctor. A table without one plays as well, so that is said, too."""

from __future__ import annotations

import socket
from pathlib import Path

from engine.messages import phrase
from firmware.diagnostics.doctor import Finding
from firmware.errors import BadInput
from firmware.hub.membership import Membership, read_where
from firmware.settings.config import Config

PATIENCE = 5.0
"""Seconds that a hub has to answer."""


def hub_reached(config: Config, state: Path) -> Finding | None:
    """What is found of the hub that this table has joined; None where it follows none."""
    try:
        joined = Membership.load(state) if config.hub.follow else None
    except BadInput as error:
        return Finding("hub", False, str(error))
    if joined is None:
        return None
    place = joined.place(*read_where(config.hub.address)) if config.hub.address else joined.place()
    known = {"event": joined.event, "address": f"{place.host}:{place.port}"}
    try:
        with socket.create_connection((place.host, place.port), PATIENCE) as line:
            if (context := place.context()) is not None:
                context.wrap_socket(line).close()
    except (OSError, ValueError) as error:
        words = phrase(
            "the hub of {event} does not answer at {address} ({error}); is it switched on, in this network?"
            " The table plays on and tells it later; where it has another address and is not found, set"
            " address in [hub]",
            error=getattr(error, "strerror", None) or error,
            **known,
        )
        return Finding("hub", False, words)
    return Finding("hub", True, phrase("the hub of {event} answers at {address}", **known))
