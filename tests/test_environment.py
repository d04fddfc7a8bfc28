"""What ./demo and ./check make of ``.venv``, as far as it goes without a network."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parents[1]


def checkout(folder: Path) -> Path:
    """A folder with what sets up an environment, and in it one without packages."""
    for name in (".ci/environment.sh", "deploy/shell.sh", "deploy/locked/program.txt", "pyproject.toml"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(HERE / name, folder / name)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / ".venv"], check=True)
    return folder


def shell(folder: Path, script: str) -> str:
    command = f"script=test; . .ci/environment.sh; {script}"
    return subprocess.run(
        ["sh", "-euc", command], cwd=folder, capture_output=True, text=True, check=True
    ).stdout


def test_the_program_is_found_where_the_locale_cannot_read_the_folders_name(tmp_path: Path) -> None:
    """Python 3.11 reads a ``.pth`` in the locale's encoding: with LC_ALL=C and an umlaut it did not start."""
    folder = checkout(tmp_path / "Spiel im Büro")
    (folder / "there.py").touch()
    (packages,) = (folder / ".venv/lib").glob("python3*/site-packages")
    (packages / "_editable_impl_barpoint.pth").write_text(f"{folder}\n", encoding="utf-8")
    shell(folder, "point_here")
    plain = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    for locale in ("C", "C.UTF-8"):
        subprocess.run(
            [folder / ".venv/bin/python", "-c", "import there"],
            cwd="/",
            env=plain | {"LC_ALL": locale},
            check=True,
        )


def test_a_checkout_that_was_moved_is_set_up_again(tmp_path: Path) -> None:
    """The programs in ``.venv/bin`` name the folder that they were made in."""
    folder = checkout(tmp_path / "here")
    wanted = shell(folder, "wanted program")
    assert shell(folder, "wanted program") == wanted
    folder = folder.rename(tmp_path / "there")
    assert shell(folder, "wanted program") != wanted
