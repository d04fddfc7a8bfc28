"""How a table joins a hub: it takes a code, once, and has a key of its own from then on."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Collection

import aiomqtt

from firmware.errors import BadInput
from firmware.hub.broker_place import BrokerPlace
from firmware.hub.identity_code import Code, digest_letters, new_key
from firmware.hub.link import PATIENCE, connect
from firmware.hub.membership import Membership, read_where
from firmware.hub.messages import JOINING, BadMessage, Join, Joined, Word, topic

ANSWER = 30.0
"""Seconds that the hub has to answer: hundreds of tables may join at once, and a code whose answer nobody has
heard is used up."""


async def join(code: Code, where: str, hidden: Collection[str]) -> Membership:
    """Takes a code: makes a key, tells the hub, and returns what the table knows of it from now on. Raises
    BadInput where that cannot be done; unless the hub's answer was lost, the code is good for another try."""
    host, port = read_where(where)
    trust = await asyncio.to_thread(_certificate, host, port, code)
    place = BrokerPlace(host, port, username=code.account, password=code.secret, trust=trust)
    key = new_key()
    try:
        joined = await _ask(place, code, key)
    except aiomqtt.MqttError as error:
        raise BadInput(
            f"the hub at {host}:{port} refuses this code ({error}); it is used already, or was replaced:"
            " 'barpoint hub add-table --again NAME' at the hub gives a new one"
        ) from error
    except TimeoutError:
        raise BadInput(
            f"the broker at {host}:{port} answers, the hub does not; is 'barpoint hub run' up?"
        ) from None
    except BadMessage as error:
        raise BadInput(f"the hub at {host}:{port} answers something else: {error}") from error
    return Membership(
        event=joined.event,
        table=joined.table,
        hub=joined.hub,
        host=host,
        port=port,
        account=joined.account,
        key=key,
        trust=trust,
        hidden=tuple(sorted(hidden)),
    )


async def _ask(place: BrokerPlace, code: Code, key: str) -> Joined:
    async with connect(place, code.account) as client:
        await client.subscribe(topic(JOINING, code.account, Word.JOINED), qos=1)
        await client.publish(topic(JOINING, code.account, Word.JOIN), Join(key=key).text(), qos=1)
        async with asyncio.timeout(ANSWER):
            async for message in client.messages:
                return Joined.read(bytes(message.payload or b""))
    raise TimeoutError


def _certificate(host: str, port: int, code: Code) -> str:
    """The hub's certificate as PEM, once it is the one that the code means. Raises BadInput."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE  # nothing is said before its digest is compared
    try:
        with contextlib.ExitStack() as stack:
            plain = stack.enter_context(socket.create_connection((host, port), PATIENCE))
            secure = stack.enter_context(context.wrap_socket(plain))
            der = secure.getpeercert(binary_form=True) or b""
    except OSError as error:
        said = getattr(error, "strerror", None) or error
        raise BadInput(
            f"there is no hub at {host}:{port}: {said}; is it on, and the address right?"
        ) from error
    if digest_letters(der) != code.digest:
        raise BadInput(
            f"the hub at {host}:{port} is not the one that gave this code; check the address and the code's"
            " second half, and do not go on if both are right"
        )
    return ssl.DER_cert_to_PEM_cert(der)
