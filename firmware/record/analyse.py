"""A match through GNU Backgammon: how good each play was, and what would have been better.

Each game is analysed on its own, and its result kept in a file named by what was analysed (the game as .mat,
and the plies), so that a run that was stopped continues from there. gnubg is the Debian package of that name;
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
"""Seconds for one game: 3 plies take long on a small machine, but a gnubg that hangs must be stopped."""
PLIES = (3, 2, 1, 0)
"""How far gnubg may look ahead, the best first."""

_WRONG = (OSError, ValueError, LookupError, TypeError, AttributeError)
"""What reading gnubg's output in another form may raise."""


class NoAnalysis(Exception):
    """gnubg is missing or failed; the message says what to do."""


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

    def __add__(self, other: Skill) -> Skill:
        unforced, errors = self.unforced + other.unforced, self.errors + other.errors
        return Skill(unforced, errors, self.cube + other.cube, self.luck + other.luck)

    @property
    def rate(self) -> float:
        """Lost equity in thousandths for each unforced play (checker play alone)."""
        return 1000 * self.errors / self.unforced if self.unforced else 0.0


@dataclass(frozen=True, slots=True)
class Analysis:
    """A game as gnubg sees it."""

    skills: Mapping[Side, Skill]
    choices: tuple[Choice, ...]


def find_gnubg() -> str:
    """The path of gnubg. Raises NoAnalysis, which says how to install it."""
    found = shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games")
    if found is None:
        raise NoAnalysis(GET)
    return found


def kept(match: MatchRecord, plies: int, folder: Path) -> list[Analysis | None]:
    """What earlier runs found of each game; None where nothing is kept. Raises FormatError where gnubg does
    not know the game."""
    found: list[Analysis | None] = []
    for number in range(1, len(match.games) + 1):
        file = _file(match, number, plies, folder)
        try:
            analysis = _parse(json.loads(file.read_text()), number)
        except _WRONG:
            found.append(None)
        else:
            found.append(reworded(analysis, match, number))
    return found


def best_kept(match: MatchRecord, folder: Path) -> list[Analysis | None]:
    """What the run that looked furthest ahead found of each game; empty where gnubg does not know the
    game."""
    try:
        runs = [kept(match, plies, folder) for plies in PLIES]
    except FormatError:
        return []
    return [next((found for found in game if found is not None), None) for game in zip(*runs, strict=True)]


def analyse(
    match: MatchRecord, plies: int, folder: Path, patience: float = PATIENCE
) -> Iterator[Analysis | NoAnalysis]:
    """The games one by one, each kept in ``folder`` when it is done; or why gnubg failed at it. Raises
    NoAnalysis where it would fail at every game, and FormatError."""
    for number, known in enumerate(kept(match, plies, folder), 1):
        if known is not None:
            yield known
            continue
        gnubg = find_gnubg()
        try:
            found = _run(gnubg, match, number, plies, patience)
        except NoAnalysis as error:
            yield error
            continue
        _keep(found, _file(match, number, plies, folder))
        yield reworded(_parse(found, number), match, number)


def total(analyses: Sequence[Analysis]) -> dict[Side, Skill]:
    """Each player's figures over these games."""
    sums = dict.fromkeys(SIDES.values(), Skill())
    for each in analyses:
        for side, skill in each.skills.items():
            sums[side] += skill
    return sums


def worst_first(analyses: Sequence[Analysis]) -> list[Choice]:
    """All errors in these games, the most expensive first."""
    return sorted((choice for each in analyses for choice in each.choices), key=lambda choice: -choice.loss)


def _game_as_mat(match: MatchRecord, number: int) -> bytes:
    """What gnubg is given: half of a character in a name becomes a question mark."""
    if match.rules != GAME:
        raise FormatError(f"gnubg plays {GAME} only, and this is {match.rules}")
    return mat.write(replace(match, games=(match.games[number - 1],))).encode(errors="replace")


def _file(match: MatchRecord, number: int, plies: int, folder: Path) -> Path:
    digest = hashlib.sha256(f"{plies} ".encode() + _game_as_mat(match, number)).hexdigest()
    return folder / f"{digest[:32]}.json"


def _run(gnubg: str, match: MatchRecord, number: int, plies: int, patience: float) -> dict[str, Any]:
    """gnubg's output for one game. Raises NoAnalysis."""
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        (work / "game.mat").write_bytes(_game_as_mat(match, number))
        (work / "driver.py").write_text(
            _DRIVER.format(plies=plies, file=work / "game.mat", out=str(work / "out.json")), encoding="utf-8"
        )
        command = [gnubg, "-t", "-q", "-r", "-p", str(work / "driver.py")]
        try:
            code, said = _run_program(command, patience)
        except subprocess.TimeoutExpired:
            late = f"gnubg has not answered for {patience:g} s; try fewer --plies"
            raise NoAnalysis(f"game {number}: {late}") from None
        except OSError as error:
            raise NoAnalysis(f"game {number}: {gnubg}: {error.strerror or error}") from error
        try:
            data: dict[str, Any] = json.loads((work / "out.json").read_text())
            _parse(data, number)
        except _WRONG as error:
            last = " ".join(said.strip().splitlines()[-1:])[:200]
            ended = f"signal {-code}" if code < 0 else f"status {code}"
            ended += f": {last}" if last else ""
            raise NoAnalysis(f"game {number}: gnubg gave no analysis (it ended with {ended})") from error
    return data


def _run_program(command: Sequence[str], patience: float) -> tuple[int, str]:
    """A program's exit status, and what it printed. Ctrl-C and an end of patience kill it."""
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


def _parse(data: dict[str, Any], number: int) -> Analysis:
    """gnubg's output for a single game (``gnubg.match()``)."""
    (game,) = data["games"]
    skills = {}
    for name, side in SIDES.items():
        stats = game["stats"][name]
        moves, cube = stats["moves"], stats["cube"]
        luck = stats["dice"]["luck"]
        skills[side] = Skill(moves["unforced-moves"], moves["error-skill"], cube["error-skill"], luck)
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
            dice, side = tuple(int(die) for die in action["dice"]), SIDES[action["player"]]
            text, better = _notation(action["move"]), _notation(ranked[0]["move"])
            choices.append(Choice(number, move, side, dice, text, better, loss))
    return Analysis(skills, tuple(choices))


def reworded(found: Analysis, match: MatchRecord, number: int) -> Analysis:
    """gnubg's steps (7/4 15/10, 13/10 10/5) as plays in our notation (15/10 7/4, 13/5*). A play that is not
    found stays as gnubg writes it."""
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
    """The ranked move that is this one: with the same steps, or else with the same result."""
    exact = (each for each in ranked if sorted(each["move"]) == sorted(move))
    alike = (each for each in ranked if _shift(each["move"]) == _shift(move))
    return next(exact, None) or next(alike, None)


def _shift(move: list[list[int]]) -> dict[int, int]:
    places: Counter[int] = Counter()
    for source, target in move:
        places[source] -= 1
        places[target] += 1
    return {place: count for place, count in places.items() if count}


def _notation(move: list[list[int]]) -> str:
    names = {25: "bar", 0: "off"}
    steps = Counter(f"{names.get(one, one)}/{names.get(two, two)}" for one, two in move)
    texts = (f"{step}({count})" if count > 1 else step for step, count in steps.items())
    return " ".join(texts) or "cannot move"
