"""Ask gnubg for every legal play of many positions, and keep its answers.

Run from the root of the repository (gnubg is a Debian package; it takes some minutes)::

    gnubg -t -q -p tests/data/oracle/make_backgammon.py < /dev/null

It writes ``tests/data/oracle/backgammon.txt.xz``: a line for each pair of position and dice, ``position-id
dice: play; play; …`` in gnubg's words, sorted; no play after the colon where nothing can be moved. Half the
positions are from random games (gnubg's own plays, chosen at random), half are
``tests/engine/synthetic.py``'s. Nothing of the engine takes part.
"""

import base64
import lzma
import random
import re
import sys

sys.path.insert(0, ".")

import gnubg  # only there inside gnubg

from tests.engine.synthetic import DICE, boards

FROM_GAMES = 6000
SYNTHETIC = 6000
TARGET = "tests/data/oracle/backgammon.txt.xz"


def position_id(mine, theirs):
    """gnubg's position ID: for the enemy and then the player on roll, points 1-24 and the bar, a one for each
    checker, a zero after."""
    bits = "".join("1" * side[place] + "0" for side in (theirs, mine) for place in range(1, 26)).ljust(
        80, "0"
    )
    octets = bytes(int(bits[start : start + 8][::-1], 2) for start in range(0, 80, 8))
    return base64.b64encode(octets).decode().rstrip("=")


def after(mine, theirs, play):
    """The board, seen by the other side, after a play in gnubg's words."""
    mine, theirs = mine[:], theirs[:]
    for part in play.split():
        move, _, times = part.partition("(")
        for _ in range(int(times.rstrip(")") or 1)):
            places = [
                {"bar": 25, "off": 0}.get(name) if name.isalpha() else int(name)
                for name in re.findall(r"\w+", move)
            ]
            mine[places[0]] -= 1
            mine[places[-1]] += 1
            for place in places[1:]:
                if place and theirs[25 - place]:
                    theirs[25 - place] -= 1
                    theirs[25] += 1
    return theirs, mine


def plays(mine, theirs, dice):
    """What gnubg says can be played."""
    gnubg.command(f"set board {position_id(mine, theirs)}")
    gnubg.command(f"set dice {dice[0]} {dice[1]}")
    try:
        return [hint["move"] for hint in gnubg.hint(5000)["hint"]]
    except (KeyError, TypeError, ValueError):
        return []


def games(rng):
    """Positions of random games, seen by the player on roll, with dice."""
    start = [0, 0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0]
    while True:
        mine, theirs = start[:], start[:]
        while mine[0] < 15 and theirs[0] < 15:
            dice = (
                rng.choice([*DICE, *DICE, (6, 6), (1, 1)])
                if rng.random() < 0.3
                else tuple(sorted((rng.randint(1, 6), rng.randint(1, 6)))[::-1])
            )
            legal = plays(mine, theirs, dice)
            yield (mine, theirs), dice, legal
            mine, theirs = after(mine, theirs, rng.choice(legal)) if legal else (theirs, mine)


def main():
    for command in (
        "set player 0 human",
        "set player 1 human",
        "set automatic roll off",
        "set automatic game off",
        "set automatic move off",
        "set evaluation chequerplay evaluation plies 0",
        "set output rawboard on",
        "set display off",
        "new game",
    ):
        gnubg.command(command)
    lines = []
    for (mine, theirs), dice, legal in games(random.Random(24)):
        lines.append(f"{position_id(mine, theirs)} {dice[0]}{dice[1]}: {'; '.join(sorted(legal))}")
        if len(lines) == FROM_GAMES:
            break
    for (mine, theirs), dice in boards(25, SYNTHETIC):
        lines.append(
            f"{position_id(mine, theirs)} {dice[0]}{dice[1]}: {'; '.join(sorted(plays(mine, theirs, dice)))}"
        )
    with lzma.open(TARGET, "wt", preset=9) as out:
        out.write("\n".join(lines) + "\n")
    print("WROTE", len(lines), "pairs to", TARGET, file=sys.stderr)


main()
