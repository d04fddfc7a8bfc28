"""A public source of randomness for the dice, where the configuration asks for it: drand's *quicknet*, whose
members, organisations all over the world, make a new number together every three seconds.

A commitment names the round that will be mixed in: one that nobody knows yet. So not even the table can
choose the dice, whether or not players give words, if somebody saw the commitment before the round came out.

A round's number is a BLS signature (BLS12-381, RFC 9380) of the round under the network's public key: there
is exactly one. ``verify`` checks it with py_ecc, the extra ``beacon``, and says where it could not.
"""

from __future__ import annotations

import hashlib
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPException

from engine import strict_json

CHAIN = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971"
PUBLIC_KEY = (
    "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d1064510d1fec75"
    "8c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a"
)
GENESIS = 1692803367
"""Seconds since 1970 at which round 1 came out."""
PERIOD = 3
"""Seconds from one round to the next."""
AHEAD = 2
"""Rounds from the newest to the one that a commitment names: it comes out 3 to 6 seconds later."""
SERVERS = ("https://api.drand.sh", "https://api2.drand.sh", "https://drand.cloudflare.com")
SUITE = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
TIMEOUT = 3.0
"""Seconds that a server may take."""
LARGEST = 4096
"""Bytes of an answer; it has some 250."""


class NoBeacon(Exception):
    """A round cannot be had now; the message says why."""


def time_of(number: int) -> float:
    """When a round comes out, in seconds since 1970."""
    return float(GENESIS + PERIOD * (number - 1))


def newest(now: float) -> int:
    """The newest round at a time, 0 before the first."""
    return max(0, int((now - GENESIS) // PERIOD) + 1)


def fetch(number: int, servers: tuple[str, ...] = SERVERS) -> str:
    """The signature of a round, in hex, from the first server that has it. Raises NoBeacon."""
    faults = []
    for server in servers:
        try:
            with urllib.request.urlopen(f"{server}/{CHAIN}/public/{number}", timeout=TIMEOUT) as answer:
                data = strict_json.loads_object(answer.read(LARGEST).decode())
            signature = data["signature"]
            if data["round"] == number and well_formed(signature, data["randomness"]):
                return str(signature)
            faults.append(f"{server}: this is not round {number}")
        except (OSError, HTTPException, ValueError, KeyError) as error:
            faults.append(f"{server}: {error}")
    raise NoBeacon("; ".join(faults))


def well_formed(signature: object, randomness: object) -> bool:
    """Whether a signature is 48 bytes in hex, and its SHA-256 the randomness that came with it."""
    if not isinstance(signature, str) or len(signature) != 96 or signature != signature.lower():
        return False
    return hashlib.sha256(bytes.fromhex(signature)).hexdigest() == randomness


def signed(number: int, signature: str) -> bool | None:
    """Whether the network has signed this round so; None where py_ecc is not installed. Takes seconds."""
    with _own_recursion_limit():
        return _signed(number, signature)


@contextmanager
def _own_recursion_limit() -> Iterator[None]:
    """py_ecc raises Python's limit for the whole program when it is imported, and needs it; others rely on
    the usual one, which refuses a file of ten thousand brackets."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, 100_000))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def _signed(number: int, signature: str) -> bool | None:
    try:
        from py_ecc.bls.g2_primitives import subgroup_check
        from py_ecc.bls.hash_to_curve import hash_to_G1
        from py_ecc.bls.point_compression import decompress_G1, decompress_G2
        from py_ecc.optimized_bls12_381 import FQ12, G2, final_exponentiate, neg, pairing
    except ImportError:
        return None
    message = hash_to_G1(hashlib.sha256(number.to_bytes(8, "big")).digest(), SUITE, hashlib.sha256)
    try:
        point = decompress_G1(int(signature, 16))
    except ValueError:
        return False
    if not subgroup_check(point):  # else many points would pass, and whoever picks one picks the dice
        return False
    key = decompress_G2((int(PUBLIC_KEY[:96], 16), int(PUBLIC_KEY[96:], 16)))
    first = pairing(G2, point, final_exponentiate=False)
    second = pairing(key, neg(message), final_exponentiate=False)
    return bool(final_exponentiate(first * second) == FQ12.one())


@dataclass(frozen=True, slots=True)
class Drand:
    """The beacon of a table. ``now`` is the time of day, in seconds since 1970."""

    now: Callable[[], float] = time.time
    fetch: Callable[[int], str] = fetch

    def next_round(self) -> int:
        """The round that a commitment made now names."""
        return newest(self.now()) + AHEAD

    def due(self, number: int) -> bool:
        """Whether a round has come out."""
        return self.now() >= time_of(number)
