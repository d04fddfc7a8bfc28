"""``barpoint best``: what is best in one position."""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import click

from engine.errors import EngineError
from engine.layout import Side
from engine.messages import joined, phrase
from firmware.commands._options import PATH, json_option, rules_option
from firmware.commands._output import tell
from firmware.commands._positions import read_situation
from firmware.engines import NoEngine
from firmware.engines.known import MAKERS
from firmware.engines.thinker import Thinker, first_thinker
from firmware.errors import BadInput
from firmware.files import is_file
from firmware.formats import FormatError
from firmware.formats.board import SIDES
from firmware.formats.ids import Situation
from firmware.languages.choice import local, signed
from firmware.record.advice import Advice, NoAdvice, advise, position_seen, roll_out, told
from firmware.rules import chosen
from vision import boards
from vision.picture.frame import load
from vision.settle import read_still

PICTURES = (".jpg", ".jpeg", ".png", ".webp")


@click.command(name="best")
@click.argument("position")
@click.option("--rig", type=PATH, help="The calibration of the table in the picture.")
@rules_option(help="The game in the picture (default: backgammon).")
@click.option("--turn", type=click.Choice(SIDES), help="Whose turn it is (a picture does not say).")
@click.option("--dice", type=(int, int), help="The roll; without it, whether to double.")
@click.option("--engine", type=click.Choice(list(MAKERS)), help="Who is asked.")
@click.option(
    "--rollout",
    type=click.IntRange(1, 1000),
    metavar="N",
    help="Roll the best plays out, in N batches of 36 games.",
)
@json_option(help="One JSON line: {side, kind, options, answer}.")
def command(
    position: str,
    rig: Path | None,
    name: str | None,
    turn: Side | None,
    dice: tuple[int, int] | None,
    engine: str | None,
    rollout: int | None,
    as_json: bool,
) -> None:
    """Tells what is best in one position: which play or, before the roll, whether to double, and what each
    is worth. For training; while a match is being played, ask nobody.

    POSITION is a photo of a calibrated table (with --rig and --turn), a file with a position, an XGID or a
    GNU position ID. Ctrl-C ends a rollout; what it found so far is told.

    \b
    Example: barpoint best XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10
    Example: barpoint best board.jpg --rig table.rig --turn white --dice 6 4 --rollout 10
    """
    try:
        situation = _situation(position, rig, name, turn)
        if dice is not None:
            if situation.position.dice:
                raise BadInput(phrase("the position has dice already; leave --dice out"))
            situation = replace(situation, position=situation.position.roll(dice))
        thinker = first_thinker(engine)
        try:
            found = advise(situation, thinker)
            if rollout is not None:
                found = _rolled_out(found, situation, thinker, rollout)
        finally:
            thinker.close()
    except (NoEngine, NoAdvice, FormatError, EngineError) as error:
        raise BadInput(str(error)) from error
    if as_json:
        click.echo(json.dumps(found.to_json()))
    else:
        tell("\n".join(map(local, told(found))), lines=True)


def _situation(given: str, rig: Path | None, name: str | None, turn: Side | None) -> Situation:
    """What is asked about. Raises BadInput, FormatError, EngineError, NoAdvice, VisionError."""
    path = Path(given)
    if path.suffix.lower() not in PICTURES:
        if rig or name or turn:
            raise click.UsageError(
                phrase("--rig, --rules and --turn are for a picture; a position says whose turn it is")
            )
        return read_situation(path if is_file(path) else given)
    if not is_file(path):
        raise BadInput(phrase("{path}: there is no such file", path=given))
    if rig is None or turn is None:
        raise BadInput(
            phrase("a picture needs --rig, the calibration of its table, and --turn, whose turn it is")
        )
    stored, rules = boards.load(rig), chosen(name)
    reading, _, words = read_still(stored.table, load(path))
    if words:
        tell(f"barpoint: {path}: {words}", err=True)
    return Situation(position_seen(rules, boards.get(stored.board).describe(reading), turn))


def _rolled_out(found: Advice, situation: Situation, thinker: Thinker, batches: int) -> Advice:
    """What a rollout finds until it ends, or Ctrl-C ends it."""
    latest = found

    def progress(done: int, of: int, so_far: Advice) -> bool:
        nonlocal latest
        latest = so_far
        if sys.stderr is not None and sys.stderr.isatty():
            best = so_far.options[0]
            count = phrase("{n} of {all}", n=done, all=of)
            tell(joined(": ", [count, f"{best.text} {signed(best.equity, 3)}"]), err=True)
        return True

    with suppress(KeyboardInterrupt):
        return roll_out(found, situation, thinker, batches, progress)
    return latest
