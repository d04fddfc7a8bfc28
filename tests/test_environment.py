"""What ./demo and ./check make of ``.venv``, as far as it goes without a network: their pip is a stand-in."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parents[1]
PLAIN = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
PIP = """
import os, pathlib, sys, time
here, packages = pathlib.Path.cwd(), pathlib.Path(__file__).parents[1]
with (here / "pip.log").open("a") as log:
    print("begins", file=log, flush=True)
    time.sleep(0.3)
    print("ends", file=log)
place = os.environ.get("TMPDIR", "/tmp")
with (here / "tmp.log").open("a") as log:
    print(place, os.path.isdir(place), file=log)
for name in ("cv2.py", "numpy.py"):
    (packages / name).touch()
if "-e" in sys.argv:
    (packages / "_editable_impl_barpoint.pth").write_text(f"{here}\\n", encoding="utf-8")
"""
PYTHON = f"""#!/bin/sh
if [ "$1 $2" != "-m venv" ]; then exec {sys.executable} "$@"; fi
if [ -n "${{NO_ROOM:-}}" ]; then echo 'Error: no room is left' >&2; exit 1; fi
echo made >>made.log
{sys.executable} -m venv --without-pip "$3" && cp -r bin/pip "$3"/lib/python3*/site-packages
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with what sets an environment up, and in ``bin`` a Python whose environments have that pip."""
    folder = tmp_path / "Spiel im Büro"
    for name in (".ci/environment.sh", "deploy/shell.sh", "deploy/locked/program.txt", "pyproject.toml"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(HERE / name, folder / name)
    for name, text in (("bin/pip/__init__.py", ""), ("bin/pip/__main__.py", PIP), ("bin/python3", PYTHON)):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "bin/python3").chmod(0o755)
    return folder


def begin(folder: Path, script: str = "install", **environment: str) -> subprocess.Popen[str]:
    path = f"{folder / 'bin'}:{os.environ['PATH']}"
    return subprocess.Popen(
        ["sh", "-euc", f"script=test; . .ci/environment.sh; {script}"],
        cwd=folder,
        env=PLAIN | environment | {"PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def log(folder: Path, name: str) -> list[str]:
    return (folder / name).read_text().split()


def test_the_program_is_found_where_the_locale_cannot_read_the_folders_name(checkout: Path) -> None:
    """Python 3.11 reads a ``.pth`` in the locale's encoding: with LC_ALL=C and an umlaut it did not start."""
    (checkout / "there.py").touch()
    for locale in ("C", "C.UTF-8"):
        setting = begin(checkout, LC_ALL=locale)
        assert (setting.communicate()[1], setting.returncode) == ("", 0)
        python = str(checkout / ".venv/bin/python")
        subprocess.run([python, "-c", "import there"], cwd="/", env=PLAIN | {"LC_ALL": locale}, check=True)
    assert log(checkout, "made.log") == ["made"]


def test_a_checkout_that_was_moved_is_set_up_again(checkout: Path, tmp_path: Path) -> None:
    """The programs in ``.venv/bin`` name the folder that they were made in."""
    for _ in range(2):
        assert "installing" in begin(checkout).communicate()[0]
        assert begin(checkout).communicate() == ("", "")
        checkout = checkout.rename(tmp_path / "elsewhere")


def test_two_at_once_set_up_one_environment(checkout: Path) -> None:
    """Each took the other's away while it was made, and said that ensurepip is missing."""
    both = [begin(checkout) for _ in range(2)]
    said = [each.communicate() for each in both]
    assert [each.returncode for each in both] == [0, 0], said
    assert sum("this one waits for it" in out for out, _ in said) == 1
    assert log(checkout, "made.log") == ["made"]
    assert log(checkout, "pip.log") == 2 * ["begins", "ends"]


def test_what_was_cut_off_while_it_was_made_is_made_anew(checkout: Path) -> None:
    begin(checkout).communicate()
    (checkout / ".venv/cut-off").touch()
    begin(checkout).communicate()
    assert log(checkout, "made.log") == ["made", "made"]
    assert not (checkout / ".venv/cut-off").exists()


def test_an_environment_that_cannot_be_made_says_why(checkout: Path) -> None:
    """A full disk or a folder that is read-only is no missing package."""
    setting = begin(checkout, NO_ROOM="yes")
    out, said = setting.communicate()
    assert setting.returncode == 1
    assert "in this folder: Error: no room is left" in said
    assert "ensurepip" not in out + said


def test_pip_unpacks_where_the_environment_has_room(checkout: Path) -> None:
    """Debian 13's /tmp is memory. A small one was full, and the advice was room in this folder."""
    begin(checkout, TMPDIR="/nowhere").communicate()
    assert (checkout / "tmp.log").read_text().splitlines() == 2 * [f"{checkout / '.venv/tmp'} True"]
    assert not (checkout / ".venv/tmp").exists()


def test_an_environment_that_is_there_is_not_written_to(checkout: Path) -> None:
    """It may be another user's (sudo ./demo), or on a disk that is read-only now."""
    begin(checkout).communicate()
    before = {path: path.stat().st_mtime_ns for path in (checkout / ".venv").glob("*")}
    assert begin(checkout).communicate() == ("", "")
    assert {path: path.stat().st_mtime_ns for path in (checkout / ".venv").glob("*")} == before


@pytest.mark.parametrize("script", ["check", "demo", "deploy/lock", "deploy/package"])
def test_help_only_says_what_there_is(script: str, tmp_path: Path) -> None:
    alone = tmp_path / script
    alone.parent.mkdir(exist_ok=True)
    shutil.copy(HERE / script, alone)
    told = subprocess.run([alone, "--help"], capture_output=True, text=True, timeout=20, check=True)
    assert f"{script} --" in told.stdout
    assert [each for each in tmp_path.rglob("*") if each.is_file()] == [alone]
