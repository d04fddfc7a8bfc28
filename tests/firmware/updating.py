"""What root has told of updates, and where the page leaves word, for tests."""

from pathlib import Path

from firmware.page.upkeep import Upkeep
from firmware.updates import Updates

NEWS = "## [0.4.0]\n\n### Added\n\n- Dice that `fly`: [more](docs/x.md).\n- <b>Bold</b>.\n"


class Machine:
    """A machine that was installed as a package."""

    def __init__(self, place: Path) -> None:
        for name in ("told", "run"):
            (place / name).mkdir()
        (place / "install").touch()
        self.updates = Updates(place / "told", place / "run/update", place / "install")
        self.playing = False
        self.upkeep = Upkeep(lambda: self.playing, self.updates)

    def tells(self, **lines: str) -> None:
        (self.updates.told / "status").write_text("".join(f"{name}={line}\n" for name, line in lines.items()))
        (self.updates.told / "status.news").write_text(NEWS)

    def wish(self) -> str | None:
        assert self.updates.wish is not None
        return self.updates.wish.read_text() if self.updates.wish.exists() else None
