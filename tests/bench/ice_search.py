"""IceGammon's search along a picture against all plays: ``python -m tests.bench.ice_search [SECONDS]
[SEED]``, a minute by default.

Boards of random games and made-up ones (scattered, walled in, near the end, and with four sixes to play,
which lead all the way round) are each seen in four ways: a play or a foul, by cameras from perfect to nearly
blind, or by the count of cells and pieces that fouls are shown by. The plays found must be those that score
most of all there are; the judge must say *illegal* exactly where none comes near enough, and then name the
play nearest in cells, then in pieces.

Prints what was compared; ends with status 1 and the cases where something differs.
"""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence

from engine.evidence import Evidence
from engine.judge import FAR, Kind, judge, likeliest
from engine.layout import Looks, differing
from engine.position import Awaits, Play, Position
from engine.rules.icegammon import RULES
from engine.rules.icegammon.search import WINDOW
from tests.bench.arguments import arguments
from tests.bench.judge import disturbed, doubtful
from tests.engine.ice_boards import scattered, walled
from tests.fouls import distance

CANDIDATES = 8
MOST = 3000
"""Plays: of more, to look at all takes too long."""
PICTURES = 4
HOME = {"scattered": 0.2, "near the end": 0.9, "sixes": 0.6}
"""The share of boards on which many pieces are borne off."""


def met(rng: random.Random) -> Iterator[Position]:
    """Positions of random games that await a play."""
    while True:
        position = RULES.start({"first": rng.choice(RULES.sides)})
        for _ in range(rng.randint(3, 60)):
            if position.awaits is Awaits.PLAY:
                yield position
                position = rng.choice(position.plays()).after
            elif position.awaits is Awaits.ROLL:
                double = rng.random() < 0.5
                position = position.roll(
                    (rng.randint(1, 6),) * 3 if double else tuple(rng.randint(1, 6) for _ in range(3))
                )
            else:
                break


def made(rng: random.Random, kind: str) -> Position:
    """A position on a made-up board; perhaps it awaits no play."""
    data = walled(rng) if kind == "walled" else scattered(rng, home=HOME[kind])
    number, left = (6, 4) if kind == "sixes" else (rng.randint(1, 6), rng.randint(1, 4))
    if kind == "sixes" or rng.random() < 0.6:
        data["stage"] = {"number": number, "left": left, "then": rng.choice((None, 7 - number))}
    position = RULES.read(data)
    return (
        position.roll(tuple(rng.randint(1, 6) for _ in range(3)))
        if position.turn and position.dice_due
        else position
    )


def pictured(looks: Looks, rng: random.Random) -> Evidence:
    """What one of many cameras may make of these looks, or of a foul; the bars are doubted as often as all
    else together."""
    kind = rng.random()
    if kind < 0.3 and any(looks.values()):
        looks = disturbed(looks, rng)
    elif kind < 0.6:
        looks = {
            **looks,
            rng.choice(list(looks)): (),
            rng.choice(list(looks)): rng.choice(list(looks.values())),
        }
    kind = rng.random()
    evidence = (
        Evidence.certain(looks)
        if kind < 0.3
        else Evidence.nearness(looks)
        if kind < 0.4
        else doubtful(looks, rng)
    )
    if kind < 0.7:
        return evidence
    cells = {
        cell: {**known}
        for cell, known in evidence.cells.items()
        if rng.random() < rng.choice((0.1, 0.5, 1.0))
    }
    for bar in ("bar.white", "bar.black"):
        side = bar.partition(".")[2]
        pieces = [f"{side}.{size}" for size in "123"]
        cells[bar] = {looks[bar]: 0.0} | {
            tuple(sorted(rng.choices(pieces, k=rng.randint(0, 3)))): -rng.uniform(0, 11) for _ in range(3)
        }
    return Evidence.of(cells)


def faults(position: Position, plays: Sequence[Play], evidence: Evidence) -> Iterator[str]:
    """What the search or the judge says otherwise than a look at all plays."""
    scores = sorted((evidence.total(play.after.looks()) for play in plays), reverse=True)
    near = [score for score in scores[:CANDIDATES] if score > scores[0] - WINDOW + 1e-6]
    found = position.nearest(evidence, CANDIDATES)
    if len(found) < len(near) or any(
        abs(score - best) > 1e-6 for (score, _), best in zip(found, near, strict=False)
    ):
        yield f"best {near}, found {[score for score, _ in found]}"
    if any(abs(score - evidence.total(play.after.looks())) > 1e-6 for score, play in found):
        yield "a play is not worth its score"
    if not {play.after for _, play in found} <= {play.after for play in plays}:
        yield "a play found is no play"
    if abs(position.nearest(evidence, 1)[0][0] - scores[0]) > 1e-6:
        yield "the best alone is not the best"
    seen, surely, _ = likeliest(position, evidence)
    verdict = judge(position, evidence)
    if (verdict.kind is Kind.ILLEGAL) != (scores[0] <= surely - FAR):
        yield f"judged {verdict.kind}, where the best is {scores[0]} and the likeliest board {surely}"
    elif verdict.kind is Kind.ILLEGAL:
        nearest = min(
            (len(differing(seen, looks)), distance(seen, looks))
            for looks in (play.after.looks() for play in plays)
        )
        if (len(verdict.cells), distance(seen, verdict.play.after.looks())) != nearest:
            yield f"shown against {verdict.play.text}, and another is nearer: {nearest}"


def main(seconds: float, seed: int) -> int:
    """Compare for so long; gives how many pictures showed a difference."""
    rng = random.Random(seed)
    games, counted, wrong = met(rng), Counter[str](), 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        kind = rng.choice(("games", "walled", *HOME))
        position = next(games) if kind == "games" else made(rng, kind)
        plays = position.plays() if position.turn else ()
        if not 0 < len(plays) < MOST:
            continue
        for _ in range(PICTURES):
            evidence = pictured(rng.choice(plays).after.looks(), rng)
            counted[kind] += 1
            for fault in faults(position, plays, evidence):
                wrong += 1
                print(f"{kind}: {position}\n  {fault}\n  {evidence.to_json()}")
    print(
        f"{sum(counted.values())} pictures"
        f" ({', '.join(f'{number} {kind}' for kind, number in counted.items())}), {wrong} differ"
    )
    return wrong


if __name__ == "__main__":
    sys.exit(bool(main(**arguments(__doc__, seconds=60.0, seed=1))))
