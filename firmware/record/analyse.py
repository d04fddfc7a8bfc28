"""A match through GNU Backgammon: how good each play was, and what would have been better.

Each game is analysed on its own and its result kept in a file named by what was analysed (the game as .mat,
and the plies), so that a run that was stopped goes on where it was. gnubg is the Debian package of that name;
it runs without a window, a process per game.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engine.errors import EngineError
from engine.layout import Side
from engine.record import MatchRecord, Played, replay
from firmware.files import replace_file
from firmware.formats import mat
from firmware.formats.ids import GAME
from firmware.formats.source import FormatError

GET = "GNU Backgammon is not installed; on Debian and Raspberry Pi OS: sudo apt install gnubg"
SIDES: Mapping[str, Side] = {"X": "white", "O": "black"}
"""gnubg's players: the first of a .mat file is X."""

_DRIVER = """
import json
for command in ('set confirm new off', 'set confirm save off', 'set display off', 'set threads 1',
                'set analysis chequerplay evaluation plies {plies}',
                'set analysis cubedecision evaluation plies {plies}',
                'import mat "{file}"', 'analyse game'):
    gnubg.command(command)
with open({out!r}, 'w') as out:
    json.dump(gnubg.match(analysis=1, boards=0, statistics=1), out)
"""


PATIENCE = 3600.0
"""Seconds for one game; 3 plies on a small machine take their time, and a gnubg that hangs takes for ever."""
PLIES = (3, 2, 1, 0)
"""How far gnubg may look ahead, the best first."""

_WRONG = (OSError, ValueError, LookupError, TypeError, AttributeError)
"""What reading an account of another form may raise."""


class NoAnalysis(Exception):
    """gnubg is missing or did not do it; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A play that was not the best. ``loss`` is in equity (normalised to the cube, as gnubg counts it);
    ``move`` counts from 1."""

    game: int
    move: int
    side: Side
    dice: tuple[int, ...]
    played: str
    best: str
    loss: float


@dataclass(frozen=True, slots=True)
class Skill:
    """One player's figures, summed over games: errors in equity, ``unforced`` plays, ``luck`` in equity."""

    unforced: int = 0
    errors: float = 0.0
    cube: float = 0.0
    luck: float = 0.0

    @property
    def rate(self) -> float:
        """Lost equity in thousandths for each unforced play (checker play alone)."""
        return 1000 * self.errors / self.unforced if self.unforced else 0.0


@dataclass(frozen=True, slots=True)
class Analysis:
    """A game as gnubg sees it."""

    skills: Mapping[Side, Skill]
    choices: tuple[Choice, ...]


def program() -> str:
    """Where gnubg is. Raises NoAnalysis that says how to get it."""
    found = shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games")
    if found is None:
        raise NoAnalysis(GET)
    return found


def kept(match: MatchRecord, plies: int, folder: Path) -> list[Analysis | None]:
    """What earlier runs found of each game; None where nothing is kept. Raises FormatError where the game is
    not gnubg's."""
    found = (
        (number, _read(_file(match, number, plies, folder), number))
        for number in range(1, len(match.games) + 1)
    )
    return [each and worded(each, match, number) for number, each in found]


def best(match: MatchRecord, folder: Path) -> list[Analysis | None]:
    """Of each game, what the run that looked furthest ahead found; nothing where the game is not gnubg's."""
    try:
        runs = [kept(match, plies, folder) for plies in PLIES]
    except FormatError:
        return []
    return [next((found for found in game if found is not None), None) for game in zip(*runs, strict=True)]


def analyse(
    match: MatchRecord, plies: int, folder: Path, patience: float = PATIENCE
) -> Iterator[Analysis | NoAnalysis]:
    """The games, one after the other, each kept in ``folder`` as soon as it is done; or why gnubg failed at
    one. Raises NoAnalysis where it would fail at all of them, and FormatError."""
    for number, known in enumerate(kept(match, plies, folder), 1):
        if known is not None:
            yield known
            continue
        gnubg = program()
        try:
            found = _run(gnubg, match, number, plies, patience)
        except NoAnalysis as error:
            yield error
            continue
        _keep(found, _file(match, number, plies, folder))
        yield worded(_told(found, number), match, number)


def total(analyses: Sequence[Analysis]) -> dict[Side, Skill]:
    """Each player's figures over these games."""
    sums = dict.fromkeys(SIDES.values(), Skill())
    for each in analyses:
        for side, one in each.skills.items():
            all_ = sums[side]
            sums[side] = Skill(
                all_.unforced + one.unforced,
                all_.errors + one.errors,
                all_.cube + one.cube,
                all_.luck + one.luck,
            )
    return sums


def _single(match: MatchRecord, number: int) -> str:
    if match.rules != GAME:
        raise FormatError(f"gnubg plays {GAME} only, and this is {match.rules}")
    return mat.write(replace(match, games=(match.games[number - 1],)))


def _file(match: MatchRecord, number: int, plies: int, folder: Path) -> Path:
    return folder / f"{hashlib.sha256(f'{plies} {_single(match, number)}'.encode()).hexdigest()[:32]}.json"


def _run(gnubg: str, match: MatchRecord, number: int, plies: int, patience: float) -> dict[str, Any]:
    """gnubg's account of one game. Raises NoAnalysis."""
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        (work / "game.mat").write_text(_single(match, number), encoding="utf-8")
        (work / "driver.py").write_text(
            _DRIVER.format(plies=plies, file=work / "game.mat", out=str(work / "out.json")), encoding="utf-8"
        )
        command = [gnubg, "-t", "-q", "-r", "-p", str(work / "driver.py")]
        try:
            code, said = _done(command, patience)
        except subprocess.TimeoutExpired:
            raise NoAnalysis(
                f"game {number}: gnubg has not answered for {patience:g} s; try fewer --plies"
            ) from None
        except OSError as error:
            raise NoAnalysis(f"game {number}: {gnubg}: {error.strerror or error}") from error
        try:
            data: dict[str, Any] = json.loads((work / "out.json").read_text())
            _told(data, number)
        except _WRONG as error:
            last = " ".join(said.strip().splitlines()[-1:])[:200]
            ended = f"signal {-code}" if code < 0 else f"status {code}"
            raise NoAnalysis(
                f"game {number}: gnubg gave no analysis (it ended with {ended}{': ' + last if last else ''})"
            ) from error
    return data


def _done(command: Sequence[str], patience: float) -> tuple[int, str]:
    """How the program ended, and what it said. Ctrl-C and an end of patience kill it: nothing is left
    behind."""
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True, errors="replace"
    ) as process:
        try:
            said, complained = process.communicate(timeout=patience)
        except BaseException:
            process.kill()
            process.wait()
            raise
    return process.returncode, complained.strip() or said


def _keep(data: dict[str, Any], file: Path) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(file, json.dumps(data))
    except OSError as error:
        raise NoAnalysis(f"cannot keep the analysis in {file.parent}: {error.strerror or error}") from error


def _read(file: Path, number: int) -> Analysis | None:
    try:
        return _told(json.loads(file.read_text()), number)
    except _WRONG:
        return None


def _told(data: dict[str, Any], number: int) -> Analysis:
    """gnubg's own account of a single game (``gnubg.match()``)."""
    (game,) = data["games"]
    skills = {}
    for name, side in SIDES.items():
        told = game["stats"][name]
        moves, cube = told["moves"], told["cube"]
        skills[side] = Skill(
            moves["unforced-moves"], moves["error-skill"], cube["error-skill"], told["dice"]["luck"]
        )
    choices = []
    move = 0
    for action in game["game"]:
        if action["action"] != "move":
            continue
        move += 1
        ranked = action.get("analysis", {}).get("moves", [])
        played = _same(ranked, action["move"])
        if played is not None and ranked[0]["score"] > played["score"]:
            loss = ranked[0]["score"] - played["score"]
            dice = tuple(int(die) for die in action["dice"])
            side = SIDES[action["player"]]
            choices.append(
                Choice(number, move, side, dice, _text(action["move"]), _text(ranked[0]["move"]), loss)
            )
    return Analysis(skills, tuple(choices))


def worded(found: Analysis, match: MatchRecord, number: int) -> Analysis:
    """gnubg's steps (7/4 15/10, 13/10 10/5) as plays of our notation: 15/10 7/4, 13/5*. What cannot be found
    here stays as gnubg has it."""
    moments = replay(match, match.games[number - 1])
    before = [
        (moment.action.text, moment.before.position)
        for moment in moments
        if isinstance(moment.action, Played)
    ]
    choices = []
    for choice in found.choices:
        with suppress(EngineError, IndexError):
            played, position = before[choice.move - 1]
            choice = replace(choice, played=played, best=position.find(choice.best).text)
        choices.append(choice)
    return replace(found, choices=tuple(choices))


def _same(ranked: list[dict[str, Any]], move: list[list[int]]) -> dict[str, Any] | None:
    """The ranked move that is this one: step by step, or else with the same checkers in the same places
    afterwards."""
    exact = (each for each in ranked if sorted(each["move"]) == sorted(move))
    alike = (each for each in ranked if _shift(each["move"]) == _shift(move))
    return next(exact, None) or next(alike, None)


def _shift(move: list[list[int]]) -> dict[int, int]:
    places: Counter[int] = Counter()
    for source, target in move:
        places[source] -= 1
        places[target] += 1
    return {place: count for place, count in places.items() if count}


def _text(move: list[list[int]]) -> str:
    names = {25: "bar", 0: "off"}
    steps = Counter(f"{names.get(one, one)}/{names.get(two, two)}" for one, two in move)
    return (
        " ".join(f"{step}({count})" if count > 1 else step for step, count in steps.items()) or "cannot move"
    )
