"""Reading the files of other programs that hold an analysis too: eXtreme Gammon (``.xg``), BGBlitz (``.bgf``)
and OGXM (``.ogxm``, ``.gvab``), by the package ``gammonview`` (the extra ``xg``).

It makes one kind of document of all: games of plies, each with the analysis that the file has of it, which
:func:`firmware.record.foreign_review.foreign_reviews` reads. What was played is written out as ``.mat`` and
read from there: so the rules judge it as they judge every match, and line numbers mean that text.
The signature in an OGXM file is not checked.
"""

from __future__ import annotations

import importlib
import re
import resource
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from engine.messages import phrase
from engine.position import Json
from firmware.formats import mat_import
from firmware.formats.source import FormatError, Imported, Note, one_line

GET = phrase("this file is read by gammonview: pip install gammonview")
MOST = 256 * 1024 * 1024
"""Bytes of memory that reading a file may take; a match of 25 points with rollouts takes a tenth."""
PLIES = range(24)
"""Numbers of actions that are dice (0-20), a double, a take and a drop."""
ENDS = range(24, 31)
"""Those of how a game and a match end."""
DOUBLE, BEAVERS, SET_BOARD = 21, (32, 33), 31
"""A double, those that answer one, and a board set: with dice, by a play that broke the rules and stood."""
VARIATIONS = ("Backgammon", "Nackgammon", "Hypergammon (3)")
"""The games of OGXM by their numbers, as ``.mat`` calls them."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program's own format: how its files begin, who analysed them, and which function reads them."""

    name: str
    head: bytes
    reader: str


PROGRAMS = (
    Program("XG", b"RGMH", "convert_xg"),
    Program("BGBlitz", b'{"format":"BGF"', "convert_bgf"),
    Program("OGXM", b"OGXM", "read_gvab"),
)


def program_of(data: bytes) -> Program | None:
    """Whose file this is; None where it is none of these."""
    return next((each for each in PROGRAMS if data.startswith(each.head)), None)


def read(data: bytes) -> Imported:
    """The match in such a file, its analysis beside it. Raises FormatError."""
    program = program_of(data)
    assert program is not None
    try:
        package = importlib.import_module("gvformat")
        writer = importlib.import_module("gvanalysis.reconstruct_mat")
    except ImportError:
        raise FormatError(GET) from None
    try:
        with _little_memory():
            document = getattr(package, program.reader)(data)
            bare, notes = _to_be_written(document)
            text = _completed(writer.reconstruct_mat(bare), document)
            players, date = _heads(document)
    except MemoryError as error:
        raise FormatError(
            phrase("larger than {most} MB, and no match is", most=MOST // 1024 // 1024)
        ) from error
    except Exception as error:  # what a reader raises at a damaged file is its own business
        words = " ".join(str(error).split())[:120] or type(error).__name__
        raise FormatError(
            phrase("no {program} match, or a damaged one: {error}", program=program.name, error=words)
        ) from error
    found = mat_import.read(text)
    event, place, stage, number = (
        one_line(str(document.get(name) or "")) for name in ("event", "city", "stage", "round")
    )
    record = replace(
        found.record, players=players, event=event, place=place, round=stage or number, date=date
    )
    return Imported(record, (*notes, *found.notes), {**document, "program": program.name})


@contextmanager
def _little_memory() -> Iterator[None]:
    """What takes more than :data:`MOST` raises MemoryError: some kB may unpack to gigabytes, or say a number
    of so many digits."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    bounds = [each for each in (soft, taken + MOST) if each != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min(bounds), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _heads(document: Json) -> tuple[tuple[str, str], str]:
    """The players and the day."""
    white, black = (one_line(str(document.get(f"player_{side}") or "")) for side in ("white", "black"))
    seconds = document.get("timestamp")
    if not isinstance(seconds, int) or not 0 < seconds < 2**32:
        return (white, black), ""
    return (white, black), datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")


def _to_be_written(document: Json) -> tuple[Json, list[Note]]:
    """The document without what a ``.mat`` cannot hold, and what was lost so. Its plays stand hop by hop: a
    checker that hits on its way must be seen to."""
    games, notes = [], []
    for number, game in enumerate(document["games"], 1):
        plies = []
        for ply in game["plies"]:
            if ply["action_id"] in BEAVERS:
                ply = {**ply, "action_id": DOUBLE}
            foul = stood(ply)
            if not foul and ply["action_id"] not in PLIES and ply["action_id"] not in ENDS:
                what = phrase("a position or a cube was set by hand")
                where = phrase("game {number}: {words}", number=number, words=what)
                left_out = phrase("{error}; the rest of the game is left out", error=where)
                notes.append(Note(0, left_out, lost=True))
                break
            bare = {key: value for key, value in ply.items() if key != "analysis"}
            if ply.get("d1"):
                text = _stood(ply) if foul else _hops(ply.get("moves") or (), ply["color"])
                bare |= {"action_id": PLIES[0]} if foul else {}
                bare["analysis"] = {"alternatives": [{"is_played": True, "notation": text}]}
            plies.append(bare)
        games.append({**game, "plies": plies})
    said = {"player_white": "White", "player_black": "Black", "event": None, "site": None, "cube_limit": None}
    return {**document, **said, "games": games}, notes


def _completed(text: str, document: Json) -> str:
    """The ``.mat`` with what its writer leaves out: which game it is, the stakes, and the score that the
    match begins at."""
    variant = document.get("variant") or 0
    tags = [("Variation", VARIATIONS[variant] if variant < len(VARIATIONS) else f"OGXM variant {variant}")]
    tags += [("CrawfordOver", "On")] if document.get("crawford_before_start") else []
    tags += [("Beavers", "2")] if document.get("raccoon") else []
    tags += [("AutomaticDoubles", "1")] if document.get("auto_doubles") else []
    for number, game in enumerate(document["games"], 1):
        stake = (game.get("initial_cube_value") or 1) << (game.get("auto_doubles") or 0)
        tags += [("Stake", f"Game {number}: {stake}")] if stake != 1 else []
    white, black = document.get("score_start") or (0, 0)
    return "".join(f'; [{name} "{value}"]\n' for name, value in tags) + re.sub(
        r"^ White: (\d+)( +)Black: (\d+)$",
        lambda line: f" White: {int(line[1]) + white}{line[2]}Black: {int(line[3]) + black}",
        text,
        flags=re.MULTILINE,
    )


def stood(ply: Json) -> bool:
    """Whether this is a play that broke the rules and stood, told by the board that it left."""
    return ply["action_id"] == SET_BOARD and bool(ply.get("d1"))


def _stood(ply: Json) -> str:
    """Its cell: Snowie's line, from the view of the player who is to roll then."""
    board = ply["set_position"]
    roller, places = ("Black", [-n for n in board]) if ply["color"] == 1 else ("White", board[::-1])
    return "Illegal play (" + ";" * 5 + roller + ";" * 7 + ";".join(map(str, places)) + ")"


def _hops(steps: Iterable[Json], colour: int) -> str:
    return " ".join(f"{_place(a)}/{_place(b)}" for a, b in own_hops(steps, colour))


def _place(point: int) -> str:
    return "bar" if point == 25 else str(point) if point > 0 else "off"


def own_hops(steps: Iterable[Any], colour: int) -> list[tuple[int, int]]:
    """A play's hops in its player's own numbering (25 the bar, 0 off); ``colour`` 1 is White."""
    found = []
    for step in steps:
        start = 25 - step["from"] if colour == 1 else step["from"]
        found.append((start, max(0, start - step["pips"])))
    return found
