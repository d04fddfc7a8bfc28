"""``barpoint analyse``: the older name of ``review`` by GNU Backgammon, with the figures that it had."""

from __future__ import annotations

import json
from pathlib import Path

import click

from engine.errors import EngineError
from engine.names import dashed
from firmware.commands._options import json_option, state_option, worst_option
from firmware.commands._output import tell
from firmware.commands.review import run_review
from firmware.engines import NoEngine
from firmware.engines.known import find
from firmware.errors import BadInput
from firmware.formats import FormatError
from firmware.record import archive
from firmware.record.ratings import Rating, ratings, worst_first
from firmware.state import directory, journal


@click.command(name="analyse")
@click.argument("game")
@click.option(
    "--plies", type=click.IntRange(0, 3), default=2, show_default=True, help="How far gnubg looks ahead."
)
@worst_option
@json_option(help="One JSON line: {id, plies, players, errors}.")
@state_option()
def command(game: str, plies: int, worst: int, as_json: bool, state: Path | None) -> None:
    """Lets GNU Backgammon (the Debian package gnubg) judge the plays of a match: error rates, luck, and what
    was better. 'barpoint review' does the same with any engine, and tells more.

    GAME is an id from 'barpoint games', or 'last'. Exit status 1: gnubg failed at a game, which is named.

    \b
    Example: barpoint analyse last
    """
    with journal(state, create=False) as logs:
        log = archive.find(logs, game)
        match = archive.read_match(logs, log)
    try:
        found, failed = run_review(match, find("gnubg"), plies + 1, directory(state) / "analysis")
    except (NoEngine, FormatError, EngineError) as error:
        raise BadInput(str(error)) from error
    if found or not failed:
        errors = [each for each in worst_first(found) if each.kind == "play"][:worst]
        rated = ratings(found)
        if as_json:
            players = {side: _figures(rating) for side, rating in rated.items()}
            told = [
                {
                    "game": each.game,
                    "move": each.turn,
                    "side": each.side,
                    "dice": list(each.dice),
                    "played": each.played,
                    "best": each.best,
                    "loss": each.loss,
                }
                for each in errors
            ]
            click.echo(json.dumps({"id": log, "plies": plies, "players": players, "errors": told}))
        else:
            for name, rating in zip(match.players, rated.values(), strict=True):
                tell(
                    f"{name}: {_rate(rating):.1f} thousandths lost for each play ({rating.plays} unforced),"
                    f" {rating.lost:.3f} in all, {rating.cube_lost:.3f} with the cube;"
                    f" luck {rating.luck:+.3f}"
                )
            for each in errors:
                tell(
                    f"  game {each.game}, move {each.turn}, {each.side} {dashed(each.dice)}: {each.played}"
                    f"  -{each.loss:.3f}  better {each.best}"
                )
    if failed:
        raise SystemExit(1)


def _rate(rating: Rating) -> float:
    return 1000 * rating.lost / rating.plays if rating.plays else 0.0


def _figures(rating: Rating) -> dict[str, float]:
    return {
        "unforced": rating.plays,
        "errors": rating.lost,
        "cube": rating.cube_lost,
        "luck": rating.luck,
        "rate": _rate(rating),
    }
