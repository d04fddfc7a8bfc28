"""What a table knows of its hub: ``hub.json`` in its state directory, readable by the table's user alone."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from firmware.errors import BadInput
from firmware.files import replace_file
from firmware.hub.broker_place import BrokerPlace

FILE = "hub.json"
PORT = 8883
"""Where brokers listen that speak TLS."""


class Membership(BaseModel):
    """What a table knows of its hub. ``hidden`` are the matches that it had when it joined: they are nobody's
    business."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    event: str
    table: str
    hub: str
    host: str
    port: int
    account: str
    key: str
    trust: str
    hidden: tuple[str, ...] = ()

    def place(self, host: str = "", port: int = 0) -> BrokerPlace:
        """Where the broker is, or at another address."""
        return BrokerPlace(
            host or self.host, port or self.port, username=self.account, password=self.key, trust=self.trust
        )

    def going_on(self, state: Path) -> Membership:
        """The same where this table has another code of the hub that it had joined already: what happened
        since then is told, also what the hub has not heard yet."""
        with suppress(BadInput):
            before = Membership.load(state)
            if before is not None and (before.hub, before.event, before.table) == (
                self.hub,
                self.event,
                self.table,
            ):
                return self.model_copy(update={"hidden": before.hidden})
        return self

    def save(self, state: Path) -> None:
        """Writes it down. Raises BadInput."""
        try:
            replace_file(state / FILE, self.model_dump_json(indent=1), private=True)
        except OSError as error:
            raise BadInput(f"cannot write {state / FILE}: {error.strerror or error}") from error

    @classmethod
    def load(cls, state: Path) -> Membership | None:
        """What is in the state directory; None where the table has joined no hub. Raises BadInput."""
        path = state / FILE
        try:
            return cls.model_validate_json(path.read_bytes())
        except FileNotFoundError:
            return None
        except OSError as error:
            raise BadInput(f"cannot read {path}: {error.strerror or error}") from error
        except (ValidationError, UnicodeDecodeError) as error:
            raise BadInput(f"{path} cannot be used; 'barpoint hub join CODE' writes it anew") from error


def leave(state: Path) -> bool:
    """Forgets the hub; whether there was one. Raises BadInput."""
    try:
        (state / FILE).unlink()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise BadInput(f"cannot remove {state / FILE}: {error.strerror or error}") from error
    return True


def read_where(text: str) -> tuple[str, int]:
    """Host and port of ``HOST``, ``HOST:PORT`` or ``[ADDRESS]:PORT``. Raises BadInput."""
    host, colon, port = text.rpartition(":")
    if not colon or "]" in port or (":" in host and not host.endswith("]")):
        host, port = text, str(PORT)
    host = host.strip("[]")
    if not host or not port.isascii() or not port.isdecimal() or not 0 < int(port) < 65536:
        raise BadInput(f"{text[:80]!r} is no address; write HOST or HOST:PORT, as 192.168.1.5:{PORT}")
    return host, int(port)
