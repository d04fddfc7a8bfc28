"""The program as a terminal starts it."""

import os
import subprocess
import sys

from tests.firmware.conftest import REPOSITORY


def barpoint(*arguments: str, stdin: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "firmware", *arguments],
        cwd=REPOSITORY,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )
