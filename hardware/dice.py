"""Dice that nobody has to take on trust.

Before a game the device draws a secret and publishes its SHA-256, the *commitment*. Only then do the players
add words of their own (or the timing of their buttons, written out). Every roll is computed from the secret,
the words and the roll's number, and from nothing else; at the end the secret is published, and anybody can
compute every roll again (:func:`verify`).

* The device cannot choose its rolls: when it committed, it did not know the words; once it has committed,
  every roll is fixed.
* The players cannot: they do not know the secret.
* Neither can ask twice: the number of a roll is its place in the log.

A roll is HMAC-SHA256(secret, message), read byte by byte. A byte under 252 is a die, ``byte % 6 + 1``: of the
252 values, each face has exactly 42, so that every face has probability 1/6, not nearly so. A byte of 252 to
255 is thrown away. Where 32 bytes are not enough (for two dice once in about 10**55 rolls), the next block of
the same message goes on.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from engine.position import Dice
from engine.record import Proof

SECRET_BYTES = 32
LIMIT = 252
"""The greatest multiple of six that a byte can count to: bytes from here on are rejected."""
LABEL = b"barpoint dice 1"
"""Names this construction, so that the secret means nothing under another."""


class DiceMismatch(ValueError):
    """Dice, a secret or words that do not belong to the commitment; the message says which roll."""


def commitment(secret: bytes) -> str:
    """What is published before the game: the SHA-256 of the secret, in hex."""
    return hashlib.sha256(secret).hexdigest()


def message(words: Sequence[str], number: int, count: int, block: int) -> bytes:
    """What is authenticated for a roll. Words are hashed one by one before they are hashed together, so that
    ``("ab",)`` and ``("a", "b")`` differ; all other parts have a fixed length."""
    digest = hashlib.sha256(b"".join(hashlib.sha256(word.encode()).digest() for word in words)).digest()
    return LABEL + digest + number.to_bytes(8, "big") + count.to_bytes(1, "big") + block.to_bytes(4, "big")


def faces(stream: Iterator[int], count: int) -> Dice:
    """The first ``count`` dice in a stream of bytes, each exactly uniform if the bytes are."""
    return tuple(byte % 6 + 1 for byte in islice((byte for byte in stream if byte < LIMIT), count))


def roll(secret: bytes, words: Sequence[str], number: int, count: int) -> Dice:
    """Roll ``number`` (from 1) of a game, of ``count`` dice. Raises ValueError on a number or count out of
    range."""
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
    """The dice of one game, secret still closed. Frozen: a roll changes nothing, the caller keeps the number
    of the next."""

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

    def with_words(self, words: Sequence[str]) -> SealedDice:
        """The same secret with the players' words mixed in. Call it before the first roll: words change every
        roll."""
        return replace(self, words=tuple(words))

    def roll(self, number: int, count: int) -> Dice:
        """Roll ``number`` (from 1), of ``count`` dice."""
        return roll(self.secret, self.words, number, count)

    def sealed(self) -> Proof:
        """What may be shown during the game: no secret in it."""
        return Proof(self.commitment, self.words)

    def opened(self) -> Proof:
        """What is published at the end."""
        return Proof(self.commitment, self.words, self.secret.hex())


def verify(proof: Proof, rolls: Sequence[tuple[int, Dice]]) -> None:
    """Compute these rolls (number, dice as logged) again. Raises DiceMismatch at the first that differs, at a
    number used twice or out of order, and where the secret does not belong to the commitment."""
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
            raise DiceMismatch(
                f"roll {number} follows roll {last}: a number was used twice, or the log is out of order"
            )
        due = roll(secret, proof.words, number, len(dice))
        if tuple(dice) != due:
            raise DiceMismatch(f"roll {number} is logged as {_text(dice)} but the secret gives {_text(due)}")
        last = number


def _text(dice: Dice) -> str:
    return "-".join(str(die) for die in dice)
