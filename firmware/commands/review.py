"""``barpoint review``: what an engine thinks of a match."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from engine.errors import EngineError
from engine.messages import joined, phrase, phrase_number
from engine.names import dashed
from engine.record import GameRecord, MatchRecord, Played
from firmware.commands._options import FILE, json_option, state_option, worst_option
from firmware.commands._output import tell, tell_notes
from firmware.engines import NoEngine
from firmware.engines.known import MAKERS, find
from firmware.errors import BadInput
from firmware.files import is_file, read_whole
from firmware.formats import FormatError
from firmware.formats import read as read_file
from firmware.formats.board import SIDES
from firmware.languages.choice import local, signed, written
from firmware.record import archive
from firmware.record.flashcards import write_deck
from firmware.record.ratings import GameReview, describe_choice, ratings, worst_first
from firmware.record.review import PLIES, review
from firmware.state import directory, journal


@click.command(name="review")
@click.argument("game")
@click.option(
    "--engine",
    type=click.Choice(list(MAKERS)),
    help="Who reviews (default: the first of these that is installed).",
)
@click.option(
    "--plies",
    type=click.IntRange(PLIES[0], PLIES[-1]),
    default=2,
    show_default=True,
    help="How far it looks ahead; each more takes some twenty times as long.",
)
@worst_option
@click.option(
    "--anki", "deck", type=FILE, help="Writes the mistakes as flashcards for Anki to this file (.apkg)."
)
@click.option("--side", type=click.Choice(SIDES), help="Flashcards of this side's mistakes only.")
@json_option(help="One JSON line: {engine, plies, players, decisions}.")
@click.option("--progress", is_flag=True, hidden=True, help="A JSON line on standard error for each game.")
@state_option()
def command(
    game: str,
    engine: str | None,
    plies: int,
    worst: int,
    deck: Path | None,
    side: str | None,
    as_json: bool,
    progress: bool,
    state: Path | None,
) -> None:
    """Tells what an engine thinks of a match: performance ratings (500 times the equity lost for each
    decision that was not obvious), luck, errors (0.020 or more), blunders (0.080 or more), and what was
    better.

    GAME is an id from 'barpoint games', 'last', or a match file (.mat, .sgf, .json). The engine is bgsage
    (pip install bgsage) or GNU Backgammon (the Debian package gnubg). Ctrl-C stops it: finished games are
    kept, and the same command goes on from there. 'barpoint report' shows the result. Exit status 1: the
    engine failed at a game, which is named.

    \b
    Example: barpoint review last
    Example: barpoint review last --anki mistakes.apkg --side white
    Example: barpoint review final.mat --engine gnubg --plies 3
    """
    if side is not None and deck is None:
        raise click.UsageError(phrase("--side goes with --anki"))
    match = _match(game, state)
    try:
        engine = find(engine)
        found, failed = run_review(match, engine, plies, directory(state) / "analysis", progress)
    except (NoEngine, FormatError, EngineError) as error:
        raise BadInput(str(error)) from error
    count = 0
    if deck is not None:  # first: whoever reads what is printed may stop reading
        try:
            count = write_deck(match, found, side, deck)
        except (NoEngine, OSError) as error:
            raise BadInput(joined(": ", (str(deck), str(error)))) from error
    if as_json and (found or not failed):
        click.echo(json.dumps(as_data(match, engine, plies, found)))
    elif found:
        _tell(match, engine, plies, found, worst)
    if deck is not None:
        tell(phrase_number("{file}: {n} flashcard", "{file}: {n} flashcards", count, file=deck), err=as_json)
    if failed:
        raise SystemExit(1)


def _match(game: str, state: Path | None) -> MatchRecord:
    if is_file(Path(game)):
        try:
            found = read_file(read_whole(Path(game)))
        except (OSError, FormatError) as error:
            raise BadInput(joined(": ", (game, str(error)))) from error
        tell_notes(game, found.notes)
        return found.record
    if Path(game).suffix:  # no id has one
        raise BadInput(phrase("{path}: there is no such file", path=game))
    with journal(state, create=False) as logs:
        return archive.read_match(logs, archive.find(logs, game))


def run_review(
    match: MatchRecord, engine: str, plies: int, folder: Path, lines: bool = False
) -> tuple[list[GameReview], list[NoEngine]]:
    """The games with a progress bar on standard error (a JSON line for each where a program reads them), and
    why others failed, which is told. Raises what
    :func:`firmware.record.review.review` does; KeyboardInterrupt, after what is done was told."""
    found: list[GameReview] = []
    failed: list[NoEngine] = []
    work = review(match, engine, plies, folder, os.cpu_count() or 1)
    try:
        with click.progressbar(
            length=_count_plays(match.games), label=local(phrase("plays reviewed")), file=sys.stderr
        ) as bar:
            for played, each in zip(match.games, work, strict=True):
                if isinstance(each, GameReview):
                    found.append(each)
                else:
                    failed.append(each)
                bar.update(_count_plays([played]))
                if lines:
                    count = {"done": len(found) + len(failed), "of": len(match.games)}
                    click.echo(json.dumps(count), err=True)
    except KeyboardInterrupt:
        words = phrase(
            "barpoint: stopped; {n} of {all} games are done, the same command continues",
            n=len(found),
            all=len(match.games),
        )
        tell(f"\n{local(words)}", err=True, lines=True)
        raise
    for trouble in failed:
        tell(joined(": ", ("barpoint", str(trouble))), err=True)
    return found, failed


def as_data(match: MatchRecord, engine: str, plies: int, found: Sequence[GameReview]) -> dict[str, object]:
    """The stable JSON form of a review."""
    players = [
        {
            "side": side,
            "name": name,
            "pr": round(rating.pr, 3),
            "play_pr": round(rating.play_pr, 3),
            "cube_pr": round(rating.cube_pr, 3),
            "luck": round(rating.luck, 4),
            "decisions": rating.decisions,
            "errors": rating.errors,
            "blunders": rating.blunders,
        }
        for name, (side, rating) in zip(match.players, ratings(found).items(), strict=True)
    ]
    decisions = [each.to_json() | {"obvious": each.obvious} for review in found for each in review.decisions]
    unjudged = sum(review.unjudged for review in found)
    return {
        "engine": engine,
        "plies": plies,
        "players": players,
        "decisions": decisions,
        "unjudged": unjudged,
    }


def _tell(match: MatchRecord, engine: str, plies: int, found: Sequence[GameReview], worst: int) -> None:
    tell(phrase_number("by {engine}, {n} ply", "by {engine}, {n} plies", plies, engine=engine))
    for side, rating in ratings(found).items():
        tell(
            phrase(
                "{player}: performance rating {pr} (plays {plays}, cube {cube}; decisions: {n}), errors:"
                " {errors}, blunders: {blunders}, luck {luck}",
                player=match.player(side),
                pr=written(rating.pr, 1),
                plays=written(rating.play_pr, 1),
                cube=written(rating.cube_pr, 1),
                n=rating.decisions,
                errors=rating.errors,
                blunders=rating.blunders,
                luck=signed(rating.luck, 3),
            )
        )
    for each in worst_first(found)[:worst]:
        dice = f" {dashed(each.dice)}" if each.dice else ""
        tell(
            phrase(
                "  game {game}, move {turn}, {side}{dice}: {played}  -{loss} ({mark})  better {best}",
                game=each.game,
                turn=each.turn,
                side=match.player(each.side),
                dice=dice,
                played=describe_choice(each.played),
                loss=written(each.loss, 3),
                mark=describe_choice(each.mark),
                best=describe_choice(each.best),
            )
        )
    unjudged = sum(review.unjudged for review in found)
    if unjudged:
        tell(phrase("not judged: {n} (illegal plays that stood, answers to beavers)", n=unjudged))


def _count_plays(games: Iterable[GameRecord]) -> int:
    return sum(isinstance(action, Played) for game in games for action in game.actions)
