"""``barpoint config``: the configuration, shown and checked."""

from __future__ import annotations

import json
from pathlib import Path

import click

from engine.messages import phrase
from firmware.commands._options import PATH, json_option
from firmware.commands._output import tell
from firmware.diagnostics.unit import drop_in
from firmware.settings.config import load
from firmware.settings.section import DEFAULTS


@click.command(name="config")
@click.option("--check", "path", type=PATH, help="Check this file; exit status 2 where something is wrong.")
@click.option("--show-defaults", is_flag=True, help="Print a file with every key, its default and its use.")
@json_option(help="With --check: print the whole configuration as one JSON object.")
@click.option("--unit", is_flag=True, help="With --check: print what the systemd unit needs (for ./install).")
def command(path: Path | None, show_defaults: bool, as_json: bool, unit: bool) -> None:
    """Shows the default configuration, or checks one.

    \b
    Example: barpoint config --show-defaults > barpoint.toml
             barpoint config --check barpoint.toml
    """
    if (path is None) != show_defaults:
        raise click.UsageError(phrase("give either --check FILE or --show-defaults"))
    if path is None and (unit or as_json):
        raise click.UsageError(phrase("--unit and --json go with --check"))
    if path is None:
        click.echo(DEFAULTS.read_text(encoding="utf-8"), nl=False)
        return
    found = load(path)
    for each in (found.page.certificate, found.page.key):
        if each and _is_missing(Path(each)):  # no error: it may come later, or this may be another machine
            tell(
                phrase(
                    "barpoint: {path}: [page] names {file}, which is not here; the table does not start"
                    " without it",
                    path=path,
                    file=each,
                ),
                err=True,
            )
    if unit:
        click.echo(drop_in(found), nl=False)
        return
    tell(json.dumps(found.model_dump(mode="json")) if as_json else phrase("{path}: in order", path=path))


def _is_missing(path: Path) -> bool:
    """Whether there is no such file; False where only the service may look."""
    try:
        return not path.exists()
    except OSError:
        return False
