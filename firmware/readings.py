"""A reading as ``barpoint read`` tells it: counts for checkers on points (docs/commands.md has the form)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.layout import Cell, Look, Side
from engine.position import Json
from vision.read import Reading

SIDES: tuple[Side, Side] = ("white", "black")


def told(file: str, rules: str, reading: Reading) -> Json:
    """The stable JSON line for one picture. ``off`` is null where no tray is in view; a single count that a hand hides is null too."""
    looks = reading.looks
    points = {cell[1:]: len(look) if look[0] == SIDES[0] else -len(look) for cell, look in looks.items() if look and cell[1:].isdigit()}
    off = None if not _in_view("off", reading) else _pair("off", looks)
    return {
        "file": file,
        "rules": rules,
        "points": dict(sorted(points.items(), key=lambda entry: int(entry[0]))),
        "bar": _pair("bar", looks),
        "off": off,
        "occluded": sorted(reading.occluded, key=_order),
        "confidence": {cell: round(reading.confidence[cell], 4) for cell in sorted(reading.confidence, key=_order)},
    }


def line(data: Json) -> str:
    """The same for people: ``photo.jpg: 1:-2 6:5 … bar 0-0 off 2-0 (least sure: p13, 93%)``."""
    parts = [f"{point}:{count}" for point, count in data["points"].items()]
    for name in ("bar", "off"):
        if data[name] is not None:
            parts.append(name + " " + "-".join("?" if count is None else str(count) for count in data[name]))
    if data["occluded"]:
        parts.append(f"hidden: {', '.join(data['occluded'])}")
    if data["confidence"]:
        cell, chance = min(data["confidence"].items(), key=lambda entry: entry[1])
        parts.append(f"(least sure: {cell}, {chance:.0%})")
    return f"{data['file']}: {' '.join(parts)}"


def _pair(name: str, looks: Mapping[Cell, Look]) -> Sequence[int | None]:
    return [len(looks[f"{name}.{side}"]) if f"{name}.{side}" in looks else None for side in SIDES]


def _in_view(name: str, reading: Reading) -> bool:
    return any(f"{name}.{side}" in reading.looks or f"{name}.{side}" in reading.occluded for side in SIDES)


def _order(cell: Cell) -> tuple[int, str]:
    return (int(cell[1:]), "") if cell[1:].isdigit() else (99, cell)
