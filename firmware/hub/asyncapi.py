"""The protocol as an AsyncAPI 3.0 document, made of the messages' classes.

python -m firmware.hub.asyncapi >docs/hub-asyncapi.json
"""

from __future__ import annotations

import json
from typing import Any

from firmware.hub import messages as m
from firmware.hub.messages import ROOT, VERSION, Message, Word

TABLE_SAYS: dict[Word, type[Message]] = {
    Word.STATUS: m.Status,
    Word.HELLO: m.Hello,
    Word.ENTRIES: m.Entries,
    Word.STATE: m.State,
    Word.CALL: m.Call,
}
HUB_SAYS: dict[Word, type[Message]] = {Word.KEPT: m.Kept, Word.ASSIGN: m.Assignment, Word.COMING: m.Coming}
RETAINED = {Word.STATUS, Word.STATE, Word.CALL, Word.ASSIGN, Word.COMING}
QOS_0 = {Word.HELLO, Word.ENTRIES, Word.KEPT}


def document() -> dict[str, Any]:
    """The document, as plain data. A table's view: what it sends, what it receives."""
    channels: dict[str, Any] = {}
    operations: dict[str, Any] = {}
    schemas: dict[str, Any] = {}
    said: list[tuple[str, str, str, Word, type[Message]]] = [
        *((f"table-{word}", "send", "{event}/{table}", word, kind) for word, kind in TABLE_SAYS.items()),
        *((f"hub-{word}", "receive", "{event}/{table}", word, kind) for word, kind in HUB_SAYS.items()),
        ("hub-status", "receive", "{event}/hub", Word.STATUS, m.HubStatus),
        ("join", "send", "join/{account}", Word.JOIN, m.Join),
        ("joined", "receive", "join/{account}", Word.JOINED, m.Joined),
    ]
    for name, action, middle, word, kind in said:
        schema = kind.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas |= schema.pop("$defs", {})
        schemas[kind.__name__] = schema
        reference = {"$ref": f"#/components/schemas/{kind.__name__}"}
        channels[name] = {
            "address": f"{ROOT}/{middle}/{word}",
            "parameters": {each: {} for each in ("event", "table", "account") if f"{{{each}}}" in middle},
            "messages": {kind.__name__: {"contentType": "application/json", "payload": reference}},
        }
        operations[f"{action}-{name}"] = {
            "action": action,
            "channel": {"$ref": f"#/channels/{name}"},
            "bindings": {"mqtt": {"qos": 0 if word in QOS_0 else 1, "retain": word in RETAINED}},
        }
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Barpoint: tables and hub",
            "version": f"{VERSION}.0.0",
            "description": "What a table says to a hub, and hears from it, over MQTT 5 (docs/hub.md).",
            "license": {"name": "MIT"},
        },
        "defaultContentType": "application/json",
        "channels": channels,
        "operations": operations,
        "components": {"schemas": dict(sorted(schemas.items()))},
    }


def text() -> str:
    """The document as it stands in docs."""
    return json.dumps(document(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    print(text(), end="")
