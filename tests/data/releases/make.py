"""Makes what a release leaves behind on a disk, so that a test can hold every later one to it.

    python -m tests.data.releases.make OUT --tree TREE --pictures DATA

TREE is a checkout of the release, OUT a new folder, DATA holds rendered boards (``icegammon``,
``siege-master``). Everything is made through the release's own command line and page, as a user would make
it: rigs, an evening of matches of all games, a recording. Dice are the device's own, so every run makes other
matches; what the release prints of them is kept beside them.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import cv2

from tests.program import ROOT, Program
from tests.pyramids import position_of

BLUE = ROOT / "tests" / "data" / "vision" / "blue"
GAMES = ("backgammon", "zombie", "siegegammon", "icegammon", "siege-master")
FORMATS = ("mat", "sgf", "xgid", "json")
ISLAND = {
    "cols": 7,
    "rows": 7,
    "border": [f"{c - r // 2},{r}" for r in range(7) for c in range(7) if c in (0, 6) or r in (0, 6)],
    "fortresses": ["1,2", "3,3", "0,5"],
}
"""A small map, so that a game of Siege Master is short."""
MOST = 5000
"""Lines that are typed in a match."""
TABLE = """# A table without devices: what is on it is told through its page.
[camera]
kind = "none"
[buttons]
factory = "none"
[strip]
kind = "none"
[page]
host = "127.0.0.1"
port = 0
"""


def corners(label: dict[str, Any]) -> list[str]:
    """The corners of a label as the command line takes them."""
    return [f"{x:g},{y:g}" for x, y in label["corners_px"]]


def seen(program: Program, out: Path, rig: str, picture: Path) -> dict[str, Any]:
    """What is read in a picture, which is kept unless the tests have it: smaller, and read so."""
    name = f"../../vision/blue/{picture.name}"
    if picture.parent != BLUE:
        name = f"pictures/{picture.parent.name}-{picture.name}"
        small = cv2.imencode(".jpg", cv2.imread(str(picture)), [cv2.IMWRITE_JPEG_QUALITY, 60])[1]
        (out / "pictures").mkdir(exist_ok=True)
        (out / name).write_bytes(small.tobytes())
        picture = out / name
    reading = json.loads(program.said("read", picture, "--rig", out / rig, "--json"))
    del reading["file"]
    return {"rig": rig, "picture": name, "reading": reading}


def rigs(program: Program, out: Path, data: Path) -> None:
    """Four tables are calibrated, three of them as the table's own, and read pictures."""
    blue = json.loads((BLUE / "labels.json").read_text())
    ice = json.loads((data / "icegammon" / "cork-tan" / "labels.json").read_text())
    hexes = json.loads((data / "siege-master" / "parchment" / "labels.json").read_text())
    known = {
        "geometry": blue["start"]["geometry_cm"],
        "pyramids": ice["01"]["geometry_cm"],
        "hexes": {name: hexes["map"][name] for name in ("cols", "rows")},
        "position": position_of(ice["01"]),
    }
    for name, value in known.items():
        (out / f"{name}.json").write_text(json.dumps(value))
    pyramids, sheet = data / "icegammon" / "cork-tan", data / "siege-master" / "parchment"
    given: dict[str, tuple[Path, list[str], list[Path]]] = {
        "state/table.rig": (
            BLUE / "start.jpg",
            ["--corners", *corners(blue["start"]), "--geometry", str(out / "geometry.json")],
            [BLUE / "04.jpg", BLUE / "empty.jpg"],
        ),
        "rigs/empty.rig": (
            BLUE / "start.jpg",
            ["--corners", *corners(blue["start"]), "--empty", str(BLUE / "empty.jpg")],
            [BLUE / "04.jpg"],
        ),
        "state/table-pyramids.rig": (
            pyramids / "01.jpg",
            [
                *["--corners", *corners(ice["01"]), "--geometry", str(out / "pyramids.json")],
                *["--position", str(out / "position.json"), "--empty", str(pyramids / "empty.jpg")],
                *["--rules", "icegammon"],
            ],
            [pyramids / "02.jpg"],
        ),
        "state/table-hexes.rig": (
            sheet / "start.jpg",
            [
                "--corners",
                *corners(hexes["start"]),
                "--geometry",
                str(out / "hexes.json"),
                "--rules",
                "siege-master",
            ],
            [sheet / "02.jpg"],
        ),
    }
    kept = []
    for rig, (photo, options, pictures) in given.items():
        (out / rig).parent.mkdir(exist_ok=True)
        program.said("calibrate", photo, *options, "-o", out / rig)
        kept += [seen(program, out, rig, picture) for picture in pictures]
    for name in known:
        (out / f"{name}.json").unlink()
    write(out / "readings.json", kept)


def write(path: Path, data: object) -> None:
    """As JSON, an entry a line."""
    entries = data.items() if isinstance(data, dict) else None
    lines = (
        [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in entries]
        if entries is not None
        else [json.dumps(value) for value in data]  # type: ignore[attr-defined]
    )
    opening, closing = ("{", "}") if entries is not None else ("[", "]")
    path.write_text(f"{opening}\n" + ",\n".join(lines) + f"\n{closing}\n", encoding="utf-8")


def agree(
    program: Program, config: Path, state: Path, rules: str, length: int, first: str, second: str
) -> None:
    """Two players agree on a match at the page; the one that is at the table is left."""
    sides = ("red", "blue") if rules == "siege-master" else ("white", "black")
    begin = {
        "rules": rules,
        "players": dict(zip(sides, (first, second), strict=True)),
        "terms": {"length": length},
    }
    if rules == "siege-master":
        begin["options"] = ISLAND
    with program.page(config, state) as ask:
        desk = ask("/api/setup/desk", {})["desk"]
        ask("/api/setup/begin", {"desk": desk, "begin": begin, "leave": True})
        ask("/api/setup/lamps", {"desk": desk, "brightness": 0.5, "map": {"p1": [3], "player.first": [0, 1]}})


@contextmanager
def typing(program: Program, *words: str | Path) -> Iterator[Typist]:
    """A table in a terminal."""
    words = ("play", "--simulated", "--json", "--port", "0", *words)
    with program.start(*words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as table:
        assert table.stdin
        assert table.stdout
        yield Typist(table.stdin, table.stdout)
        table.stdin.close()
        assert table.wait() == 0


class Typist:
    """Types lines, and reads what the table makes of them."""

    def __init__(self, to: IO[str], back: IO[str]) -> None:
        self._to, self._back, self._lines = to, back, 0
        self.state: dict[str, Any] = {}

    def type(self, line: str) -> dict[str, Any]:
        """One line; the whole state after it."""
        self._to.write(line + "\n")
        self._to.flush()
        self.state = json.loads(self._back.readline())
        self._lines += 1
        assert self._lines < MOST, f"after {line!r} the match does not go on: {self.state['said']}"
        return self.state

    def play(self, source: random.Random, turns: int, dice: bool = False, foul: int = 2) -> None:
        """So many turns of random legal plays, or to the end of the match; one has a foul, one an undo."""
        self.type("board")
        turn = 0
        while turn < turns and self.state["state"] != "ended":
            match self.state["state"]:
                case "opening" | "roll":
                    roll = source.sample(range(1, 7), self.state["dice_due"] or 2)
                    self.type(f"dice {' '.join(map(str, roll))}" if dice else "roll")
                case "rolling":
                    self.type("board")
                case "play":
                    self._turn(source, turn == foul, turn == 4)
                    turn += 1
                case "over":
                    self.type("next")
                case other:
                    raise SystemExit(f"the table is {other}: {self.state['said']}")

    def _turn(self, source: random.Random, foul: bool, undone: bool) -> None:
        side = self.state["side"]
        plays = [line for line in self.type("plays")["said"].splitlines() if not line.startswith("…")]
        play = source.choice(plays)
        if foul:  # nothing has been moved: a foul, which is put right
            self.type("done")
            if self.state["state"] not in ("foul", "asked"):
                return  # some play leaves the board as it is to be seen
        if play != "no move":
            self.type(f"play {play}")
        self.type("done")
        if self.state["state"] == "asked":
            self.type(f"choose {play}")
        if undone and self.state["state"] == "roll":
            self.type(f"{side} undo")
            self.type("done")


def evening(program: Program, config: Path, state: Path) -> None:
    """Matches of every game at one table: one to its end, one left unfinished. The last stays there."""
    source = random.Random(1)
    for number, rules in enumerate(GAMES):
        agree(program, config, state, rules, 1, "Ada", "Ben")
        with typing(program, "--config", config, "--state", state) as table:
            table.play(source, 1000)
            assert table.state["state"] == "ended", table.state["said"]
        agree(program, config, state, rules, 5, "Zoë Ångström", "")
        with typing(program, "--config", config, "--state", state) as table:
            if rules == "backgammon":
                cubes(table, source)
            table.play(source, 3 + number, dice=number % 2 == 1)
            if rules in ("icegammon", "siegegammon"):
                table.type("pause")


def cubes(table: Typist, source: random.Random) -> None:
    """A game won by a drop, and one resigned."""
    table.play(source, 2)
    for line in ("double", "take"):
        table.type(line)
    table.play(source, 1)
    while table.state["state"] != "roll" or table.state["cube"]["owner"] != table.state["side"]:
        table.play(source, 1)
    for line in ("double", "drop", "next"):
        table.type(line)
    table.play(source, 2)
    for line in (f"{table.state['side']} resign", "take", "next"):
        table.type(line)


def archive(program: Program, out: Path, state: Path) -> None:
    """What is printed of the matches."""
    lines = program.said("games", "--json", "--state", state)
    (out / "games.jsonl").write_text(lines, encoding="utf-8")
    for form in FORMATS:  # exit 1: there is no such form for some of the games
        program.run("export", "--all", out / "exports", "--format", form, "--state", state)
    checked = {}
    for log in [json.loads(line)["id"] for line in lines.splitlines()]:
        done = program.run("verify", log, "--json", "--state", state)
        told = json.loads(done.stdout)
        checked[log] = {"exit": done.returncode, "ok": told["ok"], "checked": len(told["checked"])}
    write(out / "checked.json", checked)


def recording(program: Program, out: Path) -> None:
    """A few turns under a painted camera, and what a replay says of them."""
    place = out / "scratch"
    with typing(program, "--state", place, "--record", out / "recordings", "--camera", "painted") as table:
        table.play(random.Random(2), 2, dice=True, foul=1)
    shutil.rmtree(place)
    (folder,) = (out / "recordings").iterdir()
    (out / "replay.jsonl").write_text(
        program.said("replay", folder, "--json", "--state", place), encoding="utf-8"
    )
    shutil.rmtree(place)


def configured(program: Program, out: Path) -> None:
    """What the release makes of a configuration with every key."""
    shutil.copy(Path(__file__).with_name("barpoint.toml"), out)
    told = program.said("config", "--check", out / "barpoint.toml", "--json")
    (out / "config.json").write_text(told, encoding="utf-8")


def stood(program: Program, out: Path, state: Path, config: Path) -> None:
    """What the page of the table says when it is switched on again."""
    copy = out / "scratch"
    shutil.copytree(state, copy)
    with program.page(config, copy) as ask:
        write(out / "page.json", {"state": ask("/api/state"), "games": ask("/api/setup/games")})
    shutil.rmtree(copy)


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--tree", type=Path, default=ROOT)
    parser.add_argument("--pictures", type=Path, required=True)
    given = parser.parse_args()
    out: Path = given.out.resolve()
    state = out / "state"
    state.mkdir(parents=True)
    program, config = Program(given.tree.resolve()), out / "table.toml"
    config.write_text(TABLE, encoding="utf-8")
    evening(program, config, state)  # before the table is calibrated: in a terminal hands are typed, not seen
    rigs(program, out, given.pictures.resolve())
    archive(program, out, state)
    recording(program, out)
    configured(program, out)
    stood(program, out, state, config)
    for path in state.glob("*.db"):
        path.with_name(f"{path.name}.xz").write_bytes(lzma.compress(path.read_bytes()))
        path.unlink()
    print(f"{out}: {sum(path.stat().st_size for path in out.rglob('*') if path.is_file()) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
