"""What several tests of the program need: the bundled recording, its truth, and eyes that know it, so that
nobody waits for pixels."""

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from engine.events import Begin
from engine.evidence import Evidence
from firmware import rules
from firmware.page.table_page import Closeup
from firmware.record.journal import Journal
from firmware.recordings import reel
from firmware.recordings.replay import Replay
from hardware.protocols import Frame
from tests.firmware.sitting_browser import CHROMIUM, FLAGS, PATIENCE, Sitting

REPOSITORY = Path(__file__).parents[2]
REEL = REPOSITORY / "tests" / "data" / "reel"


@pytest.fixture(autouse=True)
def _journals_are_closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Closes what a test leaves open: from Python 3.13 on, a database that is forgotten is complained of, in
    whichever test runs then."""
    opened: list[Journal] = []
    begin = Journal.__init__

    def remembered(self: Journal, *given: Any) -> None:
        begin(self, *given)
        opened.append(self)

    monkeypatch.setattr(Journal, "__init__", remembered)
    yield
    for journal in opened:
        with suppress(sqlite3.ProgrammingError):  # another thread's, which closes it
            journal.close()


@pytest.fixture(scope="session")
def truth() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((REPOSITORY / "tests" / "data" / "reel" / "truth.json").read_text())
    return found


class KnowingEyes:
    """Eyes that look a picture's content up instead of reading it."""

    def __init__(self, frames: Mapping[str, Any]) -> None:
        self._frames = frames

    def look(self, frame: Frame) -> Evidence | None:
        known = self._frames[frame.name]
        if known["hand"]:
            return None
        looks: dict[str, tuple[str, ...]] = {f"p{point}": () for point in range(1, 25)}
        for point, count in known["points"].items():
            looks[f"p{point}"] = ("white",) * count if count > 0 else ("black",) * -count
        for place in ("bar", "off"):
            for side, count in zip(("white", "black"), known[place], strict=True):
                looks[f"{place}.{side}"] = (side,) * count
        return Evidence.certain(looks)

    glance = look

    def appearance(self) -> None:
        return None

    def drawn(self) -> bytes | None:
        return (REEL / "000.jpg").read_bytes()


@pytest.fixture
def knowing(truth: dict[str, Any]) -> Replay:
    """The bundled recording, to be seen with knowing eyes."""
    recorded = reel.read(REEL)
    return Replay(REEL, recorded, rules.chosen(recorded.rules), KnowingEyes(truth["frames"]))


@pytest.fixture
def short_reel(tmp_path: Path) -> Callable[[Callable[[dict[str, Any]], object]], Path]:
    """Makes a folder with the recording's first turn, after ``spoil`` has had its way with its reel.json."""

    def make(spoil: Callable[[dict[str, Any]], object] = lambda data: None) -> Path:
        folder = tmp_path / "reel"
        folder.mkdir()
        data = json.loads((REEL / "reel.json").read_text())
        data["timeline"] = data["timeline"][:5]
        for name in ("000.jpg", "001.jpg", "002.jpg"):
            shutil.copy(REEL / name, folder)
        spoil(data)
        (folder / "reel.json").write_text(json.dumps(data))
        return folder

    return make


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS, timeout=2000 * PATIENCE)
        yield made
        made.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, reduced_motion="no-preference", service_workers="block"
    )
    context.set_default_timeout(1000 * PATIENCE)
    opened = context.new_page()
    faults: list[str] = []
    opened.on("pageerror", lambda error: faults.append(str(error)))
    opened.on(
        "console",
        lambda message: faults.append(message.text) if "Content Security Policy" in message.text else None,
    )
    yield opened
    context.close()
    assert faults == []


@pytest.fixture
def sit() -> Iterator[Callable[..., Sitting]]:
    sittings: list[Sitting] = []

    def make(
        rules: str = "backgammon",
        archive: Path | None = None,
        closeup: Closeup | None = None,
        host: str = "127.0.0.1",
        **terms: Any,
    ) -> Sitting:
        sittings.append(
            Sitting(Begin(t=0, rules=rules, **terms), host=host, archive=archive, closeup=closeup)
        )
        return sittings[-1]

    yield make
    for sitting in sittings:
        sitting.close()
