"""``barpoint dice``: the device's dice, rolled and put to the test."""

from __future__ import annotations

import json
from pathlib import Path

import click

from engine.messages import phrase
from firmware.commands._options import FILE, json_option
from firmware.commands._output import save
from firmware.dice.dice_plot import svg
from firmware.dice.fairness import fairness
from hardware.dice import SealedDice

SUSPECT = 0.001
"""The p-value under which dice count as unfair: each test suspects one fair source in a thousand."""


@click.command(name="dice")
@click.option(
    "--stats", "number", type=click.IntRange(min=1), help="Roll so many dice and test if they are fair."
)
@click.option(
    "--count",
    type=click.IntRange(1, 10),
    default=2,
    show_default=True,
    help="Dice a roll: 2, or 3 for IceGammon.",
)
@click.option("--plot", type=FILE, help="With --stats: draw the result into this SVG file.")
@json_option(help="One JSON object.")
def command(number: int | None, count: int, plot: Path | None, as_json: bool) -> None:
    """Rolls the table's own dice once, or many times to test them: chi-square of faces, of pairs, and of each
    face by the one before it.

    This shows whether dice are fair, not that nobody chose them: no commitment was shown before, and nobody
    gave words. To whom the dice of a match are proved, 'barpoint verify' says.

    Exit status 1: a p-value is under 0.001. That happens to fair dice once in a thousand times; test again
    before you blame them.

    \b
    Example: barpoint dice --stats 100000 --plot dice.svg
    """
    dice = SealedDice.draw()
    if number is None:
        if plot is not None:
            raise click.UsageError(phrase("--plot draws what --stats finds; give --stats too"))
        rolled = dice.roll(1, count)
        click.echo(json.dumps({"dice": list(rolled)}) if as_json else "-".join(map(str, rolled)))
        return
    found = fairness(dice.roll(place, count) for place in range(1, max(1, number // count) + 1))
    if plot is not None:
        save(plot, svg(found))
    click.echo(json.dumps(found.to_json()) if as_json else found.chart())
    if min(test.p for test in found.tests) < SUSPECT:
        raise SystemExit(1)
