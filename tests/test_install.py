"""./install, as far as it goes without root and without a network: what it lays, keeps, refuses and takes
away again.

Everything goes under DESTDIR. A stand-in for Python makes "environments" whose ``barpoint`` is this
checkout's.
"""

from __future__ import annotations

import fcntl
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

import firmware.record.journal as journal_module
from firmware.diagnostics.unit import DROP_IN, UNIT, drop_in
from firmware.record.journal import Journal
from firmware.settings.config import Config, load
from firmware.settings.section import DEFAULTS

pytestmark = pytest.mark.long

HERE = Path(__file__).parents[1]
CONFIG = "etc/barpoint/barpoint.toml"
JOURNAL = "var/lib/barpoint/journal.db"
BACKUPS = "var/lib/barpoint/before-upgrades"
BOOT = "boot/firmware/config.txt"
BGSAGE = next(
    line.split()[0].replace("==", "-")
    for line in (HERE / "deploy/locked/bgsage.txt").read_text().splitlines()
    if line.startswith("bgsage==")
)
PYTHON = f"""#!/bin/sh
case "$1 $2 $3" in
"-m venv "*) mkdir -p "$4/bin" && cp "$0" "$4/bin/python" &&
    cp "$(dirname "$0")/barpoint" "$4/bin/barpoint" ;;
"-m pip wheel") case "$*" in
    *bgsage*) touch "${{11}}/{BGSAGE}-cp{sys.version_info[0]}{sys.version_info[1]}-x-linux_aarch64.whl" ;;
    *) touch "$8/barpoint-0-py3-none-any.whl" ;;
    esac ;;
"-m pip install") case "$*" in *locked/bgsage.txt) exit 1 ;; esac
    echo "$TMPDIR" >>"$DESTDIR-temporary"; [ -d "$TMPDIR" ] || exit 1
    if [ -n "$SLOW" ]; then touch "$SLOW.begun"; sleep 2; fi; [ -z "$NO_NETWORK" ] ;;
"-c "*) PYTHONPATH={HERE} exec {sys.executable} "$@" ;;
*) exec {sys.executable} "$@" ;;
esac
"""
BARPOINT = f"""#!/bin/sh
case "$*" in
--version) exit 0 ;;
"config --show-defaults") exec cat {DEFAULTS} ;;
"config --check "*) said=$SAID/$(echo "$4" | cat - "$3" | cksum | tr ' ' -) ;;
esac
cd {HERE}
if [ -z "${{said:-}}" ]; then exec {sys.executable} -m firmware "$@"; fi
if [ ! -e "$said" ]; then {sys.executable} -m firmware "$@" >"$said.new" && mv "$said.new" "$said"; fi
exec cat "$said"
"""
"""What it says of a configuration it says again of the same one: it takes half a second to start."""


class Machine:
    """A machine laid out under a directory, with stand-ins for what asks or changes the real one."""

    def __init__(
        self, root: Path, architecture: str = "arm64", release: str = 'ID=debian\nVERSION_ID="12"\n'
    ) -> None:
        self.root = root / "root"
        self.said = root.parent / "said"
        self.said.mkdir(exist_ok=True)
        self.tools = root / "tools"
        self.tools.mkdir(parents=True)
        self._tool("python3", PYTHON)
        self._tool("barpoint", BARPOINT)
        self._tool("dpkg", f"#!/bin/sh\necho {architecture}\n")
        for name in ("apt-get", "systemctl", "systemd-sysusers", "systemd-tmpfiles", "udevadm", "userdel"):
            self._tool(name, "#!/bin/sh\necho the running system was touched >&2\nexit 99\n")
        self.lay("etc/os-release", release)
        self.lay(BOOT, "camera_auto_detect=1\n")

    def _tool(self, name: str, text: str) -> None:
        (self.tools / name).write_text(text)
        (self.tools / name).chmod(0o755)

    def lay(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def install(
        self,
        *options: str,
        model: str = "Raspberry Pi 5 Model B",
        network: bool = True,
        stdin: int | None = None,
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [HERE / "install", *options],
            env=self.environment(model) | {"NO_NETWORK": "" if network else "yes"},
            stdin=stdin,
            capture_output=True,
            text=True,
            timeout=200,
            check=False,
        )

    def environment(self, model: str = "Raspberry Pi 5") -> dict[str, str]:
        """What an installation is started with."""
        return {
            "PATH": f"{self.tools}:{os.environ['PATH']}",
            "DESTDIR": str(self.root),
            "BARPOINT_MODEL": model,
            "NO_NETWORK": "",
            "PYTHONDONTWRITEBYTECODE": "1",
            "SAID": str(self.said),
        }

    def files(self) -> dict[str, str]:
        found = {path: self._inside(path) for path in self.root.rglob("*")}
        return {
            str(path.relative_to(self.root)): file.read_text()
            for path, file in found.items()
            if file.is_file()
        }

    def _inside(self, path: Path) -> Path:
        """Where a link leads on this machine."""
        if not path.is_symlink() or not path.readlink().is_absolute():
            return path
        return self.root / path.readlink().relative_to("/")

    def read(self, path: Path) -> str:
        return (self.root / path.relative_to("/")).read_text()

    def begin(self, *options: str) -> subprocess.Popen[str]:
        """An install that has come to pip, which takes two seconds."""
        slow = self.root.parent / "slow"
        begun = subprocess.Popen(
            [HERE / "install", *options],
            env=self.environment() | {"SLOW": str(slow)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        while not slow.with_name("slow.begun").exists():
            assert begun.poll() is None, begun.communicate()
            time.sleep(0.05)
        return begun

    @property
    def programs(self) -> list[str]:
        return sorted(path.name for path in (self.root / "opt/barpoint").glob("venv*"))


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_it_lays_units_rules_program_and_a_first_configuration(machine: Machine) -> None:
    done = machine.install()
    assert (done.returncode, done.stderr) == (0, "")
    files = machine.files()
    laid = set(files.values())
    assert all(path.read_text() in laid for path in (HERE / "systemd").iterdir())
    assert "WantedBy=multi-user.target" in files["usr/local/lib/systemd/system/barpoint.service"]
    assert (
        files["usr/local/lib/systemd/system/barpoint.service.d/10-release.conf"]
        == (HERE / "systemd/barpoint.service").read_text()
    )
    assert os.access(machine.root / "opt/barpoint/venv/system/barpoint.sh", os.X_OK)
    assert files[CONFIG] == DEFAULTS.read_text()
    assert machine.read(DROP_IN) == drop_in(Config())
    assert (machine.root / "opt/barpoint/venv/bin/barpoint").exists()


def test_pip_unpacks_where_the_program_has_room(machine: Machine) -> None:
    """Debian 13's /tmp is memory, of which a Pi has little; a full one was told as a missing connection."""
    machine.install()
    program = machine.root / "opt/barpoint" / machine.programs[-1]
    assert set(machine.root.with_name("root-temporary").read_text().split()) == {f"{program}/tmp"}
    assert not (program / "tmp").exists()


def test_the_lights_bus_is_switched_on_once_and_the_old_file_kept(machine: Machine) -> None:
    machine.install()
    machine.install()
    files = machine.files()
    assert files[BOOT].count("dtparam=spi=on") == 1
    assert files[BOOT].startswith("camera_auto_detect=1\n")
    assert files[f"{BOOT}.before-barpoint"] == "camera_auto_detect=1\n"


def test_what_the_firmware_reads_is_on_the_card_before_it_has_its_name(machine: Machine) -> None:
    calls = machine.root.parent / "calls"
    for name in ("sync", "mv"):
        machine._tool(name, f'#!/bin/sh\necho "{name} $*" >>{calls}\nexec /bin/{name} "$@"\n')
    machine.install()
    told = calls.read_text().splitlines()
    file = machine.root / BOOT
    assert [line for line in told if f"{file.parent}" in line] == [
        f"sync {file}.part",
        f"mv {file}.part {file}",
        f"sync {file.parent}",
    ]
    # Nor is there a configuration without content, which every later ./install would keep as it is.
    file = machine.root / CONFIG
    assert [line for line in told if f"{file}" in line] == [f"sync {file}.part", f"mv -f {file}.part {file}"]


def test_a_machine_that_is_no_pi_gets_a_configuration_without_pins(machine: Machine) -> None:
    machine.install(model="")
    config = load(machine.root / CONFIG)
    assert (config.camera.kind, config.buttons.factory, config.strip.kind) == ("v4l2", "none", "none")
    assert (config.camera.width, config.camera.height) == (1600, 1200)  # the other is of the Pi's own camera
    assert "spi" not in machine.files()[BOOT]


def test_run_again_it_upgrades_and_keeps_configuration_and_matches(machine: Machine) -> None:
    machine.lay(CONFIG, "[page]\nport = 80\n")
    machine.lay("var/lib/barpoint/journal.db", "matches")
    machine.lay("opt/barpoint/venv-19990101-000000/bin/barpoint", "an old program")
    done = machine.install()
    assert done.returncode == 0, done.stderr
    files = machine.files()
    assert (files[CONFIG], files["var/lib/barpoint/journal.db"]) == ("[page]\nport = 80\n", "matches")
    assert "SocketBindAllow=tcp:80\n" in machine.read(DROP_IN)
    assert "CAP_NET_BIND_SERVICE" in machine.read(DROP_IN)
    program, link = sorted(machine.programs, key=len, reverse=True)
    assert (link, str((machine.root / "opt/barpoint/venv").readlink())) == ("venv", program)


@pytest.mark.parametrize("fault", ["network", "configuration"])
def test_what_was_there_stays_in_use_where_it_cannot_be_done(machine: Machine, fault: str) -> None:
    machine.install()
    before = machine.programs
    if fault == "configuration":
        machine.lay(CONFIG, "[page]\nprt = 80\n")
    done = machine.install(network=fault != "network")
    assert done.returncode == 1
    assert "still in use" in done.stderr
    assert (machine.programs, (machine.root / "opt/barpoint/venv/bin/barpoint").exists()) == (before, True)
    assert ("into /opt/barpoint" in done.stdout) == (fault == "network")  # a configuration is read before


def play(machine: Machine, game: str) -> None:
    """A game's first entry in the table's journal."""
    with Journal.open(machine.root / JOURNAL) as journal:
        journal.append(game, "2026-11-22T20:00:00+00:00", {"event": "begin"})


def copies(machine: Machine) -> list[Path]:
    return sorted((machine.root / BACKUPS).glob("*"))


def test_an_upgrade_copies_the_journal_first_and_keeps_three_copies(machine: Machine) -> None:
    machine.install()
    (machine.root / JOURNAL).parent.mkdir(parents=True)
    for number in range(4):
        play(machine, f"game-{number}")
        assert machine.install().returncode == 0
    kept = copies(machine)
    assert len(kept) == 3
    for number, copy in enumerate(kept, start=2):
        with Journal.open_readonly(copy) as journal:
            assert len(list(journal.games())) == number


def test_a_clock_that_was_set_back_costs_no_copy(machine: Machine) -> None:
    machine.install()
    for year in (2097, 2098, 2099):
        machine.lay(f"{BACKUPS}/{year}1231-235959.db", "another")
    machine.lay(f"{BACKUPS}/mine.db", "the owner's own")
    play(machine, "game")
    assert machine.install().returncode == 0
    kept = copies(machine)
    assert [path.name for path in kept] == [
        "20981231-235959.db",
        "20991231-235959.db",
        "20991231-235960.db",
        "mine.db",
    ]
    with Journal.open_readonly(kept[2]) as journal:
        assert len(list(journal.games())) == 1
    noted = machine.root / "opt/barpoint/venv/system/journal-before"
    assert noted.read_text() == f"/{BACKUPS}/20991231-235960.db\n"


def test_a_journal_that_cannot_be_read_is_copied_as_it_is(machine: Machine) -> None:
    machine.install()
    machine.lay(JOURNAL, "no journal at all")
    done = machine.install()
    assert done.returncode == 0, done.stderr
    (copy,) = copies(machine)
    assert copy.read_text() == "no journal at all"
    assert "copied as it is" in done.stdout


def test_without_a_copy_of_the_journal_nothing_is_upgraded(machine: Machine) -> None:
    machine.install()
    before = machine.programs
    machine.lay(JOURNAL, "matches")
    machine.lay(BACKUPS, "a file where the folder should be")
    done = machine.install()
    assert done.returncode == 1
    assert "the journal could not be copied before the upgrade" in done.stderr
    assert machine.programs == before


def test_rolled_back_program_and_units_are_those_before(machine: Machine) -> None:
    machine.install()
    first = (machine.root / "opt/barpoint/venv").readlink()
    unit = machine.root / "opt/barpoint" / first / "system/barpoint.service"
    unit.write_text("# the unit of the release before\n")
    machine.install()
    assert machine.read(UNIT) != "# the unit of the release before\n"
    machine.lay(CONFIG, "[page]\nport = 90\n")
    done = machine.install("--rollback")
    assert (done.returncode, done.stderr) == (0, "")
    assert (machine.root / "opt/barpoint/venv").readlink() == first
    laid = machine.files()["usr/local/lib/systemd/system/barpoint.service.d/10-release.conf"]
    assert laid == "# the unit of the release before\n"
    assert "SocketBindAllow=tcp:90\n" in machine.read(DROP_IN)  # for the configuration as it is now
    again = machine.install("--rollback")
    assert (again.returncode, again.stderr.count("no release to go back to; nothing was changed")) == (1, 1)


@pytest.mark.parametrize("options", [(), ("--rollback",)])
def test_a_release_too_old_for_the_journal_is_refused(machine: Machine, options: tuple[str, ...]) -> None:
    machine.install()
    machine.install()
    before = machine.programs
    (machine.root / JOURNAL).parent.mkdir(parents=True)
    play(machine, "game")
    with closing(sqlite3.connect(machine.root / JOURNAL)) as connection:
        connection.execute(f"PRAGMA user_version = {journal_module.SCHEMA + 1}")
    done = machine.install(*options)
    assert done.returncode == 1
    assert f"that release knows journals up to version {journal_module.SCHEMA}; a later one" in done.stderr
    assert BACKUPS in done.stderr
    assert (machine.programs, copies(machine)) == (before, [])


def test_a_release_of_0_2_is_taken_over_and_can_be_gone_back_to(machine: Machine) -> None:
    machine.lay("opt/barpoint/venv-19990101-000000/bin/barpoint", BARPOINT)
    (machine.root / "opt/barpoint/venv-19990101-000000/bin/barpoint").chmod(0o755)
    (machine.root / "opt/barpoint/venv").symlink_to("venv-19990101-000000")
    unit = "[Service]\nExecStart=/opt/barpoint/venv/bin/barpoint run --config F\n"
    machine.lay("etc/systemd/system/barpoint.service", unit)
    machine.lay("etc/systemd/system/barpoint.service.d/override.conf", "# the owner's own\n")
    machine.lay("etc/systemd/system/barpoint.service.d/configured.conf", "# its port\n")
    machine.lay("etc/sysusers.d/barpoint.conf", "# its users\n")
    assert machine.install().returncode == 0
    left = {name for name in machine.files() if name.startswith("etc/") and "barpoint." in name}
    assert left == {CONFIG, "etc/systemd/system/barpoint.service.d/override.conf"}
    assert machine.install("--rollback").returncode == 0
    assert machine.read(UNIT) == unit
    machine.lay("etc/systemd/system/barpoint.service", "# the owner's own\n")
    assert machine.install().returncode == 0
    assert machine.files()["etc/systemd/system/barpoint.service"] == "# the owner's own\n"


def test_a_dry_run_says_every_file_and_changes_nothing(machine: Machine) -> None:
    before = machine.files()
    done = machine.install("--dry-run")
    assert (done.returncode, machine.files()) == (0, before)
    machine.install()
    laid = {f"/{name}" for name in machine.files() if not name.startswith(("opt/", "boot/"))} - {
        "/etc/os-release"
    }
    said = {
        line.split(" ", 3)[3] for line in done.stdout.splitlines() if line.startswith(("  write ", "  link "))
    }
    assert said - {str(DROP_IN)} == laid


def test_it_takes_from_debian_what_the_package_depends_on(machine: Machine) -> None:
    said = machine.install("--dry-run").stdout
    packages = next(line for line in said.splitlines() if "Debian's packages:" in line)
    control = (HERE / "deploy/deb/control").read_text()
    wanted = packages.partition("packages: ")[2].split()
    assert {"python3-venv", "python3-numpy", "python3-spidev"} <= set(wanted)
    assert [each for each in wanted if each not in control and "gpio" not in each] == []
    assert "opencv" not in packages + control  # Debian's brings hundreds of packages, and 100 MB of memory


def test_the_engine_is_debians_or_one_built_here_once_and_kept(machine: Machine) -> None:
    assert "there is no engine to review matches" in machine.install().stdout
    machine.lay("usr/games/gnubg", "")
    assert "plays against you: GNU Backgammon" in machine.install().stdout
    built = machine.install("--engine").stdout
    assert "building bgsage, once" in built
    assert "plays against you: bgsage" in built
    for options in ((), ("--engine",)):
        again = machine.install(*options).stdout
        assert "building" not in again
        assert "plays against you: bgsage" in again


@pytest.mark.parametrize(("options", "kept"), [((), True), (("--purge",), False)])
def test_uninstalled_it_leaves_what_is_not_its_own(
    machine: Machine, options: tuple[str, ...], kept: bool
) -> None:
    before = set(machine.files())
    machine.install()
    machine.lay("var/lib/barpoint/journal.db", "matches")
    done = machine.install("--uninstall", *options)
    assert (done.returncode, done.stderr) == (0, "")
    left = set(machine.files()) - before
    assert left == {f"{BOOT}.before-barpoint"} | ({CONFIG, "var/lib/barpoint/journal.db"} if kept else set())
    assert not (machine.root / "opt/barpoint").exists()


@pytest.mark.parametrize("answer", ["yes", "no", None])
def test_a_state_directory_of_ones_own_is_purged_when_somebody_agrees(
    machine: Machine, answer: str | None
) -> None:
    machine.lay(CONFIG, "[state]\ndirectory = '/srv/bar 100%'\n")
    machine.install()
    assert str((machine.root / "opt/barpoint/venv/system/state").readlink()) == "/srv/bar 100%"
    machine.lay("srv/bar 100%/journal.db", "matches")
    terminal, stdin = os.openpty()
    os.write(terminal, f"{answer}\n".encode())
    done = machine.install("--uninstall", "--purge", stdin=subprocess.DEVNULL if answer is None else stdin)
    for each in (terminal, stdin):
        os.close(each)
    assert done.returncode == 0, done.stderr
    assert f"{machine.root}/srv/bar 100%, with:\njournal.db\n" in done.stdout
    assert (machine.root / "srv/bar 100%").exists() == (answer != "yes")


@pytest.mark.parametrize(
    ("architecture", "release", "words"),
    [
        ("armhf", "ID=debian\nVERSION_ID=12\n", "32-bit (armhf)"),
        ("arm64", "ID=debian\nVERSION_ID=11\n", "Debian 11"),
        ("arm64", "ID=fedora\nVERSION_ID=42\n", "fedora"),
    ],
)
def test_a_system_that_cannot_do_it_is_refused_unchanged(
    tmp_path: Path, architecture: str, release: str, words: str
) -> None:
    machine = Machine(tmp_path, architecture, release)
    before = machine.files()
    done = machine.install()
    assert (done.returncode, machine.files()) == (1, before)
    assert words in done.stderr
    assert "nothing was changed" in done.stderr


@pytest.mark.parametrize("options", [("--purge",), ("--all",), ("-n",)])
def test_a_wrong_option_is_one_line_and_status_2(machine: Machine, options: tuple[str, ...]) -> None:
    done = machine.install(*options)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_help_names_every_option(machine: Machine) -> None:
    done = machine.install("--help")
    assert done.returncode == 0
    assert all(option in done.stdout for option in ("--dry-run", "--no-start", "--uninstall", "--purge"))


def test_two_at_once_are_one_too_many(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    held = os.open(machine.root / "etc", os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    before = machine.files()
    result = machine.install()
    os.close(held)
    assert result.returncode == 1
    assert "another ./install is running" in result.stderr
    assert machine.files() == before
    assert machine.install().returncode == 0


def work_folders(machine: Machine) -> set[Path]:
    return set((machine.root / "tmp").glob("barpoint-install.*"))


def test_an_interrupted_install_leaves_nothing_behind(machine: Machine) -> None:
    begun = machine.begin()
    assert work_folders(machine)
    begun.send_signal(signal.SIGTERM)
    begun.communicate(timeout=60)
    assert begun.returncode == 143
    assert (work_folders(machine), machine.programs) == (set(), [])


def test_a_connection_that_breaks_does_not_stop_it(machine: Machine) -> None:
    begun = machine.begin()
    assert begun.stdout is not None
    begun.stdout.close()  # nobody reads what it says any more
    begun.send_signal(signal.SIGHUP)
    assert begun.wait(timeout=60) == 0
    assert (machine.root / "opt/barpoint/venv/bin/barpoint").exists()
    assert "the new program starts" in (machine.root / "var/log/barpoint-install.log").read_text()


@pytest.mark.parametrize(
    ("lists", "skips"), [("", False), (" 500 http://deb.debian.org bookworm/main Packages", True)]
)
def test_without_package_lists_nothing_is_said_to_be_missing(tmp_path: Path, lists: str, skips: bool) -> None:
    machine = Machine(tmp_path)
    machine._tool("apt-cache", f'#!/bin/sh\n[ -n "$2" ] || echo "{lists}"\n')
    done = subprocess.run(
        [HERE / "install", "--dry-run"],
        env={"PATH": f"{machine.tools}:{os.environ['PATH']}", "BARPOINT_MODEL": "Raspberry Pi 5"},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    if "this is " in done.stderr or "no systemd" in done.stderr:
        pytest.skip("this machine is none that it could be installed on")
    assert done.returncode == 0, done.stderr
    assert ("skipped python3-picamera2, which this Debian does not have" in done.stdout) is skips
    assert ("there are no package lists" in done.stdout) is not skips


def test_the_screen_is_switched_on_where_asked_for_and_stays_so_at_an_upgrade(machine: Machine) -> None:
    wanted = machine.root / "usr/local/lib/systemd/system/multi-user.target.wants/barpoint-screen.service"
    assert not machine.install("--screen").stderr
    assert wanted.readlink() == Path("../barpoint-screen.service")
    assert machine.install().returncode == 0
    assert wanted.is_symlink()
    assert machine.install("--uninstall").returncode == 0
    assert not wanted.is_symlink()


def test_uninstalled_where_nothing_is_it_says_so(machine: Machine) -> None:
    """It said that the configuration and the matches are still there."""
    done = machine.install("--uninstall")
    assert done.returncode == 0
    assert done.stdout == "install: Barpoint is not installed here; nothing was changed.\n"
