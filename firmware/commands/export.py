"""``barpoint export``: a logged match for other programs."""

from __future__ import annotations

from pathlib import Path

import click

from engine.errors import EngineError
from firmware.archive import find, record
from firmware.errors import BadInput
from firmware.formats import FORMATS, FormatError, write
from firmware.state import journal


@click.command(name="export")
@click.argument("game")
@click.option("--format", "form", type=click.Choice(list(FORMATS)), default="json", show_default=True, help="The file format.")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), help="Write to this file instead of standard output.")
@click.option("--state", type=click.Path(path_type=Path, file_okay=False), help="Where the logs are (default: $XDG_STATE_HOME/barpoint).")
def command(game: str, form: str, output: Path | None, state: Path | None) -> None:
    """Writes a logged match for gnubg, XG and the rest. GAME is an id from 'barpoint games', or 'last'.

    \b
    Example: barpoint export last --format mat -o match.mat
    """
    with journal(state, create=False) as kept:
        try:
            text = write(record(kept.entries(find(kept, game))), form)
        except (FormatError, EngineError) as error:
            raise BadInput(f"{game}: {error}") from error
    if output is None:
        click.echo(text, nl=not text.endswith("\n"))
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"cannot write {output}: {error.strerror or error}") from error
