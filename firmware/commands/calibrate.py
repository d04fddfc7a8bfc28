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
from engine.messages import joined, phrase
from engine.position import Position, Rules
from firmware.commands._corners import corners_option, geometry_option, read_geometry
from firmware.commands._options import FILE, PATH, json_option, output_option, rules_option
from firmware.commands._output import ordinary_file, tell, unwritable
from firmware.commands._positions import read_position
from firmware.commands._progress import ProgressLine
from firmware.errors import BadInput
from firmware.formats import FormatError
from firmware.languages.choice import written
from firmware.rules import chosen
from firmware.setup.learning import keep
from vision import boards
from vision.errors import CalibrationError, DarkError, GeometryError, HomeError
from vision.geometry.board_measures import HOMES
from vision.geometry.camera import Corner
from vision.picture.frame import Frame, load
from vision.quality import Quality
from vision.unknown_board import find_known

HOME_AT = {
    "left": phrase("home boards at the left of the picture"),
    "right": phrase("home boards at the right of the picture"),
    "top": phrase("home boards at the top of the picture"),
    "bottom": phrase("home boards at the bottom of the picture"),
}
"""What is said of the side of the picture on which the home boards are."""


@click.command(name="calibrate")
@click.argument("photo", type=PATH)
@corners_option
@geometry_option
@click.option("--empty", type=PATH, help="A photo of the same board with nothing on it: it reads better.")
@click.option(
    "--position",
    metavar="P",
    help="What is on the board: a JSON file, an XGID or a GNU position ID (default: the start).",
)
@click.option(
    "--home",
    type=click.Choice(HOMES),
    help="The side of the picture on which the home boards are (default: as the position shows).",
)
@click.option("--exchange", is_flag=True, help="White has the darker checkers, which otherwise are Black's.")
@rules_option(help="The game that is played (default: backgammon).")
@output_option(help="Where the calibration is written.", metavar="RIG", required=True)
@click.option(
    "--overlay", metavar="PNG", type=FILE, help="A picture to write, with what was learned drawn on."
)
@json_option(help="How good it is, as one JSON line.")
def command(
    photo: Path,
    corners: tuple[Corner, ...] | None,
    geometry_file: Path | None,
    empty: Path | None,
    position: str | None,
    home: str | None,
    exchange: bool,
    name: str | None,
    output: Path,
    overlay: Path | None,
    as_json: bool,
) -> None:
    """Learns a table from a PHOTO of a known position, and writes the calibration to RIG. Without --corners
    the program looks for the playing surface itself (some seconds). A calibration that RIG has already stays
    in it, and 'barpoint learned' goes back to it.

    \b
    Example: barpoint calibrate start.jpg -o table.rig --overlay look.png
    Example: barpoint calibrate start.jpg --corners 249,828 1050,810 1023,136 256,148 -o table.rig
    """
    rules = chosen(name)
    for path in (output, overlay):
        if path is not None and not path.parent.is_dir():
            raise BadInput(
                phrase("cannot write {path}: there is no folder {folder}", path=path, folder=path.parent)
            )
    target_file = ordinary_file(output)
    try:
        known = _start_position(rules) if position is None else read_position(position)
    except FormatError as error:
        raise BadInput(f"--position: {error}") from error
    picture, bare = load(photo), None if empty is None else load(empty)
    looks = None if known is None else known.looks()
    measures = dict(read_geometry(geometry_file, rules.board))
    if home is not None:
        if "home" not in boards.get(rules.board).geometry_keys:
            raise BadInput(
                phrase(
                    "--home: {game} is not played on a board whose home may be on either side",
                    game=rules.title,
                )
            )
        measures["home"] = home
    progress = ProgressLine()
    try:
        outline = None if corners else _find_board(picture, rules, measures, looks, progress)
        places = corners or (outline.corners if outline else ())
        learned = boards.learn(picture, places, rules.board, measures, looks, bare, progress, exchange)
    finally:
        progress.done()
    _write(learned, target_file, overlay, rules)
    if as_json:
        found = {} if outline is None else outline.to_json()
        click.echo(json.dumps({"rig": str(output), **found, **learned.quality.to_json()}))
        return
    _tell(output, outline, learned.quality)


def _tell(output: Path, outline: boards.FoundCorners | None, quality: Quality) -> None:
    if outline:
        where = " ".join(f"{x:.0f},{y:.0f}" for x, y in outline.corners)
        tell(
            phrase(
                "found the playing surface at {where} ({sure} sure)", where=where, sure=f"{outline.sure:.0%}"
            )
        )
    weak = quality.words()
    words = [phrase("corners fit to {n} px", n=written(quality.corner_error, 1))]
    if quality.home:
        words.append(HOME_AT[quality.home])
    if not weak:
        words.append(phrase("nothing weak"))
    tell(phrase("{file}: {words}", file=output, words=joined("; ", words)))
    for line in weak:
        tell(phrase("  weak: {words}", words=line))


def _find_board(
    picture: Frame, rules: Rules, measures: Mapping[str, Any], looks: Looks | None, progress: boards.Progress
) -> boards.FoundCorners:
    """Where the board is. Raises BadInput, with the option that helps, where that is in doubt."""
    try:
        return find_known(picture, rules.board, measures, looks, progress)
    except HomeError as error:
        raise BadInput(joined(": ", (str(error), "--home"))) from error
    except DarkError:
        raise
    except CalibrationError as error:
        option = "--geometry FILE" if isinstance(error, GeometryError) else "--corners X,Y X,Y X,Y X,Y"
        raise BadInput(joined(": ", (str(error), option))) from error


def _write(learned: boards.LearnedTable, output: Path, overlay: Path | None, rules: Rules) -> None:
    """The rig, and the picture of what was read. Raises BadInput where one cannot be written."""
    target = output
    try:
        keep(learned.table, rules.board, rules.name, output)
        if overlay is not None:
            target = overlay
            done, data = cv2.imencode(".png", learned.picture)
            overlay.write_bytes(data.tobytes() if done else b"")
    except OSError as error:
        raise unwritable(target, error) from error


def _start_position(rules: Rules) -> Position | None:
    """How the game begins; None where the players set the board up: then the picture shows it."""
    try:
        return rules.start(rules.options)
    except ImpossibleSetup:
        return None
