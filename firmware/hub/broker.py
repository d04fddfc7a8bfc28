"""The hub's own broker: Mosquitto, with the accounts of the hub's tables.

The list of accounts follows from the database alone: it is written anew whenever the broker starts
(:meth:`Accounts.file`), and while it runs the dynamic-security plugin is told what has changed
(:meth:`Accounts.agree`). So there is one truth, and a restored database brings its tables' keys with it.

A table may say and hear what is on its own topics, and hear whether the hub is there. Its name for the broker
is also its client id, so that nobody can end another's connection.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import resource
import shutil
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import aiomqtt

from firmware.errors import BadInput
from firmware.files import replace_file
from firmware.hub.broker_place import BrokerPlace
from firmware.hub.identity import Identity, prove
from firmware.hub.identity_code import new_key
from firmware.hub.messages import FROM_TABLES, HUB, JOINING, LARGEST, TO_TABLES, Word, topic
from firmware.hub.store import Board

CONTROL = "$CONTROL/dynamic-security/v1"
"""Where the plugin is told what to do; it answers on ``…/response``."""
AGAIN = 1.0
"""Seconds until a broker that has ended is started again."""
ENDING = 3.0
"""Seconds that a broker has to end by itself."""
PLUGIN = "mosquitto_dynamic_security.so"
FOLDERS = ("/usr/lib", "/usr/local/lib", "/usr/lib64")
FILES = 65_536
"""Connections that the broker may have, where the machine allows it."""
HEAD = 4096
"""Bytes of a message that are not its text: its topic, above all."""
QUEUE = 64 << 20
"""Bytes that wait at the broker for one who hears; what does not fit is asked for, or told anew."""

Acl = dict[str, Any]


SAY, HEAR = "publishClientSend", "subscribePattern"


class Accounts:
    """The broker's accounts, as :class:`firmware.hub.admission.Access`. ``password`` is the hub's own."""

    def __init__(self, identity: Identity, event: str) -> None:
        self.password = new_key()
        self._identity, self._event = identity, event
        self._keys: dict[int, str] = {}
        """Keys of tables that have joined since the start."""
        self._told: dict[str, tuple[int, str | None]] = {}
        """What the broker knows: accounts, each with the table's serial and proof."""

    def proof(self, board: int, key: str) -> str:
        """What is written down of a key; the key itself is kept until the broker has been told."""
        self._keys[board] = key
        return prove(key)

    def joining(self, board: Board) -> str:
        """The account by which this table takes its code."""
        return self._identity.code(board).account

    def account(self, board: Board) -> str:
        """What a table that has joined calls itself to the broker."""
        return f"table-{board.id}"

    def file(self, boards: Sequence[Board]) -> str:
        """The plugin's file, for a broker that starts."""
        clients = [self._client(HUB, prove(self.password))]
        roles = [{"rolename": HUB, "acls": self._hub_acls()}]
        for board in boards:
            account = self._account(board)
            proof = board.proof or prove(self._identity.code(board).secret)
            clients.append(self._client(account, proof))
            roles.append({"rolename": account, "acls": self._acls(board)})
        self._told = self._wanted(boards)
        usual = {SAY: False, "publishClientReceive": True, "subscribe": False, "unsubscribe": True}
        return json.dumps({"defaultACLAccess": usual, "clients": clients, "groups": [], "roles": roles})

    async def agree(self, client: aiomqtt.Client, boards: Sequence[Board], remove: bool = True) -> None:
        """Tells a running broker what has changed; without ``remove`` accounts that have ended stay for now.
        Raises aiomqtt.MqttError."""
        wanted = self._wanted(boards)
        commands: list[dict[str, Any]] = []
        ended = [account for account, what in self._told.items() if wanted.get(account) != what]
        for account in ended:
            if remove or account in wanted:
                commands.append({"command": "deleteClient", "username": account})
                commands.append({"command": "deleteRole", "rolename": account})
        for board in boards:
            account = self._account(board)
            if self._told.get(account) == wanted[account]:
                continue
            password = self._keys.get(board.id) if board.joined_at else self._identity.code(board).secret
            if password is None:
                continue  # joined at another hub's database: known when the broker starts again
            commands.append({"command": "createRole", "rolename": account, "acls": self._acls(board)})
            roles = [{"rolename": account}]
            new = {"command": "createClient", "username": account, "password": password, "roles": roles}
            commands.append(new)
        if commands:
            await client.publish(CONTROL, json.dumps({"commands": commands}), qos=1)
        left = {} if remove else {account: self._told[account] for account in ended}
        self._told = left | wanted

    async def bar(self, client: aiomqtt.Client, board: Board, barred: bool) -> None:
        """Ends the connection of a table and lets it in no more, or lets it in again. Raises
        aiomqtt.MqttError."""
        command = {"command": "disableClient" if barred else "enableClient", "username": self._account(board)}
        await client.publish(CONTROL, json.dumps({"commands": [command]}), qos=1)

    def _wanted(self, boards: Sequence[Board]) -> dict[str, tuple[int, str | None]]:
        return {self._account(board): (board.serial, board.proof) for board in boards}

    def _account(self, board: Board) -> str:
        return self.account(board) if board.joined_at else self.joining(board)

    @staticmethod
    def _client(account: str, proof: str) -> dict[str, Any]:
        rounds, salt, hashed = proof.split()
        hidden = {"password": hashed, "salt": salt, "iterations": int(rounds)}
        return {"username": account, **hidden, "roles": [{"rolename": account}]}

    def _hub_acls(self) -> list[Acl]:
        return [
            *(_may(kind, f"$CONTROL/dynamic-security/{way}") for kind, way in ((SAY, "v1"), (HEAR, "#"))),
            *(_may(kind, f"barpoint/{part}/#") for kind in (SAY, HEAR) for part in (self._event, JOINING)),
            _may(SAY, "homeassistant/#"),
        ]

    def _acls(self, board: Board) -> list[Acl]:
        if not board.joined_at:
            account = self.joining(board)
            return [
                _may(SAY, topic(JOINING, account, Word.JOIN)),
                _may(HEAR, topic(JOINING, account, Word.JOINED)),
            ]
        return [
            *(_may(SAY, topic(self._event, board.name, word)) for word in FROM_TABLES),
            *(_may(HEAR, topic(self._event, board.name, word)) for word in TO_TABLES),
            _may(HEAR, topic(self._event, HUB, Word.STATUS)),
        ]


def _may(kind: str, address: str) -> Acl:
    return {"acltype": kind, "topic": address, "priority": 0, "allow": True}


def find_mosquitto() -> tuple[str, Path]:
    """The broker's program and its plugin. Raises BadInput where they are not here."""
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/usr/local/sbin"])
    program = shutil.which("mosquitto", path=path)
    if program is None:
        raise BadInput("there is no mosquitto here, the broker: sudo apt install mosquitto")
    for folder in FOLDERS:
        for pattern in (PLUGIN, f"*/{PLUGIN}"):
            for found in sorted(Path(folder).glob(pattern)):
                return program, found
    raise BadInput(f"mosquitto has no {PLUGIN} here; take version 2.0 or later, as Debian's")


class Broker:
    """Mosquitto as a child of the hub: it ends with it, and is started again where it ends by itself.

    ``folder`` is the hub's, ``sockets`` a folder with a short name for the hub's own way in; tables come to
    ``host`` and ``port``, by TLS. ``boards`` fetches the tables anew at each start.
    """

    def __init__(
        self,
        identity: Identity,
        accounts: Accounts,
        folder: Path,
        sockets: Path,
        host: str,
        port: int,
        boards: Callable[[], Awaitable[Sequence[Board]]],
        say: Callable[[str], None],
    ) -> None:
        self._program, self._plugin = find_mosquitto()
        self._identity, self._accounts = identity, accounts
        self._folder, self._host, self._port = folder, host, port
        self._boards, self._say = boards, say
        self._socket = sockets / "mqtt"
        self._process: asyncio.subprocess.Process | None = None

    @property
    def place(self) -> BrokerPlace:
        """The hub's own way in."""
        return BrokerPlace(socket=self._socket, username=HUB, password=self._accounts.password)

    @property
    def process_id(self) -> int | None:
        """The broker's process, while there is one."""
        return None if self._process is None else self._process.pid

    async def run(self) -> None:
        """Until it is cancelled."""
        said = ""
        try:
            while True:
                await self._start()
                assert self._process is not None
                assert self._process.stderr is not None
                last = ""
                async for line in self._process.stderr:
                    last = line.decode(errors="replace").strip()
                code = await self._process.wait()
                words = self._why(last, code)
                if words != said:
                    self._say(words)
                said = words
                await asyncio.sleep(AGAIN)
        finally:
            if self._process is not None and self._process.returncode is None:
                await self._end(self._process)

    @staticmethod
    async def _end(process: asyncio.subprocess.Process) -> None:
        with suppress(ProcessLookupError):
            process.terminate()
        try:
            async with asyncio.timeout(ENDING):
                await process.wait()
        except TimeoutError:  # Mosquitto forgets a SIGTERM that comes while it starts
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    def _why(self, last: str, code: int) -> str:
        """Why the broker has ended: its last words, without their time; those of one that was killed are
        about something else."""
        reason = re.sub(r"^\d+: ", "", last) if code >= 0 else f"killed by signal {-code}"
        reason = reason or f"status {code}"
        if "already in use" in reason:
            return (
                f"another program has the broker's port {self._port}: stop that one (another hub?), or choose"
                " another broker port under [hub.run]; tried again until it is free"
            )
        return f"the broker has ended ({reason}); it is started again"

    async def _start(self) -> None:
        accounts = self._folder / "broker-accounts.json"
        replace_file(accounts, self._accounts.file(await self._boards()), private=True)
        written = self._folder / "broker.conf"
        replace_file(written, self.configuration(accounts))
        self._socket.unlink(missing_ok=True)
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
        command = ["prlimit", f"--nofile={max(soft, most)}:{max(soft, most)}"]
        command += ["setpriv", "--pdeathsig", "KILL", self._program, "-c", str(written)]
        nothing, pipe = asyncio.subprocess.DEVNULL, asyncio.subprocess.PIPE
        self._process = await asyncio.create_subprocess_exec(
            *command, stdin=nothing, stdout=nothing, stderr=pipe
        )

    def configuration(self, accounts: Path) -> str:
        """Mosquitto's own."""
        lines = [
            "# Written by 'barpoint hub run' at each start.",
            "per_listener_settings false",
            "allow_anonymous false",
            f"plugin {self._plugin}",
            f"plugin_opt_config_file {accounts}",
            "persistence false",  # whoever is away is told again: nothing relies on the broker's memory
            "log_dest stderr",
            "log_type error",
            f"message_size_limit {LARGEST}",
            f"max_packet_size {LARGEST + HEAD}",  # the only limit for who has not said yet who he is
            "max_queued_messages 20000",
            f"max_queued_bytes {QUEUE}",
            "set_tcp_nodelay true",
            *(["user root"] if os.geteuid() == 0 else []),
            f"listener 0 {self._socket}",
            f"listener {self._port} {self._host}",
            f"certfile {self._identity.certificate}",
            f"keyfile {self._identity.key}",
            "tls_version tlsv1.2",
            "use_username_as_clientid true",
        ]
        return "\n".join(lines) + "\n"
