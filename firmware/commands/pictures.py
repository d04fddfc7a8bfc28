"""``barpoint pictures``: a recorded session to look at."""

from __future__ import annotations

import json
from pathlib import Path

import click

from firmware.commands import _options
from firmware.commands._output import STDOUT, save
from firmware.commands._recordings import folder_of, prepared, refereed
from firmware.errors import BadInput
from firmware.recordings.gallery import Gallery, page
from firmware.recordings.reel import BadReel


@click.command(name="pictures", short_help="Shows what the camera saw of a match, in one HTML file")
@click.argument("recording", metavar="GAME|DIR", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="The HTML file to write.",
)
@click.option("--game", type=click.IntRange(1), help="Only this game of the match.")
@click.option(
    "--turn",
    type=click.IntRange(1),
    help="Only this turn, with every picture of it; as 'barpoint replay' counts them.",
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="One JSON line for each judgement: {game, turn, side, dice, verdict, words, then}.",
)
@_options.state
def command(
    recording: Path, output: Path, game: int | None, turn: int | None, as_json: bool, state: Path | None
) -> None:
    """Shows what the camera saw: one HTML file with the picture that each done was judged by, what is read in
    it, how it is judged now and what the table said then.

    GAME is the id of a match that was recorded, or 'last'; DIR a recorded session (a folder with a
    reel.json).

    \b
    Example: barpoint pictures last --turn 12 -o dispute.html
    """
    folder = folder_of(recording, state)
    replay = prepared(folder, None)
    gallery = Gallery(replay.reel, replay.eyes)
    try:
        refereed(replay, folder.name, [gallery])
    except BadReel as error:
        raise BadInput(str(error)) from error
    chosen = [each for each in gallery.judgements if game in (None, each.game) and turn in (None, each.turn)]
    if not chosen:
        there = (
            f"{len(gallery.judgements)} judgements, up to game {gallery.judgements[-1].game}"
            if gallery.judgements
            else "no judgement"
        )
        raise BadInput(f"{folder}: there is no such turn; the recording has {there}")
    save(output, page(f"{folder.name}, as it was seen", chosen, folder if turn is not None else None))
    if output == STDOUT:
        return
    if not as_json:
        differ = sum(each.differs for each in chosen)
        other = f", {differ} of them other than the table's then" if differ else ""
        click.echo(f"{output}: {len(chosen)} judgement{'' if len(chosen) == 1 else 's'}{other}")
        return
    for each in chosen:
        told = {
            name: getattr(each, name) for name in ("game", "turn", "side", "dice", "verdict", "words", "then")
        }
        click.echo(json.dumps(told))
