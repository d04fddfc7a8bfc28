"""Words that several messages share."""

from __future__ import annotations

from collections.abc import Sequence


def counted(number: int, name: str, names: str = "") -> str:
    """How many there are: ``1 match``, ``3 matches``; ``names`` where the plural takes more than an s."""
    return f"{number} {name if number == 1 else names or name + 's'}"


def dashed(dice: Sequence[int]) -> str:
    """Dice as people read them: ``5-2``."""
    return "-".join(map(str, dice))
