"""Dice that anybody can check.

Before a game the device draws a secret and publishes its SHA-256, the *commitment*. Only then does each
player pledge words that nobody else knows, and tells them when nobody can pledge any more
(:mod:`engine.fair_dice`). Every roll is computed from the secret, the match, the number of the game, the
words and the roll's number, and from nothing else. At the end the secret is published, and anybody can
compute every roll again (:func:`verify`).

* The device cannot choose its rolls: when it commits, it does not know the words; then every roll is fixed.
* The players cannot: they do not know the secret, nor each other's words.
* Device and one player together cannot: both are bound before the other's words are told.
* None can roll again: the number of a roll is its place in the log.

So dice are proved to whoever's own words are in them (``Proof.proved_to``); to nobody where nobody gave any.

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

from engine.fair_dice import pledge_of
from engine.messages import phrase
from engine.names import named
from engine.position import Dice
from engine.record import Proof

SECRET_BYTES = 32
LIMIT = 252
"""The greatest multiple of six in a byte: bytes from here on are dropped."""
LABELS = {1: b"barpoint dice 1", 2: b"barpoint dice 2"}
"""Names each construction, so that a secret means nothing under another. Form 1 (releases up to 0.2) mixes in
bare words; form 2 match, game, and words with their sides (:func:`mixed`)."""


class DiceMismatch(ValueError):
    """Dice, a secret or words that do not belong to the commitment; the message says which roll."""


def commitment(secret: bytes) -> str:
    """What is published before the game: the SHA-256 of the secret, in hex."""
    return hashlib.sha256(secret).hexdigest()


def mixed(proof: Proof) -> tuple[str, ...]:
    """What is mixed into a game's dice, as texts. Raises DiceMismatch for a form that this release does not
    know, and for words that are not those that were pledged."""
    if proof.form == 1:
        return proof.words
    if proof.form not in LABELS:
        raise DiceMismatch(phrase("these dice have form {form}; this release knows 1 and 2", form=proof.form))
    for each in proof.given:
        if each.pledge and each.words and pledge_of(proof.commitment, each.side, each.words) != each.pledge:
            raise DiceMismatch(
                phrase("the words of {side} are not those that were pledged", side=named(each.side))
            )
    told = sorted(each for each in proof.given if each.words)
    texts = (proof.match, f"game {proof.game}", *(text for each in told for text in (each.side, each.words)))
    return (*texts, "beacon", f"{proof.round} {proof.beacon}") if proof.beacon else texts


def message(words: Sequence[str], number: int, count: int, block: int, form: int = 1) -> bytes:
    """The message of a roll. Each text is hashed before all are hashed together, so ``("ab",)`` and ``("a",
    "b")`` differ; all other parts have a fixed length."""
    digest = hashlib.sha256(b"".join(hashlib.sha256(word.encode()).digest() for word in words)).digest()
    return (
        LABELS[form]
        + digest
        + number.to_bytes(8, "big")
        + count.to_bytes(1, "big")
        + block.to_bytes(4, "big")
    )


def faces(stream: Iterator[int], count: int) -> Dice:
    """The first ``count`` dice in a stream of bytes, each exactly uniform if the bytes are."""
    return tuple(byte % 6 + 1 for byte in islice((byte for byte in stream if byte < LIMIT), count))


def roll(secret: bytes, words: Sequence[str], number: int, count: int, form: int = 1) -> Dice:
    """Roll ``number`` (from 1) of a game, with ``count`` dice. Raises ValueError for impossible ones."""
    if number < 1 or not 1 <= count <= 255:
        raise ValueError(f"roll {number} of {count} dice: rolls are numbered from 1 and have 1 to 255 dice")
    return faces(_stream(secret, words, number, count, form), count)


def _stream(secret: bytes, words: Sequence[str], number: int, count: int, form: int) -> Iterator[int]:
    block = 0
    while True:
        yield from hmac.digest(secret, message(words, number, count, block, form), "sha256")
        block += 1


@dataclass(frozen=True, slots=True)
class SealedDice:
    """The dice of one game, their secret still closed. A roll changes nothing; the caller counts."""

    secret: bytes
    words: tuple[str, ...] = ()
    form: int = 1

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
        return roll(self.secret, self.words, number, count, self.form)


def verify(proof: Proof, rolls: Sequence[tuple[int, Dice]]) -> None:
    """Computes these rolls (number, dice as logged) again. Raises DiceMismatch at the first that differs, at
    a number used twice or out of order, and where the secret does not fit the commitment."""
    try:
        secret = bytes.fromhex(proof.secret)
    except ValueError:
        raise DiceMismatch(phrase("the published secret is not hexadecimal")) from None
    if not secret:
        raise DiceMismatch(
            phrase("the secret has not been published: the game is not over, or its end is missing")
        )
    if commitment(secret) != proof.commitment.lower():
        raise DiceMismatch(
            phrase(
                "the published secret does not hash to the commitment {commitment}",
                commitment=proof.commitment,
            )
        )
    last, words = 0, mixed(proof)
    for number, dice in rolls:
        if number <= last:
            raise DiceMismatch(
                phrase(
                    "roll {roll} follows roll {before}: used twice, or lines were exchanged",
                    roll=number,
                    before=last,
                )
            )
        due = roll(secret, words, number, len(dice), proof.form)
        if tuple(dice) != due:
            raise DiceMismatch(
                phrase(
                    "roll {number} is logged as {dice} but the secret gives {due}",
                    number=number,
                    dice=_text(dice),
                    due=_text(due),
                )
            )
        last = number


def _text(dice: Dice) -> str:
    return "-".join(str(die) for die in dice)
