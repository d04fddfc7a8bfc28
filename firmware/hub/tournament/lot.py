"""The lot, which anybody can draw again: from a published seed and the entries' numbers follows the order.

Each entry gets SHA-256 of ``SEED:NUMBER`` (the number in decimal); the entries are then sorted by that text
of 64 hexadecimal digits. So two lines in any language, or a shell with ``sha256sum``, check a draw.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from firmware.hub.tournament.model import Entrant


def ticket(seed: str, number: int) -> str:
    """What an entry draws: 64 hexadecimal digits."""
    return hashlib.sha256(f"{seed}:{number}".encode("utf-8", "replace")).hexdigest()


def by_lot(seed: str, numbers: Iterable[int]) -> list[int]:
    """The entries in the order of the lot."""
    return sorted(numbers, key=lambda number: ticket(seed, number))


def by_strength(seed: str, entries: Sequence[Entrant]) -> list[int]:
    """The entries by seed, then by rating, the strongest first; the lot decides between equals, and orders
    those who have neither."""

    def key(entry: Entrant) -> tuple[bool, int, bool, float, str]:
        return (
            entry.seed is None,
            entry.seed or 0,
            entry.rating is None,
            -(entry.rating or 0.0),
            ticket(seed, entry.number),
        )

    return [entry.number for entry in sorted(entries, key=key)]
