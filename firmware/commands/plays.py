"""``barpoint plays``: what may be played, for programs."""

from __future__ import annotations

import sys

import click

from engine.messages import phrase, phrase_number
from firmware.commands._options import json_option
from firmware.errors import BadInput
from firmware.plays import answers, cut, opened


@click.command(name="plays")
@json_option(help="JSON lines in and out: the only form, and the default.")
def command(as_json: bool) -> None:
    """Reads JSON lines {"rules", "position", "dice"} from standard input and answers each with its plays.

    A line that cannot be read is answered with {"error", "line"}; the exit status is then 2.

    \b
    Example: echo '{"position": "4HPwATDgc/ABMA", "dice": [3, 1]}' | barpoint plays
    """
    if not sys.stdin:
        raise BadInput(phrase("standard input is closed: give positions there, one a line"))
    wrong = 0
    for answer in answers(cut(opened(sys.stdin.buffer))):
        wrong += answer.startswith('{"error"')
        print(answer, flush=True)
    if wrong:
        raise BadInput(
            phrase_number(
                "{n} line could not be read; the answers say which and why",
                "{n} lines could not be read; the answers say which and why",
                wrong,
            )
        )
