"""The numbers of rig files, each within what a table can have.

A file may have been damaged or made to harm: an infinite width, or a board a thousand kilometres wide, would
stop the program or fill the memory long after the file was opened.
"""

from __future__ import annotations

import math


def bounded(value: object, least: float = -1e6, most: float = 1e6) -> float:
    """A number of a rig: none (pixels, cm, nats) is more than a million. Raises TypeError where it is none,
    ValueError where no table has it."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{value!r} is no number")
    if not (math.isfinite(value) and least <= value <= most):
        raise ValueError(f"{value!r} is not between {least:g} and {most:g}")
    return float(value)


def whole(value: object, least: int, most: int) -> int:
    """The same of a whole number."""
    found = bounded(value, least, most)
    if found != int(found):
        raise ValueError(f"{value!r} is no whole number")
    return int(found)
