"""A code, as a table is given it once to join a hub (:mod:`firmware.hub.identity`): what both sides know of
it."""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
from dataclasses import dataclass

from firmware.errors import BadInput

HALF = 12
"""Letters of each half of a code: 60 bits."""
_CODE = re.compile(rf"([A-Z2-7]{{{HALF}}})([A-Z2-7]{{{HALF}}})(?:@(.+))?")


@dataclass(frozen=True, slots=True)
class Code:
    """What a table is given to join: the ``secret``, the beginning of the certificate's ``digest``, and where
    the hub is ("" where the table looks for it)."""

    secret: str
    digest: str
    where: str = ""

    @property
    def account(self) -> str:
        """What a table that has this code calls itself to the broker."""
        return "join-" + hashlib.sha256(self.secret.encode()).hexdigest()[:16]

    def __str__(self) -> str:
        both = self.secret + self.digest
        groups = "-".join(both[at : at + 4] for at in range(0, len(both), 4))
        return f"{groups}@{self.where}" if self.where else groups

    @classmethod
    def read(cls, text: str) -> Code:
        """A code as people type it. Raises BadInput."""
        typed, at, where = text.strip().partition("@")
        plain = "".join(typed.upper().replace("0", "O").replace("1", "I").replace("8", "B").split("-"))
        found = _CODE.fullmatch("".join(plain.split()) + at + where)
        if found is None:
            raise BadInput(
                f"{text[:60]!r} is no code: it has {2 * HALF} letters, in groups of four, as"
                " 'barpoint hub add-table' shows it"
            )
        return cls(found[1], found[2], (found[3] or "").strip())


def digest_letters(der: bytes) -> str:
    """The beginning of a certificate's SHA-256, in a code's letters."""
    return letters(hashlib.sha256(der).digest())


def new_key() -> str:
    """A key for a table."""
    return secrets.token_urlsafe(32)


def letters(digest: bytes) -> str:
    """The beginning of a digest, as 12 letters."""
    return base64.b32encode(digest).decode()[:HALF]
