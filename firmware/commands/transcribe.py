"""``barpoint transcribe``: a match out of a film."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from socket import socket

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from engine.errors import EngineError
from engine.match import Terms
from engine.messages import joined, phrase, phrase_number
from firmware.commands._corners import corners_option, geometry_option, read_geometry
from firmware.commands._options import FILE, PATH, PORT, json_option, port_option, rules_option
from firmware.commands._output import STDOUT, save, tell, unwritable
from firmware.commands._progress import ProgressLine
from firmware.errors import BadInput
from firmware.formats import FORMATS, FormatError, write
from firmware.languages.choice import local
from firmware.rules import chosen
from firmware.transcribe.film import Film, FilmError
from firmware.transcribe.job import Job, Where, open_film
from firmware.transcribe.report import pages
from firmware.transcribe.transcript import Transcript
from firmware.transcribe.work_folder import SUFFIX, WorkFolder
from vision.geometry.camera import Corner

WRITTEN = ("mat", "sgf", "json")
"""The formats in which a match is written down."""


@click.command(name="transcribe")
@click.argument("films", metavar="VIDEO|DIR…", nargs=-1, required=True, type=PATH)
@corners_option
@geometry_option
@click.option("--rig", type=PATH, help="The table's calibration, as 'barpoint calibrate' wrote it.")
@click.option(
    "-o",
    "--output",
    type=FILE,
    help="The match file (default: the film's name, in this folder); others are written beside it.",
)
@click.option("--length", type=click.IntRange(0, 1000), help="Points of the match (default: money play).")
@click.option("--players", nargs=2, metavar="WHITE BLACK", help="Their names.")
@click.option("--settle", is_flag=True, help="Ask about what is not sure, on a page of this computer.")
@port_option
@click.option(
    "--again", is_flag=True, help="Watch the film from its beginning, even if some of it was watched."
)
@rules_option(help="The game that is played (default: backgammon).")
@json_option(help="A JSON line for each turn: {t, side, dice, move, sure, candidates, position, …}.")
def command(
    films: tuple[Path, ...],
    corners: tuple[Corner, ...] | None,
    geometry_file: Path | None,
    rig: Path | None,
    output: Path | None,
    length: int | None,
    players: tuple[str, str] | None,
    settle: bool,
    port: int | None,
    again: bool,
    name: str | None,
    as_json: bool,
) -> None:
    """Watches a film of a match from above, with nobody pressing anything, and writes the match down: .mat,
    .sgf, .json, and a page (.html) with a picture of every turn.

    A film is a video file, or a folder of pictures with times in their names or in reel.json; several are
    parts of one. The board is found best where a game begins; where it is not, --corners or --rig say where
    it lies. What was seen is kept in a folder beside the match file: stopped, it goes on where it was. What
    is not sure is marked, and asked by --settle.

    \b
    Example: barpoint transcribe final.mp4 -o final.mat --length 7 --players Ada Bob
    """
    if rig is not None and corners:
        raise click.UsageError(phrase("give --corners or --rig, not both"))
    rules = chosen(name)
    if rules.board != "checkers":
        raise click.UsageError(
            phrase("{game} is not read out of films; games with checkers are", game=rules.title)
        )
    target = _target(output, films)
    kept = output is not None or not as_json or settle
    if kept:
        _keep_others(target, output)
    with _cleanly():
        film = open_film(films)
        where = Where(corners, read_geometry(geometry_file, rules.board), rig)
        where.told()  # before a folder is made
    with (
        _page(port) if settle else nullcontext() as page,
        _work_folder(target if kept else None) as folder,
        _cleanly(folder),
        folder.alone(),
    ):
        match = {"length": length, "players": players and list(players)}
        said = {key: each for key, each in match.items() if each is not None}
        job = Job(film, rules, folder, where, match=said)

        def finish() -> Transcript:
            with _progress(film) as job.progress:
                first, second = job.match.get("players", rules.sides)
                found = job.write_up(Terms(length=job.match.get("length", 0)), (first, second))
            if kept:
                _write(found, target, folder)
            return found

        with _progress(film) as job.progress:
            job.watch(again)
        _say((*job.news, *job.notes))  # before it turns out that no game is played in it: they may tell why
        found = finish()
        _say(found.notes[len(job.notes) :])
        if page is not None:
            _settle(job, finish, page)
            found = finish()
        _tell(found, target if kept else None, as_json)


def _target(output: Path | None, films: Sequence[Path]) -> Path:
    """The match file, with its suffix. Raises UsageError for what is no file's name, or where what is kept of
    it would be the film itself."""
    target = Path(f"{films[0].resolve().stem or 'match'}.mat") if output is None else output
    if output is not None and (
        not output.name or output == STDOUT or (target.exists() and not target.is_file())
    ):
        raise click.UsageError(
            phrase(
                "several files are written: name the match file (-o match.mat), or take the turns as"
                " lines (--json)"
            )
        )
    if target.suffix.lower() not in {each.suffix for each in _files(target)}:
        target = target.with_name(f"{target.name}.mat")  # "final.v2" is a name, and no kind of file
    kept = _folder_of(target).resolve()
    for film in films:
        if kept in (film.resolve(), *film.resolve().parents):
            words = phrase(
                "{film} is what was kept of an earlier transcription: name another match file (-o)",
                film=str(film),
            )
            raise click.UsageError(words)
    return target.with_suffix(FORMATS[WRITTEN[0]].suffix)


def _files(target: Path) -> list[Path]:
    """All that is written: the match in every format, and the report."""
    return [target.with_suffix(suffix) for suffix in (*(FORMATS[form].suffix for form in WRITTEN), ".html")]


def _keep_others(target: Path, named: Path | None) -> None:
    """A film's match may lie beside it already, from another program. Raises BadInput where a file would be
    written over that nobody ``named`` and no earlier transcription wrote: what a link leads to is none of
    these."""
    there = [each for each in _files(target) if each.exists() and each != named]
    if not WorkFolder(_folder_of(target)).empty:
        there = [each for each in there if each.is_symlink()]
    if there:
        words = phrase(
            "{file} is there already, and would be written over: move it away, or name another match file"
            " (-o)",
            file=str(there[0]),
        )
        raise BadInput(words)


def _folder_of(target: Path) -> Path:
    return target.with_name(target.stem + SUFFIX)


@contextmanager
def _cleanly(folder: WorkFolder | None = None) -> Iterator[None]:
    """What cannot be used is told in a line; of a disk that is full the system does not name the file."""
    try:
        yield
    except OSError as error:
        if folder is None or error.filename is not None or isinstance(error, BrokenPipeError):
            raise
        raise unwritable(folder.path, error) from error
    except (FilmError, FormatError, EngineError, ValueError) as error:
        raise BadInput(str(error)) from error


@contextmanager
def _work_folder(target: Path | None) -> Iterator[WorkFolder]:
    """Where what was seen is kept; for nobody but this run without a ``target``."""
    if target is None:
        with tempfile.TemporaryDirectory() as draft:
            yield WorkFolder(Path(draft))
        return
    path = _folder_of(target)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(path, error) from error
    try:
        yield WorkFolder(path)
    except KeyboardInterrupt:
        _say((phrase("stopped; the same command continues"),))
        raise


@contextmanager
def _progress(film: Film) -> Iterator[Callable[[str, float], None]]:
    """A bar on a terminal, elsewhere a line now and then."""
    whole = film.seconds
    if not sys.stderr.isatty():
        line = ProgressLine()
        yield lambda words, t: line(min(1.0, t / whole) if whole else 0.0, words)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:.0f}%"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=whole)
        yield lambda words, t: bar.update(task, description=local(words), completed=t)


def _write(found: Transcript, target: Path, folder: WorkFolder) -> None:
    """The match in every format that holds it, and the report."""
    *matches, report = _files(target)
    for form, path in zip(WRITTEN, matches, strict=True):
        try:
            save(path, write(found.match, form))
        except FormatError as error:
            tell(f"barpoint: {path}: {error}", err=True)

    def picture(name: str) -> bytes | None:
        path = folder.pictures / name
        return path.read_bytes() if name and path.is_file() else None

    save(report, "".join(pages(found, picture)))


def _page(port: int | None) -> socket:
    """Where the questions will be asked; taken before hours of film are watched. Raises BadInput."""
    from firmware.page.server import listen

    return listen("127.0.0.1", port, PORT)


def _settle(job: Job, finish: Callable[[], Transcript], page: socket) -> None:
    """Serves the questions until somebody stops it."""
    import uvicorn

    from firmware.transcribe.settling_page import app

    address = f"http://127.0.0.1:{page.getsockname()[1]}/"
    tell(
        phrase("Which was played? Answer on {address} and stop with Ctrl-C", address=address),
        err=True,
    )
    with suppress(KeyboardInterrupt):
        uvicorn.Server(uvicorn.Config(app(job, finish), log_level="error")).run(sockets=[page])


def _say(notes: Sequence[str]) -> None:
    for note in notes:
        tell(joined(": ", ("barpoint", note)), err=True)


def _tell(found: Transcript, target: Path | None, as_json: bool) -> None:
    if as_json:
        for line in found.lines():
            click.echo(json.dumps(line))
    else:
        turns = sum(len(game.turns) for game in found.games)
        first, second = found.match.score
        tell(
            phrase(
                "{file}: {games}, {turns}, score {score}",
                file=target,
                games=phrase_number("{n} game", "{n} games", len(found.games)),
                turns=phrase_number("{n} turn", "{n} turns", turns),
                score=f"{first}-{second}",
            )
        )
    if found.open:
        tell(
            phrase_number(
                "barpoint: {n} question is open: run it again with --settle",
                "barpoint: {n} questions are open: run it again with --settle",
                found.open,
            ),
            err=True,
        )
