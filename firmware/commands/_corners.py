"""The ``--corners`` and ``--geometry`` that two commands share."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from engine import strict_json
from engine.messages import phrase
from firmware.commands._options import PATH
from firmware.files import read_whole
from vision import boards
from vision.errors import CalibrationError
from vision.geometry.camera import Corner


def _parse_corners(
    ctx: click.Context, param: click.Parameter, value: tuple[str, ...] | None
) -> tuple[Corner, ...] | None:
    """Four places in a picture, each written ``x,y``."""
    for count, text in enumerate(value or ()):
        if text.startswith("--") or text == "-o":
            raise click.BadParameter(
                phrase("--corners needs four places; after {count} comes {text}", count=count, text=text)
            )
    return tuple(_parse_place(text) for text in value) if value else None


def _parse_place(text: str) -> Corner:
    try:
        x, y = (float(part) for part in text.split(","))
    except ValueError:
        x = y = math.nan
    if not (math.isfinite(x) and math.isfinite(y)):
        raise click.BadParameter(
            phrase("{text!r} is no place in a picture; write two numbers, like 250,827", text=text)
        )
    return x, y


corners_option = click.option(
    "--corners",
    nargs=4,
    callback=_parse_corners,
    metavar="X,Y X,Y X,Y X,Y",
    help="Corners of the playing surface in pixels: bottom-left, bottom-right, top-right, top-left.",
)
geometry_option = click.option(
    "--geometry",
    "geometry_file",
    type=PATH,
    help=(
        "A JSON file with what is known of the board, or that JSON itself, in cm: pitch, checker, bar, width,"
        " height, and tray (right, left, both, none); base_side of pyramids; cols and rows of a sheet of"
        " hexes."
    ),
)


def read_geometry(file: Path | None, board: str) -> Mapping[str, Any]:
    """What the file, or its name if that is JSON itself, says about a ``board``, a JSON object; nothing
    without a file. Raises CalibrationError, also at a key that is not known: it is mostly a misspelt
    measure."""
    if file is None:
        return {}
    try:
        given = str(file)
        text = given if given.startswith("{") else read_whole(file).decode("utf-8-sig")
        data = strict_json.loads_object(text)
    except OSError as error:
        raise CalibrationError(f"cannot read {file}: {error.strerror or error}") from error
    except ValueError as error:
        raise CalibrationError(
            f"{file}: {error}; a geometry file holds one JSON object with the board's measures in cm"
        ) from error
    known = boards.get(board).geometry_keys
    for key in data:
        if key not in known:
            near = difflib.get_close_matches(key.lower(), known, 1, 0.6)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
            raise CalibrationError(f"{file}: {key!r} is no measure of this board; {hint}")
    return data
