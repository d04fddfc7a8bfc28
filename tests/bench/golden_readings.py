"""Reads every labelled picture through the command line and writes all that is said to one text file, so that
two checkouts can be compared byte for byte: does a change of structure change any reading?

    python -m tests.bench.golden_readings OUT.txt [--tree TREE] [--data DIR] [--jobs N] [--few]

TREE is the checkout whose program is asked (this one by default). Boards are calibrated with the corners and
measures of their labels, with their empty picture and without; photographs are read from their corners alone;
recordings are replayed. ``--few`` takes the first two pictures of each board and no photographs. About 15
minutes of one core, with ``--few`` three. Then ``diff`` the files of two checkouts. The last line printed is
the file's SHA-256, which must be the same. What depends on the moment (ids, folders) is written as a name.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.bench.arguments import data_option
from tests.program import ROOT, Program
from tests.pyramids import position_of

Label = dict[str, Any]
Job = tuple[str, Callable[[], str]]


@dataclass(frozen=True)
class Golden:
    """What the program of ``tree`` says of the pictures in ``data``; ``scratch`` is for rigs and logs."""

    program: Program
    data: Path
    scratch: Path
    few: bool

    def jobs(self) -> Iterator[Job]:
        """A name and what to do, for each board, recording and folder of photographs."""
        for rules in ("backgammon", "icegammon", "siege-master"):
            for folder in sorted(path for path in (self.data / rules).glob("*") if path.is_dir()):
                yield f"{rules}/{folder.name}", lambda rules=rules, folder=folder: self.board(rules, folder)
        recordings = [self.data / "reel", *sorted((self.data / "hard").glob("reel-*"))]
        for folder in recordings[: 1 if self.few else None]:
            if folder.exists():
                yield folder.name, lambda folder=folder: self.replay(folder)
        for file in ("photos/labels.json", "photos/more.json", "hard/labels.json"):
            if (self.data / file).exists() and not self.few:
                yield file, lambda file=file: self.photographs(self.data / file)

    def board(self, rules: str, folder: Path) -> str:
        """One board: what a calibration says, and what is read with it."""
        labels = json.loads((folder / "labels.json").read_text())
        first = "01" if rules == "icegammon" else "start"
        options = ["--rules", rules, *corners(labels[first]["corners_px"])]
        measures = labels["map"] if rules == "siege-master" else labels[first]["geometry_cm"]
        if rules == "siege-master":
            measures = {name: measures[name] for name in ("cols", "rows")}
        options += ["--geometry", self._file(f"{folder.name}-measures", measures)]
        if rules == "icegammon":
            options += ["--position", self._file(f"{folder.name}-position", position_of(labels[first]))]
        pictures = sorted(folder.glob("0*.jpg"))[: 2 if self.few else None]
        said = []
        for name, more in (("plain", []), ("bare", ["--empty", folder / "empty.jpg"])):
            if more and not (folder / "empty.jpg").exists():
                continue
            rig = self.scratch / f"{rules}-{folder.name}-{name}.rig"
            said.append(self.ask("calibrate", folder / f"{first}.jpg", *options, *more, "-o", rig, "--json"))
            if rig.exists():
                said.append(f"keys of the rig: {' '.join(sorted(json.loads(rig.read_text())))}\n")
                said.append(self.ask("read", *pictures, "--rig", rig, "--json"))
        if rules == "backgammon":
            said.append(self.ask("read", *pictures, *corners(labels[first]["corners_px"]), "--json"))
            found = self.scratch / f"{folder.name}-found.rig"
            said.append(self.ask("calibrate", folder / "start.jpg", "-o", found, "--json"))
        return "".join(said)

    def replay(self, folder: Path) -> str:
        """A recording, judged."""
        return self.ask("replay", folder, "--json", "--state", self.scratch / f"log-{folder.name}")

    def photographs(self, labels: Path) -> str:
        """Photographs, each read from its corners."""
        return "".join(
            self.ask("read", labels.parent / name, *corners(label["tl_tr_br_bl"][::-1]), "--json")
            for name, label in json.loads(labels.read_text()).items()
            if isinstance(label, dict) and "tl_tr_br_bl" in label and (labels.parent / name).exists()
        )

    def ask(self, *words: object) -> str:
        """A command, its exit status, and what it said."""
        done = self.program.run(*words)
        text = f"$ {' '.join(map(str, words))}\nexit {done.returncode}\n{done.stdout}"
        if done.returncode:
            text += f"error: {done.stderr[-600:]}\n"
        for path, name in ((self.scratch, "SCRATCH"), (self.data, "DATA"), (self.program.tree, "TREE")):
            text = text.replace(str(path), name)
        return re.sub(r'"log": "[^"]*"', '"log": "ID"', text)

    def _file(self, name: str, content: object) -> Path:
        path = self.scratch / f"{name}.json"
        path.write_text(json.dumps(content))
        return path


def corners(places: list[list[float]]) -> list[str]:
    """Corners as the command line takes them: bottom-left, bottom-right, top-right, top-left."""
    return ["--corners", *(f"{x:g},{y:g}" for x, y in places)]


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--tree", type=Path, default=ROOT)
    data_option(parser)
    parser.add_argument("--jobs", type=int, default=2, help="how many commands run at once (2)")
    parser.add_argument("--few", action="store_true", help="two pictures of each board, no photographs")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(given.jobs) as pool:
        golden = Golden(
            Program(given.tree.resolve()), given.data.resolve(), Path(scratch).resolve(), given.few
        )
        jobs = list(golden.jobs())
        running = [pool.submit(job) for _, job in jobs]
        with given.out.open("w", encoding="utf-8") as out:
            for number, ((name, _), each) in enumerate(zip(jobs, running, strict=True), 1):
                out.write(f"##### {name}\n{each.result()}\n")
                print(f"{number}/{len(jobs)} {name}", file=sys.stderr, flush=True)
    print(hashlib.sha256(given.out.read_bytes()).hexdigest(), given.out)


if __name__ == "__main__":
    main()
