"""Who may act: whoever has typed the table's PIN; a signed cookie lets the browser remember it.

The PIN has six digits. It is made once and kept with the signing key in ``page.json`` of the state directory,
which only the device's user can read; ``barpoint pin`` shows it. The cookie holds the time when it ends and
an HMAC-SHA256 of that time under the key and the PIN, so a new PIN ends every old cookie.

Tries are rationed for each address and for all together, so that no guesser can keep the players out. The
first two tries of an address in an hour do not count for all, so a newcomer can enter while others guess.
From 250 addresses (all of a club's network) 2300 PINs can be tried in an hour, and half of a million take
nine days. An *invitation*, which a QR code holds, is the PIN and 128 bits that nobody can guess: it needs no
ration, and works even from a guesser's address.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from firmware.errors import BadInput
from firmware.files import replace_file
from firmware.page.refusal import Refused

FILE = "page.json"
COOKIE = "barpoint"
LASTS = 30 * 24 * 3600.0
"""Seconds for which a cookie is valid: a league's month."""


class TooOften(Refused):
    """Too many requests. ``wait`` is in seconds."""

    def __init__(self, wait: float) -> None:
        super().__init__(429, f"too many tries; wait {wait:.0f} seconds", wait)


@dataclass
class Ration:
    """For each name ``burst`` uses at once, refilled steadily. Remembers at most ``names``."""

    burst: float
    per_second: float
    names: int = 512
    _left: dict[str, tuple[float, float]] = field(default_factory=dict)

    def take(self, name: str, now: float) -> None:
        """Takes one use. Raises TooOften where none is left."""
        left, since = self._left.pop(name, (self.burst, now))
        left = min(self.burst, left + max(0.0, now - since) * self.per_second)
        self._left[name] = (left, now) if left < 1 else (left - 1, now)
        while len(self._left) > self.names:
            del self._left[next(iter(self._left))]
        if left < 1:
            raise TooOften((1 - left) / self.per_second + 0.5)


class Keeper:
    """Decides who may act. ``now`` is the wall clock, in seconds; use it from one thread only."""

    def __init__(self, pin: str, key: bytes, now: Callable[[], float]) -> None:
        self.pin = pin
        self._key = hmac.digest(key, pin.encode(), hashlib.sha256)
        self._now = now
        self._tries = Ration(5, 5 / 60)
        self._first_tries = Ration(2, 2 / 3600, names=4096)
        self._all_tries = Ration(30, 30 / 60)
        self._acts = Ration(20, 4)
        self.invitation = f"{pin}.{self._sign('invitation')[:32]}"

    def enter(self, pin: str, who: str) -> str | None:
        """The cookie for a right PIN or invitation, else None. ``who`` is an address. Raises TooOften."""
        now = self._now()
        right = self.invitation if "." in pin else self.pin
        if right is self.pin:
            self._tries.take(who, now)
            try:
                self._first_tries.take(who, now)
            except TooOften:
                self._all_tries.take("", now)
        if not hmac.compare_digest(pin.encode("utf-8", "replace"), right.encode()):
            return None
        until = f"{now + LASTS:.0f}"
        return f"{until}.{self._sign(until)}"

    def knows(self, cookie: str | None) -> bool:
        """Whether a cookie is ours and still valid."""
        until, _, signature = (cookie or "").partition(".")
        if not (until.isascii() and until.isdecimal() and len(until) < 16):
            return False
        right = hmac.compare_digest(signature.encode("utf-8", "replace"), self._sign(until).encode())
        return right and int(until) >= self._now()

    def acts(self, who: str) -> None:
        """Counts an act. Raises TooOften."""
        self._acts.take(who, self._now())

    def _sign(self, until: str) -> str:
        return hmac.new(self._key, until.encode(), hashlib.sha256).hexdigest()


def keeper(directory: Path, now: Callable[[], float], *, renew: bool = False) -> Keeper:
    """The keeper of the state directory's PIN, made where there is none, or on ``renew``. Raises BadInput."""
    path = directory / FILE
    try:
        if renew or not path.exists():
            directory.mkdir(parents=True, exist_ok=True)
            fresh = {"pin": f"{secrets.randbelow(1_000_000):06}", "key": secrets.token_hex(32)}
            replace_file(path, json.dumps(fresh), private=True)
        data = json.loads(path.read_text(encoding="utf-8"))
        return Keeper(str(data["pin"]), bytes.fromhex(data["key"]), now)
    except OSError as error:
        raise BadInput(f"cannot keep the page's PIN in {path}: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{path} is damaged; 'barpoint pin --new' makes another") from error
