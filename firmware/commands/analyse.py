"""``barpoint analyse``: a match through GNU Backgammon."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

import click

from engine.errors import EngineError
from engine.record import GameRecord, MatchRecord, Played
from firmware.commands._options import json_option, state_option
from firmware.commands._output import tell
from firmware.errors import BadInput
from firmware.formats import FormatError
from firmware.record import analyse
from firmware.record.analyse import Analysis, NoAnalysis
from firmware.record.archive import find, read_match
from firmware.state import directory, journal
from firmware.wording import dashed


@click.command(name="analyse", short_help="Lets GNU Backgammon judge the plays of a match")
@click.argument("game")
@click.option(
    "--plies", type=click.IntRange(0, 3), default=2, show_default=True, help="How far gnubg looks ahead."
)
@click.option(
    "--worst",
    type=click.IntRange(0),
    default=10,
    show_default=True,
    help="How many errors to list, the most expensive first.",
)
@json_option("One JSON line: {id, plies, players, errors}.")
@state_option()
def command(game: str, plies: int, worst: int, as_json: bool, state: Path | None) -> None:
    """Lets GNU Backgammon (the Debian package gnubg) judge the plays of a match: error rates, luck, and what
    was better.

    GAME is an id from 'barpoint games', or 'last'. Ctrl-C stops it: finished games are kept, and the same
    command continues from there. 'barpoint report' shows the result. Exit status 1: gnubg failed at a game,
    which is named.

    \b
    Example: barpoint analyse last
    """
    with journal(state, create=False) as logs:
        log = find(logs, game)
        match = read_match(logs, log)
    found: list[Analysis] = []
    failed: list[NoAnalysis] = []
    work = analyse.analyse(match, plies, directory(state) / "analysis")
    try:
        with click.progressbar(
            length=_count_plays(match.games), label="plays analysed", file=sys.stderr
        ) as bar:
            for played, each in zip(match.games, work, strict=True):
                if isinstance(each, Analysis):
                    found.append(each)
                else:
                    failed.append(each)
                bar.update(_count_plays([played]))
    except KeyboardInterrupt:
        done = f"{len(found)} of {len(match.games)} games are done"
        click.echo(f"\nbarpoint: stopped; {done}, the same command continues", err=True)
        raise
    except (NoAnalysis, FormatError, EngineError) as error:
        raise BadInput(str(error)) from error
    for trouble in failed:
        tell(f"barpoint: {trouble}", err=True)
    if found or not failed:
        _print_analysis(log, match, plies, found, worst, as_json)
    if failed:
        raise SystemExit(1)


def _print_analysis(
    log: str, match: MatchRecord, plies: int, found: list[Analysis], worst: int, as_json: bool
) -> None:
    errors = analyse.worst_first(found)[:worst]
    skills = analyse.total(found)
    if as_json:
        players = {side: asdict(skill) | {"rate": skill.rate} for side, skill in skills.items()}
        data = {"id": log, "plies": plies, "players": players, "errors": [asdict(each) for each in errors]}
        click.echo(json.dumps(data))
        return
    for name, skill in zip(match.players, skills.values(), strict=True):
        tell(
            f"{name}: {skill.rate:.1f} thousandths lost for each play ({skill.unforced} unforced), "
            f"{skill.errors:.3f} in all, {skill.cube:.3f} with the cube; luck {skill.luck:+.3f}"
        )
    for each in errors:
        tell(
            f"  game {each.game}, move {each.move}, {each.side} {dashed(each.dice)}: {each.played}"
            f"  -{each.loss:.3f}  better {each.best}"
        )


def _count_plays(games: Iterable[GameRecord]) -> int:
    return sum(isinstance(action, Played) for game in games for action in game.actions)
