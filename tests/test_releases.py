"""What earlier releases left on a disk opens and reads the same: rigs, matches, recordings, a table's state.

The program is asked through its command line and its page alone. Confidences may differ by 0.02, words may be
put otherwise, and keys may be added; all else is as the release itself printed it (``tests/data/releases``).
"""

from __future__ import annotations

import json
import lzma
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware.cli import main
from tests.program import Program

pytestmark = pytest.mark.long

RELEASES = Path(__file__).parent / "data" / "releases"
NEAR = 0.02
"""By how much a confidence may differ."""
WORDS = {"phase", "waiting", "words", "said", "title", "remark", "reason", "commitment"}
"""Keys of what is told to people, and of what is drawn by chance."""
PASSING = {"actions", "age", "clock", "number"}
"""Keys of the page's state that time or wording changes: what may be done, with the reasons why not, and how
many states there were since the start."""
FORMATS = ("mat", "sgf", "xgid", "json")

program = Program()


@pytest.fixture(
    params=sorted(path.name for path in RELEASES.iterdir() if path.is_dir() and path.name[0].isdigit())
)
def release(request: pytest.FixtureRequest) -> Path:
    return RELEASES / request.param


@pytest.fixture
def state(release: Path, tmp_path: Path) -> Path:
    """A copy of the release's table, which may be written to."""
    shutil.copytree(release / "state", tmp_path / "state")
    for path in (tmp_path / "state").glob("*.xz"):
        path.with_suffix("").write_bytes(lzma.decompress(path.read_bytes()))
        path.unlink()
    return tmp_path / "state"


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def different(then: Any, now: Any, where: str = "") -> Iterator[str]:
    """The places in which ``now`` does not say what ``then`` said."""
    if isinstance(then, dict) and isinstance(now, dict):
        for key in then.keys() - WORDS - PASSING:
            if key in now:
                yield from different(then[key], now[key], f"{where}.{key}")
            else:
                yield f"{where}.{key} is missing"
    elif where.endswith(".leds"):  # places of lamps may be added
        yield from different(*({led["place"]: led for led in leds} for leds in (then, now)), where)
    elif isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        for number, (one, other) in enumerate(zip(then, now, strict=True)):
            yield from different(one, other, f"{where}[{number}]")
    elif "confidence" in where and isinstance(then, float) and isinstance(now, float | int):
        if abs(then - now) > NEAR:
            yield f"{where}: {then} then, {now} now"
    elif then != now:
        yield f"{where}: {then} then, {now} now"


def test_a_table_that_was_calibrated_reads_its_pictures_the_same(release: Path, state: Path) -> None:
    for kept in json.loads((release / "readings.json").read_text()):
        where = state.parent if kept["rig"].startswith("state/") else release
        rig, picture = where / kept["rig"], release / kept["picture"]
        (reading,) = program.lines("read", picture, "--rig", rig, "--json")
        assert list(different(kept["reading"], reading)) == [], f"{rig.name}, {picture.name}"


def test_the_archive_lists_the_same_matches(release: Path, state: Path) -> None:
    assert (
        list(different(lines(release / "games.jsonl"), program.lines("games", "--json", "--state", state)))
        == []
    )


def test_every_match_is_in_order(release: Path, state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Within this process: a program of its own for each match takes a second to start."""
    for log, kept in json.loads((release / "checked.json").read_text()).items():
        with pytest.raises(SystemExit) as ended:
            main(["verify", log, "--json", "--state", str(state)])
        now, status = json.loads(capsys.readouterr().out), ended.value.code or 0
        assert (status, now["ok"], len(now["checked"])) == (kept["exit"], kept["ok"], kept["checked"]), log


def without_words(text: str) -> str:
    """An export without the words of its remarks, which a later program may choose otherwise, and without the
    seal, which covers them."""
    text = re.sub(r"(foul by \w+)[^\"\]]*", r"\1", text)
    return re.sub(r'"seal": \[[^]]*\]', "", text)


def test_every_match_is_exported_the_same(release: Path, state: Path, tmp_path: Path) -> None:
    """Within this process, and one form after the other: the archive is listed anew only once."""
    for form in FORMATS:
        folder = tmp_path / form
        with pytest.raises(SystemExit):
            main(["export", "--all", str(folder), "--format", form, "--state", str(state)])
        now = {file.stem: file.read_text(encoding="utf-8") for file in folder.iterdir()}
        exported = (release / "exports").glob(f"*.{form}")
        then = {file.stem: file.read_text(encoding="utf-8") for file in exported}
        assert {log: without_words(text) for log, text in now.items()} == {
            log: without_words(text) for log, text in then.items()
        }, form


def test_a_recording_is_judged_again_the_same(release: Path, tmp_path: Path) -> None:
    (folder,) = (release / "recordings").iterdir()
    replayed = program.lines("replay", folder, "--json", "--state", tmp_path)
    assert list(different(lines(release / "replay.jsonl"), replayed)) == []


def test_a_configuration_with_every_key_means_the_same(release: Path) -> None:
    (config,) = program.lines("config", "--check", release / "barpoint.toml", "--json")
    assert list(different(json.loads((release / "config.json").read_text()), config)) == []


def test_a_table_goes_on_where_it_was_switched_off(release: Path, state: Path) -> None:
    kept = json.loads((release / "page.json").read_text())
    with program.page(release / "table.toml", state) as ask:
        now, games = ask("/api/state"), ask("/api/setup/games")
    assert list(different(kept["state"], now)) == []
    assert [match["id"] for match in games["left"]] == [match["id"] for match in kept["games"]["left"]]
    assert {board for board, when in games["known"].items() if when} == {"checkers", "pyramids", "hexes"}
