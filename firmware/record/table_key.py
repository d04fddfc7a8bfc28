"""The table's own key (Ed25519), and lists of keys of tables that somebody trusts.

The private half is ``key.pem`` in the state directory (PKCS #8, readable by the table's user alone), made
once and never replaced. Neither a backup nor a stick has it: whoever has it can sign any match as this table.
The public half is shown by ``barpoint key`` and on the page, as 64 hex digits and as a QR code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from firmware.errors import BadInput
from firmware.files import is_file, replace_file
from firmware.record.signature import Signature

FILE = "key.pem"
SCHEME = "BARPOINT-KEY:"
"""Before the digits in a QR code: all in capitals, which makes a small code."""
LARGEST_LIST = 1 << 20
"""Bytes of a list of keys: many thousands of tables."""
_KEY = re.compile(rf"(?:{SCHEME})?((?:[0-9a-f][ :-]?){{64}})(?![0-9a-f])\s*(.*)", re.IGNORECASE)

Keys: TypeAlias = Mapping[str, str]
"""Public keys in hex, each with the name of its table ("" where it has none)."""


class NoKey(BadInput):
    """There is no key."""


class KeyAway(BadInput):
    """The disk does not give the key now; another time it may."""


@dataclass(frozen=True)
class TableKey:
    """A table's key pair."""

    private: Ed25519PrivateKey

    @property
    def public(self) -> str:
        """The public key, 64 hex digits."""
        return self.private.public_key().public_bytes_raw().hex()

    def sign(self, what: Signature) -> Signature:
        """The same, signed with this key."""
        what = replace(what, key=self.public)
        return replace(what, signature=self.private.sign(what.statement()).hex())

    @classmethod
    def load(cls, state: Path) -> TableKey:
        """The key in the state directory. Raises NoKey where there is none, KeyAway where the disk does not
        answer, BadInput where it is damaged or this user may not read it."""
        path = state / FILE
        try:
            key = serialization.load_pem_private_key(path.read_bytes(), None)
        except FileNotFoundError as error:
            raise NoKey(f"this table has no key yet ({path})") from error
        except OSError as error:
            final = isinstance(error, PermissionError | IsADirectoryError)
            fault = BadInput if final else KeyAway
            raise fault(f"cannot read the table's key {path}: {error.strerror or error}") from error
        except (ValueError, TypeError, UnsupportedAlgorithm) as error:
            raise BadInput(f"the table's key {path} is damaged; {_WAY_OUT}") from error
        if not isinstance(key, Ed25519PrivateKey):
            raise BadInput(f"the table's key {path} is not of Ed25519; {_WAY_OUT}")
        return cls(key)

    @classmethod
    def at_hand(cls, state: Path) -> TableKey | None:
        """The same; None where there is none that can be read here."""
        try:
            return cls.load(state)
        except BadInput:
            return None

    @classmethod
    def load_or_make(cls, state: Path) -> TableKey:
        """The same; where there is none it is made. One that is damaged is never replaced. Raises
        BadInput."""
        try:
            return cls.load(state)
        except NoKey:
            made = cls(Ed25519PrivateKey.generate())
        text = made.private.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        try:
            state.mkdir(parents=True, exist_ok=True)
            replace_file(state / FILE, text, private=True)
        except OSError as error:
            raise BadInput(
                f"cannot keep the table's key {state / FILE}: {error.strerror or error}"
            ) from error
        return made


_WAY_OUT = "put the right one back, or move it away and the next start makes a new one"


def code(public: str) -> str:
    """A public key as its QR code says it."""
    return SCHEME + public.upper()


def grouped(public: str) -> str:
    """A public key in groups of four digits, to read it out."""
    return " ".join(public[at : at + 4] for at in range(0, len(public), 4))


def short(public: str, keys: Keys | None = None) -> str:
    """A public key as messages name it: by its table's name, or its first digits."""
    name = (keys or {}).get(public, "")
    return f"{name} (key {public[:16]}…)" if name else f"key {public[:16]}…"


def read_keys(given: Iterable[str]) -> dict[str, str]:
    """Public keys: each a file, or the key itself, as digits or as its QR code says it. A file is a list, a
    line a key and the name of its table, or a public key in PEM. Raises BadInput."""
    found: dict[str, str] = {}
    for each in given:
        known = _KEY.fullmatch(each.strip())
        if known is not None and not is_file(Path(each)):
            found[_digits(known)] = known[2].strip()
        else:
            found |= _listed(Path(each))
    return found


def _listed(path: Path) -> dict[str, str]:
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_LIST + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        told = f"{str(path)[:80]}: neither a key (64 hex digits) nor a file of keys: {why}"
        raise BadInput(told) from error
    if len(data) > LARGEST_LIST:
        raise BadInput(f"{path}: too large for a list of keys")
    if b"PRIVATE KEY-----" in data:
        raise BadInput(f"{path}: this is a private key; 'barpoint key' prints the public one")
    if data.startswith(b"-----BEGIN PUBLIC KEY-----"):
        return {_pem(path, data): path.stem}
    found: dict[str, str] = {}
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        known = _KEY.fullmatch(line.strip())
        if known is None:
            raise BadInput(f"{path}, line {number}: a line is a key (64 hex digits) and a table's name")
        found[_digits(known)] = known[2].strip()
    if not found:
        raise BadInput(f"{path}: no key is in it")
    return found


def _pem(path: Path, data: bytes) -> str:
    try:
        key = serialization.load_pem_public_key(data)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise BadInput(f"{path}: a damaged public key") from error
    if not isinstance(key, Ed25519PublicKey):
        raise BadInput(f"{path}: not a key of Ed25519")
    return key.public_bytes_raw().hex()


def _digits(found: re.Match[str]) -> str:
    return re.sub(r"[ :-]", "", found[1]).lower()
