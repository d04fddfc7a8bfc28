"""``barpoint hub tables``: the hub's tables."""

from __future__ import annotations

import json
import urllib.error
from pathlib import Path
from typing import Any

import click

from engine.messages import joined, phrase, phrase_number
from firmware.commands._config import config_option
from firmware.commands._options import json_option
from firmware.commands._output import tell
from firmware.commands.hub._place import hub_place, hub_state_option
from firmware.diagnostics.running import ask_directly
from firmware.hub.live import describe_skew
from firmware.hub.service import HubPlace
from firmware.settings.reach import from_here, url


@click.command(name="tables")
@config_option
@hub_state_option
@json_option(
    help="A JSON line for each: {name, joined, online, match, entry, matches, conflict, troubles, …}."
)
def command(path: Path | None, state: Path | None, as_json: bool) -> None:
    """Lists the tables that may join or have joined: whether each is there, how many matches of it are kept,
    and what is wrong.

    \b
    Example: barpoint hub tables
    """
    place = hub_place(path, state)
    now = {each["name"]: each for each in ask(place)}
    with place.store() as store:
        boards = [each for each in store.boards(place.settings.event) if each.removed_at is None]
        if not boards and not as_json:
            tell(phrase("this hub has no tables yet; 'barpoint hub add-table NAME' gives one its code"))
        for board in boards:
            known = {"name": board.name, "joined": board.joined_at is not None, "online": None}
            known |= now.get(board.name, {})
            known["matches"] = len(store.matches(board.id))
            tell(json.dumps(known) if as_json else describe(known))


def ask(place: HubPlace) -> list[dict[str, Any]]:
    """What the running hub says of its tables; nothing where none runs."""
    page = url(from_here(place.settings.host), place.settings.port, False)
    try:
        told: list[dict[str, Any]] = ask_directly(f"{page}api/tables", 3)
        return told
    except (urllib.error.URLError, TimeoutError, ValueError):
        return []


def describe(known: dict[str, Any]) -> str:
    """A table in one line."""
    if not known["joined"]:
        state = phrase("has not joined yet")
    elif known["online"] is None:
        state = phrase("has joined; the hub is not running here")
    else:
        state = phrase("is here") if known["online"] else phrase("is away")
    matches = phrase_number("{n} match", "{n} matches", known["matches"])
    told = joined(", ", (state, matches))
    words: list[str] = [phrase("{name}: {words}", name=known["name"], words=told)]
    words += [describe_skew(known.get("skew", 0)), *known.get("troubles", []), known.get("conflict", "")]
    return joined("; ", filter(None, words))
