"""Random matches through GNU Backgammon: what we export, it imports; what it then holds and exports again is
compared with what was played.

    python -m tests.bench.gnubg_roundtrip [MATCHES] [FIRST SEED] [--keep DIR]

For each match both our .mat and our .sgf are loaded by gnubg (Debian package ``gnubg``). Compared are, by
gnubg's own account: players, score before each game, winner and points of each game, every play, cube action
and resignation in order, and the position ID before every one of them. Then gnubg exports .mat and .sgf
again, and our importer must read the same match out of both. Any line that gnubg prints beside its boards
counts as a warning. Games begun at a higher stake (automatic doubles) go by .sgf alone: a .mat file has no
place for them that gnubg reads.

``--keep`` leaves gnubg's own exports in a folder; the samples under tests/data/matches were made so.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.record import (
    Action,
    Beavered,
    Doubled,
    Dropped,
    MatchRecord,
    Played,
    Resigned,
    Rolled,
    Stood,
    Taken,
    replay,
)
from firmware import formats
from firmware.formats import mat, sgf
from firmware.formats.build import mover_dice
from firmware.formats.source import Imported
from tests.gnubg_ids import position_id
from tests.matches import simulate

GNUBG = shutil.which("gnubg") or "/usr/games/gnubg"

DRIVER = """
import json
jobs = json.load(open({jobs!r}))
for command in ('set confirm new off', 'set confirm save off', 'set display off', 'set gotofirstgame off'):
    gnubg.command(command)
out = open({out!r}, 'w')
for job in jobs:
    gnubg.command('set jacoby ' + ('on' if job['jacoby'] else 'off'))
    print('@@', job['file'], flush=True)
    gnubg.command(job['load'] + ' "' + job['file'] + '"')
    out.write(json.dumps(gnubg.match(analysis=0, boards=1, statistics=0)) + '\\n')
    gnubg.command('save match "' + job['file'] + '.out.sgf"')
    gnubg.command('export match mat "' + job['file'] + '.out.mat"')
out.close()
"""

BOARD_LINE = re.compile(
    r"^\s*(?:\^?v?\|.*|[+0-9-]+|.*Position ID:.*|\s*Match ID .*|[ v^|]*\|.*\|.*|\+[-0-9+]+.*)$"
)


OWN_EXPORT = re.compile(
    "use the Jacoby rule|cannot be exported correctly|Use Snowie text format|No game in progress"
)
"""What gnubg says of our settings, of its own .mat export where a board was set, and of any match (its own
save too) that ends with a resignation after a roll; not of our files."""


def run(jobs: list[dict[str, Any]], folder: Path) -> tuple[list[Any], dict[str, list[str]]]:
    """gnubg's account of every file, and what it printed about each."""
    (folder / "jobs.json").write_text(json.dumps(jobs))
    driver = folder / "driver.py"
    driver.write_text(DRIVER.format(jobs=str(folder / "jobs.json"), out=str(folder / "matches.jsonl")))
    done = subprocess.run(
        [GNUBG, "-t", "-q", "-r", "-p", str(driver)],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    said: dict[str, list[str]] = {}
    file = ""
    for line in done.stdout.splitlines():
        if line.startswith("@@ "):
            file = line[3:]
            said[file] = []
        elif file and line.strip() and not BOARD_LINE.match(line) and not OWN_EXPORT.search(line):
            said[file].append(line)
    accounts = [json.loads(line) for line in (folder / "matches.jsonl").read_text().splitlines()]
    if len(accounts) != len(jobs):
        raise SystemExit(
            f"gnubg stopped after {len(accounts)} of {len(jobs)}"
            f" files:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
        )
    return accounts, said


def expected(record: MatchRecord) -> list[Any]:
    """What gnubg has to say of each game: score, winner, points, resigned, and a line for each action."""
    told = []
    for game in record.games:
        lines: list[Any] = []
        dice: list[int] = []
        fouled = False
        for moment in replay(record, game):
            action, position = moment.action, moment.before.position
            if isinstance(action, Rolled):
                dice = [int(die) for die in mover_dice(moment)]
            if isinstance(action, Played):
                lines.append(["move", action.side, dice, None if fouled else position_id(position)])
            elif isinstance(action, Stood):
                fouled = True
            elif isinstance(action, Doubled | Beavered):
                lines.append(["double", action.side])
            elif isinstance(action, Taken | Dropped):
                lines.append(["take" if isinstance(action, Taken) else "drop", action.side])
        result = game.result
        assert result is not None
        resigned = any(isinstance(action, Resigned) for action in game.actions)
        told.append([list(game.score), result.winner, result.points, resigned, lines])
    return told


def account(data: dict[str, Any]) -> list[Any]:
    """The same out of gnubg's own account. X is its player 0, our White."""
    side = {"X": "white", "O": "black"}
    told = []
    for game in data["games"]:
        info = game["info"]
        fouled = False
        lines: list[Any] = []
        for action in game["game"]:
            if action["action"] == "move":
                lines.append(
                    [
                        "move",
                        side[action["player"]],
                        list(action["dice"]),
                        None if fouled else action["board"],
                    ]
                )
            elif action["action"] == "set" and "board" in action:
                # From here on the boards of gnubg's Python account are of the wrong side; the board itself is
                # in its .sgf.
                fouled = True
            elif action["action"] in ("double", "take", "drop"):
                lines.append([action["action"], side[action["player"]]])
        told.append(
            [
                [info["score-X"], info["score-O"]],
                side.get(info.get("winner")),
                info.get("points-won"),
                info.get("resigned"),
                lines,
            ]
        )
    return told


def raised(record: MatchRecord) -> bool:
    """Whether a game began at a stake of more than 1."""
    return any(game.cube != 1 for game in record.games)


def wordless(action: Action) -> Action:
    """An illegal play without its words: .mat has them in the header, where gnubg keeps them as a comment."""
    return replace(action, text="") if isinstance(action, Stood) else action


def differences(record: MatchRecord, again: Imported, jacoby: bool) -> list[str]:
    """Where two records differ beside the header: names are cut by gnubg, dates filled in. ``jacoby``: the
    file says nothing of that rule, and the points of an undoubled gammon cannot be told."""
    unsaid = ["leads to", "Jacoby rule"] * jacoby + ["in the Crawford game"] * (not record.terms.crawford)
    found = [str(note) for note in again.notes if not any(words in note.text for words in unsaid)]
    for number, (one, other) in enumerate(zip(record.games, again.record.games, strict=False), 1):
        if jacoby:
            other = replace(other, result=one.result)
        one, other = (replace(game, actions=tuple(map(wordless, game.actions))) for game in (one, other))
        if not record.terms.crawford or record.terms.length == 1:
            # A .mat file cannot tell gnubg that the rule is off; and gnubg calls a match to 1 no Crawford
            # game, which changes nothing.
            other = replace(other, crawford=one.crawford)
        if one != other:
            same = [a == b for a, b in zip(one.actions, other.actions, strict=False)]
            at = same.index(False) if False in same else len(same)
            found.append(
                f"game {number}, action {at}: {one.actions[at:][:2]} / {other.actions[at:][:2]}, {one.result}"
                f" / {other.result}"
            )
    if len(record.games) != len(again.record.games):
        found.append(f"{len(record.games)} games / {len(again.record.games)}")
    return found


def written(records: Mapping[int, MatchRecord], folder: Path) -> list[dict[str, Any]]:
    """Every match as .mat and as .sgf in ``folder``, and what gnubg has to do with each file."""
    jobs: list[dict[str, Any]] = []
    for seed, record in records.items():
        ways = ((".mat", "import mat", mat.write), (".sgf", "load match", sgf.write))
        for suffix, load, write in ways[1:] if raised(record) else ways:
            file = folder / f"{seed}{suffix}"
            file.write_text(write(record), encoding="utf-8")
            job = {"file": str(file), "load": load, "jacoby": record.terms.jacoby}
            jobs.append(job | {"seed": seed, "suffix": suffix})
    return jobs


def faults_of(job: Mapping[str, Any], record: MatchRecord, data: Any, fouls: float) -> Iterator[str]:
    """What gnubg holds otherwise than it was played, and what comes back otherwise."""
    want, got = expected(record), account(data)
    for number, (one, other) in enumerate(zip(want, got, strict=False), 1):
        if one != other:
            unlike = (place for place, (a, b) in enumerate(zip(one[4], other[4], strict=False)) if a != b)
            at = next(unlike, -1)
            yield (
                f" game {number}: {one[:4]} / {other[:4]}, action {at}: {one[4][at : at + 1]}"
                f" / {other[4][at : at + 1]}"
            )
    if len(want) != len(got):
        yield f": {len(want)} games / {len(got)}"
    players = [data["match-info"][side]["name"] for side in "XO"]
    names = [mat.score_name(player) if job["suffix"] == ".mat" else player for player in record.players]
    if [name.encode()[:31].decode(errors="ignore") for name in names] != players:
        yield f": players {names} / {players}"
    for suffix in (".sgf",) if raised(record) or fouls else (".mat", ".sgf"):
        again = formats.read(Path(job["file"] + ".out" + suffix).read_bytes())
        for each in differences(record, again, jacoby=record.terms.jacoby and suffix == ".mat"):
            yield f" exported again as {suffix}: {each}"


def counted(record: MatchRecord) -> Counter[str]:
    """What happened in a match."""
    counts = Counter({"matches": 1, "money sessions": int(not record.terms.length)})
    counts["Crawford games"] += sum(game.crawford for game in record.games)
    counts["games"] += len(record.games)
    for game in record.games:
        assert game.result is not None
        counts[f"won {game.result.cause} {game.result.kind}"] += 1
        for moment in replay(record, game):
            counts[f"actions {type(moment.action).__name__.lower()}"] += 1
            steps = moment.play.steps if moment.play is not None else ()
            counts["dances"] += moment.play is not None and not steps
            counts["bear-offs"] += any(step.target.startswith("off") for step in steps)
    return counts


def keep(job: Mapping[str, Any], folder: Path) -> None:
    """gnubg's own exports of a file."""
    folder.mkdir(parents=True, exist_ok=True)
    for suffix in (".mat", ".sgf"):
        name = f"gnubg-{job['seed']}-from-{job['suffix'][1:]}{suffix}"
        shutil.copy(job["file"] + ".out" + suffix, folder / name)


def main() -> int:
    """Print what was compared, and the faults; 1 where there are any."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("matches", type=int, nargs="?", default=500)
    parser.add_argument("seed", type=int, nargs="?", default=0)
    parser.add_argument(
        "--fouls", type=float, default=0.0, help="chance of an illegal play that stands, for each play"
    )
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    begin = time.perf_counter()
    seeds = range(options.seed, options.seed + options.matches)
    records = {seed: simulate(seed, options.fouls) for seed in seeds}
    counts: Counter[str] = Counter()
    faults: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        jobs = written(records, Path(name))
        accounts, said = run(jobs, Path(name))
        for job, data in zip(jobs, accounts, strict=True):
            where, record = f"{job['seed']}{job['suffix']}", mat.kept(records[job["seed"]])
            faults += [f"{where}: gnubg says: {line}" for line in said[job["file"]]]
            faults += [f"{where}{each}" for each in faults_of(job, record, data, options.fouls)]
            counts["files"] += 1
            counts["position IDs"] += sum(line[0] == "move" for game in account(data) for line in game[4])
            if options.keep:
                keep(job, options.keep)
    for record in records.values():
        counts.update(counted(record))
    for key, value in sorted(counts.items()):
        print(f"{value:8d} {key}")
    for fault in faults[:40]:
        print("FAULT", fault)
    print(f"{len(faults)} faults, {time.perf_counter() - begin:.0f} s")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
