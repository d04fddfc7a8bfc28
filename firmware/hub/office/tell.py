"""A tournament as plain data, for the pages and for whoever broadcasts it elsewhere."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from firmware.hub.office.book import Kept
from firmware.hub.tournament.exports import place_words
from firmware.hub.tournament.model import Pairing, Tournament
from firmware.hub.tournament.pairings import champion, pairings, round_count
from firmware.hub.tournament.standings import standings
from firmware.hub.tournament.trail import Done, Undo, to_json, undone
from firmware.wording import counted


def head_json(kept: Kept) -> dict[str, Any]:
    """What a list of tournaments says of one."""
    event = kept.event
    winner = champion(event)
    if winner is None and event.closed:
        winner = next((row.entry for row in standings(event)), None)
    return {
        "id": kept.id,
        "event": kept.held,
        "name": event.name,
        "kind": event.kind,
        "players": sum(not entry.out for entry in event.entries),
        "rounds": round_count(event),
        "opened": event.opened,
        "closed": event.closed,
        "winner": event.name_of(winner) if winner else None,
        "number": len(kept.trail),
        "began": kept.trail[0].at if kept.trail else None,
    }


def tournament_json(kept: Kept) -> dict[str, Any]:
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


def _corrected(kept: Kept) -> set[str]:
    gone = undone(kept.trail)
    return {
        str(getattr(done.act, "pairing", ""))
        for done in kept.trail
        if type(done.act).__name__ == "CorrectResult" and done.number not in gone
    }


def trail_json(kept: Kept) -> list[dict[str, Any]]:
    """The trail for the director, the newest entry first."""
    gone = undone(kept.trail)
    return [
        {
            "number": done.number,
            "at": done.at,
            "who": done.who,
            "why": done.why,
            "words": describe(done, kept),
            "undone": done.number in gone,
            "act": to_json(done.act),
        }
        for done in reversed(kept.trail)
    ]


def describe(done: Done, kept: Kept) -> str:
    """An entry of a trail in words."""
    data, event = to_json(done.act), kept.event
    name = event.name_of(data.get("entry"))
    match data["act"]:
        case "Set":
            lengths = ", ".join(str(each) for each in data["lengths"])
            return f"{data['name']}: {data['kind']}, to {lengths} points"
        case "Enter":
            return f"{data['player']} entered"
        case "Rename":
            return f"{data['player']}: name, club, rating or seed written down"
        case "Leave":
            return f"{name} left"
        case "MakeDraw":
            return f"draw made ({data['method']}), seed {data['seed']}"
        case "AddRound":
            return f"{len(data['pairs'])} pairings imported"
        case "OpenRound":
            return f"round {data['round']} opened" if data["round"] else "no round is open any more"
        case "Seat":
            return "; ".join(
                f"match {match} at table {table}" if table else f"match {match} has no table"
                for match, table in data["tables"]
            )
        case "Penalise":
            where = f" in match {data['pairing']}" if data["pairing"] else " in the standings"
            return f"{counted(data['points'], 'penalty point')} against {name}{where}"
        case "Report" | "CorrectResult":
            return _result_words(data, event)
        case "Close":
            return "tournament closed"
    assert isinstance(done.act, Undo)
    return f"undid entry {done.act.number}: {describe(kept.trail[done.act.number - 1], kept)}"


def _result_words(data: dict[str, Any], event: Tournament) -> str:
    score = "" if data["score"] is None else " {}-{}".format(*data["score"])
    how = "" if data["how"] == "played" else f" ({data['how']})"
    corrected = "corrected: " if data["act"] == "CorrectResult" else ""
    names = f"{event.name_of(data['first'])} - {event.name_of(data['second'])}"
    return f"match {data['pairing']} {corrected}{names}{score}, {event.name_of(data['winner'])} wins{how}"
