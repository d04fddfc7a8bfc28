"""What several tests of the program need: the bundled recording, its truth, and eyes that know it, so that nobody waits for pixels."""

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from engine.evidence import Evidence
from firmware import reel, rules
from firmware.replay import Replay
from hardware.protocols import Frame

REPOSITORY = Path(__file__).parents[2]
REEL = REPOSITORY / "firmware" / "demo" / "reel"


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
