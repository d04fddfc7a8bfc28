"""``barpoint calibrate``: learns a table from a photo."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import cv2

from engine.errors import ImpossibleSetup
from engine.layout import Looks
from engine.position import Position, Rules
from firmware.commands._corners import corners_option, geometry, geometry_option
from firmware.commands._output import ordinary
from firmware.commands._progress import Told
from firmware.commands._rules import rules_option
from firmware.errors import BadInput
from firmware.formats import FormatError, read_position
from firmware.rules import chosen
from vision import boards
from vision.errors import CalibrationError, GeometryError
from vision.geometry.camera import Corner
from vision.picture.frame import Frame, load


@click.command(name="calibrate", short_help="Learns a table from a photo of a known position")
@click.argument("photo", type=click.Path(path_type=Path))
@corners_option
@geometry_option
@click.option(
    "--empty",
    type=click.Path(path_type=Path),
    help="A photo of the same board with nothing on it: reads a little better.",
)
@click.option(
    "--position",
    metavar="P",
    help=(
        "What stands on the board: a file with the JSON position, an XGID or a GNU position ID (default: the"
        " start)."
    ),
)
@click.option(
    "--exchange",
    is_flag=True,
    help="White has the checkers that are taken for Black's without it (the darker ones).",
)
@rules_option("The game that is played", "backgammon")
@click.option(
    "-o",
    "--output",
    metavar="RIG",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="Where the calibration is written.",
)
@click.option(
    "--overlay",
    metavar="PNG",
    type=click.Path(path_type=Path, dir_okay=False),
    help="A picture of what was learned, drawn on the photo.",
)
@click.option("--json", "as_json", is_flag=True, help="How good it is, as one JSON line.")
def command(
    photo: Path,
    corners: tuple[Corner, ...] | None,
    geometry_file: Path | None,
    empty: Path | None,
    position: str | None,
    exchange: bool,
    name: str | None,
    output: Path,
    overlay: Path | None,
    as_json: bool,
) -> None:
    """Learns a table from a PHOTO of a known position, and writes the calibration to RIG. Without --corners
    the playing surface is looked for (some seconds).

    \b
    Example: barpoint calibrate start.jpg -o table.rig --overlay look.png
    Example: barpoint calibrate start.jpg --corners 249,828 1050,810 1023,136 256,148 -o table.rig
    """
    rules = chosen(name)
    for target in (output, overlay):
        if target is not None and not target.parent.is_dir():
            raise BadInput(f"cannot write {target}: there is no folder {target.parent}")
    kept = ordinary(output)
    try:
        known = _start(rules) if position is None else read_position(position)
    except FormatError as error:
        raise BadInput(f"--position: {error}") from error
    picture, bare = load(photo), None if empty is None else load(empty)
    looks = None if known is None else known.looks()
    measures = geometry(geometry_file, rules.board)
    progress = Told()
    try:
        outline = None if corners else _found(picture, rules, measures, looks, progress)
        places = corners or (outline.corners if outline else ())
        learned = boards.learn(picture, places, rules.board, measures, looks, bare, progress, exchange)
    finally:
        progress.done()
    _write(learned, kept, overlay, rules.name)
    if as_json:
        found = {} if outline is None else outline.to_json()
        click.echo(json.dumps({"rig": str(output), **found, **learned.quality.to_json()}))
        return
    if outline:
        click.echo(
            f"found the surface at {' '.join(f'{x:.0f},{y:.0f}' for x, y in outline.corners)}"
            f" ({outline.sure:.0%} sure)"
        )
    weak = learned.quality.words()
    click.echo(
        f"{output}: corners fit to {learned.quality.corner_error:.1f} px" + ("" if weak else "; nothing weak")
    )
    for line in weak:
        click.echo(f"  weak: {line}")


def _found(
    picture: Frame, rules: Rules, measures: Mapping[str, Any], looks: Looks | None, progress: boards.Progress
) -> boards.FoundCorners:
    """Where the board is. Raises BadInput, with the option that helps, where that is not sure."""
    try:
        return boards.find(picture, rules.board, measures, looks, progress)
    except CalibrationError as error:
        option = "--geometry FILE" if isinstance(error, GeometryError) else "--corners X,Y X,Y X,Y X,Y"
        raise BadInput(f"{error}: {option}") from error


def _write(learned: boards.LearnedTable, output: Path, overlay: Path | None, rules: str) -> None:
    """The rig, and the picture of what was read. Raises BadInput where one cannot be written."""
    target = output
    try:
        boards.save(learned.table, output, rules)
        if overlay is not None:
            target = overlay
            done, data = cv2.imencode(".png", learned.picture)
            overlay.write_bytes(data.tobytes() if done else b"")
    except OSError as error:
        raise BadInput(f"cannot write {target}: {error.strerror or error}") from error


def _start(rules: Rules) -> Position | None:
    """How the game begins; None where the players set the board up: then the picture shows it."""
    try:
        return rules.start(rules.options)
    except ImpossibleSetup:
        return None
