"""Our reviews beside GNU Backgammon's own analysis of the same match files.

    python -m tests.bench.review [--engine bgsage] [--plies 2] FILE...

A line for each player: the performance rating by our review and by gnubg's *world class* settings (2 plies in
its counting), the decisions counted, the equity lost, luck, and the processor seconds of ours. At the end how
many ratings lie within 1.0, and the rank correlation. gnubg's figures take some minutes a match and are kept
beside the file (FILE.gnubg.json).
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from engine.match import Terms
from firmware import formats
from firmware.engines.gnubg import find_gnubg
from firmware.engines.known import MAKERS, find
from firmware.record.ratings import GameReview, ratings
from firmware.record.review import review

DRIVER = """
import json
for command in ("set confirm new off", "set confirm save off", "set display off", "set threads 1",
                "set analysis chequerplay evaluation plies 2", "set analysis cubedecision evaluation plies 2",
                "set jacoby {jacoby}", "set beavers 0", 'import mat "{file}"', "analyse match"):
    gnubg.command(command)
with open({out!r}, "w") as out:
    json.dump(gnubg.match(analysis=1, boards=0, statistics=1)["stats"], out)
"""


def by_gnubg(file: Path, terms: Terms) -> dict[str, Any]:
    """gnubg's statistics of a match file. Its import takes the rules of money play from its settings."""
    kept = file.with_name(file.name + ".gnubg.json")
    if not kept.exists():
        with tempfile.TemporaryDirectory() as folder:
            driver = Path(folder) / "driver.py"
            driver.write_text(
                DRIVER.format(
                    file=file.resolve(), out=str(kept.resolve()), jacoby="on" if terms.jacoby else "off"
                )
            )
            nothing = subprocess.DEVNULL
            command = [find_gnubg(), "-t", "-q", "-r", "-p", str(driver)]
            subprocess.run(command, stdin=nothing, stdout=nothing, stderr=nothing, check=False)
    found: dict[str, Any] = json.loads(kept.read_text())
    return found


def compare(file: Path, engine: str, plies: int, processes: int) -> list[tuple[float, float]]:
    """Prints both players' figures; their ratings by us and by gnubg."""
    match = formats.read(file.read_bytes()).record
    theirs = by_gnubg(file, match.terms)
    with tempfile.TemporaryDirectory() as folder:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        reviews = [
            each
            for each in review(match, engine, plies, Path(folder), processes)
            if isinstance(each, GameReview)
        ]
    while multiprocessing.active_children():  # only a process that has ended tells its time
        time.sleep(0.05)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = []
    for (side, own), player in zip(ratings(reviews).items(), "XO", strict=True):
        stats = theirs[player]
        moves, cube = stats["moves"], stats["cube"]
        lost = sum(value for key, value in cube.items() if key.startswith("err-") and key.endswith("skill"))
        count = moves["unforced-moves"] + cube["close-cube"]
        rating = 500 * (moves["error-skill"] + lost) / max(count, 1)
        found.append((own.pr, rating))
        print(
            f"{file.name} {side}: rating {own.pr:.2f}, gnubg {rating:.2f};"
            f" decisions {own.decisions}, {count};"
            f" lost {own.lost + own.cube_lost:.3f}, {moves['error-skill'] + lost:.3f};"
            f" luck {own.luck:+.3f}, {stats['dice']['luck']:+.3f}"
        )
    print(f"{file.name}: {after.ru_utime - before.ru_utime:.0f} s of processor time", flush=True)
    return found


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--engine", choices=list(MAKERS))
    parser.add_argument("--plies", type=int, default=2)
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    engine = find(given.engine)
    pairs = [pair for file in given.files for pair in compare(file, engine, given.plies, given.processes)]
    off = [abs(one - two) for one, two in pairs]
    ranks = [np.argsort(np.argsort(column)) for column in zip(*pairs, strict=True)]
    print(f"{sum(each <= 1 for each in off)} of {len(off)} within 1.0, median {np.median(off):.2f} apart")
    print(f"rank correlation {np.corrcoef(ranks)[0, 1]:.3f}")


if __name__ == "__main__":
    main()
