"""``barpoint import``: a match of another program into the archive."""

from __future__ import annotations

import json
from pathlib import Path

import click

from engine import outside
from engine.errors import EngineError
from engine.messages import joined, phrase, phrase_number
from engine.record import MatchRecord
from firmware.commands._options import json_option, state_option
from firmware.commands._output import tell, tell_notes
from firmware.commands._positions import read_situation
from firmware.commands._progress import ProgressLine
from firmware.engines import NoEngine
from firmware.errors import BadInput
from firmware.files import read_whole
from firmware.formats import FormatError, Imported, detect, read
from firmware.formats.analysed_import import program_of
from firmware.formats.source import decode
from firmware.formats.xgid_import import of_situation
from firmware.record import archive, seal
from firmware.record.catalogue import find_same
from firmware.record.chain import START
from firmware.record.foreign_review import foreign_reviews
from firmware.record.game_faults import Fault
from firmware.record.journal import Journal
from firmware.record.review import keep_foreign
from firmware.record.verify import check_record, check_sealed
from firmware.state import directory, hold, journal, new_log
from firmware.utc import utc_now


@click.command(name="import")
@click.argument("file", metavar="FILE|XGID")
@click.option("--partly", is_flag=True, help="Where some of a file cannot be taken, take the rest.")
@click.option("--again", is_flag=True, help="Where a match is in the archive already, take it all the same.")
@json_option(help="One JSON line: {id, players, games, notes}.")
@state_option()
def command(file: str, partly: bool, again: bool, as_json: bool, state: Path | None) -> None:
    """Puts a match into the archive: a .mat or .sgf file, JSON or plain text of Barpoint; an .xg, .bgf or
    .ogxm file (needs gammonview) together with its analysis; or a position (XGID=… or a GNU position ID).

    The rules judge every move first, and a message names each line that is not understood. Where a part of
    the match would be missing, nothing is imported; --partly imports the rest: a game up to the faulty line,
    and the games after it.

    \b
    Example: barpoint import final.mat
    Example: barpoint import final.xg
    """
    found = _read(file)
    lost = sum(note.lost for note in found.notes)
    if lost and not partly:
        raise BadInput(
            phrase_number(
                "{file}: {n} part of the match cannot be taken; fix the lines, or take the rest with"
                " --partly",
                "{file}: {n} parts of the match cannot be taken; fix the lines, or take the rest with"
                " --partly",
                lost,
                file=file,
            )
        )
    log, match = new_log(), found.record
    if not match.games:
        raise BadInput(phrase("{file}: there is no game in it, so that nothing is imported", file=file))
    body = archive.imported(match)
    try:
        outside.check(body["match"], "the match", lines=True)
    except EngineError as error:
        raise BadInput(joined(": ", (file, str(error)))) from error
    with hold(directory(state), "import"), journal(state) as logs:
        if not again:
            _check_new(file, match, logs)
        logs.append(log, utc_now(), body, after=START)
        analysed = _keep_analysis(found, archive.read_match(logs, log), directory(state) / "analysis")
    if as_json:
        data = {"id": log, "players": list(match.players), "games": len(match.games), "analysed": analysed}
        click.echo(json.dumps(data | {"notes": [str(note) for note in found.notes]}))
    else:
        games = phrase_number("{n} game", "{n} games", len(match.games))
        if found.analysis:
            program = found.analysis["program"]
            games = phrase(
                "{games}, {n} with the analysis of {program}", games=games, n=analysed, program=program
            )
        tell(phrase("{log}  {players}: {games}", log=log, players=" - ".join(match.players), games=games))


def _check_new(file: str, match: MatchRecord, logs: Journal) -> None:
    """Raises BadInput where the match is in the archive already: a player's history would count it twice."""
    progress = ProgressLine()
    same = find_same(logs, match, progress)
    progress.done()
    if same is not None:
        raise BadInput(
            phrase(
                "{file}: this match is in the archive already, as {log}; nothing is imported (--again takes"
                " it all the same)",
                file=file,
                log=same,
            )
        )


def _keep_analysis(found: Imported, match: MatchRecord, folder: Path) -> int:
    """Keeps the analysis that came with a match, as ``barpoint review`` keeps its own; of how many games."""
    if found.analysis is None:
        return 0
    try:
        return keep_foreign(match, foreign_reviews(match, found.analysis), folder)
    except NoEngine as error:  # the match is in the archive already
        tell(joined(": ", ("barpoint", str(error))), err=True)
        return 0


def _read(file: str) -> Imported:
    path = Path(file)
    try:
        if path.is_dir():
            raise BadInput(phrase("{path} is a folder; name a file in it", path=path))
        if not path.is_file():
            return _position(file)
        data = read_whole(path)
        if program_of(data) is None:
            text = decode(data)
            if detect(text) == "json":
                record, sealed = seal.read(text)
                check_sealed(record, sealed, own=False)
                return Imported(record)
        found = read(data)
        tell_notes(file, found.notes)  # first: they say by line why a record may be at fault
        check_record(found.record, whole=False)
    except OSError as error:
        raise BadInput(joined(": ", (file, error.strerror or str(error)))) from error
    except (FormatError, EngineError, Fault) as error:
        raise BadInput(joined(": ", (file, str(error)))) from error
    return found


def _position(text: str) -> Imported:
    """One game that starts from this position, with its cube, dice and score where the text says them."""
    try:
        return Imported(of_situation(read_situation(text)))
    except FormatError as error:
        if text.upper().startswith("XGID"):
            raise BadInput(str(error)) from error
        raise BadInput(
            phrase(
                "{text}: there is no such file, and it is no position; give a match file, an XGID or a GNU"
                " position ID",
                text=text,
            )
        ) from error
