"""A tournament as plain data, for the pages and for whoever broadcasts it elsewhere."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from engine.messages import joined, phrase, phrase_number
from firmware.hub.office.book import KeptTournament
from firmware.hub.tournament.exports import place_words
from firmware.hub.tournament.model import Pairing, Tournament
from firmware.hub.tournament.pairings import champion, pairings, round_count
from firmware.hub.tournament.standings import standings
from firmware.hub.tournament.trail import Done, Undo, to_json, undone

KINDS = {
    "elimination": phrase("single elimination"),
    "round-robin": phrase("round robin"),
    "imported": phrase("pairings from elsewhere"),
}
METHODS = {"lot": phrase("by lot"), "seeded": phrase("seeded")}
HOW = {"forfeit": phrase("forfeit"), "decided": phrase("the director decides")}
CSV_FILE = phrase("CSV file")
"""Why players and pairings of a file are entered, as the trail has it."""


def head_json(kept: KeptTournament) -> dict[str, Any]:
    """What a list of tournaments says of one."""
    event = kept.event
    over = event.closed or champion(event) is not None
    winners = [event.name_of(row.entry) for row in standings(event) if row.place == 1] if over else []
    return {
        "id": kept.id,
        "event": kept.held,
        "name": event.name,
        "kind": event.kind,
        "players": sum(not entry.out for entry in event.entries),
        "rounds": round_count(event),
        "opened": event.opened,
        "closed": event.closed,
        "winner": winners[0] if len(winners) == 1 else None,
        "winners": winners,  # more than one where they share the first place
        "number": len(kept.trail),
        "began": kept.trail[0].at if kept.trail else None,
        "changed": kept.trail[-1].at if kept.trail else None,
    }


def tournament_json(kept: KeptTournament) -> dict[str, Any]:
    """All that everybody may know of a tournament. ``number`` counts its changes."""
    event, corrected = kept.event, _corrected(kept)
    return head_json(kept) | {
        "lengths": event.lengths,
        "rules": event.rules,
        "clock": event.clock,
        "rated": event.rated,
        "draw": None if event.draw is None else {"method": event.draw.method, "seed": event.draw.seed},
        "entries": [asdict(entry) for entry in event.entries],
        "pairings": [_pairing_json(event, each, each.id in corrected) for each in pairings(event)],
        "standings": [
            asdict(row) | {"places": place_words(row.place, row.shared), "name": event.name_of(row.entry)}
            for row in standings(event)
        ],
        "penalties": [asdict(each) for each in event.penalties],
    }


def _pairing_json(event: Tournament, each: Pairing, corrected: bool) -> dict[str, Any]:
    return asdict(each) | {
        "names": [event.name_of(each.first), event.name_of(each.second)],
        "corrected": corrected,
    }


def _corrected(kept: KeptTournament) -> set[str]:
    gone = undone(kept.trail)
    return {
        str(getattr(done.act, "pairing", ""))
        for done in kept.trail
        if type(done.act).__name__ == "CorrectResult" and done.number not in gone
    }


def trail_json(kept: KeptTournament) -> list[dict[str, Any]]:
    """The trail for the director, the newest entry first."""
    gone = undone(kept.trail)
    return [
        {
            "number": done.number,
            "at": done.at,
            "who": done.who,
            "why": CSV_FILE if done.why == CSV_FILE else done.why,
            "words": describe(done, kept),
            "undone": done.number in gone,
            "act": to_json(done.act),
        }
        for done in reversed(kept.trail)
    ]


def describe(done: Done, kept: KeptTournament) -> str:
    """An entry of a trail in words."""
    data, event = to_json(done.act), kept.event
    name = event.name_of(data.get("entry"))
    match data["act"]:
        case "Set":
            return phrase(
                "{name}: {kind}, to {lengths} points",
                name=data["name"],
                kind=KINDS[data["kind"]],
                lengths=joined(phrase(", "), [str(each) for each in data["lengths"]]),
            )
        case "Enter":
            return phrase("{player} entered", player=data["player"])
        case "Rename":
            return phrase("{player}: name, club, rating or seed written down", player=data["player"])
        case "Leave":
            return phrase("{player} left", player=name)
        case "MakeDraw":
            return phrase(
                "draw made ({method}), seed {seed}", method=METHODS[data["method"]], seed=data["seed"]
            )
        case "AddRound":
            return phrase_number("{n} pairing imported", "{n} pairings imported", len(data["pairs"]))
        case "OpenRound":
            number = data["round"]
            return phrase("round {n} opened", n=number) if number else phrase("no round is open any more")
        case "Seat":
            return joined("; ", (_seat_words(*each) for each in data["tables"]))
        case "Penalise":
            return _penalty_words(data, name)
        case "Report" | "CorrectResult":
            return _result_words(data, event)
        case "Close":
            return phrase("tournament closed")
    assert isinstance(done.act, Undo)
    return phrase(
        "undid entry {n}: {what}",
        n=done.act.number,
        what=describe(kept.trail[done.act.number - 1], kept),
    )


def _seat_words(match: str, table: str) -> str:
    if not table:
        return phrase("match {match} has no table", match=match)
    return phrase("match {match} at {table}", match=match, table=table)


def _penalty_words(data: dict[str, Any], name: str) -> str:
    points = phrase_number("{n} penalty point", "{n} penalty points", data["points"])
    if not data["pairing"]:
        return phrase("{points} against {player} in the standings", points=points, player=name)
    return phrase(
        "{points} against {player} in match {match}", points=points, player=name, match=data["pairing"]
    )


def _result_words(data: dict[str, Any], event: Tournament) -> str:
    names = joined(" - ", (event.name_of(data["first"]), event.name_of(data["second"])))
    if data["score"] is not None:
        names = joined(" ", (names, "{}-{}".format(*data["score"])))
    words: str = phrase(
        "match {match}: {names}, {winner} wins",
        match=data["pairing"],
        names=names,
        winner=event.name_of(data["winner"]),
    )
    if data["how"] != "played":
        words = phrase("{words} ({how})", words=words, how=HOW[data["how"]])
    return phrase("corrected: {words}", words=words) if data["act"] == "CorrectResult" else words
