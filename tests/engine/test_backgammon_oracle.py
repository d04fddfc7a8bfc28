"""gnubg's answers on 12,000 pairs of position and dice: the same results, and the same words for them.

``tests/data/oracle/make_backgammon.py`` asked gnubg and tells how to ask again.
"""

from __future__ import annotations

import base64
import lzma
import re
from pathlib import Path

import pytest

from engine.rules import get

ORACLE = Path(__file__).parents[1] / "data" / "oracle" / "backgammon.txt.xz"
RULES = get("backgammon")


def pairs():
    """``(position id, dice, plays)`` for every line."""
    for line in lzma.decompress(ORACLE.read_bytes()).decode().splitlines():
        head, _, plays = line.partition(": ")
        name, dice = head.rstrip(":").split()
        yield name, (int(dice[0]), int(dice[1])), plays.split("; ") if plays else []


def decode(name):
    """Two lists, ``mine`` and ``theirs``: off, points 1-24, bar, each in its owner's numbers."""
    bits = "".join(f"{octet:08b}"[::-1] for octet in base64.b64decode(name + "=="))
    counts = [len(run) for run in bits.split("0")]
    theirs, mine = counts[:25], counts[25:50]
    return [15 - sum(mine), *mine], [15 - sum(theirs), *theirs]


def after(mine, theirs, play):
    """The board after a play in gnubg's words, by moving checkers as they say."""
    mine, theirs = mine[:], theirs[:]
    for part in play.split():
        move, _, times = part.partition("(")
        for _ in range(int(times.rstrip(")") or 1)):
            places = [
                int(name) if name.isdigit() else {"bar": 25, "off": 0}[name]
                for name in re.findall(r"\w+", move)
            ]
            mine[places[0]] -= 1
            mine[places[-1]] += 1
            for place in places[1:]:
                if place and theirs[25 - place]:
                    theirs[25 - place] -= 1
                    theirs[25] += 1
    return key(mine, theirs)


def key(mine, theirs):
    return tuple(mine), tuple(theirs)


def to_json(mine, theirs, turn):
    points = {p: mine[p] - theirs[25 - p] for p in range(1, 25)}
    if turn == "white":
        data = {
            "points": {str(p): n for p, n in points.items() if n},
            "bar": [mine[25], theirs[25]],
            "off": [mine[0], theirs[0]],
        }
    else:
        data = {
            "points": {str(25 - p): -n for p, n in points.items() if n},
            "bar": [theirs[25], mine[25]],
            "off": [theirs[0], mine[0]],
        }
    return {"rules": "backgammon", "turn": turn, **data}


def from_json(data, turn):
    """The inverse, for whoever had the turn."""
    sign, at = (1, lambda p: str(p)) if turn == "white" else (-1, lambda p: str(25 - p))
    numbers = [sign * data["points"].get(at(p), 0) for p in range(1, 25)]
    own, other = (0, 1) if turn == "white" else (1, 0)
    mine = [data["off"][own], *(max(n, 0) for n in numbers), data["bar"][own]]
    theirs = [data["off"][other], *(max(-n, 0) for n in reversed(numbers)), data["bar"][other]]
    return key(mine, theirs)


@pytest.mark.parametrize("turn", ["white", "black"])
def test_no_result_differs_from_gnubg(turn):
    asked = 0
    for number, (name, dice, plays) in enumerate(pairs()):
        if (turn == "black") != (number % 3 == 0):
            continue
        mine, theirs = decode(name)
        before = RULES.read(to_json(mine, theirs, turn)).roll(dice)
        ours = [from_json(play.after.to_json(), turn) for play in before.plays()]
        assert len(set(ours)) == len(ours), (name, dice)
        assert set(ours) == ({after(mine, theirs, play) for play in plays} or {key(mine, theirs)}), (
            name,
            dice,
        )
        asked += 1
    assert asked > 3000


def test_plays_are_written_as_gnubg_writes_them():
    for name, dice, plays in list(pairs())[::8]:
        mine, theirs = decode(name)
        before = RULES.read(to_json(mine, theirs, "white")).roll(dice)
        assert sorted(play.text for play in before.plays()) == (sorted(plays) or ["pass"]), (name, dice)


def test_plays_in_gnubgs_words_are_found():
    for name, dice, plays in list(pairs())[5::40]:
        mine, theirs = decode(name)
        before = RULES.read(to_json(mine, theirs, "white")).roll(dice)
        for play in plays:
            assert from_json(before.find(play).after.to_json(), "white") == after(mine, theirs, play)
