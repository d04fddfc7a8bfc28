"""``barpoint read``: what stands where in a picture."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from engine.messages import joined, phrase
from engine.position import Rules
from firmware.commands._corners import corners_option, geometry_option, read_geometry
from firmware.commands._options import PATH, json_option, rules_option
from firmware.commands._output import tell
from firmware.commands._progress import ProgressLine
from firmware.readings import describe_reading, reading_json
from firmware.rules import chosen
from vision import boards
from vision.blind.reader import read_blind
from vision.checkers import board
from vision.dice import USUAL, DiceReader, Lying
from vision.dice.below import on_checkers, read_both
from vision.errors import CalibrationError, DarkError, VisionError
from vision.geometry.board_measures import Geometry
from vision.geometry.camera import Corner, scaled
from vision.picture.frame import Frame, load
from vision.reading import BoardReader, Reading
from vision.settle import read_still
from vision.unknown_board import FoundBoard, find_as_it_stands, find_turned


@dataclass(frozen=True, slots=True)
class Found:
    """What stands on the board; the dice and the cube that lie ``beside``, None where nobody looked for them;
    where the ``board`` is, where nobody told; and ``words`` of what is weak."""

    reading: Reading
    beside: Lying | None = None
    board: FoundBoard | None = None
    words: str = ""


@click.command(name="read")
@click.argument("photos", metavar="PHOTO…", nargs=-1, required=True, type=PATH)
@click.option("--rig", type=PATH, help="The table's calibration, as 'barpoint calibrate' wrote it.")
@corners_option
@geometry_option
@rules_option(
    help="The game that is played (default: the one that the table was calibrated for, or backgammon)."
)
@json_option(help="One JSON line per photo.")
def command(
    photos: tuple[Path, ...],
    rig: Path | None,
    corners: tuple[Corner, ...] | None,
    geometry_file: Path | None,
    name: str | None,
    as_json: bool,
) -> None:
    """Reads photos: of a calibrated table with --rig, or of a board never seen before, which is looked for
    unless --corners say where it is. White is the lighter colour, with its home at the lower right, unless a
    game's start shows otherwise.

    Where a photo cannot be read, a message names it, and the others are read all the same; the exit status
    is then 2.

    \b
    Example: barpoint read evening.jpg --rig table.rig --json
    Example: barpoint read somebody-elses-board.jpg
    """
    rules, read = _reader(name, rig, corners, geometry_file)
    failed = False
    for photo in photos:
        try:
            found = read(load(photo))
        except VisionError as error:
            text = str(error)
            tell(f"barpoint: {text if str(photo) in text else f'{photo}: {text}'}", err=True)
            failed = True
            continue
        if found.words:
            tell(f"barpoint: {photo}: {found.words}", err=True)
        data = reading_json(str(photo), rules.name, found.reading, found.beside, found.board)
        click.echo(json.dumps(data) if as_json else describe_reading(data))
    if failed:
        raise SystemExit(2)


def _reader(
    name: str | None, rig: Path | None, corners: tuple[Corner, ...] | None, geometry_file: Path | None
) -> tuple[Rules, Callable[[Frame], Found]]:
    """The game (without a name the one that the table was calibrated for), and what reads pictures of it."""
    if rig is not None and corners:
        raise click.UsageError(
            phrase("give either --rig, for a calibrated table, or --corners, for a board never seen before")
        )
    if rig is not None:
        stored = boards.load(rig)
        rules = chosen(name or stored.rules)
        if rules.board != stored.board:
            raise click.UsageError(
                phrase(
                    "{rig} is calibrated for {board}, and {game} is played with {other}",
                    rig=rig,
                    board=stored.board,
                    game=rules.title,
                    other=rules.board,
                )
            )
        return rules, _with_rig(stored.table, rules.board == board.Checkers.name)
    rules = chosen(name)
    if rules.board != board.Checkers.name:
        raise click.UsageError(
            phrase("{game} is read with --rig only: calibrate its table first", game=rules.title)
        )
    measures = read_geometry(geometry_file, rules.board)
    stock = max(rules.start(rules.options).stock().values())
    if corners is None:
        return rules, lambda frame: _looked_for(frame, measures, stock)
    return rules, lambda frame: _at(frame, corners, measures, stock)


def _with_rig(table: BoardReader, dice: bool) -> Callable[[Frame], Found]:
    """Reads a calibrated table, and the ``dice`` on it where they are known on such boards."""

    def read(frame: Frame) -> Found:
        reading, reader, words = read_still(table, frame)
        if not dice:
            return Found(reading, words=words)
        looks_for = DiceReader.of_table(reader)
        reading, beside = read_both(looks_for, reader, frame.image, reading)
        wide = frame.image.shape[1] / frame.scale
        return Found(reading, _in_file(beside, looks_for.camera.size[0] / wide), words=words)

    return read


def _looked_for(frame: Frame, measures: Mapping[str, Any], stock: int) -> Found:
    """Finds a board never seen before, and reads it."""
    progress = ProgressLine()
    try:
        found = find_as_it_stands(frame, measures, progress)
    except DarkError:
        raise
    except VisionError as error:
        raise CalibrationError(joined(": ", (str(error), "--corners X,Y X,Y X,Y X,Y"))) from error
    finally:
        progress.done()
    return _as_found(frame, found, measures, stock)


def _at(frame: Frame, corners: Sequence[Corner], measures: Mapping[str, Any], stock: int) -> Found:
    """Reads a board never seen before, with these corners."""
    if (turned := find_turned(frame, corners, measures)) is not None:
        return _as_found(frame, turned, measures, stock)
    return _blind(frame, corners, Geometry.from_json(measures), stock)


def _as_found(frame: Frame, found: FoundBoard, measures: Mapping[str, Any], stock: int) -> Found:
    home = measures.get("home") or found.home
    seen = _blind(frame, found.corners, Geometry.from_json({**measures, "home": home}), stock)
    return replace(seen, board=found)


def _blind(frame: Frame, corners: Sequence[Corner], known: Geometry, stock: int) -> Found:
    """Reads a board never seen before."""
    places = scaled(corners, frame.scale)
    reading = read_blind(frame.image, places, known, stock)
    size = (known.width or USUAL[0], known.height or USUAL[1])
    picture = (frame.image.shape[1], frame.image.shape[0])
    checkers = [(x, y, radius) for spots in reading.marks.values() for _, x, y, radius in spots]
    looks_for = DiceReader.at_corners(places, picture, size)
    beside = on_checkers(looks_for.look(frame.image), looks_for.camera, checkers)
    return Found(reading, _in_file(beside, frame.scale))


def _in_file(beside: Lying, scale: float) -> Lying:
    """The same in pixels of the file, which was read at a part of its size."""

    def at(x: float, y: float) -> tuple[float, float]:
        return x / scale, y / scale

    cube = beside.cube and replace(beside.cube, at=at(*beside.cube.at))
    return Lying(tuple(replace(die, at=at(*die.at)) for die in beside.dice), cube)
