"""Words that several messages share."""

from __future__ import annotations

import unicodedata

STEERS = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""The kinds of characters (Unicode's general categories) that steer what shows text: controls, formats such
as a turned direction, halves of surrogate pairs, line and paragraph ends."""
HARMLESS = "\u200c\u200d\u200e\u200f"
"""Of these kinds, but written in some languages' names, sentences and emoji; they turn nothing that others
wrote."""
JOINERS = "\u200c\u200d"
"""What holds letters or emoji together or apart, and stands between them."""
MARKS = {ord(letter): None for letter in "\u200e\u200f\u061c"}
"""Marks of direction: they come along when a name is copied, and say nothing of its spelling."""
ISOLATES = "\u2066\u2068\u2069"
"""What stands between one of the first two and the last keeps its own direction, and the text around it its
own."""


def counted(number: int, name: str, names: str = "") -> str:
    """How many there are: ``1 match``, ``3 matches``; ``names`` where the plural takes more than an s."""
    return f"{number} {name if number == 1 else names or name + 's'}"


def spelt(name: str) -> str:
    """A name in one line and in one spelling, however it was typed or pasted."""
    return " ".join(name.translate(MARKS).split()).strip(JOINERS)


def steering(text: str) -> str:
    """The first character that would steer what shows a text in one line; "" where there is none."""
    return next((each for each in text if each not in HARMLESS and unicodedata.category(each) in STEERS), "")


def clean(text: str, *, lines: bool = False) -> str:
    """Text that may go to a terminal or into a log: what would steer it stands there as its code, an escape
    as ``\\x1b``. ``lines``: line ends and tabs stay."""
    kept = HARMLESS + "\n\t" * lines + ISOLATES * _closed(text)
    return "".join(
        letter if letter in kept or unicodedata.category(letter) not in STEERS else ascii(letter)[1:-1]
        for letter in text
    )


def _closed(text: str) -> bool:
    """Whether every isolate ends, and none ends that did not begin."""
    depth = 0
    for letter in text:
        depth += (letter in ISOLATES[:2]) - (letter == ISOLATES[2])
        if depth < 0:
            return False
    return depth == 0
