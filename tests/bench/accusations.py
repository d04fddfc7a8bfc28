"""Is anybody accused who played by the rules? ``python -m tests.bench.accusations [--sets …] [--plays N]``.

Every labelled picture of checkers that there is (``tests.bench.seen_boards``: as it is, and in other light,
tones, noise, blur and shadows) is judged as the end of N legal plays, and of one foul of every sort that
people make: positions and dice from which its board comes about (``tests.unplayed``). Then whole games of all
kinds are painted, read and judged, with fouls among them (``--painted``: how many games of each). Counted are
legal plays called legal, called another play, doubted and *called fouls*; *astray*: boards after a legal play
of which players would be told, before the next roll, that they are not as the game has it; and fouls found,
doubted and called legal. Whoever was accused is printed. Ends with 1 where there was one.

What was read is kept in ``--cache``: a run that was broken off goes on where it was, and another judge is
measured in a minute. ``--fouls`` prints what fouls look like instead: the pieces that each sort misplaces.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from engine import rules as games
from engine.accusation import misplaced
from engine.evidence import Evidence
from engine.judge import Kind, Verdict, astray, judge
from engine.layout import Looks, differing
from engine.position import Awaits, Play, Position
from firmware.simulated.painted import learned
from tests.bench import seen_boards
from tests.bench.arguments import data_option
from tests.fouls import spoilt
from tests.painted import begun, painter
from tests.unplayed import FOULS, before
from vision.picture.frame import Frame

TURNS = 30
"""Turns of a painted game that are judged, at most."""


class Case(NamedTuple):
    """One *done*: the position with its dice, what was seen, and what was due: the looks of the legal play
    that was made, or None for a foul."""

    where: str
    position: Position
    evidence: Evidence
    due: Looks | None


def found(case: Case, verdict: Verdict) -> str:
    """What a verdict comes to."""
    if case.due is None:
        return {Kind.ILLEGAL: "found", Kind.UNSURE: "doubted", Kind.LEGAL: "missed"}[verdict.kind]
    if verdict.kind is Kind.LEGAL:
        return "another play" if differing(case.due, verdict.play.after.looks()) else "legal"
    return "unsure" if verdict.kind is Kind.UNSURE else "accused"


def called_astray(case: Case) -> bool:
    """Whether the board is called another than the game has it, once the play that was due has counted."""
    if case.due is None:
        return False
    after = next(p.after for p in case.position.plays() if not differing(case.due, p.after.looks()))
    return astray(after, case.evidence) is not None


LEGAL = ("legal", "another play", "unsure", "accused")
FOUL = ("found", "doubted", "missed")


def cases(job: seen_boards.Job, plays: int) -> Iterator[Case]:
    """The judgements that a table's pictures give."""
    for number, shot in enumerate(seen_boards.seen(job)):
        rng = random.Random(f"{job.file.stem}{number}")
        for sort in (*(None for _ in range(plays)), *FOULS):
            position = before(shot.looks, sort, rng)
            if position is not None:
                where = f"{job.table}, {job.alteration}, picture {number}"
                yield Case(where, position, shot.evidence, None if sort else shot.looks)


def painted(name: str, number: int) -> Iterator[Case]:
    """Turns of one painted game, each as it was played and, where one is found, as a foul."""
    rules = games.get(name)
    camera, rng = painter(rules.board, number), random.Random(number)
    table, position = learned(camera, begun(rules)), begun(rules)
    for turn in range(TURNS):
        while position.awaits in (Awaits.OPENING, Awaits.ROLL):
            position = position.roll(tuple(rng.randint(1, 6) for _ in range(position.dice_due)))
        if position.awaits is not Awaits.PLAY:
            return
        made: Play = rng.choice(position.plays())
        foul = spoilt(position, made, rng)
        for layout, due in ((made.after.layout(), made.after.looks()), (foul, None)):
            if layout is not None:
                reading = table.read(Frame(camera.paint(layout, 2 * turn + (due is None))))
                if not reading.hand:
                    yield Case(f"{name}, table {number}, turn {turn}", position, reading.evidence, due)
        position = made.after


def count(judged: Iterable[Case]) -> Counter[str]:
    """What all these cases come to; accusations are printed."""
    total: Counter[str] = Counter()
    for case in judged:
        verdict = judge(case.position, case.evidence)
        what = found(case, verdict)
        total[what] += 1
        total["astray"] += called_astray(case)
        if what == "accused":
            cells = ", ".join(verdict.cells)
            print(f"  accused: {case.where}: {cells}, gap {verdict.gap:.1f}, {case.position}", flush=True)
    return total


def row(name: str, total: Counter[str]) -> str:
    """A line of the table."""
    legal, fouls = (sum(total[key] for key in keys) for keys in (LEGAL, FOUL))
    return f"{name:34}" + "".join(
        f"{number:>9}"
        for number in (
            legal,
            *(total[key] for key in LEGAL),
            total["astray"],
            fouls,
            *(total[key] for key in FOUL),
        )
    )


HEAD = (
    f"{'':34}"
    + "".join(f"{name:>9}" for name in ("plays", "legal", "another", "unsure", "ACCUSED", "astray"))
    + "".join(f"{name:>9}" for name in ("fouls", "found", "doubted", "missed"))
)


def tell_fouls(number: int) -> None:
    """How many pieces the fouls of each sort misplace, on boards of random games."""
    rng, boards = random.Random(3), list[Looks]()
    while len(boards) < number:
        position = games.get("backgammon").start({})
        while position.outcome is None:
            if position.awaits is not Awaits.PLAY:
                position = position.roll(tuple(rng.randint(1, 6) for _ in range(position.dice_due)))
                continue
            position = rng.choice(position.plays()).after
            if rng.random() < 0.1 and position.outcome is None:
                boards.append(position.looks())
    every: Counter[int] = Counter()
    for sort in FOULS:
        seen = [(looks, before(looks, sort, rng)) for looks in boards]
        pieces = Counter(_least(position, looks) for looks, position in seen if position is not None)
        print(f"{sort:24}", _shares(pieces))
        every += Counter({key: round(1e6 * value / pieces.total()) for key, value in pieces.items()})
    print(f"{'all, each as often':24}", _shares(every))


def _least(position: Position, looks: Looks) -> int:
    nearest = position.nearest(Evidence.nearness(looks), 1)[0][1]
    return misplaced(position, looks, nearest.after.looks())


def _shares(pieces: Counter[int]) -> str:
    return "  ".join(f"{key}: {value / pieces.total():.1%}" for key, value in sorted(pieces.items()))


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    data_option(parser)
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "barpoint-seen")
    parser.add_argument("--sets", nargs="*", default=list(seen_boards.SETS), choices=seen_boards.SETS)
    parser.add_argument(
        "--alter",
        nargs="+",
        default=list(seen_boards.ALTERATIONS),
        choices=seen_boards.ALTERATIONS,
        metavar="NAME",
    )
    parser.add_argument("--plays", type=int, default=4, help="legal plays that end with each picture")
    parser.add_argument("--painted", type=int, default=2, metavar="GAMES", help="painted games of each kind")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--fouls", action="store_true", help="what fouls look like, and no more")
    options = parser.parse_args()
    if options.fouls:
        tell_fouls(400)
        return
    rows: dict[str, Counter[str]] = defaultdict(Counter)
    for job in seen_boards.read_all(
        options.data, options.cache, options.sets, options.alter, options.workers
    ):
        for told in seen_boards.troubles(job):
            print(f"  {job.table}, {job.alteration}: {told}")
        name = job.table if job.alteration == seen_boards.PLAIN else f"{job.set}, altered"
        rows[name] += count(cases(job, options.plays))
    for name in games.names() if options.painted else ():
        for number in range(options.painted):
            rows[f"painted {name}"] += count(painted(name, number))
    print(HEAD)
    for name in sorted(rows):
        print(row(name, rows[name]))
    total = sum(rows.values(), Counter[str]())
    print(row("all", total))
    sys.exit(total["accused"] > 0)


if __name__ == "__main__":
    main()
