"""barpoint-screen.sh: which page the kiosk's browser opens, and how."""

import os
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "systemd/barpoint-screen.sh"


def run(place: Path, step: str, **tools: str) -> subprocess.CompletedProcess[str]:
    (place / "tools").mkdir(exist_ok=True)
    # As the table's user: here there is only one.
    as_other = 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"'
    for name, text in ({"setpriv": as_other, "chown": "exit 0"} | tools).items():
        (place / "tools" / name).write_text(f"#!/bin/sh\n{text}\n")
        (place / "tools" / name).chmod(0o755)
    environment = {
        "PATH": f"{place}/tools:{os.environ['PATH']}",
        "RUNTIME_DIRECTORY": str(place),
        "BARPOINT_PROGRAM": f"{place}/tools/program",
    }
    return subprocess.run(
        [SCRIPT, step], env=environment, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize(
    ("address", "options"),
    [
        ("http://127.0.0.1:8080/tv#screen=0af", []),
        ("https://127.0.0.1:443/tv#screen=0af", ["--ignore-certificate-errors"]),
    ],
)
def test_the_browser_opens_the_tables_page_with_the_screens_token(
    tmp_path: Path, address: str, options: list[str]
) -> None:
    said = f"""echo '{{"pin": "271828", "link": "http://x/#join=1", "screen": "{address}"}}'"""
    assert run(tmp_path, "address", program=said).returncode == 0
    assert (tmp_path / "address").stat().st_mode & 0o777 == 0o600
    done = run(tmp_path, "show", cage='printf "%s\\n" "$@"', chromium="exit 0")
    words = done.stdout.splitlines()
    assert words[1] == f"{tmp_path}/tools/chromium"
    assert words[-1] == address
    assert [word for word in words if "certificate" in word] == options


@pytest.mark.parametrize("said", ["echo '{}'", "exit 1", """echo '{"screen": "file:///etc/passwd"}'"""])
def test_without_an_address_it_says_so_and_opens_nothing(tmp_path: Path, said: str) -> None:
    assert run(tmp_path, "address", program=said).returncode == 1
    assert not (tmp_path / "address").exists()
