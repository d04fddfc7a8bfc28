"""The provable dice: what they promise, and that a lie is found."""

import hashlib
import hmac
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.record import Proof
from hardware.dice import LIMIT, DiceMismatch, SealedDice, commitment, faces, message, roll, verify

SECRET = bytes(range(32))
WORDS = ("seven come eleven", "Würfelglück")


def game(count: int = 20) -> tuple[Proof, list[tuple[int, tuple[int, ...]]]]:
    dice = SealedDice(SECRET, WORDS)
    return Proof(dice.commitment, WORDS, SECRET.hex()), [
        (number, dice.roll(number, 2)) for number in range(1, count + 1)
    ]


def test_accepted_bytes_are_the_same_number_for_each_face() -> None:
    """The whole argument for exact uniformity: of the 256 values of a uniform byte, exactly 42 make each
    face; four are rejected."""
    made = Counter(die for byte in range(256) for die in faces(iter([byte]), 1))
    assert made == dict.fromkeys(range(1, 7), 42)
    assert [byte for byte in range(256) if not faces(iter([byte]), 1)] == [252, 253, 254, 255]


def test_rejected_bytes_are_skipped_and_the_next_ones_used() -> None:
    assert faces(iter([255, 0, 252, 5, 7]), 3) == (1, 6, 2)


def test_a_roll_is_the_documented_hmac_read_byte_by_byte() -> None:
    """Recomputed here with nothing of the module but the documentation."""
    words = hashlib.sha256(b"".join(hashlib.sha256(word.encode()).digest() for word in WORDS)).digest()
    text = b"barpoint dice 1" + words + (7).to_bytes(8, "big") + b"\x02" + bytes(4)
    stream = hmac.new(SECRET, text, hashlib.sha256).digest()
    assert roll(SECRET, WORDS, 7, 2) == tuple(byte % 6 + 1 for byte in stream if byte < 252)[:2]


def test_the_construction_never_changes_silently() -> None:
    """A golden vector: logs of years ago must verify."""
    assert [roll(SECRET, WORDS, number, 3) for number in (1, 2, 3)] == [(3, 5, 5), (5, 6, 6), (2, 6, 4)]


def test_more_dice_than_a_block_holds_come_from_the_next_block() -> None:
    long = roll(SECRET, (), 1, 200)
    assert len(long) == 200
    first = hmac.digest(SECRET, message((), 1, 200, 0), "sha256")
    accepted = [byte % 6 + 1 for byte in first if byte < LIMIT]
    assert list(long[: len(accepted)]) == accepted
    second = hmac.digest(SECRET, message((), 1, 200, 1), "sha256")
    assert (
        list(long[len(accepted) : len(accepted) + 5]) == [byte % 6 + 1 for byte in second if byte < LIMIT][:5]
    )


@pytest.mark.parametrize("count", [1, 2, 3])
def test_every_number_of_dice_is_rolled_with_faces_one_to_six(count: int) -> None:
    rolls = [roll(SECRET, (), number, count) for number in range(1, 300)]
    assert {len(each) for each in rolls} == {count}
    assert {die for each in rolls for die in each} == {1, 2, 3, 4, 5, 6}


@pytest.mark.parametrize(("number", "count"), [(0, 2), (-1, 2), (1, 0), (1, 256)])
def test_a_roll_without_number_or_dice_is_refused(number: int, count: int) -> None:
    with pytest.raises(ValueError, match="numbered from 1"):
        roll(SECRET, (), number, count)


def test_words_of_either_player_change_the_rolls() -> None:
    rolls = {
        tuple(SealedDice(SECRET, words).roll(n, 2) for n in range(1, 30))
        for words in [(), ("a",), ("b",), ("a", "b"), ("b", "a"), ("ab",)]
    }
    assert len(rolls) == 6


def test_two_draws_share_no_secret() -> None:
    one, two = SealedDice.draw(), SealedDice.draw()
    assert one.secret != two.secret
    assert len(one.secret) == 32
    assert one.commitment == commitment(one.secret)


def test_an_honest_log_verifies() -> None:
    proof, rolls = game()
    verify(proof, rolls)


def test_rolls_left_out_of_the_log_do_not_harm_the_rest() -> None:
    """Rolls undone or of dice that the players rolled themselves have no line; what is logged must still be
    right."""
    proof, rolls = game()
    verify(proof, rolls[3:7] + rolls[12:])


@given(place=st.integers(0, 19), die=st.integers(0, 1), face=st.integers(1, 6))
def test_any_single_altered_die_is_found_and_named(place: int, die: int, face: int) -> None:
    proof, rolls = game()
    number, dice = rolls[place]
    forged = tuple(face if at == die else each for at, each in enumerate(dice))
    if forged == dice:
        return
    rolls[place] = (number, forged)
    with pytest.raises(
        DiceMismatch,
        match=f"roll {number} is logged as {forged[0]}-{forged[1]} but the secret gives {dice[0]}-{dice[1]}",
    ):
        verify(proof, rolls)


def test_swapped_dice_are_found() -> None:
    proof, rolls = game()
    at = next(place for place, (_, dice) in enumerate(rolls) if dice[0] != dice[1])
    rolls[at] = (rolls[at][0], rolls[at][1][::-1])
    with pytest.raises(DiceMismatch):
        verify(proof, rolls)


def test_a_number_used_twice_is_found() -> None:
    proof, rolls = game()
    with pytest.raises(DiceMismatch, match="roll 5 follows roll 5"):
        verify(proof, rolls[:5] + rolls[4:])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"secret": "00" * 32}, "does not hash to the commitment"),
        ({"commitment": "00" * 32}, "does not hash to the commitment"),
        ({"secret": ""}, "has not been published"),
        ({"secret": "not hex"}, "not hexadecimal"),
        ({"words": ("other",)}, "roll 1 is logged as"),
    ],
)
def test_another_secret_commitment_or_words_are_found(change: dict[str, object], reason: str) -> None:
    proof, rolls = game()
    with pytest.raises(DiceMismatch, match=reason):
        verify(replace(proof, **change), rolls)


def test_a_commitment_that_is_no_hex_at_all_is_a_mismatch_and_no_crash() -> None:
    proof, rolls = game()
    with pytest.raises(DiceMismatch, match="does not hash"):
        verify(replace(proof, commitment="Würfel"), rolls)
