"""``barpoint read``: what stands where in a picture."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import click

from engine.position import Rules
from firmware.commands._corners import corners_option, geometry_option, read_geometry
from firmware.commands._options import PATH, json_option, rules_option
from firmware.commands._output import tell
from firmware.readings import describe_reading, reading_json
from firmware.rules import chosen
from vision import boards
from vision.blind.reader import read_blind
from vision.checkers import board
from vision.errors import VisionError
from vision.geometry.board_measures import Geometry
from vision.geometry.camera import Corner
from vision.picture.frame import Frame, load
from vision.reading import Reading


@click.command(name="read", short_help="Reads photos: what stands where, and how sure that is")
@click.argument("photos", metavar="PHOTO…", nargs=-1, required=True, type=PATH)
@click.option("--rig", type=PATH, help="The table's calibration, as 'barpoint calibrate' wrote it.")
@corners_option
@geometry_option
@rules_option("The game that is played", "the one that the table was calibrated for, or backgammon")
@json_option("One JSON line per photo.")
def command(
    photos: tuple[Path, ...],
    rig: Path | None,
    corners: tuple[Corner, ...] | None,
    geometry_file: Path | None,
    name: str | None,
    as_json: bool,
) -> None:
    """Reads photos: of a calibrated table with --rig, or of a board never seen before with --corners (white
    is the lighter colour).

    Where a photo cannot be read, a message names it, and the others are read all the same; the exit status
    is then 2.

    \b
    Example: barpoint read evening.jpg --rig table.rig --json
    """
    rules, read = _reader(name, rig, corners, geometry_file)
    failed = False
    for photo in photos:
        try:
            reading = read(load(photo))
        except VisionError as error:
            text = str(error)
            tell(f"barpoint: {text if str(photo) in text else f'{photo}: {text}'}", err=True)
            failed = True
            continue
        data = reading_json(str(photo), rules.name, reading)
        click.echo(json.dumps(data) if as_json else describe_reading(data))
    if failed:
        raise SystemExit(2)


def _reader(
    name: str | None, rig: Path | None, corners: tuple[Corner, ...] | None, geometry_file: Path | None
) -> tuple[Rules, Callable[[Frame], Reading]]:
    """The game (without a name the one that the table was calibrated for), and what reads pictures of it."""
    if (rig is None) == (not corners):
        raise click.UsageError(
            "give either --rig, for a calibrated table, or --corners, for a board never seen before"
        )
    if rig is not None:
        stored = boards.load(rig)
        rules = chosen(name or stored.rules)
        if rules.board != stored.board:
            raise click.UsageError(
                f"{rig} is calibrated for {stored.board}, and {rules.title} is played with {rules.board}"
            )
        return rules, stored.table.read
    rules = chosen(name)
    if rules.board != board.Checkers.name:
        raise click.UsageError(f"{rules.title} is read with --rig only: calibrate its table first")
    assert corners is not None
    known = Geometry.from_json(read_geometry(geometry_file, rules.board))
    stock = max(rules.start(rules.options).stock().values())
    return rules, lambda frame: read_blind(
        frame.image, [(x * frame.scale, y * frame.scale) for x, y in corners], known, stock
    )
