"""barpoint-update.sh, which is root's: what the table's program can make it do, and that a version which does
not come up is gone back from. apt, dpkg and systemd are stand-ins that write down what they are asked."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import tarfile
from pathlib import Path

import pytest

HERE = Path(__file__).parents[1]
NEWS = "# Log\n\n## [Unreleased]\n\n## [0.4.0]\n\n- Four.\n\n## [0.3.0]\n- Three.\n\n## [0.2.0]\n- Two.\n"
TOOLS = {
    # As the table's user: here there is only one.
    "setpriv": 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"',
    "apt-get": """
case "$*" in
*update) [ ! -e "$M/offline" ] ;;
*--download-only*) ;;
*install*) [ ! -e "$M/broken" ] || exit 100
    sed -n 's/^Version: //p' "$M/candidate" >"$M/installed"
    if [ -e "$M/begins" ]; then echo playing >"$M/alive"; fi
    if [ ! -e "$M/unbuilt" ]; then ln -sfn "venv-$(cat "$M/installed")" "$M/home/venv"; fi ;;
esac""",
    "apt-cache": 'echo " barpoint | $(sed -n \'s/^Version: //p\' "$M/candidate") | somewhere Packages"',
    "dpkg-query": 'cat "$M/installed"',
    "dpkg": 'if [ "$1" = --compare-versions ]; then exec /usr/bin/dpkg "$@"; fi',
    "dpkg-deb": """
if [ "$1" = --field ]; then sed -n 's/^Version: //p' "$M/candidate"; else cat "$M/data.tar"; fi""",
    "systemctl": """
case "$*" in
"show -p NRestarts"*) if [ -e "$M/crashes" ]; then date +%N; else echo 0; fi ;;
"restart barpoint.service") [ "$(cat "$M/dead" 2>/dev/null)" != "$(readlink "$M/home/venv")" ] ;;
esac""",
}


class Table:
    """A machine with the package 0.2.0, and 0.4.0 in its repository."""

    def __init__(self, place: Path) -> None:
        self.place = place
        for name in ("tools", "sources", "archives", "own", "run", "state/before-upgrades"):
            (place / name).mkdir(parents=True)
        (place / "sources/barpoint.list").write_text("deb [signed-by=/key] file:/repository stable main\n")
        (place / "archives/barpoint_0.4.0_arm64.deb").touch()
        (place / "asked").touch()
        for name, text in TOOLS.items():
            tool = place / "tools" / name
            tool.write_text(f'#!/bin/sh\nM={place}\necho "{name} $*" >>"$M/asked"\n{text}\n')
            tool.chmod(0o755)
        for version in ("0.2.0", "0.4.0", "0.5.0"):
            release = place / f"home/venv-{version}"
            for each in ("bin", "system"):
                (release / each).mkdir(parents=True)
            (release / "bin/barpoint").write_text(
                f"#!/bin/sh\ncase $1 in alive) cat {place}/alive ;;\n"
                f'backup) cp {place}/state/journal.db "$2" ;; esac\n'
            )
            (release / "bin/python").write_text("#!/bin/sh\necho 0\n")
            (release / "system/rollback").write_text(
                f"#!/bin/sh\necho rollback >>{place}/asked\n[ ! -e {place}/stays ] || exit 1\n"
                f"ln -sfn venv-0.2.0 {place}/home/venv\n"
            )
            for each in ("bin/barpoint", "bin/python", "system/rollback"):
                (release / each).chmod(0o755)
        (place / "home/venv").symlink_to("venv-0.2.0")
        (place / "installed").write_text("0.2.0\n")
        (place / "alive").write_text("resting\n")
        self.offers("0.4.0")

    def offers(self, version: str) -> None:
        """The newest version of the repository."""
        (self.place / "candidate").write_text(f"Version: {version}\n")
        packed = gzip.compress(NEWS.encode())
        with tarfile.open(self.place / "data.tar", "w") as tar:
            entry = tarfile.TarInfo("./usr/share/doc/barpoint/CHANGELOG.md.gz")
            entry.size = len(packed)
            tar.addfile(entry, io.BytesIO(packed))

    def run(self, what: str = "wish", wish: str | None = None, hour: str = "12") -> dict[str, str]:
        """One run of the script; returns what it told."""
        if wish is not None:
            self.wish.write_text(wish)
        place = self.place
        (place / "asked").write_text("")
        environment = {
            "PATH": os.environ["PATH"],
            "BARPOINT_PATH": f"{place}/tools:{os.environ['PATH']}",
            "BARPOINT_SHELL": f"{HERE}/deploy",
            "BARPOINT_HOME": f"{place}/home",
            "BARPOINT_STATE": f"{place}/state",
            "STATE_DIRECTORY": f"{place}/own",
            "BARPOINT_WISH": str(self.wish),
            "BARPOINT_SOURCES": f"{place}/sources",
            "BARPOINT_ARCHIVES": f"{place}/archives",
            "BARPOINT_PAUSE": "0",
            "BARPOINT_PATIENCE": "1",
            "BARPOINT_HOUR": hour,
        }
        script = HERE / "systemd/barpoint-update.sh"
        done = subprocess.run(
            [script, what], env=environment, capture_output=True, text=True, timeout=100, check=False
        )
        assert done.returncode == 0, done.stderr
        return self.told()

    @property
    def wish(self) -> Path:
        return self.place / "run/update"

    def told(self) -> dict[str, str]:
        status = self.place / "own/status"
        lines = status.read_text().splitlines() if status.exists() else []
        return dict(line.split("=", 1) for line in lines)

    def asked(self, *words: str) -> list[str]:
        """What programs were asked that has all these words."""
        lines = (self.place / "asked").read_text().splitlines()
        return [line for line in lines if all(word in line.split() for word in words)]

    @property
    def in_use(self) -> str:
        return str((self.place / "home/venv").readlink())


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path)


def test_now_it_is_installed_and_its_news_are_those_since_ours(table: Table) -> None:
    told = table.run(wish="now")
    assert (told["step"], told["installed"], table.in_use) == ("done", "0.4.0", "venv-0.4.0")
    assert not table.wish.exists()
    news = (table.place / "own/status.news").read_text()
    assert "Four." in news
    assert "Three." in news
    assert "Two." not in news
    (install,) = [line for line in table.asked("apt-get", "install") if "--download-only" not in line]
    assert {"--only-upgrade", "--no-remove", "barpoint=0.4.0"} <= set(install.split())
    update = table.asked("apt-get", "update")[0]
    assert f"Dir::Etc::sourcelist={table.place}/sources/barpoint.list" in update
    assert "Dir::Etc::sourceparts=-" in update


@pytest.mark.parametrize(
    "word",
    [
        "",
        "NOW",
        "now; reboot",
        "now\nnight",
        "$(reboot)",
        "install",
        "now -o X=1",
        "\0now ",
        "look" * 9,
        "../now",
    ],
)
def test_whatever_else_the_page_leaves_there_is_thrown_away(table: Table, word: str) -> None:
    assert table.run(wish=word) == {}
    assert not table.wish.exists()
    assert {line.split()[0] for line in table.asked()} <= {"setpriv"}


def test_a_link_a_folder_and_a_pipe_hold_nothing_up_and_change_nothing(table: Table, tmp_path: Path) -> None:
    aside = tmp_path / "aside"
    aside.write_text("someone else's")
    table.wish.symlink_to(aside)
    assert table.run() == {}
    assert aside.read_text() == "someone else's"
    table.wish.mkdir()
    (table.wish / "now").write_text("now")
    assert table.run() == {}
    os.mkfifo(table.wish)
    assert table.run() == {}
    assert not table.wish.exists()
    assert table.in_use == "venv-0.2.0"


@pytest.mark.parametrize("fault", ["dead", "crashes", "away"])
def test_a_version_that_does_not_come_up_is_gone_back_from_and_not_taken_again_by_itself(
    table: Table, fault: str
) -> None:
    if fault == "away":
        release = table.place / "home/venv-0.4.0/bin/barpoint"
        release.write_text("#!/bin/sh\necho away; exit 1\n")
    else:
        (table.place / fault).write_text("venv-0.4.0\n")
    told = table.run(wish="now")
    assert (told["step"], table.in_use) == ("back", "venv-0.2.0")
    (table.place / fault).unlink(missing_ok=True)
    (table.place / "installed").write_text("0.2.0\n")
    (table.place / "own/night").touch()
    assert table.run("night", hour="04")["step"] == "available"
    table.offers("0.5.0")
    assert table.run("night", hour="04")["installed"] == "0.5.0"
    assert not (table.place / "own/night").exists()


def test_never_during_a_match(table: Table) -> None:
    (table.place / "alive").write_text("playing\n")
    told = table.run(wish="now")
    assert (told["step"], told["why"], table.in_use) == ("waiting", "match", "venv-0.2.0")
    (table.place / "own/night").touch()
    assert table.run("night", hour="04")["step"] == "waiting"
    (table.place / "alive").write_text("resting\n")
    assert table.run("night", hour="04")["step"] == "done"


def test_a_match_that_is_begun_while_apt_is_at_work_is_played_to_its_end(table: Table) -> None:
    (table.place / "begins").touch()
    told = table.run(wish="now")
    assert (told["step"], told["why"], told["installed"]) == ("waiting", "match", "0.4.0")
    assert not table.asked("restart")
    assert table.run(wish="look")["step"] == "waiting"
    assert not table.wish.exists()
    (table.place / "alive").write_text("resting\n")
    assert table.run("night")["step"] == "current"
    assert len(table.asked("restart")) == 1
    assert not (table.place / "own/begun").exists()


def test_for_the_night_it_waits_for_the_night_and_can_be_taken_back(table: Table) -> None:
    told = table.run(wish="night")
    assert (told["step"], told["night"], table.in_use) == ("available", "yes", "venv-0.2.0")
    assert table.run("night", hour="11")["step"] == "available"
    assert "night" not in table.run(wish="cancel")
    assert table.run("night", hour="04")["step"] == "available"
    assert table.in_use == "venv-0.2.0"


@pytest.mark.parametrize("offered", ["0.2.0", "0.1.9", "-o", "9;reboot", ""])
def test_nothing_older_and_nothing_that_is_no_version_is_installed(table: Table, offered: str) -> None:
    table.offers(offered)
    assert table.run(wish="now")["step"] == "current"
    assert not table.asked("apt-get", "install")


def test_without_a_repository_or_a_network_that_is_said(table: Table) -> None:
    (table.place / "offline").touch()
    told = table.run(wish="now")
    assert (told["step"], told["why"]) == ("failed", "network")
    (table.place / "sources/barpoint.list").unlink()
    assert table.run(wish="look")["step"] == "none"
    assert not table.asked("apt-get", "install")


@pytest.mark.parametrize("fault", ["broken", "unbuilt"])
def test_where_apt_fails_the_table_goes_on_as_it_is(table: Table, fault: str) -> None:
    (table.place / fault).touch()
    told = table.run(wish="now")
    assert (told["step"], told["why"], table.in_use) == ("failed", "apt", "venv-0.2.0")
    assert not table.asked("restart")


def test_after_a_power_cut_it_is_taken_up_where_it_was(table: Table) -> None:
    (table.place / "own/begun").write_text("0.4.0 venv-0.2.0\n")
    (table.place / "installed").write_text("0.4.0\n")
    (table.place / "home/venv").unlink()
    (table.place / "home/venv").symlink_to("venv-0.4.0")
    (table.place / "dead").write_text("venv-0.4.0\n")
    table.run("night")
    assert table.asked("dpkg", "--configure")
    assert table.in_use == "venv-0.2.0"
    assert not (table.place / "own/begun").exists()


def test_a_page_that_asks_again_and_again_reaches_the_repository_once(table: Table) -> None:
    table.run(wish="look")
    table.run(wish="look")
    assert not table.asked("apt-get", "update")


@pytest.mark.parametrize("full", [False, True])
def test_a_journal_that_the_new_release_has_changed_is_put_aside_in_one_step(
    table: Table, full: bool
) -> None:
    """Where the disk was full, half a copy stood in the journal's place."""
    (table.place / "home/venv-0.2.0/bin/python").write_text(
        '#!/bin/sh\ncase "$*" in *PRAGMA*) cat "$3" ;; *SCHEMA*) echo 3 ;; esac\n'
    )
    state = table.place / "state"
    (state / "journal.db").write_text("4\n")
    (state / "journal.db-wal").write_text("what is not in it yet\n")
    for ending in ("head", "lost"):
        (state / f"journal.db-{ending}").write_text("of the newer one\n")
    (state / "before-upgrades/20260101-040000.db").write_text("3\n")
    (state / "before-upgrades/20360101-040000.db").write_text(
        "of another upgrade, when the clock was wrong\n"
    )
    (table.place / "home/venv-0.4.0/system/journal-before").write_text(
        f"{state}/before-upgrades/20260101-040000.db\n"
    )
    (table.place / "dead").write_text("venv-0.4.0\n")
    if full:
        (table.place / "tools/cp").write_text('#!/bin/sh\nprintf "half of it" >"$2"\nexit 1\n')
        (table.place / "tools/cp").chmod(0o755)
    told = table.run(wish="now")
    left = {path.name: path.read_text() for path in state.glob("*journal*")}
    beside = {f"journal.db-{ending}": "of the newer one\n" for ending in ("head", "lost")}
    if full:
        assert (told["step"], told["why"]) == ("failed", "back")
        assert left == {"journal.db": "4\n", "journal.db-wal": "what is not in it yet\n"} | beside
    else:
        assert (told["step"], table.in_use) == ("back", "venv-0.2.0")
        beside = {f"newer-{name}": text for name, text in beside.items()}
        wal = {"newer-journal.db-wal": "what is not in it yet\n"}
        assert left == {"journal.db": "3\n", "newer-journal.db": "4\n"} | wal | beside


def test_what_was_played_while_apt_was_at_work_is_in_the_copy_too(table: Table) -> None:
    """The new release brings the journal to another form as soon as it starts, and does not come up."""
    for version in ("0.2.0", "0.4.0"):
        (table.place / f"home/venv-{version}/bin/python").write_text(
            '#!/bin/sh\ncase "$*" in *PRAGMA*) head -n 1 "$3" ;; *SCHEMA*) echo 3 ;; esac\n'
        )
    state = table.place / "state"
    (state / "journal.db").write_text("3\nplayed while apt was at work\n")
    older = [state / f"before-upgrades/2026010{day}-040000.db" for day in (1, 2, 3)]
    for copy in older:
        copy.write_text("3\n")
    noted = table.place / "home/venv-0.4.0/system/journal-before"
    noted.write_text(f"{older[-1]}\n")
    systemctl = table.place / "tools/systemctl"
    systemctl.write_text(
        systemctl.read_text().replace(
            '"restart barpoint.service")', f'"restart barpoint.service") echo 4 >{state}/journal.db;'
        )
    )
    (table.place / "dead").write_text("venv-0.4.0\n")
    told = table.run(wish="now")
    assert (told["step"], table.in_use) == ("back", "venv-0.2.0")
    assert (state / "journal.db").read_text() == "3\nplayed while apt was at work\n"
    assert sorted((state / "before-upgrades").iterdir()) == [*older[:2], Path(noted.read_text().strip())]
