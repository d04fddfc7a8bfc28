"""Who may say what to the hub.

The hub has a certificate of its own making and a secret. A table is given a *code* once: 12 letters that only
this table's invitation has, and the first 12 of the certificate's digest, by which the table knows the hub
before it says anything. It makes itself a key of 256 bits and sends it over that connection; from then on the
key is its password, and the code is worth nothing. The hub keeps what proves the key (PBKDF2), not the key.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from firmware.errors import BadInput
from firmware.files import replace_file
from firmware.hub.identity_code import Code, digest_letters, letters
from firmware.hub.store import Board

ROUNDS = 101
"""Of PBKDF2, Mosquitto's own number: what is proved are 256 random bits, or 60 that count once."""
VALID = timedelta(days=365 * 30)


@dataclass(frozen=True)
class Identity:
    """The hub's own: ``certificate`` and ``key`` are the files for the broker, ``secret`` makes the codes."""

    certificate: Path
    key: Path
    secret: bytes

    @classmethod
    def load_or_make(cls, folder: Path) -> Identity:
        """What is in the hub's folder, made at the first start. Raises BadInput."""
        certificate, key, secret = (folder / name for name in ("hub-cert.pem", "hub-key.pem", "hub-secret"))
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if not secret.exists():
                replace_file(secret, secrets.token_hex(32), private=True)
            if not certificate.exists() or not key.exists():
                _make_certificate(certificate, key)
            return cls(certificate, key, bytes.fromhex(secret.read_text().strip()))
        except (OSError, ValueError) as error:
            said = getattr(error, "strerror", None) or error
            raise BadInput(f"cannot use the hub's certificate and secret in {folder}: {said}") from error

    @cached_property
    def digest(self) -> str:
        """The beginning of the certificate's digest, in a code's letters."""
        der = x509.load_pem_x509_certificate(self.certificate.read_bytes()).public_bytes(
            serialization.Encoding.DER
        )
        return digest_letters(der)

    def code(self, board: Board, where: str = "") -> Code:
        """The code of a table that has not joined: always the same until it joins or is given a new one."""
        what = f"code\n{board.event}\n{board.id}\n{board.serial}".encode()
        return Code(letters(hmac.digest(self.secret, what, "sha256")), self.digest, where)


def check_own(certificate: bytes, key: bytes, secret: bytes) -> None:
    """Raises ValueError where no hub can be made of these."""
    try:
        public = x509.load_pem_x509_certificate(certificate).public_key()
        sound = serialization.load_pem_private_key(key, None).public_key() == public
        bytes.fromhex(secret.decode().strip())
    except (ValueError, TypeError, UnsupportedAlgorithm):  # TypeError: a key with a password
        sound = False
    if not sound:
        raise ValueError("the hub's certificate, key and secret in it cannot be used together")


def prove(key: str) -> str:
    """What is written down of a key: ``iterations salt hash``, as :attr:`firmware.hub.store.Board.proof`."""
    salt = os.urandom(12)
    hashed = hashlib.pbkdf2_hmac("sha512", key.encode(), salt, ROUNDS)
    return f"{ROUNDS} {base64.b64encode(salt).decode()} {base64.b64encode(hashed).decode()}"


def _make_certificate(certificate: Path, key: Path) -> None:
    private = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Barpoint hub")])
    begin = datetime(2020, 1, 1, tzinfo=UTC)  # a table whose clock was never set must believe it, too
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(private.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begin)
        .not_valid_after(begin + VALID)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(private, hashes.SHA256())
    )
    plain = private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    replace_file(key, plain, private=True)
    replace_file(certificate, made.public_bytes(serialization.Encoding.PEM))
