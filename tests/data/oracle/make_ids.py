"""Ask GNU Backgammon for the position and match IDs of random situations: the oracle of
tests/firmware/formats/test_ids.py.

    python -m tests.data.oracle.make_ids [COUNT] | gzip -9n > tests/data/oracle/ids.txt.gz

The IDs come from gnubg's own encoders (``gnubg.positionid``, ``gnubg.matchid`` of its Python), which are
given plain numbers. A line: White's checkers on points 1-24 and the bar, Black's likewise in its own
numbering, who is on roll, the dice (00: none), the cube, its owner (- nobody), whether it is offered, the
score, the match length, Crawford, Jacoby; then gnubg's two IDs.
"""

import json
import random
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.bench.arguments import arguments

GNUBG = shutil.which("gnubg") or "/usr/games/gnubg"

DRIVER = """
import json
for one in json.load(open({jobs!r})):
    turn = one['turn']
    info = gnubg.cubeinfo(one['cube'], one['owner'], turn, one['length'], tuple(one['score']),
                          one['crawford'])
    info['jacoby'] = one['jacoby']
    place = {{'dice': tuple(one['dice']), 'turn': turn ^ one['offered'],
             'resigned': 0, 'doubled': one['offered'], 'gamestate': 1}}
    own = one['own']
    print('@@', gnubg.positionid((tuple(own[1 - turn]), tuple(own[turn]))), gnubg.matchid(info, place))
"""


def boards(source: random.Random) -> list[list[int]]:
    """Both sides' checkers on own points 1-24 and the bar: fifteen or fewer, no point with both colours, not
    both on the bar against a closed board."""
    while True:
        own = [[0] * 25, [0] * 25]
        for side in (0, 1):
            reach = source.choice((24, 24, 18, 12, 6))
            for _ in range(15 - source.choice((0, 0, 0, source.randint(0, 14)))):
                point = 25 if source.random() < 0.03 else source.randint(1, reach)
                if point == 25 or not own[1 - side][24 - point]:
                    own[side][point - 1] += 1
        closed = [all(count > 1 for count in each[:6]) for each in own]
        if all(map(any, own)) and not (own[0][24] and own[1][24] and all(closed)):
            return own


def situation(source: random.Random) -> dict[str, object]:
    """One random situation, as plain numbers."""
    length = source.choice((0, 0, 1, 3, 5, 7, 11, 25))
    score = [
        source.randrange(length or 1),
        source.randrange(length or 1),
    ]  # gnubg's Python leaves a money score out
    crawford = int(
        length > 1 and (score[0] == length - 1) != (score[1] == length - 1) and source.random() < 0.5
    )
    cube = (
        1 if crawford else 1 << source.choice((0, 0, 1, 2, 3, 6, 6 if length else 9))
    )  # gnubg crashes on more in a match
    dice = source.choice(([0, 0], [source.randint(1, 6), source.randint(1, 6)]))
    turn = source.randrange(2)
    owner = -1 if cube == 1 else source.choice((0, 1))
    offered = int(not crawford and dice == [0, 0] and owner in (-1, turn) and source.random() < 0.3)
    jacoby = int(not length and source.random() < 0.5)
    named = {
        "own": boards(source),
        "turn": turn,
        "dice": dice,
        "cube": cube,
        "owner": owner,
        "offered": offered,
    }
    return {**named, "score": score, "length": length, "crawford": crawford, "jacoby": jacoby}


def main(count: int) -> None:
    source = random.Random(20260301)
    jobs = [situation(source) for _ in range(count)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "jobs.json").write_text(json.dumps(jobs))
        (folder / "driver.py").write_text(DRIVER.format(jobs=str(folder / "jobs.json")))
        command = [GNUBG, "-t", "-q", "-r", "-p", str(folder / "driver.py")]
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=True)
    ids = [line[3:] for line in done.stdout.splitlines() if line.startswith("@@ ")]
    for one, two in zip(jobs, ids, strict=True):
        white, black = one["own"]
        owner = "-" if one["owner"] == -1 else one["owner"]
        rest = [
            one["turn"],
            "".join(map(str, one["dice"])),
            one["cube"],
            owner,
            one["offered"],
            *one["score"],
        ]
        print(*white, *black, *rest, one["length"], one["crawford"], one["jacoby"], two)


if __name__ == "__main__":
    main(**arguments(__doc__, count=10_000))
