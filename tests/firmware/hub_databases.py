"""A PostgreSQL of the tests' own, on a socket in a folder, where it can be started."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

PLACES = [*sorted(map(str, Path("/usr/lib/postgresql").glob("*/bin")), reverse=True), "/usr/local/bin"]


def program(name: str) -> str:
    found = shutil.which(name, path=os.pathsep.join([*PLACES, os.environ.get("PATH", "")]))
    if found is None:
        pytest.skip(f"no PostgreSQL here: there is no {name}")
    return found


@contextmanager
def postgres() -> Iterator[str]:
    """Its URL, while it runs. Skips where it cannot be started."""
    initdb, server = program("initdb"), program("pg_ctl")
    user: str | None = None
    if os.geteuid() == 0:  # which PostgreSQL refuses to be
        try:
            user = pwd.getpwnam("postgres").pw_name
        except KeyError:
            pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
    with TemporaryDirectory(prefix="bp-pg-") as folder:
        if user is not None:
            shutil.chown(folder, user)
        data = f"{folder}/data"

        def run(*command: str) -> None:
            done = subprocess.run(
                command,
                user=user,
                cwd=folder,
                capture_output=True,
                text=True,
                check=False,
                env={"LC_ALL": "C"},
            )
            if done.returncode:
                pytest.skip(f"PostgreSQL cannot be started here: {done.stderr[-300:]}")

        run(initdb, "-D", data, "-U", "barpoint", "-A", "trust", "--no-sync")
        options = f"-c listen_addresses= -c unix_socket_directories={folder}"
        run(server, "-D", data, "-w", "-t", "240", "-l", f"{folder}/log", "-o", options, "start")
        try:
            yield f"postgresql+psycopg://barpoint@/postgres?host={folder}"
        finally:
            run(server, "-D", data, "-m", "immediate", "stop")
