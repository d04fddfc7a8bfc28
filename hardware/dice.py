"""Dice that anybody can check.

Before a game the device draws a secret and publishes its SHA-256, the *commitment*. Only then do the players
add words of their own (or the timing of their buttons, written out). Every roll is computed from the secret,
the words and the roll's number, and from nothing else. At the end the secret is published, and anybody can
compute every roll again (:func:`verify`).

* The device cannot choose its rolls: when it commits, it does not know the words; then every roll is fixed.
* The players cannot: they do not know the secret.
* Neither can roll again: the number of a roll is its place in the log.

A roll is HMAC-SHA256(secret, message), read byte by byte. A byte under 252 is a die, ``byte % 6 + 1``: each
face has exactly 42 of the 252 values, so its probability is exactly 1/6. A byte of 252 to 255 is dropped.
Where 32 bytes are not enough (for two dice once in about 10**55 rolls), the next block follows.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from engine.position import Dice
from engine.record import Proof

SECRET_BYTES = 32
LIMIT = 252
"""The greatest multiple of six in a byte: bytes from here on are dropped."""
LABEL = b"barpoint dice 1"
"""Names this construction, so that the secret means nothing under another."""


class DiceMismatch(ValueError):
    """Dice, a secret or words that do not belong to the commitment; the message says which roll."""


def commitment(secret: bytes) -> str:
    """What is published before the game: the SHA-256 of the secret, in hex."""
    return hashlib.sha256(secret).hexdigest()


def message(words: Sequence[str], number: int, count: int, block: int) -> bytes:
    """The message of a roll. Each text is hashed before all are hashed together, so ``("ab",)`` and ``("a",
    "b")`` differ; all other parts have a fixed length."""
    digest = hashlib.sha256(b"".join(hashlib.sha256(word.encode()).digest() for word in words)).digest()
    return LABEL + digest + number.to_bytes(8, "big") + count.to_bytes(1, "big") + block.to_bytes(4, "big")


def faces(stream: Iterator[int], count: int) -> Dice:
    """The first ``count`` dice in a stream of bytes, each exactly uniform if the bytes are."""
    return tuple(byte % 6 + 1 for byte in islice((byte for byte in stream if byte < LIMIT), count))


def roll(secret: bytes, words: Sequence[str], number: int, count: int) -> Dice:
    """Roll ``number`` (from 1) of a game, with ``count`` dice. Raises ValueError for impossible ones."""
    if number < 1 or not 1 <= count <= 255:
        raise ValueError(f"roll {number} of {count} dice: rolls are numbered from 1 and have 1 to 255 dice")
    return faces(_stream(secret, words, number, count), count)


def _stream(secret: bytes, words: Sequence[str], number: int, count: int) -> Iterator[int]:
    block = 0
    while True:
        yield from hmac.digest(secret, message(words, number, count, block), "sha256")
        block += 1


@dataclass(frozen=True, slots=True)
class SealedDice:
    """The dice of one game, their secret still closed. A roll changes nothing; the caller counts."""

    secret: bytes
    words: tuple[str, ...] = ()

    @classmethod
    def draw(cls) -> SealedDice:
        """Dice with a fresh secret from the system's cryptographic source."""
        return cls(secrets.token_bytes(SECRET_BYTES))

    @property
    def commitment(self) -> str:
        """The SHA-256 of the secret: publish it before asking for words."""
        return commitment(self.secret)

    def roll(self, number: int, count: int) -> Dice:
        """Roll ``number`` (from 1), of ``count`` dice."""
        return roll(self.secret, self.words, number, count)


def verify(proof: Proof, rolls: Sequence[tuple[int, Dice]]) -> None:
    """Computes these rolls (number, dice as logged) again. Raises DiceMismatch at the first that differs, at
    a number used twice or out of order, and where the secret does not fit the commitment."""
    try:
        secret = bytes.fromhex(proof.secret)
    except ValueError:
        raise DiceMismatch("the published secret is not hexadecimal") from None
    if not secret:
        raise DiceMismatch("the secret has not been published: the game is not over, or its end is missing")
    if commitment(secret) != proof.commitment.lower():
        raise DiceMismatch(f"the published secret does not hash to the commitment {proof.commitment}")
    last = 0
    for number, dice in rolls:
        if number <= last:
            raise DiceMismatch(f"roll {number} follows roll {last}: used twice, or out of order")
        due = roll(secret, proof.words, number, len(dice))
        if tuple(dice) != due:
            raise DiceMismatch(f"roll {number} is logged as {_text(dice)} but the secret gives {_text(due)}")
        last = number


def _text(dice: Dice) -> str:
    return "-".join(str(die) for die in dice)
