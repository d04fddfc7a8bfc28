"""Labelled pictures of boards of pyramids, for tests and benches."""

from __future__ import annotations

from typing import Any

SIDES = {1: "white", -1: "black"}


def position_of(label: dict[str, Any]) -> dict[str, Any]:
    """What stands on a labelled board, as a position of IceGammon: its owner's hand has the rest."""
    points = {p: [[SIDES[owner], sizes] for owner, sizes in layers] for p, layers in label["layers"].items()}
    zones = {name: dict(zip(SIDES.values(), label[name], strict=True)) for name in ("bar", "off")}
    hand = {side: [1] * 5 + [2] * 5 + [3] * 5 for side in SIDES.values()}
    out = [(side, size) for layers in points.values() for side, sizes in layers for size in sizes]
    out += [(side, size) for zone in zones.values() for side, sizes in zone.items() for size in sizes]
    for side, size in out:
        hand[side].remove(size)
    return {"rules": "icegammon", "turn": "white", "points": points, "hand": hand} | zones
