"""Who may act: whoever has typed the table's PIN; a signed cookie lets the browser remember it.

There are three roles. A *spectator* has no cookie. A *player* has typed the PIN of six digits, and may take a
*seat*: from then on that phone acts for its player alone, and no other phone does, until it stands up or has
been away for :data:`AWAY` seconds. A *director* has typed the director's PIN of eight digits, which follows
from the key and the PIN, so it changes with them; what a director corrects counts at once.

The PIN has six digits. It is made once and kept with the signing key in ``page.json`` of the state directory,
which only the device's user can read; ``barpoint pin`` shows it. The cookie holds the time when it ends and
an HMAC-SHA256 of that time under the key and the PIN, so a new PIN ends every old cookie.

Tries are rationed for each address and for all together. The first two tries of an address in an hour come
out of a ration of their own, so a newcomer can enter while others guess; that one has an end, too, since
somebody may have a hundred thousand addresses. Every 500 wrong tries halve what all together may try, and are
forgotten in hours: from any number of addresses some 200 PINs an hour can be tried in the long run, and half
of a million take a hundred days. The players are told that somebody guesses. An *invitation*, which a QR code
holds, is the PIN and 128 bits that nobody can guess: it needs no ration, and works even from a guesser's
address.

``screen.token`` beside it, for the device's user alone, is what the device's own screen shows itself by: with
it in its address (``/tv#screen=…``) the page gives the invitation. A new PIN, and a browser that logs out,
count at once, for a table that runs as well: the file is looked at again whenever it has changed.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from engine import strict_json
from engine.messages import phrase
from firmware.errors import BadInput
from firmware.files import replace_file
from firmware.page.ration import Ration, TooOften
from firmware.page.refusal import Refused

FILE = "page.json"
TOKEN = "screen.token"
COOKIE = "barpoint"
PLAYER, DIRECTOR = "player", "director"
"""The roles of those who may act."""
AWAY = 120.0
"""Seconds after which another phone may take the seat of one that is not heard of."""
LASTS = 30 * 24 * 3600.0
"""Seconds for which a cookie is valid: a league's month."""


HALVED = 500.0
"""Wrong tries that halve the speed of all further ones."""
FORGOTTEN = 6 * 3600.0
"""Seconds in which half of the wrong tries are forgotten."""
GUESSED = 20.0
"""Wrong tries of which the players are told."""
WARNING = phrase("somebody guesses the page's PIN; let players in by the QR code ('barpoint pin')")


class Keeper:
    """Decides who may act; use it from one thread only. ``now`` is the wall clock, in seconds, by which
    cookies end; ``steady`` is a clock that nobody sets, for seats and rations. ``kept`` is the file that has
    PIN and key, if they come from one; ``tell`` hears of guessers, and "" when they are gone."""

    def __init__(
        self,
        pin: str,
        key: bytes,
        now: Callable[[], float],
        kept: Path | None = None,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        self._kept, self._seen = kept, _mark(kept)
        self._now, self._steady = now, steady
        self.cookie = COOKIE
        """The name of its cookies. Browsers keep one of a name for all ports of a machine."""
        self._turn(pin, key, frozenset())
        self._wrong, self._since = 0.0, steady()
        self.tell: Callable[[str], None] = lambda words: None
        self._tries = Ration(5, 5 / 60)
        self._first_tries = Ration(2, 2 / 3600, names=4096)
        self._all_first_tries = Ration(200, 400 / 3600)
        self._all_tries = Ration(30, 30 / 60)
        self._acts = Ration(20, 4)
        self._seats: dict[str, str] = {}
        """Which browser sits for which player."""
        self._heard: dict[str, float] = {}
        """When these browsers were heard of last."""

    def _turn(self, pin: str, key: bytes, ended: frozenset[str]) -> None:
        """Goes by this PIN and key from now on; ``ended`` are the cookies of browsers that logged out."""
        self.pin, self._ended = pin, ended
        self._key = hmac.digest(key, pin.encode(), hashlib.sha256)
        self.invitation = f"{pin}.{self._sign('invitation')[:32]}"
        self.screen = self._sign("screen")[:32]
        self.director = f"{int(self._sign('director')[:15], 16) % 100_000_000:08}"

    def _look_again(self) -> None:
        """Takes the file's PIN where it has another one now."""
        mark = _mark(self._kept)
        if self._kept is None or mark is None or mark == self._seen:
            return
        with suppress(BadInput):  # a file that is being repaired: the old PIN counts until it is whole
            self._turn(*_stored(self._kept))
            self._seen, self._seats = mark, {}  # whoever sat down did so by what counts no more

    def _speed(self) -> float:
        """The part of their usual speed at which tries are refilled; tells the players what is going on."""
        now = self._steady()
        self._wrong *= 0.5 ** (max(0.0, now - self._since) / FORGOTTEN)
        self._since = now
        self.tell(WARNING if self._wrong >= GUESSED else "")
        return float(0.5 ** (self._wrong / HALVED))

    def enter(self, pin: str, who: str) -> str | None:
        """The cookie for a right PIN or invitation, else None. ``who`` is an address. Raises TooOften."""
        self._look_again()
        directs = len(pin) == len(self.director)
        right = self.invitation if "." in pin else self.director if directs else self.pin
        if right is not self.invitation:
            speed, now = self._speed(), self._steady()
            self._tries.take(who, now)
            try:
                self._first_tries.take(who, now)
                self._all_first_tries.take("", now, speed)
            except TooOften:
                self._all_tries.take("", now, speed)
        if not hmac.compare_digest(pin.encode("utf-8", "replace"), right.encode()):
            self._wrong += right is not self.invitation
            return None
        until = f"{self._now() + LASTS:.0f}"
        named = f"{until}-{secrets.token_hex(8)}"  # each browser's is its own, and can be ended alone
        named += f"-{DIRECTOR}" if directs else ""
        return f"{named}.{self._sign(named)}"

    def leave(self, cookie: str | None) -> None:
        """Ends a cookie, for as long as it would be valid. Raises OSError where that cannot be kept."""
        if cookie is None or not self.knows(cookie):
            return
        now = self._now()
        named = cookie.partition(".")[0]
        self._stand(named)
        self._ended = frozenset(each for each in self._ended if _until(each) >= now) | {named}
        if self._kept is not None:
            data = json.loads(self._kept.read_text(encoding="utf-8"))
            replace_file(self._kept, json.dumps(data | {"ended": sorted(self._ended)}), private=True)
            self._seen = _mark(self._kept)

    def shows(self, token: str) -> bool:
        """Whether this is the token of the device's own screen."""
        self._look_again()
        return hmac.compare_digest(token.encode("utf-8", "replace"), self.screen.encode())

    def knows(self, cookie: str | None) -> bool:
        """Whether a cookie is ours and still valid."""
        self._look_again()
        if self._wrong >= GUESSED:
            self._speed()  # guessers may be gone
        named, _, signature = (cookie or "").partition(".")
        if named in self._ended or _until(named) < self._now():
            return False
        known = hmac.compare_digest(signature.encode("utf-8", "replace"), self._sign(named).encode())
        if known and named in self._heard:
            self._heard[named] = self._steady()
        return known

    def role(self, cookie: str | None) -> str | None:
        """What a cookie's browser may be: :data:`PLAYER`, :data:`DIRECTOR`; None without one."""
        if cookie is None or not self.knows(cookie):
            return None
        return DIRECTOR if cookie.partition(".")[0].endswith(f"-{DIRECTOR}") else PLAYER

    def sit(self, cookie: str | None, player: str) -> None:
        """Gives a known browser the seat of ``player``, and of nobody else. Raises Refused where another one
        sits there."""
        if cookie is None or not self.knows(cookie):
            raise Refused(401, phrase("to sit down, enter the table's PIN"))
        named = cookie.partition(".")[0]
        if self.seated(player) and self._seats[player] != named:
            raise Refused(
                409,
                phrase(
                    "another phone acts for {player}; it must stand up first, or be away for a while",
                    player=player,
                ),
            )
        self._stand(named)
        self._seats[player] = named
        self._heard[named] = self._steady()

    def stand(self, cookie: str | None) -> None:
        """Frees a browser's seat."""
        if cookie is not None and self.knows(cookie):
            self._stand(cookie.partition(".")[0])

    def _stand(self, named: str) -> None:
        self._seats = {player: sits for player, sits in self._seats.items() if sits != named}
        self._heard.pop(named, None)

    def seated(self, player: str) -> bool:
        """Whether a browser acts for this player."""
        named = self._seats.get(player)
        return (
            named is not None
            and named not in self._ended
            and self._steady() - self._heard.get(named, float("-inf")) < AWAY
        )

    def seat(self, cookie: str | None) -> str | None:
        """The player for whom a browser acts; None where it acts for whoever is there."""
        named = (cookie or "").partition(".")[0]
        return next((each for each, sits in self._seats.items() if sits == named), None)

    def acts(self, who: str) -> None:
        """Counts an act. Raises TooOften."""
        self._acts.take(who, self._steady())

    def _sign(self, until: str) -> str:
        return hmac.new(self._key, until.encode("utf-8", "replace"), hashlib.sha256).hexdigest()


def _until(named: str) -> int:
    """When a cookie's name says that it ends; -1 where it says nothing. Release 0.1.0 gave all of a second
    the same one."""
    until = named.partition("-")[0]
    return int(until) if until.isascii() and until.isdecimal() and len(until) < 16 else -1


def _mark(path: Path | None) -> tuple[int, int] | None:
    """What tells a file from the one that took its place; None where there is none."""
    try:
        found = None if path is None else path.stat()
    except OSError:
        return None
    return None if found is None else (found.st_mtime_ns, found.st_ino)


def _stored(path: Path) -> tuple[str, bytes, frozenset[str]]:
    """PIN, key, and the cookies that were ended. Raises BadInput."""
    try:
        data = strict_json.loads_object(path.read_text(encoding="utf-8"))
        return str(data["pin"]), bytes.fromhex(data["key"]), frozenset(map(str, data.get("ended", ())))
    except OSError as error:
        raise BadInput(f"cannot keep the page's PIN in {path}: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{path} is damaged; 'barpoint pin --new' makes another") from error


def keeper(directory: Path, now: Callable[[], float], *, renew: bool = False) -> Keeper:
    """The keeper of the state directory's PIN, made where there is none, or on ``renew``. Raises BadInput."""
    path = directory / FILE
    try:
        if renew or not path.exists():
            directory.mkdir(parents=True, exist_ok=True)
            fresh = {"pin": f"{secrets.randbelow(1_000_000):06}", "key": secrets.token_hex(32)}
            replace_file(path, json.dumps(fresh), private=True)
        pin, key, ended = _stored(path)
        made = Keeper(pin, key, now, path)
        made._turn(pin, key, ended)
        token = directory / TOKEN
        if not token.exists() or token.read_text(encoding="utf-8", errors="replace") != made.screen:
            replace_file(token, made.screen, private=True)
        return made
    except OSError as error:
        raise BadInput(f"cannot keep the page's PIN in {path}: {error.strerror or error}") from error
