"""How well films become matches, and how fast: recorded sessions with known truth, watched as films with
nobody pressing anything (neither their rolls nor their buttons are looked at).

    python -m tests.bench.transcribe ../shared/data/reel [MORE…]
    python -m tests.bench.transcribe --lose 0.4 ../shared/data/reel
    python -m tests.bench.transcribe --speed FILM.mp4

``--lose``: that share of a session's pictures is lost, by chance (all but the first two and the last): rests
that nobody saw.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engine import rules as games
from engine.match import Terms
from firmware.transcribe.job import Job, Where, open_film
from firmware.transcribe.rest import STEP
from firmware.transcribe.transcript import TAKE, FilmedGame
from firmware.transcribe.turns import Turn
from firmware.transcribe.work_folder import WorkFolder

RULES = games.get("backgammon")


def truth(folder: Path) -> list[tuple[str, list[int], object]]:
    """The turns as they were played: side, dice, and the points after it."""
    last = {each["turn"]: each for each in json.loads((folder / "truth.json").read_text())["verdicts"]}
    return [(each["side"], sorted(each["dice"]), _plain(each["after"])) for _, each in sorted(last.items())]


def _plain(position: dict[str, Any]) -> object:
    points = {key: count for key, count in position["points"].items() if count}
    return points, position["bar"], position["off"]


def told(turn: Turn) -> tuple[str | None, list[int], object]:
    """The same of a transcribed turn."""
    return turn.side, sorted(turn.dice), _plain(turn.after.to_json())


def matched(true: list[tuple[str, list[int], object]], turns: list[Turn]) -> Counter[str]:
    """How many turns are exact, marked, wrong and unmarked, or missing, in order."""
    found: Counter[str] = Counter()
    place = 0
    for each in true:
        at = next(
            (n for n in range(place, min(place + 4, len(turns))) if told(turns[n])[2::-2] == each[2::-2]),
            None,
        )
        if at is None:
            found["missing"] += 1
            continue
        for turn in turns[place:at]:
            found["wrong" if turn.sure else "wrong, marked"] += 1
        place = at + 1
        exact = told(turns[at]) == each
        if turns[at].sure:
            found["exact" if exact else "wrong"] += 1
        else:
            named = each[1] in [sorted(choice.dice) for choice in turns[at].candidates]
            found["marked, its roll among those named" if named else "marked"] += 1
    for turn in turns[place:]:
        found["wrong" if turn.sure else "wrong, marked"] += 1
    return found


def doubles(folder: Path, games_: Sequence[FilmedGame]) -> Counter[str]:
    """How many of a film's doubles are exact, marked, wrong and unmarked, or missing; a drop that nobody saw
    is a game whose end is asked for. A double is known by the position in which it was made: turns may be
    missing."""
    recorded = json.loads((folder / "truth.json").read_text())
    stood = {each["turn"]: _plain(each["after"]) for each in recorded["verdicts"]}
    true = [(stood[each["before"] - 1], each["side"], each["take"]) for each in recorded.get("cube", [])]
    found: Counter[str] = Counter()
    for game in games_:
        stands = [game.turns[0].before, *(turn.after for turn in game.turns)]
        at = [_plain(position.to_json()) for position in stands]
        for double in game.doubles:
            told = [(at[way.before], double.side, TAKE[way.answer]) for way in double.ways]
            if double.sure:
                found["exact" if told[0] in true else "wrong"] += 1
            else:
                found["marked, named" if any(each in true for each in told) else "marked, not named"] += 1
            true = [each for each in true if each not in told]
        asked = [each for each in true if game.unknown and each[0] == at[-1] and not each[2]]
        found["its end is asked for"] += len(asked)
        true = [each for each in true if each not in asked]
    found["missing"] += len(true)
    return +found


def watch(path: Path) -> tuple[tuple[FilmedGame, ...], float]:
    """A film's games, and the processor time that they took."""
    begun = time.process_time()
    with tempfile.TemporaryDirectory() as work:
        job = Job(open_film([path]), RULES, WorkFolder(Path(work)), Where())
        job.watch()
        found = job.write_up(Terms(), ("White", "Black"))
    return found.games, time.process_time() - begun


def thinned(path: Path, share: float, work: Path) -> Path:
    """A session without that share of its pictures, the same ones every time."""
    session = json.loads((path / "reel.json").read_text())
    names = [each["frame"] for each in session["timeline"] if "frame" in each]
    rng = random.Random(path.name)
    lost = {name for name in names[2:-1] if rng.random() < share}
    session["timeline"] = [each for each in session["timeline"] if each.get("frame") not in lost]
    for name in {*names} - lost:
        (work / name).symlink_to((path / name).resolve())
    (work / "reel.json").write_text(json.dumps(session))
    return work


def speed(path: Path) -> None:
    """How fast a film is read, apart from the board."""
    film = open_film([path])
    begun, processor = time.perf_counter(), time.process_time()
    shots = sum(1 for shot in film.shots(0.0, STEP) if shot.thumb(None, film.size) is not None)
    wall, spent = time.perf_counter() - begun, time.process_time() - processor
    seconds = film.seconds or 0.0
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{path}: {seconds:.0f} s of film, {shots} pictures compared")
    print(f"{wall:.1f} s ({seconds / wall:.1f} times as fast as it plays)")
    print(f"{spent:.1f} s of processor time ({seconds / spent:.1f} times), at most {memory:.0f} MB")


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("films", type=Path, nargs="+")
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--lose", type=float, default=0.0, metavar="SHARE")
    options = parser.parse_args()
    for path in options.films:
        if options.speed:
            speed(path)
            continue
        true = truth(path)
        with tempfile.TemporaryDirectory() as work:
            seen, spent = watch(thinned(path, options.lose, Path(work)) if options.lose else path)
        turns = [turn for game in seen for turn in game.turns]
        cubes = ", ".join(f"{name}: {number}" for name, number in sorted(doubles(path, seen).items()))
        counts = ", ".join(f"{name}: {number}" for name, number in sorted(matched(true, turns).items()))
        print(f"{path.name}: {len(true)} turns; {counts}; {spent:.0f} s of processor time", flush=True)
        if cubes:
            print(f"  doubles: {cubes}", flush=True)


if __name__ == "__main__":
    main()
