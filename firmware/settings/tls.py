"""HTTPS, for those who have a certificate.

Barpoint makes none itself: a certificate that no browser trusts teaches people to ignore warnings, and then
whoever can listen on the network can also interfere. ``docs/page.md`` shows how to get one that a club's
phones trust.
"""

from __future__ import annotations

import ssl
import stat
import time
from dataclasses import dataclass
from pathlib import Path

from firmware.errors import BadInput

EXPIRED = 10
"""OpenSSL's X509_V_ERR_CERT_HAS_EXPIRED."""


@dataclass(frozen=True, slots=True)
class Tls:
    """A certificate with its chain and its key, both PEM files."""

    certificate: Path
    key: Path

    def context(self) -> ssl.SSLContext:
        """The server's context. Raises BadInput."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        try:
            context.load_cert_chain(self.certificate, self.key, password=_no_password)
        except ssl.SSLError as error:
            words = f"{error.reason or error}; both must be PEM, and belong together"
            raise BadInput(f"{self.certificate} with {self.key}: {words}") from error
        except OSError as error:
            words = error.strerror or str(error)
            raise BadInput(f"cannot read {self.certificate} or {self.key}: {words}") from error
        except ValueError as error:
            raise BadInput(f"{self.key}: the key must not have a password: nobody could type it") from error
        return context


def _no_password() -> str:
    raise ValueError


def remaining(tls: Tls) -> float:
    """The seconds for which a certificate is still valid, less than 0 where it is not. Raises BadInput.

    Its dates are read as browsers read them: from the handshake with a server that has it."""
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname = False
    client.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    client.load_verify_locations(tls.certificate)
    pipes = ssl.MemoryBIO(), ssl.MemoryBIO()
    server = tls.context().wrap_bio(pipes[0], pipes[1], server_side=True)
    asking = client.wrap_bio(pipes[1], pipes[0])
    try:
        for end in (asking, server, asking, server, asking):
            try:
                end.do_handshake()
            except ssl.SSLWantReadError:
                continue
    except ssl.SSLCertVerificationError as error:
        if error.verify_code == EXPIRED:
            return -1.0
        raise BadInput(f"{tls.certificate}: {error.verify_message}") from error
    dates = asking.getpeercert() or {}
    return ssl.cert_time_to_seconds(str(dates["notAfter"])) - time.time()


def readable(tls: Tls) -> bool:
    """Whether others than the owner and the group may read the key."""
    return bool(tls.key.stat().st_mode & stat.S_IROTH)
