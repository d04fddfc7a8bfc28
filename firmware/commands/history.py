"""``barpoint history``: a player's figures over months."""

from __future__ import annotations

import json
from pathlib import Path

import click

from engine.messages import joined, phrase, phrase_number
from firmware.commands._options import json_option, match_filter_options, state_option
from firmware.commands._output import tell
from firmware.commands._progress import ProgressLine
from firmware.errors import BadInput
from firmware.languages.choice import local, written
from firmware.record.catalogue import Catalogue
from firmware.record.history import history_json, player_history, together
from firmware.record.match_line import MatchFilter
from firmware.record.outline import PHASES
from firmware.state import directory, journal

BAR = 40
"""Letters of the longest bar of the graph."""
ALIKE = 5
"""Most names that are told where nobody has the one that was given."""


@click.command(name="history")
@click.argument("name", metavar="PLAYER")
@json_option(help="One JSON line: {player, pr, decisions, matches, phases}.")
@match_filter_options
@state_option()
def command(name: str, as_json: bool, state: Path | None, **options: str) -> None:
    """Shows the performance rating of PLAYER in each match that was reviewed, oldest first, and the rating
    by phase of the game: opening, middle game, containment, race, cube. 'barpoint review' reviews a match.

    \b
    Example: barpoint history Ann --since 2026-03
    """
    with journal(state, create=False) as logs:
        progress = ProgressLine()
        with Catalogue(logs) as catalogue:
            chosen = catalogue.listing(MatchFilter(**options), progress)
            found = list(player_history(catalogue, chosen, name, directory(state) / "analysis", progress))
        progress.done()
    alike = sorted({each for match in chosen for each in match.players if name.casefold() in each.casefold()})
    if not found and name.casefold() not in map(str.casefold, alike):
        if not alike:
            raise BadInput(
                phrase("no player is called {name!r}; 'barpoint games' lists who has played", name=name)
            )
        raise BadInput(
            phrase(
                "no player is called {name!r}; give the whole name: {names}",
                name=name,
                names=joined(phrase(", "), alike[:ALIKE]),
            )
        )
    if not found:
        raise BadInput(
            phrase(
                "no match of {name!r} has been reviewed; 'barpoint games' lists the matches,"
                " 'barpoint review' reviews one",
                name=name,
            )
        )
    if as_json:
        click.echo(json.dumps(history_json(name, found)))
        return
    worst = max(each.rating.pr for each in found) or 1.0
    for each in found:
        bar = "█" * max(1, round(BAR * each.rating.pr / worst))
        part = (
            ""
            if each.reviewed == each.games
            else phrase(" ({n} of {all} games)", n=each.reviewed, all=each.games)
        )
        rating = f"{written(each.rating.pr, 1):>5}"
        tell(f"{each.date[:10]}  {rating}  {bar:{BAR}}  {each.opponent}{local(part)}  {each.log}")
    width = 1 + max(len(local(each)) for each in PHASES.values())
    for phase, figures in together(found).items():
        tell(
            phrase_number(
                "{phase} {pr}   {n} decision, {lost} lost",
                "{phase} {pr}   {n} decisions, {lost} lost",
                figures.decisions,
                phase=f"{local(PHASES[phase]):{width}}",
                pr=f"{written(figures.pr, 1):>5}",
                lost=written(figures.lost, 3),
            )
        )
