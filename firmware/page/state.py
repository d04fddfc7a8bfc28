"""What the page shows, as one JSON object: computed anew for every change, never patched.

The engine's view holds the facts; here they are arranged for a reader: every cell with what stands in it, the strip as it shines, the
last judgement as a heading and a sentence, the moves so far.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.layout import Side
from engine.position import Json
from engine.session import Session
from engine.view import view

HEADINGS = {"legal": "Legal", "illegal": "Not legal", "unsure": "Unsure", "stood": "The foul stands"}


def page_state(session: Session, t: float, leds: Sequence[Json], picture: int | None, refused: str | None = None) -> Json:
    """The state of the page at table time ``t``. ``leds`` are drawn as they are; ``picture`` numbers the newest camera picture, None
    before the first; ``refused`` is why the last button was not obeyed."""
    seen = view(session, t)
    if "position" not in seen:
        return {"phase": _sentence(seen["waiting"])}
    cube = seen["cube"]
    return {
        "title": seen["title"],
        "phase": _sentence(_phase(seen)),
        "sides": seen["sides"],
        "players": seen["players"],
        "turn": seen["side"],
        "dice": seen["dice"],
        "cells": {cell: seen["layout"].get(cell, []) for cell in [*seen["looks"], *(set(seen["layout"]) - set(seen["looks"]))]},
        "cube": {"value": cube["value"], "owner": cube["owner"]} if cube["used"] else None,
        "score": seen["match"]["score"],
        "leds": list(leds),
        "judgement": seen["judgement"] and _told(seen["judgement"]),
        "refused": refused,
        "moves": [_line(move) for move in seen["moves"]],
        "picture": picture,
    }


def _phase(seen: Json) -> str:
    result = seen["result"]
    if result is None:
        return str(seen["waiting"])
    winner: Side | None = result["outcome"]["winner"]
    points = result["points"]
    counted = f"{points} point" if points == 1 else f"{points} points"
    return f"{seen['players'][winner]} wins: {result['outcome']['kind']}, {counted}" if winner else f"a tie: {result['outcome']['kind']}"


def _told(judgement: Json) -> Json:
    dice = "-".join(str(die) for die in judgement["dice"])
    heading = HEADINGS[judgement["verdict"]]
    return {
        "verdict": judgement["verdict"],
        "title": f"{heading}: {judgement['side']}{', ' + dice if dice else ''}",
        "text": judgement["move"] or _sentence(judgement["words"]),
        "cells": judgement["cells"],
    }


def _line(move: Json) -> Json:
    return {name: move[name] for name in ("turn", "side", "dice", "verdict")} | {"text": move["move"] or move["words"]}


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]
