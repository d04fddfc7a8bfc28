"""Players over all tournaments: their matches and ratings. One name is one player, whatever the case of its
letters: write the names in one way."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from firmware.hub.office.book import KeptTournament
from firmware.hub.tournament.changes import Report
from firmware.hub.tournament.pairings import pairings
from firmware.hub.tournament.ratings import Rated, RatingStep, histories
from firmware.hub.tournament.trail import undone


def rated_matches(kept: Iterable[KeptTournament]) -> list[Rated]:
    """The matches that count for ratings, in the order in which they ended: those that were played to their
    end. A match that was corrected keeps its time."""
    found = []
    for each in kept:
        if not each.event.rated:
            continue
        gone, at = undone(each.trail), dict[str, float]()
        for done in each.trail:
            if isinstance(done.act, Report) and done.number not in gone:
                at.setdefault(done.act.pairing, done.at)
        for pairing in pairings(each.event):
            result, loser = pairing.result, pairing.loser()
            if result is None or result.how != "played" or loser is None:
                continue
            found.append(
                Rated(
                    each.event.name_of(result.winner),
                    each.event.name_of(loser),
                    pairing.length,
                    at.get(pairing.id, 0.0),
                    str(each.id),
                    pairing.id,
                )
            )
    return sorted(found, key=lambda match: match.at)


def players(kept: Iterable[KeptTournament]) -> dict[str, list[RatingStep]]:
    """Each player's rated matches with the ratings after them, by the name as it was written last."""
    matches = rated_matches(kept)
    spelt = {name.casefold(): name for match in matches for name in (match.winner, match.loser)}
    same = (
        replace(each, winner=spelt[each.winner.casefold()], loser=spelt[each.loser.casefold()])
        for each in matches
    )
    return histories(same)


def list_json(found: dict[str, list[RatingStep]]) -> list[dict[str, Any]]:
    """The list of ratings, the best first."""
    rows = [
        {
            "name": name,
            "rating": round(steps[-1].rating.value, 2),
            "experience": steps[-1].rating.experience,
            "matches": steps[-1].rating.matches,
            "won": steps[-1].rating.won,
        }
        for name, steps in found.items()
    ]
    return sorted(rows, key=lambda row: (-float(str(row["rating"])), row["name"]))


def player_json(name: str, steps: Iterable[RatingStep]) -> dict[str, Any]:
    """A player's history, the newest match first."""
    rows = [
        {
            "at": step.match.at,
            "tournament": int(step.match.event),
            "match": step.match.pairing,
            "length": step.match.length,
            "opponent": step.match.loser if step.match.winner == name else step.match.winner,
            "won": step.match.winner == name,
            "change": round(step.change, 2),
            "rating": round(step.rating.value, 2),
        }
        for step in steps
    ]
    return {"name": name, "rating": rows[-1]["rating"] if rows else None, "history": rows[::-1]}
