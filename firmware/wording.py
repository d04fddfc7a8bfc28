"""Words that several messages share."""

from __future__ import annotations

import unicodedata

STEERS = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""The kinds of characters (Unicode's general categories) that steer what shows text: controls, formats such
as a turned direction, halves of surrogate pairs, line and paragraph ends."""
JOINERS = "\u200c\u200d"
"""Of these kinds, but written in some languages' names and in emoji; they turn nothing."""


def counted(number: int, name: str, names: str = "") -> str:
    """How many there are: ``1 match``, ``3 matches``; ``names`` where the plural takes more than an s."""
    return f"{number} {name if number == 1 else names or name + 's'}"


def clean(text: str, *, lines: bool = False) -> str:
    """Text that may go to a terminal or into a log: what would steer it stands there as its code, an escape
    as ``\\x1b``. ``lines``: line ends and tabs stay."""
    kept = JOINERS + "\n\t" * lines
    return "".join(
        letter if letter in kept or unicodedata.category(letter) not in STEERS else ascii(letter)[1:-1]
        for letter in text
    )
