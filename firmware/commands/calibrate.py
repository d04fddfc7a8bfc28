"""``barpoint calibrate``: learns a table from a photo."""

from __future__ import annotations

import json
from pathlib import Path

import click

from engine.errors import ImpossibleSetup
from engine.position import Position, Rules
from firmware.commands._corners import corners_option, geometry, geometry_option
from firmware.errors import BadInput
from firmware.formats import FormatError, read_position
from firmware.rules import chosen
from vision import boards
from vision.camera import Corner
from vision.frame import load


@click.command(name="calibrate")
@click.argument("photo", type=click.Path(path_type=Path))
@corners_option
@geometry_option
@click.option("--empty", type=click.Path(path_type=Path), help="A photo of the same board with nothing on it: reads a little better.")
@click.option(
    "--position",
    metavar="P",
    help="What stands on the board: a file with the JSON position, an XGID or a GNU position ID (default: the start).",
)
@click.option("--rules", "name", metavar="R", help="The game that is played (default: backgammon).")
@click.option(
    "-o",
    "--output",
    metavar="RIG",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="Where the calibration is written.",
)
@click.option("--json", "as_json", is_flag=True, help="How good it is, as one JSON line.")
def command(
    photo: Path,
    corners: tuple[Corner, ...] | None,
    geometry_file: Path | None,
    empty: Path | None,
    position: str | None,
    name: str | None,
    output: Path,
    as_json: bool,
) -> None:
    """Learns a table from a PHOTO of a known position, and writes the calibration to RIG.

    \b
    Example: barpoint calibrate start.jpg --corners 249,828 1050,810 1023,136 256,148 -o table.rig
    """
    if not corners:
        raise click.UsageError("give --corners: the four corners of the playing surface, in pixels")
    rules = chosen(name)
    try:
        known = _start(rules) if position is None else read_position(position)
    except FormatError as error:
        raise BadInput(f"--position: {error}") from error
    picture = load(photo)
    places = [(x * picture.scale, y * picture.scale) for x, y in corners]
    bare = None if empty is None else load(empty).image
    looks = None if known is None else known.looks()
    table = boards.get(rules.board).calibrate(picture.image, places, geometry(geometry_file), looks, bare)
    try:
        boards.save(table, output, rules.name)
    except OSError as error:
        raise BadInput(f"cannot write {output}: {error.strerror or error}") from error
    if as_json:
        quality = {"separation": quality["separation"]} if (quality := table.to_json().get("quality")) else {}
        click.echo(json.dumps({"rig": str(output), **quality, "corner_error": table.corner_error, "wrong": list(table.wrong)}))
    else:
        click.echo(
            f"{output}: corners fit to {table.corner_error:.1f} px" + (f"; misread: {', '.join(table.wrong)}" if table.wrong else "")
        )


def _start(rules: Rules) -> Position | None:
    """How the game begins; None where the players set the board up: then the picture shows it."""
    try:
        return rules.start(rules.options)
    except ImpossibleSetup:
        return None
