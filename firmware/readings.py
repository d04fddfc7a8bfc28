"""A reading as ``barpoint read`` prints it (docs/commands.md has the forms)."""

from __future__ import annotations

from collections.abc import Mapping

from engine import rules as games
from engine.layout import Cell, point_of
from engine.position import Json
from vision import boards
from vision.dice import Lying
from vision.reading import Reading
from vision.unknown_board import FoundBoard


def reading_json(
    file: str,
    rules: str,
    reading: Reading,
    beside: Lying | None = None,
    found: FoundBoard | None = None,
) -> Json:
    """The stable JSON line for one picture, in the form of the board that ``rules`` are played on.
    ``beside``: None where dice and cube were not looked for; ``found``: where the board is, if
    nobody told."""
    return {
        "file": file,
        "rules": rules,
        **boards.get(games.get(rules).board).describe(reading),
        "occluded": sorted(reading.occluded, key=_order),
        **({"lying": sorted(unread, key=_order)} if (unread := reading.lying & reading.occluded) else {}),
        **_beside(beside),
        **_where(found),
        "confidence": {
            cell: round(reading.confidence[cell], 4) for cell in sorted(reading.confidence, key=_order)
        },
    }


def _where(found: FoundBoard | None) -> Json:
    if found is None:
        return {}
    corners = [[round(x, 1), round(y, 1)] for x, y in found.corners]
    return {"corners": corners} | ({"home": found.home} if found.home else {})


def _beside(lying: Lying | None) -> Json:
    if lying is None:
        return {}
    cube = None if lying.cube is None else lying.cube.to_json()
    return {"dice": [die.to_json() for die in lying.dice], "cube": cube}


_AFTER = ("occluded", "lying", "dice", "cube", "corners", "confidence")
"""What is told in its own words."""


def describe_reading(data: Json) -> str:
    """The same for people: ``photo.jpg: 1:-2 6:5 … bar 0-0 off 2-0 (least sure: p13, 93%)``."""
    parts = [f"{point}:{_short(count)}" for point, count in data.get("points", {}).items()]
    for name, value in data.items():
        if name not in ("file", "rules", "points", *_AFTER) and value is not None:
            parts.append(f"{name} {_short(value)}")
    if data.get("dice"):
        parts.append(f"dice {' '.join(_short(die['value']) for die in data['dice'])}")
    if data.get("cube"):
        parts.append(f"cube {_short(data['cube']['value'])}")
    if data["occluded"]:
        parts.append(f"hidden: {', '.join(data['occluded'])}")
    if data.get("lying"):
        parts.append(f"(something lies on {', '.join(data['lying'])})")
    if data["confidence"]:
        cell, chance = min(data["confidence"].items(), key=lambda entry: entry[1])
        parts.append(f"(least sure: {cell}, {chance:.0%})")
    if data.get("corners"):
        parts.append(f"(--corners {' '.join(f'{x:.0f},{y:.0f}' for x, y in data['corners'])})")
    return f"{data['file']}: {' '.join(parts)}"


def _short(value: object) -> str:
    """Lists and mappings in one word each."""
    if isinstance(value, Mapping):
        return " ".join(f"{key}:{_short(entry)}" for key, entry in value.items())
    if isinstance(value, list | tuple):
        if value and all(isinstance(entry, str) for entry in value):
            return " ".join(value)  # hexes have commas and minus signs of their own
        return "-".join(_short(entry) for entry in value) or "none"
    return "?" if value is None else str(value)


def _order(cell: Cell) -> tuple[int, str]:
    point = point_of(cell)
    return (99, cell) if point is None else (point, "")
