"""GNU Backgammon (the Debian package ``gnubg``): a program beside us that runs our driver in its own Python.

A line of JSON goes in and one comes out, through two pipes; what gnubg itself prints goes nowhere. The
position is set by its XGID, White (the bottom player) being the side that decides.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.messages import phrase
from firmware.engines import ROLLS, BeforeRoll, Board, Chances, NoEngine, Ranked, Spot, moved

GET = phrase("GNU Backgammon is not installed; on Debian and Raspberry Pi OS: sudo apt install gnubg")

_DRIVER = """
import json, os
for command in ("set confirm new off", "set display off", "set threads 1", "set output rawboard on",
                "set automatic roll off", "set automatic game off", "set automatic move off",
                "set player 0 human", "set player 1 human"):
    gnubg.command(command)

def worth(board, cube, plies):
    return gnubg.cfevaluate(board, cube, gnubg.evalcontext(1, plies, 1, 1, 0.0))

def show(xgid, dice, jacoby):
    gnubg.command("set jacoby " + ("on" if jacoby else "off"))
    gnubg.command("set xgid XGID=" + xgid % dice)

def plays(xgid, dice, jacoby, plies, most):
    show(xgid, dice, jacoby)
    gnubg.command("set evaluation chequerplay evaluation plies %d" % plies)
    found = gnubg.hint(most)["hint"]
    return [(gnubg.parsemove(each["move"]), each["equity"], each["details"]["probs"],
             each["context"]["plies"]) for each in found]

def after(xgid, jacoby, plies):
    show(xgid, "00", jacoby)
    board, cube = gnubg.board(), gnubg.cubeinfo()
    chances = gnubg.evaluate(board, cube, gnubg.evalcontext(1, plies, 1, 1, 0.0))
    return -worth(board, cube, plies)[0], [1 - chances[0], *chances[3:5], *chances[1:3]]

def rolled(xgid, dice, jacoby):
    best = plays(xgid, dice, jacoby, 0, 1)
    if best:
        return best[0][1]
    board, cube = gnubg.board(), gnubg.cubeinfo()
    cube["move"] = 1 - cube["move"]
    return -worth((board[1], board[0]), cube, 0)[0]

def before_roll(xgid, jacoby, plies, rolls):
    show(xgid, "00", jacoby)
    board, cube = gnubg.board(), gnubg.cubeinfo()
    context = gnubg.evalcontext(1, plies, 1, 1, 0.0)
    return worth(board, cube, plies)[1:4], gnubg.evaluate(board, cube, context)[:5], [
        rolled(xgid, dice, jacoby) for dice in rolls]

known = {{"plays": plays, "after": after, "before_roll": before_roll}}
asked, told = os.fdopen({asked}), os.fdopen({told}, "w")
for line in asked:
    question = json.loads(line)
    try:
        answer = known[question["do"]](*question["with"])
    except Exception as error:
        answer = {{"error": repr(error)}}
    told.write(json.dumps(answer) + "\\n")
    told.flush()
"""

TRIES = 3
"""How often in a row it is begun before it is given up."""


def find_gnubg() -> str:
    """The path of gnubg. Raises NoEngine, which says how to install it."""
    found = shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games")
    if found is None:
        raise NoEngine(GET)
    return found


class Gnubg:
    """gnubg, looking so many ``plies`` ahead as the other programs count them (1: the network alone; gnubg
    itself calls that 0). Raises NoEngine where it is missing. It has no limit of time of its own: at 2 plies
    a decision takes it some tenths of a second. Where it ends by itself (seen twice, on a busy machine), it
    is begun again and asked once more."""

    def __init__(self, plies: int, limit: float | None = None) -> None:
        self._plies = plies - 1
        self._begin()

    def _begin(self) -> None:
        for _ in range(TRIES):
            if self._begins():
                return
        raise self._ended()

    def _begins(self) -> bool:
        asked, ask = os.pipe()
        hear, told = os.pipe()
        with tempfile.TemporaryDirectory() as folder:
            driver = Path(folder) / "driver.py"
            driver.write_text(_DRIVER.format(asked=asked, told=told), encoding="utf-8")
            nothing = subprocess.DEVNULL
            command = [find_gnubg(), "-t", "-q", "-r", "-p", str(driver)]
            self._process = subprocess.Popen(
                command, stdin=nothing, stdout=nothing, stderr=nothing, pass_fds=(asked, told)
            )
            os.close(asked)
            os.close(told)
            self._ask, self._hear = os.fdopen(ask, "w"), os.fdopen(hear)
            # Answered only once the driver was read: then its file may go.
            return bool(
                self._asked("before_roll", "-b----E-C---eE---c-e----B-:0:0:1:%s:0:0:0:0:10", False, 0, [])
            )

    def plays(self, spot: Spot, played: Board | None = None) -> Sequence[Ranked]:
        """As :class:`firmware.engines.Engine`."""
        assert spot.dice is not None
        dice = "".join(map(str, spot.dice))
        ranked: dict[Board, Ranked] = {}
        brief: set[Board] = set()
        for move, equity, chances, plies in self._answer(
            "plays", _xgid(spot), dice, spot.jacoby, self._plies, -1
        ):
            board = moved((spot.own, spot.other), move)
            ranked[board] = Ranked(*board, equity, Chances(*chances))
            if plies < self._plies:
                brief.add(board)

        # Where gnubg is sure of a play, it looks at that one, too, as briefly as at the others.
        while brief and (due := brief & {max(ranked, key=lambda board: ranked[board].equity), played}):
            for board in due:
                equity, chances = self._answer(
                    "after", _xgid(_opponents(spot, board)), spot.jacoby, self._plies
                )
                ranked[board] = Ranked(*board, equity, Chances(*chances))
            brief -= due
        return sorted(ranked.values(), key=lambda each: -each.equity)

    def before_roll(self, spot: Spot, rolls: bool = True) -> BeforeRoll:
        """As :class:`firmware.engines.Engine`."""
        asked = ["".join(map(str, roll)) for roll in ROLLS] if rolls else []
        cube, chances, each = self._answer("before_roll", _xgid(spot), spot.jacoby, self._plies, asked)
        hold, take, drop = cube
        return BeforeRoll(hold, take, drop, Chances(*chances), dict(zip(ROLLS, each, strict=rolls)))

    def close(self) -> None:
        """Ends gnubg. Without it, gnubg ends with the process that asked it."""
        self._process.kill()
        self._process.wait()
        self._hear.close()
        with suppress(BrokenPipeError):  # what it was asked last, it did not read
            self._ask.close()

    def _answer(self, do: str, *values: object) -> Any:
        line = self._asked(do, *values)
        if not line:
            self._begin()
            line = self._asked(do, *values)
        if not line:
            raise self._ended()
        answer = json.loads(line)
        if isinstance(answer, dict):
            raise NoEngine(f"gnubg: {answer['error']}")
        return answer

    def _asked(self, do: str, *values: object) -> str:
        """Its answer's line; none where it has ended, or never began."""
        line = ""
        with suppress(BrokenPipeError):
            self._ask.write(json.dumps({"do": do, "with": values}) + "\n")
            self._ask.flush()
            line = self._hear.readline()
        if not line:
            with suppress(subprocess.TimeoutExpired):  # what it says of its end
                self._process.wait(1.0)
            self.close()
        return line

    def _ended(self) -> NoEngine:
        code = self._process.returncode
        return NoEngine(
            phrase("gnubg ended by itself ({code}); install it again, or take the other one", code=code)
        )


def _xgid(spot: Spot) -> str:
    """The XGID, with a place for the dice."""
    letters = "abcdefghijklmno"
    places = "".join(
        letters[own - 1].upper() if own else letters[other - 1] if other else "-"
        for own, other in zip((0, *spot.own[1:]), (*reversed(spot.other[1:]), 0), strict=True)
    )
    length = max(spot.away)
    score = (length - spot.away[0], length - spot.away[1]) if length else (0, 0)
    rule = int(spot.crawford if length else spot.jacoby)
    fields = (places, spot.cube.bit_length() - 1, spot.owner, 1, "%s", *score, rule, length, 10)
    return ":".join(map(str, fields))


def _opponents(spot: Spot, board: Board) -> Spot:
    """The opponent's decision before the next roll."""
    own, other = board
    return replace(spot, own=other, other=own, dice=None, owner=-spot.owner, away=spot.away[::-1])
