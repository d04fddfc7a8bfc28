"""``barpoint pictures``: a recorded session to look at."""

from __future__ import annotations

import json
from pathlib import Path

import click

from engine.messages import phrase, phrase_number
from firmware.commands._options import PATH, json_option, output_option, state_option
from firmware.commands._output import STDOUT, save, tell
from firmware.commands._recordings import folder_of, prepare_replay, referee_again
from firmware.errors import BadInput
from firmware.recordings.gallery import Gallery, gallery_page


@click.command(name="pictures")
@click.argument("recording", metavar="GAME|DIR", type=PATH)
@output_option(help="The HTML file to write.", required=True)
@click.option("--game", type=click.IntRange(1), help="Only this game of the match.")
@click.option(
    "--turn",
    type=click.IntRange(1),
    help="Only this turn, with all its pictures; numbered as by 'barpoint replay'.",
)
@json_option(help="One JSON line for each judgement: {game, turn, side, dice, verdict, words, then}.")
@state_option()
def command(
    recording: Path, output: Path, game: int | None, turn: int | None, as_json: bool, state: Path | None
) -> None:
    """Shows what the camera saw, in one HTML file: for each 'done' the picture that was judged, what is read
    in it, how it is judged now, and what the table said then.

    GAME is the id of a match that was recorded, or 'last'; DIR is a recorded session (a folder with a
    reel.json).

    \b
    Example: barpoint pictures last --turn 12 -o dispute.html
    """
    folder = folder_of(recording, state)
    replay = prepare_replay(folder, None)
    gallery = Gallery(replay.reel, replay.eyes)
    referee_again(replay, folder.name, [gallery])
    chosen = [each for each in gallery.judgements if game in (None, each.game) and turn in (None, each.turn)]
    if not chosen:
        there = "no judgement"
        if gallery.judgements:
            there = f"{len(gallery.judgements)} judgements, up to game {gallery.judgements[-1].game}"
        raise BadInput(f"{folder}: there is no such turn; the recording has {there}")
    title = f"{folder.name}, as the camera saw it"
    save(output, gallery_page(title, chosen, folder if turn is not None else None))
    if output == STDOUT:
        return
    if not as_json:
        differ = sum(each.differs for each in chosen)
        words = phrase_number("{n} judgement", "{n} judgements", len(chosen))
        if differ:
            words = phrase_number(
                "{judgements}; {n} differs from what the table said then",
                "{judgements}; {n} differ from what the table said then",
                differ,
                judgements=words,
            )
        tell(phrase("{file}: {judgements}", file=output, judgements=words))
        return
    names = ("game", "turn", "side", "dice", "verdict", "words", "then")
    for each in chosen:
        click.echo(json.dumps({name: getattr(each, name) for name in names}))
