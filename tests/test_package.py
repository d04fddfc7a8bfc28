"""deploy/package: what is in the package, and what its scripts do, without root, network or a real pip."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from firmware.diagnostics.unit import UNIT
from firmware.record.journal import SCHEMA, Journal
from tests.test_install import CONFIG, JOURNAL, Machine

HERE = Path(__file__).parents[1]
PYTHON = f"""#!/bin/sh
case "$1 $2 $3" in
"-m venv "*) mkdir -p "$3/bin" && cp "$0" "$3/bin/python" ;;
"-m pip install") ;;
"-m pip wheel") touch "$8/barpoint-0-py3-none-any.whl" ;;
"-m pip download")
    while [ "$1" != -d ]; do [ "$1" != --python-version ] || python=$2; shift; done
    for platform; do :; done
    touch "$2/$(basename "$platform" .txt)-$python.whl" ;;
*) exec {sys.executable} "$@" ;;
esac
"""
pytestmark = pytest.mark.skipif(
    shutil.which("dpkg-deb") is None, reason="no dpkg-deb here: packages are made on Debian"
)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The arm64 package's tree, with stand-ins for the wheels."""
    place = tmp_path_factory.mktemp("package")
    (place / "tools").mkdir()
    (place / "tools/python3").write_text(PYTHON)
    (place / "tools/python3").chmod(0o755)
    subprocess.run(
        [HERE / "deploy/package", "--version", "9.8", "--tree", place / "tree", "arm64"],
        env={"PATH": f"{place}/tools:{os.environ['PATH']}", "TMPDIR": str(place)},
        check=True,
        timeout=200,
    )
    assert [each.name for each in place.iterdir() if each.name.startswith("barpoint-package")] == []
    return place / "tree"


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def run(script: Path, machine: Machine, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": f"{machine.tools}:{os.environ['PATH']}",
        "DESTDIR": str(machine.root),
        "DPKG_ROOT": str(machine.root),
        "BARPOINT_MODEL": "Raspberry Pi 5",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return subprocess.run(
        [script, *words], env=environment, capture_output=True, text=True, timeout=200, check=False
    )


def test_dpkg_takes_the_tree_for_a_package(tree: Path, tmp_path: Path) -> None:
    package = tmp_path / "barpoint.deb"
    subprocess.run(
        ["dpkg-deb", "--root-owner-group", "-Znone", "--build", tree, package], check=True, timeout=100
    )
    asked = ["dpkg-deb", "--field", package, "Package", "Version", "Architecture"]
    fields = subprocess.run(asked, capture_output=True, text=True, timeout=100, check=True).stdout
    assert fields == "Package: barpoint\nVersion: 9.8\nArchitecture: arm64\n"
    assert "@" not in (tree / "DEBIAN/control").read_text().replace("barpoint@barpoint.invalid", "")


def test_it_brings_the_wheels_of_both_debians_and_the_locked_hashes(tree: Path) -> None:
    brought = tree / "usr/lib/barpoint"
    names = {each.name for each in (brought / "wheels").iterdir()}
    assert {"table-3.11.whl", "table-3.13.whl", "barpoint-0-py3-none-any.whl"} <= names
    for name in ("table", "lgpio"):
        locked = Path(f"deploy/locked/{name}.txt")
        assert (brought / locked).read_bytes() == (HERE / locked).read_bytes()


def test_the_hub_is_a_package_of_its_own_that_installs_itself_beside_the_table(
    tree: Path, machine: Machine, tmp_path: Path
) -> None:
    hub = tree.with_name("tree-hub")
    package = tmp_path / "hub.deb"
    subprocess.run(
        ["dpkg-deb", "--root-owner-group", "-Znone", "--build", hub, package], check=True, timeout=9
    )
    asked = ["dpkg-deb", "--field", package, "Package", "Depends"]
    fields = subprocess.run(asked, capture_output=True, text=True, timeout=100, check=True).stdout
    assert fields == "Package: barpoint-hub\nDepends: barpoint (= 9.8), mosquitto (>= 2.0)\n"
    brought = hub / "usr/lib/barpoint"
    assert {each.name for each in (brought / "wheels-hub").iterdir()} == {"hub-3.11.whl", "hub-3.13.whl"}
    assert (brought / "deploy/locked/hub.txt").read_bytes() == (HERE / "deploy/locked/hub.txt").read_bytes()
    both = tmp_path / "both"
    for each in (tree, hub):
        shutil.copytree(each, both, symlinks=True, dirs_exist_ok=True)
    shutil.copytree(both / "usr", machine.root / "usr", symlinks=True, dirs_exist_ok=True)
    done = run(both / "usr/lib/barpoint/install", machine, "--packaged")
    assert (done.returncode, done.stderr) == (0, "")
    assert "the hub, on its own" in done.stdout


def test_what_the_system_finds_is_a_link_into_the_release_in_use(tree: Path) -> None:
    links = {str(each.relative_to(tree)): each.readlink() for each in tree.rglob("*") if each.is_symlink()}
    assert links["usr/bin/barpoint"] == UNIT.with_name("barpoint.sh")
    assert links["usr/lib/systemd/system/barpoint.service.d/10-release.conf"] == UNIT
    assert {each.parent for each in links.values()} == {UNIT.parent}
    assert {each.name for each in links.values()} <= {
        *(each.name for each in (HERE / "systemd").iterdir()),
        "configured.conf",
    }
    # What "systemctl enable" follows must not be a link: it would remember the release at its end.
    assert "WantedBy" in (tree / "usr/lib/systemd/system/barpoint.service").read_text()


def test_installed_it_needs_nothing_but_what_it_brings(tree: Path, machine: Machine) -> None:
    done = run(tree / "usr/lib/barpoint/install", machine, "--packaged")
    assert (done.returncode, done.stderr) == (0, "")
    files = machine.files()
    assert {UNIT.name, "configured.conf", "rollback", "release.sh"} <= {
        each.name for each in (machine.root / "opt/barpoint/venv/system").iterdir()
    }
    assert CONFIG in files
    assert not [name for name in files if name.startswith(("usr/", "etc/systemd"))]
    assert "PIN that lets people act on it:" not in done.stdout  # DESTDIR: nothing is started


def test_it_takes_the_place_of_what_install_has_laid(tree: Path, machine: Machine) -> None:
    machine.install()
    assert [name for name in machine.files() if name.startswith("usr/local/")]
    assert run(tree / "usr/lib/barpoint/install", machine, "--packaged").returncode == 0
    assert not [name for name in machine.files() if name.startswith("usr/local/")]


@pytest.mark.parametrize(("form", "taken"), [(SCHEMA, True), (SCHEMA + 1, False)])
def test_it_is_not_unpacked_over_a_journal_that_is_too_new(
    tree: Path, machine: Machine, form: int, taken: bool
) -> None:
    machine.install()
    (machine.root / JOURNAL).parent.mkdir(parents=True)
    Journal.open(machine.root / JOURNAL).close()
    with closing(sqlite3.connect(machine.root / JOURNAL)) as connection:
        connection.execute(f"PRAGMA user_version = {form}")
    done = run(tree / "DEBIAN/preinst", machine, "upgrade", "9.9")
    assert (done.returncode == 0) is taken
    assert ("a later one has brought yours" in done.stderr) is not taken


@pytest.fixture
def card(tmp_path: Path) -> Path:
    """The boot partition of a card with Raspberry Pi OS trixie, as the Imager leaves it."""
    boot = tmp_path / "bootfs"
    boot.mkdir()
    (boot / "config.txt").write_text("camera_auto_detect=1\n")
    (boot / "cmdline.txt").write_text("console=tty1\n")
    (boot / "meta-data").write_text("instance-id: rpios-image\n")
    (boot / "user-data").write_text("#cloud-config\nhostname: mine\n")
    return boot


def prepare(card: Path, package: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [HERE / "deploy/card", card, package, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)


def test_a_card_gets_the_package_the_lights_bus_and_a_name(tree: Path, card: Path, tmp_path: Path) -> None:
    package = tmp_path / "barpoint_9.8_arm64.deb"
    build = ["dpkg-deb", "--root-owner-group", "-Znone", "--build", tree, package]
    subprocess.run(build, check=True, timeout=100)
    for name in ("club", "table-2"):  # the second time it changes the name alone
        done = prepare(card, package, name)
        assert (done.returncode, done.stderr) == (0, "")
    assert (card / "barpoint.deb").read_bytes() == package.read_bytes()
    assert (card / "config.txt").read_text().count("dtparam=spi=on") == 1
    said = (card / "vendor-data").read_text()
    assert said.startswith("#cloud-config-archive\n")
    assert "hostname: table-2\n" in said
    assert "install -y -q --no-remove /boot/firmware/barpoint.deb" in said
    assert (card / "user-data").read_text() == "#cloud-config\nhostname: mine\n"


@pytest.mark.parametrize(
    ("lacks", "words"),
    [("config.txt", "no boot partition"), ("meta-data", "no cloud-init"), ("", "no package")],
)
def test_what_is_no_card_or_no_package_is_refused_unchanged(
    card: Path, tmp_path: Path, lacks: str, words: str
) -> None:
    (tmp_path / "barpoint.deb").write_text("no package")
    if lacks:
        (card / lacks).unlink()
    before = {each.name: each.read_text() for each in card.iterdir()}
    done = prepare(card, tmp_path / "barpoint.deb")
    assert done.returncode == 1
    assert words in done.stderr
    assert {each.name: each.read_text() for each in card.iterdir()} == before
