"""A map to play Siege Master on where nobody has set one up: an island of 170 hexes, with fifteen
fortresses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

BORDER = """
5,0 6,0 7,0 8,0 9,0 10,0 11,0 12,0 2,1 3,1 4,1 12,1 13,1 14,1 1,2 14,2 0,3 14,3 15,3 -1,4 15,4 -1,5 15,5 -2,6
15,6 -2,7 15,7 -3,8 14,8 -4,9 13,9 -4,10 12,10 -4,11 10,11 11,11 -4,12 -3,12 8,12 9,12 -3,13 -2,13 -1,13 6,13
7,13 -1,14 0,14 1,14 2,14 3,14 4,14 5,14
"""
FORTRESSES = "5,1 9,2 1,3 13,3 4,5 7,6 14,6 -1,7 10,7 2,9 5,10 11,10 -2,11 7,12 1,13"
SAMPLE: Mapping[str, Any] = {
    "cols": 19,
    "rows": 15,
    "border": BORDER.split(),
    "fortresses": FORTRESSES.split(),
}
"""The options of a game on it."""
