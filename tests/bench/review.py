"""Our reviews beside GNU Backgammon's own analysis of the same match files.

    python -m tests.bench.review [--engine bgsage] [--plies 2] [--keep FOLDER] FILE...

A line for each player: the performance rating by our review and by gnubg's *world class* settings (2 plies in
its counting), the decisions counted, the equity lost, luck, and the processor seconds of ours. At the end how
many ratings lie within 1.0, the rank correlation, and how many of the errors and blunders that one program
marks are errors of the other one, too. gnubg's figures take some minutes a match and are kept beside the file
(FILE.gnubg.json); ours in the folder ``--keep``. A match at which an engine fails is named and left out;
exit 1.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engine.match import Terms
from firmware import formats
from firmware.engines import NoEngine
from firmware.engines.gnubg import find_gnubg
from firmware.engines.known import MAKERS, find
from firmware.formats.board import SIDES
from firmware.record.ratings import BLUNDER, ERROR, GameReview, ratings
from firmware.record.review import review

PLAYERS = dict(zip("XO", SIDES, strict=True))
"""gnubg's names of the sides."""

DRIVER = """
import json
for command in ("set confirm new off", "set confirm save off", "set display off", "set threads 1",
                "set analysis chequerplay evaluation plies 2", "set analysis cubedecision evaluation plies 2",
                "set jacoby {jacoby}", "set beavers 0", 'import mat "{file}"', "analyse match"):
    gnubg.command(command)
match = gnubg.match(analysis=1, boards=0, statistics=1)
length = match["match-info"]["match-length"]
decisions = []

def cube(said, cubeinfo):
    # no double, double and take, double and drop: points of equity; in a match gnubg tells chances to win it
    worth = [said["nd-cubeful-eq"], said["dt-cubeful-eq"]]
    return [gnubg.mwc2eq(each, cubeinfo) if length else each for each in worth] + [1.0]

for number, game in enumerate(match["games"], 1):
    turn, stake, doubled = 1, 1, None
    for act in game["game"]:
        said, kind, player = act.get("analysis", {{}}), act["action"], act.get("player")
        if "nd-cubeful-eq" in said:
            info = game["info"]
            score = info["score-" + player], info["score-" + "XO"[player == "X"]]
            hold, take, drop = cube(said, gnubg.cubeinfo(stake, -1, 0, length, score, 0, 0))
            worth = {{"move": hold, "double": min(take, drop)}}
            decisions.append([number, turn, player, "cube", max(worth.values()) - worth[kind]])
            doubled = take, drop
        if kind in ("take", "drop") and doubled:
            lost = max(0, doubled[0] - doubled[1]) if kind == "take" else max(0, doubled[1] - doubled[0])
            decisions.append([number, turn, player, "cube", lost])
        if kind == "take":
            stake *= 2
        if kind == "move":
            moves = said.get("moves", ())
            if len(moves) > 1 and said["imove"] < len(moves):  # else it was none of the legal plays
                lost = moves[0]["score"] - moves[said["imove"]]["score"]
                decisions.append([number, turn, player, "play", lost])
            turn += 1
with open({out!r}, "w") as out:
    json.dump({{"stats": match["stats"], "decisions": decisions}}, out)
"""


@dataclass(frozen=True, slots=True)
class Player:
    """What both programs say of one player: the ratings, and the loss of each decision by both."""

    ours: float
    theirs: float
    losses: Sequence[tuple[float, float]]


def by_gnubg(file: Path, terms: Terms) -> dict[str, Any]:
    """gnubg's statistics of a match file, and each decision with its loss. Its import takes the rules of
    money play from its settings. Raises NoEngine."""
    kept = file.with_name(file.name + ".gnubg.json")
    if not kept.exists() or "decisions" not in json.loads(kept.read_text()):
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
    try:
        found: dict[str, Any] = json.loads(kept.read_text())
    except (OSError, ValueError) as error:
        raise NoEngine(f"gnubg has not analysed it: {error}") from error
    return found


def compare(file: Path, engine: str, plies: int, keep: Path | None, processes: int) -> list[Player]:
    """Prints both players' figures. Raises NoEngine where a program failed."""
    match = formats.read(file.read_bytes()).record
    theirs = by_gnubg(file, match.terms)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with ExitStack() as folders:
        folder = keep or Path(folders.enter_context(tempfile.TemporaryDirectory()))
        found = list(review(match, engine, plies, folder, processes))
    while multiprocessing.active_children():  # only a process that has ended tells its time
        time.sleep(0.05)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    reviews = [each for each in found if isinstance(each, GameReview)]
    if failed := [each for each in found if isinstance(each, NoEngine)]:
        raise NoEngine(f"{len(failed)} of {len(found)} games failed, the first: {failed[0]}")
    marks = {
        (number, turn, PLAYERS[name], kind): loss for number, turn, name, kind, loss in theirs["decisions"]
    }
    players = []
    for (side, own), name in zip(ratings(reviews).items(), PLAYERS, strict=True):
        stats = theirs["stats"][name]
        moves, cube = stats["moves"], stats["cube"]
        lost = sum(value for key, value in cube.items() if key.startswith("err-") and key.endswith("skill"))
        count = moves["unforced-moves"] + cube["close-cube"]
        rating = 500 * (moves["error-skill"] + lost) / max(count, 1)
        losses = [
            (each.loss, marks.get((each.game, each.turn, side, each.kind), 0.0))
            for game in reviews
            for each in game.decisions
            if each.side == side
        ]
        players.append(Player(own.pr, rating, losses))
        print(
            f"{file.name} {side}: rating {own.pr:.2f}, gnubg {rating:.2f};"
            f" decisions {own.decisions}, {count};"
            f" lost {own.lost + own.cube_lost:.3f}, {moves['error-skill'] + lost:.3f};"
            f" luck {own.luck:+.3f}, {stats['dice']['luck']:+.3f}"
        )
    print(f"{file.name}: {after.ru_utime - before.ru_utime:.0f} s of processor time", flush=True)
    return players


def found_again(losses: Sequence[tuple[float, float]], least: float) -> str:
    """How many decisions that cost so much by the first program are errors by the second."""
    marked = [second for first, second in losses if first >= least]
    return f"{sum(each >= ERROR for each in marked)} of {len(marked)}"


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--engine", choices=list(MAKERS))
    parser.add_argument("--plies", type=int, default=2)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--processes", type=int, default=2)
    given = parser.parse_args()
    engine = find(given.engine)
    players: list[Player] = []
    failed = 0
    for file in given.files:
        try:
            players += compare(file, engine, given.plies, given.keep, given.processes)
        except NoEngine as error:
            failed += 1
            print(f"{file.name}: no rating: {error}", flush=True)
    if players:
        off = [abs(each.ours - each.theirs) for each in players]
        ranks = [
            np.argsort(np.argsort(column))
            for column in ([each.ours for each in players], [each.theirs for each in players])
        ]
        print(f"{sum(each <= 1 for each in off)} of {len(off)} within 1.0, median {np.median(off):.2f} apart")
        print(f"rank correlation {np.asarray(np.corrcoef(ranks))[0, 1]:.3f}")
        own = [pair for each in players for pair in each.losses]
        turned = [(second, first) for first, second in own]
        for word, least in (("errors", ERROR), ("blunders", BLUNDER)):
            print(
                f"{word} of ours that gnubg calls an error: {found_again(own, least)};"
                f" of gnubg's that we do: {found_again(turned, least)}"
            )
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
